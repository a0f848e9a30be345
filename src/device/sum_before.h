/* SPDX-License-Identifier: Apache-2.0 */
/* sum_before.h: prefix sums over the threads of a block, for kernels; `sums` is shared memory with
 * a number for each warp. */
#ifndef SPL_DEVICE_SUM_BEFORE_H
#define SPL_DEVICE_SUM_BEFORE_H
#include "device/dialect.h"

/* Adds to each lane's sum those of the lanes before it in the warp. */
#define SUM_LANES(type, sum)                                                                       \
    for (int d = 1; d < LANES; d *= 2) {                                                           \
        const type left = SHUFFLE_UP(GROUP_MASK(LANES), sum, d, LANES);                            \
        (sum) += LANE >= d ? left : 0;                                                             \
    }

/* The sum of what the threads before this one have; *total: of all. The block must meet before it
 * is called again. */
DEVICE uint32_t spl__sum_before(uint32_t number, uint32_t *sums, uint32_t *total)
{
    uint32_t sum = number, before = 0;
    SUM_LANES(uint32_t, sum);
    if (LANE == LANES - 1)
        sums[WARP] = sum;
    SYNC();
    *total = 0;
    for (int w = 0; w < THREADS / LANES; w++) {
        before += w < WARP ? sums[w] : 0;
        *total += sums[w];
    }
    return before + sum - number;
}

#endif
