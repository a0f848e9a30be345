/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that hash tasks to their least hashed column, and measure sharing between neighbours:
 * see device_cluster.h. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_CLUSTER_K_H
#define SPL_SPMM_KERNELS_SPMM_CLUSTER_K_H
#include "spmm/kernels/spmm_tasks.k.h"

/* A window has about the tasks that a multiprocessor runs at once; distinct columns are counted
 * by a hashed bitmap. */
enum { SPMM_CLUSTER_LANES = 8, SPMM_WINDOW = 64, SPMM_WINDOW_BITS = 1 << 16 };

/* Sums over windows: entries, and distinct columns. */
struct spmm_sharing {
    uint64_t entries, different;
};

/* Window w begins with task w*stride. */
struct spmm_measure_sharing_args {
    int64_t tasks, windows, stride;
    const void *columns; /* I[nnz] */
    const struct spmm_task *task;
    struct spmm_sharing *sharing; /* incremented */
};

/* key[i]: the least hashed column of task i; tasks without entries come last. */
struct spmm_hash_tasks_args {
    int64_t tasks;
    const void *columns; /* I[nnz] */
    const struct spmm_task *task;
    uint32_t *key, *number; /* [tasks] */
};
#endif
#else

DEVICE uint32_t FN(spmm_hash)(I column)
{
    uint32_t h = (uint32_t)column * 2654435761u;
    h ^= h >> 15;
    h *= 2246822519u;
    return h ^ h >> 13;
}

DEVICE void FN(spmm_hash_list)(const struct spmm_hash_tasks_args args, const I *RESTRICT columns)
{
    const int64_t groups = BLOCKS * (THREADS / SPMM_CLUSTER_LANES),
                  first = THREAD / SPMM_CLUSTER_LANES;
    for (int64_t base = BLOCK * (THREADS / SPMM_CLUSTER_LANES); base < args.tasks; base += groups) {
        const int64_t i = base + first;
        uint32_t least = UINT32_MAX;
        if (i < args.tasks) {
            const struct spmm_task task = args.task[i];
            for (int p = LANE % SPMM_CLUSTER_LANES; p < task.length; p += SPMM_CLUSTER_LANES) {
                const uint32_t h = FN(spmm_hash)(READ(&columns[task.begin + p]));
                least = h < least ? h : least;
            }
        }
        for (int x = SPMM_CLUSTER_LANES / 2; x > 0; x /= 2) {
            const uint32_t other = SHUFFLE_XOR(GROUP_MASK(LANES), least, x);
            least = other < least ? other : least;
        }
        if (i < args.tasks && LANE % SPMM_CLUSTER_LANES == 0) {
            args.key[i] = least;
            args.number[i] = (uint32_t)i;
        }
    }
}

KERNEL(spmm_hash_tasks, SPMM_TASKS_THREADS, args)
{
    FN(spmm_hash_list)(args, (const I *)args.columns);
}

/* One block per window sets one bit per column. */
DEVICE void FN(spmm_measure)(const struct spmm_measure_sharing_args args, const I *RESTRICT columns)
{
    SHARED(uint32_t, seen, SPMM_WINDOW_BITS / 32);
    SHARED(uint32_t, sums, 2);
    for (int64_t w = BLOCK; w < args.windows; w += BLOCKS) {
        const int64_t from = w * args.stride, remaining = args.tasks - from;
        const int count = remaining < SPMM_WINDOW ? (int)remaining : SPMM_WINDOW;
        uint32_t entries = 0, different = 0;
        for (int i = THREAD; i < SPMM_WINDOW_BITS / 32; i += THREADS)
            seen[i] = 0;
        if (THREAD < 2)
            sums[THREAD] = 0;
        SYNC();
        for (int i = THREAD / SPMM_CLUSTER_LANES; i < count; i += THREADS / SPMM_CLUSTER_LANES) {
            const struct spmm_task task = args.task[from + i];
            for (int p = THREAD % SPMM_CLUSTER_LANES; p < task.length;
                 p += SPMM_CLUSTER_LANES, entries++) {
                const uint32_t bit =
                    FN(spmm_hash)(READ(&columns[task.begin + p])) % SPMM_WINDOW_BITS;
                ATOMIC_OR(&seen[bit / 32], (uint32_t)1 << bit % 32);
            }
        }
        SYNC();
        for (int i = THREAD; i < SPMM_WINDOW_BITS / 32; i += THREADS)
            different += (uint32_t)POPCOUNT(seen[i]);
        ATOMIC_ADD(&sums[0], entries);
        ATOMIC_ADD(&sums[1], different);
        SYNC();
        if (THREAD == 0) {
            ATOMIC_ADD(&args.sharing->entries, (uint64_t)sums[0]);
            ATOMIC_ADD(&args.sharing->different, (uint64_t)sums[1]);
        }
        SYNC();
    }
}

KERNEL(spmm_measure_sharing, SPMM_TASKS_THREADS, args)
{
    FN(spmm_measure)(args, (const I *)args.columns);
}
#endif
