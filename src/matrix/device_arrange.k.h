/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_arrange.c: another format, or the transpose, of a matrix on a
 * device, in CSR. */
#ifndef T
#ifndef SPL_MATRIX_DEVICE_ARRANGE_K_H
#define SPL_MATRIX_DEVICE_ARRANGE_K_H
#include <stdint.h>

enum { DEVICE_ARRANGE_THREADS = 256, DEVICE_ARRANGE_LANES = 8 };

/* Numbers entries in their order: numbers[p] = p, and lines[p] = the line (row of CSR, column of
 * CSC) that entry p is in, from offsets, unless lines is NULL. */
struct arrange_number_args {
    int64_t lines_count, nnz;
    const void *offsets; /* P[lines_count+1]; NULL if lines is */
    int32_t *lines;
    void *numbers; /* P[nnz] */
};

/* to[k] = from[numbers[k]] */
struct arrange_gather_args {
    int64_t count;
    const void *numbers; /* P[count] */
    const int32_t *from;
    int32_t *to;
};
struct arrange_values_args {
    int64_t count;
    const void *numbers;
    const void *from; /* T; arrange_halves: 16 bits each */
    void *to;
};

/* offsets[i] = how many of the ascending rows[0..nnz) are less than i, for i = 0..rows_count */
struct arrange_offsets_args {
    int64_t rows_count, nnz;
    const int32_t *rows;
    void *offsets; /* P[rows_count+1] */
};
#endif
#else

DEVICE void FN(number_entries)(int64_t lines_count, int64_t nnz, const P *RESTRICT offsets,
                               int32_t *RESTRICT lines, P *RESTRICT numbers)
{
    for (int64_t p = BLOCK * THREADS + THREAD; p < nnz; p += BLOCKS * THREADS)
        numbers[p] = (P)p;
    const int64_t step = BLOCKS * THREADS / DEVICE_ARRANGE_LANES;
    for (int64_t i = (BLOCK * THREADS + THREAD) / DEVICE_ARRANGE_LANES; lines && i < lines_count;
         i += step)
        for (P p = offsets[i] + THREAD % DEVICE_ARRANGE_LANES; p < offsets[i + 1];
             p += DEVICE_ARRANGE_LANES)
            lines[p] = (int32_t)i;
}

KERNEL(arrange_number, DEVICE_ARRANGE_THREADS, args)
{
    FN(number_entries)(args.lines_count, args.nnz, (const P *)args.offsets, args.lines,
                       (P *)args.numbers);
}

KERNEL(arrange_gather, DEVICE_ARRANGE_THREADS, args)
{
    for (int64_t k = BLOCK * THREADS + THREAD; k < args.count; k += BLOCKS * THREADS)
        args.to[k] = args.from[((const P *)args.numbers)[k]];
}

KERNEL(arrange_values, DEVICE_ARRANGE_THREADS, args)
{
    for (int64_t k = BLOCK * THREADS + THREAD; k < args.count; k += BLOCKS * THREADS)
        ((T *)args.to)[k] = ((const T *)args.from)[((const P *)args.numbers)[k]];
}

KERNEL_OF(struct arrange_values_args, arrange_halves, DEVICE_ARRANGE_THREADS, args)
{
    for (int64_t k = BLOCK * THREADS + THREAD; k < args.count; k += BLOCKS * THREADS)
        ((uint16_t *)args.to)[k] = ((const uint16_t *)args.from)[((const P *)args.numbers)[k]];
}

DEVICE void FN(find_offsets)(int64_t rows_count, int64_t nnz, const int32_t *RESTRICT rows,
                             P *RESTRICT offsets)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i <= rows_count; i += BLOCKS * THREADS) {
        int64_t low = 0, high = nnz;
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (READ(&rows[middle]) < i)
                low = middle + 1;
            else
                high = middle;
        }
        offsets[i] = (P)low;
    }
}

KERNEL(arrange_offsets, DEVICE_ARRANGE_THREADS, args)
{
    FN(find_offsets)(args.rows_count, args.nnz, args.rows, (P *)args.offsets);
}
#endif
