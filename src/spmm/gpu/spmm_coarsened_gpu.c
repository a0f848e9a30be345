/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/coarsened: C = alpha*A*B + beta*C, one warp per row and tile of columns, several
 * columns per lane.
 *
 * Lane l has the columns l, l + LANES, l + 2*LANES, ..., so that the warp reads rows of B
 * coalesced; entries of A are broadcast by shuffles, and read once for two or four times as many
 * columns.
 *
 * Cost: A once per tile of C*LANES columns, nnz*K elements of B gathered, C once. Memory: none.
 * Source: S4's warp per row with coarsening (optimisation C). S4 takes C = 2, and 4 on its graphs
 * with the shortest rows. Differs: entries in registers instead of shared memory; any storage of B
 * and C, any number of columns, beta. */
#include "spmm/gpu/device_teams.h"

/* S4's youtube, wikikg2 and am have 5 to 7 entries a row, its other graphs 11 and more. */
static spl__spmm_shape choose(const spl__task *task)
{
    static const double short_rows = 8;
    int32_t lanes = task->plan->problem.queue.device->properties.lanes;
    return (spl__spmm_shape){.run = 1,
                             .runs = task->plan->features.mean_row_a < short_rows ? 4 : 2,
                             .across = lanes,
                             .team = lanes,
                             .cut = {.longest = INT64_MAX}};
}

const spl__method spl__spmm_compute_gpu_coarsened = {
    .summary = "a warp per row, each lane with two or four columns",
    .source = "S4, optimisation C",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &(const spl__teams_method){choose},
    .estimate = spl__device_teams_estimate,
    .prepare = spl__device_teams_prepare,
    .execute = spl__device_teams_execute,
    .explain = spl__device_teams_explain,
    .destroy = spl__device_teams_destroy,
};
