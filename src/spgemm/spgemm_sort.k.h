/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the columns of short rows of C = A*B + D by sorting their products in registers. */
#ifndef T
#ifndef SPL_SPGEMM_SORT_K_H
#define SPL_SPGEMM_SORT_K_H
#include "spgemm/spgemm_structures.h"

struct spgemm_sort_find_args {
    struct spgemm_find f;
};
#endif
#else

#include "spgemm/spgemm_team.h"

#include "spgemm/spgemm_room.h"

#include "spgemm/spgemm_keys.h"

DEVICE void FN(take_products)(FN(keys) * k, const FN(team) * t, P before, P begin, P length, const I *RESTRICT columns)
{
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        const P at = u * t->width + t->lane - before;
        if (at >= 0 && at < length)
            k->of[u] = READ(&columns[begin + at]);
    }
}

/* The columns of a row's products; entries of D follow them. *work: how many there are. */
DEVICE FN(keys) FN(products_of_row)(const struct spgemm_structures *s, const FN(team) * t, int64_t row, uint32_t *work)
{
    const P *a_offsets = (const P *)s->a_offsets, *d_offsets = (const P *)s->d_offsets;
    const P last = READ(&a_offsets[row + 1]);
    FN(keys) k;
    P before = 0;
    for (int u = 0; u < SPGEMM_KEYS; u++)
        k.of[u] = INT32_MAX;
    for (P first = READ(&a_offsets[row]); first < last; first += t->width) {
        const FN(entries) e =
            FN(entries_from)(t, first, last, 0, (const I *)s->a_columns, (const T *)0, (const P *)s->b_offsets);
        for (int i = 0; i < e.count; i++) {
            const P begin = SHUFFLE(t->mask, e.begin, t->base + i), length = SHUFFLE(t->mask, e.length, t->base + i);
            FN(take_products)(&k, t, before, begin, length, (const I *)s->b_columns);
            before += length;
        }
    }
    if (d_offsets) {
        const P begin = READ(&d_offsets[row]), length = READ(&d_offsets[row + 1]) - begin;
        FN(take_products)(&k, t, before, begin, length, (const I *)s->d_columns);
        before += length;
    }
    *work = (uint32_t)before;
    return k;
}

/* Which of the sorted keys are the first of their columns, and the places these have in the row. Returns their number. */
DEVICE int FN(rank_keys)(const FN(keys) * k, const FN(team) * t, FN(keys) * place)
{
    const lane_mask below = ((lane_mask)1 << LANE) - 1;
    int count = 0;
    int32_t last = INT32_MAX; /* of the lanes before */
    UNROLL
    for (int u = 0; u < SPGEMM_KEYS; u++) {
        const int32_t left = SHUFFLE_UP(t->mask, k->of[u], 1, t->width), before = t->lane == 0 ? last : left;
        const bool is_new = k->of[u] != INT32_MAX && (before != k->of[u] || (u == 0 && t->lane == 0));
        const lane_mask found = BALLOT(t->mask, is_new);
        place->of[u] = is_new ? count + POPCOUNT(found & below) : -1;
        count += POPCOUNT(found);
        last = SHUFFLE(t->mask, k->of[u], t->base + t->width - 1);
    }
    return count;
}

/* Room for all rows of a block together, and their work noted. taken: columns, work. start: where each team's row begins, -1 if there is no room. */
DEVICE int64_t FN(share_room)(const struct spgemm_find *f, const FN(team) * t, int count, uint32_t work,
                              uint32_t *taken, int64_t *start)
{
    uint32_t before = 0;
    if (THREAD == 0)
        taken[0] = taken[1] = 0;
    SYNC();
    if (t->lane == 0) {
        before = ATOMIC_ADD(&taken[0], (uint32_t)count);
        ATOMIC_ADD(&taken[1], work);
    }
    SYNC();
    if (THREAD == 0) {
        *start = FN(take_room)(f, taken[0]);
        ATOMIC_ADD(f->work, (uint64_t)taken[1]);
    }
    SYNC();
    return *start < 0 ? -1 : *start + SHUFFLE(t->mask, before, t->base);
}

/* `width`, that of a team, is a constant wherever this is called. */
DEVICE void FN(find_sorted)(const struct spgemm_find *f, int width, uint32_t *taken, int64_t *start)
{
    const FN(team) t = FN(team_of)(width, width);
    const int64_t teams = THREADS / width;
    for (int64_t first = BLOCK * teams; first < f->list_count; first += BLOCKS * teams) {
        const bool has_row = first + t.number < f->list_count;
        const int64_t row = has_row ? FN(row_at)(f->list, first + t.number) : 0;
        FN(keys) k, place;
        int count = 0;
        uint32_t work = 0;
        if (has_row && !FN(is_settled)(f, row)) {
            k = FN(products_of_row)(&f->s, &t, row, &work);
            FN(sort_keys)(&k, &t);
            count = FN(rank_keys)(&k, &t, &place);
        }
        int64_t to = -1;
        if (f->columns)
            to = has_row ? f->offsets[row] : -1;
        else if (f->placed)
            to = has_row ? f->starts[row] : -1;
        else
            to = FN(share_room)(f, &t, count, work, taken, start);
        if (!f->columns && has_row && t.lane == 0)
            FN(note_row)(f, row, count, to);
        int32_t *const out = f->columns ? f->columns : f->aside;
        UNROLL
        for (int u = 0; u < SPGEMM_KEYS; u++)
            if (count > 0 && to >= 0 && place.of[u] >= 0)
                out[to + place.of[u]] = k.of[u];
    }
}

KERNEL(spgemm_sort_find, SPGEMM_MOST_THREADS, args)
{
    SHARED(uint32_t, taken, 2);
    SHARED(int64_t, start, 1);
    if (args.f.team == 4)
        FN(find_sorted)(&args.f, 4, taken, start);
    else if (args.f.team == 8)
        FN(find_sorted)(&args.f, 8, taken, start);
    else if (args.f.team == 16)
        FN(find_sorted)(&args.f, 16, taken, start);
    else
        FN(find_sorted)(&args.f, 32, taken, start);
}
#endif
