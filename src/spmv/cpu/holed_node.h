/* SPDX-License-Identifier: Apache-2.0 */
/* holed_node.h: SpMV of nodes of NODE unknowns, in holed blocks. A template inside a template:
 * T, I, P, FN come from core/each_type.h, the includer defines NODE and NODE_LANES, the next
 * power of two; both are undefined at the end. */
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

static inline void NODE_NAME(multiply_node)(const FN(operands) *o, int64_t node)
{
    const spl__bsr *a = o->a;
    const P *offsets = a->offsets;
    const I *columns = a->indices;
    const T *values = (const T *)a->values + (int64_t)offsets[node] * NODE * NODE;
    NODE_NAME(lanes) sums[NODE][PIECES] = {{{0}}}, x[PIECES];
    for (P q = offsets[node]; q < offsets[node + 1]; q++, values += NODE * NODE) {
        const T *from = columns[q] < o->tail_begin ? o->x + (int64_t)columns[q] * NODE
                                                   : o->tail + (columns[q] - o->tail_begin) * NODE;
        spl__prefetch(values);
#pragma GCC unroll 4
        for (int k = 0; k < PIECES; k++)
            x[k] = *(const NODE_NAME(loose) *)(from + k * PIECE_LANES);
#pragma GCC unroll 6
        for (int l = 0; l < NODE; l++)
#pragma GCC unroll 4
            for (int k = 0; k < PIECES; k++)
                sums[l][k] +=
                    *(const NODE_NAME(loose) *)(values + l * NODE + k * PIECE_LANES) * x[k];
    }
    T *y = o->y + node * NODE;
    for (int l = 0; l < NODE && node * NODE + l < a->shape.rows; l++) {
        T sum = 0;
        for (int j = 0; j < NODE; j++)
            sum += sums[l][j / PIECE_LANES][j % PIECE_LANES];
        if (!(sum - sum == 0))
            sum = FN(sum_entries)(o, node, l);
        y[l] = o->alpha * sum + FN(scaled)(o->beta, &y[l]);
    }
}

static void NODE_NAME(multiply)(const FN(operands) *o, int64_t begin, int64_t end)
{
    for (int64_t node = begin; node < end; node++)
        NODE_NAME(multiply_node)(o, node);
}

#undef PIECE_BYTES
#undef PIECE_LANES
#undef PIECES
#undef NODE
#undef NODE_LANES
#undef NODE_NAME
#undef NODE_NAME_
#undef NODE_NAME__
