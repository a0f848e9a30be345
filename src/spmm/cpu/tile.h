/* SPDX-License-Identifier: Apache-2.0 */
/* tile.h: some columns of one row of C, or of a few rows that share their columns of A, in
 * registers. B and C are row major.
 *
 * A template: T, ACC, P, I, FN come from core/each_type.h. The entries are walked once for the
 * whole tile: each loads its piece of a row of B once and adds it, times its value, to every row
 * of the tile. Columns beyond whole registers are masked. Source: register tiling: M. Lam, E.
 * Rothberg, M. Wolf, ASPLOS'91; rows with equal columns: R. Vuduc, H.-J. Moon, HPCC'05. */
#include "spmm/cpu/tile_lanes.h"

typedef struct FN(operands) {
    const P *offsets;
    const I *columns;
    const T *values;
    const T *b;    /* of a tile: from its first column on */
    int64_t b_row; /* bytes between rows */
    FN(result) to;
    int64_t prefetch;                  /* prefetch distance in entries; 0: none */
    int64_t skip;                      /* shift of tiles that are shifted: see multiply_tiles.h */
    bool narrow;                       /* C has the width of one very small tile: see FN(tile) */
    bool alone;                        /* see whole_rows.h */
    bool parallel;                     /* rows of C begin as far from a cache line as those of B */
    bool far, even, longer, scattered; /* see tile_rows.h */
} FN(operands);

/* The entries of the tile's first row; those of each further row follow at a distance of
 * `length`. */
typedef struct FN(entries) {
    int64_t next, end, length;
} FN(entries);

/* The tile's piece of row k of B. */
ALWAYS_INLINE const T *FN(row_of_b)(const FN(operands) *o, I k)
{
    return (const T *)(const void *)((const char *)o->b + k * o->b_row);
}

/* Prefetches the tile's piece of a row of B, which begins at `line`. */
ALWAYS_INLINE void FN(fetch_line)(const char *line, const int registers)
{
    UNROLL
    for (int byte = 0; byte < registers * FN(WIDTH) * (int)sizeof(T); byte += CACHE_LINE)
        __builtin_prefetch(line + byte);
}

/* Prefetches B's row of the entry that is `prefetch` entries further: entries of consecutive rows
 * are neighbours; the other rows of this tile are skipped. */
ALWAYS_INLINE void FN(fetch)(const FN(operands) *o, FN(entries) e, int64_t p, const int rows,
                             const int registers)
{
    int64_t later = p + o->prefetch;
    if (rows > 1 && later >= e.end)
        later += (rows - 1) * e.length;
    FN(fetch_line)((const char *)FN(row_of_b)(o, o->columns[later]), registers);
}

/* sum[r][t] += a_rp * register t of B's row, for entry p of the first row and its counterparts
 * below */
ALWAYS_INLINE void FN(add_entry)(const FN(operands) *o, FN(entries) e, int64_t p, FN(origin) origin,
                                 const int rows, const int registers, const spl__tile_masks masks,
                                 FN(lanes) *sum)
{
    const T *line = FN(row_of_b)(o, o->columns[p]);
    ACC value[MOST_ROWS];
    if (registers > 3)
        KEEP_POINTER(line);
    if (o->prefetch)
        FN(fetch)(o, e, p, rows, registers);
    UNROLL
    for (int r = 0; r < rows; r++) {
        if (rows > 1 && o->far)
            spl__prefetch(o->values + p + r * e.length);
        value[r] = WIDEN(o->values[p + r * e.length]);
    }
    UNROLL
    for (int t = 0; t < registers; t++) {
        FN(lanes) lanes = FN(load)(line, t, origin, registers, masks);
        if (rows > 1)
            SPL__IN_REGISTER(lanes);
        UNROLL
        for (int r = 0; r < rows; r++)
            sum[r * registers + t] += value[r] * lanes;
    }
}

#ifdef SHIFTED
/* The same for a tile with one register more than columns need. */
ALWAYS_INLINE void FN(finish_shifted_row)(const FN(result) *to, FN(origin) origin,
                                          const int registers, FN(lanes) *sum)
{
    UNROLL
    for (int t = 0; t < registers - 1; t++)
        sum[t] = SPL__LANES_AFTER(sum[t], sum[t + 1], origin.skip);
    origin.j += origin.skip;
    FN(finish_row)(to, origin, registers - 1, SPL__MASK_NONE, sum);
}
#endif

/* Computes `rows` rows from row at.i on. A very small tile that has all columns of C processes
 * two entries at a time with separate sums, to break the dependency between additions. Next to
 * other tiles it uses a single set of sums, so that a row's sums have one order in all columns.
 * alpha = 0 reads no values. */
ALWAYS_INLINE void FN(tile)(const FN(operands) *o, FN(origin) origin, const int rows,
                            const int registers, const spl__tile_masks masks, const bool narrow)
{
    const int size = rows * registers,
              sets = narrow && size - (masks == SPL__MASK_ENDS) <= 2 ? 2 : 1;
    const int64_t begin = o->offsets[origin.i], length = o->offsets[origin.i + 1] - begin;
    FN(entries) e = {begin, o->to.reads ? begin + length : begin, length};
    FN(lanes) sum[MOST_SUMS];
    UNROLL
    for (int t = 0; t < size * sets; t++)
        sum[t] = (FN(lanes)){0};
    for (; e.end - e.next >= sets; e.next += sets) {
        UNROLL
        for (int s = 0; s < sets; s++)
            FN(add_entry)(o, e, e.next + s, origin, rows, registers, masks, sum + s * size);
    }
    if (sets > 1 && e.next < e.end)
        FN(add_entry)(o, e, e.next, origin, rows, registers, masks, sum);
    UNROLL
    for (int t = size; t < size * sets; t++)
        sum[t - size] += sum[t];
    UNROLL
    for (int r = 0; r < rows && masks != SPL__MASK_ENDS; r++, origin.i++)
        FN(finish_row)(&o->to, origin, registers, masks, sum + r * registers);
#ifdef SHIFTED
    if (masks == SPL__MASK_ENDS)
        FN(finish_shifted_row)(&o->to, origin, registers, sum);
#endif
}
