/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the values of rows of C = alpha*A*B + beta*D by expanding, sorting and compressing tiles
 * of their products in shared memory. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_TILES_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_TILES_K_H
#include "spgemm/kernels/spgemm_structures.h"

/* Products per thread of a tile, and values of a sort digit; with 32 lanes a thread has
 * SPGEMM_DIGITS / 32 counters. */
enum {
    SPGEMM_TILE_EACH = 8,
    SPGEMM_TILE_THREADS = 256,
    SPGEMM_DIGIT_BITS = 7,
    SPGEMM_DIGITS = 1 << SPGEMM_DIGIT_BITS
};

/* One block per row; its threads are a power of two, at least 64. Dynamic shared memory per
 * thread: SPGEMM_TILE_EACH terms of 8 bytes and a T each; 12 bytes and a T for an entry of A
 * that it expands; 16 bytes for counters. */
struct spgemm_esc_block_args {
    struct spgemm_operands o;
    const uint32_t *list;
    int64_t list_count;
};
#endif
#else
#include "device/sum_before.h"

#include "spgemm/kernels/spgemm_factors.h"

#include "spgemm/kernels/spgemm_pieces.h"

/* Up to `size` products of a row, first in the order of terms, then of columns; longer rows take
 * several tiles. */
typedef struct FN(tile) {
    /* [size]: column minus `first` in the upper 32 bits, number of the term in the lower */
    uint64_t *items;
    T *terms; /* [size] */
    int32_t size, count, first;
    int32_t span_bits; /* bits of the row's last column minus its first */
    /* Per thread an entry of A: the begin of its row of B, its factor, and the end of its
     * products after the tile's terms. */
    P *begins;
    T *scales;
    int32_t *ends;
    int addend; /* the thread that expands D's row, -1: none */
    /* Counters of the sort, and after it the numbers of the first items of columns. */
    uint32_t *counters; /* [SPGEMM_DIGITS][warps] */
    uint16_t *leads;    /* [size], in the same memory */
    uint32_t *sums;     /* [warps] */
} FN(tile);

/* ---- expand ---- */

/* The state of the expansion: the current entry of A (D's row counts as one more entry), and how
 * many of its products are done. */
typedef struct FN(cursor) {
    P entry, done;
} FN(cursor);

/* The row of B of this thread's entry of A, or D's row after the last one. */
DEVICE FN(piece) FN(piece_at)(const struct spgemm_operands *o, int64_t row, P entry)
{
    const P *b_offsets = (const P *)o->s.b_offsets,
            last = READ(&((const P *)o->s.a_offsets)[row + 1]);
    const T alpha = SCALAR(T, o->scalars.alpha);
    FN(piece) p = FN(empty_piece)(o);
    if (entry < last) {
        const I k = READ(&((const I *)o->s.a_columns)[entry]);
        p.begin = READ(&b_offsets[k]);
        p.length = READ(&b_offsets[k + 1]) - p.begin;
        if (alpha != 0)
            p.scale = alpha * READ(&((const T *)o->a_values)[entry]);
    } else if (entry == last && o->s.d_offsets) {
        p = FN(piece_of_addend)(o, row);
    }
    return p;
}

/* Assigns the products of THREADS entries from the cursor on to the space after the tile's
 * terms, as far as they fit, and advances the cursor. */
DEVICE void FN(lay_out)(FN(tile) *tile, const struct spgemm_operands *o, int64_t row,
                        FN(cursor) *cursor, FN(cursor) *next)
{
    const int32_t room = tile->size - tile->count;
    const P remaining = READ(&((const P *)o->s.a_offsets)[row + 1]) - cursor->entry;
    FN(piece) p = FN(piece_at)(o, row, cursor->entry + THREAD);
    uint32_t total;
    tile->addend = o->s.d_offsets && remaining < THREADS ? (int)remaining : -1;
    if (THREAD == 0) {
        p.begin += cursor->done;
        p.length -= cursor->done;
    }
    p.length = p.length < room + 1 ? p.length : room + 1; /* so that sums do not overflow */
    const int32_t start = (int32_t)spl__sum_before((uint32_t)p.length, tile->sums, &total);
    tile->begins[THREAD] = p.begin;
    tile->scales[THREAD] = p.scale;
    tile->ends[THREAD] = start + (int32_t)p.length;
    if (start <= room && room < start + p.length) { /* the first product that does not fit */
        next->entry = cursor->entry + THREAD;
        next->done = (THREAD == 0 ? cursor->done : 0) + room - start;
    }
    SYNC();
    if ((int32_t)total > room) {
        *cursor = *next;
    } else {
        cursor->entry += THREADS;
        cursor->done = 0;
    }
}

/* The thread whose entry has product j of the assigned ones. */
DEVICE int FN(entry_of)(const FN(tile) *tile, int32_t j)
{
    int skipped = 0;
    for (int step = THREADS / 2; step > 0; step /= 2)
        skipped += tile->ends[skipped + step - 1] <= j ? step : 0;
    return skipped;
}

/* Writes the assigned products that fit. Loads of several products overlap. */
DEVICE void FN(write_terms)(const FN(tile) *tile, const FN(piece) *of_b, const FN(piece) *of_d)
{
    enum { AT_ONCE = 4 };
    const int32_t room = tile->size - tile->count, laid_out = tile->ends[THREADS - 1];
    const int32_t end = laid_out < room ? laid_out : room;
    for (int32_t from = THREAD; from < end; from += AT_ONCE * THREADS) {
        uint32_t column[AT_ONCE];
        T term[AT_ONCE];
        UNROLL
        for (int u = 0; u < AT_ONCE; u++) {
            const int32_t j = from + u * THREADS < end ? from + u * THREADS : end - 1;
            const int e = FN(entry_of)(tile, j);
            FN(piece) p = e == tile->addend ? *of_d : *of_b;
            p.begin = tile->begins[e];
            p.scale = tile->scales[e];
            const P index = j - (e > 0 ? tile->ends[e - 1] : 0);
            column[u] = (uint32_t)(READ(&p.columns[p.begin + index]) - tile->first);
            term[u] = FN(term_at)(&p, index);
        }
        UNROLL
        for (int u = 0; u < AT_ONCE; u++) {
            const int32_t number = tile->count + from + u * THREADS;
            if (from + u * THREADS >= end)
                break;
            tile->items[number] = (uint64_t)column[u] << 32 | (uint32_t)number;
            tile->terms[number] = term[u];
        }
    }
}

/* Fills the tile from the cursor on. The row's entries, and D, end before `end`. */
DEVICE void FN(fill_tile)(FN(tile) *tile, const struct spgemm_operands *o, int64_t row,
                          FN(cursor) *cursor, P end, FN(cursor) *next)
{
    const FN(piece) of_b = FN(empty_piece)(o);
    const FN(piece) of_d = o->s.d_offsets ? FN(piece_of_addend)(o, row) : of_b;
    tile->count = 0;
    while (tile->count < tile->size && cursor->entry < end) {
        FN(lay_out)(tile, o, row, cursor, next);
        FN(write_terms)(tile, &of_b, &of_d);
        const int32_t count = tile->count + tile->ends[THREADS - 1];
        tile->count = count < tile->size ? count : tile->size;
        SYNC();
    }
}

/* ---- sort ---- */

/* The lanes of the warp that have an item with the same digit of `bits` bits. */
DEVICE lane_mask FN(peers_of)(uint32_t digit, int bits, bool has_item)
{
    lane_mask peers = BALLOT(GROUP_MASK(LANES), has_item);
    UNROLL
    for (int b = 0; b < SPGEMM_DIGIT_BITS; b++) {
        const bool bit = digit >> b & 1;
        if (b >= bits)
            break;
        const lane_mask matching = BALLOT(GROUP_MASK(LANES), bit);
        peers &= bit ? matching : ~matching;
    }
    return peers;
}

/* The number of this thread's i-th item; each warp has a stretch of the tile. */
DEVICE int FN(item_number)(int i)
{
    return (WARP * SPGEMM_TILE_EACH + i) * LANES + LANE;
}

/* Exclusive prefix sum of the counters. */
DEVICE void FN(sum_counters)(const FN(tile) *tile)
{
    enum { EACH = SPGEMM_DIGITS / LANES };
    uint32_t *const counters = tile->counters + THREAD * EACH;
    uint32_t sum = 0, unused;
    SYNC();
    for (int c = 0; c < EACH; c++)
        sum += counters[c];
    sum = spl__sum_before(sum, tile->sums, &unused);
    for (int c = 0; c < EACH; c++) {
        const uint32_t count = counters[c];
        counters[c] = sum;
        sum += count;
    }
    SYNC();
}

/* One stable pass of the radix sort: items of equal digit keep their order within a warp, and
 * warps keep theirs. */
DEVICE void FN(sort_by_digit)(const FN(tile) *tile, int shift, int bits)
{
    const lane_mask all = GROUP_MASK(LANES), lower_lanes = ((lane_mask)1 << LANE) - 1;
    const int warps = THREADS / LANES;
    const uint32_t mask = (1u << bits) - 1;
    uint64_t item[SPGEMM_TILE_EACH];
    uint32_t position[SPGEMM_TILE_EACH];
    for (int c = THREAD; c < SPGEMM_DIGITS * warps; c += THREADS)
        tile->counters[c] = 0;
    SYNC();
    UNROLL
    for (int i = 0; i < SPGEMM_TILE_EACH; i++) {
        const int number = FN(item_number)(i);
        const bool has_item = number < tile->count;
        item[i] = position[i] = 0;
        if (number - LANE >= tile->count)
            continue;
        item[i] = has_item ? tile->items[number] : 0;
        const uint32_t digit = (uint32_t)(item[i] >> shift) & mask;
        const lane_mask peers = FN(peers_of)(digit, bits, has_item);
        uint32_t *const counter = &tile->counters[(int)digit * warps + WARP];
        position[i] = has_item ? *counter + (uint32_t)POPCOUNT(peers & lower_lanes) : 0;
        SYNC_WARP(all);
        if (has_item && (peers & lower_lanes) == 0)
            *counter += (uint32_t)POPCOUNT(peers);
        SYNC_WARP(all);
    }
    FN(sum_counters)(tile);
    UNROLL
    for (int i = 0; i < SPGEMM_TILE_EACH; i++)
        if (FN(item_number)(i) < tile->count) {
            const int digit = (int)((uint32_t)(item[i] >> shift) & mask);
            tile->items[tile->counters[digit * warps + WARP] + position[i]] = item[i];
        }
    SYNC();
}

/* Sorts the tile by as few digits of equal width as cover all bits of the columns. */
DEVICE void FN(sort_tile)(const FN(tile) *tile)
{
    const int passes = (tile->span_bits + SPGEMM_DIGIT_BITS - 1) / SPGEMM_DIGIT_BITS;
    for (int pass = 0, done = 0; pass < passes; pass++) {
        const int bits = (tile->span_bits - done + passes - pass - 1) / (passes - pass);
        FN(sort_by_digit)(tile, 32 + done, bits);
        done += bits;
    }
}

/* ---- compress ---- */

DEVICE uint32_t FN(item_column)(const FN(tile) *tile, int number)
{
    return (uint32_t)(tile->items[number] >> 32);
}

/* Whether the item is the first of its column. */
DEVICE bool FN(item_leads)(const FN(tile) *tile, int number)
{
    return number < tile->count &&
           (number == 0 || FN(item_column)(tile, number - 1) != FN(item_column)(tile, number));
}

/* Lists the first items of columns; returns their number. */
DEVICE int FN(list_leads)(const FN(tile) *tile)
{
    const lane_mask all = GROUP_MASK(LANES), lower_lanes = ((lane_mask)1 << LANE) - 1;
    uint32_t count = 0, total;
    lane_mask found[SPGEMM_TILE_EACH];
    UNROLL
    for (int i = 0; i < SPGEMM_TILE_EACH; i++) {
        found[i] = BALLOT(all, FN(item_leads)(tile, FN(item_number)(i)));
        count += (uint32_t)POPCOUNT(found[i]);
    }
    uint32_t earlier = spl__sum_before(LANE == 0 ? count : 0, tile->sums, &total);
    earlier = SHUFFLE(all, earlier, 0);
    UNROLL
    for (int i = 0; i < SPGEMM_TILE_EACH; i++) {
        if (found[i] >> LANE & 1)
            tile->leads[earlier + (uint32_t)POPCOUNT(found[i] & lower_lanes)] =
                (uint16_t)FN(item_number)(i);
        earlier += (uint32_t)POPCOUNT(found[i]);
    }
    SYNC();
    return (int)total;
}

/* `sum` plus the terms of the n-th column, in order. */
DEVICE T FN(sum_of_column)(const FN(tile) *tile, int n, int leads, T sum)
{
    const int end = n + 1 < leads ? tile->leads[n + 1] : tile->count;
    for (int number = tile->leads[n]; number < end; number++)
        sum += tile->terms[(uint32_t)tile->items[number]];
    return sum;
}

DEVICE int64_t FN(position_among)(const int32_t *RESTRICT columns, int64_t count, int32_t column)
{
    int64_t low = 0;
    for (int64_t remaining = count; remaining > 1;) {
        const int64_t half = remaining / 2;
        low += READ(&columns[low + half]) <= column ? half : 0;
        remaining -= half;
    }
    return low;
}

/* If the tile is the whole row, its n-th column is the n-th of the row. Otherwise columns are
 * searched in the row, and their sums continue from earlier tiles. */
DEVICE void FN(compress_tile)(const FN(tile) *tile, bool is_row, const int32_t *RESTRICT columns,
                              int64_t length, T *out)
{
    const int leads = FN(list_leads)(tile);
    for (int n = THREAD; n < leads; n += THREADS) {
        int64_t position = n;
        if (!is_row)
            position = FN(position_among)(
                columns, length, tile->first + (int32_t)FN(item_column)(tile, tile->leads[n]));
        out[position] = FN(sum_of_column)(tile, n, leads, is_row ? (T)0 : out[position]);
    }
    SYNC();
}

/* ---- rows ---- */

DEVICE void FN(compute_in_tiles)(const struct spgemm_operands *o, FN(tile) *tile, int64_t row,
                                 FN(cursor) *next)
{
    const P *a_offsets = (const P *)o->s.a_offsets;
    const int64_t begin = READ(&o->offsets[row]), length = READ(&o->offsets[row + 1]) - begin;
    const P end = READ(&a_offsets[row + 1]) + (o->s.d_offsets ? 1 : 0);
    T *const out = (T *)o->values + begin;
    FN(cursor) cursor;
    cursor.entry = READ(&a_offsets[row]);
    cursor.done = 0;
    if (length == 0)
        return;
    tile->first = READ(&o->columns[begin]);
    const uint32_t span = (uint32_t)(READ(&o->columns[begin + length - 1]) - tile->first);
    tile->span_bits = 0;
    while (tile->span_bits < 32 && span >> tile->span_bits)
        tile->span_bits++;
    FN(fill_tile)(tile, o, row, &cursor, end, next);
    const bool is_row = cursor.entry >= end;
    for (int64_t i = THREAD; !is_row && i < length; i += THREADS)
        out[i] = 0;
    for (;;) {
        FN(sort_tile)(tile);
        FN(compress_tile)(tile, is_row, o->columns + begin, length, out);
        if (cursor.entry >= end)
            break;
        FN(fill_tile)(tile, o, row, &cursor, end, next);
    }
}

KERNEL(spgemm_esc_block, SPGEMM_FEW_REGISTERS, args)
{
    SHARED(FN(cursor), next, 1);
    SHARED(uint32_t, sums, SPGEMM_TILE_THREADS / LANES);
    SHARED_AT_LAUNCH(uint64_t, items);
    FN(tile) tile;
    tile.size = SPGEMM_TILE_EACH * THREADS;
    tile.items = items;
    tile.terms = (T *)(items + tile.size);
    tile.begins = (P *)(tile.terms + tile.size);
    tile.scales = (T *)(tile.begins + THREADS);
    tile.ends = (int32_t *)(tile.scales + THREADS);
    tile.counters = (uint32_t *)(tile.ends + THREADS);
    tile.leads = (uint16_t *)tile.counters;
    tile.sums = sums;
    for (int64_t k = BLOCK; k < args.list_count; k += BLOCKS)
        FN(compute_in_tiles)(&args.o, &tile, spgemm_row_at(args.list, k), next);
}
#endif
