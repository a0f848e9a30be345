/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_structures.h: what the kernels of SpGEMM and the host code that launches them both name. */
#ifndef SPL_SPGEMM_STRUCTURES_H
#define SPL_SPGEMM_STRUCTURES_H

#include "device/scalars.h"

#include <stdint.h>

enum { SPGEMM_MOST_GROUPS = 16, SPGEMM_MOST_THREADS = 512, SPGEMM_ROWS_THREADS = 256, SPGEMM_KEYS = 4 };

/* Structures of C = A*B + D. d_offsets NULL: no D. */
struct spgemm_structures {
    int64_t rows, cols;                /* of C */
    const void *a_offsets, *a_columns; /* P, I */
    const void *b_offsets, *b_columns;
    const void *d_offsets, *d_columns;
};

/* Least and largest column of a row; first > last if it has none. */
struct spgemm_window {
    int32_t first, last;
};
#define SPGEMM_NO_WINDOW                                                                                               \
    {                                                                                                                  \
        INT32_MAX, -1                                                                                                  \
    }

/* 32 columns from 32*word on: bit i stands for column 32*word + i. The columns of B in such pairs: its compressed form in [S1]. */
struct spgemm_pair {
    int32_t word;
    uint32_t bits;
};

/* How a row of C is found, or how its values find their places. */
enum spgemm_kind {
    SPGEMM_SORT,   /* its products are sorted in registers, SPGEMM_KEYS per lane */
    SPGEMM_SEARCH, /* the columns of C are searched by halving */
    SPGEMM_WINDOW, /* a bit for each column from the first to the last */
    SPGEMM_SPREAD, /* the same, with sums in C itself */
    SPGEMM_HASH,   /* a hash table */
    SPGEMM_KINDS
};

/* A group of rows: it takes those of at most `most` columns (or bytes, if it is one of windows) and most_work products, and of windows those with
 * at most `sparsest` words of 32 columns per column. */
struct spgemm_group {
    int32_t kind;
    int64_t most, most_work, sparsest;
};

#endif
