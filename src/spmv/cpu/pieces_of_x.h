/* SPDX-License-Identifier: Apache-2.0 */
/* pieces_of_x.h: the arguments of SpMV in blocks, whose kernels load pieces of x. A template: T,
 * FN come from core/each_type.h. */

typedef struct FN(pieces_of_x) {
    const T *x;
    /* the column of blocks from which x is read from `tail`, because full registers would exceed
     * x */
    int64_t tail_begin;
    T tail[SPL__X_TAIL];
    T alpha, beta, *y;
} FN(pieces_of_x);

/* Blocks have `size` columns, and are multiplied by `lanes` lanes. */
static FN(pieces_of_x) FN(begin_pieces)(const spl__call *call, int64_t cols, int size,
                                        int64_t lanes)
{
    FN(pieces_of_x) o = {.x = call->x,
                         .alpha = *(const T *)call->alpha,
                         .beta = *(const T *)call->beta,
                         .y = call->y};
    o.tail_begin = cols < lanes ? 0 : (cols - lanes) / size + 1;
    for (int64_t j = o.tail_begin * size; j < cols; j++)
        o.tail[j - o.tail_begin * size] = o.x[j];
    return o;
}
