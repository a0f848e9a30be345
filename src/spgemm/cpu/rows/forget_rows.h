/* SPDX-License-Identifier: Apache-2.0 */
/* forget_rows.h: what collect_rows.h needs of methods that remember no row. Part of their template.
 */

/* Rows that repeat others are computed anew. */
static inline int64_t FN(repeat_row)(const spl_sparse *a, const spl_sparse *b, T alpha, int64_t i,
                                     void *workspace, I *columns, T *values)
{
    (void)a, (void)b, (void)alpha, (void)i, (void)workspace, (void)columns, (void)values;
    return -1;
}

static inline void FN(remember_row)(const spl_sparse *a, const spl_sparse *b, int64_t i,
                                    void *workspace, const FN(accumulator) *sums, int64_t count)
{
    (void)a, (void)b, (void)i, (void)workspace, (void)sums, (void)count;
}
