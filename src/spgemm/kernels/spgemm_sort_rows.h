/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_sort_rows.h: the columns of short rows of C = A*B + D found by sorting their terms,
 * entries of D and products, in registers. If positions are kept for the numeric phase, keys
 * have the number of the term in their low bits: after sorting, they tell the position of each
 * term in the row. Part of the templates of kernel files: read once per combination of types,
 * without a guard. */

#include "spgemm/kernels/spgemm_keys.h"

DEVICE void FN(take_terms)(spgemm_keys *k, const spgemm_team *t, int bits, P before, P begin,
                           P length, const I *RESTRICT columns)
{
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        const int number = u * t->width + t->lane;
        const P index = number - before;
        if (index >= 0 && index < length)
            k->key[u] = READ(&columns[begin + index]) << bits | (number & ((1 << bits) - 1));
    }
}

/* Loads the keys of a row's entries of D and products. *work: their number. */
DEVICE spgemm_keys FN(terms_of_row)(const struct spgemm_structures *s, const spgemm_team *t,
                                    int bits, int64_t row, uint32_t *work)
{
    const P *d_offsets = (const P *)s->d_offsets;
    const FN(factors) f = FN(structures_of)(s);
    const P last = READ(&f.a.offsets[row + 1]);
    spgemm_keys k;
    P before = 0;
    for (int u = 0; u < SPGEMM_KEYS; u++)
        k.key[u] = INT32_MAX;
    if (d_offsets) {
        const P begin = READ(&d_offsets[row]);
        before = READ(&d_offsets[row + 1]) - begin;
        FN(take_terms)(&k, t, bits, 0, begin, before, (const I *)s->d_columns);
    }
    for (P first = READ(&f.a.offsets[row]); first < last; first += t->width) {
        const FN(entries) e = FN(entries_from)(t, &f, first, last);
        for (int i = 0; i < e.count; i++) {
            const P begin = SHUFFLE(t->mask, e.begin, t->base + i),
                    length = SHUFFLE(t->mask, e.length, t->base + i);
            FN(take_terms)(&k, t, bits, before, begin, length, f.b.columns);
            before += length;
        }
    }
    *work = (uint32_t)before;
    return k;
}

/* Computes the position in the row of each sorted key, and which keys are the first of their
 * columns: bit u of *firsts. Returns the number of these. */
DEVICE int FN(rank_keys)(const spgemm_keys *k, const spgemm_team *t, int bits, spgemm_keys *place,
                         int *firsts)
{
    const lane_mask lower_lanes = ((lane_mask)1 << LANE) - 1;
    int count = 0;
    int32_t last = -1; /* last column of the lanes before */
    *firsts = 0;
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        const int32_t column = k->key[u] >> bits;
        const int32_t left = SHUFFLE_UP(t->mask, column, 1, t->width),
                      before = t->lane == 0 ? last : left;
        const bool is_new = k->key[u] != INT32_MAX && before != column;
        const lane_mask found = BALLOT(t->mask, is_new);
        place->key[u] = count + POPCOUNT(found & lower_lanes) - (is_new ? 0 : 1);
        *firsts |= (is_new ? 1 : 0) << u;
        count += POPCOUNT(found);
        last = SHUFFLE(t->mask, column, t->base + t->width - 1);
    }
    return count;
}

/* The results of a block in shared memory: columns and terms of its rows, and the begin of their
 * space in the stash. */
typedef struct FN(found) {
    uint32_t columns, work;
    int64_t start, kept;
} FN(found);

/* The destination of a team's results; -1: no space, or not requested. */
typedef struct FN(destination) {
    int64_t columns, slots;
} FN(destination);

/* Reserves space for all rows of a block at once, and adds up their work. */
DEVICE FN(destination) FN(share_room)(const struct spgemm_find *f, const spgemm_team *t, int count,
                                      uint32_t work, FN(found) *found)
{
    uint32_t before = 0, before_work = 0;
    if (THREAD == 0)
        found->columns = found->work = 0;
    SYNC();
    if (t->lane == 0) {
        before = ATOMIC_ADD(&found->columns, (uint32_t)count);
        before_work = ATOMIC_ADD(&found->work, work);
    }
    SYNC();
    if (THREAD == 0) {
        found->start = spgemm_take_room(f, found->columns);
        found->kept = (int64_t)ATOMIC_ADD(f->work, (uint64_t)found->work);
    }
    SYNC();
    before = SHUFFLE(t->mask, before, t->base);
    before_work = SHUFFLE(t->mask, before_work, t->base);
    FN(destination) to;
    to.columns = found->start < 0 ? -1 : found->start + before;
    to.slots = f->kept.slots ? found->kept + before_work : -1;
    return to;
}

DEVICE FN(destination) FN(destination_of)(const struct spgemm_find *f, const spgemm_team *t,
                                          bool has_row, int64_t row, int count, uint32_t work,
                                          FN(found) *found)
{
    FN(destination) to;
    if (!f->columns && !f->placed)
        return FN(share_room)(f, t, count, work, found);
    to.columns = has_row ? (f->columns ? f->offsets[row] : f->starts[row]) : -1;
    to.slots = -1;
    return to;
}

DEVICE void FN(put_terms)(const struct spgemm_find *f, const FN(destination) *to, int bits,
                          const spgemm_keys *k, const spgemm_keys *place, int firsts)
{
    int32_t *const out = f->columns ? f->columns : f->stash;
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        if (to->columns >= 0 && (firsts >> u & 1))
            out[to->columns + place->key[u]] = k->key[u] >> bits;
        if (to->slots >= 0 && k->key[u] != INT32_MAX)
            f->kept.slots[to->slots + (k->key[u] & ((1 << bits) - 1))] = (uint8_t)place->key[u];
    }
}

/* `width`, of a team, is a compile-time constant in all callers. */
DEVICE void FN(find_sorted)(const struct spgemm_find *f, int width, FN(found) *found)
{
    const spgemm_team t = spgemm_team_of(width, width);
    const int64_t teams = THREADS / width;
    const int bits = f->kept.slots ? SPGEMM_TERM_BITS : 0;
    for (int64_t first = (BLOCK - f->layout.first_block) * teams; first < f->layout.list_count;
         first += f->layout.blocks * teams) {
        const bool has_row = first + t.number < f->layout.list_count;
        const int64_t row = has_row ? spgemm_row_at(f->layout.list, first + t.number) : 0;
        spgemm_keys k, place;
        int count = 0, firsts = 0;
        uint32_t work = 0;
        for (int u = 0; u < SPGEMM_KEYS; u++)
            k.key[u] = INT32_MAX;
        if (has_row && !spgemm_is_settled(f, row)) {
            k = FN(terms_of_row)(&f->s, &t, bits, row, &work);
            spgemm_sort_keys(&k, &t);
            count = FN(rank_keys)(&k, &t, bits, &place, &firsts);
        }
        const FN(destination) to = FN(destination_of)(f, &t, has_row, row, count, work, found);
        if (!f->columns && has_row && t.lane == 0) {
            spgemm_note_row(f, row, count, to.columns);
            if (f->kept.starts)
                f->kept.starts[row] = to.slots;
        }
        FN(put_terms)(f, &to, bits, &k, &place, firsts);
    }
}

/* Finds the rows of a group. */
DEVICE void FN(find_by_sorting)(const struct spgemm_find *f, FN(found) *found)
{
    if (f->layout.team == 4)
        FN(find_sorted)(f, 4, found);
    else if (f->layout.team == 8)
        FN(find_sorted)(f, 8, found);
    else if (f->layout.team == 16)
        FN(find_sorted)(f, 16, found);
    else
        FN(find_sorted)(f, 32, found);
}
