/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_runs.h: keys sorted in the registers of a part of a warp. Each lane has several
 * neighbours, so that half of the comparisons need no shuffle: `keys`, a compile-time constant in
 * all callers, at most SPGEMM_RUN_KEYS. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_RUNS_H
#define SPL_SPGEMM_KERNELS_SPGEMM_RUNS_H

#include "spgemm/kernels/spgemm_team.h"

/* Where key i of a team stands in shared memory: lanes that access neighbours, and lanes that
 * access one key each of their runs, meet no bank twice. */
DEVICE int32_t spgemm_slot_of_run(int32_t i)
{
    return (i & ~(SPGEMM_RUN_KEYS - 1)) | ((i + i / 32) & (SPGEMM_RUN_KEYS - 1));
}

/* Loads the keys from `begin` to `count` - 1 that are the lane's own; INT32_MAX: none. */
DEVICE void spgemm_load_run(int32_t *key, int keys, const spgemm_team *t, const int32_t *from,
                            int32_t begin, int32_t count)
{
    const int32_t first = begin + t->lane * keys;
    UNROLL
    for (int u = 0; u < keys; u++)
        key[u] = first + u < count ? from[spgemm_slot_of_run(first + u)] : INT32_MAX;
}

/* One step of a bitonic network among the keys of a lane: pairs `step` apart, in runs of `size`. */
DEVICE void spgemm_compare_in_lane(int32_t *key, int keys, const spgemm_team *t, int size, int step)
{
    UNROLL
    for (int u = 0; u < keys; u++)
        if ((u & step) == 0) {
            const int32_t a = key[u], b = key[u | step];
            const bool ascends = ((t->lane * keys + u) & size) == 0;
            const int32_t least = b < a ? b : a, most = b < a ? a : b;
            key[u] = ascends ? least : most;
            key[u | step] = ascends ? most : least;
        }
}

/* The same for pairs of keys of different lanes. */
DEVICE void spgemm_compare_lanes(int32_t *key, int keys, const spgemm_team *t, int size, int step)
{
    const int number = t->lane * keys;
    const bool least = ((number & step) == 0) == ((number & size) == 0);
    UNROLL
    for (int u = 0; u < keys; u++) {
        const int32_t other = SHUFFLE_XOR(t->mask, key[u], step / keys);
        key[u] = (other < key[u]) == least ? other : key[u];
    }
}

/* Sorts the keys of all lanes, of which the first `count` may be less than INT32_MAX; key u of lane
 * l is number l * keys + u. K. Batcher, Sorting networks and their applications,
 * AFIPS 1968. */
DEVICE void spgemm_sort_run(int32_t *key, int keys, const spgemm_team *t, int32_t count)
{
    UNROLL
    for (int size = 2; size <= keys; size *= 2) {
        UNROLL
        for (int step = size / 2; step > 0; step /= 2)
            spgemm_compare_in_lane(key, keys, t, size, step);
    }
    for (int size = 2 * keys; size / 2 < count; size *= 2) {
        for (int step = size / 2; step >= keys; step /= 2)
            spgemm_compare_lanes(key, keys, t, size, step);
        UNROLL
        for (int step = keys / 2; step > 0; step /= 2)
            spgemm_compare_in_lane(key, keys, t, size, step);
    }
}

#endif
