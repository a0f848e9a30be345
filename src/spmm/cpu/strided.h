/* SPDX-License-Identifier: Apache-2.0 */
/* strided.h: SpMM where B or C is column major: four columns at a time, so that A's entries are
 * read once for them.
 *
 * A template: T, ACC, P, I, FN come from core/each_type.h. */

/* One row of C. Strides in elements: between rows of B, and between columns of B and C. */
typedef struct FN(row) {
    const I *columns;
    const T *values;
    P begin, end;
    const T *b;
    int64_t b_row, b_column;
    T *c;
    int64_t c_column;
    ACC alpha, beta;
} FN(row);

/* Computes `count` columns, at most 4, from column j on. */
ALWAYS_INLINE void FN(some_columns)(const FN(row) *r, int64_t j, const int count)
{
    const T *b = r->b + j * r->b_column;
    T *c = r->c + j * r->c_column;
    ACC sum[4] = {0};
    for (P p = r->begin; p < r->end; p++)
        for (int t = 0; t < count; t++)
            sum[t] += WIDEN(r->values[p]) * WIDEN(b[r->columns[p] * r->b_row + t * r->b_column]);
    for (int t = 0; t < count; t++)
        c[t * r->c_column] =
            NARROW(r->alpha * sum[t] + (r->beta == 0 ? 0 : r->beta * WIDEN(c[t * r->c_column])));
}

static void FN(strided_row)(const FN(row) *r, int64_t j, int64_t end)
{
    for (; j + 4 <= end; j += 4)
        FN(some_columns)(r, j, 4);
    for (; j < end; j++)
        FN(some_columns)(r, j, 1);
}

/* Computes rows first..last of C, columns j..end. */
static void FN(multiply_strided)(const spl_sparse *a, const spl__call *call, int64_t first,
                                 int64_t last, int64_t j, int64_t end)
{
    const spl_dense *b = call->b, *c = call->c;
    const P *offsets = a->offsets;
    bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    FN(row) r = {.columns = a->indices, .values = a->values, .b = b->values};
    r.alpha = *(const ACC *)call->alpha;
    r.beta = *(const ACC *)call->beta;
    r.b_row = b_rows ? b->ld : 1;
    r.b_column = b_rows ? 1 : b->ld;
    r.c_column = c_rows ? 1 : c->ld;
    for (int64_t i = first; i < last; i++) {
        r.begin = r.alpha == 0 ? 0 : offsets[i]; /* alpha = 0 reads no values */
        r.end = r.alpha == 0 ? 0 : offsets[i + 1];
        r.c = (T *)c->values + i * (c_rows ? c->ld : 1);
        FN(strided_row)(&r, j, end);
    }
}
