/* SPDX-License-Identifier: Apache-2.0 */
/* sum_before.h: prefix sums over the threads of a block, for kernels; `sums` is shared memory
 * with one number per warp. */
#ifndef SPL_DEVICE_SUM_BEFORE_H
#define SPL_DEVICE_SUM_BEFORE_H
#include "device/dialect.h"

/* Inclusive prefix sum over the lanes of a warp. */
#define SUM_LANES(type, sum)                                                                       \
    for (int d = 1; d < LANES; d *= 2) {                                                           \
        const type left = SHUFFLE_UP(GROUP_MASK(LANES), sum, d, LANES);                            \
        (sum) += LANE >= d ? left : 0;                                                             \
    }

/* Exclusive prefix sum over the threads of a block; *total: the sum of all. The block must
 * synchronise before the next call. */
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
