/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the positions of products under a mask: which of the mask's meet a product, which of
 * a product's the mask has not, and C made of them; and rows by what they take. They read no
 * values: one instance serves all types. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_MASKS_SPGEMM_MASKS_K_H
#define SPL_SPGEMM_KERNELS_MASKS_SPGEMM_MASKS_K_H
#include "spgemm/kernels/masks/spgemm_masked.h"

/* Counts the rows of each bin in counts, or, with a list, adds them to it from numbers counts[bin]
 * on. A row is of the first bin whose positions and whose work are as many; none without positions.
 */
struct spgemm_masked_bins_args {
    int64_t rows;
    const int64_t *offsets, *work; /* of positions; products and entries of D: [rows] */
    int64_t most_positions[SPGEMM_MASKED_BINS], most_work[SPGEMM_MASKED_BINS];
    uint32_t *counts;
    uint32_t *list;
};

/* met[p] = 1 at the positions that the mask does not have. */
struct spgemm_mask_avoid_args {
    int64_t rows;
    const int64_t *offsets;
    const int32_t *columns;
    const int64_t *mask_offsets;
    const int32_t *mask_columns; /* ascend in rows */
    uint32_t *met;
};

/* Of the positions that are met: their number in each row, in counts; or, where to is given, they
 * themselves, from to_offsets of the row on. */
struct spgemm_mask_keep_args {
    int64_t rows;
    const int64_t *offsets;
    const int32_t *columns;
    const uint32_t *met;
    int64_t *counts; /* [rows] */
    const int64_t *to_offsets;
    int32_t *to;
};

/* lengths[j] += the entries of column j. */
struct spgemm_column_lengths_args {
    int64_t nnz;
    const void *columns; /* I[nnz] */
    uint32_t *lengths;
};

/* *steps += those of dot products at the positions: for each entry of the shorter row or column the
 * halvings of the longer one. */
struct spgemm_dot_steps_args {
    int64_t rows;
    const void *a_offsets; /* P[rows + 1] */
    const int64_t *offsets;
    const int32_t *columns;
    const uint32_t *lengths; /* of B's columns */
    uint64_t *steps;
};

/* to[p] = the row of position p. */
struct spgemm_position_rows_args {
    int64_t rows;
    const int64_t *offsets;
    int32_t *to;
};
#endif
#else
#define NOT_IN_F64
#include "spgemm/kernels/masks/spgemm_masked_team.h"

KERNEL_OF(struct spgemm_masked, spgemm_masked_met, SPGEMM_MASKED_THREADS, m)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    const int64_t k = BLOCK * (THREADS / m.team) + THREAD / m.team;
    if (k < m.list_count)
        FN(masked_compute)(&m, shared, k, false);
}

KERNEL(spgemm_masked_bins, SPGEMM_ROWS_THREADS, args)
{
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.rows; row += BLOCKS * THREADS) {
        const int64_t positions = READ(&args.offsets[row + 1]) - READ(&args.offsets[row]),
                      work = READ(&args.work[row]);
        int bin = 0;
        while (bin < SPGEMM_MASKED_BINS - 1 &&
               (positions > args.most_positions[bin] || work > args.most_work[bin]))
            bin++;
        if (positions == 0)
            continue;
        const uint32_t place = ATOMIC_ADD(&args.counts[bin], 1);
        if (args.list)
            args.list[place] = (uint32_t)row;
    }
}

DEVICE bool FN(mask_has)(const int32_t *RESTRICT columns, int64_t low, int64_t high, int32_t column)
{
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const int32_t found = READ(&columns[middle]);
        if (found == column)
            return true;
        if (found < column)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* A warp per row. */
KERNEL(spgemm_mask_avoid, SPGEMM_ROWS_THREADS, args)
{
    const int64_t warps = BLOCKS * (THREADS / LANES);
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.rows; row += warps) {
        const int64_t end = READ(&args.offsets[row + 1]), first = READ(&args.mask_offsets[row]),
                      last = READ(&args.mask_offsets[row + 1]);
        for (int64_t p = READ(&args.offsets[row]) + LANE; p < end; p += LANES)
            args.met[p] = !FN(mask_has)(args.mask_columns, first, last, READ(&args.columns[p]));
    }
}

/* A warp per row. */
KERNEL(spgemm_mask_keep, SPGEMM_ROWS_THREADS, args)
{
    const int64_t warps = BLOCKS * (THREADS / LANES);
    const lane_mask before = ((lane_mask)1 << LANE) - 1;
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.rows; row += warps) {
        const int64_t begin = READ(&args.offsets[row]), end = READ(&args.offsets[row + 1]);
        int64_t kept = args.to ? READ(&args.to_offsets[row]) : 0;
        for (int64_t p = begin; p < end; p += LANES) {
            const bool met = p + LANE < end && READ(&args.met[p + LANE]) != 0;
            const lane_mask all = BALLOT(GROUP_MASK(LANES), met);
            if (met && args.to)
                args.to[kept + POPCOUNT(all & before)] = READ(&args.columns[p + LANE]);
            kept += POPCOUNT(all);
        }
        if (LANE == 0 && !args.to)
            args.counts[row] = kept;
    }
}

KERNEL(spgemm_column_lengths, SPGEMM_ROWS_THREADS, args)
{
    for (int64_t p = BLOCK * THREADS + THREAD; p < args.nnz; p += BLOCKS * THREADS)
        ATOMIC_ADD(&args.lengths[READ(&((const I *)args.columns)[p])], 1);
}

DEVICE uint64_t FN(steps_of_dot)(uint64_t a, uint64_t b)
{
    const uint64_t few = a < b ? a : b, many = a < b ? b : a;
    uint64_t halvings = 1;
    while (many >> halvings != 0)
        halvings++;
    return few * halvings;
}

/* A warp per row. */
KERNEL(spgemm_dot_steps, SPGEMM_ROWS_THREADS, args)
{
    const P *RESTRICT a_offsets = (const P *)args.a_offsets;
    const int64_t warps = BLOCKS * (THREADS / LANES);
    uint64_t steps = 0;
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.rows; row += warps) {
        const int64_t end = READ(&args.offsets[row + 1]);
        const uint64_t length = (uint64_t)(READ(&a_offsets[row + 1]) - READ(&a_offsets[row]));
        for (int64_t p = READ(&args.offsets[row]) + LANE; p < end; p += LANES)
            steps += FN(steps_of_dot)(length, READ(&args.lengths[READ(&args.columns[p])]));
    }
    if (steps != 0)
        ATOMIC_ADD(args.steps, steps);
}

/* A warp per row. */
KERNEL(spgemm_position_rows, SPGEMM_ROWS_THREADS, args)
{
    const int64_t warps = BLOCKS * (THREADS / LANES);
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.rows; row += warps) {
        const int64_t end = READ(&args.offsets[row + 1]);
        for (int64_t p = READ(&args.offsets[row]) + LANE; p < end; p += LANES)
            args.to[p] = (int32_t)row;
    }
}
#endif
