/* SPDX-License-Identifier: Apache-2.0 */
/* masked_rows.h: SpMV of the rows that a mask names, for any plan by rows on the CPU. */
#ifndef SPL_SPMV_MASKED_ROWS_H
#define SPL_SPMV_MASKED_ROWS_H

#include "plan/plan.h"

/* The rows of y that call->rows names, over the plan's semiring. Allocates nothing. */
spl_status spl__spmv_masked_rows(spl_plan *plan, const spl__call *call);

#endif
