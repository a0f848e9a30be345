/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of offsets.c. */
#ifndef T
#ifndef SPL_DEVICE_OFFSETS_K_H
#define SPL_DEVICE_OFFSETS_K_H
#include <stdint.h>

enum {
    OFFSETS_THREADS = 1024,
    OFFSETS_EACH = 4 /* consecutive numbers per thread, aligned to 16 bytes */
};

/* Block k has the numbers from k * part on. */
struct offsets_args {
    int64_t count, part;
    void *numbers;   /* P[count + 1]: lengths, then offsets */
    void *total;     /* P, or NULL */
    void *sums;      /* P[blocks]: of the parts, by offsets_parts; NULL: there is one part */
    int32_t aligned; /* numbers can be read OFFSETS_EACH at a time */
};
#endif
#else
#include "device/sum_before.h"

/* The numbers of a block. */
typedef struct FN(part) {
    P *numbers;
    int64_t begin, end;
    bool aligned;
} FN(part);

DEVICE FN(part) FN(part_of_block)(const struct offsets_args *args)
{
    FN(part) p;
    p.numbers = (P *)args->numbers;
    p.begin = BLOCK * args->part;
    p.end = args->count - p.begin < args->part ? args->count : p.begin + args->part;
    p.aligned = args->aligned;
    return p;
}

/* Loads this thread's numbers from `first` on; zeros after the end. */
DEVICE void FN(take_numbers)(const FN(part) *part, int64_t first, P *values)
{
    if (part->aligned && first + OFFSETS_EACH <= part->end) {
        /* only this thread writes there, later */
        READ_RUN(values, &part->numbers[first], OFFSETS_EACH);
        return;
    }
    UNROLL
    for (int e = 0; e < OFFSETS_EACH; e++)
        values[e] = first + e < part->end ? part->numbers[first + e] : 0;
}

DEVICE void FN(put_numbers)(const FN(part) *part, int64_t first, const P *values)
{
    if (part->aligned && first + OFFSETS_EACH <= part->end) {
        WRITE_RUN(&part->numbers[first], values, OFFSETS_EACH);
        return;
    }
    UNROLL
    for (int e = 0; e < OFFSETS_EACH; e++)
        if (first + e < part->end)
            part->numbers[first + e] = values[e];
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

/* The sum over all threads. */
DEVICE P FN(sum_of_threads)(P number, P *warps)
{
    FN(sum_of_earlier)(number, warps);
    return warps[OFFSETS_THREADS / LANES - 1];
}

/* The sum of the parts before the block's. */
DEVICE P FN(sum_of_parts)(const P *sums, P *warps)
{
    P sum = 0;
    if (!sums)
        return 0;
    for (int64_t b = THREAD; b < BLOCK; b += THREADS)
        sum += READ(&sums[b]);
    sum = FN(sum_of_threads)(sum, warps);
    SYNC();
    return sum;
}

/* A block processes its part in pieces; the next piece is loaded while one is summed. Returns the
 * sum of all numbers up to the part's end. */
DEVICE P FN(sum_part)(const FN(part) *part, P running, P *warps)
{
    const int64_t step = (int64_t)OFFSETS_THREADS * OFFSETS_EACH;
    int64_t first = part->begin + (int64_t)THREAD * OFFSETS_EACH;
    P values[OFFSETS_EACH], next[OFFSETS_EACH];
    FN(take_numbers)(part, first, values);
    for (int64_t begin = part->begin; begin < part->end; begin += step, first += step) {
        FN(take_numbers)(part, first + step, next);
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
        FN(put_numbers)(part, first, values);
        UNROLL
        for (int e = 0; e < OFFSETS_EACH; e++)
            values[e] = next[e];
        SYNC();
    }
    return running;
}

KERNEL(offsets, OFFSETS_THREADS, args)
{
    SHARED(P, warps, OFFSETS_THREADS / LANES);
    const FN(part) part = FN(part_of_block)(&args);
    const P before = FN(sum_of_parts)((const P *)args.sums, warps),
            sum = FN(sum_part)(&part, before, warps);
    if (THREAD > 0 || BLOCK < BLOCKS - 1)
        return;
    part.numbers[args.count] = sum;
    if (args.total)
        *(P *)args.total = sum;
}

KERNEL_OF(struct offsets_args, offsets_parts, OFFSETS_THREADS, args)
{
    SHARED(P, warps, OFFSETS_THREADS / LANES);
    const FN(part) part = FN(part_of_block)(&args);
    P sum = 0, values[OFFSETS_EACH];
    for (int64_t first = part.begin + (int64_t)THREAD * OFFSETS_EACH; first < part.end;
         first += (int64_t)OFFSETS_THREADS * OFFSETS_EACH) {
        FN(take_numbers)(&part, first, values);
        UNROLL
        for (int e = 0; e < OFFSETS_EACH; e++)
            sum += values[e];
    }
    sum = FN(sum_of_threads)(sum, warps);
    if (THREAD == 0)
        ((P *)args.sums)[BLOCK] = sum;
}
#endif
