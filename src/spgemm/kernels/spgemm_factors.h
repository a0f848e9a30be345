/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_factors.h: the factors of a product, entries of A and the rows of B that they meet, as a
 * team loads them. Part of the templates of kernel files: read once per combination of types,
 * without a guard. */

#include "spgemm/kernels/spgemm_team.h"

/* A matrix in CSR as kernels read it. */
typedef struct FN(csr) {
    const P *offsets;
    const I *columns;
    const T *values;
} FN(csr);

/* The factors of a product. valued: values are read, as in the numeric phase. After inlining
 * members are as good as parameters. */
typedef struct FN(factors) {
    FN(csr) a, b;
    T alpha;
    bool valued;
} FN(factors);

DEVICE FN(factors) FN(structures_of)(const struct spgemm_structures *s)
{
    const FN(factors) f = {{(const P *)s->a_offsets, (const I *)s->a_columns, (const T *)0},
                           {(const P *)s->b_offsets, (const I *)s->b_columns, (const T *)0},
                           0,
                           false};
    return f;
}

DEVICE FN(factors) FN(factors_of)(const struct spgemm_operands *o)
{
    FN(factors) f = FN(structures_of)(&o->s);
    f.a.values = (const T *)o->a_values;
    f.b.values = (const T *)o->b_values;
    f.alpha = SCALAR(T, o->scalars.alpha);
    f.valued = true;
    return f;
}

/* Entries of A's row, one per lane of a part, and their rows of B. */
typedef struct FN(entries) {
    P begin, length; /* of this lane's row of B */
    T value;         /* alpha * the entry, if values are read */
    int count;       /* entries of the part in this step; further lanes have empty rows */
} FN(entries);

/* Loads the part's entries: every parts-th from `first` on. */
DEVICE FN(entries) FN(entries_from)(const spgemm_team *t, const FN(factors) *f, P first, P last)
{
    FN(entries) e;
    const P start = first + (P)t->lane * t->parts,
            remaining = (last - first + t->parts - 1) / t->parts;
    e.begin = e.length = 0;
    e.value = 0;
    e.count = remaining < t->width ? (int)remaining : t->width;
    if (start < last) {
        const I k = READ(&f->a.columns[start]);
        e.begin = READ(&f->b.offsets[k]);
        e.length = READ(&f->b.offsets[k + 1]) - e.begin;
        if (f->valued)
            e.value = f->alpha * READ(&f->a.values[start]);
    }
    return e;
}

typedef struct FN(rows_at_once) {
    P begin[SPGEMM_AT_ONCE], length[SPGEMM_AT_ONCE], longest;
    T value[SPGEMM_AT_ONCE];
} FN(rows_at_once);

DEVICE FN(rows_at_once) FN(rows_from)(const spgemm_team *t, const FN(factors) *f,
                                      const FN(entries) *e, int first)
{
    FN(rows_at_once) r;
    r.longest = 0;
    for (int u = 0; u < SPGEMM_AT_ONCE; u++) {
        const int from = t->base + (first + u) % t->width;
        r.begin[u] = SHUFFLE(t->mask, e->begin, from);
        const P length = SHUFFLE(t->mask, e->length, from);
        r.value[u] = f->valued ? SHUFFLE(t->mask, e->value, from) : (T)0;
        r.length[u] = first + u < e->count && length <= t->long_row ? length : 0;
        r.longest = r.length[u] > r.longest ? r.length[u] : r.longest;
    }
    return r;
}

/* Where a row of A has so many entries that the parts of a team take them in many rounds, and most
 * of the rows of B that it meets are shorter than parts are wide: makes parts narrower, and leaves
 * longer rows of B to the whole team. The width of the layout is that of the average row of B of
 * all rows of the bin, which rows of A with few entries may have in common: with one long row of A
 * among those of an arrow, all others wait for it. Looks at as many entries as a warp has lanes,
 * the same for all threads of the team. */
DEVICE void FN(narrow_for_row)(spgemm_team *t, const FN(factors) *f, int64_t row)
{
    enum { ROUNDS = 8, LONG = 8 };
    const P first = READ(&f->a.offsets[row]), entries = READ(&f->a.offsets[row + 1]) - first;
    if (t->width <= SPGEMM_LEAST_WIDTH || entries <= (P)(ROUNDS * SPGEMM_AT_ONCE) * t->parts ||
        entries < SPGEMM_WARP)
        return;
    const int lanes = t->size < SPGEMM_WARP ? t->size : SPGEMM_WARP, lane = t->rank & (lanes - 1);
    const I k = READ(&f->a.columns[first + entries / lanes * lane]);
    const P length = READ(&f->b.offsets[k + 1]) - READ(&f->b.offsets[k]);
    int width = SPGEMM_LEAST_WIDTH;
    while (width < t->width &&
           4 * (int)POPCOUNT(BALLOT(t->team_mask, length <= width) & t->team_mask) < 3 * lanes)
        width *= 2;
    if (width == t->width)
        return;
    *t = spgemm_team_of(t->size, width);
    t->long_row = LONG * width;
}

/* Loads consecutive entries of A. Returns a bit for each lane whose row of B is long. */
DEVICE lane_mask FN(find_long_rows)(const spgemm_team *wide, const FN(factors) *f, P from, P last,
                                    FN(entries) *e)
{
    *e = FN(entries_from)(wide, f, from, last);
    return BALLOT(wide->mask, e->length > wide->long_row);
}

/* Iterator of a warp over A's row, in search of long rows of B. */
typedef struct FN(look) {
    /* entries of A: the first of the row, of the round, of the warp's current step */
    P first, round, index;
    int sharing, turn;
    bool seen; /* this lane has seen a row that all warps share */
} FN(look);

DEVICE void FN(begin_round)(FN(look) *look, const spgemm_team *wide, P round)
{
    look->round = round;
    look->index = round + wide->part * wide->width;
}

DEVICE FN(look) FN(look_from)(const spgemm_team *t, const spgemm_team *wide, P first, P last)
{
    enum { LEAST_ROUNDS = 4 };
    const bool in_rounds = t->size > SPGEMM_WARP && last - first >= LEAST_ROUNDS * t->size;
    FN(look) look;
    FN(begin_round)(&look, wide, first);
    look.first = first;
    look.index = in_rounds ? look.index : first;
    look.sharing = in_rounds ? SPGEMM_OWN : SPGEMM_IN_TURN;
    look.turn = 0;
    look.seen = false;
    return look;
}

/* Advances; returns false at the end. shared: this lane has seen a row that all warps share. */
DEVICE bool FN(look_on)(FN(look) *look, const spgemm_team *t, const spgemm_team *wide, P last,
                        bool shared)
{
    look->index += wide->width;
    if (look->sharing == SPGEMM_IN_TURN)
        return look->index < last;
    if (look->sharing == SPGEMM_SHARED && look->index < look->round + t->size && look->index < last)
        return true;
    if (look->sharing == SPGEMM_SCOUT && SYNC_OR(shared)) {
        look->sharing = SPGEMM_SHARED;
        look->index = look->round;
        return true;
    }
    look->seen = look->seen || shared;
    FN(begin_round)(look, wide, look->round + t->size);
    if (look->sharing == SPGEMM_SHARED)
        look->sharing = SPGEMM_SCOUT;
    if (look->round < last || look->sharing == SPGEMM_SCOUT || !SYNC_OR(look->seen))
        return look->round < last;
    look->sharing = SPGEMM_SCOUT;
    FN(begin_round)(look, wide, look->first);
    return true;
}

/* The first entry of a long row of B that this lane takes; then every *step-th. */
DEVICE P FN(first_of_long_row)(const spgemm_team *t, const spgemm_team *wide, FN(look) *look,
                               P length, P *step)
{
    const bool shared = length > SPGEMM_LONGEST_OF_WARP;
    const int warps = t->size > SPGEMM_WARP ? t->size / SPGEMM_WARP : 1, turn = look->turn++;
    const bool taken = look->sharing == SPGEMM_OWN ||
                       (look->sharing == SPGEMM_IN_TURN && (turn & (warps - 1)) == wide->part);
    *step = shared ? t->size : wide->width;
    if (shared)
        return look->sharing == SPGEMM_IN_TURN || look->sharing == SPGEMM_SHARED ? t->rank : length;
    return taken ? wide->lane : length;
}

/* Whether the lane's row of B is shared by all warps. */
DEVICE bool FN(is_shared)(const FN(entries) *e)
{
    return e->length > SPGEMM_LONGEST_OF_WARP;
}

/* Entries of A's row whose rows of B the lane walks alone: from the team's thread of that rank
 * on, with the team's size as stride. */
typedef struct FN(single_rows) {
    P begin[SPGEMM_AT_ONCE], end[SPGEMM_AT_ONCE];
    T value[SPGEMM_AT_ONCE];
} FN(single_rows);

DEVICE FN(single_rows) FN(single_rows_from)(const spgemm_team *t, const FN(factors) *f, P from,
                                            P last)
{
    FN(single_rows) r;
    UNROLL
    for (int u = 0; u < SPGEMM_AT_ONCE; u++) {
        const P p = from + u * (P)t->size;
        r.begin[u] = r.end[u] = 0;
        r.value[u] = 0;
        if (p < last) {
            const I k = READ(&f->a.columns[p]);
            r.begin[u] = READ(&f->b.offsets[k]);
            r.end[u] = READ(&f->b.offsets[k + 1]);
            if (r.end[u] - r.begin[u] > t->long_row)
                r.end[u] = r.begin[u];
            if (f->valued)
                r.value[u] = f->alpha * READ(&f->a.values[p]);
        }
    }
    return r;
}
