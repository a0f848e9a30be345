/* SPDX-License-Identifier: Apache-2.0 */
/* holed_block_rows.h: the rows of C of a node of NODE unknowns, in holed blocks. A template
 * inside a template: T, ACC, I, P, FN come from core/each_type.h, the includer defines NODE and
 * NODE_LANES, the next power of two; both are undefined at the end. */
#define NODE_NAME(name)         NODE_NAME_(name, NODE)
#define NODE_NAME_(name, size)  NODE_NAME__(name, size)
#define NODE_NAME__(name, size) FN(name##_##size)

/* A row of a block, one lane per column: unaligned as in B, and aligned as in the tile. */
typedef ACC NODE_NAME(loose)
    __attribute__((vector_size(NODE_LANES * sizeof(ACC)), aligned(sizeof(ACC)), may_alias));
typedef ACC NODE_NAME(lanes) __attribute__((vector_size(NODE_LANES * sizeof(ACC))));

/* Clears the sums of C's blocks and stores their positions. Stale positions of earlier nodes are
 * harmless: only zeros are added there. */
static inline void NODE_NAME(begin_node)(const FN(node) *n)
{
    for (int64_t k = 0; k < n->count; k++)
        n->position[n->columns[k]] = (I)(k + 1);
    memset(n->sums, 0, (size_t)(n->count + 1) * NODE * sizeof(NODE_NAME(lanes)));
}

/* sums += scaled block of A times the blocks of B's row from `begin` on. A's block stays in
 * registers where it fits. */
static inline void NODE_NAME(add_blocks)(const FN(node) *n, const ACC *scale, P begin, P end)
{
    const bool fits = NODE * NODE <= REGISTERS_FOR_A;
    const holed *m = n->shared;
    const I *columns = m->b.indices;
    const T *values = (const T *)m->right + (int64_t)begin * NODE * NODE;
    NODE_NAME(lanes) kept[NODE][NODE];
    for (int l = 0; l < NODE && fits; l++)
        for (int k = 0; k < NODE; k++)
            kept[l][k] = scale[l * NODE + k] - (NODE_NAME(lanes)){0};
    for (P q = begin; q < end; q++, values += NODE * NODE) {
        NODE_NAME(lanes) *sums =
            (NODE_NAME(lanes) *)n->sums + (int64_t)n->position[columns[q]] * NODE;
        NODE_NAME(lanes) line[NODE];
        for (int k = 0; k < NODE; k++)
            line[k] = *(const NODE_NAME(loose) *)(values + k * NODE);
        for (int l = 0; l < NODE; l++) {
            NODE_NAME(lanes) sum = sums[l];
            for (int k = 0; k < NODE; k++)
                sum += fits ? kept[l][k] * line[k] : scale[l * NODE + k] * line[k];
            sums[l] = sum;
        }
    }
}

/* sums += alpha*A*B, by blocks. */
static inline void NODE_NAME(add_products)(const FN(node) *n, ACC alpha)
{
    const holed *m = n->shared;
    const P *offsets = m->a.offsets, *b_offsets = m->b.offsets;
    const I *columns = m->a.indices;
    for (P q = offsets[n->number], end = offsets[n->number + 1]; q < end; q++) {
        const T *block = (const T *)m->a.values + (int64_t)q * NODE * NODE;
        P next = b_offsets[columns[q + 1 < end ? q + 1 : q]];
        ACC scale[NODE * NODE];
        for (int k = 0; k < NODE * NODE; k++)
            scale[k] = alpha * block[k];
        /* Rows of B come in an order that hardware prefetchers cannot predict. */
        __builtin_prefetch((const I *)m->b.indices + next);
        __builtin_prefetch((const T *)m->right + (int64_t)next * NODE * NODE);
        NODE_NAME(add_blocks)(n, scale, b_offsets[columns[q]], b_offsets[columns[q] + 1]);
    }
}

/* sums of a line (a row of the node) += scale * entries of a row of B or D. */
static inline void NODE_NAME(add_entries)(const FN(node) *n, int64_t line, const spl_sparse *from,
                                          int64_t row, ACC scale)
{
    const P *offsets = from->offsets;
    for (P q = offsets[row]; q < offsets[row + 1]; q++) {
        I column = ((const I *)from->indices)[q];
        int64_t position =
            ((int64_t)n->position[column / NODE] * NODE + line) * NODE_LANES + column % NODE;
        n->sums[position] += scale * ((const T *)from->values)[q];
    }
}

/* sums of a line += alpha*A*B, by entries. */
static inline void NODE_NAME(add_products_exactly)(const FN(node) *n, int64_t line,
                                                   const spl__problem *p, ACC alpha)
{
    int64_t i = n->number * NODE + line;
    const P *offsets = p->a.csr.offsets;
    for (P q = offsets[i]; q < offsets[i + 1]; q++)
        NODE_NAME(add_entries)(n, line, &p->b.csr, ((const I *)p->a.csr.indices)[q],
                               alpha * ((const T *)p->a.csr.values)[q]);
}

/* Copies the entries of C from a line. As long as a full block width fits the row, the next slot
 * is written even if it is a hole; the following store overwrites it. */
static inline void NODE_NAME(store_row)(const FN(node) *n, int64_t line, T *restrict values,
                                        int64_t length)
{
    const ACC *sums = n->sums + (NODE + line) * NODE_LANES;
    const uint64_t *masks = n->masks;
    int64_t k = 0, position = 0;
    for (; k < n->count && position + NODE <= length; k++)
        for (int j = 0; j < NODE; j++) {
            values[position] = sums[k * NODE * NODE_LANES + j];
            position += masks[k] >> (line * NODE + j) & 1;
        }
    for (; k < n->count && position < length; k++)
        for (int j = 0; j < NODE; j++)
            if (masks[k] >> (line * NODE + j) & 1)
                values[position++] = sums[k * NODE * NODE_LANES + j];
}

static inline void NODE_NAME(compute_node)(const FN(row) *first, int64_t rows)
{
    const spl__problem *p = first->problem;
    FN(row) row = *first;
    FN(node) n = FN(node_of)(first);
    ACC alpha = *(const T *)row.call->alpha, beta = *(const T *)row.call->beta;
    bool exactly = ((const holed *)row.shared)->exactly;
    NODE_NAME(begin_node)(&n);
    if (alpha != 0 && !exactly)
        NODE_NAME(add_products)(&n, alpha);
    for (; row.i < first->i + rows; row.i++) {
        int64_t line = row.i % NODE;
        if (alpha != 0 && exactly)
            NODE_NAME(add_products_exactly)(&n, line, p, alpha);
        if (p->has_d && beta != 0)
            NODE_NAME(add_entries)(&n, line, &p->d.csr, row.i, beta);
        NODE_NAME(store_row)(&n, line, FN(values_of)(&row), spl__row_length(row.product, row.i));
    }
}

#undef NODE
#undef NODE_LANES
#undef NODE_NAME
#undef NODE_NAME_
#undef NODE_NAME__
