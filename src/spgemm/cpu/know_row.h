/* SPDX-License-Identifier: Apache-2.0 */
/* know_row.h: for numeric methods that want the columns of a row before they compute it. A
 * template, included after numeric_rows.h. */
#include "spgemm/cpu/find_columns.h"

/* Number of columns of the row: finds them first if nobody has yet. */
static inline int64_t FN(know_row)(const FN(row) *row)
{
    spl__product *c = row->product;
    if (row->finder && !c->known)
        c->lengths[row->i] =
            FN(find_columns)(row->problem, c, row->finder, row->i, FN(columns_of)(row));
    return spl__row_length(c, row->i);
}
