/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_block_room.h: space in the stash for all rows of a block at once. All blocks wait for one
 * counter: with an addition for each of 100,000 rows of a band, finding its columns took 12 us more
 * of 166 on an H200. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_BLOCK_ROOM_H
#define SPL_SPGEMM_KERNELS_SPGEMM_BLOCK_ROOM_H

#include "device/sum_before.h"
#include "spgemm/kernels/find/spgemm_room.h"

/* The results of a block in shared memory: columns and terms of its rows, and the begin of their
 * space in the stash. */
typedef struct spgemm_found {
    uint32_t columns, work;
    uint32_t of_warps[SPGEMM_MOST_THREADS / LANES];
    int64_t start, kept;
} spgemm_found;

/* The destination of a team's results; -1: no space, or not requested. */
typedef struct spgemm_destination {
    int64_t columns, slots;
    /* columns and terms of the block's rows before this one */
    uint32_t columns_before, work_before;
} spgemm_destination;

/* The first warp turns the columns of warps into those before each, and reserves space for all. */
DEVICE void spgemm_take_room_of_block(const struct spgemm_find *f, spgemm_found *found)
{
    const uint32_t own = LANE < THREADS / LANES ? found->of_warps[LANE] : 0;
    uint32_t sum = own;
    SUM_LANES(uint32_t, sum);
    if (LANE < THREADS / LANES)
        found->of_warps[LANE] = sum - own;
    const uint32_t all = SHUFFLE(GROUP_MASK(LANES), sum, LANES - 1);
    if (LANE != 0)
        return;
    found->columns = all;
    found->start = spgemm_take_room(f, all);
    found->kept = found->work > 0 ? (int64_t)ATOMIC_ADD(f->work, (uint64_t)found->work) : 0;
}

/* Reserves space for all rows of a block at once, for columns in their order, and adds up their
 * work. The team is one part. */
DEVICE spgemm_destination spgemm_share_room(const struct spgemm_find *f, const spgemm_team *t,
                                            int count, uint32_t work, spgemm_found *found)
{
    const uint32_t own = SHUFFLE(t->mask, (uint32_t)count, t->base);
    uint32_t sum = own, work_before = 0;
    for (int d = t->width; d < LANES; d *= 2) {
        const uint32_t left = SHUFFLE_UP(GROUP_MASK(LANES), sum, d, LANES);
        sum += LANE >= d ? left : 0;
    }
    if (THREAD == 0)
        found->work = 0;
    SYNC();
    if (LANE == LANES - 1)
        found->of_warps[WARP] = sum;
    if (t->lane == 0)
        work_before = ATOMIC_ADD(&found->work, work);
    SYNC();
    if (WARP == 0)
        spgemm_take_room_of_block(f, found);
    SYNC();
    const uint32_t columns_before = found->of_warps[WARP] + sum - own;
    work_before = SHUFFLE(t->mask, work_before, t->base);
    spgemm_destination to;
    to.columns = found->start < 0 ? -1 : found->start + columns_before;
    to.slots = f->kept.slots ? found->kept + work_before : -1;
    to.columns_before = columns_before;
    to.work_before = work_before;
    return to;
}

DEVICE spgemm_destination spgemm_destination_of(const struct spgemm_find *f, const spgemm_team *t,
                                                bool has_row, int64_t row, int count, uint32_t work,
                                                spgemm_found *found)
{
    spgemm_destination to;
    if (!f->columns && !f->bounded)
        return spgemm_share_room(f, t, count, work, found);
    to.columns = has_row ? (f->columns ? f->offsets[row] : f->starts[row]) : -1;
    to.slots = -1;
    to.columns_before = to.work_before = 0;
    return to;
}

#endif
