/* SPDX-License-Identifier: Apache-2.0 */
/* single_entries.h: rows of C where rows of A and B have one entry at most, and some have none, as
 * in hypersparse products: which these are, no processor foresees. A template.
 *
 * Loops do not ask. The first one goes over entries of A, and writes one of C for each, which the
 * next one replaces where the row of B is empty; the second over rows, empty or not, which begin in
 * C where their entry of A, or the next one, does. */

static SPL__APART void FN(find_single_entries)(const spl__once_product *c, spl__once_worker *w)
{
    enum { ROWS = 1024 }; /* at a time */
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    const P last = (P)(c->b->nnz - 1);
    P *offsets = c->offsets, found = 0, begins[ROWS + 1];
    I *restrict columns = w->columns;
    T *restrict values = w->values;
    for (int64_t i = w->begin, end; i < w->end; i = end) {
        end = spl__min_i64(i + ROWS, w->end);
        const P first = a_offsets[i], after = a_offsets[end];
        for (P p = first; p < after; p++) {
            const P begin = b_offsets[a_columns[p]], q = begin < last ? begin : last;
            columns[found] = b_columns[q];
            values[found] = alpha * a_values[p] * b_values[q];
            begins[p - first] = found;
            found += b_offsets[a_columns[p] + 1] - begin;
        }
        begins[after - first] = found;
        for (int64_t j = i; j < end; j++)
            offsets[j + 1] = begins[a_offsets[j + 1] - first];
    }
    w->found = (int64_t)found;
    w->most = 1;
}
