/* SPDX-License-Identifier: Apache-2.0 */
/* multiply_tiles.h: C = alpha*A*B + beta*C, tile by tile: the kernel of the register-blocked
 * methods.
 *
 * A template: T, ACC, P, I, FN come from core/each_type.h, MOST_ROWS from the method. Rows are
 * cut into parts of equal rows + entries, columns into panels, so that several threads share a
 * long row if there are many columns. Column-major B or C uses the strided kernel. */
#include "spmm/cpu/strided.h"

/* Tiles whose columns fill registers are shifted: registers begin where B's cache lines do, not
 * where its rows do, because a load from two lines takes as long as two: malloc aligns to 16
 * bytes. One register more than columns need, of which the first and the last are masked; sums are
 * shifted back when a row is complete. One thread of an AMD EPYC of family 26, rows of 1 to 60
 * entries: three registers for two take .8 to 1 of the time, but three times as long where B is not
 * in a cache; five for four .65 to .8, and 17 for 16 .65 to .85. Two for one: see
 * rows_are_scattered. */
#if defined(__AVX512F__) && MOST_ROWS == 1 && !defined(HALF)
#define SHIFTED
#endif
#include "spmm/cpu/tile.h"

/* Computes rows first..last in the columns of one tile. */
ALWAYS_INLINE void FN(walk)(const FN(operands) *o, const uint8_t *runs, int64_t first, int64_t last,
                            FN(origin) origin, const int registers, const spl__tile_masks masks,
                            const bool narrow)
{
    FN(operands) own = *o; /* stores to C cannot change it: it stays in registers */
    own.b += origin.j;
    origin.i = first;
    while (origin.i < last) {
        const int rows = spl__run_length(runs, origin.i);
        if (MOST_ROWS == 1 || rows == 1)
            FN(tile)(&own, origin, 1, registers, masks, narrow);
        else if (rows == 2)
            FN(tile)(&own, origin, MOST_ROWS < 2 ? 1 : 2, registers, masks, narrow);
        else
            FN(tile)(&own, origin, MOST_ROWS, registers, masks, narrow);
        origin.i += rows;
    }
}

ALWAYS_INLINE void FN(walk_width)(const FN(operands) *o, const uint8_t *runs, int64_t first,
                                  int64_t last, FN(origin) origin, const int registers,
                                  const bool narrow)
{
    if (origin.columns == registers * FN(WIDTH))
        FN(walk)(o, runs, first, last, origin, registers, SPL__MASK_NONE, narrow);
    else
        FN(walk)(o, runs, first, last, origin, registers, SPL__MASK_RIGHT, narrow);
}

#ifdef SHIFTED
/* The distance of B's first column from the begin of its cache line, in columns, if all rows have
 * the same; otherwise 0. */
static inline int64_t FN(skip_of)(const FN(operands) *o)
{
    if (o->b_row % CACHE_LINE != 0 || (uintptr_t)o->b % sizeof(T) != 0)
        return 0;
    return (int64_t)((uintptr_t)o->b % CACHE_LINE / sizeof(T));
}

/* The shift of a tile of so many columns. */
static inline int64_t FN(skip)(const FN(operands) *o, int64_t columns)
{
    const int64_t registers = columns / FN(WIDTH);
    const bool whole = columns % FN(WIDTH) == 0 && (registers & (registers - 1)) == 0;
    const int least = o->far ? 4 : o->scattered ? 1 : 2;
    return whole && registers >= least && registers <= TILE_REGISTERS ? o->skip : 0;
}

static void FN(walk_shifted)(const FN(operands) *o, const uint8_t *runs, int64_t first,
                             int64_t last, FN(origin) origin)
{
    const int64_t registers = origin.columns / FN(WIDTH);
    if (registers == 16)
        FN(walk)(o, runs, first, last, origin, 17, SPL__MASK_ENDS, false);
    else if (registers == 8)
        FN(walk)(o, runs, first, last, origin, 9, SPL__MASK_ENDS, false);
    else if (registers == 4)
        FN(walk)(o, runs, first, last, origin, 5, SPL__MASK_ENDS, false);
    else if (registers == 1)
        FN(walk)(o, runs, first, last, origin, 2, SPL__MASK_ENDS, false);
    else if (o->narrow)
        FN(walk)(o, runs, first, last, origin, 3, SPL__MASK_ENDS, true);
    else
        FN(walk)(o, runs, first, last, origin, 3, SPL__MASK_ENDS, false);
}
#else
static inline int64_t FN(skip)(const FN(operands) *o, int64_t columns)
{
    (void)o, (void)columns;
    return 0;
}
#endif

/* Dispatches to the narrowest tile that holds the columns; the widest one has no mask. */
static void FN(walk_tile)(const FN(operands) *o, const uint8_t *runs, int64_t first, int64_t last,
                          FN(origin) origin)
{
#ifdef SHIFTED
    if (origin.skip > 0)
        FN(walk_shifted)(o, runs, first, last, origin);
    else
#endif
        if (TILE_REGISTERS > 8 && origin.columns > 8 * FN(WIDTH))
        FN(walk)(o, runs, first, last, origin, TILE_REGISTERS, SPL__MASK_NONE, false);
    else if (TILE_REGISTERS > 4 && origin.columns > 4 * FN(WIDTH))
        FN(walk_width)(o, runs, first, last, origin, TILE_REGISTERS < 8 ? TILE_REGISTERS : 8,
                       false);
    else if (origin.columns > 2 * FN(WIDTH))
        FN(walk_width)(o, runs, first, last, origin, 4, false);
    else if (origin.columns > FN(WIDTH) && o->narrow)
        FN(walk_width)(o, runs, first, last, origin, 2, true);
    else if (origin.columns > FN(WIDTH))
        FN(walk_width)(o, runs, first, last, origin, 2, false);
    else if (o->narrow)
        FN(walk_width)(o, runs, first, last, origin, 1, true);
    else
        FN(walk_width)(o, runs, first, last, origin, 1, false);
}

/* Columns of the next tile if `left` remain: tiles of more than 8 registers have no masks. */
static inline int64_t FN(tile_columns)(int64_t left)
{
    if (left >= TILE_REGISTERS * FN(WIDTH))
        return TILE_REGISTERS * FN(WIDTH);
    return spl__min_i64(left, 8 * FN(WIDTH));
}

static inline FN(origin) FN(tile_at)(const FN(operands) *o, int64_t i, int64_t j, int64_t columns)
{
    const int64_t skip = FN(skip)(o, columns);
    return (FN(origin)){i, j - skip, columns + skip, skip, (1U << skip) - 1};
}

#if MOST_ROWS == 1
#include "spmm/cpu/whole_rows.h"
#else
static inline bool FN(are_whole)(const FN(operands) *o)
{
    (void)o;
    return false;
}
static inline void FN(whole_rows)(const FN(operands) *o, int64_t first, int64_t last,
                                  FN(origin) origin)
{
    (void)o, (void)first, (void)last, (void)origin;
}
#endif

/* Computes the rows of one part in columns j..end. All tiles of a run of rows are computed
 * before the next run: B's rows are then read completely while they are in cache. */
static void FN(multiply_part)(const FN(operands) *o, const uint8_t *runs, int64_t first,
                              int64_t last, int64_t j, int64_t end)
{
    if (FN(are_whole)(o)) {
        FN(whole_rows)(o, first, last, FN(tile_at)(o, first, j, end - j));
        return;
    }
    if (FN(tile_columns)(end - j) == end - j) {
        FN(walk_tile)(o, runs, first, last, FN(tile_at)(o, first, j, end - j));
        return;
    }
    for (int64_t i = first, next; i < last; i = next) {
        next = i + spl__run_length(runs, i);
        for (int64_t k = j, columns; k < end; k += columns) {
            columns = FN(tile_columns)(end - k);
            FN(walk_tile)(o, runs, i, next, FN(tile_at)(o, i, k, columns));
        }
    }
}

/* Whether whole_rows.h has tiles for rows of so many columns. */
static inline bool FN(is_alone)(int64_t columns)
{
    const int64_t eight = 8 * FN(WIDTH);
#ifdef SHIFTED
    return columns <= eight || columns == 2 * eight;
#else
    return columns <= eight ||
           (TILE_REGISTERS == 8 && columns % eight == 0 && columns <= PANEL_REGISTERS * FN(WIDTH));
#endif
}

/* Whether C is written, and not read before, and fills cache lines without gaps. */
static inline bool FN(are_lines)(const spl_dense *c, const FN(result) *to)
{
    enum { PIECE = 16 };
    const int64_t bytes = c->cols * (int64_t)sizeof(T);
    return sizeof(T) == sizeof(ACC) && c->order == SPL_ROW_MAJOR && !to->adds &&
           to->row == c->cols && (uintptr_t)to->c % PIECE == 0 && bytes % CACHE_LINE == 0;
}

static FN(operands) FN(operands_of)(const spl__tile_rows *rows, const spl_sparse *a,
                                    const spl__call *call)
{
    FN(operands) o = {.offsets = a->offsets, .columns = a->indices, .values = a->values};
    o.b = call->b->values;
    o.b_row = call->b->ld * (int64_t)sizeof(T);
    o.to = FN(result_of)(call);
    o.to.streams = rows->streams && FN(are_lines)(call->c, &o.to);
#ifdef SHIFTED
    o.skip = FN(skip_of)(&o);
    o.parallel = !o.to.streams && o.to.row * (int64_t)sizeof(T) % CACHE_LINE == 0 &&
                 ((uintptr_t)o.to.c - (uintptr_t)o.b) % CACHE_LINE == 0;
#endif
    o.far = rows->far;
    o.even = rows->even;
    o.longer = rows->longer;
    o.scattered = rows->scattered;
    o.narrow = call->c->cols <= 2 * FN(WIDTH);
    o.alone = FN(is_alone)(call->c->cols);
    const int64_t bytes = FN(tile_columns)(call->c->cols) * (int64_t)sizeof(T);
    o.prefetch = rows->far && rows->apart
                     ? spl__min_i64(PREFETCH_ENTRIES, PREFETCH_BYTES / spl__max_i64(1, bytes))
                     : 0;
    return o;
}

/* Computes a part of the rows in a panel of columns. All parts of a panel come before the next
 * panel. */
static SPL__APART void FN(multiply_task)(const FN(operands) *all, const spl__tile_rows *rows,
                                         const spl_sparse *a, const spl__call *call, int64_t task)
{
    const spl__row_parts *parts = &rows->parts;
    const int64_t part = task % parts->count, first = parts->row[part], last = parts->row[part + 1];
    const int64_t panel = PANEL_REGISTERS * FN(WIDTH), j = task / parts->count * panel;
    const int64_t end = spl__min_i64(j + panel, call->c->cols);
    FN(operands) o = *all;
    if (o.offsets[last] + o.prefetch > a->nnz)
        o.prefetch = 0; /* no entries to prefetch remain */
    if (call->b->order == SPL_ROW_MAJOR && call->c->order == SPL_ROW_MAJOR)
        FN(multiply_part)(&o, rows->runs, first, last, j, end);
    else
        FN(multiply_strided)(a, call, first, last, j, end);
    if (o.to.streams)
        SPL__STREAM_END();
}

static void FN(multiply)(const spl__tile_rows *rows, spl__sweep sweep, const spl_sparse *a,
                         const spl__call *call)
{
    const int64_t panel = PANEL_REGISTERS * FN(WIDTH), panels = (call->c->cols + panel - 1) / panel;
    const int64_t tasks = panels * rows->parts.count;
    const FN(operands) all = FN(operands_of)(rows, a, call);
    SPL__SWEEP_TASKS(task, tasks, sweep,
                     if (spl__watch_goes_on(call->watch))
                         FN(multiply_task)(&all, rows, a, call, task));
}
#undef SHIFTED
