/* SPDX-License-Identifier: Apache-2.0 */
/* collect_rows.h: rows of C by methods that find columns and values at once. A template: T, ACC, I, P, FN come from core/each_type.h, and
 * the includer, a numeric method, has defined
 *
 *   FN(accumulator)                                              what a row needs
 *   FN(begin_row)(workspace)                                     -> an empty accumulator
 *   FN(add_scaled)(accumulator, columns, values, count, scale)   adds scale * values[k] to columns[k], zeros if values is NULL
 *   FN(end_row)(accumulator, columns, values)                    writes both in ascending order (columns only unless NULL); returns their
 *                                                                number
 */
#include "spgemm/numeric_rows.h"

#include "spgemm/add_row.h"

static inline int64_t FN(compute_row)(const FN(row) * row)
{
    spl__product *c = row->product;
    FN(accumulator) sums = FN(begin_row)(row->workspace);
    FN(add_row)(row, &sums, true);
    int64_t count = FN(end_row)(&sums, c->known ? NULL : FN(columns_of)(row), FN(values_of)(row));
    if (!c->known)
        c->lengths[row->i] = count;
    return 1;
}
