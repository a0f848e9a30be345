/* SPDX-License-Identifier: Apache-2.0 */
/* accumulate_rows.h: rows of C by adding products to known columns. A template: T, ACC, I, P, FN
 * come from core/each_type.h, and the includer, a numeric method, has defined how one row is
 * accumulated:
 *
 *   FN(accumulator)                                    what a row needs
 *   FN(begin_row)(workspace, columns, count, values)   -> accumulator with a zero for each of the
 * row's known columns FN(add_scaled)(accumulator, columns, values, count, scale)  adds scale *
 * values[k] to columns[k], all of them known FN(end_row)(accumulator)                           the
 * sums are in `values` afterwards, in the order of `columns`
 */
#include "spgemm/cpu/rows/numeric_rows.h"

#include "spgemm/cpu/rows/add_row.h"
#include "spgemm/cpu/rows/know_row.h"

/* Writes the row, which has `count` columns, if it is a row of B, scaled: A's row has one entry,
 * and there is no D. A sum of one term needs no accumulator: a product with a diagonal takes .75 of
 * the time. False if it is not, or if B's columns come in another order than C's. */
static inline bool FN(scale_row)(const FN(row) *row, int64_t count)
{
    const spl__problem *p = row->problem;
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *inner = p->a.csr.indices;
    const P q = a_offsets[row->i], last = a_offsets[p->rows] - 1;
    const T alpha = *(const T *)row->call->alpha;
    if (a_offsets[row->i + 1] - q != 1 || p->has_d || alpha == 0 ||
        b_offsets[inner[q] + 1] - b_offsets[inner[q]] != count)
        return false;
    FN(send_for_row)(&p->b.csr, inner[q < last - SPL__AHEAD ? q + SPL__AHEAD : last]);
    const ACC scale = SPL__TIMES((ACC)alpha, ((const T *)p->a.csr.values)[q]);
    const T *restrict from = (const T *)p->b.csr.values + b_offsets[inner[q]];
    const I *restrict columns = (const I *)p->b.csr.indices + b_offsets[inner[q]];
    const I *restrict known = FN(columns_of)(row);
    T *restrict values = FN(values_of)(row);
    I differ = 0;
    for (int64_t k = 0; k < count; k++) {
        values[k] = SPL__TIMES(scale, from[k]);
        differ |= columns[k] ^ known[k];
    }
    return differ == 0;
}

static inline bool FN(has_singles)(const FN(row) *row)
{
    const spl__problem *p = row->problem;
    return row->product->single_b && p->b.csr.nnz == p->b.csr.rows && !p->has_d;
}

static inline int64_t FN(compute_row)(const FN(row) *row)
{
    int64_t count = FN(know_row)(row);
    if (count == 0 || FN(scale_row)(row, count))
        return 1;
    FN(accumulator) sums =
        FN(begin_row)(row->workspace, FN(columns_of)(row), count, FN(values_of)(row));
    if (FN(has_singles)(row))
        FN(add_singles)(row, &sums);
    else
        FN(add_row)(row, &sums, false);
    FN(end_row)(&sums);
    return 1;
}
