/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of device_blocks.c. */
#ifndef T
#ifndef SPL_STRUCTURE_DEVICE_BLOCKS_K_H
#define SPL_STRUCTURE_DEVICE_BLOCKS_K_H
#include <stdint.h>

/* DEVICE_BLOCKS_APART: a multiple of all block sizes. AT_ONCE: columns that a lane reads before it
 * looks at them. */
enum {
    DEVICE_BLOCKS_THREADS = 256,
    DEVICE_BLOCKS_LANES = 8,
    DEVICE_BLOCKS_AT_ONCE = 2,
    DEVICE_BLOCKS_LOOK = 4,
    DEVICE_BLOCKS_APART = 60
};
enum { DEVICE_BLOCKS_STRETCH = 512 }; /* entries of a row between two reads of the common result */

/* Makes the CSR structure of blocks. block_offsets: the offsets of the first row of each `size`
 * rows, in blocks. */
struct device_block_structure_args {
    int64_t rows; /* of blocks */
    int32_t size;
    const void *offsets, *columns;
    void *block_offsets, *block_columns; /* P[rows+1], I[nnz / size^2] */
};
#endif
#else

DEVICE void FN(note_blocks)(int64_t rows, int32_t size, const P *RESTRICT offsets,
                            const I *RESTRICT columns, P *RESTRICT block_offsets,
                            I *RESTRICT block_columns)
{
    const int64_t teams = THREADS / DEVICE_BLOCKS_LANES;
    for (int64_t row = BLOCK * teams + THREAD / DEVICE_BLOCKS_LANES; row <= rows;
         row += BLOCKS * teams) {
        const P begin = READ(&offsets[row * size]), to = begin / (size * size);
        const P count = row < rows ? (READ(&offsets[row * size + 1]) - begin) / size : 0;
        if (LANE % DEVICE_BLOCKS_LANES == 0)
            block_offsets[row] = to;
        for (P k = LANE % DEVICE_BLOCKS_LANES; k < count; k += DEVICE_BLOCKS_LANES)
            block_columns[to + k] = READ(&columns[begin + k * size]) / size;
    }
}

KERNEL(device_block_structure, DEVICE_BLOCKS_THREADS, args)
{
    FN(note_blocks)(args.rows, args.size, (const P *)args.offsets, (const I *)args.columns,
                    (P *)args.block_offsets, (I *)args.block_columns);
}
#endif
