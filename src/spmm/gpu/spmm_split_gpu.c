/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/split: C = alpha*A*B + beta*C, one warp per piece of a row and tile of columns.
 *
 * Rows with more than SPLIT_SIZE entries are cut into pieces of that length, to balance the load of
 * warps. Pieces store their sums to memory, a second kernel adds them.
 *
 * Cost: as coarsened, and K sums per piece written and read. Memory: 16 bytes a task, K sums a
 * piece. Source: S4's SPLIT_SIZE (ptr_scheduled, target), with 128 entries as S4 found best, and
 * C = 2 from 64 columns on. Differs: pieces are added in order, not by atomic additions, and C
 * need not be zeroed before. */
#include "spmm/gpu/device_teams.h"

static spl__spmm_shape choose(const spl__task *task)
{
    enum { SPLIT_SIZE = 128 };
    int32_t lanes = task->plan->problem.queue.device->properties.lanes;
    return (spl__spmm_shape){
        .run = 1, .runs = 2, .across = lanes, .team = lanes, .cut = {.longest = SPLIT_SIZE}};
}

const spl__method spl__spmm_compute_gpu_split = {
    .summary = "a warp per piece of a row",
    .source = "S4, SPLIT_SIZE",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &(const spl__teams_method){choose},
    .estimate = spl__device_teams_estimate,
    .prepare = spl__device_teams_prepare,
    .execute = spl__device_teams_execute,
    .explain = spl__device_teams_explain,
    .destroy = spl__device_teams_destroy,
};
