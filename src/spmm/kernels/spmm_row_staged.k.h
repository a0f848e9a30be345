/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of spmm/compute/gpu/row_staged: see spmm_row_staged_gpu.c. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_ROW_STAGED_K_H
#define SPL_SPMM_KERNELS_SPMM_ROW_STAGED_K_H
#include "device/scalars.h"

enum { SPMM_STAGED_THREADS = 256 };

/* C = alpha*A*B + beta*C; B and C have `width` columns; strides in elements between rows and
 * between columns. */
struct spmm_row_staged_args {
    int64_t rows, width;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] */
    const void *b;
    int64_t b_row, b_column;
    void *c;
    int64_t c_row, c_column;
    spl__device_scalars scalars;
};
#endif
#else
#include "device/scale_sum.h"

/* Entries of A that a warp has loaded, one per lane. */
typedef struct FN(stage) {
    T values[LANES];
    I columns[LANES];
} FN(stage);

/* This lane's element of a row of C: the sum over entries begin..end of value * b[column]; b:
 * the lane's column of B. */
DEVICE T FN(staged_sum)(const I *RESTRICT columns, const T *RESTRICT values, P begin, P end,
                        const T *RESTRICT b, int64_t b_row, bool has_column, FN(stage) *stage)
{
    T sum = 0;
    for (P chunk = begin; chunk < end; chunk += LANES) {
        const int count = end - chunk < LANES ? (int)(end - chunk) : LANES;
        SYNC_WARP(GROUP_MASK(LANES)); /* the previous chunk has been read */
        if (LANE < count) {
            stage->columns[LANE] = READ(&columns[chunk + LANE]);
            stage->values[LANE] = READ(&values[chunk + LANE]);
        }
        SYNC_WARP(GROUP_MASK(LANES));
        for (int k = 0; has_column && k < count; k++)
            sum += stage->values[k] * READ(&b[stage->columns[k] * b_row]);
    }
    return sum;
}

KERNEL(spmm_row_staged, SPMM_STAGED_THREADS, args)
{
    SHARED(FN(stage), stages, SPMM_STAGED_THREADS / LANES);
    const P *RESTRICT offsets = (const P *)args.offsets;
    const T alpha = SCALAR(T, args.scalars.alpha), beta = SCALAR(T, args.scalars.beta);
    const int64_t tiles = (args.width + LANES - 1) / LANES, tasks = args.rows * tiles;
    const int64_t step = BLOCKS * (THREADS / LANES);
    for (int64_t task = BLOCK * (THREADS / LANES) + WARP; task < tasks; task += step) {
        const int64_t row = task / tiles, column = task % tiles * LANES + LANE;
        const bool has_column = column < args.width;
        const P begin = alpha == 0 ? 0 : offsets[row], end = alpha == 0 ? 0 : offsets[row + 1];
        const T sum = FN(staged_sum)((const I *)args.columns, (const T *)args.values, begin, end,
                                     (const T *)args.b + column * args.b_column, args.b_row,
                                     has_column, &stages[WARP]);
        T *const c = (T *)args.c + row * args.c_row + column * args.c_column;
        if (has_column)
            *c = FN(scale_sum)(alpha, sum) + (beta == 0 ? 0 : beta * *c);
    }
}
#endif
