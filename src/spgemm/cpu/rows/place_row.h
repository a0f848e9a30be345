/* SPDX-License-Identifier: Apache-2.0 */
/* place_row.h: adds up a row of C whose columns are few, in the order in which they are met. A
 * template, after sum_row.h; order_row.h sorts the row.
 *
 * A column that a row meets first is placed behind those before; the array of positions says where,
 * and since positions only grow, also whether it was in this row. So there is no accumulator to be
 * taken out of and cleared, and no branch; or one, which spares stores, where processors foresee
 * it, as on grids (foresight.h). Products are rounded before they are added, as those of rows that
 * are sorted at once (sum_row.h): all ways give the same sums.
 * Source: J. Gilbert, C. Moler, R. Schreiber, 1992. Differs: positions that grow. */
#include "spgemm/cpu/rows/foresight.h"

/* How new columns are told from others. LEARN: as SELECT, and how a BRANCH would do is observed. */
typedef enum FN(telling) { FN(SELECT), FN(LEARN), FN(BRANCH) } FN(telling);

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
    FN(telling) telling;
    spl__foresight *foresight; /* to LEARN */
    T *copy;                   /* room for values and positions of a row: scan_row.h */
    uint32_t *at;
} FN(places);

/* Where a row goes. */
typedef struct FN(entries) {
    I *columns;
    T *values;
} FN(entries);

/* Adds a term to a row; returns the next position. */
static inline __attribute__((always_inline)) uint32_t
FN(place_term)(const FN(places) *row, uint32_t first, uint32_t next, I column, ACC term,
               FN(entries) to, FN(telling) telling)
{
    uint32_t *restrict positions = row->positions;
    I *restrict to_columns = to.columns;
    T *restrict to_values = to.values;
    const uint32_t before = positions[column];
    const bool is_new = before < first;
    if (telling == FN(BRANCH) && !is_new) {
        to_values[before - first] += FN(rounded)(term);
        return next;
    }
    const uint32_t at = telling == FN(BRANCH) || is_new ? next : before;
    positions[column] = at;
    to_columns[at - first] = column;
    to_values[at - first] += FN(rounded)(term);
    if (telling == FN(LEARN))
        spl__foresight_ask(row->foresight, is_new);
    return next + is_new;
}

/* Adds terms to a row, whose values are zero where it has no entries yet. */
static inline __attribute__((always_inline)) uint32_t
FN(place_terms)(const FN(places) *row, uint32_t next, const I *restrict columns,
                const T *restrict values, int64_t count, ACC scale, FN(entries) to,
                FN(telling) telling)
{
    const uint32_t first = row->first;
    for (int64_t k = 0; k < count; k++)
        next = FN(place_term)(row, first, next, columns[k], scale * values[k], to, telling);
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
FN(place_terms_of)(FN(places) *row, const spl_sparse *a, const spl_sparse *b, int64_t i, ACC alpha,
                   FN(entries) to, bool ahead, FN(telling) telling)
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
                               alpha * a_values[p], to, telling);
    }
    row->next = next;
    return (int64_t)(next - row->first);
}

static SPL__APART int64_t FN(select_row)(FN(places) *row, const spl_sparse *a, const spl_sparse *b,
                                         int64_t i, T alpha, FN(entries) to)
{
    return FN(place_terms_of)(row, a, b, i, (ACC)alpha, to, false, FN(SELECT));
}

static SPL__APART int64_t FN(select_row_ahead)(FN(places) *row, const spl_sparse *a,
                                               const spl_sparse *b, int64_t i, T alpha,
                                               FN(entries) to)
{
    return FN(place_terms_of)(row, a, b, i, (ACC)alpha, to, true, FN(SELECT));
}

static SPL__APART int64_t FN(branch_row)(FN(places) *row, const spl_sparse *a, const spl_sparse *b,
                                         int64_t i, T alpha, FN(entries) to, bool ahead)
{
    return ahead ? FN(place_terms_of)(row, a, b, i, (ACC)alpha, to, true, FN(BRANCH))
                 : FN(place_terms_of)(row, a, b, i, (ACC)alpha, to, false, FN(BRANCH));
}

static SPL__APART int64_t FN(learn_row)(FN(places) *row, const spl_sparse *a, const spl_sparse *b,
                                        int64_t i, T alpha, FN(entries) to)
{
    return FN(place_terms_of)(row, a, b, i, (ACC)alpha, to, true, FN(LEARN));
}

static inline int64_t FN(place_row)(FN(places) *row, const spl_sparse *a, const spl_sparse *b,
                                    int64_t i, T alpha, FN(entries) to, bool ahead)
{
    if (row->telling == FN(SELECT))
        return ahead ? FN(select_row_ahead)(row, a, b, i, alpha, to)
                     : FN(select_row)(row, a, b, i, alpha, to);
    return row->telling == FN(BRANCH) ? FN(branch_row)(row, a, b, i, alpha, to, ahead)
                                      : FN(learn_row)(row, a, b, i, alpha, to);
}

/* The same where rows of B have one entry at most, as in plain aggregation; `whole`: exactly one,
 * whose place is known without offsets. */
static inline __attribute__((always_inline)) int64_t
FN(place_singles_of)(FN(places) *row, const spl_sparse *a, const spl_sparse *b, int64_t i,
                     ACC alpha, FN(entries) to, bool whole, FN(telling) telling)
{
    const P *a_offsets = a->offsets, *b_offsets = b->offsets, end = a_offsets[i + 1];
    const I *a_columns = a->indices, *b_columns = b->indices;
    const T *a_values = a->values, *b_values = b->values;
    const uint32_t first = row->next;
    uint32_t next = first;
    for (P p = a_offsets[i]; p < end; p++) {
        const P q = whole ? (P)a_columns[p] : b_offsets[a_columns[p]];
        if (!whole && q == b_offsets[a_columns[p] + 1])
            continue;
        next = FN(place_term)(row, first, next, b_columns[q], alpha * a_values[p] * b_values[q], to,
                              telling);
    }
    row->first = first;
    row->next = first + (uint32_t)(end - a_offsets[i]); /* known before the row's last column is */
    return (int64_t)(next - first);
}

static SPL__APART int64_t FN(select_singles)(FN(places) *row, const spl_sparse *a,
                                             const spl_sparse *b, int64_t i, T alpha,
                                             FN(entries) to)
{
    return b->nnz == b->rows
               ? FN(place_singles_of)(row, a, b, i, (ACC)alpha, to, true, FN(SELECT))
               : FN(place_singles_of)(row, a, b, i, (ACC)alpha, to, false, FN(SELECT));
}

static SPL__APART int64_t FN(place_singles)(FN(places) *row, const spl_sparse *a,
                                            const spl_sparse *b, int64_t i, T alpha, FN(entries) to)
{
    if (row->telling == FN(SELECT))
        return FN(select_singles)(row, a, b, i, alpha, to);
    if (row->telling == FN(LEARN))
        return FN(place_singles_of)(row, a, b, i, (ACC)alpha, to, false, FN(LEARN));
    return b->nnz == b->rows
               ? FN(place_singles_of)(row, a, b, i, (ACC)alpha, to, true, FN(BRANCH))
               : FN(place_singles_of)(row, a, b, i, (ACC)alpha, to, false, FN(BRANCH));
}
