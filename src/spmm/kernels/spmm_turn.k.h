/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes a tile of a column-major B to consecutive rows. */
#ifndef T
#ifndef SPL_SPMM_KERNELS_SPMM_TURN_K_H
#define SPL_SPMM_KERNELS_SPMM_TURN_K_H
#include <stdint.h>

/* A block transposes a square in shared memory, with one word of padding per line to avoid bank
 * conflicts. */
enum { SPMM_TURN_SIDE = 32, SPMM_TURN_THREADS = 256 };

/* to[i*columns+j] = from[i+j*ld] */
struct spmm_turn_args {
    int64_t rows, columns, ld;
    const void *from; /* T */
    void *to;         /* T[rows*columns] */
};
#endif
#else
#define IN_HALVES /* 16-bit floats are copied unchanged */

DEVICE void FN(spmm_turn_squares)(const struct spmm_turn_args args, const T *RESTRICT from,
                                  T *RESTRICT to)
{
    SHARED(T, square, SPMM_TURN_SIDE * (SPMM_TURN_SIDE + 1));
    const int64_t tile_rows = (args.rows + SPMM_TURN_SIDE - 1) / SPMM_TURN_SIDE,
                  tile_columns = (args.columns + SPMM_TURN_SIDE - 1) / SPMM_TURN_SIDE;
    const int fast = THREAD % SPMM_TURN_SIDE, slow = THREAD / SPMM_TURN_SIDE,
              step = THREADS / SPMM_TURN_SIDE;
    for (int64_t s = BLOCK; s < tile_rows * tile_columns; s += BLOCKS) {
        const int64_t row = s % tile_rows * SPMM_TURN_SIDE, column = s / tile_rows * SPMM_TURN_SIDE;
        for (int j = slow; j < SPMM_TURN_SIDE; j += step)
            if (row + fast < args.rows && column + j < args.columns)
                square[j * (SPMM_TURN_SIDE + 1) + fast] =
                    READ(&from[row + fast + (column + j) * args.ld]);
        SYNC();
        for (int i = slow; i < SPMM_TURN_SIDE; i += step)
            if (row + i < args.rows && column + fast < args.columns)
                to[(row + i) * args.columns + column + fast] =
                    square[fast * (SPMM_TURN_SIDE + 1) + i];
        SYNC();
    }
}

KERNEL(spmm_turn, SPMM_TURN_THREADS, args)
{
    FN(spmm_turn_squares)(args, (const T *)args.from, (T *)args.to);
}
#endif
