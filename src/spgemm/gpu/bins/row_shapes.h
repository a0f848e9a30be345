/* SPDX-License-Identifier: Apache-2.0 */
/* row_shapes.h: kernel configurations for rows of C, cut to the limits of the device. */
#ifndef SPL_SPGEMM_GPU_BINS_ROW_SHAPES_H
#define SPL_SPGEMM_GPU_BINS_ROW_SHAPES_H

#include "plan/plan.h"
#include "spgemm/kernels/spgemm_structures.h"

/* One bin of rows and its kernel configuration: teams of `team` threads in blocks of `threads`. */
typedef struct spl__row_shape {
    int32_t kind; /* enum spgemm_kind */
    int32_t team, threads;
    /* the longest row in columns, or the largest window in bytes (0: as many as fit a block) */
    int64_t most;
    int64_t most_work; /* the most products of a row; 0: any number */
    int64_t sparsest;  /* the most words of 32 columns per column of a window */
    int32_t rows;      /* the most rows that a merged row may represent; 0: any number */
} spl__row_shape;

typedef struct spl__row_shapes {
    spl__row_shape shape[SPGEMM_MOST_GROUPS]; /* the last one takes all remaining rows */
    int32_t count;
} spl__row_shapes;

/* A table of shapes, each in braces. */
#define SPL__ROW_SHAPES(...)                                                                       \
    {                                                                                              \
        .shape = {__VA_ARGS__},                                                                    \
        .count = sizeof(spl__row_shape[]){__VA_ARGS__} / sizeof(spl__row_shape)                    \
    }

/* Shared memory of a window, in bytes. */
typedef struct spl__window_bytes {
    int32_t word, entry; /* per word of 32 columns, and per column of C */
} spl__window_bytes;

/* Slots of a hash table for that many columns: a power of two, at least twice as many and at
 * least `least`. */
int64_t spl__table_slots(int64_t columns, int64_t least);
/* The same for a table with a column in each slot: at most 3/4 full. */
int64_t spl__found_slots(int64_t columns);
/* The right shift that turns a hash of 32 bits into a slot. */
int32_t spl__table_shift(int64_t slots);

/* Whether `most` is in bytes. */
bool spl__shape_has_bytes(const spl__row_shape *shape);
/* Dynamic shared memory that a block may request. */
int64_t spl__block_bytes(const spl_plan *plan);
/* Halves the number of teams per block until their shared memory, team_bytes each, fits the
 * limit. */
void spl__row_shape_fit_block(spl__row_shape *shape, int64_t team_bytes, int64_t limit);
/* Reduces shapes to the limits of the device. bytes_of: shared memory of a team. Shapes that do
 * not fit take no rows, except the last, which computes rows in parts. */
typedef int64_t (*spl__team_bytes)(const void *context, const spl__row_shape *shape);
void spl__row_shapes_fit(spl__row_shapes *shapes, const spl_plan *plan, spl__team_bytes bytes_of,
                         const void *context);
/* Lanes of a part of a team: a power of two, about the average length of the rows of B. */
int32_t spl__part_width(double row_of_b, int32_t least, int32_t most);

#endif
