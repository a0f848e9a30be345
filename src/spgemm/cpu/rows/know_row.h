/* SPDX-License-Identifier: Apache-2.0 */
/* know_row.h: for numeric methods that need the columns of a row before they compute it. A
 * template, included after numeric_rows.h. */
#include "spgemm/cpu/rows/find_columns.h"

/* The number of columns of the row, which are found first if they are not known. */
static inline int64_t FN(know_row)(const FN(row) *row)
{
    spl__product *c = row->product;
    if (row->finder && !c->known)
        c->lengths[row->i] =
            FN(find_columns)(row->problem, c, row->finder, row->i, FN(columns_of)(row));
    return spl__row_length(c, row->i);
}
