/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of spmv/compute/gpu/frequent_columns and device_frequent.c: see there. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_FREQUENT_K_H
#define SPL_SPMV_KERNELS_SPMV_FREQUENT_K_H
#include "format/device_narrow_values.k.h"
#include "spmv/kernels/spmv_long_rows.k.h"

enum {
    SPMV_FREQUENT_THREADS = 1024, /* threads of a block, the only one of its multiprocessor */
    SPMV_FREQUENT_SHORT = 32,     /* the most entries of a row that is not cut into pieces */
    SPMV_FREQUENT_WIDTH = 4,      /* lanes for such a row */
    SPMV_FREQUENT_SETUP_THREADS = 256,
    SPMV_FREQUENT_SAMPLE = 8 /* one of that many entries is counted */
};

/* counts[j] = the number of sampled entries in column j */
struct spmv_frequent_count_args {
    int64_t nnz;
    const void *columns;
    int32_t *counts; /* [cols], initially 0 */
};

/* keys[j] = most - counts[j], at least 0; numbers[j] = j */
struct spmv_frequent_keys_args {
    int64_t cols, most;
    const int32_t *counts;
    int64_t *keys;
    int32_t *numbers;
};

/* ranks[list[i]] = i */
struct spmv_frequent_ranks_args {
    int64_t count;
    const int32_t *list; /* [count]: columns */
    int32_t *ranks;      /* [cols], initially -1 */
};

/* to[p] = columns[p], or, if that has a rank, cols + the rank */
struct spmv_frequent_columns_args {
    int64_t nnz, cols;
    const void *columns;
    const int32_t *ranks;
    void *to;
};

/* to[i] = x[list[i]], unless alpha is 0: then x must not be read */
struct spmv_frequent_pack_args {
    int64_t count;
    const int32_t *list;
    const void *x; /* T */
    void *to;      /* T */
    spl__device_scalars scalars;
};

struct spmv_frequent_args {
    struct spmv_csr a; /* with renumbered columns */
    struct spmv_long_rows long_rows;
    int32_t cols, count;
    const void *packed; /* T[count] */
};

/* The same; if all values of A are equal, they are not read. */
struct spmv_frequent_one_value_args {
    struct spmv_frequent_args frequent;
    const struct device_narrow_found *found;
};
#endif
#else

#define IN_HALVES
#include "spmv/kernels/long_row_piece.h"

KERNEL(spmv_frequent_count, SPMV_FREQUENT_SETUP_THREADS, args)
{
    const I *RESTRICT columns = (const I *)args.columns;
    const int64_t step = SPMV_FREQUENT_SAMPLE * BLOCKS * THREADS;
    for (int64_t p = SPMV_FREQUENT_SAMPLE * (BLOCK * THREADS + THREAD); p < args.nnz; p += step)
        ATOMIC_ADD(&args.counts[READ(&columns[p])], 1);
}

KERNEL(spmv_frequent_keys, SPMV_FREQUENT_SETUP_THREADS, args)
{
    for (int64_t j = BLOCK * THREADS + THREAD; j < args.cols; j += BLOCKS * THREADS) {
        const int64_t count = READ(&args.counts[j]);
        args.keys[j] = count < args.most ? args.most - count : 0;
        args.numbers[j] = (int32_t)j;
    }
}

KERNEL(spmv_frequent_ranks, SPMV_FREQUENT_SETUP_THREADS, args)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < args.count; i += BLOCKS * THREADS)
        args.ranks[READ(&args.list[i])] = (int32_t)i;
}

KERNEL(spmv_frequent_columns, SPMV_FREQUENT_SETUP_THREADS, args)
{
    const I *RESTRICT columns = (const I *)args.columns;
    I *RESTRICT to = (I *)args.to;
    for (int64_t p = BLOCK * THREADS + THREAD; p < args.nnz; p += BLOCKS * THREADS) {
        const I column = READ(&columns[p]);
        const int32_t rank = READ(&args.ranks[column]);
        to[p] = rank < 0 ? column : (I)(args.cols + rank);
    }
}

KERNEL(spmv_frequent_pack, SPMV_FREQUENT_SETUP_THREADS, args)
{
    const T *RESTRICT x = (const T *)args.x;
    const int64_t count = SCALAR(ACC, args.scalars.alpha) != 0 ? args.count : 0;
    for (int64_t i = BLOCK * THREADS + THREAD; i < count; i += BLOCKS * THREADS)
        ((T *)args.to)[i] = READ(&x[READ(&args.list[i])]);
}

/* This lane's part of a row: every step-th entry from `first` on, with `most` loads in flight;
 * `most` and `one_value` (as in row_lanes.h) are compile-time constants in all callers. x of
 * frequent columns is in shared memory. */
enum { FN(FREQUENT_AT_ONCE) = 8 };
DEVICE ACC FN(frequent_sum)(const struct spmv_frequent_args *args, int64_t begin, int first,
                            int count, int step, const T *frequent, int most, bool one_value)
{
    const I *RESTRICT columns = (const I *)args->a.columns + begin;
    const T *RESTRICT values = (const T *)args->a.values + (one_value ? 0 : begin),
                      *RESTRICT x = (const T *)args->a.x;
    const T constant = one_value ? READ(values) : NARROW((ACC)0);
    ACC sum = 0;
    for (int p = first; p < count; p += most * step) {
        I column[FN(FREQUENT_AT_ONCE)];
        T value[FN(FREQUENT_AT_ONCE)];
        UNROLL for (int u = 0; u < most; u++)
        {
            const bool valid = p + u * step < count;
            column[u] = valid ? READ_ONCE(&columns[p + u * step]) : -1;
            value[u] = valid && !one_value ? READ_ONCE(&values[p + u * step]) : constant;
        }
        UNROLL for (int u = 0; u < most; u++)
        {
            if (column[u] >= args->cols)
                sum += WIDEN(value[u]) * WIDEN(frequent[column[u] - args->cols]);
            else if (column[u] >= 0)
                sum += WIDEN(value[u]) * WIDEN(READ(&x[column[u]]));
        }
    }
    return sum;
}

/* Computes the short rows from `base` on, with a warp. */
DEVICE void FN(frequent_rows)(const struct spmv_frequent_args *args, int64_t base,
                              const T *frequent, bool one_value)
{
    enum { AT_ONCE = SPMV_FREQUENT_SHORT / SPMV_FREQUENT_WIDTH };
    const ACC alpha = SCALAR(ACC, args->a.scalars.alpha), beta = SCALAR(ACC, args->a.scalars.beta);
    const P *RESTRICT offsets = (const P *)args->a.offsets;
    const int64_t row = base + LANE / SPMV_FREQUENT_WIDTH;
    const int lane = LANE % SPMV_FREQUENT_WIDTH;
    const int64_t begin = row < args->a.rows ? READ(&offsets[row]) : 0;
    const int64_t length = row < args->a.rows ? READ(&offsets[row + 1]) - begin : 0;
    const bool selected = row < args->a.rows && length <= SPMV_FREQUENT_SHORT;
    const int count = selected && alpha != 0 ? (int)length : 0;
    ACC sum = FN(frequent_sum)(args, begin, lane, count, SPMV_FREQUENT_WIDTH, frequent, AT_ONCE,
                               one_value);
    sum = FN(group_sum)(sum, SPMV_FREQUENT_WIDTH);
    if (selected && lane == 0)
        FN(store_row)((T *)args->a.y + row, sum, alpha, beta);
}

DEVICE void FN(frequent_piece)(const struct spmv_frequent_args *args, int64_t piece,
                               const T *frequent, bool one_value)
{
    const ACC alpha = SCALAR(ACC, args->a.scalars.alpha), beta = SCALAR(ACC, args->a.scalars.beta);
    const struct spmv_long_piece *RESTRICT p = &args->long_rows.list[piece];
    const int entries = alpha != 0 ? READ(&p->entries) : 0;
    const ACC sum = FN(frequent_sum)(args, READ(&p->begin), LANE, entries, LANES, frequent,
                                     FN(FREQUENT_AT_ONCE), one_value);
    FN(store_piece)(&args->long_rows, p, sum, (T *)args->a.y, alpha, beta);
}

/* Persistent blocks, whose warps take pieces, then short rows, in turn. */
DEVICE void FN(frequent_work)(const struct spmv_frequent_args *args, T *frequent, bool one_value)
{
    const int64_t pieces = args->long_rows.pieces, rows = LANES / SPMV_FREQUENT_WIDTH;
    const int64_t tasks = pieces + (args->a.rows + rows - 1) / rows;
    const int count = SCALAR(ACC, args->a.scalars.alpha) != 0 ? args->count : 0;
    for (int i = THREAD; i < count; i += THREADS)
        frequent[i] = READ((const T *)args->packed + i);
    SYNC();
    for (int64_t task = WARP * BLOCKS + BLOCK; task < tasks; task += BLOCKS * (THREADS / LANES)) {
        if (task < pieces)
            FN(frequent_piece)(args, task, frequent, one_value);
        else
            FN(frequent_rows)(args, (task - pieces) * rows, frequent, one_value);
    }
}

KERNEL(spmv_frequent, SPMV_FREQUENT_THREADS, args)
{
    SHARED_AT_LAUNCH(T, frequent);
    FN(frequent_work)(&args, frequent, false);
}

KERNEL(spmv_frequent_one_value, SPMV_FREQUENT_THREADS, args)
{
    SHARED_AT_LAUNCH(T, frequent);
    const bool one_value = READ(&args.found->form) == DEVICE_NARROW_ONE;
    struct spmv_frequent_args arguments = args.frequent;
    if (one_value) {
        arguments.a.values = args.found->values;
        FN(frequent_work)(&arguments, frequent, true);
    } else {
        FN(frequent_work)(&arguments, frequent, false);
    }
}
#endif
