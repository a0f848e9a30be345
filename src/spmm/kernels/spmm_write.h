/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_write.h: part of kernels of SpMM: reads T, ACC and FN of each_kernel.h. */

#include "device/scale_sum.h"

/* c = alpha*sum + beta*c for `run` neighbours, at most 8 */
DEVICE void FN(spmm_write)(T *c, const ACC *sum, ACC alpha, ACC beta, const int run)
{
    T result[8];
    UNROLL for (int v = 0; v < run; v++) result[v] =
        NARROW(FN(scale_sum)(alpha, sum[v]) + (beta == 0 ? 0 : beta * WIDEN(c[v])));
    WRITE_RUN(c, result, run);
}
