/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_holed.c. */
#ifndef T
#ifndef SPL_FORMAT_DEVICE_HOLED_K_H
#define SPL_FORMAT_DEVICE_HOLED_K_H
#include "device/scalars.h"

#include <stdint.h>

/* A team of HOLED_TEAM lanes computes a row of blocks: one lane per row. */
enum { DEVICE_HOLED_THREADS = 256, DEVICE_HOLED_TEAM = 8, DEVICE_MOST_HOLED = 6 };
/* The sample: that many stretches of THREADS / TEAM neighbouring rows of blocks, for each size. */
enum { DEVICE_HOLED_STRETCHES = 24, DEVICE_HOLED_SIZES = DEVICE_MOST_HOLED - 1 };

/* Counts in the sampled rows, by the size of blocks. */
struct device_block_fills {
    uint64_t blocks[DEVICE_MOST_HOLED + 1], entries[DEVICE_MOST_HOLED + 1];
};

struct device_block_fills_args {
    int64_t rows, cols;
    const void *offsets, *columns; /* P[rows+1], I[nnz] */
    struct device_block_fills *fills;
};

/* Sums over all entries: products with the matrix to the right, and whether rows have columns
 * that do not ascend. */
struct device_holed_notes {
    uint64_t products, disorder, blocks; /* blocks: for the host */
};
/* counts[i]: blocks of row i of blocks; inner_offsets: of the matrix to the right, NULL: products
 * are not counted. */
struct device_holed_count_args {
    int64_t rows; /* of blocks */
    int32_t size;
    const void *offsets, *columns, *inner_offsets;
    void *counts; /* P[rows+1] */
    struct device_holed_notes *notes;
};

struct device_holed_structure_args {
    int64_t rows; /* of blocks */
    int32_t size;
    const void *offsets, *columns;
    const void *block_offsets; /* P[rows+1] */
    void *block_columns;       /* I[blocks] */
    uint64_t *masks;           /* [blocks] */
};

/* See spl__device_holed_fill. */
struct device_holed_values_args {
    int64_t rows; /* of blocks */
    int32_t size, is_addend;
    const void *offsets, *values; /* of the matrix */
    const void *block_offsets;
    const uint64_t *masks;
    spl__device_scalars scalars;
    void *filled; /* T[blocks * size * size] */
    uint32_t *odd;
};
#endif
#else

#include "format/holed_row.h"

/* ---- structure ---- */

enum { FN(LOOK_AHEAD) = 4 };

/* The rest of a lane's row: its next columns, loaded in advance. */
typedef struct FN(row_left) {
    P position, end;
    int32_t next[FN(LOOK_AHEAD)]; /* INT32_MAX: none */
} FN(row_left);

DEVICE int32_t FN(column_at)(const I *RESTRICT columns, P position, P end)
{
    return position < end ? READ(&columns[position]) : INT32_MAX;
}

DEVICE FN(row_left) FN(row_of_lane)(int64_t row, int64_t rows, int size, const P *RESTRICT offsets,
                                    const I *RESTRICT columns)
{
    const int lane = LANE % DEVICE_HOLED_TEAM;
    FN(row_left) r;
    r.position = r.end = 0;
    if (row < rows && lane < size) {
        r.position = READ(&offsets[row * size + lane]);
        r.end = READ(&offsets[row * size + lane + 1]);
    }
    UNROLL
    for (int i = 0; i < FN(LOOK_AHEAD); i++)
        r.next[i] = FN(column_at)(columns, r.position + i, r.end);
    return r;
}

DEVICE int32_t FN(block_of)(int32_t column, int size)
{
    return column == INT32_MAX ? INT32_MAX : (int32_t)((uint32_t)column / (uint32_t)size);
}

/* The least next column of blocks of the team's lanes. All lanes of the warp take part. */
DEVICE int32_t FN(next_block)(const FN(row_left) *r, int size)
{
    int32_t least = FN(block_of)(r->next[0], size);
    for (int x = DEVICE_HOLED_TEAM / 2; x > 0; x /= 2) {
        const int32_t other = SHUFFLE_XOR(GROUP_MASK(LANES), least, x);
        least = other < least ? other : least;
    }
    return least;
}

/* A bit that no mask has, to signal columns that do not ascend. */
DEVICE uint64_t FN(disorder)(void)
{
    return (uint64_t)1 << 63;
}

/* The lane's entries in that block, at most `size`, as bits of its mask; advances past them. */
DEVICE uint64_t FN(take_block)(FN(row_left) *r, int32_t block, int size, const I *RESTRICT columns)
{
    const int64_t first = (int64_t)block * size, end = first + size;
    uint64_t bits = 0;
    while (r->next[0] != INT32_MAX && r->next[0] < end) {
        const int32_t column = r->next[0];
        bits |= column >= first
                    ? (uint64_t)1 << (LANE % DEVICE_HOLED_TEAM * size + (int)(column - first))
                    : FN(disorder)();
        UNROLL
        for (int i = 0; i + 1 < FN(LOOK_AHEAD); i++)
            r->next[i] = r->next[i + 1];
        r->position++;
        r->next[FN(LOOK_AHEAD) - 1] =
            FN(column_at)(columns, r->position + FN(LOOK_AHEAD) - 1, r->end);
        if (r->next[0] <= column)
            bits |= FN(disorder)();
    }
    return bits;
}

/* Counts the blocks of a row of blocks by merging the lanes' rows. *bits: the OR of the lane's
 * masks. The teams of a warp run in lockstep. */
DEVICE int64_t FN(count_blocks)(FN(row_left) r, int size, const I *RESTRICT columns, uint64_t *bits)
{
    int64_t count = 0;
    *bits = 0;
    for (;;) {
        const int32_t block = FN(next_block)(&r, size);
        if (!BALLOT(GROUP_MASK(LANES), block != INT32_MAX))
            return count;
        if (block != INT32_MAX) {
            *bits |= FN(take_block)(&r, block, size, columns);
            count++;
        }
    }
}

DEVICE uint64_t FN(sum_of_block)(uint64_t number, uint64_t *of_block)
{
    if (THREAD == 0)
        *of_block = 0;
    SYNC();
    ATOMIC_ADD(of_block, number);
    SYNC();
    const uint64_t sum = *of_block;
    SYNC();
    return sum;
}

/* A thread block samples a stretch of rows of blocks of one size. */
KERNEL(device_block_fills, DEVICE_HOLED_THREADS, args)
{
    SHARED(uint64_t, of_block, 1);
    const int size = 2 + (int)(BLOCK % DEVICE_HOLED_SIZES);
    const int64_t rows = args.rows / size, stretch = BLOCK / DEVICE_HOLED_SIZES;
    const int64_t row = rows / DEVICE_HOLED_STRETCHES * stretch + THREAD / DEVICE_HOLED_TEAM;
    const bool divides = args.rows % size == 0 && args.cols % size == 0;
    const I *columns = (const I *)args.columns;
    const FN(row_left) r =
        FN(row_of_lane)(row, divides ? rows : 0, size, (const P *)args.offsets, columns);
    uint64_t bits;
    const int64_t blocks = FN(count_blocks)(r, size, columns, &bits);
    const uint64_t all_blocks =
        FN(sum_of_block)(LANE % DEVICE_HOLED_TEAM == 0 ? (uint64_t)blocks : 0, of_block);
    const uint64_t all_entries = FN(sum_of_block)((uint64_t)(r.end - r.position), of_block);
    if (THREAD == 0) {
        ATOMIC_ADD(&args.fills->blocks[size], all_blocks);
        ATOMIC_ADD(&args.fills->entries[size], all_entries);
    }
}

/* The products of a lane's entries. */
DEVICE uint64_t FN(products_of_row)(const FN(row_left) *r, const I *RESTRICT columns,
                                    const P *RESTRICT inner)
{
    uint64_t products = 0;
    for (P p = r->position; inner && p < r->end; p++) {
        const I k = READ(&columns[p]);
        products += (uint64_t)(READ(&inner[k + 1]) - READ(&inner[k]));
    }
    return products;
}

KERNEL(device_holed_count, DEVICE_HOLED_THREADS, args)
{
    SHARED(uint64_t, of_block, 1);
    const int64_t teams = THREADS / DEVICE_HOLED_TEAM;
    const I *columns = (const I *)args.columns;
    uint64_t products = 0, bits = 0;
    for (int64_t base = BLOCK * teams; base < args.rows; base += BLOCKS * teams) {
        uint64_t of_row;
        const int64_t row = base + THREAD / DEVICE_HOLED_TEAM;
        const FN(row_left) r =
            FN(row_of_lane)(row, args.rows, args.size, (const P *)args.offsets, columns);
        const int64_t count = FN(count_blocks)(r, args.size, columns, &of_row);
        bits |= of_row;
        products += FN(products_of_row)(&r, columns, (const P *)args.inner_offsets);
        if (row < args.rows && LANE % DEVICE_HOLED_TEAM == 0)
            ((P *)args.counts)[row] = (P)count;
    }
    products = FN(sum_of_block)(products, of_block);
    if (THREAD == 0)
        ATOMIC_ADD(&args.notes->products, products);
    if (bits & FN(disorder)())
        ATOMIC_OR(&args.notes->disorder, (uint64_t)1);
}

DEVICE void FN(note_holed)(const struct device_holed_structure_args *args, int64_t row,
                           FN(row_left) r)
{
    const I *columns = (const I *)args->columns;
    P to = row < args->rows ? READ(&((const P *)args->block_offsets)[row]) : 0;
    for (;;) {
        const int32_t block = FN(next_block)(&r, args->size);
        if (!BALLOT(GROUP_MASK(LANES), block != INT32_MAX))
            return;
        uint64_t bits = block != INT32_MAX ? FN(take_block)(&r, block, args->size, columns) : 0;
        for (int x = DEVICE_HOLED_TEAM / 2; x > 0; x /= 2)
            bits |= SHUFFLE_XOR(GROUP_MASK(LANES), bits, x);
        if (block != INT32_MAX && LANE % DEVICE_HOLED_TEAM == 0) {
            ((I *)args->block_columns)[to] = block;
            args->masks[to] = bits;
            to++;
        }
    }
}

KERNEL(device_holed_structure, DEVICE_HOLED_THREADS, args)
{
    const int64_t teams = THREADS / DEVICE_HOLED_TEAM;
    for (int64_t base = BLOCK * teams; base < args.rows; base += BLOCKS * teams) {
        const int64_t row = base + THREAD / DEVICE_HOLED_TEAM;
        FN(note_holed)(&args, row,
                       FN(row_of_lane)(row, args.rows, args.size, (const P *)args.offsets,
                                       (const I *)args.columns));
    }
}

/* ---- values ---- */

DEVICE bool FN(is_finite)(T value)
{
    return value - value == 0;
}

/* Copies row r of a row of blocks, which begins at `begin` in the matrix: entries in order,
 * zeros between. Returns whether all values and `scale` times them are finite. */
DEVICE bool FN(fill_row)(T scale, const T *RESTRICT values, P begin, const uint64_t *RESTRICT masks,
                         int32_t positions, int r, int size, T *RESTRICT filled)
{
    bool finite = true;
    holed_slot m = holed_first_slot(size);
    for (int32_t base = 0; base < positions; base += HOLED_LANES, holed_next_slot(&m, size)) {
        int all;
        const bool entry = holed_is_entry(&m, masks, positions, r, size);
        const int rank = holed_rank(entry, &all);
        const T value = entry ? READ(&values[begin + rank]) : (T)0;
        if (m.q < positions)
            filled[m.q] = value;
        finite = finite && FN(is_finite)(value) && FN(is_finite)(scale * value);
        begin += all;
    }
    return finite;
}

DEVICE bool FN(fill_rows)(const struct device_holed_values_args *args, T scale, int64_t row)
{
    const P *blocks = (const P *)args->block_offsets, *offsets = (const P *)args->offsets;
    const P first = READ(&blocks[row]);
    const int size = args->size;
    const int32_t positions = (int32_t)(READ(&blocks[row + 1]) - first) * size;
    T *const filled = (T *)args->filled + (int64_t)first * size * size;
    bool finite = true;
    for (int r = 0; r < size; r++)
        finite &=
            FN(fill_row)(scale, (const T *)args->values, READ(&offsets[row * size + r]),
                         args->masks + first, positions, r, size, filled + (int64_t)r * positions);
    return finite;
}

KERNEL(device_holed_values, DEVICE_HOLED_THREADS, args)
{
    const int64_t teams = THREADS / HOLED_LANES;
    const T scalar = args.is_addend ? SCALAR(T, args.scalars.beta) : SCALAR(T, args.scalars.alpha);
    bool finite = FN(is_finite)(scalar);
    if (scalar == 0)
        return;
    for (int64_t row = BLOCK * teams + THREAD / HOLED_LANES; row < args.rows; row += BLOCKS * teams)
        finite &= FN(fill_rows)(&args, scalar, row) || args.is_addend;
    if (!finite)
        ATOMIC_OR(args.odd, 1u);
}
#endif
