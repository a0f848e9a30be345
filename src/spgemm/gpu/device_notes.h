/* SPDX-License-Identifier: Apache-2.0 */
/* device_notes.h: what kernels report to the host while a product is planned: one array on the
 * device, because each fill of zeros costs a small product 4 us (H200). */
#ifndef SPL_SPGEMM_GPU_DEVICE_NOTES_H
#define SPL_SPGEMM_GPU_DEVICE_NOTES_H

#include "plan/plan.h"
#include "spgemm/kernels/bins/spgemm_bins.k.h"
#include "spgemm/kernels/bins/spgemm_rows.k.h"

/* Of the count of work. Both structs end with the bins of the phase that comes next. */
struct spl__work_notes {
    struct spgemm_work sums;
    uint32_t disorder, unused;
    struct spgemm_sample sample;
    int32_t begun, sampled;      /* spgemm_count_and_sample_args */
    struct spgemm_bin_sums bins; /* of the symbolic phase */
};

/* Of the symbolic phase. */
struct spl__find_notes {
    uint64_t work, used;
    uint32_t missed, overflows;
    int64_t nnz, expanded;       /* expanded: of C itself, if its form counts it */
    struct spgemm_work sums;     /* of all rows, if they are counted along with the columns */
    struct spgemm_bin_sums bins; /* of the numeric phase */
};

struct spl__product_notes {
    struct spl__work_notes work;
    struct spl__find_notes find;
};

/* The plan's notes on the device, all zero whenever they are made. They are freed with the work of
 * rows. */
spl_status spl__work_notes_make(spl_plan *plan, struct spl__work_notes **notes);
spl_status spl__find_notes_make(spl_plan *plan, struct spl__find_notes **notes);
/* Those that have been made. */
struct spl__work_notes *spl__work_notes_of(const spl_plan *plan);
/* The sample that bins read; NULL: none was taken for them. */
struct spgemm_sample *spl__device_sample(const spl_plan *plan);
/* Where a sample is put. */
struct spgemm_sample *spl__device_sample_note(const spl_plan *plan);

#endif
