/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of odd_alpha.c: finite elements of rows with entries become NaN. */
#ifndef T
#ifndef SPL_PLAN_ODD_ALPHA_K_H
#define SPL_PLAN_ODD_ALPHA_K_H
#include <stdint.h>

enum { ODD_ALPHA_THREADS = 256 };

struct odd_alpha_args {
    int64_t rows, width;
    const void *offsets; /* P[rows+1] */
    /* T; strides in elements between rows and between columns */
    void *c;
    int64_t c_row, c_column;
    double alpha; /* Inf or NaN */
};
#endif
#else
#define IN_HALVES

DEVICE void FN(mend_element)(const P *RESTRICT offsets, int64_t row, T *c, ACC alpha)
{
    const ACC value = WIDEN(*c);
    if (READ(&offsets[row]) < READ(&offsets[row + 1]) && value - value == 0)
        *c = NARROW(alpha * (ACC)0);
}

KERNEL(odd_alpha, ODD_ALPHA_THREADS, args)
{
    const int64_t count = args.rows * args.width;
    for (int64_t k = BLOCK * THREADS + THREAD; k < count; k += BLOCKS * THREADS) {
        const int64_t row = k / args.width, column = k % args.width;
        FN(mend_element)((const P *)args.offsets, row,
                         (T *)args.c + row * args.c_row + column * args.c_column, (ACC)args.alpha);
    }
}
#endif
