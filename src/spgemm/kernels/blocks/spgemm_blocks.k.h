/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for operands that consist of node blocks of D rows and columns
 * (structure/device_blocks.h): C's structure from that of its blocks, and values, for which
 * structures, offsets and columns are those of blocks. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_BLOCKS_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_BLOCKS_K_H
#include "spgemm/kernels/spgemm_structures.h"
#include "structure/each_block_size.h"

enum { SPGEMM_MOST_BLOCK = 6, SPGEMM_BLOCK_LANES = 32, SPGEMM_BLOCK_THREADS = 128 };

/* Expands C's offsets, and its columns and the offsets in 32 bits unless NULL. */
struct spgemm_expand_args {
    int64_t rows; /* of blocks */
    int32_t size;
    const int64_t *block_offsets;
    const int32_t *block_columns;
    int64_t *offsets; /* [rows*size+1] */
    int32_t *columns;
    int32_t *narrow; /* [rows*size+1] */
};

#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/spgemm_positions.h"

/* ---- structure ---- */

DEVICE void FN(note_offset)(const struct spgemm_expand_args *args, int64_t row, int64_t offset)
{
    args->offsets[row] = offset;
    if (args->narrow)
        args->narrow[row] = (int32_t)offset;
}

DEVICE void FN(expand_row)(const struct spgemm_expand_args *args, int64_t row,
                           const int32_t *RESTRICT columns)
{
    const int size = args->size, lane = LANE % SPGEMM_BLOCK_LANES;
    const int64_t begin = args->block_offsets[row], to = begin * size * size;
    const int64_t length = (args->block_offsets[row + 1] - begin) * size;
    int64_t block = begin + lane / size;
    int position = lane % size;
    if (lane < size)
        FN(note_offset)(args, row * size + lane, to + lane * length);
    if (!args->columns)
        return;
    for (int64_t q = lane; q < length; q += SPGEMM_BLOCK_LANES) {
        const int32_t column = READ(&columns[block]) * size + position;
        for (int r = 0; r < size; r++)
            args->columns[to + r * length + q] = column;
        block += SPGEMM_BLOCK_LANES / size;
        position += SPGEMM_BLOCK_LANES % size;
        block += position >= size;
        position -= position >= size ? size : 0;
    }
}

KERNEL(spgemm_expand, SPGEMM_ROWS_THREADS, args)
{
    const int64_t teams = THREADS / SPGEMM_BLOCK_LANES;
    for (int64_t row = BLOCK * teams + THREAD / SPGEMM_BLOCK_LANES; row < args.rows;
         row += BLOCKS * teams)
        FN(expand_row)(&args, row, args.block_columns);
    if (BLOCK == 0 && THREAD == 0)
        FN(note_offset)(&args, args.rows * args.size,
                        args.block_offsets[args.rows] * args.size * args.size);
}

/* ---- values ---- */

#include "spgemm/kernels/blocks/spgemm_block_rows.h"

#define SPGEMM_BLOCK_VALUES(size)                                                                  \
    KERNEL_OF(struct spgemm_values, spgemm_block##size##_values, SPGEMM_BLOCK_THREADS, v)          \
    {                                                                                              \
        SHARED_AT_LAUNCH(unsigned char, shared);                                                   \
        FN(compute_all_blocks)(&v, shared, size, false);                                           \
    }
SPGEMM_BLOCK_VALUES(1)
EACH_BLOCK_SIZE(SPGEMM_BLOCK_VALUES)
#undef SPGEMM_BLOCK_VALUES
#endif
