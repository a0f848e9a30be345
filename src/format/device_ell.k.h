/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_ell.c: convert a matrix on a device to blocks of ELL, one thread per row. */
#ifndef T
#ifndef SPL_FORMAT_DEVICE_ELL_K_H
#define SPL_FORMAT_DEVICE_ELL_K_H
#include <stdint.h>

enum { DEVICE_ELL_THREADS = 256 };

struct ell_block {
    int64_t length;  /* entries of each of its rows, with padding */
    int64_t first;   /* the position of its first row */
    int64_t entries; /* the position of its first entry */
};

struct ell_blocks {
    int64_t row_count, blocks;
    const struct ell_block *table; /* [blocks+1] */
    const int32_t *rows;           /* the row at each position; NULL: in order */
};

/* histogram[m] = rows of m entries; for the sort keys[i] = length of row i, rows[i] = i */
struct ell_lengths_args {
    int64_t row_count;
    const void *offsets; /* P[row_count+1] */
    uint64_t *histogram; /* [longest+1], initially 0 */
    int64_t *keys;       /* [row_count] */
    int32_t *rows;
};

/* Copies columns, or values if columns is NULL, to ELL; padding becomes -1 or 0. */
struct ell_fill_args {
    struct ell_blocks ell;
    const void *offsets, *columns, *values; /* of the matrix */
    int32_t *to_columns;
    void *to_values; /* T */
};
#endif
#else

#include "format/ell_position.h"

DEVICE void FN(note_lengths)(int64_t row_count, const P *RESTRICT offsets, uint64_t *histogram,
                             int64_t *RESTRICT keys, int32_t *RESTRICT rows)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < row_count; i += BLOCKS * THREADS) {
        keys[i] = READ(&offsets[i + 1]) - READ(&offsets[i]);
        rows[i] = (int32_t)i;
        ATOMIC_ADD(&histogram[keys[i]], 1);
    }
}

KERNEL(ell_lengths, DEVICE_ELL_THREADS, args)
{
    FN(note_lengths)(args.row_count, (const P *)args.offsets, args.histogram, args.keys, args.rows);
}

DEVICE void FN(fill_ell)(const struct ell_fill_args *args)
{
    const P *RESTRICT offsets = (const P *)args->offsets;
    for (int64_t i = BLOCK * THREADS + THREAD; i < args->ell.row_count; i += BLOCKS * THREADS) {
        const FN(ell_position) position = FN(ell_position_of)(&args->ell, i);
        const int64_t begin = READ(&offsets[position.row]),
                      length = READ(&offsets[position.row + 1]) - begin;
        for (int64_t k = 0; k < position.length; k++)
            if (args->columns)
                args->to_columns[position.entry + k * position.step] =
                    k < length ? READ((const I *)args->columns + begin + k) : -1;
            else
                ((T *)args->to_values)[position.entry + k * position.step] =
                    k < length ? READ((const T *)args->values + begin + k) : (T)0;
    }
}

KERNEL(ell_fill, DEVICE_ELL_THREADS, args)
{
    FN(fill_ell)(&args);
}
#endif
