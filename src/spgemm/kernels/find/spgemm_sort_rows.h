/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_sort_rows.h: the columns of short rows of C = A*B + D found by sorting their terms,
 * entries of D and products, in registers. If positions are kept for the numeric phase, keys
 * have the number of the term in their low bits: after sorting, they tell the position of each
 * term in the row. Part of the templates of kernel files: read once per combination of types,
 * without a guard. */

#include "spgemm/kernels/find/spgemm_block_room.h"
#include "spgemm/kernels/find/spgemm_runs.h"
#include "spgemm/kernels/find/spgemm_set.h"

/* Shared memory of a block: keys, SPGEMM_RUN_KEYS per thread, and as many positions. */
typedef struct FN(sorting) {
    int32_t *keys;
    uint8_t *slots;
} FN(sorting);

/* ---- terms ---- */

/* Puts products in order into the team's keys; `bits`: of a key, for the number of the term. */
typedef struct FN(term_visitor) {
    int32_t *keys;
    int bits;
} FN(term_visitor);

typedef struct FN(term_product) {
    int32_t column, number; /* -1: none */
} FN(term_product);

DEVICE int32_t FN(key_of)(int32_t column, int32_t number, int bits)
{
    return column << bits | (number & ((1 << bits) - 1));
}

DEVICE FN(term_product) FN(term_load)(const FN(term_visitor) *v, const FN(factors) *f, bool any,
                                      P index, T factor, P term)
{
    FN(term_product) product;
    (void)v;
    (void)factor;
    product.column = any ? READ(&f->b.columns[index]) : -1;
    product.number = (int32_t)term;
    return product;
}

DEVICE void FN(term_visit)(const FN(term_visitor) *v, const FN(term_product) *product)
{
    if (product->column >= 0)
        v->keys[spgemm_slot_of_run(product->number)] =
            FN(key_of)(product->column, product->number, v->bits);
}

DEVICE void FN(term_rows)(const FN(term_visitor) *v, const spgemm_team *t,
                          const FN(term_product) *product)
{
    (void)t;
    for (int u = 0; u < SPGEMM_AT_ONCE; u++)
        FN(term_visit)(v, &product[u]);
}

#define VISIT term
#define SPGEMM_SHORT_ROWS
#include "spgemm/kernels/find/spgemm_walk.h"

/* Loads the keys of a row's entries of D and products. Returns their number. */
DEVICE int32_t FN(terms_of_row)(const struct spgemm_structures *s, const spgemm_team *t, int bits,
                                int64_t row, int32_t *keys)
{
    const P *d_offsets = (const P *)s->d_offsets;
    const FN(term_visitor) visitor = {keys, bits};
    const FN(factors) f = FN(structures_of)(s);
    P addends = 0;
    if (d_offsets) {
        const P begin = READ(&d_offsets[row]);
        addends = READ(&d_offsets[row + 1]) - begin;
        for (P i = t->lane; i < addends; i += t->width)
            keys[spgemm_slot_of_run((int32_t)i)] =
                FN(key_of)(READ(&((const I *)s->d_columns)[begin + i]), (int32_t)i, bits);
    }
    const P count = FN(term_products)(&visitor, t, &f, row, addends);
    SYNC_WARP(t->mask);
    return (int32_t)count;
}

/* A lane's sorted keys. Bit u of `firsts`: key u is the first of its column. first_rank: columns of
 * the lanes before. */
typedef struct FN(ranks) {
    int32_t key[SPGEMM_RUN_KEYS];
    uint32_t firsts;
    int32_t first_rank;
} FN(ranks);

/* The position in the row of key u. */
DEVICE int32_t FN(position_of)(const FN(ranks) *r, int u)
{
    return r->first_rank + (int32_t)POPCOUNT(r->firsts & ((2u << u) - 1)) - 1;
}

/* Finds the first keys of columns. Returns the number of columns. */
DEVICE int32_t FN(rank_keys)(FN(ranks) *r, const spgemm_team *t, int bits)
{
    const int32_t left = SHUFFLE_UP(t->mask, r->key[SPGEMM_RUN_KEYS - 1], 1, t->width);
    int32_t last = t->lane == 0 ? -1 : left >> bits, count;
    r->firsts = 0;
    UNROLL
    for (int u = 0; u < SPGEMM_RUN_KEYS; u++) {
        const int32_t column = r->key[u] >> bits;
        const bool is_new = r->key[u] != INT32_MAX && column != last;
        r->firsts |= (is_new ? 1u : 0u) << u;
        last = column;
    }
    r->first_rank = spgemm_sum_of_lanes_before(t, (int32_t)POPCOUNT(r->firsts), &count);
    return count;
}

/* ---- results ---- */

/* Puts a row's columns and positions where the block gathers them, or, if `out`, its columns
 * there. */
DEVICE void FN(put_terms)(const FN(ranks) *r, const spgemm_destination *to, int bits,
                          const FN(sorting) *block, int32_t *out)
{
    int32_t *const columns = out ? out + to->columns : block->keys + to->columns_before;
    UNROLL
    for (int u = 0; u < SPGEMM_RUN_KEYS; u++) {
        if (to->columns >= 0 && (r->firsts >> u & 1))
            columns[FN(position_of)(r, u)] = r->key[u] >> bits;
        if (to->slots >= 0 && r->key[u] != INT32_MAX)
            block->slots[to->work_before + (r->key[u] & ((1 << bits) - 1))] =
                (uint8_t)FN(position_of)(r, u);
    }
}

/* Writes what the block has gathered: neighbours, by all threads. */
DEVICE void FN(put_block)(const struct spgemm_find *f, const FN(sorting) *block,
                          const spgemm_found *found)
{
    SYNC();
    for (uint32_t i = THREAD; found->start >= 0 && i < found->columns; i += THREADS)
        f->stash[found->start + i] = block->keys[i];
    for (uint32_t i = THREAD; f->kept.slots && i < found->work; i += THREADS)
        f->kept.slots[found->kept + i] = block->slots[i];
    SYNC();
}

/* ---- rows ---- */

/* `width`, of a team, is a compile-time constant in all callers. */
DEVICE void FN(find_sorted)(const struct spgemm_find *f, int width, const FN(sorting) *block,
                            spgemm_found *found)
{
    const spgemm_team t = spgemm_team_of(width, width);
    const int64_t teams = THREADS / width;
    const int bits = f->kept.slots ? SPGEMM_TERM_BITS : 0;
    const bool together = !f->columns && !f->bounded;
    int32_t *const keys = block->keys + t.number * width * SPGEMM_RUN_KEYS;
    for (int64_t first = (BLOCK - f->layout.first_block) * teams; first < f->layout.list_count;
         first += f->layout.blocks * teams) {
        const bool has_row = first + t.number < f->layout.list_count;
        const int64_t row = has_row ? spgemm_row_at(f->layout.list, first + t.number) : 0;
        FN(ranks) r;
        int32_t count = 0, work = 0;
        if (has_row && !spgemm_is_settled(f, row))
            work = FN(terms_of_row)(&f->s, &t, bits, row, keys);
        spgemm_load_run(r.key, SPGEMM_RUN_KEYS, &t, keys, 0, work);
        spgemm_sort_run(r.key, SPGEMM_RUN_KEYS, &t, work);
        count = FN(rank_keys)(&r, &t, bits);
        const spgemm_destination to =
            spgemm_destination_of(f, &t, has_row, row, count, (uint32_t)work, found);
        if (!f->columns && has_row && t.lane == 0) {
            spgemm_note_row(f, row, count, to.columns);
            if (f->kept.starts)
                f->kept.starts[row] = to.slots;
        }
        FN(put_terms)(&r, &to, bits, block,
                      together     ? (int32_t *)0
                      : f->columns ? f->columns
                                   : f->stash);
        if (together)
            FN(put_block)(f, block, found);
        SYNC_WARP(t.mask); /* the next row writes the keys */
    }
}

/* Finds the rows of a bin. */
DEVICE void FN(find_by_sorting)(const struct spgemm_find *f, int32_t *shared, spgemm_found *found)
{
    const FN(sorting) block = {shared, (uint8_t *)(shared + THREADS * SPGEMM_RUN_KEYS)};
    if (f->layout.team == 4)
        FN(find_sorted)(f, 4, &block, found);
    else if (f->layout.team == 8)
        FN(find_sorted)(f, 8, &block, found);
    else if (f->layout.team == 16)
        FN(find_sorted)(f, 16, &block, found);
    else
        FN(find_sorted)(f, 32, &block, found);
}
