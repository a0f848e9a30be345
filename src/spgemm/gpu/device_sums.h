/* SPDX-License-Identifier: Apache-2.0 */
/* device_sums.h: rows of C on a device whose values are summed while their columns are found, which
 * reads their products once (spgemm_summed_rows.h): of one-shot products of which a sample of rows
 * says that they have few columns. Where rows are not summed a sample still tells how many entries
 * C may have, from which the numeric method is chosen whose bins are made early. */
#ifndef SPL_SPGEMM_GPU_DEVICE_SUMS_H
#define SPL_SPGEMM_GPU_DEVICE_SUMS_H

#include "spgemm/gpu/device_product.h"
#include "spgemm/kernels/find/spgemm_sample.k.h"

/* Decides whether rows are sampled: not where they cannot be summed: with masks, semirings, D, a
 * factor, a budget, values that are copied, a method or the same bits asked for; or where there are
 * few rows. Then it may be taken beside early bins, which do not read it. Either needs the work. */
bool spl__device_sums_decide(spl_plan *plan);
/* Enqueues the sample, unless it is taken beside the bins, or not at all. */
spl_status spl__device_sums_sample(spl_plan *plan);
/* What the kernel that takes a sample beside bins has to know. */
struct spgemm_sample_columns_args spl__device_sample_beside(const spl_plan *plan);
/* Allocates sums for `room` columns; none if that is too much memory, or none was sampled. */
spl_status spl__device_sums_make(spl_plan *plan, int64_t room);
/* What kernels know of them; all NULL: there are none. */
struct spgemm_sums spl__device_sums(const spl_plan *plan);
void spl__device_sums_free(spl_plan *plan);

#endif
