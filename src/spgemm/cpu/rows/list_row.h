/* SPDX-License-Identifier: Apache-2.0 */
/* list_row.h: adds up a row of C that has few columns for its products, as where unknowns are
 * aggregated. A template, after sum_row.h.
 *
 * Products are added in the dense accumulator of long rows. A column is listed when a row meets it
 * first, which its stamp tells without a branch; what is sorted is the list, not the products.
 * Source: J. Gilbert, C. Moler, R. Schreiber, 1992. Differs: stamps, and the sort. */

/* Columns that are listed: those that are sorted in registers. */
#ifdef __AVX512F__
enum { FN(MOST_LISTED) = SPL__MOST_KEYS };
#else
enum { FN(MOST_LISTED) = SPL__FEW_KEYS };
#endif

/* Writes the sums of listed columns, and clears them; `columns` may be NULL. */
static inline void FN(take_listed)(const uint32_t *restrict list, int64_t count,
                                   ACC *restrict dense, I *restrict columns, T *restrict values)
{
    for (int64_t k = 0; k < count; k++) {
        values[k] = dense[list[k]];
        dense[list[k]] = 0;
    }
    for (int64_t k = 0; columns && k < count; k++)
        columns[k] = (I)list[k];
}

/* What a row needs to list columns. */
typedef struct FN(listing) {
    uint32_t now, *stamps, *list;
    ACC *dense;
} FN(listing);

/* Adds terms behind so many columns that are listed; returns how many are listed then. */
static inline int64_t FN(list_terms)(FN(listing) to, const I *restrict columns,
                                     const T *restrict values, int64_t count, ACC scale,
                                     int64_t listed)
{
    uint32_t *restrict stamps = to.stamps, *restrict list = to.list;
    ACC *restrict dense = to.dense;
    for (int64_t k = 0; k < count; k++) {
        const I column = columns[k];
        const bool first = stamps[column] != to.now;
        stamps[column] = to.now;
        list[listed] = (uint32_t)column;
        listed += first;
        dense[column] += scale * values[k];
    }
    return listed;
}

/* A new stamp, and cleared arrays for a first row. */
static inline uint32_t FN(next_stamp)(int64_t cols, spl__sum_head *head)
{
    if (head->stamp++ > 0 && head->stamp > 0)
        return head->stamp;
    memset(head->stamps, 0, (size_t)cols * sizeof *head->stamps);
    return head->stamp = 1;
}

/* Row i of C = alpha*A*B; returns its length, or -1: more columns than can be listed. */
static inline int64_t FN(list_row)(const spl_sparse *a, const spl_sparse *b, int64_t i, T alpha,
                                   void *workspace, I *columns, T *values)
{
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const I *a_columns = a->indices, *b_columns = b->indices;
    const T *a_values = a->values, *b_values = b->values;
    spl__sum_head *head = workspace;
    const FN(accumulator) sums = FN(begin_sums)(b->cols, INT64_MAX, workspace);
    uint32_t *list = (uint32_t *)(head + 1);
    const FN(listing) to = {FN(next_stamp)(b->cols, head), head->stamps, list, sums.dense};
    int64_t listed = 0;
    for (P q = a_offsets[i]; q < a_offsets[i + 1]; q++) {
        const P begin = b_offsets[a_columns[q]], end = b_offsets[a_columns[q] + 1];
        if (end - begin > FN(MOST_LISTED) - listed) {
            FN(take_listed)(list, listed, sums.dense, NULL, sums.terms);
            return -1;
        }
        listed = FN(list_terms)(to, b_columns + begin, b_values + begin, end - begin,
                                (ACC)alpha * a_values[q], listed);
    }
    if (head->sorts)
        spl__sort_list(list, listed);
    FN(take_listed)(list, listed, sums.dense, columns, values);
    return listed;
}
