/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of spmv/compute/gpu/ell and rvs: see spmv_ell_gpu.c, spmv_rvs_gpu.c; the format:
 * format/device_ell.h. */
#ifndef T
#ifndef SPL_SPMV_KERNELS_SPMV_ELL_K_H
#define SPL_SPMV_KERNELS_SPMV_ELL_K_H
#include "device/scalars.h"
#include "format/device_ell.k.h"

enum { SPMV_ELL_THREADS = 256 };

struct spmv_ell_args {
    struct ell_blocks ell;
    const int32_t *columns;
    const void *values, *x; /* T */
    void *y;
    spl__device_scalars scalars;
};
#endif
#else

#include "format/ell_position.h"
#include "spmv/kernels/row_lanes.h"

/* The row's sum; several loads overlap. */
enum { FN(ELL_AT_ONCE) = 4 };
DEVICE T FN(ell_sum)(const FN(ell_position) *position, const int32_t *RESTRICT columns,
                     const T *RESTRICT values, const T *RESTRICT x)
{
    T sum = 0;
    for (int64_t k = 0; k < position->length; k += FN(ELL_AT_ONCE)) {
        int32_t column[FN(ELL_AT_ONCE)];
        T value[FN(ELL_AT_ONCE)];
        UNROLL for (int u = 0; u < FN(ELL_AT_ONCE); u++)
        {
            const bool valid = k + u < position->length;
            column[u] =
                valid ? READ_ONCE(&columns[position->entry + (k + u) * position->step]) : -1;
            value[u] =
                valid ? READ_ONCE(&values[position->entry + (k + u) * position->step]) : (T)0;
        }
        UNROLL for (int u = 0; u < FN(ELL_AT_ONCE); u++)
        {
            if (column[u] >= 0)
                sum += value[u] * READ(&x[column[u]]);
        }
    }
    return sum;
}

KERNEL(spmv_ell, SPMV_ELL_THREADS, args)
{
    const T alpha = SCALAR(T, args.scalars.alpha), beta = SCALAR(T, args.scalars.beta);
    for (int64_t i = BLOCK * THREADS + THREAD; i < args.ell.row_count; i += BLOCKS * THREADS) {
        const FN(ell_position) position = FN(ell_position_of)(&args.ell, i);
        const T sum = alpha == 0 ? (T)0
                                 : FN(ell_sum)(&position, args.columns, (const T *)args.values,
                                               (const T *)args.x);
        FN(store_row)((T *)args.y + position.row, sum, alpha, beta);
    }
}
#endif
