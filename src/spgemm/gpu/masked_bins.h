/* SPDX-License-Identifier: Apache-2.0 */
/* masked_bins.h: rows of known positions, by what their teams need, and the launch of a kernel that
 * meets products with them. */
#ifndef SPL_SPGEMM_GPU_MASKED_BINS_H
#define SPL_SPGEMM_GPU_MASKED_BINS_H

#include "plan/plan.h"
#include "spgemm/kernels/masks/spgemm_masks.k.h"

typedef struct spl__masked_bins {
    int64_t first[SPGEMM_MASKED_BINS + 1]; /* in the list */
    spl__device_array list;                /* uint32_t: rows that have positions */
} spl__masked_bins;

/* Bins the rows by the offsets of their positions and by their work, which is counted. Waits once.
 * spl__masked_bins_free must follow, also after failure. */
spl_status spl__masked_bins_make(spl_plan *plan, const int64_t *offsets, spl__masked_bins *bins);
void spl__masked_bins_free(spl_plan *plan, spl__masked_bins *bins);
/* Launches the kernel for each bin; what the arguments say of rows and teams is filled in. */
spl_status spl__masked_bins_launch(spl_plan *plan, const spl__masked_bins *bins,
                                   const spl__kernel *kernel, struct spgemm_masked *args);
void spl__masked_bins_explain(const spl__masked_bins *bins, spl__text *text);

#endif
