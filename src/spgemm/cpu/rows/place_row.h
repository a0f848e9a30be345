/* SPDX-License-Identifier: Apache-2.0 */
/* place_row.h: adds up a row of C whose columns are few, in the order in which they are met. A
 * template, after sum_row.h; order_row.h sorts the row.
 *
 * A column that a row meets first is placed behind those before; the array of positions says where,
 * and since positions only grow, also whether it was in this row. So there is no accumulator to be
 * taken out of and cleared, and no branch. Products are rounded before they are added, as those of
 * rows that are sorted at once (sum_row.h): both ways give the same sums.
 * Source: J. Gilbert, C. Moler, R. Schreiber, 1992. Differs: positions that grow. */

/* Keeps a compiler from fusing the product with an addition. */
static inline ACC FN(rounded)(ACC term)
{
#if defined(__x86_64__)
    __asm__("" : "+x"(term));
#endif
    return term;
}

/* The array of positions, and of the row that grows its first position and the next one. Passed by
 * reference: a copy on the stack is stored in parts and loaded as a whole, which stalls. */
typedef struct FN(places) {
    uint32_t *positions, first, next;
} FN(places);

/* Adds terms to a row, whose values are zero where it has no entries yet. */
static inline uint32_t FN(place_terms)(const FN(places) *row, uint32_t next,
                                       const I *restrict columns, const T *restrict values,
                                       int64_t count, ACC scale, I *restrict to_columns,
                                       T *restrict to_values)
{
    uint32_t *restrict positions = row->positions;
    const uint32_t first = row->first;
    for (int64_t k = 0; k < count; k++) {
        const I column = columns[k];
        const uint32_t before = positions[column];
        const bool is_new = before < first;
        const uint32_t at = is_new ? next : before;
        positions[column] = at;
        to_columns[at - first] = column;
        to_values[at - first] += FN(rounded)(scale * values[k]);
        next += is_new;
    }
    return next;
}

/* Sends for the first lines of the row of B of entry p of A. */
static inline void FN(send_for_terms)(const spl_sparse *a, const spl_sparse *b, P p)
{
    const P begin = ((const P *)b->offsets)[((const I *)a->indices)[p < a->nnz ? p : a->nnz - 1]];
    const char *columns = (const char *)((const I *)b->indices + begin),
               *values = (const char *)((const T *)b->values + begin);
    __builtin_prefetch(columns);
    __builtin_prefetch(columns + SPL__LINE);
    __builtin_prefetch(values);
    __builtin_prefetch(values + SPL__LINE);
}

/* Places row i of alpha*A*B behind those before; returns its length. `ahead`: rows of B come in an
 * order that processors do not foresee. */
static inline __attribute__((always_inline)) int64_t
FN(place_terms_of)(FN(places) *row, const spl_sparse *a, const spl_sparse *b, int64_t i, T alpha,
                   I *columns, T *values, bool ahead)
{
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const I *a_columns = a->indices, *b_columns = b->indices;
    const T *a_values = a->values, *b_values = b->values;
    uint32_t next = row->first = row->next;
    for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++) {
        if (ahead)
            FN(send_for_terms)(a, b, p + SPL__AHEAD);
        const P begin = b_offsets[a_columns[p]], end = b_offsets[a_columns[p] + 1];
        next = FN(place_terms)(row, next, b_columns + begin, b_values + begin, end - begin,
                               (ACC)alpha * a_values[p], columns, values);
    }
    row->next = next;
    return (int64_t)(next - row->first);
}

static SPL__APART int64_t FN(place_row)(FN(places) *row, const spl_sparse *a, const spl_sparse *b,
                                        int64_t i, T alpha, I *columns, T *values)
{
    return FN(place_terms_of)(row, a, b, i, alpha, columns, values, false);
}

static SPL__APART int64_t FN(place_row_ahead)(FN(places) *row, const spl_sparse *a,
                                              const spl_sparse *b, int64_t i, T alpha, I *columns,
                                              T *values)
{
    return FN(place_terms_of)(row, a, b, i, alpha, columns, values, true);
}

/* The same where rows of B have one entry at most, as in plain aggregation; `whole`: exactly one,
 * whose place is known without offsets. */
static inline __attribute__((always_inline)) int64_t
FN(place_singles_of)(FN(places) *row, const spl_sparse *a, const spl_sparse *b, int64_t i, T alpha,
                     I *restrict columns, T *restrict values, bool whole)
{
    const P *a_offsets = a->offsets, *b_offsets = b->offsets, end = a_offsets[i + 1];
    const I *a_columns = a->indices, *b_columns = b->indices;
    const T *a_values = a->values, *b_values = b->values;
    uint32_t *restrict positions = row->positions;
    const uint32_t first = row->next;
    uint32_t next = first;
    for (P p = a_offsets[i]; p < end; p++) {
        const P q = whole ? (P)a_columns[p] : b_offsets[a_columns[p]];
        if (!whole && q == b_offsets[a_columns[p] + 1])
            continue;
        const I column = b_columns[q];
        const uint32_t before = positions[column];
        const bool is_new = before < first;
        const uint32_t at = is_new ? next : before;
        positions[column] = at;
        columns[at - first] = column;
        values[at - first] += FN(rounded)((ACC)alpha * a_values[p] * b_values[q]);
        next += is_new;
    }
    row->first = first;
    row->next = first + (uint32_t)(end - a_offsets[i]); /* known before the row's last column is */
    return (int64_t)(next - first);
}

static SPL__APART int64_t FN(place_singles)(FN(places) *row, const spl_sparse *a,
                                            const spl_sparse *b, int64_t i, T alpha, I *columns,
                                            T *values)
{
    return b->nnz == b->rows ? FN(place_singles_of)(row, a, b, i, alpha, columns, values, true)
                             : FN(place_singles_of)(row, a, b, i, alpha, columns, values, false);
}
