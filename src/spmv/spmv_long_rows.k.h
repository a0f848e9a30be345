/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_long_rows.c: which rows are long, and the pieces they are cut into. */
#ifndef T
#ifndef SPL_SPMV_LONG_ROWS_K_H
#define SPL_SPMV_LONG_ROWS_K_H
#include "device/scalars.h"

enum { SPMV_LONG_THREADS = 256, SPMV_PIECE = 512 };

/* Rows of more than `limit` entries, in pieces of SPMV_PIECE entries, a warp for each. Pieces of a row follow each other. */
struct spmv_long_rows {
    int64_t pieces, limit;
    const int32_t *rows, *parts; /* of each piece: its row, which of the row's pieces it is */
    void *sums;                  /* T[pieces] */
    int32_t *arrived;            /* [pieces]; of a row's first piece: how many of the row's pieces are summed up, 0 between executions */
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
    int32_t *rows, *parts;
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
                          int32_t *RESTRICT rows, int32_t *RESTRICT parts)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < row_count; i += BLOCKS * THREADS) {
        const int64_t count = FN(pieces_of)(READ(&offsets[i + 1]) - READ(&offsets[i]), limit);
        for (int64_t k = 0; k < count; k++) {
            rows[READ(&at[i]) + k] = (int32_t)i;
            parts[READ(&at[i]) + k] = (int32_t)k;
        }
    }
}

KERNEL(spmv_long_list, SPMV_LONG_THREADS, args)
{
    FN(long_list)(args.row_count, args.limit, (const P *)args.offsets, args.at, args.rows, args.parts);
}
#endif
