/* SPDX-License-Identifier: Apache-2.0 */
/* meet_row.h: adds the products of a row where C has positions for their columns, and drops the
 * others. A template; the includer defines POSITION, the type of an element of `positions`.
 *
 * Whether a product has a position is hard to foresee where many have: then those of a row of B
 * that have are listed without a branch, and added from the list, which took .5 to .6 of the time
 * on R-MAT graphs. Where few have, or rows of B are short, branches are foreseen and a list costs a
 * tenth more. One row in some says what rows are like (meeting.h). POSITION is unsigned. */

/* Column j stands at positions[j] - 1 in the row, 0: nowhere. There values[k], and met[k] = 1
 * unless NULL, are written. */
typedef struct FN(meet) {
    const POSITION *positions;
    T *values;
    uint8_t *met;
    spl__meeting *seen;
} FN(meet);

/* Which of up to SPL__MEET_LISTED columns have a position, and where; returns how many. */
static SPL__APART int64_t FN(list_hits)(const FN(meet) *m, const I *columns, int64_t length,
                                        POSITION *restrict at, uint8_t *restrict which)
{
    const POSITION *const positions = m->positions;
    int64_t found = 0;
    for (int64_t s = 0; s < length; s++) {
        const POSITION k = positions[columns[s]];
        at[found] = k;
        which[found] = (uint8_t)s;
        found += k != 0;
    }
    return found;
}

/* Products of `a` with a row of B, by a list; returns how many have positions. */
static inline __attribute__((always_inline)) int64_t
FN(meet_listed)(const FN(meet) *m, T a, const I *columns, const T *values, int64_t length,
                int32_t semiring)
{
    POSITION at[SPL__MEET_LISTED];
    uint8_t which[SPL__MEET_LISTED];
    int64_t hits = 0;
    for (int64_t r = 0; r < length; r += SPL__MEET_LISTED) {
        const int64_t most = length - r < SPL__MEET_LISTED ? length - r : SPL__MEET_LISTED,
                      found = FN(list_hits)(m, columns + r, most, at, which);
        for (int64_t h = 0; h < found; h++) {
            const T b = spl__semiring_reads_b(semiring) ? values[r + which[h]] : 0;
            const size_t k = (size_t)at[h] - 1;
            if (m->met)
                m->met[k] = 1;
            SPL__SEMIRING_ADD(T, semiring, m->values[k], a, b);
        }
        hits += found;
    }
    return hits;
}

/* Products of row i of A with rows of B; alpha only for plus_times. Terms are added in the order
 * of entries, whichever way. */
static inline __attribute__((always_inline)) void FN(meet_row)(const FN(meet) *m,
                                                               const spl_sparse *of_a,
                                                               const spl_sparse *of_b, int64_t i,
                                                               T alpha, int32_t semiring)
{
    const P *a_offsets = of_a->offsets, *b_offsets = of_b->offsets;
    const I *a_columns = of_a->indices, *b_columns = of_b->indices;
    const T *a_values = of_a->values, *b_values = of_b->values;
    const bool reads_a = spl__semiring_reads_a(semiring), reads_b = spl__semiring_reads_b(semiring);
    const POSITION *const positions = m->positions;
    uint8_t *const met = m->met;
    T *const sums = m->values;
    const P begin = a_offsets[i], end = a_offsets[i + 1];
    const bool looks = spl__meet_looks(m->seen), lists = looks || m->seen->lists;
    int64_t products = 0, hits = 0;
    for (P q = begin; q < end; q++) {
        const T a = !reads_a                     ? 0
                    : semiring == SPL_PLUS_TIMES ? SPL__TIMES(alpha, a_values[q])
                                                 : a_values[q];
        P r = b_offsets[a_columns[q]];
        const P last = b_offsets[a_columns[q] + 1];
        if (lists && (looks || last - r >= SPL__MEET_SHORT)) {
            products += (int64_t)(last - r);
            hits += FN(meet_listed)(m, a, b_columns + r, reads_b ? b_values + r : NULL,
                                    (int64_t)(last - r), semiring);
            continue;
        }
        for (; r < last; r++) {
            const size_t k = positions[b_columns[r]];
            if (k == 0)
                continue;
            const T b = reads_b ? b_values[r] : 0;
            if (met)
                met[k - 1] = 1;
            SPL__SEMIRING_ADD(T, semiring, sums[k - 1], a, b);
        }
    }
    if (looks)
        spl__meet_note(m->seen, (int64_t)(end - begin), products, hits);
}
