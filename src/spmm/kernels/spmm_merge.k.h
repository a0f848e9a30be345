/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_merge.c. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_MERGE_K_H
#define SPL_SPMM_KERNELS_SPMM_MERGE_K_H
#include "spmm/kernels/spmm_tasks.k.h"

/* A thread measures as many rows as may be merged, or divides a stretch of rows; SAMPLES warps
 * measure one row per lane. A task costs as much as SPMM_MERGE_TASK words. */
enum { SPMM_MERGE_SAMPLES = 128, SPMM_MERGE_STRETCH = 48, SPMM_MERGE_TASK = 4 };

/* The entries of the sampled rows, and the words that they would have. */
struct spmm_merge_sums {
    uint64_t entries, words;
};
/* Warp k samples rows from rows / stretches * k on. */
struct spmm_merge_sample_args {
    int64_t rows, stretches;
    const void *offsets, *columns; /* P[rows+1], I[nnz] */
    struct spmm_merge_sums *sums;
};

/* words[r * rows + i]: the distinct columns of rows i..i+r, as far as there are such rows. */
struct spmm_merge_measure_args {
    int64_t rows;
    const void *offsets, *columns;
    uint16_t *words; /* [MOST_ROWS*rows] */
};

/* counts[i]: 1 if a task begins with row i; counts[rows + 1 + i]: its words. The last element of
 * each is 0. */
struct spmm_merge_cut_args {
    int64_t rows;
    const uint16_t *words;
    uint8_t *choice; /* [rows] temporary */
    int64_t *counts; /* [2*(rows+1)] */
};

/* Lists tasks, after a prefix sum of `counts`. */
struct spmm_merge_list_args {
    int64_t rows;
    const void *offsets, *columns;
    const int64_t *counts;
    struct spmm_task *task;
    uint32_t *words;
};
#endif
#else

/* The merge state of neighbouring rows. */
typedef struct FN(merging) {
    P position[SPMM_MOST_ROWS], end[SPMM_MOST_ROWS];
    int32_t column[SPMM_MOST_ROWS]; /* the next one; INT32_MAX: none */
} FN(merging);

DEVICE int32_t FN(merge_column)(const I *RESTRICT columns, P position, P end)
{
    return position < end ? (int32_t)READ(&columns[position]) : INT32_MAX;
}

DEVICE FN(merging) FN(merge_begin)(int64_t row, int64_t rows, const P *RESTRICT offsets,
                                   const I *RESTRICT columns)
{
    FN(merging) m;
    UNROLL for (int r = 0; r < SPMM_MOST_ROWS; r++)
    {
        m.position[r] = m.end[r] = 0;
        if (r < rows) {
            m.position[r] = READ(&offsets[row + r]);
            m.end[r] = READ(&offsets[row + r + 1]);
        }
        m.column[r] = FN(merge_column)(columns, m.position[r], m.end[r]);
    }
    return m;
}

/* The least next column, and a bit per row that has it; 0: the end. If columns of a row do not
 * ascend, late ones get words of their own: every entry is in one word, and a row's entries keep
 * their order. */
DEVICE uint32_t FN(merge_next)(FN(merging) *m, int32_t *column, const I *RESTRICT columns)
{
    uint32_t bits = 0;
    *column = m->column[0];
    UNROLL for (int r = 1; r < SPMM_MOST_ROWS; r++) *column =
        m->column[r] < *column ? m->column[r] : *column;
    if (*column == INT32_MAX)
        return 0;
    UNROLL for (int r = 0; r < SPMM_MOST_ROWS; r++) if (m->column[r] == *column)
    {
        bits |= 1u << r;
        m->position[r]++;
        m->column[r] = FN(merge_column)(columns, m->position[r], m->end[r]);
    }
    return bits;
}

/* words[r]: distinct columns of the rows 0 to r. */
DEVICE void FN(merge_measure)(FN(merging) m, uint32_t *words, const I *RESTRICT columns)
{
    int32_t column;
    UNROLL for (int r = 0; r < SPMM_MOST_ROWS; r++) words[r] = 0;
    for (uint32_t bits; (bits = FN(merge_next)(&m, &column, columns)) != 0;)
        UNROLL for (int r = 0; r < SPMM_MOST_ROWS; r++) words[r] += (bits & ((2u << r) - 1)) != 0;
}

KERNEL(spmm_merge_measure, SPMM_TASKS_THREADS, args)
{
    const I *columns = (const I *)args.columns;
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS) {
        uint32_t words[SPMM_MOST_ROWS];
        FN(merge_measure)(FN(merge_begin)(row, args.rows - row, (const P *)args.offsets, columns),
                          words, columns);
        UNROLL for (int r = 0; r < SPMM_MOST_ROWS; r++) args.words[r * args.rows + row] =
            (uint16_t)words[r];
    }
}

/* Dynamic programming: the least cost of tasks for the rows from a row to the end of a stretch,
 * in words and tasks, and for the two rows after it. */
typedef struct FN(merge_tail) {
    uint32_t cost[SPMM_MOST_ROWS], tasks[SPMM_MOST_ROWS];
} FN(merge_tail);

/* Adds a row in front; words[r]: of its task with r more rows; `remaining`: rows from it on.
 * Returns the number of rows of its task. */
DEVICE int FN(merge_choose)(FN(merge_tail) *tail, const uint32_t *words, int64_t remaining)
{
    uint32_t least = UINT32_MAX, tasks = 0;
    int rows = 1;
    UNROLL for (int r = 0; r < SPMM_MOST_ROWS; r++)
    {
        const uint32_t cost = words[r] + SPMM_MERGE_TASK + tail->cost[r];
        if (r < remaining && cost < least) {
            least = cost;
            tasks = tail->tasks[r] + 1;
            rows = r + 1;
        }
    }
    UNROLL for (int r = SPMM_MOST_ROWS - 1; r > 0; r--)
    {
        tail->cost[r] = tail->cost[r - 1];
        tail->tasks[r] = tail->tasks[r - 1];
    }
    tail->cost[0] = least;
    tail->tasks[0] = tasks;
    return rows;
}

DEVICE FN(merge_tail) FN(merge_nothing)(void)
{
    const FN(merge_tail) nothing = {{0, 0, 0}, {0, 0, 0}};
    return nothing;
}

/* Each lane measures a row, then all lanes choose tasks for all of them. */
KERNEL(spmm_merge_sample, SPMM_TASKS_THREADS, args)
{
    const I *columns = (const I *)args.columns;
    const P *offsets = (const P *)args.offsets;
    const int64_t stretch = BLOCK * (THREADS / LANES) + WARP,
                  first = args.rows / args.stretches * stretch;
    const int64_t remaining = stretch < args.stretches ? args.rows - first : 0,
                  count = remaining < LANES ? remaining : LANES;
    FN(merge_tail) tail = FN(merge_nothing)();
    uint32_t words[SPMM_MOST_ROWS], own_word[SPMM_MOST_ROWS];
    FN(merge_measure)(FN(merge_begin)(first + LANE, count - LANE, offsets, columns), words,
                      columns);
    for (int row = LANES - 1; row >= 0; row--) {
        UNROLL for (int r = 0; r < SPMM_MOST_ROWS; r++) own_word[r] =
            SHUFFLE(GROUP_MASK(LANES), words[r], row);
        if (row < count)
            FN(merge_choose)(&tail, own_word, count - row);
    }
    if (LANE == 0 && count > 0) {
        ATOMIC_ADD(&args.sums->entries,
                   (uint64_t)(READ(&offsets[first + count]) - READ(&offsets[first])));
        ATOMIC_ADD(&args.sums->words, (uint64_t)(tail.cost[0] - SPMM_MERGE_TASK * tail.tasks[0]));
    }
}

/* Divides rows begin..end-1, from the last one backwards. */
DEVICE void FN(merge_stretch)(const struct spmm_merge_cut_args *args, int64_t begin, int64_t end)
{
    FN(merge_tail) tail = FN(merge_nothing)();
    for (int64_t row = end - 1; row >= begin; row--) {
        uint32_t words[SPMM_MOST_ROWS];
        UNROLL for (int r = 0; r < SPMM_MOST_ROWS; r++) words[r] =
            READ(&args->words[r * args->rows + row]);
        args->choice[row] = (uint8_t)FN(merge_choose)(&tail, words, end - row);
    }
}

KERNEL(spmm_merge_cut, SPMM_TASKS_THREADS, args)
{
    const int64_t step = BLOCKS * THREADS * SPMM_MERGE_STRETCH;
    for (int64_t begin = (BLOCK * THREADS + THREAD) * SPMM_MERGE_STRETCH; begin <= args.rows;
         begin += step) {
        const int64_t limit = begin + SPMM_MERGE_STRETCH,
                      end = limit < args.rows ? limit : args.rows;
        int remaining = 0; /* remaining rows of the current task */
        FN(merge_stretch)(&args, begin, end);
        for (int64_t row = begin; row < end; row++, remaining--) {
            const int rows = remaining > 0 ? 0 : args.choice[row];
            args.counts[row] = rows > 0;
            args.counts[args.rows + 1 + row] =
                rows > 0 ? args.words[(rows - 1) * args.rows + row] : 0;
            remaining = remaining > 0 ? remaining : rows;
        }
        if (limit > args.rows)
            args.counts[args.rows] = args.counts[2 * args.rows + 1] = 0;
    }
}

DEVICE void FN(merge_task)(const struct spmm_merge_list_args *args, int64_t row,
                           const I *RESTRICT columns)
{
    const int64_t *number = args->counts + row, *words = args->counts + args->rows + 1 + row;
    const int64_t tasks = READ(&args->counts[args->rows]), first = READ(&number[0]);
    const int64_t begin = READ(&words[0]) - tasks; /* one prefix sum covers both */
    if (READ(&number[1]) == first)
        return;
    int64_t next = row + 1;
    while (next < args->rows && READ(&args->counts[next + 1]) == first + 1)
        next++;
    FN(merging) m = FN(merge_begin)(row, next - row, (const P *)args->offsets, columns);
    const struct spmm_task task = {
        begin, (int32_t)row, (uint16_t)(READ(&words[1]) - READ(&words[0])), (uint16_t)(next - row)};
    args->task[first] = task;
    int32_t column;
    uint32_t *to = args->words + begin;
    for (uint32_t bits; (bits = FN(merge_next)(&m, &column, columns)) != 0;)
        *to++ = bits << SPMM_WORD_BITS | (uint32_t)column;
}

KERNEL(spmm_merge_list, SPMM_TASKS_THREADS, args)
{
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS)
        FN(merge_task)(&args, row, (const I *)args.columns);
}
#endif
