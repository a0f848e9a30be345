/* SPDX-License-Identifier: Apache-2.0 */
/* block_rows.h: rows i .. i+rows-1 of C at once, where rows <= RUN_LANES of A (and of D) have
 * the same columns. A template inside a template, as block_tile.h is. */
#include "spgemm/cpu/rows/block_tile.h"

/* sums += beta*D for the run. */
static inline void RUN(add_summand)(const FN(row) *row, int64_t rows, const RUN(tile) *c)
{
    const spl_sparse *d = &row->problem->d.csr;
    const P *offsets = d->offsets;
    const I *columns = d->indices;
    const T *values = d->values;
    ACC beta = *(const T *)row->call->beta;
    int64_t begin = offsets[row->i], end = offsets[row->i + 1];
    for (int64_t q = begin; q < end; q++) {
        RUN(lanes) terms;
        RUN(scale_column)(values + q, rows, end - begin, beta, &terms);
        c->sums[c->position[columns[q]]] += terms;
    }
}

/* Positions come first, then the sums, which are aligned. */
static inline RUN(tile) RUN(tile_of)(const FN(row) *row)
{
    const size_t positions = position_bytes(row->problem->cols, sizeof(I));
    return RUN(begin_tile)(FN(columns_of)(row), spl__row_length(row->product, row->i),
                           row->workspace, (char *)row->workspace + positions);
}

static inline void RUN(compute_run)(const FN(row) *row, int64_t rows)
{
    const spl__problem *p = row->problem;
    const FN(factors) f = {&p->a.csr, &p->b.csr, row->product->b_equals_previous, row->shared,
                           *(const T *)row->call->alpha};
    const RUN(tile) c = RUN(tile_of)(row);
    if (f.alpha != 0)
        RUN(add_products)(&f, row->i, rows, &c);
    if (p->has_d && *(const T *)row->call->beta != 0)
        RUN(add_summand)(row, rows, &c);
    RUN(store_rows)(&c, rows, FN(values_of)(row));
}

#include "spgemm/cpu/rows/block_tile_end.h"
