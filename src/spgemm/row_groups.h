/* SPDX-License-Identifier: Apache-2.0 */
/* row_groups.h: groups the rows of C by work, so that each group can have its own method. */
#ifndef SPL_SPGEMM_ROW_GROUPS_H
#define SPL_SPGEMM_ROW_GROUPS_H

#include "spgemm/product.h"

/* Appends the steps of the numeric phase: one row set per run of neighbouring groups for which the
 * policy chooses the same method. */
spl_status spl__plan_row_groups(spl_plan *plan);

#endif
