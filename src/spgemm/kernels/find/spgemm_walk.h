/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_walk.h: the walk of a team over the products of a row of C: the rows of B that the entries
 * of A's row meet. Part of the templates of kernel files: read once per combination of types and
 * visitor, without a guard.
 *
 * A visitor says what happens to a product. Its name is VISIT, a word, and for the visitor `insert`
 * the includer has defined
 *
 * - insert_visitor: a struct; what it has as constants after inlining costs nothing
 * - insert_product: a struct: what is loaded of a product before it is used
 * - insert_load: loads the product of B's entry `index` and `factor`, number `term` of the row's;
 *   if not `any`, returns a product that is ignored
 * - insert_visit: uses a product; other lanes may use the same column at the same time
 * - insert_rows: uses AT_ONCE products, one of each of as many rows of B, by all lanes of a part
 * - insert_one: loads and uses one product
 * - insert_long: the same for every step-th entry of a long row of B, from number j on
 *
 * and gets insert_products and insert_row. With SPGEMM_SHORT_ROWS it needs no insert_one and
 * insert_long, and gets insert_products only. */

#define WALK(name) FN(SPL__JOIN(VISIT, name))

/* Parts take entries of A in turn. The lanes of a part walk AT_ONCE rows of B together, so that
 * their loads overlap. `term`: terms of the row of C before these products. Returns
 * the terms of the row so far, if the team is one part. */
DEVICE P WALK(products)(const WALK(visitor) *v, const spgemm_team *t, const FN(factors) *f,
                        int64_t row, P term)
{
    const P last = READ(&f->a.offsets[row + 1]);
    for (P from = READ(&f->a.offsets[row]) + t->part; from < last; from += (P)t->parts * t->width) {
        const FN(entries) e = FN(entries_from)(t, f, from, last);
        for (int i = 0; i < e.count; i += SPGEMM_AT_ONCE) {
            const FN(rows_at_once) r = FN(rows_from)(t, f, &e, i);
            for (P start = 0; start < r.longest; start += t->width) {
                const P j = start + t->lane;
                WALK(product) product[SPGEMM_AT_ONCE];
                P number = term;
                for (int u = 0; u < SPGEMM_AT_ONCE; u++) {
                    product[u] =
                        WALK(load)(v, f, j < r.length[u], r.begin[u] + j, r.value[u], number + j);
                    number += r.length[u];
                }
                WALK(rows)(v, t, product);
            }
            for (int u = 0; u < SPGEMM_AT_ONCE; u++)
                term += r.length[u];
        }
    }
    return term;
}

#ifndef SPGEMM_SHORT_ROWS

/* The same where rows of B are short: each lane walks rows of its own, whose columns other lanes
 * may have as well. */
DEVICE void WALK(singly)(const WALK(visitor) *v, const spgemm_team *t, const FN(factors) *f,
                         int64_t row)
{
    const P last = READ(&f->a.offsets[row + 1]);
    for (P from = READ(&f->a.offsets[row]) + t->rank; from < last;
         from += (P)SPGEMM_AT_ONCE * t->size) {
        const FN(single_rows) r = FN(single_rows_from)(t, f, from, last);
        WALK(product) product[SPGEMM_AT_ONCE];
        UNROLL
        for (int u = 0; u < SPGEMM_AT_ONCE; u++)
            product[u] = WALK(load)(v, f, r.begin[u] < r.end[u], r.begin[u], r.value[u], 0);
        UNROLL
        for (int u = 0; u < SPGEMM_AT_ONCE; u++)
            WALK(visit)(v, &product[u]);
        for (int u = 0; u < SPGEMM_AT_ONCE; u++)
            for (P j = r.begin[u] + 1; j < r.end[u]; j++)
                WALK(one)(v, f, j, r.value[u]);
    }
}

/* Walks the long rows of B, which parts skip, for as many entries of A as a warp has lanes.
 * Returns whether the lane has seen a row that all warps share. */
DEVICE bool WALK(long_rows_from)(const WALK(visitor) *v, const spgemm_team *t,
                                 const spgemm_team *wide, const FN(factors) *f, FN(look) *look,
                                 P last)
{
    FN(entries) e;
    lane_mask found = FN(find_long_rows)(wide, f, look->index, last, &e);
    for (; found; found &= found - 1) {
        const int lane = FIRST_BIT(found);
        const P begin = SHUFFLE(wide->mask, e.begin, lane),
                length = SHUFFLE(wide->mask, e.length, lane);
        const T factor = f->valued ? SHUFFLE(wide->mask, e.value, lane) : (T)0;
        P step;
        const P first = FN(first_of_long_row)(t, wide, look, length, &step);
        WALK(long)(v, f, begin, first, length, step, factor);
    }
    return FN(is_shared)(&e);
}

DEVICE void WALK(long_rows)(const WALK(visitor) *v, const spgemm_team *t, const FN(factors) *f,
                            int64_t row)
{
    if (t->long_row == INT32_MAX)
        return;
    const P last = READ(&f->a.offsets[row + 1]);
    const spgemm_team wide = spgemm_widest_part(t);
    FN(look) look = FN(look_from)(t, &wide, READ(&f->a.offsets[row]), last);
    bool shared;
    do
        shared = WALK(long_rows_from)(v, t, &wide, f, &look, last);
    while (FN(look_on)(&look, t, &wide, last, shared));
}

DEVICE void WALK(row)(const WALK(visitor) *v, const spgemm_team *t, const FN(factors) *f,
                      int64_t row, bool singly)
{
    if (singly)
        WALK(singly)(v, t, f, row);
    else
        WALK(products)(v, t, f, row, 0);
    WALK(long_rows)(v, t, f, row);
}

#endif
#undef SPGEMM_SHORT_ROWS
#undef WALK
#undef VISIT
