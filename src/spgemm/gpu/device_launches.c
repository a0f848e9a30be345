/* SPDX-License-Identifier: Apache-2.0 */
/* device_launches.c: launches of the kernels for groups of rows.
 *
 * A launch takes the host 4 to 5 microseconds, and two events more where it has a branch of its
 * own; the rows of a small product are computed in less. So groups that the device holds at once,
 * all of them, are computed by one kernel, some blocks for each. Its blocks have the shared memory
 * of the group that needs most, and registers for all kinds of rows: larger groups are faster
 * apart. */
#include "spgemm/gpu/device_launches.h"

#include "core/checked.h"

static bool has_rows(const spl__device_groups *groups, int g)
{
    return groups->first[g] < groups->first[g + 1];
}

/* ---- joining ---- */

/* Teams that are wider than a warp are blocks, and all blocks have the same threads. Tables stay as
 * they were laid out: kernels take any number of threads for them. */
static int32_t team_among(const spl__team_launches *l, int g)
{
    int32_t team = l->group[g].layout.team;
    return team > SPGEMM_WARP ? l->threads : team;
}

/* Blocks that a group has among those of all that are joined. */
static int64_t blocks_among(const spl__team_launches *l, int g)
{
    int64_t teams = l->threads / team_among(l, g);
    return (l->group[g].teams + teams - 1) / teams;
}

/* Blocks that the device holds at once. */
static int64_t blocks_at_once(const spl_plan *plan, const spl__team_launches *l)
{
    enum { OWN = 4096 }; /* bytes of shared memory that a block has besides */
    const spl__device_properties *p = &plan->problem.queue.device->properties;
    int64_t by_threads = SPGEMM_SEVERAL_RESIDENT * SPGEMM_MOST_THREADS / l->threads;
    int64_t by_shared = (int64_t)p->unit_shared / (l->shared + OWN);
    return p->units * spl__min_i64(by_threads, by_shared);
}

/* Blocks for all that are joined. Returns the group that has most. */
static int lay_out(spl__team_launches *l)
{
    enum { LEAST_THREADS = 128 };
    int largest = 0;
    int64_t most = 0;
    l->threads = LEAST_THREADS;
    for (int g = 0; g < SPGEMM_MOST_GROUPS; g++)
        if (l->joined >> g & 1 && l->group[g].layout.team > l->threads)
            l->threads = l->group[g].layout.team;
    l->blocks = l->shared = 0;
    for (int g = 0; g < SPGEMM_MOST_GROUPS; g++) {
        if (!(l->joined >> g & 1))
            continue;
        int64_t blocks = blocks_among(l, g);
        l->blocks += blocks;
        l->shared =
            spl__max_i64(l->shared, l->group[g].team_bytes * (l->threads / team_among(l, g)));
        if (blocks > most) {
            most = blocks;
            largest = g;
        }
    }
    return largest;
}

/* Leaves out the largest groups, until the device holds the blocks of all others at once. */
static void leave_large_ones(const spl_plan *plan, spl__team_launches *l)
{
    /* times what the device holds: launches of others are on their way meanwhile */
    enum { LARGE = 4 };
    while (l->joined & (l->joined - 1)) {
        int largest = lay_out(l);
        int64_t at_once = blocks_at_once(plan, l);
        if (l->blocks <= at_once && l->shared <= spl__block_bytes(plan))
            return;
        if (blocks_among(l, largest) > LARGE * spl__max_i64(1, at_once))
            break;
        l->joined &= ~(1u << largest);
    }
    l->joined = 0; /* one alone is not joined */
}

spl_status spl__team_launches_join(const spl_plan *plan, const spl__device_groups *groups,
                                   const char *name, spl__team_launches *l)
{
    l->joined = 0;
    for (int g = 0; g < SPGEMM_MOST_GROUPS; g++)
        if (has_rows(groups, g) && l->group[g].joins)
            l->joined |= 1u << g;
    leave_large_ones(plan, l);
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
    const spl__team_launch *launch = &x->l->group[g];
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

/* The longest rows first, as their blocks begin first. */
static spl_status launch_joined(const launching *x)
{
    const spl__team_launches *l = x->l;
    struct spgemm_several *several = x->args->several;
    int64_t blocks = 0;
    several->groups = 0;
    for (int g = SPGEMM_MOST_GROUPS - 1; g >= 0; g--) {
        if (!(l->joined >> g & 1))
            continue;
        struct spgemm_teams *layout = &several->group[several->groups++];
        *layout = l->group[g].layout;
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

static spl_status launch(void *context, int g)
{
    const launching *x = context;
    return x->l->joined >> g & 1 ? launch_joined(x) : launch_own(x, g);
}

spl_status spl__team_launches_enqueue(spl_plan *plan, const spl__device_groups *groups,
                                      const spl__team_launches *l, const spl__team_args *args)
{
    return spl__device_groups_each(plan, groups, l->joined, launch, &(launching){plan, l, args});
}
