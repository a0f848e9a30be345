/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of device_listed_rows.c: which rows are long. */
#ifndef T
#ifndef SPL_MATRIX_DEVICE_LISTED_ROWS_K_H
#define SPL_MATRIX_DEVICE_LISTED_ROWS_K_H
#include <stdint.h>

enum { LISTED_ROWS_THREADS = 256 };

/* list[0 .. *count) = the rows of more than `limit` entries, in any order; *count is 0 before. */
struct listed_rows_args {
    int64_t rows, limit;
    const void *offsets; /* P[rows+1] */
    int32_t *count;
    uint32_t *list;
};
#endif
#else

DEVICE void FN(list_rows)(const struct listed_rows_args *args, const P *RESTRICT offsets)
{
    for (int64_t i = BLOCK * THREADS + THREAD; i < args->rows; i += BLOCKS * THREADS)
        if (READ(&offsets[i + 1]) - READ(&offsets[i]) > args->limit)
            args->list[ATOMIC_ADD(args->count, 1)] = (uint32_t)i;
}

KERNEL(listed_rows, LISTED_ROWS_THREADS, args)
{
    FN(list_rows)(&args, (const P *)args.offsets);
}
#endif
