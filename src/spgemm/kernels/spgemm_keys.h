/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_keys.h: keys in the registers of a part of a warp, and their order. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_KEYS_H
#define SPL_SPGEMM_KERNELS_SPGEMM_KEYS_H

#include "spgemm/kernels/spgemm_team.h"

/* The keys of a part's lanes: key u of lane l belongs to product u*width + l. INT32_MAX: none. */
typedef struct spgemm_keys {
    int32_t key[SPGEMM_KEYS];
} spgemm_keys;

/* One step of a bitonic network: pairs of keys `step` apart, in runs of `size`. */
DEVICE void spgemm_compare_keys(spgemm_keys *k, const spgemm_team *t, int size, int step)
{
    spgemm_keys other;
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++)
        if (step < t->width)
            other.key[u] = SHUFFLE_XOR(t->mask, k->key[u], step);
        else
            other.key[u] = step == t->width ? k->key[u ^ 1] : k->key[u ^ 2];
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        const int number = u * t->width + t->lane;
        const int32_t least = other.key[u] < k->key[u] ? other.key[u] : k->key[u];
        const int32_t most = other.key[u] < k->key[u] ? k->key[u] : other.key[u];
        k->key[u] = ((number & step) == 0) == ((number & size) == 0) ? least : most;
    }
}

/* K. Batcher, Sorting networks and their applications, AFIPS 1968. */
DEVICE void spgemm_sort_keys(spgemm_keys *k, const spgemm_team *t)
{
    UNROLL
    for (int size = 2; size <= SPGEMM_KEYS * t->width; size *= 2) {
        UNROLL
        for (int step = size / 2; step > 0; step /= 2)
            spgemm_compare_keys(k, t, size, step);
    }
}

#endif
