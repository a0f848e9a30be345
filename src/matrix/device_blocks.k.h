/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_blocks.c. */
#ifndef T
#ifndef SPL_MATRIX_DEVICE_BLOCKS_K_H
#define SPL_MATRIX_DEVICE_BLOCKS_K_H
#include <stdint.h>

enum { DEVICE_BLOCKS_THREADS = 256, DEVICE_BLOCKS_LANES = 8, DEVICE_BLOCKS_LOOK = 8 };

/* *size, 0 at first, becomes the greatest common divisor of itself, of `multiple`, and of all that a block size must divide: the numbers of rows whose
 * columns are not those of the row before, and of columns where runs of neighbouring columns begin and end. 1 if columns of a row do not ascend. */
struct device_block_size_args {
    int64_t rows, nnz;
    const void *offsets, *columns; /* P[rows+1], I[nnz] */
    uint32_t multiple;
    uint32_t *size;
};

/* The CSR structure of blocks: their rows begin at block_offsets, where the entries of the first of each `size` rows begin, in blocks. */
struct device_block_structure_args {
    int64_t rows; /* of blocks */
    int32_t size;
    const void *offsets, *columns;
    void *block_offsets, *block_columns; /* P[rows+1], I[nnz / size^2] */
};
#endif
#else

DEVICE uint32_t FN(common_divisor)(uint32_t a, uint32_t b)
{
    while (b != 0) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The divisor of `size` that divides the boundary, too. */
DEVICE uint32_t FN(cut_at)(uint32_t size, int64_t boundary)
{
    const uint32_t at = (uint32_t)boundary;
    return at % size == 0 ? size : FN(common_divisor)(size, at);
}

/* This lane's entries of a row: where runs of columns begin and end, and whether the row differs from the one before. */
DEVICE uint32_t FN(look_at_row)(const struct device_block_size_args *args, int64_t row, uint32_t size)
{
    const P *offsets = (const P *)args->offsets;
    const I *columns = (const I *)args->columns;
    const P begin = READ(&offsets[row]), end = READ(&offsets[row + 1]),
            before = row > 0 ? READ(&offsets[row - 1]) : begin;
    const int lane = LANE % DEVICE_BLOCKS_LANES;
    const bool inside = row % size != 0; /* of a block: only then does a difference matter */
    bool differs = inside && begin - before != end - begin;
    if (begin < 0 || before < 0 || before > begin || end < begin || end > args->nnz)
        return 1;
    for (P p = begin + lane; p < end && size > 1; p += DEVICE_BLOCKS_LANES) {
        const int32_t here = READ(&columns[p]), last = p > begin ? READ(&columns[p - 1]) : -1;
        if (here <= last)
            return 1;
        if (here != last + 1 || p == begin)
            size = FN(cut_at)(FN(cut_at)(size, here), (int64_t)last + 1);
        if (p == end - 1)
            size = FN(cut_at)(size, (int64_t)here + 1);
        differs = differs || (inside && READ(&columns[before + (p - begin)]) != here);
    }
    return differs ? FN(cut_at)(size, row) : size;
}

DEVICE void FN(add_divisor)(uint32_t *all, uint32_t size)
{
    uint32_t there = LOAD_VOLATILE(all), common = FN(common_divisor)(there, size);
    while (there != common) {
        const uint32_t found = ATOMIC_CAS(all, there, common);
        if (found == there)
            return;
        there = found;
        common = FN(common_divisor)(there, size);
    }
}

/* Warps read and change the one number seldom: all of them wait for the same memory. */
KERNEL(device_block_size, DEVICE_BLOCKS_THREADS, args)
{
    SHARED(uint32_t, of_block, 1);
    const int64_t teams = THREADS / DEVICE_BLOCKS_LANES;
    const lane_mask team = GROUP_MASK(DEVICE_BLOCKS_LANES);
    if (THREAD == 0)
        *of_block = FN(common_divisor)(LOAD_VOLATILE(args.size), args.multiple);
    SYNC();
    uint32_t size = *of_block;
    int rounds = 0;
    SYNC();
    for (int64_t row = BLOCK * teams + THREAD / DEVICE_BLOCKS_LANES; row < args.rows && size > 1;
         row += BLOCKS * teams) {
        size = FN(look_at_row)(&args, row, size);
        if (BALLOT(team, size == 1)) /* lanes beyond the ends of rows see little themselves */
            size = 1;
        if (++rounds % DEVICE_BLOCKS_LOOK == 0 &&
            SHUFFLE(team, LOAD_VOLATILE(args.size), LANE - LANE % DEVICE_BLOCKS_LANES) == 1)
            size = 1;
    }
    for (int x = LANES / 2; x > 0; x /= 2) {
        const uint32_t other = SHUFFLE_XOR(GROUP_MASK(LANES), size, x);
        size = other == size ? size : FN(common_divisor)(size, other);
    }
    if (LANE == 0)
        FN(add_divisor)(of_block, size);
    SYNC();
    if (THREAD == 0)
        FN(add_divisor)(args.size, *of_block);
}

DEVICE void FN(note_blocks)(int64_t rows, int32_t size, const P *RESTRICT offsets, const I *RESTRICT columns,
                            P *RESTRICT block_offsets, I *RESTRICT block_columns)
{
    const int64_t teams = THREADS / DEVICE_BLOCKS_LANES;
    for (int64_t row = BLOCK * teams + THREAD / DEVICE_BLOCKS_LANES; row <= rows; row += BLOCKS * teams) {
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
    FN(note_blocks)
    (args.rows, args.size, (const P *)args.offsets, (const I *)args.columns, (P *)args.block_offsets,
     (I *)args.block_columns);
}
#endif
