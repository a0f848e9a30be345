/* SPDX-License-Identifier: Apache-2.0 */
/* once_look.h: looks at the operands of a one-shot product as a whole, which tells of what kinds
 * the rows of C are. A template. */

/* Whether most entries of some rows are near those at the same place in the row before: then rows
 * of B that they meet are consecutive, which processors foresee. */
static SPL__APART bool FN(goes_along)(const spl_sparse *m)
{
    enum { SAMPLES = 32, NEAR = 8 };
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    int64_t near = 0, all = 0;
    for (int64_t s = 0; s < SAMPLES; s++) {
        const int64_t i = 1 + s * (m->rows - 2) / SAMPLES;
        for (P p = i < 1 ? 0 : offsets[i], q = p - offsets[i - 1]; p < offsets[i + 1]; p++, all++) {
            const P before = p - q;
            near += before < offsets[i] && columns[p] - columns[before] <= NEAR &&
                    columns[before] - columns[p] <= NEAR;
        }
    }
    return 2 * near >= all;
}

/* The length of the longest row. */
static SPL__APART int64_t FN(longest)(const spl_sparse *m)
{
    const P *offsets = m->offsets;
    P longest = 0;
    for (int64_t i = 0; i < m->rows; i++)
        longest = offsets[i + 1] - offsets[i] > longest ? offsets[i + 1] - offsets[i] : longest;
    return (int64_t)longest;
}

/* Columns from the first to the last of a row of C, in the mean of some evenly spaced rows, if rows
 * of B are in order. */
static SPL__APART double FN(mean_span)(const spl_sparse *a, const spl_sparse *b)
{
    enum { SAMPLES = 16 };
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const I *a_columns = a->indices, *b_columns = b->indices;
    int64_t all = 0;
    for (int64_t s = 0; s < SAMPLES; s++) {
        const int64_t i = (2 * s + 1) * a->rows / (2 * SAMPLES);
        int64_t first = b->cols, end = 0;
        for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++) {
            const P begin = b_offsets[a_columns[p]], after = b_offsets[a_columns[p] + 1];
            if (begin == after)
                continue;
            first = spl__min_i64(first, b_columns[begin]);
            end = spl__max_i64(end, b_columns[after - 1] + 1);
        }
        all += spl__max_i64(0, end - first);
    }
    return (double)all / SAMPLES;
}

/* Looks at A and B as a whole. */
static void FN(look)(spl__once_product *c)
{
    static const double REPEATED = 3.0 / 8; /* as in blocks of two, which plans multiply as such */
    enum {
        TIMES = 4,      /* the mean length of rows of B: what bounds may exceed products by */
        FEW_ROWS = 1024 /* pay for shapes only where nearly all have one in common */
    };
    const int64_t of_a = FN(longest)(c->a), of_b = FN(longest)(c->b);
    const double bytes = (double)c->b->nnz * (sizeof(T) + sizeof(I)),
                 most = (double)c->a->nnz * (double)of_b; /* products */
    const bool near = bytes <= spl__machine_cpu.near_bytes,
               holed = c->a->nnz < c->a->rows || c->b->nnz < c->b->rows;
    c->single = of_a == 1 && of_b == 1 && holed;
    c->repeats = most > spl__machine_cpu.once_repeated && spl__once_repeated(c->a) >= REPEATED;
    c->of_nodes =
        c->repeats || (most > spl__machine_cpu.once_flat_repeated && spl__once_is_of_nodes(c->a));
    if (most > SPL__FLAT_ROW * (double)c->a->rows)
        c->span = FN(mean_span)(c->a, c->b);
    c->shifted = c->a->rows > FEW_ROWS
                     ? spl__is_shifted(c->a) && spl__is_shifted(c->b)
                     : spl__is_shifted_mostly(c->a) && spl__is_shifted_mostly(c->b);
    /* One block learns nothing. */
    c->along = (near && most < SPL__ONCE_WHOLE) || c->a->rows == 1 || FN(goes_along)(c->a);
    c->ahead = !near && !c->along;
    c->has_long_rows = !spl__sum_is_sorted(of_a * of_b, c->b->cols);
    if (!c->has_long_rows && of_b * c->b->rows <= TIMES * c->b->nnz)
        c->longest = of_b;
}
