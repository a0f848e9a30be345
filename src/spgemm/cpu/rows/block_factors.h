/* SPDX-License-Identifier: Apache-2.0 */
/* block_factors.h: what rows of blocks multiply, for block_tile.h. A template: T, ACC, I, P, FN
 * come from core/each_type.h. */

/* The factors of alpha*A*B, which rows of B repeat the one before, and the runs of the others. */
typedef struct FN(factors) {
    const spl_sparse *a, *b;
    const uint8_t *b_equals_previous;
    const spl__column_runs *runs;
    ACC alpha;
} FN(factors);

/* The number of leading columns of A, at most `most`, that select consecutive identical rows of
 * B. */
static inline int FN(rows_named)(const I *columns, const uint8_t *b_equals_previous, int64_t most)
{
    int count = 1;
    while (count < most && columns[count] == columns[0] + count &&
           b_equals_previous[columns[count]])
        count++;
    return count;
}
