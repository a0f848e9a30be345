/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_identical_rows.c. */
#ifndef T
#ifndef SPL_STRUCTURE_DEVICE_IDENTICAL_ROWS_K_H
#define SPL_STRUCTURE_DEVICE_IDENTICAL_ROWS_K_H
#include <stdint.h>

/* A team of LANES lanes compares two rows. Runs of identical rows end at multiples of RUN_LIMIT,
 * which bounds the work of the thread that divides a run into groups. */
enum {
    DEVICE_GROUPS_THREADS = 256,
    DEVICE_GROUPS_LANES = 8,
    DEVICE_RUN_LIMIT = 60,
    DEVICE_GROUP_ROWS = 6
};

/* A thread block compares LIKE_ROWS rows at a time, one team per row. */
enum {
    DEVICE_LIKE_ROWS = DEVICE_GROUPS_THREADS / DEVICE_GROUPS_LANES,
    DEVICE_ROW_LIKE_MOST = 1024
};

/* The entries of the sampled rows, and those in rows that equal the previous one. */
struct device_identical_sample {
    uint64_t sampled, repeated;
};

/* equals_previous[i]: row i has the columns of row i - 1, in the same order, and at most
 * `longest` entries. */
struct device_identical_rows_mark_args {
    int64_t rows, longest;
    const void *offsets, *columns;
    int32_t further;          /* only where equals_previous is already 1 */
    uint8_t *equals_previous; /* [rows] */
};

/* counts[i]: number of groups of the run that begins with row i; counts[rows] = 0. */
struct device_groups_count_args {
    int64_t rows, longest;
    const void *offsets;
    const uint8_t *equals_previous;
    int64_t *counts; /* [rows+1] */
};

/* A group: `rows` rows from `row` on, of `length` entries each, the first at `begin`. */
struct device_identical_run {
    int64_t begin;
    int32_t row;
    uint32_t shape; /* length * 8 + rows */
};

/* Lists groups, after a prefix sum of `counts`. */
struct device_groups_list_args {
    int64_t rows;
    const void *offsets;
    const uint8_t *equals_previous;
    const int64_t *counts;
    struct device_identical_run *list;
};
#endif
#else

#include "structure/columns_repeat.h"
#include "structure/identical_run_length.h"

DEVICE void FN(find_identical)(const struct device_identical_rows_mark_args args,
                               const P *RESTRICT offsets, const I *RESTRICT columns)
{
    const int64_t teams = BLOCKS * (THREADS / DEVICE_GROUPS_LANES),
                  first = THREAD / DEVICE_GROUPS_LANES;
    for (int64_t base = BLOCK * (THREADS / DEVICE_GROUPS_LANES); base < args.rows; base += teams) {
        const int64_t row = base + first;
        int64_t begin = 0, length = 0;
        bool equal = row < args.rows && row % DEVICE_RUN_LIMIT != 0;
        if (equal && args.further &&
            LANE % DEVICE_GROUPS_LANES == 0) /* a single lane writes this element */
            equal = args.equals_previous[row];
        if (equal) {
            begin = READ(&offsets[row]);
            length = READ(&offsets[row + 1]) - begin;
            equal = length <= args.longest && begin - READ(&offsets[row - 1]) == length;
        }
        equal = FN(columns_repeat)(equal, begin, length, columns);
        if (row < args.rows && LANE % DEVICE_GROUPS_LANES == 0)
            args.equals_previous[row] = equal;
    }
}

KERNEL(device_identical_rows_mark, DEVICE_GROUPS_THREADS, args)
{
    FN(find_identical)(args, (const P *)args.offsets, (const I *)args.columns);
}

DEVICE void FN(count_groups)(const struct device_groups_count_args args, const P *RESTRICT offsets)
{
    for (int64_t row = BLOCK * THREADS + THREAD; row <= args.rows; row += BLOCKS * THREADS) {
        const bool exists =
            row < args.rows && READ(&offsets[row + 1]) - READ(&offsets[row]) <= args.longest;
        const int run = exists ? FN(identical_run_length)(row, args.rows, args.equals_previous) : 0;
        args.counts[row] = (run + DEVICE_GROUP_ROWS - 1) / DEVICE_GROUP_ROWS;
    }
}

KERNEL(device_groups_count, DEVICE_GROUPS_THREADS, args)
{
    FN(count_groups)(args, (const P *)args.offsets);
}

/* Lists a run in groups of nearly equal size. */
DEVICE void FN(list_groups)(const struct device_groups_list_args args, const P *RESTRICT offsets)
{
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS) {
        const int64_t from = READ(&args.counts[row]), groups = READ(&args.counts[row + 1]) - from;
        if (groups == 0)
            continue;
        const int run = FN(identical_run_length)(row, args.rows, args.equals_previous);
        const int64_t begin = READ(&offsets[row]), length = READ(&offsets[row + 1]) - begin;
        for (int g = 0, done = 0; g < groups; g++) {
            const int count = (int)((run - done + groups - g - 1) / (groups - g));
            const struct device_identical_run group = {begin + done * length, (int32_t)(row + done),
                                                       (uint32_t)(length * 8 + count)};
            args.list[from + g] = group;
            done += count;
        }
    }
}

KERNEL(device_groups_list, DEVICE_GROUPS_THREADS, args)
{
    FN(list_groups)(args, (const P *)args.offsets);
}
#endif
