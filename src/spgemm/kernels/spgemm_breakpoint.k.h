/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of breakpoint [S1]: the break points of rows of B between cells of columns, and the
 * values of rows of C = alpha*A*B + beta*D by dense sums for one chunk of columns after another. */
#ifndef T
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_BREAKPOINT_K_H
#define SPL_SPGEMM_KERNELS_SPGEMM_BREAKPOINT_K_H
#include "spgemm/kernels/spgemm_structures.h"

/* points[k * (cells + 1) + n]: the first entry of row k whose column is at least n << cell_bits.
 * The columns of rows ascend. */
struct spgemm_break_rows_args {
    int64_t rows, cells;
    const void *offsets, *columns;
    int32_t cell_bits;
    void *points; /* P[rows * (cells + 1)] */
};

struct spgemm_break_values_args {
    struct spgemm_operands o;
    const uint32_t *list;
    int64_t list_count;
    int32_t team, width;           /* threads of a team, and of its parts */
    int32_t ordered;               /* columns of every row of B and D ascend */
    int32_t pieces;                /* teams that share a row; each takes other chunks */
    int32_t chunk_bits, cell_bits; /* log2 of the columns in a chunk, in a cell */
    int64_t cells;
    const void *points; /* NULL: none, rows of B are read completely */
};
#endif
#else

#include "spgemm/kernels/spgemm_factors.h"

/* ---- break points ---- */

KERNEL(spgemm_break_rows, SPGEMM_ROWS_THREADS, args)
{
    const P *offsets = (const P *)args.offsets;
    const I *columns = (const I *)args.columns;
    const int64_t count = args.rows * (args.cells + 1);
    for (int64_t i = BLOCK * THREADS + THREAD; i < count; i += BLOCKS * THREADS) {
        const int64_t row = i / (args.cells + 1), cell = i % (args.cells + 1);
        P low = READ(&offsets[row]), high = READ(&offsets[row + 1]);
        while (low < high) {
            const P middle = low + (high - low) / 2;
            if (READ(&columns[middle]) >> args.cell_bits < cell)
                low = middle + 1;
            else
                high = middle;
        }
        ((P *)args.points)[i] = low;
    }
}

/* ---- sums for a chunk ---- */

/* A chunk of columns with one sum per column. */
typedef struct FN(chunk) {
    T *sums; /* [1 << bits] */
    int32_t number, bits;
    int64_t first_cell, last_cell; /* cells of the break points */
} FN(chunk);

/* Adds to the sum of a column if the chunk contains it. */
DEVICE void FN(add_to_chunk)(const FN(chunk) *c, int32_t column, T value, bool alone)
{
    T *const sum = &c->sums[column & ((1 << c->bits) - 1)];
    if (column >> c->bits != c->number)
        return;
    if (alone)
        *sum += value;
    else
        ATOMIC_ADD(sum, value);
}

/* The part's entries of A, and the ranges of their rows of B that may overlap the chunk. */
DEVICE FN(entries) FN(entries_in_chunk)(const FN(chunk) *c,
                                        const struct spgemm_break_values_args *args,
                                        const spgemm_team *t, const FN(factors) *f, P from, P last)
{
    const P *points = (const P *)args->points;
    FN(entries) e = FN(entries_from)(t, f, from, last);
    const P entry = from + (P)t->lane * t->parts;
    if (points && entry < last) {
        const int64_t index = READ(&f->a.columns[entry]) * (args->cells + 1);
        e.begin = READ(&points[index + c->first_cell]);
        e.length = READ(&points[index + c->last_cell + 1]) - e.begin;
    }
    return e;
}

/* Adds the loaded entries of AT_ONCE rows of B, row by row. */
DEVICE void FN(add_pieces)(const FN(chunk) *c, const spgemm_team *t, bool alone,
                           const FN(factors) *f, const FN(rows_at_once) *r, P start)
{
    const P j = start + t->lane;
    int32_t column[SPGEMM_AT_ONCE];
    T value[SPGEMM_AT_ONCE];
    for (int u = 0; u < SPGEMM_AT_ONCE; u++) {
        column[u] = j < r->length[u] ? READ(&f->b.columns[r->begin[u] + j]) : -1;
        value[u] = j < r->length[u] ? r->value[u] * READ(&f->b.values[r->begin[u] + j]) : (T)0;
    }
    for (int u = 0; u < SPGEMM_AT_ONCE; u++) {
        FN(add_to_chunk)(c, column[u], value[u], alone);
        SYNC_WARP(t->mask);
    }
}

DEVICE void FN(add_products_of_chunk)(const FN(chunk) *c,
                                      const struct spgemm_break_values_args *args,
                                      const spgemm_team *t, int64_t row, bool alone)
{
    const FN(factors) f = FN(factors_of)(&args->o);
    const P last = READ(&f.a.offsets[row + 1]);
    for (P from = READ(&f.a.offsets[row]) + t->part; f.alpha != 0 && from < last;
         from += (P)t->parts * t->width) {
        const FN(entries) e = FN(entries_in_chunk)(c, args, t, &f, from, last);
        for (int i = 0; i < e.count; i += SPGEMM_AT_ONCE) {
            const FN(rows_at_once) r = FN(rows_from)(t, &f, &e, i);
            for (P start = 0; start < r.longest; start += t->width)
                FN(add_pieces)(c, t, alone, &f, &r, start);
        }
    }
}

DEVICE void FN(add_addend_of_chunk)(const FN(chunk) *c, const struct spgemm_operands *o,
                                    const spgemm_team *t, int64_t row, bool alone)
{
    const P *d_offsets = (const P *)o->s.d_offsets;
    const T beta = SCALAR(T, o->scalars.beta);
    if (!d_offsets || beta == 0)
        return;
    for (P q = d_offsets[row] + t->rank; q < d_offsets[row + 1]; q += t->size)
        FN(add_to_chunk)(c, ((const I *)o->s.d_columns)[q], beta * ((const T *)o->d_values)[q],
                         alone);
}

/* Computes `count` columns of C: those of the row that the chunk contains. */
DEVICE void FN(compute_columns)(const FN(chunk) *c, const struct spgemm_break_values_args *args,
                                const spgemm_team *t, int64_t row, int64_t begin, int64_t count)
{
    const bool alone = args->ordered && t->parts == 1;
    const int32_t *columns = args->o.columns + begin, mask = (1 << c->bits) - 1;
    for (int64_t i = t->rank; i < count; i += t->size)
        c->sums[READ(&columns[i]) & mask] = 0;
    spgemm_team_sync(t);
    if (alone)
        FN(add_products_of_chunk)(c, args, t, row, true);
    else
        FN(add_products_of_chunk)(c, args, t, row, false);
    spgemm_team_sync(t);
    FN(add_addend_of_chunk)(c, &args->o, t, row, alone);
    spgemm_team_sync(t);
    for (int64_t i = t->rank; i < count; i += t->size)
        ((T *)args->o.values)[begin + i] = c->sums[READ(&columns[i]) & mask];
    spgemm_team_sync(t); /* the next chunk clears the sums */
}

/* ---- chunk after chunk ---- */

/* The first position from `index` on, below `end`, whose column belongs to chunk `number` or a
 * later one. */
DEVICE int64_t FN(chunk_begins)(const int32_t *RESTRICT columns, int64_t index, int64_t end,
                                int32_t bits, int32_t number)
{
    while (index < end) {
        const int64_t middle = index + (end - index) / 2;
        if (READ(&columns[middle]) >> bits < number)
            index = middle + 1;
        else
            end = middle;
    }
    return index;
}

/* Computes the non-empty chunks of a row whose number modulo args->pieces is `piece`. */
DEVICE void FN(compute_chunks)(FN(chunk) *c, const struct spgemm_break_values_args *args,
                               const spgemm_team *t, int64_t row, int32_t piece)
{
    const int32_t *columns = args->o.columns;
    const int64_t end = READ(&args->o.offsets[row + 1]);
    for (int64_t index = READ(&args->o.offsets[row]), next; index < end; index = next) {
        c->number = READ(&columns[index]) >> c->bits;
        next = FN(chunk_begins)(columns, index, end, c->bits, c->number + 1);
        if (c->number % args->pieces != piece)
            continue;
        c->first_cell = ((int64_t)c->number << c->bits) >> args->cell_bits;
        c->last_cell = ((((int64_t)c->number + 1) << c->bits) - 1) >> args->cell_bits;
        c->last_cell = c->last_cell < args->cells ? c->last_cell : args->cells - 1;
        FN(compute_columns)(c, args, t, row, index, next - index);
    }
}

KERNEL(spgemm_break_values, SPGEMM_FEW_REGISTERS, args)
{
    SHARED_AT_LAUNCH(T, sums);
    const spgemm_team t = spgemm_team_of(args.team, args.width);
    const int64_t teams = THREADS / t.size;
    FN(chunk) c;
    c.bits = args.chunk_bits;
    c.sums = sums + ((int64_t)t.number << c.bits);
    for (int64_t k = BLOCK * teams + t.number; k < args.list_count * args.pieces;
         k += BLOCKS * teams)
        FN(compute_chunks)(&c, &args, &t, spgemm_row_at(args.list, k / args.pieces),
                           (int32_t)(k % args.pieces));
}
#endif
