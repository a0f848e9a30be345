/* SPDX-License-Identifier: Apache-2.0 */
/* device_parts.h: long rows of a matrix that leaves most of the device idle, in parts for a block
 * each (spmm_block_parts.h): all of the product is one launch, and no row outlasts it. */
#ifndef SPL_SPMM_GPU_DEVICE_PARTS_H
#define SPL_SPMM_GPU_DEVICE_PARTS_H

#include "plan/plan.h"
#include "spmm/kernels/spmm_rows.k.h"

typedef struct spl__spmm_parts {
    int64_t count;
    spl__device_array list;    /* struct spmm_part[count], with room for more */
    spl__device_array partial; /* sums: [count*columns]; empty: no row has several parts */
    spl__device_array arrived; /* int32_t[count*tiles] */
} spl__spmm_parts;

/* Lists rows of more than `limit` entries in parts of up to `longest`. `tiles`: the most tiles of
 * columns of an execution. spl__spmm_parts_free must follow, also after failure. */
spl_status spl__spmm_parts_make(spl_plan *plan, int64_t limit, int64_t longest, int64_t tiles,
                                spl__spmm_parts *parts);
void spl__spmm_parts_free(spl_plan *plan, spl__spmm_parts *parts);

#endif
