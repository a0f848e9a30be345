/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_value_rows.h: the values of rows of C whose columns are known. A team has the sums of its
 * row in shared memory, in the order of C's columns. Kinds of rows differ in the lookup of a
 * product's position.
 *
 * The lanes of a part walk a row of B. If its columns differ (`ordered`), lanes add to different
 * sums, so that a team of one part needs no atomic additions, and its sums are the same in every
 * run. Part of the templates of kernel files: read once per combination of types, without a
 * guard. */

/* ---- adding ---- */

DEVICE void FN(add)(T *sum, T value, bool alone)
{
    if (alone)
        *sum += value;
    else
        ATOMIC_ADD(sum, value);
}

/* Adds products to the sums of a row. alone: no other lane adds to the same sum at the same time.
 */
typedef struct FN(add_visitor) {
    const FN(positions) *p;
    int kind;
    bool alone;
} FN(add_visitor);

typedef struct FN(add_product) {
    int32_t column; /* or the kept position; -1: none */
    T value;
} FN(add_product);

DEVICE FN(add_product) FN(add_load)(const FN(add_visitor) *v, const FN(factors) *f, bool any,
                                    P index, T factor, P term)
{
    FN(add_product) product;
    product.column = !any                     ? -1
                     : v->kind == SPGEMM_KEPT ? READ(&v->p->kept[term])
                                              : READ(&f->b.columns[index]);
    product.value = any ? factor * READ(&f->b.values[index]) : (T)0;
    return product;
}

DEVICE int32_t FN(add_position)(const FN(add_visitor) *v, int32_t column)
{
    return column >= 0 ? spgemm_position_of(&v->p->lookup, column, v->kind) : -1;
}

DEVICE void FN(add_visit)(const FN(add_visitor) *v, const FN(add_product) *product)
{
    const int32_t position = FN(add_position)(v, product->column);
    if (position >= 0)
        ATOMIC_ADD(&v->p->sums[position], product->value);
}

/* Row by row, since rows have columns in common. */
DEVICE void FN(add_rows)(const FN(add_visitor) *v, const spgemm_team *t,
                         const FN(add_product) *product)
{
    int32_t position[SPGEMM_AT_ONCE];
    for (int u = 0; u < SPGEMM_AT_ONCE; u++)
        position[u] = FN(add_position)(v, product[u].column);
    for (int u = 0; u < SPGEMM_AT_ONCE; u++) {
        if (position[u] >= 0)
            FN(add)(&v->p->sums[position[u]], product[u].value, v->alone);
        SYNC_WARP(t->mask);
    }
}

/* The value is loaded only if the column is one of the chunk's. */
DEVICE void FN(add_one)(const FN(add_visitor) *v, const FN(factors) *f, P index, T factor)
{
    const int32_t position = spgemm_position_of(&v->p->lookup, READ(&f->b.columns[index]), v->kind);
    if (position >= 0)
        ATOMIC_ADD(&v->p->sums[position], factor * READ(&f->b.values[index]));
}

DEVICE void FN(add_long)(const FN(add_visitor) *v, const FN(factors) *f, P begin, P j, P length,
                         P step, T factor)
{
    for (; j < length; j += step)
        FN(add_one)(v, f, begin + j, factor);
}

#define VISIT add
#include "spgemm/kernels/find/spgemm_walk.h"

/* ---- rows ---- */

DEVICE void FN(add_addend)(const FN(add_visitor) *v, const spgemm_team *t,
                           const struct spgemm_operands *o, int64_t row)
{
    const T beta = SCALAR(T, o->scalars.beta);
    const P *d_offsets = (const P *)o->s.d_offsets;
    if (beta == 0 || !d_offsets)
        return;
    const P first = d_offsets[row], last = d_offsets[row + 1];
    for (P q = first + t->rank; q < last; q += t->size) {
        const int32_t position =
            v->kind == SPGEMM_KEPT
                ? READ(&v->p->kept[q - first])
                : spgemm_position_of(&v->p->lookup, ((const I *)o->s.d_columns)[q], v->kind);
        if (position >= 0)
            FN(add)(&v->p->sums[position], beta * ((const T *)o->d_values)[q], v->alone);
    }
}

/* Adds alpha*A*B and beta*D of a row; operands with a factor of zero are not read. */
DEVICE void FN(add_terms)(const FN(add_visitor) *v, const spgemm_team *t,
                          const struct spgemm_operands *o, int64_t row, bool singly)
{
    const P *d_offsets = (const P *)o->s.d_offsets;
    const FN(factors) f = FN(factors_of)(o);
    if (f.alpha != 0 && v->kind == SPGEMM_KEPT) /* such rows are short */
        FN(add_products)(v, t, &f, row,
                         d_offsets ? READ(&d_offsets[row + 1]) - READ(&d_offsets[row]) : 0);
    else if (f.alpha != 0)
        FN(add_row)(v, t, &f, row, singly);
    spgemm_team_sync(t);
    FN(add_addend)(v, t, o, row);
    spgemm_team_sync(t);
}

/* Computes `count` columns of a row, from `begin` on in C. */
DEVICE void FN(compute_chunk)(const struct spgemm_values *v, const spgemm_team *t,
                              unsigned char *shared, int kind, int64_t row, int64_t begin,
                              int64_t count)
{
    FN(positions) p = FN(positions_in)(v, t, shared, kind, begin, count, 1);
    if (kind == SPGEMM_KEPT)
        p.kept = v->kept.slots + READ(&v->kept.starts[row]);
    FN(make_positions)(&p, t, kind, v->o.columns + begin);
    const bool singly = kind != SPGEMM_KEPT && v->layout.singly;
    const FN(add_visitor) alone = {&p, kind, true}, beside_others = {&p, kind, false};
    if (kind != SPGEMM_SPREAD && v->ordered && t->parts == 1 && !singly)
        FN(add_terms)(&alone, t, &v->o, row, false);
    else
        FN(add_terms)(&beside_others, t, &v->o, row, singly);
    for (int32_t i = t->rank; kind != SPGEMM_SPREAD && i < p.lookup.count; i += t->size)
        ((T *)v->o.values)[begin + i] = p.sums[i];
    spgemm_team_sync(t);
}

DEVICE spgemm_team FN(team_of_bin)(const struct spgemm_values *v)
{
    spgemm_team t = spgemm_team_of(v->layout.team, v->layout.width);
    t.long_row = v->layout.long_row;
    return t;
}

/* narrows: whether teams have narrower parts for some rows; it takes registers. */
DEVICE void FN(compute_rows)(const struct spgemm_values *v, unsigned char *shared, int kind,
                             const bool narrows)
{
    const FN(factors) f = FN(structures_of)(&v->o.s);
    const bool may_narrow = narrows && kind != SPGEMM_KEPT && !v->layout.singly;
    spgemm_team t = FN(team_of_bin)(v);
    for (int64_t k = spgemm_first_of_team(&v->layout, &t);
         k < v->layout.list_count * v->layout.pieces; k += spgemm_teams_of(&v->layout, &t)) {
        const FN(piece) piece = FN(piece_of)(v, k);
        if (may_narrow)
            FN(narrow_for_row)(&t, &f, piece.row);
        for (int64_t index = piece.begin; index < piece.end;
             index += v->layout.most * v->layout.pieces)
            FN(compute_chunk)(v, &t, shared, kind, piece.row, index,
                              FN(length_of_chunk)(v, &piece, index));
        if (narrows && t.width != v->layout.width)
            t = FN(team_of_bin)(v);
    }
}
