/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of SpGEMM for the lengths of rows: upper bounds and the maximum. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_BOUNDS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_BOUNDS_K_H
#include "spgemm/kernels/spgemm_structures.h"

/* The bound of a row: the lesser of its products plus entries of D, and the columns of C. */
struct spgemm_bound_rows_args {
    int64_t rows, cols;
    const int64_t *work; /* [rows] */
    int64_t *bounds;     /* [rows] */
};

/* *longest, initially zero, becomes the length of the longest row. */
struct spgemm_longest_row_args {
    int64_t rows;
    const int64_t *offsets; /* [rows + 1] */
    uint64_t *longest;
};
#endif
#else

KERNEL(spgemm_bound_rows, SPGEMM_ROWS_THREADS, args)
{
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS) {
        const int64_t work = READ(&args.work[row]);
        args.bounds[row] = work < args.cols ? work : args.cols;
    }
}

KERNEL(spgemm_longest_row, SPGEMM_ROWS_THREADS, args)
{
    uint64_t longest = 0;
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS) {
        const uint64_t length = (uint64_t)(READ(&args.offsets[row + 1]) - READ(&args.offsets[row]));
        longest = length > longest ? length : longest;
    }
    for (int x = LANES / 2; x > 0; x /= 2) {
        const uint64_t other = SHUFFLE_XOR(GROUP_MASK(LANES), longest, x);
        longest = other > longest ? other : longest;
    }
    if (LANE == 0)
        ATOMIC_MAX(args.longest, longest);
}
#endif
