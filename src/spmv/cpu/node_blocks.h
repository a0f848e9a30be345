/* SPDX-License-Identifier: Apache-2.0 */
/* node_blocks.h: SpMV of nodes of NODE unknowns, in blocks. A template inside a template: T, I, P,
 * FN come from core/each_type.h, the includer of the includer defines NODE and NODE_LANES, and
 * includes pieces_of_x.h before. */
#define NODE_NAME(name)         NODE_NAME_(name, NODE)
#define NODE_NAME_(name, size)  NODE_NAME__(name, size)
#define NODE_NAME__(name, size) FN(name##_##size)

/* A row of a block is one piece if a register holds it, else several; lanes of a piece, and
 * their number. */
#define PIECE_BYTES                                                                                \
    (NODE_LANES * sizeof(T) < SPL__REGISTER_BYTES ? NODE_LANES * sizeof(T) : SPL__REGISTER_BYTES)
#define PIECE_LANES (int)(PIECE_BYTES / sizeof(T))
#define PIECES      ((NODE + PIECE_LANES - 1) / PIECE_LANES)

typedef T NODE_NAME(loose) __attribute__((vector_size(PIECE_BYTES), aligned(sizeof(T)), may_alias));
typedef T NODE_NAME(lanes) __attribute__((vector_size(PIECE_BYTES)));

/* sum[l]: row l of the blocks in these columns times x. From one row of a block to the next there
 * are `line` values, from a block to the next `block`; all of a node's values are neighbours.
 * Lanes beyond a block's width hold the following elements of A and x, and are discarded. */
static SPL__INLINED void NODE_NAME(sum_blocks)(const FN(pieces_of_x) *o, const I *columns,
                                               int64_t count, const T *values, int64_t line,
                                               int64_t block, T *sum)
{
    NODE_NAME(lanes) sums[NODE][PIECES] = {{{0}}}, x[PIECES];
    const T *stream = values;
    for (int64_t q = 0; q < count; q++, values += block, stream += NODE * NODE) {
        const T *from = columns[q] < o->tail_begin ? o->x + (int64_t)columns[q] * NODE
                                                   : o->tail + (columns[q] - o->tail_begin) * NODE;
#pragma GCC unroll 6
        for (size_t k = 0; k < NODE * NODE * sizeof(T); k += 64)
            spl__prefetch_stream((const char *)stream + k);
#pragma GCC unroll 4
        for (int k = 0; k < PIECES; k++)
            x[k] = *(const NODE_NAME(loose) *)(from + k * PIECE_LANES);
#pragma GCC unroll 6
        for (int l = 0; l < NODE; l++)
#pragma GCC unroll 4
            for (int k = 0; k < PIECES; k++)
                sums[l][k] +=
                    *(const NODE_NAME(loose) *)(values + l * line + k * PIECE_LANES) * x[k];
    }
    for (int l = 0; l < NODE; l++) {
        sum[l] = 0;
        for (int j = 0; j < NODE; j++)
            sum[l] += sums[l][j / PIECE_LANES][j % PIECE_LANES];
    }
}

#undef PIECE_BYTES
#undef PIECE_LANES
#undef PIECES
#undef NODE_NAME
#undef NODE_NAME_
#undef NODE_NAME__
