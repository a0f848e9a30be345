/* SPDX-License-Identifier: Apache-2.0 */
/* Test kernels: barriers, shuffles, ballots, masks. Only 64-bit results, so that one loop on the
 * host can check them. */
#ifndef T
#ifndef SPARLOOM_TEST_LANE_WORDS_K_H
#define SPARLOOM_TEST_LANE_WORDS_K_H
#include <stdint.h>

enum { LANE_WORDS_THREADS = 1024, LANE_WORDS_RESULTS = 8 };

/* Per thread: what SHUFFLE (lane `distance`), SHUFFLE_XOR, SHUFFLE_UP, SHUFFLE_DOWN (in groups
 * of `width`) bring of value THREAD*3+1, BALLOT(lane % 3 == 0), GROUP_MASK(width), POPCOUNT and
 * FIRST_BIT of the ballot: results[8][threads]. */
struct lane_words_args {
    void *results; /* int64_t[LANE_WORDS_RESULTS][blocks*threads] */
    int32_t distance, width;
};

/* A block's sum of THREAD + BLOCK, by a tree in shared memory with SYNC, then by shuffles and
 * SYNC_WARP. */
struct block_sum_args {
    void *sums; /* int64_t[2][blocks] */
};

/* Threads from `returning` on return, the others still meet at SYNC: sums[block] =
 * returning - 1. */
struct half_returns_args {
    void *sums; /* int64_t[blocks] */
    int32_t returning;
};
#endif
#else

KERNEL(lane_words, LANE_WORDS_THREADS, args)
{
    int64_t *results = (int64_t *)args.results + BLOCK * THREADS + THREAD;
    const int64_t stride = BLOCKS * THREADS;
    const T value = (T)(THREAD * 3 + 1);
    const lane_mask all = GROUP_MASK(LANES), group = GROUP_MASK(args.width);
    const lane_mask thirds = BALLOT(all, LANE % 3 == 0);
    results[0 * stride] = (int64_t)SHUFFLE(all, value, args.distance);
    results[1 * stride] = (int64_t)SHUFFLE_XOR(all, value, args.distance);
    results[2 * stride] = (int64_t)SHUFFLE_UP(group, value, args.distance, args.width);
    results[3 * stride] = (int64_t)SHUFFLE_DOWN(group, value, args.distance, args.width);
    results[4 * stride] = (int64_t)thirds;
    results[5 * stride] = (int64_t)group;
    results[6 * stride] = POPCOUNT(thirds);
    results[7 * stride] = FIRST_BIT(thirds & ~(lane_mask)1);
}

DEVICE void FN(sum_by_tree)(int64_t *RESTRICT sum)
{
    SHARED(int64_t, part, LANE_WORDS_THREADS);
    part[THREAD] = THREAD + BLOCK;
    SYNC();
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        if (THREAD < distance)
            part[THREAD] += part[THREAD + distance];
        SYNC();
    }
    if (THREAD == 0)
        *sum = part[0];
}

DEVICE void FN(sum_by_warps)(int64_t *RESTRICT sum)
{
    SHARED(int64_t, of_warp, LANE_WORDS_THREADS / 32);
    SHARED_AT_LAUNCH(int64_t, of_lane);
    int64_t *const mine = of_lane + WARP * LANES;
    mine[LANE] = THREAD + BLOCK;
    SYNC_WARP(GROUP_MASK(LANES));
    int64_t value = mine[LANES - 1 - LANE];
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        value += SHUFFLE_XOR(GROUP_MASK(LANES), value, distance);
    if (LANE == 0)
        of_warp[WARP] = value;
    SYNC();
    if (THREAD > 0)
        return;
    *sum = 0;
    for (int w = 0; w < THREADS / LANES; w++)
        *sum += of_warp[w];
}

KERNEL(block_sum, LANE_WORDS_THREADS, args)
{
    int64_t *sums = (int64_t *)args.sums;
    FN(sum_by_tree)(sums + BLOCK);
    FN(sum_by_warps)(sums + BLOCKS + BLOCK);
}

KERNEL(half_returns, LANE_WORDS_THREADS, args)
{
    SHARED(int32_t, seen, LANE_WORDS_THREADS);
    int64_t *sums = (int64_t *)args.sums;
    if (THREAD >= args.returning)
        return;
    seen[THREAD] = THREAD;
    SYNC();
    if (THREAD == 0)
        sums[BLOCK] = seen[args.returning - 1];
}
#endif
