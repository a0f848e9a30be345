/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_find_rows.h: rows of C found as sets of bits, in a window or in a hash table. Part of the
 * templates of kernel files: read once per combination of types, without a guard. */

#include "spgemm/kernels/find/spgemm_block_room.h"
#include "spgemm/kernels/find/spgemm_listed.h"
#include "spgemm/kernels/find/spgemm_table.h"

/* ---- products ---- */

/* Inserts products into a set: columns of B, or if `paired` pairs of compressed B, whose offsets
 * the factors have then. */
typedef struct FN(insert_visitor) {
    const spgemm_set *set;
    const uint64_t *pairs;
    bool paired;
    int kind;
} FN(insert_visitor);

typedef struct FN(insert_product) {
    struct spgemm_pair pair;
    bool any;
} FN(insert_product);

/* A column as it is inserted. */
DEVICE struct spgemm_pair FN(pair_of)(int32_t column, int kind)
{
    struct spgemm_pair pair;
    pair.word = kind == SPGEMM_SLOTS ? column : column / 32;
    pair.bits = 1u << (column % 32);
    return pair;
}

/* A column as a pair, or a pair of compressed B. */
DEVICE struct spgemm_pair FN(pair_at)(const FN(insert_visitor) *v, const FN(factors) *f, P index)
{
    struct spgemm_pair pair;
    if (!v->paired)
        return FN(pair_of)(READ(&f->b.columns[index]), v->kind);
    const uint64_t both = READ(&v->pairs[index]);
    pair.word = (int32_t)(uint32_t)both;
    pair.bits = (uint32_t)(both >> 32);
    return pair;
}

DEVICE FN(insert_product) FN(insert_load)(const FN(insert_visitor) *v, const FN(factors) *f,
                                          bool any, P index, T factor, P term)
{
    FN(insert_product) product = {{0, 0}, any};
    (void)factor;
    (void)term;
    if (any)
        product.pair = FN(pair_at)(v, f, index);
    return product;
}

DEVICE void FN(insert_visit)(const FN(insert_visitor) *v, const FN(insert_product) *product)
{
    if (product->any)
        spgemm_insert(v->set, product->pair.word, product->pair.bits, v->kind);
}

DEVICE void FN(insert_rows)(const FN(insert_visitor) *v, const spgemm_team *t,
                            const FN(insert_product) *product)
{
    (void)t;
    for (int u = 0; u < SPGEMM_AT_ONCE; u++)
        FN(insert_visit)(v, &product[u]);
}

DEVICE void FN(insert_one)(const FN(insert_visitor) *v, const FN(factors) *f, P index, T factor)
{
    const struct spgemm_pair pair = FN(pair_at)(v, f, index);
    (void)factor;
    spgemm_insert(v->set, pair.word, pair.bits, v->kind);
}

DEVICE void FN(insert_long)(const FN(insert_visitor) *v, const FN(factors) *f, P begin, P j,
                            P length, P step, T factor)
{
    for (; j < length; j += SPGEMM_AT_ONCE * step) {
        FN(insert_product) product[SPGEMM_AT_ONCE];
        for (int u = 0; u < SPGEMM_AT_ONCE; u++)
            product[u] =
                FN(insert_load)(v, f, j + u * step < length, begin + j + u * step, factor, 0);
        for (int u = 0; u < SPGEMM_AT_ONCE; u++)
            FN(insert_visit)(v, &product[u]);
    }
}

#define VISIT insert
#include "spgemm/kernels/find/spgemm_walk.h"

DEVICE void FN(insert_all)(const spgemm_set *set, const spgemm_team *t, int kind,
                           const struct spgemm_find *f, int64_t row)
{
    const P *d_offsets = (const P *)f->s.d_offsets;
    FN(factors) factors = FN(structures_of)(&f->s);
    spgemm_team parts = *t;
    if (f->pairs && kind != SPGEMM_SLOTS) { /* slots have single columns */
        const FN(insert_visitor) visitor = {set, (const uint64_t *)f->pairs, true, kind};
        factors.b.offsets = (const P *)f->pair_offsets;
        if (!f->layout.singly)
            FN(narrow_for_row)(&parts, &factors, row);
        FN(insert_row)(&visitor, &parts, &factors, row, f->layout.singly);
    } else {
        const FN(insert_visitor) visitor = {set, (const uint64_t *)0, false, kind};
        if (!f->layout.singly)
            FN(narrow_for_row)(&parts, &factors, row);
        FN(insert_row)(&visitor, &parts, &factors, row, f->layout.singly);
    }
    if (d_offsets)
        for (P p = d_offsets[row] + t->rank; p < d_offsets[row + 1]; p += t->size) {
            const struct spgemm_pair pair = FN(pair_of)(((const I *)f->s.d_columns)[p], kind);
            spgemm_insert(set, pair.word, pair.bits, kind);
        }
}

/* ---- windows ---- */

/* Words of the row's window. */
DEVICE int32_t FN(words_of_row)(const struct spgemm_find *f, int64_t row)
{
    const struct spgemm_window w = f->windows[row];
    return w.last < w.first ? 0 : w.last / 32 - w.first / 32 + 1;
}

/* A row whose window is wider than the team's bits takes several turns and is not stashed. A
 * listed set is empty before and after. */
DEVICE void FN(find_in_window)(const struct spgemm_find *f, const spgemm_team *t, int64_t row,
                               spgemm_set set, bool listed)
{
    const int32_t first = f->windows[row].first / 32, words = FN(words_of_row)(f, row);
    const bool whole = words <= f->layout.words, may_stash = !f->columns && whole;
    int64_t found = 0;
    for (int32_t done = 0; done == 0 || done < words; done += f->layout.words) {
        set.first_word = first + done;
        set.words = words - done < f->layout.words ? words - done : f->layout.words;
        if (!listed)
            spgemm_clear_words(t, set.bits, set.words);
        FN(insert_all)(&set, t, listed ? SPGEMM_LISTED : SPGEMM_WINDOW, f, row);
        spgemm_team_sync(t);
        found += listed ? spgemm_write_listed_set(f, t, row, &set, found, may_stash)
                        : spgemm_write_set(f, t, row, &set, SPGEMM_WINDOW, found, may_stash);
    }
    if (!f->columns && !whole && t->rank == 0)
        spgemm_note_row(f, row, found, -1);
}

/* Marks a row in a window that has room for it. Returns its length. whole: the team as one part. */
DEVICE int32_t FN(mark_in_window)(const struct spgemm_find *f, const spgemm_team *t,
                                  const spgemm_team *whole, int64_t row, spgemm_set *set)
{
    set->first_word = f->windows[row].first / 32;
    set->words = FN(words_of_row)(f, row);
    spgemm_clear_words(t, set->bits, set->words);
    FN(insert_all)(set, t, SPGEMM_WINDOW, f, row);
    spgemm_team_sync(t);
    return spgemm_count_bits(whole, set, spgemm_stretch_of_part(whole, set->words));
}

/* Finds the rows of a bin, which teams of at most a warp mark in one turn. A block reserves space
 * for all its rows at once. */
DEVICE void FN(find_in_small_windows)(const struct spgemm_find *f, const spgemm_team *t,
                                      spgemm_set *set, spgemm_found *found)
{
    const spgemm_team whole = spgemm_team_of(t->size, t->size);
    const int64_t teams = THREADS / t->size;
    for (int64_t first = (BLOCK - f->layout.first_block) * teams; first < f->layout.list_count;
         first += f->layout.blocks * teams) {
        const bool has_row = first + t->number < f->layout.list_count;
        const int64_t row = has_row ? spgemm_row_at(f->layout.list, first + t->number) : 0;
        int32_t count = 0;
        if (has_row && !spgemm_is_settled(f, row))
            count = FN(mark_in_window)(f, t, &whole, row, set);
        const spgemm_destination to =
            spgemm_destination_of(f, &whole, has_row, row, count, 0, found);
        if (!f->columns && has_row && t->rank == 0)
            spgemm_note_row(f, row, count, to.columns);
        if (to.columns >= 0 && count > 0)
            spgemm_write_bits(&whole, set, spgemm_stretch_of_part(&whole, set->words),
                              SPGEMM_WINDOW, count,
                              (f->columns ? f->columns : f->stash) + to.columns);
        spgemm_team_sync(t); /* the next row clears the set */
    }
}

/* Finds the rows of a bin. */
DEVICE void FN(find_in_windows)(const struct spgemm_find *f, uint32_t *bits, int32_t *counts,
                                int64_t *positions, spgemm_found *found)
{
    spgemm_team t = spgemm_team_of(f->layout.team, f->layout.width);
    t.long_row = f->layout.long_row;
    spgemm_set set = spgemm_set_in(bits + t.number * f->layout.words, f->layout.words,
                                   counts + t.number * t.parts, positions + t.number);
    if (t.size <= SPGEMM_WARP) {
        FN(find_in_small_windows)(f, &t, &set, found);
        return;
    }
    for (int64_t k = spgemm_first_of_team(&f->layout, &t); k < f->layout.list_count;
         k += spgemm_teams_of(&f->layout, &t)) {
        const int64_t row = spgemm_row_at(f->layout.list, k);
        if (!spgemm_is_settled(f, row))
            FN(find_in_window)(f, &t, row, set, false);
    }
}

/* ---- hash tables ---- */

DEVICE void FN(find_in_table)(const struct spgemm_find *f, const spgemm_team *t, int64_t row,
                              spgemm_set *set)
{
    spgemm_clear_table(t, set);
    FN(insert_all)(set, t, SPGEMM_HASH, f, row);
    spgemm_team_sync(t);
    spgemm_write_table(f, t, row, set);
}

/* Inserts the row; lists it as overflowed if the table does not hold it. */
DEVICE void FN(attempt_row)(const struct spgemm_find *f, const spgemm_team *t, int64_t row,
                            spgemm_set *set)
{
    spgemm_clear_table(t, set);
    FN(insert_all)(set, t, SPGEMM_ATTEMPT, f, row);
    spgemm_team_sync(t);
    const bool overflows = *set->used > spgemm_most_words(set);
    spgemm_team_sync(t);
    if (t->rank == 0)
        *set->used = 0;
    if (t->rank == 0 && overflows)
        f->overflowed[ATOMIC_ADD(f->overflows, 1)] = (uint32_t)row;
    spgemm_team_sync(t);
    if (!overflows)
        spgemm_write_table(f, t, row, set);
}

DEVICE void FN(find_in_tables)(const struct spgemm_find *f, int32_t *tables, int32_t *counts,
                               int32_t *words, int64_t *positions, bool attempt)
{
    spgemm_team t = spgemm_team_of(f->layout.team, f->layout.width);
    t.long_row = f->layout.long_row;
    spgemm_set set;
    set.keys = tables + t.number * 2 * f->layout.slots;
    set.bits = (uint32_t *)set.keys + f->layout.slots;
    set.slots = f->layout.slots;
    set.shift = f->layout.shift;
    set.first_word = 0;
    set.used = words + t.number;
    set.counts = counts + t.number * t.parts;
    set.position = positions + t.number;
    for (int64_t k = spgemm_first_of_team(&f->layout, &t); k < f->layout.list_count;
         k += spgemm_teams_of(&f->layout, &t)) {
        const int64_t row = spgemm_row_at(f->layout.list, k);
        if (spgemm_is_settled(f, row))
            continue;
        if (attempt)
            FN(attempt_row)(f, &t, row, &set);
        else
            FN(find_in_table)(f, &t, row, &set);
    }
}
