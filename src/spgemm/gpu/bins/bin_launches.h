/* SPDX-License-Identifier: Apache-2.0 */
/* bin_launches.h: the launch that assigns rows to bins, and does what else can be done with it. */
#ifndef SPL_SPGEMM_GPU_BINS_BIN_LAUNCHES_H
#define SPL_SPGEMM_GPU_BINS_BIN_LAUNCHES_H

#include "spgemm/gpu/bins/early_bins.h"
#include "spgemm/kernels/bins/spgemm_rows.k.h"

/* What comes just before the bins, and is done by the same launch if there are any: a launch costs
 * the host 3 to 5 us (H200). */
struct spl__bins_along {
    const struct spgemm_count_work_args *work; /* the work that they read is counted; NULL: it is */
    int64_t sampled;                           /* rows are sampled while work is counted; 0: none */
    int64_t *lengths;                          /* of C's rows, which become offsets; NULL: no */
    int64_t *total;                            /* of the lengths, on the device */
};

/* Launches the bins. along: may be NULL. */
spl_status spl__bins_launch(spl_plan *plan, const struct spgemm_bin_rows_args *bins,
                            const spl__bins_along *along);
/* Counts work, without bins. */
spl_status spl__bins_launch_work(spl_plan *plan, const struct spgemm_count_work_args *work);
/* Begins early bins (early_bins.h). along: NULL, or what is launched in any case. */
spl_status spl__bins_begin(spl_plan *plan, spl__phase phase, const void *notes,
                           struct spgemm_bin_sums *sums, const spl__bins_along *along);
/* Fetches the notes up to the sums, and these if early bins were enqueued; sums: in `to`. Their
 * rows are listed while the host waits. */
spl_status spl__bins_fetch(spl_plan *plan, void *to, const struct spgemm_bin_sums *sums);
/* Lists all rows, bin by bin, whose sums are complete on the device. */
spl_status spl__bins_list_rows(spl_plan *plan, const spl__device_array *bin_of,
                               struct spgemm_bin_sums *sums, const spl__device_array *list);

#endif
