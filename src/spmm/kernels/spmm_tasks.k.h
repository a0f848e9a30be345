/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of A as tasks for teams of lanes: see device_tasks.h. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_TASKS_K_H
#define SPL_SPMM_KERNELS_SPMM_TASKS_K_H
#include "spmm/kernels/spmm_rows.k.h"

enum { SPMM_TASKS_THREADS = 256 };

/* The order of tasks: full pieces of cut rows by their number in the row, so that neighbours
 * read the same part of B where rows are dense; then by falling length, to balance the teams of
 * a warp, and so that no long task starts late. */
enum { SPMM_MOST_LONGEST = 4095, SPMM_FULL_PIECES = 4096, SPMM_KEY_BITS = 13 };

/* counts[i]: tasks that begin with row i in the lower 32 bits, pieces in the upper. Rows of up
 * to `longest` entries have no pieces; up to SPMM_MOST_ROWS rows of a run form one task. */
struct spmm_count_tasks_args {
    int64_t rows, longest;
    const void *offsets;            /* P[rows+1] */
    const uint8_t *equals_previous; /* [rows]; NULL: none */
    int64_t *counts;                /* [rows+1] */
};

/* Lists tasks, after a prefix sum of `counts`. */
struct spmm_list_tasks_args {
    int64_t rows, longest;
    const void *offsets;            /* P[rows+1] */
    const uint8_t *equals_previous; /* [rows]; NULL: none */
    const int64_t *counts;          /* [rows+1] */
    struct spmm_task *task;
    uint32_t *key, *number; /* of each task */
    struct spmm_cut *cut;
};

/* Lists rows of more than `limit` entries in parts of up to `longest`, in any order; *count: how
 * many, 0 before. */
struct spmm_list_parts_args {
    int64_t rows, limit, longest;
    const void *offsets; /* P[rows+1] */
    struct spmm_part *part;
    int32_t *count;
};

struct spmm_order_tasks_args {
    int64_t tasks;
    const struct spmm_task *from;
    const uint32_t *number;
    struct spmm_task *to;
};
#endif
#else

#include "structure/identical_run_length.h"

DEVICE int64_t FN(spmm_tasks_of)(int64_t length, int64_t longest, int run)
{
    const int64_t pieces = (length + longest - 1) / longest;
    return length > longest ? pieces << 32 | pieces : (run + SPMM_MOST_ROWS - 1) / SPMM_MOST_ROWS;
}

DEVICE void FN(spmm_count)(const struct spmm_count_tasks_args args, const P *RESTRICT offsets)
{
    for (int64_t row = BLOCK * THREADS + THREAD; row <= args.rows; row += BLOCKS * THREADS) {
        int64_t count = 0;
        if (row < args.rows)
            count = FN(spmm_tasks_of)(
                (int64_t)READ(&offsets[row + 1]) - (int64_t)READ(&offsets[row]), args.longest,
                FN(identical_run_length)(row, args.rows, args.equals_previous));
        args.counts[row] = count;
    }
}

KERNEL(spmm_count_tasks, SPMM_TASKS_THREADS, args)
{
    FN(spmm_count)(args, (const P *)args.offsets);
}

DEVICE void FN(spmm_put)(const struct spmm_list_tasks_args args, int64_t position, uint32_t key,
                         int64_t begin, int64_t target, int64_t length, int rows)
{
    const struct spmm_task task = {begin, (int32_t)target, (uint16_t)length, (uint16_t)rows};
    args.task[position] = task;
    args.key[position] = key;
    args.number[position] = (uint32_t)position;
}

DEVICE void FN(spmm_list_parts_of)(const struct spmm_list_parts_args *args, int64_t row,
                                   int64_t begin, int64_t length)
{
    const int32_t parts = (int32_t)((length + args->longest - 1) / args->longest),
                  each = (int32_t)((length + parts - 1) / parts),
                  first = ATOMIC_ADD(args->count, parts);
    for (int32_t n = 0; n < parts; n++) {
        const int64_t left = length - (int64_t)n * each;
        const struct spmm_part part = {begin + (int64_t)n * each,
                                       (int32_t)row,
                                       (int32_t)(left < each ? left : each),
                                       first,
                                       n,
                                       parts};
        args->part[first + n] = part;
    }
}

DEVICE void FN(spmm_list_all_parts)(const struct spmm_list_parts_args args,
                                    const P *RESTRICT offsets)
{
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS) {
        const int64_t begin = (int64_t)READ(&offsets[row]),
                      length = (int64_t)READ(&offsets[row + 1]) - begin;
        if (length > args.limit)
            FN(spmm_list_parts_of)(&args, row, begin, length);
    }
}

KERNEL(spmm_list_parts, SPMM_TASKS_THREADS, args)
{
    FN(spmm_list_all_parts)(args, (const P *)args.offsets);
}

/* Lists the tasks of a run of short rows, of nearly equal size. */
DEVICE void FN(spmm_list_run)(const struct spmm_list_tasks_args args, int64_t row, int run,
                              int64_t begin, int64_t length)
{
    int64_t position = READ(&args.counts[row]) & 0xffffffff;
    for (int tasks = (run + SPMM_MOST_ROWS - 1) / SPMM_MOST_ROWS, done = 0; tasks > 0; tasks--) {
        const int rows = (run - done + tasks - 1) / tasks;
        FN(spmm_put)(args, position++, (uint32_t)(SPMM_FULL_PIECES + args.longest - length),
                     begin + done * length, row + done, length, rows);
        done += rows;
    }
}

/* Lists the pieces of a long row, with all lanes of a warp. */
DEVICE void FN(spmm_list_pieces)(const struct spmm_list_tasks_args args, int64_t row, int64_t begin,
                                 int64_t length)
{
    const int64_t from = READ(&args.counts[row]), cut = from >> 32,
                  pieces = (READ(&args.counts[row + 1]) >> 32) - cut;
    for (int64_t p = LANE; p < pieces; p += LANES) {
        const int64_t remaining = length - p * args.longest, last = SPMM_FULL_PIECES - 1;
        const struct spmm_cut piece = {(int32_t)row, (int32_t)(p == 0 ? pieces : 0)};
        const int64_t key = remaining < args.longest ? SPMM_FULL_PIECES + args.longest - remaining
                            : p < last               ? p
                                                     : last;
        FN(spmm_put)(args, (from & 0xffffffff) + p, (uint32_t)key, begin + p * args.longest,
                     ~(cut + p), remaining < args.longest ? remaining : args.longest, 1);
        args.cut[cut + p] = piece;
    }
}

/* One lane per row, then all lanes for cut rows. */
DEVICE void FN(spmm_list)(const struct spmm_list_tasks_args args, const P *RESTRICT offsets)
{
    for (int64_t base = BLOCK * THREADS + THREAD - LANE; base < args.rows;
         base += BLOCKS * THREADS) {
        const int64_t row = base + LANE;
        int64_t begin = 0, length = 0;
        if (row < args.rows) {
            begin = (int64_t)READ(&offsets[row]);
            length = (int64_t)READ(&offsets[row + 1]) - begin;
        }
        if (row < args.rows && length <= args.longest)
            FN(spmm_list_run)(args, row,
                              FN(identical_run_length)(row, args.rows, args.equals_previous), begin,
                              length);
        for (lane_mask cut = BALLOT(GROUP_MASK(LANES), length > args.longest); cut != 0;
             cut &= cut - 1) {
            const int64_t long_row = base + FIRST_BIT(cut),
                          from = (int64_t)READ(&offsets[long_row]);
            FN(spmm_list_pieces)(args, long_row, from,
                                 (int64_t)READ(&offsets[long_row + 1]) - from);
        }
    }
}

KERNEL(spmm_list_tasks, SPMM_TASKS_THREADS, args)
{
    FN(spmm_list)(args, (const P *)args.offsets);
}

KERNEL(spmm_order_tasks, SPMM_TASKS_THREADS, args)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < args.tasks; i += BLOCKS * THREADS)
        args.to[i] = args.from[READ(&args.number[i])];
}
#endif
