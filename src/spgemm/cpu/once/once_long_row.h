/* SPDX-License-Identifier: Apache-2.0 */
/* once_long_row.h: a row of C of many products, which is added up as by the method one_pass. A
 * template, after sum_row.h. */

/* Adds terms of a long row from p on, as long as rows of B have few entries; returns the term after
 * them. Apart, so that this loop keeps its registers. */
static SPL__APART P FN(add_short_terms)(const spl__once_product *c, const FN(accumulator) *sums,
                                        P p, P end, FN(marked) *marked)
{
    enum { FEW = 3 }; /* entries that are added without a call */
    const P *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    ACC *dense = sums->dense;
    FN(marked) own = *marked;
    for (; p < end; p++) {
        const P first = b_offsets[a_columns[p]], last = b_offsets[a_columns[p] + 1];
        if (last - first > FEW)
            break;
        const T scale = alpha * a_values[p];
        for (P q = first; q < last; q++) {
            const I column = b_columns[q];
            dense[column] += scale * b_values[q];
            FN(mark_next)(sums, column, &own);
        }
    }
    *marked = own;
    return p;
}

/* Row i of C, of up to `work` products or more than can be sorted, in order; returns its length. */
static SPL__APART int64_t FN(sum_row)(const spl__once_product *c, void *space, int64_t i,
                                      int64_t work, I *columns, T *values)
{
    const P *b_offsets = c->b->offsets, end = ((const P *)c->a->offsets)[i + 1];
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    FN(accumulator) sums = FN(begin_sums)(c->b->cols, work, space);
    FN(marked) marked = {0, 0, 0};
    for (P p = ((const P *)c->a->offsets)[i]; p < end; p++) {
        if (!sums.keys)
            p = FN(add_short_terms)(c, &sums, p, end, &marked);
        if (p == end)
            break;
        const P first = b_offsets[a_columns[p]], last = b_offsets[a_columns[p] + 1];
        FN(add_scaled)(&sums, b_columns + first, b_values + first, last - first,
                       alpha * a_values[p]);
    }
    FN(mark_word)(&sums, &marked);
    sums.top |= marked.top;
    const int64_t count = FN(end_row)(&sums, columns, values);
    FN(remember_row)(c->a, c->b, i, space, &sums, count);
    return count;
}
