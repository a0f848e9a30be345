/* SPDX-License-Identifier: Apache-2.0 */
/* device_sums.h: rows of C on a device whose values are summed while their columns are found, which
 * reads their products once (spgemm_summed_rows.h): of one-shot products of which a sample of rows
 * says that they have few columns. Where rows are not summed a sample still tells how many entries
 * C may have, from which the numeric method is chosen whose bins are made early. */
#ifndef SPL_SPGEMM_GPU_DEVICE_SUMS_H
#define SPL_SPGEMM_GPU_DEVICE_SUMS_H

#include "spgemm/gpu/device_product.h"
#include "spgemm/kernels/find/spgemm_sample.k.h"

/* Decides how many rows are sampled while work is counted. Bins do not read the sample where rows
 * cannot be summed: with masks, semirings, D, a factor, a budget, values that are copied, a method
 * or the same bits asked for; or where there are few rows. */
int64_t spl__device_sums_decide(spl_plan *plan);
/* What the kernel that takes the sample has to know, but its rows. */
struct spgemm_sample_columns_args spl__device_sample_of(const spl_plan *plan);
/* Allocates sums for `room` columns; none if that is too much memory, or none was sampled. */
spl_status spl__device_sums_make(spl_plan *plan, int64_t room);
/* What kernels know of them; all NULL: there are none. */
struct spgemm_sums spl__device_sums(const spl_plan *plan);
void spl__device_sums_free(spl_plan *plan);

#endif
