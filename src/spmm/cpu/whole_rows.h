/* SPDX-License-Identifier: Apache-2.0 */
/* whole_rows.h: rows of C that one tile covers, or some of the widest, one after another.
 *
 * A template: T, ACC, P, I, FN come from core/each_type.h, operands and SHIFTED from
 * multiply_tiles.h. With few columns the work of a row that is not products counts: where rows have
 * five entries, a third to a half of the time. So this loop has no runs of rows, and its pointers
 * stay in registers. Tiles are shifted as in multiply_tiles.h; where rows of C begin as far from a
 * cache line as those of B, sums are stored as they are, with masks at both ends. */

/* A, and B from the tile's first register on. */
typedef struct FN(source) {
    const I *columns;
    const T *values;
    const char *b;
    int64_t b_row; /* bytes */
    int64_t prefetch;
    bool in_pairs; /* columns are loaded two at once */
} FN(source);

/* The column of entry p + e. In long rows, where a tile is one register, loads are what limits. */
ALWAYS_INLINE int64_t FN(column_at)(const FN(source) *from, int64_t p, const int e,
                                    const bool in_pairs)
{
#ifdef __AVX2__
    if (in_pairs && sizeof(I) == 4) {
        uint64_t pair;
        memcpy(&pair, from->columns + p + e / 2 * 2, sizeof pair);
        return (int64_t)(e % 2 ? pair >> 32 : (uint32_t)pair);
    }
#endif
    (void)in_pairs;
    return (int64_t)from->columns[p + e];
}

/* Adds entries p to p + count - 1 to their sets of sums in turn: sum[t] += a_p * register t of B's
 * row. */
ALWAYS_INLINE void FN(add_entries)(const FN(source) *from, int64_t p, const int count,
                                   const int sets, FN(origin) origin, const int registers,
                                   const spl__tile_masks masks, FN(lanes) *sum)
{
    UNROLL
    for (int e = 0; e < count; e++) {
        const int64_t k = FN(column_at)(from, p, e, from->in_pairs && sets == 4);
        const T *line = (const T *)(const void *)(from->b + k * from->b_row);
        if (from->prefetch)
            FN(fetch_line)(from->b + from->columns[p + e + from->prefetch] * from->b_row,
                           registers);
        const ACC value = WIDEN(from->values[p + e]);
        if (registers > 3)
            KEEP_POINTER(line);
        UNROLL
        for (int t = 0; t < registers; t++)
            sum[e % sets * registers + t] += value * FN(load)(line, t, origin, registers, masks);
    }
}

/* Sets of sums of a row to which entries are added in turn, to break the dependency between
 * additions: enough for eight registers. A shifted tile has those of one that is not, so that bits
 * do not depend on where B begins. */
ALWAYS_INLINE int FN(sets_of)(const int registers, const spl__tile_masks masks)
{
    return registers - (masks == SPL__MASK_ENDS) == 1 ? 4 : registers <= 5 ? 2 : 1;
}

/* Adds the second half of sums to the first, of `half` sums. */
ALWAYS_INLINE void FN(join_sets)(const int half, FN(lanes) *sum)
{
    UNROLL
    for (int t = 0; t < half; t++)
        sum[t] += sum[t + half];
}

/* The sums of entries p to end - 1: in turns of an entry for each set while there are so many, then
 * one by one. Where rows of one register are `even`, most as long as those before them, turns take
 * two entries for each set, and what is left is a half, a quarter and an eighth of a turn: branches
 * that are predicted then, where a loop costs more. Registers of 64 bytes gain nothing from it. */
ALWAYS_INLINE void FN(sum_row)(const FN(source) *from, int64_t p, int64_t end, FN(origin) origin,
                               const int registers, const spl__tile_masks masks, const bool even,
                               FN(lanes) *sum)
{
    const int sets = FN(sets_of)(registers, masks), few = even ? 2 : 1,
              turn = even ? 2 * sets : sets;
    UNROLL
    for (int t = 0; t < registers * few; t++)
        sum[t] = (FN(lanes)){0};
    if (sets > 1 && end - p >= turn) {
        UNROLL
        for (int t = registers * few; t < registers * sets; t++)
            sum[t] = (FN(lanes)){0};
        do {
            FN(add_entries)(from, p, turn, sets, origin, registers, masks, sum);
            p += turn;
            KEEP_POINTER(p); /* or gcc computes how many turns there will be */
        } while (end - p >= turn);
        FN(join_sets)(registers * sets / 2, sum);
        if (sets / 2 > few)
            FN(join_sets)(registers, sum);
    }
    if (even && (end - p) & 4) {
        FN(add_entries)(from, p, 4, few, origin, registers, masks, sum);
        p += 4;
    }
    if (even && (end - p) & 2) {
        FN(add_entries)(from, p, 2, few, origin, registers, masks, sum);
        p += 2;
    }
    if (even && (end - p) & 1)
        FN(add_entries)(from, p, 1, few, origin, registers, masks, sum);
    for (; !even && p < end; p++)
        FN(add_entries)(from, p, 1, 1, origin, registers, masks, sum);
    if (even)
        FN(join_sets)(registers, sum);
}

/* A row of C that begins at c, or, shifted and `parallel`, where its cache line does: what
 * store_row does. */
ALWAYS_INLINE void FN(store_whole_row)(const FN(result) *to, T *c, FN(origin) origin,
                                       const int registers, const spl__tile_masks masks,
                                       const bool parallel, FN(lanes) *sum)
{
#ifdef SHIFTED
    if (masks == SPL__MASK_ENDS && !parallel) {
        UNROLL
        for (int t = 0; t < registers - 1; t++)
            sum[t] = SPL__LANES_AFTER(sum[t], sum[t + 1], origin.skip);
        FN(store_row)(to, c, origin, registers - 1, SPL__MASK_NONE, sum);
        return;
    }
#endif
    (void)parallel;
    FN(store_row)(to, c, origin, registers, masks, sum);
}

/* Few pointers, which stay in registers: stores to C cannot change them. */
ALWAYS_INLINE void FN(rows_by)(const FN(operands) *o, const spl__rows_kind kind, int64_t first,
                               int64_t last, FN(origin) origin, const int registers,
                               const spl__tile_masks masks)
{
    const bool parallel = (kind & SPL__ROWS_PARALLEL) != 0, even = (kind & SPL__ROWS_EVEN) != 0;
    const FN(result) to = o->to;
    FN(source) from = {.columns = o->columns, .values = o->values, .b_row = o->b_row};
    from.b = (const char *)(o->b - origin.skip);
    from.prefetch = kind & SPL__ROWS_PREFETCH ? o->prefetch : 0;
    from.in_pairs = SPL__REGISTER_BYTES == 64 || kind & (SPL__ROWS_EVEN | SPL__ROWS_LONG);
    T *c = to.c + first * to.row - (parallel ? origin.skip : 0);
    int64_t p = o->offsets[first];
    KEEP_POINTER(from.b);
    for (const P *ends = o->offsets + first + 1; ends <= o->offsets + last; ends++, c += to.row) {
        FN(lanes) sum[TILE_REGISTERS < 16 ? 10 : 17];
        const int64_t end = *ends;
        FN(sum_row)(&from, p, end, origin, registers, masks, even, sum);
        FN(store_whole_row)(&to, c, origin, registers, masks, parallel, sum);
        p = end;
    }
}

/* Loops that know what they do. */
ALWAYS_INLINE void FN(rows_of_width)(const FN(operands) *o, int64_t first, int64_t last,
                                     FN(origin) origin, const int registers,
                                     const spl__tile_masks masks)
{
    if (o->prefetch)
        FN(rows_by)(o, SPL__ROWS_PREFETCH, first, last, origin, registers, masks);
    else if (masks == SPL__MASK_ENDS && o->parallel)
        FN(rows_by)(o, SPL__ROWS_PARALLEL, first, last, origin, registers, masks);
    else if (SPL__REGISTER_BYTES == 32 && sizeof(T) == sizeof(ACC) && registers == 1 && o->even)
        FN(rows_by)(o, SPL__ROWS_EVEN, first, last, origin, registers, masks);
    else if (SPL__REGISTER_BYTES == 32 && registers == 1 && o->longer)
        FN(rows_by)(o, SPL__ROWS_LONG, first, last, origin, registers, masks);
    else
        FN(rows_by)(o, SPL__ROWS_ANY, first, last, origin, registers, masks);
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
ROWS_OF_WIDTH(2, SPL__MASK_ENDS, rows_2_shifted)
ROWS_OF_WIDTH(3, SPL__MASK_ENDS, rows_3_shifted)
ROWS_OF_WIDTH(5, SPL__MASK_ENDS, rows_5_shifted)
ROWS_OF_WIDTH(9, SPL__MASK_ENDS, rows_9_shifted)
ROWS_OF_WIDTH(17, SPL__MASK_ENDS, rows_17_shifted)
#endif
#undef ROWS_OF_WIDTH

/* Rows of several of the widest tiles, one after another. */
static SPL__APART void FN(rows_of_tiles)(const FN(operands) *o, int64_t first, int64_t last,
                                         FN(origin) origin)
{
    T *c = o->to.c + first * o->to.row;
    for (int64_t i = first; i < last; i++, c += o->to.row)
        for (int64_t j = 0; j < origin.columns; j += TILE_REGISTERS * FN(WIDTH)) {
            const FN(source) from = {o->columns, o->values,   (const char *)(o->b + j),
                                     o->b_row,   o->prefetch, false};
            FN(lanes) sum[TILE_REGISTERS < 16 ? 10 : 17];
            FN(sum_row)(&from, o->offsets[i], o->offsets[i + 1], origin, TILE_REGISTERS,
                        SPL__MASK_NONE, false, sum);
            FN(store_row)(&o->to, c + j, origin, TILE_REGISTERS, SPL__MASK_NONE, sum);
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
        {FN(rows_1), FN(rows_1_cut), FN(rows_2_shifted)},
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
