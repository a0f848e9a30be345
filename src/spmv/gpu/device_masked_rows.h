/* SPDX-License-Identifier: Apache-2.0 */
/* device_masked_rows.h: SpMV of the rows that a mask names, for any plan on a device. */
#ifndef SPL_SPMV_GPU_DEVICE_MASKED_ROWS_H
#define SPL_SPMV_GPU_DEVICE_MASKED_ROWS_H

#include "plan/plan.h"

/* The rows of y that call->rows names, over the plan's semiring. Allocates nothing. */
spl_status spl__spmv_device_masked_rows(spl_plan *plan, const spl__call *call);

#endif
