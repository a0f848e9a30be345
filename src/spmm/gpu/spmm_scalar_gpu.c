/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/scalar: C = alpha*A*B + beta*C, one thread per row and tile of columns.
 *
 * The thread walks its row alone, with two loads of 16 bytes per entry. Neighbouring threads read
 * distant entries, and the longest row of a warp determines its time: S4's baseline.
 *
 * Cost: A once per tile, one sector of memory per entry; nnz*K elements of B gathered, C once.
 * Memory: none. Source: S4's reference. Differs: the thread's columns are a tile, so that sums stay
 * in registers; any storage of B and C, beta. */
#include "spmm/gpu/device_teams.h"

static spl__spmm_shape choose(const spl__task *task)
{
    (void)task;
    return (spl__spmm_shape){
        .run = 16, .runs = 2, .across = 1, .team = 1, .cut = {.longest = INT64_MAX}};
}

const spl__method spl__spmm_compute_gpu_scalar = {
    .summary = "a thread per row",
    .source = "S4, reference",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .parameters = &(const spl__teams_method){choose},
    .estimate = spl__device_teams_estimate,
    .prepare = spl__device_teams_prepare,
    .execute = spl__device_teams_execute,
    .explain = spl__device_teams_explain,
    .destroy = spl__device_teams_destroy,
};
