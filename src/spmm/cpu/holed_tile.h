/* SPDX-License-Identifier: Apache-2.0 */
/* holed_tile.h: some columns of the NODE rows of C of a node, in registers, where A consists of
 * holed blocks.
 *
 * A template inside a template: T, I, P, FN come from core/each_type.h, operands from
 * spmm_holed_blocks_cpu.c, which defines NODE; it is undefined at the end. A row of B is loaded
 * once per block, and added, times a column of the block, to all rows of the tile. Source:
 * register tiling: M. Lam, E. Rothberg, M. Wolf, ASPLOS'91; blocks of A: E. Im, K. Yelick, R.
 * Vuduc, IJHPCA 18(1), 2004. */
#define NODE_NAME(name)         NODE_NAME_(name, NODE)
#define NODE_NAME_(name, size)  NODE_NAME__(name, size)
#define NODE_NAME__(name, size) FN(name##_##size)

/* Registers per row of a tile; of 32 or 16 registers, the others hold a piece of a row of B and
 * a value. */
#if defined(__AVX512F__)
#define NODE_REGISTERS (NODE <= 3 ? 8 : 4)
#elif defined(__AVX2__)
#define NODE_REGISTERS (NODE <= 3 ? 4 : 2)
#else
#define NODE_REGISTERS 4
#endif

/* Prefetches the rows of B of the block that is `prefetch` blocks further; prefetches beyond the
 * last row are harmless. */
ALWAYS_INLINE void NODE_NAME(fetch)(const FN(operands) *o, P q, int64_t j, const int registers)
{
    const int64_t first = (int64_t)o->columns[q + o->prefetch] * NODE;
    UNROLL
    for (int k = 0; k < NODE; k++) {
        const uintptr_t line =
            (uintptr_t)o->b + (uintptr_t)((first + k) * o->b_row + j) * sizeof(T);
        UNROLL
        for (int byte = 0; byte < registers * SPL__REGISTER_BYTES; byte += CACHE_LINE)
            __builtin_prefetch((const void *)(line + byte));
    }
}

/* sum[r][t] += values[r*NODE] * register t of a row of B. Either the values or the pieces of the
 * row are kept in registers, whichever are fewer. */
ALWAYS_INLINE void NODE_NAME(add_column)(const T *values, const T *line, FN(origin) origin,
                                         const int registers, const spl__tile_masks masks,
                                         FN(lanes) *sum)
{
    const bool few = registers <= NODE;
    FN(lanes) lanes[NODE_REGISTERS];
    T value[NODE];
    UNROLL
    for (int t = 0; few && t < registers; t++) {
        lanes[t] = FN(load)(line, t, origin, registers, masks);
        SPL__IN_REGISTER(lanes[t]);
    }
    UNROLL
    for (int r = 0; r < NODE; r++) {
        value[r] = values[r * NODE];
        UNROLL
        for (int t = 0; few && t < registers; t++)
            sum[r * registers + t] += value[r] * lanes[t];
    }
    UNROLL
    for (int t = 0; !few && t < registers; t++) {
        lanes[0] = FN(load)(line, t, origin, registers, masks);
        SPL__IN_REGISTER(lanes[0]);
        UNROLL
        for (int r = 0; r < NODE; r++)
            sum[r * registers + t] += value[r] * lanes[0];
    }
}

ALWAYS_INLINE void NODE_NAME(add_block)(const FN(operands) *o, P q, FN(origin) origin,
                                        const int registers, const int sets,
                                        const spl__tile_masks masks, FN(lanes) *sum)
{
    const T *values = o->values + (int64_t)q * NODE * NODE;
    const T *b = o->b + (int64_t)o->columns[q] * NODE * o->b_row + origin.j;
    spl__prefetch(values);
    if (o->prefetch)
        NODE_NAME(fetch)(o, q, origin.j, registers);
    UNROLL
    for (int k = 0; k < NODE; k++)
        NODE_NAME(add_column)(values + k, b + k * o->b_row, origin, registers, masks,
                              sum + k % sets * NODE * registers);
}

/* Adds the last block of a row if it extends beyond the end of B. */
ALWAYS_INLINE void NODE_NAME(add_cut_block)(const FN(operands) *o, P q, FN(origin) origin,
                                            const int registers, const spl__tile_masks masks,
                                            FN(lanes) *sum)
{
    const T *values = o->values + (int64_t)q * NODE * NODE;
    const int64_t first = (int64_t)o->columns[q] * NODE;
    for (int64_t k = 0; first + k < o->inner; k++)
        NODE_NAME(add_column)(values + k, o->b + (first + k) * o->b_row + origin.j, origin,
                              registers, masks, sum);
}

/* Recomputes sums that are not finite from the entries alone, row by row. */
static __attribute__((noinline)) void NODE_NAME(tile_of_entries)(const FN(operands) *o,
                                                                 FN(origin) origin,
                                                                 const int registers,
                                                                 const FN(lanes) *sum)
{
    T sums[NODE_REGISTERS * FN(WIDTH)];
    for (int r = 0; r < NODE && origin.i + r < o->rows; r++) {
        memcpy(sums, sum + r * registers, (size_t)registers * sizeof *sum);
        FN(row_of_entries)(o, origin.i + r, origin, sums);
    }
}

/* If all tiles of a row are small, they have two sets of sums, for alternating columns of
 * blocks, to break the dependency between additions. Next to wider tiles they use a single set,
 * so that a row's sums have one order in all columns. alpha = 0 reads no values. */
ALWAYS_INLINE void NODE_NAME(tile)(const FN(operands) *o, FN(origin) origin, const int registers,
                                   const spl__tile_masks masks, const bool narrow)
{
    const int size = NODE * registers, sets = narrow && size <= 4 ? 2 : 1;
    const P *offsets = o->offsets + origin.i / NODE;
    const P begin = offsets[0], end = o->to.reads ? offsets[1] : begin;
    const P full = end - (o->cut >= 0 && begin < end && o->columns[end - 1] == o->cut);
    FN(lanes) sum[2 * NODE * NODE_REGISTERS], odd = {0};
    UNROLL
    for (int t = 0; t < size * sets; t++)
        sum[t] = (FN(lanes)){0};
    for (P q = begin; q < full; q++)
        NODE_NAME(add_block)(o, q, origin, registers, sets, masks, sum);
    if (full < end)
        NODE_NAME(add_cut_block)(o, full, origin, registers, masks, sum);
    UNROLL
    for (int t = size; t < size * sets; t++)
        sum[t - size] += sum[t];
    UNROLL
    for (int t = 0; t < size; t++)
        odd += sum[t] - sum[t]; /* 0, or NaN */
    if (FN(any_odd)(odd)) {
        FN(lanes) sums[NODE * NODE_REGISTERS]; /* sums whose address is taken stay in memory */
        UNROLL
        for (int t = 0; t < size; t++)
            sums[t] = sum[t];
        NODE_NAME(tile_of_entries)(o, origin, registers, sums);
        return;
    }
    UNROLL
    for (int r = 0; r < NODE; r++, origin.i++)
        if (origin.i < o->rows)
            FN(finish_row)(&o->to, origin, registers, masks, sum + r * registers);
}

ALWAYS_INLINE void NODE_NAME(tile_width)(const FN(operands) *o, FN(origin) origin,
                                         const int registers, const bool narrow)
{
    if (origin.columns == registers * FN(WIDTH))
        NODE_NAME(tile)(o, origin, registers, SPL__MASK_NONE, narrow);
    else
        NODE_NAME(tile)(o, origin, registers, SPL__MASK_RIGHT, narrow);
}

/* Computes the narrowest tile for the columns from column j on. */
static void NODE_NAME(tile_of_columns)(const FN(operands) *o, int64_t node, int64_t j,
                                       int64_t columns)
{
    const FN(origin) origin = {node * NODE, j, columns, 0, 0};
    const bool narrow = NODE * o->registers <= 4;
    if (NODE_REGISTERS > 4 && origin.columns > 4 * FN(WIDTH))
        NODE_NAME(tile_width)(o, origin, NODE_REGISTERS, false);
    else if (NODE_REGISTERS > 2 && origin.columns > 2 * FN(WIDTH))
        NODE_NAME(tile_width)(o, origin, NODE_REGISTERS < 4 ? NODE_REGISTERS : 4, false);
    else if (origin.columns > FN(WIDTH) && narrow)
        NODE_NAME(tile_width)(o, origin, 2, true);
    else if (origin.columns > FN(WIDTH))
        NODE_NAME(tile_width)(o, origin, 2, false);
    else if (narrow)
        NODE_NAME(tile_width)(o, origin, 1, true);
    else
        NODE_NAME(tile_width)(o, origin, 1, false);
}

/* Computes columns j..end of nodes first..last. All tiles of a node are computed before the next
 * node: B's rows are then read completely while they are in cache. */
static void NODE_NAME(multiply)(const FN(operands) *o, int64_t first, int64_t last, int64_t j,
                                int64_t end)
{
    const int64_t most = NODE_REGISTERS * FN(WIDTH);
    for (int64_t node = first; node < last; node++)
        for (int64_t k = j; k < end; k += most)
            NODE_NAME(tile_of_columns)(o, node, k, spl__min_i64(end - k, most));
}

#undef NODE_REGISTERS
#undef NODE
#undef NODE_NAME
#undef NODE_NAME_
#undef NODE_NAME__
