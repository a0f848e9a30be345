/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_summed_rows.h: rows of C whose columns and values are found at once. A warp has the row's
 * columns in a hash table, and numbers them as they come; sums are in the order of the numbers. The
 * columns are sorted with their numbers, and both written in order. Each product is read once, and
 * sums have the order of A's entries: the same bits in every run. Part of the templates of kernel
 * files: read once per combination of types, without a guard, after spgemm_slot_rows.h. */

/* A team's row. The members are pointers to its shared memory, except count. */
typedef struct FN(summed) {
    T *sums;          /* [SPGEMM_SUMMED_COLUMNS] by number */
    int32_t *keys;    /* the same: the column, and its number in the low bits, in runs */
    int32_t *slots;   /* [SPGEMM_SUMMED_SLOTS] columns; -1: empty */
    uint8_t *numbers; /* [SPGEMM_SUMMED_SLOTS] */
    int32_t count;    /* columns so far; beyond SPGEMM_SUMMED_COLUMNS: too many */
} FN(summed);

DEVICE FN(summed) FN(summed_in)(unsigned char *shared)
{
    FN(summed) s;
    s.sums = (T *)shared;
    s.keys = (int32_t *)(s.sums + SPGEMM_SUMMED_COLUMNS);
    s.slots = s.keys + SPGEMM_SUMMED_COLUMNS;
    s.numbers = (uint8_t *)(s.slots + SPGEMM_SUMMED_SLOTS);
    s.count = 0;
    return s;
}

typedef struct FN(sum_visitor) {
    FN(summed) *s;
} FN(sum_visitor);

typedef struct FN(sum_product) {
    int32_t column; /* -1: none */
    T value;
} FN(sum_product);

DEVICE FN(sum_product) FN(sum_load)(const FN(sum_visitor) *v, const FN(factors) *f, bool any,
                                    P index, T factor, P term)
{
    FN(sum_product) product;
    (void)v;
    (void)term;
    product.column = any ? READ(&f->b.columns[index]) : -1;
    product.value = any ? factor * READ(&f->b.values[index]) : (T)0;
    return product;
}

/* The slot of a column; *is_new: it was not in the table. */
DEVICE int32_t FN(summed_slot)(const FN(summed) *s, int32_t column, bool *is_new)
{
    int32_t slot = (int32_t)(((uint32_t)column * 2654435761u) >> (32 - SPGEMM_SUMMED_SLOT_BITS));
    for (;; slot = (slot + 1) & (SPGEMM_SUMMED_SLOTS - 1)) {
        int32_t stored = LOAD_VOLATILE(&s->slots[slot]);
        if (stored == -1) {
            stored = ATOMIC_CAS(&s->slots[slot], -1, column);
            *is_new = stored == -1;
        }
        if (stored == -1 || stored == column)
            return slot;
    }
}

/* Adds products of one row of B, whose columns differ, so that lanes add to different sums. */
DEVICE void FN(sum_row_of_b)(FN(summed) *s, const spgemm_team *t, const FN(sum_product) *product)
{
    const bool any = product->column >= 0 && s->count <= SPGEMM_SUMMED_COLUMNS;
    bool is_new = false;
    const int32_t slot = any ? FN(summed_slot)(s, product->column, &is_new) : 0;
    const lane_mask added = BALLOT(t->mask, is_new);
    const int32_t number =
        s->count + (int32_t)POPCOUNT(added & (((lane_mask)1 << LANE) - 1) & t->mask);
    if (is_new && number < SPGEMM_SUMMED_COLUMNS) {
        s->sums[number] = product->value;
        s->keys[spgemm_slot_of_run(number)] = product->column << SPGEMM_SUMMED_BITS | number;
        s->numbers[slot] = (uint8_t)number;
    }
    s->count += (int32_t)POPCOUNT(added);
    SYNC_WARP(t->mask); /* this row's numbers, and sums of the last one, are seen from here on */
    if (any && !is_new)
        s->sums[s->numbers[slot]] += product->value;
}

DEVICE void FN(sum_rows)(const FN(sum_visitor) *v, const spgemm_team *t,
                         const FN(sum_product) *product)
{
    for (int u = 0; u < SPGEMM_AT_ONCE; u++)
        FN(sum_row_of_b)(v->s, t, &product[u]);
}

#define VISIT sum
#define SPGEMM_SHORT_ROWS
#include "spgemm/kernels/find/spgemm_walk.h"

/* Sums a row of C. Returns whether it has not too many columns; they are sorted then. */
DEVICE bool FN(sum_row)(const struct spgemm_find *f, const spgemm_team *t, int64_t row,
                        FN(summed) *s)
{
    const FN(sum_visitor) visitor = {s};
    FN(factors) factors = FN(structures_of)(&f->s);
    factors.a.values = (const T *)f->sums.a_values;
    factors.b.values = (const T *)f->sums.b_values;
    factors.alpha = 1;
    factors.valued = true;
    for (int32_t slot = t->rank; slot < SPGEMM_SUMMED_SLOTS; slot += t->size)
        s->slots[slot] = -1;
    s->count = 0;
    SYNC_WARP(t->mask);
    FN(sum_products)(&visitor, t, &factors, row, 0);
    SYNC_WARP(t->mask);
    if (s->count > SPGEMM_SUMMED_COLUMNS)
        return false;
    spgemm_sort_columns(t, s->keys, s->count);
    return true;
}

/* Writes a row's sorted columns, and its sums in their order. */
DEVICE void FN(write_summed)(const struct spgemm_find *f, const spgemm_team *t, const FN(summed) *s,
                             int64_t start)
{
    T *const sums = (T *)f->sums.stash + start;
    int32_t *const columns = f->stash + start;
    for (int32_t i = t->lane; i < s->count; i += t->size) {
        const int32_t key = s->keys[spgemm_slot_of_run(i)];
        columns[i] = key >> SPGEMM_SUMMED_BITS;
        sums[i] = s->sums[key & ((1 << SPGEMM_SUMMED_BITS) - 1)];
    }
}

/* Finds and sums the rows of a bin; those of too many columns are found in slots. A team is a
 * warp. */
DEVICE void FN(sum_rows_of_bin)(const struct spgemm_find *f, unsigned char *shared,
                                spgemm_found *found)
{
    const spgemm_team t = spgemm_team_of(SPGEMM_WARP, SPGEMM_WARP);
    spgemm_team parts = spgemm_team_of(SPGEMM_WARP, f->layout.width);
    const int64_t teams = THREADS / SPGEMM_WARP;
    unsigned char *const mine = shared + (int64_t)t.number * f->layout.team_bytes;
    FN(summed) s = FN(summed_in)(mine);
    spgemm_set set = spgemm_set_in((uint32_t *)mine, 0, (int32_t *)0, (int64_t *)0);
    parts.long_row = f->layout.long_row;
    set.keys = (int32_t *)mine;
    set.slots = f->layout.slots;
    set.shift = f->layout.shift;
    for (int64_t first = (BLOCK - f->layout.first_block) * teams; first < f->layout.list_count;
         first += f->layout.blocks * teams) {
        const bool has_row = first + t.number < f->layout.list_count;
        const int64_t row = has_row ? spgemm_row_at(f->layout.list, first + t.number) : 0;
        const bool summed = has_row && FN(sum_row)(f, &t, row, &s);
        int32_t count = summed ? s.count : 0;
        if (has_row && !summed)
            count = FN(find_in_slots)(f, &parts, &t, row, &set);
        const spgemm_destination to = spgemm_share_room(f, &t, count, 0, found);
        if (has_row && t.rank == 0) {
            spgemm_note_row(f, row, count, to.columns);
            f->sums.starts[row] = summed ? to.columns : -1;
        }
        if (to.columns >= 0 && summed)
            FN(write_summed)(f, &t, &s, to.columns);
        else if (to.columns >= 0)
            spgemm_write_columns(&t, set.keys, count, f->stash + to.columns);
        SYNC_WARP(t.mask); /* the next row clears the table */
    }
}
