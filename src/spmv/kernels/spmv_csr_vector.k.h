/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of spmv/compute/gpu/csr_vector: see spmv_csr_vector_gpu.c. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_CSR_VECTOR_K_H
#define SPL_SPMV_KERNELS_SPMV_CSR_VECTOR_K_H
#include "device/scalars.h"

enum { SPMV_CSR_VECTOR_THREADS = 256 };

/* y = alpha*A*x + beta*y; A is rows x cols in CSR; `width` lanes, a power of two up to LANES, share
 * a row. */
struct spmv_csr_vector_args {
    int64_t rows;
    const void *offsets, *columns, *values; /* P[rows+1], I[nnz], T[nnz] */
    const void *x;                          /* T[cols] */
    void *y;                                /* T[rows] */
    spl__device_scalars scalars;
    int32_t width;
};
#endif
#else

#define IN_HALVES
#include "spmv/kernels/row_lanes.h"

DEVICE void FN(csr_vector_row)(const struct spmv_csr_vector_args *args, int64_t row, ACC alpha,
                               ACC beta)
{
    const P *RESTRICT offsets = (const P *)args->offsets;
    const int width = args->width;
    const int64_t begin = READ(&offsets[row]),
                  count = alpha == 0 ? 0 : READ(&offsets[row + 1]) - begin;
    const ACC sum = FN(entries_sum)(LANE % width, count, width, (const I *)args->columns + begin,
                                    (const T *)args->values + begin, (const T *)args->x, false);
    const ACC total = FN(group_sum)(sum, width);
    if (LANE % width == 0)
        FN(store_row)((T *)args->y + row, total, alpha, beta);
}

KERNEL(spmv_csr_vector, SPMV_CSR_VECTOR_THREADS, args)
{
    const int64_t groups = BLOCKS * (THREADS / args.width);
    const ACC alpha = SCALAR(ACC, args.scalars.alpha), beta = SCALAR(ACC, args.scalars.beta);
    for (int64_t row = BLOCK * (THREADS / args.width) + THREAD / args.width; row < args.rows;
         row += groups)
        FN(csr_vector_row)(&args, row, alpha, beta);
}
#endif
