/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_team.h: teams of threads that share a row of C, and their walk through its products. Part
 * of the templates of kernel files: read once per combination of types, without a guard.
 *
 * A team is a part of a warp, or a whole block. Its threads form parts of a few lanes. Parts
 * take entries of A in turn, and the lanes of a part walk the corresponding row of B: a part
 * should have about as many lanes as that row has entries. */

enum { FN(WIDEST_PART) = SPGEMM_WARP };

typedef struct FN(team) {
    /* number of threads; index of this thread in the team; index of the team in the block */
    int size, rank, number;
    int width, lane, part, parts;
    P long_row;      /* longer rows of B are left to the whole team */
    int base;        /* the part's first lane in its warp */
    lane_mask mask;  /* of the part */
    lane_mask whole; /* the lanes of the team, if it is within a warp */
} FN(team);

DEVICE FN(team) FN(team_of)(int size, int width)
{
    FN(team) t;
    t.long_row = INT32_MAX;
    t.size = size;
    t.rank = THREAD % size;
    t.number = THREAD / size;
    t.width = width;
    t.lane = t.rank % width;
    t.part = t.rank / width;
    t.parts = size / width;
    t.base = LANE - t.lane;
    t.mask = GROUP_MASK(width);
    t.whole = GROUP_MASK(size < FN(WIDEST_PART) ? size : FN(WIDEST_PART));
    return t;
}

/* Synchronises the team. A team wider than the widest part is a block. */
DEVICE void FN(team_sync)(const FN(team) *t)
{
    if (t->size > FN(WIDEST_PART))
        SYNC();
    else
        SYNC_WARP(t->whole);
}

/* Row k of a list; NULL: all rows. */
DEVICE int64_t FN(row_at)(const uint32_t *RESTRICT list, int64_t k)
{
    return list ? READ(&list[k]) : k;
}

/* The team's first row of a group; the next one is teams_of rows further. */
DEVICE int64_t FN(first_of_team)(const struct spgemm_teams *layout, const FN(team) *t)
{
    return (BLOCK - layout->first_block) * (THREADS / t->size) + t->number;
}

DEVICE int64_t FN(teams_of)(const struct spgemm_teams *layout, const FN(team) *t)
{
    return layout->blocks * (THREADS / t->size);
}

/* Entries of A's row, one per lane of a part, and their rows of B. */
typedef struct FN(entries) {
    P begin, length; /* of this lane's row of B */
    T value;         /* alpha * the entry, if values are requested */
    int count;       /* entries of the part in this step; further lanes have empty rows */
} FN(entries);

/* Loads the part's entries: every parts-th from `first` on. a_values NULL: no values. */
DEVICE FN(entries) FN(entries_from)(const FN(team) *t, P first, P last, T alpha,
                                    const I *RESTRICT a_columns, const T *RESTRICT a_values,
                                    const P *RESTRICT b_offsets)
{
    FN(entries) e;
    const P start = first + (P)t->lane * t->parts, left = (last - first + t->parts - 1) / t->parts;
    e.begin = e.length = 0;
    e.value = 0;
    e.count = left < t->width ? (int)left : t->width;
    if (start < last) {
        const I k = READ(&a_columns[start]);
        e.begin = READ(&b_offsets[k]);
        e.length = READ(&b_offsets[k + 1]) - e.begin;
        if (a_values)
            e.value = alpha * READ(&a_values[start]);
    }
    return e;
}

/* The number of rows of B that a part walks at once, so that their loads overlap. */
enum { FN(AT_ONCE) = 4 };

typedef struct FN(rows_at_once) {
    P begin[FN(AT_ONCE)], length[FN(AT_ONCE)], longest;
    T value[FN(AT_ONCE)];
} FN(rows_at_once);

DEVICE FN(rows_at_once) FN(rows_from)(const FN(team) *t, const FN(entries) *e, int first,
                                      bool values)
{
    FN(rows_at_once) r;
    r.longest = 0;
    for (int u = 0; u < FN(AT_ONCE); u++) {
        const int from = t->base + (first + u) % t->width;
        r.begin[u] = SHUFFLE(t->mask, e->begin, from);
        const P length = SHUFFLE(t->mask, e->length, from);
        r.value[u] = values ? SHUFFLE(t->mask, e->value, from) : (T)0;
        r.length[u] = first + u < e->count && length <= t->long_row ? length : 0;
        r.longest = r.length[u] > r.longest ? r.length[u] : r.longest;
    }
    return r;
}

/* The team as one part of maximal width, to find long rows of B: each warp of the team looks at
 * all entries of A. */
DEVICE FN(team) FN(widest_part)(const FN(team) *t)
{
    FN(team) wide = *t;
    wide.width = t->size < FN(WIDEST_PART) ? t->size : FN(WIDEST_PART);
    wide.lane =
        t->rank &
        (wide.width -
         1); /* sizes are powers of two: a division per row would cost more than the search */
    wide.part = t->size > FN(WIDEST_PART) ? t->rank / FN(WIDEST_PART) : 0;
    wide.parts = 1;
    wide.base = LANE - wide.lane;
    wide.mask = t->whole;
    return wide;
}

/* Loads consecutive entries of A. Returns a bit for each lane whose row of B is long. */
DEVICE lane_mask FN(find_long_rows)(const FN(team) *wide, P from, P last, T alpha,
                                    const I *RESTRICT a_columns, const T *RESTRICT a_values,
                                    const P *RESTRICT b_offsets, FN(entries) *e)
{
    *e = FN(entries_from)(wide, from, last, alpha, a_columns, a_values, b_offsets);
    return BALLOT(wide->mask, e->length > wide->long_row);
}

enum { FN(LONGEST_OF_WARP) = 512 };

/* How the warps of a team share the long rows of B that they find.
 * IN_TURN: all warps look at the same entries of A and take their long rows in turn, so that each
 * warp has one under way.
 * The others serve long rows of A, in rounds of one entry per thread:
 * OWN: a warp looks at its own part of a round and walks what it finds there. The longest rows are
 * left to a second pass, which all warps share:
 * SCOUT: the warps look whether the round has any of those.
 * SHARED: the round has some: all warps look at all of it. */
enum { FN(IN_TURN), FN(OWN), FN(SCOUT), FN(SHARED) };

/* Iterator of a warp over A's row, in search of long rows of B. */
typedef struct FN(look) {
    /* entries of A: the first of the row, of the round, of the warp's current step */
    P first, round, index;
    int whose, turn;
    bool seen; /* this lane has seen a row that all warps share */
} FN(look);

DEVICE void FN(begin_round)(FN(look) *look, const FN(team) *wide, P round)
{
    look->round = round;
    look->index = round + wide->part * wide->width;
}

DEVICE FN(look) FN(look_from)(const FN(team) *t, const FN(team) *wide, P first, P last)
{
    enum { FN(LEAST_ROUNDS) = 4 };
    const bool apart = t->size > FN(WIDEST_PART) && last - first >= FN(LEAST_ROUNDS) * t->size;
    FN(look) look;
    FN(begin_round)(&look, wide, first);
    look.first = first;
    look.index = apart ? look.index : first;
    look.whose = apart ? FN(OWN) : FN(IN_TURN);
    look.turn = 0;
    look.seen = false;
    return look;
}

/* Advances; returns false at the end. shared: this lane has seen a row that all warps share. */
DEVICE bool FN(look_on)(FN(look) *look, const FN(team) *t, const FN(team) *wide, P last,
                        bool shared)
{
    look->index += wide->width;
    if (look->whose == FN(IN_TURN))
        return look->index < last;
    if (look->whose == FN(SHARED) && look->index < look->round + t->size && look->index < last)
        return true;
    if (look->whose == FN(SCOUT) && SYNC_OR(shared)) {
        look->whose = FN(SHARED);
        look->index = look->round;
        return true;
    }
    look->seen = look->seen || shared;
    FN(begin_round)(look, wide, look->round + t->size);
    if (look->whose == FN(SHARED))
        look->whose = FN(SCOUT);
    if (look->round < last || look->whose == FN(SCOUT) || !SYNC_OR(look->seen))
        return look->round < last;
    look->whose = FN(SCOUT);
    FN(begin_round)(look, wide, look->first);
    return true;
}

/* The first entry of a long row of B that this lane takes; then every *step-th. */
DEVICE P FN(first_of_long_row)(const FN(team) *t, const FN(team) *wide, FN(look) *look, P length,
                               P *step)
{
    const bool shared = length > FN(LONGEST_OF_WARP);
    const int warps = t->size > FN(WIDEST_PART) ? t->size / FN(WIDEST_PART) : 1,
              turn = look->turn++;
    const bool mine = look->whose == FN(OWN) ||
                      (look->whose == FN(IN_TURN) && (turn & (warps - 1)) == wide->part);
    *step = shared ? t->size : wide->width;
    if (shared)
        return look->whose == FN(IN_TURN) || look->whose == FN(SHARED) ? t->rank : length;
    return mine ? wide->lane : length;
}

/* Whether the lane's row of B is shared by all warps. */
DEVICE bool FN(is_shared)(const FN(entries) *e)
{
    return e->length > FN(LONGEST_OF_WARP);
}

/* Entries of A's row whose rows of B the lane walks alone: from the team's thread of that rank
 * on, with the team's size as stride. */
typedef struct FN(single_rows) {
    P begin[FN(AT_ONCE)], end[FN(AT_ONCE)];
    T value[FN(AT_ONCE)];
} FN(single_rows);

DEVICE FN(single_rows) FN(single_rows_from)(const FN(team) *t, P from, P last, T alpha,
                                            const I *RESTRICT a_columns, const T *RESTRICT a_values,
                                            const P *RESTRICT b_offsets)
{
    FN(single_rows) r;
    UNROLL
    for (int u = 0; u < FN(AT_ONCE); u++) {
        const P p = from + u * (P)t->size;
        r.begin[u] = r.end[u] = 0;
        r.value[u] = 0;
        if (p < last) {
            const I k = READ(&a_columns[p]);
            r.begin[u] = READ(&b_offsets[k]);
            r.end[u] = READ(&b_offsets[k + 1]);
            if (r.end[u] - r.begin[u] > t->long_row)
                r.end[u] = r.begin[u];
            if (a_values)
                r.value[u] = alpha * READ(&a_values[p]);
        }
    }
    return r;
}
