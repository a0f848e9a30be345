/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_tiles.c. */
#ifndef T
#ifndef SPL_FORMAT_DEVICE_TILES_K_H
#define SPL_FORMAT_DEVICE_TILES_K_H
#include <stdint.h>

/* A thread block processes a window of at most DEVICE_TILE_ROWS rows, several lanes per row, and a
 * stretch of columns with one bit each. */
enum {
    DEVICE_TILE_ROWS = 16,
    DEVICE_TILE_FEW_ROWS = 8,
    DEVICE_TILE_COLUMNS = 8,
    DEVICE_TILES_THREADS = 128,
    DEVICE_TILES_LANES = DEVICE_TILES_THREADS / DEVICE_TILE_ROWS,
    DEVICE_TILES_BITS = 1 << 14,
    DEVICE_TILES_WORDS = DEVICE_TILES_BITS / 32 / DEVICE_TILES_THREADS /* words per thread */
};

/* Sums over windows. */
struct device_tiles_sums {
    uint64_t entries, tiles;
};

/* Window w begins with row w*stride, and has up to `height` rows. */
struct device_tiles_args {
    int64_t rows, windows, stride;
    int32_t height;
    const void *offsets, *columns; /* P[rows+1], I[nnz] */
    /* [windows]: output of the count, if not NULL; or the begin of the window's tiles */
    int64_t *tiles;
    struct device_tiles_sums *sums; /* incremented, if not NULL */
    int32_t *tile_columns;          /* see spl__device_tiles */
    uint32_t *bits;
};
#endif
#else
#include "device/sum_before.h"

/* A row of the window, and the stretch of columns in shared memory. */
typedef struct FN(tiles_window) {
    const I *columns;
    P position, end; /* the remaining entries of the row */
    int row, lane;
    uint32_t *words, *before; /* bitmap of used columns, and their number before each word */
    uint32_t *sums, *nearest;
    int64_t base, found; /* first column of the stretch, columns found before it */
} FN(tiles_window);

/* Advances to the stretch that begins with the least remaining column; false: none is left. */
DEVICE bool FN(next_stretch)(FN(tiles_window) *w)
{
    for (int i = THREAD; i < DEVICE_TILES_BITS / 32; i += THREADS)
        w->words[i] = 0;
    if (THREAD == 0)
        *w->nearest = 0;
    SYNC();
    if (w->lane == 0 && w->position < w->end)
        ATOMIC_MAX(w->nearest, ~(uint32_t)READ(&w->columns[w->position]));
    SYNC();
    w->base = (int64_t)(~*w->nearest / 32 * 32);
    return *w->nearest != 0;
}

/* Sets the bits of the row's columns in the stretch; returns the number of its entries. */
DEVICE int FN(mark_columns)(const FN(tiles_window) *w)
{
    int marked = 0;
    for (P p = w->position + w->lane; p < w->end; p += DEVICE_TILES_LANES, marked++) {
        const int64_t bit = READ(&w->columns[p]) - w->base;
        if (bit >= DEVICE_TILES_BITS)
            break;
        ATOMIC_OR(&w->words[bit / 32], (uint32_t)1 << bit % 32);
    }
    for (int x = DEVICE_TILES_LANES / 2; x > 0; x /= 2)
        marked += SHUFFLE_XOR(GROUP_MASK(DEVICE_TILES_LANES), marked, x);
    return marked;
}

/* The position of column `number` of the window: lane t of MULTIPLY_TILES needs t and t+4. */
DEVICE int64_t FN(position_of_column)(int64_t tile, int64_t number)
{
    const int k = (int)(number % DEVICE_TILE_COLUMNS);
    return (tile + number / DEVICE_TILE_COLUMNS) * DEVICE_TILE_COLUMNS + k % 4 * 2 + k / 4;
}

/* Numbers the columns of the stretch; returns their number. */
DEVICE uint32_t FN(number_columns)(const FN(tiles_window) *w, int64_t tile, int32_t *tile_columns)
{
    uint32_t own = 0, all;
    UNROLL for (int i = 0; i < DEVICE_TILES_WORDS; i++) own +=
        (uint32_t)POPCOUNT(w->words[THREAD * DEVICE_TILES_WORDS + i]);
    uint32_t number = spl__sum_before(own, w->sums, &all);
    for (int i = THREAD * DEVICE_TILES_WORDS; i < (THREAD + 1) * DEVICE_TILES_WORDS; i++) {
        w->before[i] = number;
        for (uint32_t left = w->words[i]; tile_columns && left != 0; left &= left - 1, number++)
            tile_columns[FN(position_of_column)(tile, w->found + number)] =
                (int32_t)w->base + i * 32 + FIRST_BIT(left);
        number = w->before[i] + (uint32_t)POPCOUNT(w->words[i]);
    }
    return all;
}

/* Sets one bit per entry of the row in the stretch. */
DEVICE void FN(position_entries)(const FN(tiles_window) *w, int marked, int64_t tile,
                                 uint32_t *bits)
{
    const int shift = w->row % 2 * 16 + w->row / 8 * 8;
    for (P p = w->position + w->lane; p < w->position + marked; p += DEVICE_TILES_LANES) {
        const int64_t bit = READ(&w->columns[p]) - w->base;
        const uint32_t below = ((uint32_t)1 << bit % 32) - 1;
        const int64_t number =
            w->found + w->before[bit / 32] + POPCOUNT(w->words[bit / 32] & below);
        ATOMIC_OR(&bits[(tile + number / DEVICE_TILE_COLUMNS) * 4 + w->row % 8 / 2],
                  (uint32_t)1 << (shift + (int)(number % DEVICE_TILE_COLUMNS)));
    }
}

/* Makes the tiles of a window, from number `tile` on; only counts them without output arrays. */
DEVICE int64_t FN(walk_window)(const struct device_tiles_args *args, const P *RESTRICT offsets,
                               const I *RESTRICT columns, int64_t row, int64_t tile)
{
    SHARED(uint32_t, words, DEVICE_TILES_BITS / 32);
    SHARED(uint32_t, before, DEVICE_TILES_BITS / 32);
    SHARED(uint32_t, sums, DEVICE_TILES_THREADS / LANES);
    SHARED(uint32_t, nearest, 1);
    FN(tiles_window) w = {columns,
                          0,
                          0,
                          THREAD / DEVICE_TILES_LANES,
                          THREAD % DEVICE_TILES_LANES,
                          words,
                          before,
                          sums,
                          nearest,
                          0,
                          0};
    if (w.row < args->height && row + w.row < args->rows) {
        w.position = READ(&offsets[row + w.row]);
        w.end = READ(&offsets[row + w.row + 1]);
    }
    while (FN(next_stretch)(&w)) {
        const int marked = FN(mark_columns)(&w);
        SYNC();
        const uint32_t numbered = FN(number_columns)(&w, tile, args->tile_columns);
        SYNC();
        if (args->tile_columns)
            FN(position_entries)(&w, marked, tile, args->bits);
        w.position += marked;
        w.found += numbered;
        SYNC();
    }
    /* The last tile is padded with a valid column. */
    const int64_t number = w.found / DEVICE_TILE_COLUMNS * DEVICE_TILE_COLUMNS + THREAD;
    if (args->tile_columns && w.found % DEVICE_TILE_COLUMNS != 0 && THREAD < DEVICE_TILE_COLUMNS &&
        number >= w.found)
        args->tile_columns[FN(position_of_column)(tile, number)] =
            args->tile_columns[FN(position_of_column)(tile, w.found - 1)];
    SYNC();
    return (w.found + DEVICE_TILE_COLUMNS - 1) / DEVICE_TILE_COLUMNS;
}

KERNEL_OF(struct device_tiles_args, device_tiles_count, DEVICE_TILES_THREADS, args)
{
    const P *offsets = (const P *)args.offsets;
    for (int64_t w = BLOCK; w < args.windows; w += BLOCKS) {
        const int64_t row = w * args.stride,
                      last = row + args.height < args.rows ? row + args.height : args.rows;
        const int64_t tiles = FN(walk_window)(&args, offsets, (const I *)args.columns, row, 0);
        if (THREAD == 0 && args.tiles)
            args.tiles[w] = tiles;
        if (THREAD == 0 && args.sums) {
            ATOMIC_ADD(&args.sums->tiles, (uint64_t)tiles);
            ATOMIC_ADD(&args.sums->entries, (uint64_t)(READ(&offsets[last]) - READ(&offsets[row])));
        }
    }
}

KERNEL_OF(struct device_tiles_args, device_tiles_position, DEVICE_TILES_THREADS, args)
{
    for (int64_t w = BLOCK; w < args.windows; w += BLOCKS)
        FN(walk_window)(&args, (const P *)args.offsets, (const I *)args.columns, w * args.stride,
                        READ(&args.tiles[w]));
}
#endif
