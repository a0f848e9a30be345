/* SPDX-License-Identifier: Apache-2.0 */
/* whole_rows.h: rows of C that one tile covers, or some of the widest, one after another.
 *
 * A template: T, ACC, P, I, FN come from core/each_type.h, operands and SHIFTED from
 * multiply_tiles.h. With few columns the work of a row that is not products counts: where rows have
 * five entries, a third to a half of the time. So this loop has no runs of rows, and its pointers
 * stay in registers. Tiles are shifted as in multiply_tiles.h; where rows of C begin as far from a
 * cache line as those of B, sums are stored as they are, with masks at both ends. */

/* sum[t] += a_p * register t of B's row */
ALWAYS_INLINE void FN(add_line)(const FN(operands) *o, int64_t p, FN(origin) origin,
                                const int registers, const spl__tile_masks masks, FN(lanes) *sum)
{
    const T *line = FN(row_of_b)(o, o->columns[p]);
    if (o->prefetch)
        FN(fetch)(o, (FN(entries)){0}, p, 1, registers);
    const ACC value = WIDEN(o->values[p]);
    if (registers > 3)
        KEEP_POINTER(line);
    UNROLL
    for (int t = 0; t < registers; t++)
        sum[t] += value * FN(load)(line, t, origin, registers, masks);
}

/* Sums of a row to which its entries are added in turn, to break the dependency between additions:
 * enough for eight registers. */
ALWAYS_INLINE int FN(sets_of)(const int registers)
{
    return registers == 1 ? 4 : registers <= 5 ? 2 : 1;
}

/* Adds the second half of sums to the first, of `half` sums. */
ALWAYS_INLINE void FN(join_sets)(const int half, FN(lanes) *sum)
{
    UNROLL
    for (int t = 0; t < half; t++)
        sum[t] += sum[t + half];
}

/* The sums of entries p..end: in sets while there are entries for all of them. */
ALWAYS_INLINE void FN(sum_row)(const FN(operands) *o, int64_t p, int64_t end, FN(origin) origin,
                               const int registers, const spl__tile_masks masks, FN(lanes) *sum)
{
    const int sets = FN(sets_of)(registers);
    UNROLL
    for (int t = 0; t < registers; t++)
        sum[t] = (FN(lanes)){0};
    if (sets > 1 && end - p >= sets) {
        UNROLL
        for (int t = registers; t < registers * sets; t++)
            sum[t] = (FN(lanes)){0};
        for (; end - p >= sets; p += sets) {
            UNROLL
            for (int s = 0; s < sets; s++)
                FN(add_line)(o, p + s, origin, registers, masks, sum + s * registers);
        }
        FN(join_sets)(registers * sets / 2, sum);
        if (sets == 4)
            FN(join_sets)(registers, sum);
    }
    for (; p < end; p++)
        FN(add_line)(o, p, origin, registers, masks, sum);
}

/* A row of C that begins at c: what store_row does, for a shifted tile. */
ALWAYS_INLINE void FN(store_shifted_row)(const FN(operands) *o, T *c, FN(origin) origin,
                                         const int registers, FN(lanes) *sum)
{
#ifdef SHIFTED
    if (o->parallel) {
        FN(store_row)(&o->to, c - origin.skip, origin, registers, SPL__MASK_ENDS, sum);
        return;
    }
    UNROLL
    for (int t = 0; t < registers - 1; t++)
        sum[t] = SPL__LANES_AFTER(sum[t], sum[t + 1], origin.skip);
    FN(store_row)(&o->to, c, origin, registers - 1, SPL__MASK_NONE, sum);
#else
    (void)o, (void)c, (void)origin, (void)registers, (void)sum;
#endif
}

/* One row of C, which begins at c: the tile at origin. */
ALWAYS_INLINE void FN(whole_row)(const FN(operands) *o, int64_t p, int64_t end, T *c,
                                 FN(origin) origin, const int registers,
                                 const spl__tile_masks masks)
{
    FN(lanes) sum[TILE_REGISTERS < 16 ? 10 : 17];
    FN(sum_row)(o, p, end, origin, registers, masks, sum);
    if (masks == SPL__MASK_ENDS)
        FN(store_shifted_row)(o, c, origin, registers, sum);
    else
        FN(store_row)(&o->to, c, origin, registers, masks, sum);
}

ALWAYS_INLINE void FN(rows_by)(const FN(operands) *all, int64_t prefetch, int64_t first,
                               int64_t last, FN(origin) origin, const int registers,
                               const spl__tile_masks masks)
{
    FN(operands) o = *all; /* stores to C cannot change it: it stays in registers */
    T *c = o.to.c + first * o.to.row;
    int64_t p = o.offsets[first];
    o.prefetch = prefetch;
    o.b -= origin.skip;
    for (int64_t i = first; i < last; i++, c += o.to.row) {
        const int64_t end = o.offsets[i + 1];
        FN(whole_row)(&o, p, end, c, origin, registers, masks);
        p = end;
    }
}

/* Two loops, of which one knows that it does not prefetch. */
ALWAYS_INLINE void FN(rows_of_width)(const FN(operands) *o, int64_t first, int64_t last,
                                     FN(origin) origin, const int registers,
                                     const spl__tile_masks masks)
{
    if (o->prefetch)
        FN(rows_by)(o, o->prefetch, first, last, origin, registers, masks);
    else
        FN(rows_by)(o, 0, first, last, origin, registers, masks);
}

/* Functions of their own, so that each has the registers of the processor for itself. */
#define ROWS_OF_WIDTH(registers, masks, name)                                                      \
    static SPL__APART void FN(name)(const FN(operands) *o, int64_t first, int64_t last,            \
                                    FN(origin) origin)                                             \
    {                                                                                              \
        FN(rows_of_width)(o, first, last, origin, registers, masks);                               \
    }
ROWS_OF_WIDTH(1, SPL__MASK_NONE, rows_1)
ROWS_OF_WIDTH(2, SPL__MASK_NONE, rows_2)
ROWS_OF_WIDTH(4, SPL__MASK_NONE, rows_4)
ROWS_OF_WIDTH(8, SPL__MASK_NONE, rows_8)
ROWS_OF_WIDTH(1, SPL__MASK_RIGHT, rows_1_cut)
ROWS_OF_WIDTH(2, SPL__MASK_RIGHT, rows_2_cut)
ROWS_OF_WIDTH(4, SPL__MASK_RIGHT, rows_4_cut)
ROWS_OF_WIDTH(8, SPL__MASK_RIGHT, rows_8_cut)
#ifdef SHIFTED
ROWS_OF_WIDTH(16, SPL__MASK_NONE, rows_16)
ROWS_OF_WIDTH(3, SPL__MASK_ENDS, rows_3_shifted)
ROWS_OF_WIDTH(5, SPL__MASK_ENDS, rows_5_shifted)
ROWS_OF_WIDTH(9, SPL__MASK_ENDS, rows_9_shifted)
ROWS_OF_WIDTH(17, SPL__MASK_ENDS, rows_17_shifted)
#endif
#undef ROWS_OF_WIDTH

/* Rows of several of the widest tiles, one after another. */
static SPL__APART void FN(rows_of_tiles)(const FN(operands) *all, int64_t first, int64_t last,
                                         FN(origin) origin)
{
    FN(operands) o = *all;
    T *c = o.to.c + first * o.to.row;
    int64_t p = o.offsets[first];
    for (int64_t i = first; i < last; i++, c += o.to.row) {
        const int64_t end = o.offsets[i + 1];
        for (int64_t j = 0; j < origin.columns; j += TILE_REGISTERS * FN(WIDTH)) {
            o.b = all->b + j;
            FN(whole_row)(&o, p, end, c + j, origin, TILE_REGISTERS, SPL__MASK_NONE);
        }
        p = end;
    }
}

/* Whether whole_rows computes them. */
static inline bool FN(are_whole)(const FN(operands) *o)
{
    return o->alone && o->to.reads;
}

/* Rows first..last of C, all columns. */
static void FN(whole_rows)(const FN(operands) *o, int64_t first, int64_t last, FN(origin) origin)
{
    typedef void (*rows_fn)(const FN(operands) *o, int64_t first, int64_t last, FN(origin) origin);
    /* by the logarithm of registers, then by the kind of masks */
#ifdef SHIFTED
    static const rows_fn widths[][3] = {
        {FN(rows_1), FN(rows_1_cut), NULL},
        {FN(rows_2), FN(rows_2_cut), FN(rows_3_shifted)},
        {FN(rows_4), FN(rows_4_cut), FN(rows_5_shifted)},
        {FN(rows_8), FN(rows_8_cut), FN(rows_9_shifted)},
        {FN(rows_16), NULL, FN(rows_17_shifted)},
    };
#else
    static const rows_fn widths[][3] = {
        {FN(rows_1), FN(rows_1_cut), NULL},
        {FN(rows_2), FN(rows_2_cut), NULL},
        {FN(rows_4), FN(rows_4_cut), NULL},
        {FN(rows_8), FN(rows_8_cut), NULL},
    };
#endif
    int width = 0;
    if (origin.columns - origin.skip > TILE_REGISTERS * FN(WIDTH)) {
        FN(rows_of_tiles)(o, first, last, origin);
        return;
    }
    while ((int64_t)FN(WIDTH) << width < origin.columns - origin.skip)
        width++;
    const spl__tile_masks masks = origin.skip > 0                                 ? SPL__MASK_ENDS
                                  : (int64_t)FN(WIDTH) << width == origin.columns ? SPL__MASK_NONE
                                                                                  : SPL__MASK_RIGHT;
    widths[width][masks](o, first, last, origin);
}
