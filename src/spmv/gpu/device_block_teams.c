/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/gpu/device_block_teams.h"

#include "core/checked.h"
#include "core/types.h"

#include <math.h>

spl_status spl__block_teams_kernel(spl__queue *queue, const spl_sparse *a, const char *name,
                                   int32_t size, const spl__kernel **kernel)
{
    char instance[32];
    spl__text text = spl__text_begin(instance, sizeof instance);
    spl__text_add(&text, name, (int)size);
    return spl__queue_kernel(queue, instance, a->type, a->offset_type, kernel);
}

int64_t spl__block_teams_longest(const spl__features *f)
{
    enum { LEAST = 512, MEANS = 4 };
    double limit = MEANS * f->mean_row_a;
    return limit < LEAST ? LEAST : limit > INT32_MAX / 16 ? INT32_MAX / 16 : (int64_t)limit;
}

/* H100, us, f64: protein and cantilever, whose values fit L2: 18 and 19 bypassing L1, 12 and 17
 * through it; windtunnel and ship, whose values do not fit: 37 and 26, 45 and 31. */
bool spl__block_teams_once(const spl__queue *queue, const spl_sparse *a, double values)
{
    const double share = 0.8;
    return values * (double)spl__type_size(a->type) >
           share * (double)queue->device->properties.cache_bytes;
}

/* The number of values to keep in L2 between executions if not all fit: the space besides x and
 * y. Reading alone, H100, 50 MB, us, with all lines equal, and with 30 MB kept: 45 MB 19.9 and
 * 14.7, 100 MB 37 and 32, 250 MB 85 and 79; with 40 MB kept 17.6, 35, 81. SpMV: ship 26.2 and
 * 24.1, spheres 25.9 and 24.0, windtunnel 37.0 and 36.5. Methods that read both columns and
 * values are slower with it (doc/decisions/devices.md). */
static int64_t values_kept(const spl_plan *plan)
{
    const double share = 0.6;
    const spl__problem *p = &plan->problem;
    double value = (double)spl__type_size(p->a.csr.type),
           vectors = (double)(p->rows + p->inner) * value;
    return (int64_t)fmax(0, (share * (double)p->queue.device->properties.cache_bytes - vectors) /
                                value);
}

/* The number of thread blocks that run at once. */
static int64_t most_blocks(const spl__queue *queue, const spl__block_teams *teams)
{
    return (int64_t)queue->device->properties.units * SPMV_BLOCKS_RESIDENT(teams->most);
}

/* Lanes per team: a whole warp if a row has enough loads, because stretches of values then meet
 * at few unaligned positions; else few lanes with several loads each, but not so few that more than
 * half of the threads have no group. H100, us, f64: windtunnel (53 entries a row) 51, 41 and 37
 * with 8, 16 and 32 lanes; qcd (39) 9.6, 11.6 and 12.6; bcsstk17, small, 11.0, 9.2 and 7.7. */
static int32_t choose_width(const spl__queue *queue, double loads, const spl__block_teams *teams)
{
    enum { LOADS_PER_LANE = 5 };
    const double loads_per_warp_lane = 1.5;
    int32_t width = SPMV_BLOCKS_LEAST, lanes = queue->device->properties.lanes;
    if (loads >= loads_per_warp_lane * lanes)
        return lanes;
    while (width < lanes &&
           (LOADS_PER_LANE * width < loads ||
            2 * teams->groups * width < most_blocks(queue, teams) * SPMV_BLOCKS_THREADS))
        width *= 2;
    return width;
}

void spl__block_teams_shape(const spl_plan *plan, double loads, spl__block_teams *teams)
{
    teams->width = choose_width(&plan->problem.queue, loads, teams);
    teams->kept = values_kept(plan);
}

spl_status spl__block_teams_launch(spl_plan *plan, const spl__block_teams *teams,
                                   const spl__kernel *kernel, int64_t first,
                                   struct spmv_blocks_args *args)
{
    spl__queue *queue = &plan->problem.queue;
    int64_t per_block = SPMV_BLOCKS_THREADS / teams->width,
            wanted = (teams->groups + per_block - 1) / per_block;
    args->groups = teams->groups;
    args->width = teams->width;
    args->kept = teams->kept;
    return SPL__LAUNCH(queue, args, kernel, first + spl__min_i64(wanted, most_blocks(queue, teams)),
                       SPMV_BLOCKS_THREADS);
}
