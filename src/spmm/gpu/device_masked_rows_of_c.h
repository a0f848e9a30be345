/* SPDX-License-Identifier: Apache-2.0 */
/* device_masked_rows_of_c.h: SpMM of the rows that a mask names, for any plan on a device. */
#ifndef SPL_SPMM_GPU_DEVICE_MASKED_ROWS_OF_C_H
#define SPL_SPMM_GPU_DEVICE_MASKED_ROWS_OF_C_H

#include "plan/plan.h"

/* The rows of C that call->rows names, over the plan's semiring, with call->winners if asked for.
 * Allocates nothing. */
spl_status spl__spmm_device_masked_rows(spl_plan *plan, const spl__call *call);

#endif
