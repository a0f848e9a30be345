/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_long_rows.c: which rows are long, and the pieces they are cut into. */
#ifndef T
#ifndef SPL_SPMV_LONG_ROWS_K_H
#define SPL_SPMV_LONG_ROWS_K_H
#include "device/scalars.h"

enum { SPMV_LONG_THREADS = 256, SPMV_PIECE = 512 };

/* Entries begin..begin+entries are the row's piece number `part` of `parts`. */
struct spmv_long_piece {
    int64_t begin;
    int32_t row, entries, part, parts;
};

/* Rows of more than `limit` entries, in pieces of SPMV_PIECE entries, a warp for each. Pieces of a row follow each other. */
struct spmv_long_rows {
    int64_t pieces, limit;
    const struct spmv_long_piece *list; /* [pieces] */
    void *sums;                         /* ACC[pieces] */
    int32_t *
        arrived; /* [pieces]; of a row's first piece: how many of the row's pieces are summed up, 0 between executions */
};

/* What a multiplication of CSR is given. */
struct spmv_csr {
    int64_t rows, nnz;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] */
    const void *x;
    void *y;
    spl__device_scalars scalars;
};

/* pieces[i] = how many pieces row i has, 0 if it is not long; pieces[row_count] = 0 */
struct spmv_long_count_args {
    int64_t row_count, limit;
    const void *offsets; /* P[row_count+1] */
    int64_t *pieces;     /* [row_count+1] */
};

/* The list of pieces; `at` = those counts, summed up */
struct spmv_long_list_args {
    int64_t row_count, limit;
    const void *offsets;
    const int64_t *at;
    struct spmv_long_piece *list;
};
#endif
#else

#include "spmv/long_row_piece.h"

DEVICE void FN(long_count)(int64_t row_count, int64_t limit, const P *RESTRICT offsets, int64_t *RESTRICT pieces)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i <= row_count; i += BLOCKS * THREADS)
        pieces[i] = i < row_count ? FN(pieces_of)(READ(&offsets[i + 1]) - READ(&offsets[i]), limit) : 0;
}

KERNEL(spmv_long_count, SPMV_LONG_THREADS, args)
{
    FN(long_count)(args.row_count, args.limit, (const P *)args.offsets, args.pieces);
}

DEVICE void FN(long_list)(int64_t row_count, int64_t limit, const P *RESTRICT offsets, const int64_t *RESTRICT at,
                          struct spmv_long_piece *RESTRICT list)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < row_count; i += BLOCKS * THREADS) {
        const int64_t begin = READ(&offsets[i]), length = READ(&offsets[i + 1]) - begin;
        const int64_t parts = FN(pieces_of)(length, limit);
        struct spmv_long_piece *mine = list + READ(&at[i]);
        for (int64_t k = 0; k < parts; k++) {
            const int64_t left = length - k * SPMV_PIECE;
            mine[k].begin = begin + k * SPMV_PIECE;
            mine[k].row = (int32_t)i;
            mine[k].entries = (int32_t)(left < SPMV_PIECE ? left : SPMV_PIECE);
            mine[k].part = (int32_t)k;
            mine[k].parts = (int32_t)parts;
        }
    }
}

KERNEL(spmv_long_list, SPMV_LONG_THREADS, args)
{
    FN(long_list)(args.row_count, args.limit, (const P *)args.offsets, args.at, args.list);
}
#endif
