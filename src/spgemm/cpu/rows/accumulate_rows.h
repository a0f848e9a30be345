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

static inline int64_t FN(compute_row)(const FN(row) *row)
{
    int64_t count = FN(know_row)(row);
    if (count == 0)
        return 1;
    FN(accumulator) sums =
        FN(begin_row)(row->workspace, FN(columns_of)(row), count, FN(values_of)(row));
    FN(add_row)(row, &sums, false);
    FN(end_row)(&sums);
    return 1;
}
