/* SPDX-License-Identifier: Apache-2.0 */
/* tile_lanes.h: the registers of a tile of C, and their loads and stores.
 *
 * A template: T, ACC, FN come from core/each_type.h, loops and sizes from tile_loops.h. */
typedef ACC FN(lanes) __attribute__((vector_size(SPL__REGISTER_BYTES)));

enum { FN(WIDTH) = SPL__REGISTER_BYTES / sizeof(ACC) };

/* C = alpha*sums + beta*C */
typedef struct FN(result) {
    T *c;
    int64_t row; /* elements between rows */
    ACC alpha, beta;
} FN(result);

static inline FN(result) FN(result_of)(const spl__call *call)
{
    return (FN(result)){.c = call->c->values,
                        .row = call->c->ld,
                        .alpha = *(const ACC *)call->alpha,
                        .beta = *(const ACC *)call->beta};
}

/* The tile's upper left corner, and the number of columns from there on. */
typedef struct FN(origin) {
    int64_t i, j, columns;
} FN(origin);

ALWAYS_INLINE FN(lanes) FN(load)(const T *x, const bool unmasked, int64_t columns)
{
    if (!unmasked)
        return (FN(lanes))SPL__LOAD_SOME_VALUES(x, columns);
    return (FN(lanes))SPL__LOAD_VALUES(x);
}

ALWAYS_INLINE void FN(store)(T *x, FN(lanes) lanes, const bool unmasked, int64_t columns)
{
    if (unmasked)
        SPL__STORE_VALUES(x, lanes);
    else
        SPL__STORE_SOME_VALUES(x, columns, lanes);
}

/* Row i of C: alpha*sum + beta*C */
ALWAYS_INLINE void FN(finish_row)(const FN(result) *to, FN(origin) at, const int registers,
                                  const bool unmasked, FN(lanes) *sum)
{
    UNROLL
    for (int t = 0; t < registers; t++) {
        T *c = to->c + at.i * to->row + at.j + t * FN(WIDTH);
        const int64_t columns = at.columns - t * FN(WIDTH);
        sum[t] *= to->alpha;
        if (to->beta != 0)
            sum[t] += to->beta * FN(load)(c, UNMASKED(t), columns);
        FN(store)(c, sum[t], UNMASKED(t), columns);
    }
}
