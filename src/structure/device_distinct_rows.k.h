/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_distinct_rows.c. */
#ifndef T
#ifndef SPL_STRUCTURE_DEVICE_DISTINCT_ROWS_K_H
#define SPL_STRUCTURE_DEVICE_DISTINCT_ROWS_K_H
#include "structure/device_identical_rows.k.h"

/* A team of LANES lanes walks the first row of a group. Numbers of groups are in the upper 32
 * bits, numbers of runs in the lower, so that one prefix sum serves both. */
enum { DEVICE_JOIN_THREADS = 256, DEVICE_JOIN_LANES = 32, DEVICE_JOIN_SHIFT = 32 };

/* Divides runs of identical rows into groups of nearly equal size: see spl__device_group_sizes. */
struct device_join_sizes_args {
    int64_t rows;
    const uint8_t *equals_previous; /* [rows] */
    uint8_t *sizes;                 /* [rows] */
};

/* A matrix, the groups of its rows, and the groups of the inner matrix' rows (NULL: each entry
 * is a run). */
struct device_join {
    int64_t rows;
    const void *offsets, *columns; /* P[rows+1], I[nnz] */
    const uint8_t *sizes, *inner_sizes;
    /* [rows+1] 1 group and its runs, 0 if the row begins no group; while filling: their prefix
     * sums */
    uint64_t *numbers;
};

struct device_join_count_args {
    struct device_join join;
    const void *inner_offsets; /* NULL: products are not counted */
    uint64_t *products;
};

struct device_join_fill_args {
    struct device_join join;
    void *offsets, *columns; /* P, I */
    int32_t *run_starts, *firsts;
};
#endif
#else

#include "structure/identical_run_length.h"

DEVICE void FN(cut_run)(int64_t row, int run, uint8_t *sizes)
{
    const int groups = (run + DEVICE_GROUP_ROWS - 1) / DEVICE_GROUP_ROWS;
    for (int g = 0, done = 0; g < groups; g++) {
        const int size = (run - done + groups - g - 1) / (groups - g);
        for (int r = 0; r < size; r++)
            sizes[row + done + r] = (uint8_t)(r == 0 ? size : 0);
        done += size;
    }
}

KERNEL(device_join_sizes, DEVICE_JOIN_THREADS, args)
{
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS)
        FN(cut_run)(row, FN(identical_run_length)(row, args.rows, args.equals_previous),
                    args.sizes);
}

/* Whether entry p of a row that starts at `begin` begins a run. */
DEVICE bool FN(run_begins)(P p, P begin, const I *RESTRICT columns,
                           const uint8_t *RESTRICT inner_sizes)
{
    const I column = READ(&columns[p]);
    return !inner_sizes || p == begin || READ(&columns[p - 1]) + 1 != column ||
           READ(&inner_sizes[column]) != 0;
}

/* Counts this lane's part of the runs of a row and of the products of its entries. */
DEVICE void FN(count_runs)(const struct device_join_count_args *args, int64_t row, uint64_t *runs,
                           uint64_t *products)
{
    const I *columns = (const I *)args->join.columns;
    const P *offsets = (const P *)args->join.offsets, *inner = (const P *)args->inner_offsets;
    const P begin = READ(&offsets[row]), end = READ(&offsets[row + 1]);
    uint64_t of_row = 0;
    *runs = 0;
    for (P p = begin + LANE % DEVICE_JOIN_LANES; p < end; p += DEVICE_JOIN_LANES) {
        const I column = READ(&columns[p]);
        *runs += FN(run_begins)(p, begin, columns, args->join.inner_sizes);
        of_row += inner ? (uint64_t)(READ(&inner[column + 1]) - READ(&inner[column])) : 0;
    }
    *products += of_row * READ(&args->join.sizes[row]);
}

DEVICE uint64_t FN(sum_of_team)(uint64_t number)
{
    for (int x = DEVICE_JOIN_LANES / 2; x > 0; x /= 2)
        number += SHUFFLE_XOR(GROUP_MASK(DEVICE_JOIN_LANES), number, x);
    return number;
}

KERNEL(device_join_count, DEVICE_JOIN_THREADS, args)
{
    SHARED(uint64_t, of_block, 1);
    const int64_t teams = THREADS / DEVICE_JOIN_LANES;
    uint64_t products = 0;
    if (THREAD == 0)
        *of_block = 0;
    SYNC();
    for (int64_t row = BLOCK * teams + THREAD / DEVICE_JOIN_LANES; row < args.join.rows;
         row += BLOCKS * teams) {
        uint64_t runs = 0;
        const bool begins = READ(&args.join.sizes[row]) > 0;
        if (begins)
            FN(count_runs)(&args, row, &runs, &products);
        runs = FN(sum_of_team)(runs);
        if (LANE % DEVICE_JOIN_LANES == 0)
            args.join.numbers[row] = begins ? ((uint64_t)1 << DEVICE_JOIN_SHIFT) + runs : 0;
    }
    products = FN(sum_of_team)(products);
    if (LANE % DEVICE_JOIN_LANES == 0)
        ATOMIC_ADD(of_block, products);
    SYNC();
    if (THREAD == 0)
        ATOMIC_ADD(args.products, *of_block);
}

/* Writes the runs of a row, numbered from `to` on. */
DEVICE void FN(fill_runs)(const struct device_join_fill_args *args, int64_t row, int64_t to)
{
    const lane_mask team = GROUP_MASK(DEVICE_JOIN_LANES), lower_lanes = ((lane_mask)1 << LANE) - 1;
    const I *columns = (const I *)args->join.columns;
    const P *offsets = (const P *)args->join.offsets;
    const P begin = READ(&offsets[row]), end = READ(&offsets[row + 1]);
    for (P from = begin; from < end; from += DEVICE_JOIN_LANES) {
        const P p = from + LANE % DEVICE_JOIN_LANES;
        const bool begins = p < end && FN(run_begins)(p, begin, columns, args->join.inner_sizes);
        const lane_mask starts = BALLOT(team, begins);
        if (begins) {
            const int64_t position = to + POPCOUNT(starts & lower_lanes);
            ((I *)args->columns)[position] = READ(&columns[p]);
            args->run_starts[position] = (int32_t)(p - begin);
        }
        to += POPCOUNT(starts);
    }
}

KERNEL(device_join_fill, DEVICE_JOIN_THREADS, args)
{
    const int64_t teams = THREADS / DEVICE_JOIN_LANES;
    for (int64_t row = BLOCK * teams + THREAD / DEVICE_JOIN_LANES; row <= args.join.rows;
         row += BLOCKS * teams) {
        const uint64_t packed = READ(&args.join.numbers[row]);
        const int64_t group = (int64_t)(packed >> DEVICE_JOIN_SHIFT),
                      run = (int64_t)(packed & UINT32_MAX);
        if (row < args.join.rows && READ(&args.join.sizes[row]) == 0)
            continue;
        if (LANE % DEVICE_JOIN_LANES == 0) {
            ((P *)args.offsets)[group] = (P)run;
            args.firsts[group] = (int32_t)row;
        }
        if (row < args.join.rows)
            FN(fill_runs)(&args, row, run);
    }
}
#endif
