/* SPDX-License-Identifier: Apache-2.0 */
/* Test kernels with one fault each: faults that the emulator must find, and faults that only
 * sanitizers see. */
#ifndef T
#ifndef SPARLOOM_TEST_FAULTY_GRIDS_K_H
#define SPARLOOM_TEST_FAULTY_GRIDS_K_H
#include <stdint.h>

enum { FAULTY_THREADS = 512, FAULTY_COUNT = 64 };

/* A fault that the emulator reports. */
typedef enum planted {
    NO_FAULT,
    DIVERGENT_BARRIER,
    SHUFFLE_FROM_ABSENT_LANE,
    LANE_OUTSIDE_ITS_MASK,
    MASKS_THAT_DISAGREE,
    DIFFERENT_OPERATIONS,
    BARRIER_AGAINST_SHUFFLE,
    TOO_MUCH_SHARED,
    ENDLESS_WAIT
} planted;
struct faulty_args {
    void *out;     /* int32_t[FAULTY_COUNT] */
    int32_t fault; /* planted, in block 1 */
};

/* A fault that AddressSanitizer or ThreadSanitizer reports; `beyond` is added to indices. */
struct overrun_shared_args {
    void *out; /* int32_t[1] */
    int32_t beyond;
};
struct overrun_at_launch_args {
    void *out; /* int32_t[1] */
    int32_t beyond;
};
struct overrun_device_args {
    void *out; /* int32_t[FAULTY_COUNT] */
    int32_t beyond;
};
struct missing_barrier_args {
    void *out; /* int32_t[FAULTY_COUNT] */
    int32_t missing;
};
struct missing_warp_barrier_args {
    void *out; /* int32_t[FAULTY_COUNT] */
    int32_t missing;
};
struct missing_fence_args {
    void *out, *flag; /* int32_t[1], int32_t[1] of 0 */
    int32_t missing;
};
struct race_of_blocks_args {
    void *out; /* int32_t[1] */
    int32_t racing;
};
#endif
#else

DEVICE void FN(collective_fault)(int32_t fault)
{
    const lane_mask all = GROUP_MASK(LANES);
    int32_t value = THREAD;
    if (fault == DIVERGENT_BARRIER) {
        if (THREAD < 100)
            SYNC();
        else
            SYNC();
    } else if (fault == SHUFFLE_FROM_ABSENT_LANE) {
        if (LANE < 16)
            value = SHUFFLE((lane_mask)0xFFFF, value, 20);
    } else if (fault == LANE_OUTSIDE_ITS_MASK)
        value = SHUFFLE_DOWN((lane_mask)0xFF, value, 1, 8);
    else if (fault == MASKS_THAT_DISAGREE)
        value = BALLOT(LANE < 8 ? all : (lane_mask)(all << 1), 1) != 0;
    else if (fault == DIFFERENT_OPERATIONS) {
        if (LANE % 2)
            SYNC_WARP(all);
        else
            value = SHUFFLE_XOR(all, value, 1);
    } else if (fault == BARRIER_AGAINST_SHUFFLE) {
        if (THREAD < LANES / 2)
            value = SHUFFLE_XOR(all, value, 1);
        else
            SYNC();
    }
    if (value < -1)
        SYNC(); /* never true, but the compiler has to keep the value */
}

DEVICE void FN(other_fault)(int32_t fault, int32_t *RESTRICT out)
{
    if (fault == TOO_MUCH_SHARED) {
        SHARED(double, large, 9000);
        large[THREAD] = 1;
        out[0] = (int32_t)large[THREAD];
    } else if (fault == ENDLESS_WAIT && THREAD == 3)
        while (LOAD_VOLATILE(&out[1]) != 12345)
            ;
}

KERNEL(faulty, FAULTY_THREADS, args)
{
    int32_t *out = (int32_t *)args.out;
    if (BLOCK == 1) {
        FN(collective_fault)(args.fault);
        FN(other_fault)(args.fault, out);
    }
    SYNC();
    if (THREAD == 0)
        out[BLOCK] = 7;
}

KERNEL(overrun_shared, FAULTY_THREADS, args)
{
    int32_t *out = (int32_t *)args.out;
    SHARED(int32_t, before, FAULTY_COUNT);
    SHARED(int32_t, array, FAULTY_COUNT);
    SHARED(int32_t, after, FAULTY_COUNT);
    if (THREAD < FAULTY_COUNT)
        before[THREAD] = array[THREAD] = after[THREAD] = THREAD;
    SYNC();
    if (THREAD == 0)
        *out = array[FAULTY_COUNT - 1 + args.beyond] + before[0] + after[0];
}

KERNEL(overrun_at_launch, FAULTY_THREADS, args)
{
    int32_t *out = (int32_t *)args.out;
    SHARED_AT_LAUNCH(int32_t, array); /* int32_t[FAULTY_COUNT] */
    if (THREAD < FAULTY_COUNT)
        array[THREAD] = THREAD;
    SYNC();
    if (THREAD == 0)
        *out = array[FAULTY_COUNT - 1 + args.beyond];
}

KERNEL(overrun_device, FAULTY_THREADS, args)
{
    int32_t *out = (int32_t *)args.out;
    if (THREAD < FAULTY_COUNT)
        out[THREAD + args.beyond] = THREAD;
}

KERNEL(missing_barrier, FAULTY_THREADS, args)
{
    int32_t *out = (int32_t *)args.out;
    SHARED(int32_t, array, FAULTY_COUNT);
    if (THREAD < FAULTY_COUNT)
        array[THREAD] = THREAD;
    if (!args.missing)
        SYNC();
    if (THREAD < FAULTY_COUNT)
        out[THREAD] = array[FAULTY_COUNT - 1 - THREAD];
}

KERNEL(missing_warp_barrier, FAULTY_THREADS, args)
{
    int32_t *out = (int32_t *)args.out;
    SHARED(int32_t, array, FAULTY_COUNT);
    if (WARP > 0)
        return;
    array[LANE] = LANE;
    if (!args.missing)
        SYNC_WARP(GROUP_MASK(LANES));
    out[LANE] = array[LANES - 1 - LANE];
}

/* Block 0 writes and raises a flag, block 1 waits for it and reads. */
KERNEL(missing_fence, FAULTY_THREADS, args)
{
    int32_t *out = (int32_t *)args.out, *flag = (int32_t *)args.flag;
    if (THREAD > 0)
        return;
    if (BLOCK == 0) {
        out[0] = 5;
        if (!args.missing)
            FENCE();
        STORE_VOLATILE(flag, 1);
    } else if (BLOCK == 1) {
        while (LOAD_VOLATILE(flag) == 0)
            ;
        out[0] += 1;
    }
}

KERNEL(race_of_blocks, FAULTY_THREADS, args)
{
    int32_t *out = (int32_t *)args.out;
    if (THREAD > 0)
        return;
    if (args.racing)
        *out += 1;
    else
        ATOMIC_ADD(out, 1);
}
#endif
