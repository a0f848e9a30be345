/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of calibrate_device.c: reads an array; without elements it is an empty launch. */
#ifndef T
#ifndef SPL_PLAN_TUNING_CALIBRATE_K_H
#define SPL_PLAN_TUNING_CALIBRATE_K_H
#include <stdint.h>

enum { CALIBRATE_THREADS = 256 };

struct calibrate_args {
    int64_t count;
    const void *data; /* uint64_t[2*count], all 0 */
    void *sum;        /* uint64_t: written only if a sum is not 0, that is, never */
};
#endif
#else

/* Reads 16 bytes at a time, like the fastest methods. */
DEVICE void FN(read_all)(int64_t count, const uint64_t *RESTRICT data, uint64_t *RESTRICT sum)
{
    uint64_t own_sum = 0;
    for (int64_t i = BLOCK * THREADS + THREAD; i < count; i += BLOCKS * THREADS) {
        uint64_t pair[2];
        READ_RUN(pair, &data[i << 1], 2);
        own_sum += pair[0] + pair[1];
    }
    if (own_sum != 0)
        *sum = own_sum;
}

KERNEL(calibrate, CALIBRATE_THREADS, args)
{
    FN(read_all)(args.count, (const uint64_t *)args.data, (uint64_t *)args.sum);
}
#endif
