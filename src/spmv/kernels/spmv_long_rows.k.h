/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_long_rows.c: find long rows, list their pieces, and add the sums of pieces. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_LONG_ROWS_K_H
#define SPL_SPMV_KERNELS_SPMV_LONG_ROWS_K_H
#include "device/scalars.h"

enum { SPMV_LONG_THREADS = 256, SPMV_PIECE = 512 };

/* Entries begin..begin+entries are piece `part` of the row's `parts` pieces, whose sums are
 * consecutive from number `first` on. */
struct spmv_long_piece {
    int64_t begin;
    int32_t row, entries, first, part, parts;
};

/* Rows of more than `limit` entries, in pieces, one warp each. */
struct spmv_long_rows {
    int64_t pieces, limit;
    const struct spmv_long_piece *list; /* [pieces] */
    void *sums;                         /* ACC[pieces] */
    /* [pieces]; for a row's first piece: the number of finished pieces of the row, 0 between
     * executions; NULL: spmv_long_join adds the sums */
    int32_t *arrived;
};

/* The operands of SpMV with CSR. */
struct spmv_csr {
    int64_t rows, nnz;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] */
    const void *x;
    void *y;
    spl__device_scalars scalars;
};

/* pieces[i] = the number of pieces of `piece` entries of row i, 0 if it is not long;
 * pieces[row_count] = 0 */
struct spmv_long_count_args {
    int64_t row_count, limit, piece;
    const void *offsets; /* P[row_count+1] */
    int64_t *pieces;     /* [row_count+1] */
};

/* Lists pieces; piece_offsets: the prefix sums of these counts */
struct spmv_long_list_args {
    struct spmv_long_count_args count;
    const int64_t *piece_offsets; /* [row_count+1] */
    struct spmv_long_piece *list;
};

/* keys[i] = the begin of piece i in x, in units of which an L1 cache holds several; numbers[i] =
 * i */
enum { SPMV_NEAR_COLUMNS = 4096 };
struct spmv_long_keys_args {
    int64_t pieces;
    const struct spmv_long_piece *list;
    const void *columns;
    int64_t *keys;
    int32_t *numbers;
};

/* to[i] = from[numbers[i]] */
struct spmv_long_order_args {
    int64_t pieces;
    const struct spmv_long_piece *from;
    const int32_t *numbers;
    struct spmv_long_piece *to;
};

/* y = alpha * (sum of pieces) + beta*y for rows of more than one piece; row i has the pieces
 * piece_offsets[i] to piece_offsets[i+1] */
struct spmv_long_join_args {
    int64_t row_count;
    const int64_t *piece_offsets; /* [row_count+1] */
    const void *sums;             /* ACC */
    void *y;
    spl__device_scalars scalars;
};
#endif
#else

#define IN_HALVES
#include "spmv/kernels/long_row_piece.h"

DEVICE void FN(long_count)(const struct spmv_long_count_args *args, const P *RESTRICT offsets)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i <= args->row_count; i += BLOCKS * THREADS) {
        const int64_t length = i < args->row_count ? READ(&offsets[i + 1]) - READ(&offsets[i]) : 0;
        args->pieces[i] = length > args->limit ? (length + args->piece - 1) / args->piece : 0;
    }
}

KERNEL(spmv_long_count, SPMV_LONG_THREADS, args)
{
    FN(long_count)(&args, (const P *)args.offsets);
}

/* Lists the pieces of row `row`, with all lanes of a warp. */
DEVICE void FN(long_list_row)(const struct spmv_long_list_args *args, int64_t row,
                              const P *RESTRICT offsets)
{
    const int64_t begin = READ(&offsets[row]), length = READ(&offsets[row + 1]) - begin,
                  first = READ(&args->piece_offsets[row]);
    const int64_t parts = READ(&args->piece_offsets[row + 1]) - first, longest = args->count.piece;
    for (int64_t k = LANE; k < parts; k += LANES) {
        const int64_t remaining = length - k * longest;
        const struct spmv_long_piece piece = {
            begin + k * longest, (int32_t)row, (int32_t)(remaining < longest ? remaining : longest),
            (int32_t)first,      (int32_t)k,   (int32_t)parts};
        args->list[first + k] = piece;
    }
}

DEVICE void FN(long_list)(const struct spmv_long_list_args *args, const P *RESTRICT offsets)
{
    for (int64_t base = BLOCK * THREADS + THREAD - LANE; base < args->count.row_count;
         base += BLOCKS * THREADS) {
        const int64_t row = base + LANE;
        const bool has = row < args->count.row_count &&
                         READ(&args->piece_offsets[row + 1]) > READ(&args->piece_offsets[row]);
        for (lane_mask pending = BALLOT(GROUP_MASK(LANES), has); pending; pending &= pending - 1)
            FN(long_list_row)(args, base + FIRST_BIT(pending), offsets);
    }
}

KERNEL(spmv_long_list, SPMV_LONG_THREADS, args)
{
    FN(long_list)(&args, (const P *)args.count.offsets);
}

KERNEL(spmv_long_keys, SPMV_LONG_THREADS, args)
{
    const I *RESTRICT columns = (const I *)args.columns;
    for (int64_t i = BLOCK * THREADS + THREAD; i < args.pieces; i += BLOCKS * THREADS) {
        args.keys[i] = READ(&columns[READ(&args.list[i].begin)]) / SPMV_NEAR_COLUMNS;
        args.numbers[i] = (int32_t)i;
    }
}

KERNEL(spmv_long_order, SPMV_LONG_THREADS, args)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < args.pieces; i += BLOCKS * THREADS)
        args.to[i] = args.from[READ(&args.numbers[i])];
}

/* One lane per row; all lanes of a warp for rows of many pieces. */
enum { FN(FEW_PIECES) = 8 };
DEVICE void FN(long_join)(const struct spmv_long_join_args *args, ACC alpha, ACC beta)
{
    const ACC *RESTRICT sums = (const ACC *)args->sums;
    for (int64_t base = BLOCK * THREADS + THREAD - LANE; base < args->row_count;
         base += BLOCKS * THREADS) {
        const int64_t row = base + LANE,
                      first = row < args->row_count ? READ(&args->piece_offsets[row]) : 0;
        const int64_t parts =
            row < args->row_count ? READ(&args->piece_offsets[row + 1]) - first : 0;
        ACC sum = 0;
        for (int64_t k = 0; k < parts && parts <= FN(FEW_PIECES); k++)
            sum += READ(&sums[first + k]);
        if (parts > 1 && parts <= FN(FEW_PIECES))
            FN(store_row)((T *)args->y + row, sum, alpha, beta);
        for (lane_mask pending = BALLOT(GROUP_MASK(LANES), parts > FN(FEW_PIECES)); pending;
             pending &= pending - 1) {
            const int lane = FIRST_BIT(pending);
            const int64_t from = SHUFFLE(GROUP_MASK(LANES), first, lane),
                          count = SHUFFLE(GROUP_MASK(LANES), parts, lane);
            ACC of_all = 0;
            for (int64_t k = LANE; k < count; k += LANES)
                of_all += READ(&sums[from + k]);
            of_all = FN(group_sum)(of_all, LANES);
            if (LANE == 0)
                FN(store_row)((T *)args->y + base + lane, of_all, alpha, beta);
        }
    }
}

KERNEL(spmv_long_join, SPMV_LONG_THREADS, args)
{
    FN(long_join)(&args, SCALAR(ACC, args.scalars.alpha), SCALAR(ACC, args.scalars.beta));
}
#endif
