/* SPDX-License-Identifier: Apache-2.0 */
/* multiply_tiles.h: C = alpha*A*B + beta*C, tile by tile: the kernel of the register-blocked
 * methods.
 *
 * A template: T, ACC, P, I, FN come from core/each_type.h, MOST_ROWS from the method. Rows are
 * cut into parts of equal rows + entries, columns into panels, so that several threads share a
 * long row if there are many columns. Column-major B or C uses the strided kernel. */
#include "spmm/cpu/strided.h"
#include "spmm/cpu/tile.h"

/* Computes rows first..last in the columns of one tile. */
ALWAYS_INLINE void FN(walk)(const FN(operands) *o, const uint8_t *runs, int64_t first, int64_t last,
                            FN(origin) at, const int registers, const bool unmasked,
                            const bool narrow)
{
    at.i = first;
    while (at.i < last) {
        const int rows = spl__run_length(runs, at.i);
        if (MOST_ROWS == 1 || rows == 1)
            FN(tile)(o, at, 1, registers, unmasked, narrow);
        else if (rows == 2)
            FN(tile)(o, at, MOST_ROWS < 2 ? 1 : 2, registers, unmasked, narrow);
        else
            FN(tile)(o, at, MOST_ROWS, registers, unmasked, narrow);
        at.i += rows;
    }
}

ALWAYS_INLINE void FN(walk_width)(const FN(operands) *o, const uint8_t *runs, int64_t first,
                                  int64_t last, FN(origin) at, const int registers,
                                  const bool narrow)
{
    if (at.columns == registers * FN(WIDTH))
        FN(walk)(o, runs, first, last, at, registers, true, narrow);
    else
        FN(walk)(o, runs, first, last, at, registers, false, narrow);
}

/* Dispatches to the narrowest tile that holds the columns; the widest one has no mask. */
static void FN(walk_tile)(const FN(operands) *o, const uint8_t *runs, int64_t first, int64_t last,
                          FN(origin) at)
{
    if (TILE_REGISTERS > 8 && at.columns > 8 * FN(WIDTH))
        FN(walk)(o, runs, first, last, at, TILE_REGISTERS, true, false);
    else if (TILE_REGISTERS > 4 && at.columns > 4 * FN(WIDTH))
        FN(walk_width)(o, runs, first, last, at, TILE_REGISTERS < 8 ? TILE_REGISTERS : 8, false);
    else if (at.columns > 2 * FN(WIDTH))
        FN(walk_width)(o, runs, first, last, at, 4, false);
    else if (at.columns > FN(WIDTH) && o->narrow)
        FN(walk_width)(o, runs, first, last, at, 2, true);
    else if (at.columns > FN(WIDTH))
        FN(walk_width)(o, runs, first, last, at, 2, false);
    else if (o->narrow)
        FN(walk_width)(o, runs, first, last, at, 1, true);
    else
        FN(walk_width)(o, runs, first, last, at, 1, false);
}

/* Columns of the next tile if `left` remain: tiles of more than 8 registers have no masks. */
static inline int64_t FN(tile_columns)(int64_t left)
{
    if (left >= TILE_REGISTERS * FN(WIDTH))
        return TILE_REGISTERS * FN(WIDTH);
    return spl__min_i64(left, 8 * FN(WIDTH));
}

/* Computes the rows of one part in columns j..end. All tiles of a run of rows are computed
 * before the next run: B's rows are then read completely while they are in cache. */
static void FN(multiply_part)(const FN(operands) *o, const uint8_t *runs, int64_t first,
                              int64_t last, int64_t j, int64_t end)
{
    if (FN(tile_columns)(end - j) == end - j) {
        FN(walk_tile)(o, runs, first, last, (FN(origin)){first, j, end - j});
        return;
    }
    for (int64_t i = first, next; i < last; i = next) {
        next = i + spl__run_length(runs, i);
        for (int64_t k = j, columns; k < end; k += columns) {
            columns = FN(tile_columns)(end - k);
            FN(walk_tile)(o, runs, i, next, (FN(origin)){i, k, columns});
        }
    }
}

static FN(operands) FN(operands_of)(const spl__tile_rows *rows, const spl_sparse *a,
                                    const spl__call *call)
{
    FN(operands) o = {.offsets = a->offsets, .columns = a->indices, .values = a->values};
    o.b = call->b->values;
    o.b_row = call->b->ld;
    o.to = FN(result_of)(call);
    o.narrow = call->c->cols <= 2 * FN(WIDTH);
    const int64_t bytes = FN(tile_columns)(call->c->cols) * (int64_t)sizeof(T);
    o.prefetch =
        rows->far ? spl__min_i64(PREFETCH_ENTRIES, PREFETCH_BYTES / spl__max_i64(1, bytes)) : 0;
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
}

static void FN(multiply)(const spl__tile_rows *rows, int threads, const spl_sparse *a,
                         const spl__call *call)
{
    const int64_t panel = PANEL_REGISTERS * FN(WIDTH), panels = (call->c->cols + panel - 1) / panel;
    const int64_t tasks = panels * rows->parts.count;
    const FN(operands) all = FN(operands_of)(rows, a, call);
    if (tasks == 1 || threads == 1) { /* a region of one thread costs as much as a small matrix */
        for (int64_t task = 0; task < tasks && spl__watch_goes_on(call->watch); task++)
            FN(multiply_task)(&all, rows, a, call, task);
        return;
    }
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic)
    for (int64_t task = 0; task < tasks; task++)
        if (spl__watch_goes_on(call->watch))
            FN(multiply_task)(&all, rows, a, call, task);
}
