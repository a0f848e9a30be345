/* SPDX-License-Identifier: Apache-2.0 */
/* device_holed_blocks.h: whether A of an SpMV on a device consists of holed blocks with few
 * holes. */
#ifndef SPL_SPMV_GPU_DEVICE_HOLED_BLOCKS_H
#define SPL_SPMV_GPU_DEVICE_HOLED_BLOCKS_H

#include "plan/plan.h"

/* Sets holed_block_size and block_fill_a, from a sample of A's rows of blocks; both are 1 where
 * blocks do not pay: for identical rows, a single execution, small matrices. block_size and
 * repeated_sampled must be known. Waits once if it samples, twice if A came from the host. */
spl_status spl__spmv_find_device_blocks(spl_plan *plan);

#endif
