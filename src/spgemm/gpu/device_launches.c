/* SPDX-License-Identifier: Apache-2.0 */
/* device_launches.c: launches of the kernels for bins of rows.
 *
 * A launch costs the host 4 to 5 microseconds, and two more events if it has a branch of its
 * own; the rows of a small product take less to compute. So one kernel computes all bins that
 * fit the device at once, or in two waves if they have few products, with some blocks for each.
 * Its blocks have the shared memory of the most demanding bin and registers for all kinds of rows;
 * large bins are therefore faster in launches of their own. */
#include "spgemm/gpu/device_launches.h"

#include "core/checked.h"

static bool has_rows(const spl__row_bins *bins, int g)
{
    return bins->first[g] < bins->first[g + 1];
}

/* ---- joining ---- */

/* Teams wider than a warp are whole blocks, and all blocks have the same number of threads. The
 * layout of tables does not change: kernels accept any number of threads for them. */
static int32_t team_among(const spl__team_launches *l, int g)
{
    int32_t team = l->bin[g].layout.team;
    return team > SPGEMM_WARP ? l->threads : team;
}

/* The number of blocks that a bin gets in the joint launch. */
static int64_t blocks_among(const spl__team_launches *l, int g)
{
    int64_t teams = l->threads / team_among(l, g);
    return (l->bin[g].teams + teams - 1) / teams;
}

/* The number of blocks that run on the device at once. */
static int64_t blocks_at_once(const spl_plan *plan, const spl__team_launches *l)
{
    enum { OWN = 4096 }; /* bytes of shared memory that a block needs for itself */
    const spl__device_properties *p = &plan->problem.queue.device->properties;
    int64_t by_threads = SPGEMM_SEVERAL_RESIDENT * SPGEMM_MOST_THREADS / l->threads;
    int64_t by_shared = (int64_t)p->unit_shared / (l->shared + OWN);
    return p->units * spl__min_i64(by_threads, by_shared);
}

/* Computes the blocks of the joint launch. Returns the bin with most blocks. */
static int lay_out(spl__team_launches *l)
{
    enum { LEAST_THREADS = 128 };
    int largest = 0;
    int64_t most = 0;
    l->threads = LEAST_THREADS;
    for (int g = 0; g < SPGEMM_MOST_BINS; g++)
        if (l->joined >> g & 1 && l->bin[g].layout.team > l->threads)
            l->threads = l->bin[g].layout.team;
    l->blocks = l->shared = 0;
    for (int g = 0; g < SPGEMM_MOST_BINS; g++) {
        if (!(l->joined >> g & 1))
            continue;
        int64_t blocks = blocks_among(l, g);
        l->blocks += blocks;
        l->shared = spl__max_i64(l->shared, l->bin[g].team_bytes * (l->threads / team_among(l, g)));
        if (blocks > most) {
            most = blocks;
            largest = g;
        }
    }
    return largest;
}

/* How many times the blocks that run at once a joint launch may have: rows with so few products
 * take less than a second launch, with the four operations that order its branch, takes the host
 * (8 us, H200). */
static int64_t most_waves(const spl_plan *plan, const spl__row_bins *bins)
{
    enum { FEW_PRODUCTS = 1 << 15 }; /* of a multiprocessor */
    int64_t products = 0;
    for (int g = 0; g < SPGEMM_MOST_BINS; g++)
        products += bins->work[g];
    return products <= FEW_PRODUCTS * (int64_t)plan->problem.queue.device->properties.units ? 2 : 1;
}

/* Removes the largest bins until the blocks of all others fit the device at once, or nearly. */
static void leave_large_ones(const spl_plan *plan, int64_t waves, spl__team_launches *l)
{
    /* times the capacity of the device: other launches can be prepared meanwhile */
    enum { LARGE = 4 };
    while (l->joined & (l->joined - 1)) {
        int largest = lay_out(l);
        int64_t at_once = blocks_at_once(plan, l);
        if (l->blocks <= waves * at_once && l->shared <= spl__block_bytes(plan))
            return;
        if (blocks_among(l, largest) > LARGE * spl__max_i64(1, at_once))
            break;
        l->joined &= ~(1u << largest);
    }
    l->joined = 0; /* a single bin has nothing to join */
}

spl_status spl__team_launches_join(const spl_plan *plan, const spl__row_bins *bins,
                                   const char *name, spl__team_launches *l)
{
    l->joined = 0;
    for (int g = 0; g < SPGEMM_MOST_BINS; g++)
        if (has_rows(bins, g) && l->bin[g].joins)
            l->joined |= 1u << g;
    leave_large_ones(plan, most_waves(plan, bins), l);
    return l->joined ? spl__product_kernel(plan, name, &l->kernel) : SPL_OK;
}

/* ---- launching ---- */

typedef struct launching {
    spl_plan *plan;
    const spl__team_launches *l;
    const spl__team_args *args;
} launching;

static spl_status launch_own(const launching *x, int g)
{
    const spl__team_launch *launch = &x->l->bin[g];
    *x->args->layout = launch->layout;
    return spl__queue_launch(
        &x->plan->problem.queue,
        &(spl__launch){.kernel = x->args->instead ? x->args->instead : launch->kernel,
                       .blocks = launch->layout.blocks,
                       .threads = launch->threads,
                       .shared = (size_t)launch->shared,
                       .args = x->args->all},
        x->args->own_bytes);
}

/* Bins with the longest rows first, since blocks start in order. */
static spl_status launch_joined(const launching *x)
{
    const spl__team_launches *l = x->l;
    struct spgemm_several *several = x->args->several;
    int64_t blocks = 0;
    several->bins = 0;
    for (int g = SPGEMM_MOST_BINS - 1; g >= 0; g--) {
        if (!(l->joined >> g & 1))
            continue;
        struct spgemm_teams *layout = &several->bin[several->bins++];
        *layout = l->bin[g].layout;
        layout->team = team_among(l, g);
        layout->first_block = blocks;
        layout->blocks = blocks_among(l, g);
        blocks += layout->blocks;
    }
    return spl__queue_launch(&x->plan->problem.queue,
                             &(spl__launch){.kernel = l->kernel,
                                            .blocks = l->blocks,
                                            .threads = l->threads,
                                            .shared = (size_t)l->shared,
                                            .args = x->args->all},
                             x->args->bytes);
}

spl_status spl__team_launches_enqueue(spl_plan *plan, const spl__row_bins *bins,
                                      const spl__team_launches *l, const spl__team_args *args)
{
    const launching x = {plan, l, args};
    spl__bin_walk walk = spl__bin_walk_begin(plan, bins, l->joined);
    for (int g; (g = spl__bin_walk_next(&walk)) >= 0;)
        walk.status = l->joined >> g & 1 ? launch_joined(&x) : launch_own(&x, g);
    return spl__bin_walk_end(&walk);
}
