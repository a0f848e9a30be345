/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of offsets.c. */
#ifndef T
#ifndef SPL_DEVICE_OFFSETS_K_H
#define SPL_DEVICE_OFFSETS_K_H
#include <stdint.h>

enum {
    OFFSETS_THREADS = 1024,
    OFFSETS_EACH = 4 /* consecutive numbers per thread, aligned to 16 bytes */
};

struct offsets_args {
    int64_t count;
    void *numbers; /* P[count + 1]: lengths, then offsets */
    void *total;   /* P, or NULL */
};
#endif
#else
#include "device/sum_before.h"

/* Loads this thread's numbers from `first` on; zeros after the end. */
DEVICE void FN(take_numbers)(const P *numbers, int64_t first, int64_t count, P *values)
{
    if (first + OFFSETS_EACH <= count) {
        /* only this thread writes there, later */
        READ_RUN(values, &numbers[first], OFFSETS_EACH);
        return;
    }
    UNROLL
    for (int e = 0; e < OFFSETS_EACH; e++)
        values[e] = first + e < count ? numbers[first + e] : 0;
}

DEVICE void FN(put_numbers)(P *numbers, int64_t first, int64_t count, const P *values_of_thread)
{
    if (first + OFFSETS_EACH <= count) {
        WRITE_RUN(&numbers[first], values_of_thread, OFFSETS_EACH);
        return;
    }
    UNROLL
    for (int e = 0; e < OFFSETS_EACH; e++)
        if (first + e < count)
            numbers[first + e] = values_of_thread[e];
}

/* Exclusive prefix sum over threads; the first warp turns the sums of warps into inclusive
 * prefix sums. */
DEVICE P FN(sum_of_earlier)(P number, P *warps)
{
    P sum = number;
    SUM_LANES(P, sum);
    if (LANE == LANES - 1)
        warps[WARP] = sum;
    SYNC();
    if (WARP == 0) {
        P of_warp = LANE < OFFSETS_THREADS / LANES ? warps[LANE] : 0;
        SUM_LANES(P, of_warp);
        if (LANE < OFFSETS_THREADS / LANES)
            warps[LANE] = of_warp;
    }
    SYNC();
    return sum - number + (WARP > 0 ? warps[WARP - 1] : 0);
}

/* One block processes the array in pieces; the next piece is loaded while one is summed. */
DEVICE void FN(sum_numbers)(int64_t count, P *numbers, P *total, P *warps)
{
    const int64_t step = (int64_t)OFFSETS_THREADS * OFFSETS_EACH;
    int64_t first = (int64_t)THREAD * OFFSETS_EACH;
    P running = 0, values[OFFSETS_EACH], next[OFFSETS_EACH];
    FN(take_numbers)(numbers, first, count, values);
    for (int64_t begin = 0; begin < count; begin += step, first += step) {
        FN(take_numbers)(numbers, first + step, count, next);
        P sum = 0;
        UNROLL
        for (int e = 0; e < OFFSETS_EACH; e++)
            sum += values[e];
        P position = running + FN(sum_of_earlier)(sum, warps);
        running += warps[OFFSETS_THREADS / LANES - 1];
        UNROLL
        for (int e = 0; e < OFFSETS_EACH; e++) {
            const P length = values[e];
            values[e] = position;
            position += length;
        }
        FN(put_numbers)(numbers, first, count, values);
        UNROLL
        for (int e = 0; e < OFFSETS_EACH; e++)
            values[e] = next[e];
        SYNC();
    }
    if (THREAD > 0)
        return;
    numbers[count] = running;
    if (total)
        *total = running;
}

KERNEL(offsets, OFFSETS_THREADS, args)
{
    SHARED(P, warps, OFFSETS_THREADS / LANES);
    FN(sum_numbers)(args.count, (P *)args.numbers, (P *)args.total, warps);
}
#endif
