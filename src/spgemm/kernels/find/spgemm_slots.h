/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_slots.h: columns in a hash table with one in each slot, and their order: they are moved to
 * the begin of the table, sorted in registers in runs of SPGEMM_RUN_KEYS per lane, and a column's
 * position among several runs is its own in its run plus the smaller ones of each other run.
 *
 * The team is one part of at most a warp. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SLOTS_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SLOTS_H

#include "spgemm/kernels/find/spgemm_runs.h"
#include "spgemm/kernels/find/spgemm_set.h"

DEVICE void spgemm_clear_slots(const spgemm_team *t, const spgemm_set *set)
{
    for (int32_t slot = t->rank; slot < (int32_t)set->slots; slot += t->size)
        set->keys[slot] = -1;
    spgemm_team_sync(t);
}

/* Moves the columns to the begin of the table, in any order. Returns their number. */
DEVICE int32_t spgemm_gather_columns(const spgemm_team *t, const spgemm_set *set)
{
    const lane_mask lower_lanes = ((lane_mask)1 << LANE) - 1;
    int32_t count = 0;
    for (int32_t start = 0; start < (int32_t)set->slots; start += t->size) {
        const int32_t slot = start + t->rank;
        const int32_t column = slot < (int32_t)set->slots ? set->keys[slot] : -1;
        const lane_mask found = BALLOT(t->mask, column != -1);
        const int32_t index = count + (int32_t)POPCOUNT(found & lower_lanes);
        SYNC_WARP(t->mask); /* writes stay within slots that have been read */
        if (column != -1)
            set->keys[spgemm_slot_of_run(index)] = column;
        count += (int32_t)POPCOUNT(found);
    }
    SYNC_WARP(t->mask);
    return count;
}

/* Sorts the columns from `begin` on, as many as lanes have at `keys` each. */
DEVICE void spgemm_sort_stretch(const spgemm_team *t, int keys, int32_t *columns, int32_t begin,
                                int32_t count)
{
    const int32_t first = begin + t->lane * keys, left = count - begin, most = keys * t->size;
    int32_t key[SPGEMM_RUN_KEYS];
    spgemm_load_run(key, keys, t, columns, begin, count);
    spgemm_sort_run(key, keys, t, left < most ? left : most);
    SYNC_WARP(t->mask);
    UNROLL
    for (int u = 0; u < keys; u++)
        if (first + u < count)
            columns[spgemm_slot_of_run(first + u)] = key[u];
    SYNC_WARP(t->mask);
}

/* Sorts the gathered columns in runs. Half as many of a lane take half as long. */
DEVICE void spgemm_sort_columns(const spgemm_team *t, int32_t *columns, int32_t count)
{
    enum { FEW = SPGEMM_RUN_KEYS / 2 };
    if (count <= FEW * t->size) {
        spgemm_sort_stretch(t, FEW, columns, 0, count);
        return;
    }
    for (int32_t begin = 0; begin < count; begin += SPGEMM_RUN_KEYS * t->size)
        spgemm_sort_stretch(t, SPGEMM_RUN_KEYS, columns, begin, count);
}

/* The number of columns from `low` to `high` - 1, which ascend, that are less than `column`. */
DEVICE int32_t spgemm_columns_below(const int32_t *columns, int32_t low, int32_t high,
                                    int32_t column)
{
    const int32_t begin = low;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (columns[spgemm_slot_of_run(middle)] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low - begin;
}

/* The position of column i among all runs. */
DEVICE int32_t spgemm_position_among_runs(const spgemm_team *t, const int32_t *columns,
                                          int32_t count, int32_t i, int32_t column)
{
    const int32_t run = SPGEMM_RUN_KEYS * t->size, mine = i / run * run;
    int32_t position = i - mine;
    for (int32_t begin = 0; begin < count; begin += run)
        if (begin != mine)
            position += spgemm_columns_below(columns, begin,
                                             begin + run < count ? begin + run : count, column);
    return position;
}

/* Writes the columns in ascending order. */
DEVICE void spgemm_write_columns(const spgemm_team *t, const int32_t *columns, int32_t count,
                                 int32_t *out)
{
    for (int32_t i = t->lane; i < count; i += t->size) {
        const int32_t column = columns[spgemm_slot_of_run(i)];
        out[spgemm_position_among_runs(t, columns, count, i, column)] = column;
    }
}

#endif
