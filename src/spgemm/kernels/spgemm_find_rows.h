/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_find_rows.h: rows of C found as sets of bits, in a window or in a hash table. Part of the
 * templates of kernel files: read once per combination of types, without a guard. */

/* ---- sets of columns ---- */

/* A set of columns, as bits of words of 32: all words of a window, or the words in a hash table. */
typedef struct FN(set) {
    uint32_t *bits;
    int32_t first_word, words; /* of a window; words: of a hash table once gathered */
    int32_t *keys;             /* of a hash table: numbers of words, -1: empty */
    int64_t slots;
    int shift;
    int32_t *used;     /* attempts: number of occupied slots */
    uint32_t *summary; /* listed windows: one bit per non-empty word */
    uint16_t *lists;   /* of those words, one stretch per part */
} FN(set);

/* How a word is inserted: by the kind of rows, or ATTEMPT: into a hash table that may overflow. */
enum { FN(ATTEMPT) = SPGEMM_KINDS };

/* The most words that a table takes; with more, searches become long. Threads that insert at the
 * same time leave some slots empty. */
DEVICE int32_t FN(most_words)(const FN(set) *set)
{
    return (int32_t)(set->slots / 4 * 3);
}

/* Open addressing with a multiplicative hash: Knuth, volume 3, 6.4. An attempt counts the slots
 * that it occupies and returns -1 if they are too many. */
DEVICE int64_t FN(slot_of)(const FN(set) *set, int32_t word, int kind)
{
    if (kind == FN(ATTEMPT) && LOAD_VOLATILE(set->used) > FN(most_words)(set))
        return -1;
    int64_t slot = ((uint32_t)word * 2654435761u) >> set->shift;
    for (;; slot = (slot + 1) & (set->slots - 1)) {
        int32_t stored = LOAD_VOLATILE(&set->keys[slot]);
        if (stored == -1) {
            stored = ATOMIC_CAS(&set->keys[slot], -1, word);
            if (kind == FN(ATTEMPT) && stored == -1)
                ATOMIC_ADD(set->used, 1);
        }
        if (stored == -1 || stored == word)
            return slot;
    }
}

DEVICE void FN(insert)(const FN(set) *set, int32_t word, uint32_t bits, int kind)
{
    const bool window = kind == SPGEMM_WINDOW || kind == SPGEMM_LISTED;
    const int64_t index = window ? word - set->first_word : FN(slot_of)(set, word, kind);
    if (kind == FN(ATTEMPT) && index < 0)
        return;
    if (window && (uint32_t)index >= (uint32_t)set->words)
        return;
    if ((LOAD_VOLATILE(&set->bits[index]) & bits) == bits)
        return;
    const uint32_t before = ATOMIC_OR(&set->bits[index], bits);
    if (kind == SPGEMM_LISTED && before == 0)
        ATOMIC_OR(&set->summary[index / 32], 1u << (index % 32));
}

/* A column as a pair, or a pair of compressed B. */
DEVICE struct spgemm_pair FN(pair_at)(const I *RESTRICT columns, const uint64_t *RESTRICT pairs,
                                      P index)
{
    struct spgemm_pair pair;
    if (pairs) {
        const uint64_t both = READ(&pairs[index]);
        pair.word = (int32_t)(uint32_t)both;
        pair.bits = (uint32_t)(both >> 32);
    } else {
        const int32_t column = READ(&columns[index]);
        pair.word = column / 32;
        pair.bits = 1u << (column % 32);
    }
    return pair;
}

DEVICE void FN(insert_products)(const FN(set) *set, const FN(team) *t, int kind, P first, P last,
                                const I *RESTRICT a_columns, const P *RESTRICT b_offsets,
                                const I *RESTRICT b_columns, const uint64_t *RESTRICT pairs)
{
    for (P from = first + t->part; from < last; from += (P)t->parts * t->width) {
        const FN(entries) e =
            FN(entries_from)(t, from, last, 0, a_columns, (const T *)0, b_offsets);
        for (int i = 0; i < e.count; i += FN(AT_ONCE)) {
            const FN(rows_at_once) r = FN(rows_from)(t, &e, i, false);
            for (P j = t->lane; j < r.longest; j += t->width) {
                struct spgemm_pair pair[FN(AT_ONCE)] = {{0, 0}};
                for (int u = 0; u < FN(AT_ONCE); u++)
                    if (j < r.length[u])
                        pair[u] = FN(pair_at)(b_columns, pairs, r.begin[u] + j);
                for (int u = 0; u < FN(AT_ONCE); u++)
                    if (j < r.length[u])
                        FN(insert)(set, pair[u].word, pair[u].bits, kind);
            }
        }
    }
}

/* The same, but each lane walks rows of B of its own. */
DEVICE void FN(insert_singly)(const FN(set) *set, const FN(team) *t, int kind, P first, P last,
                              const I *RESTRICT a_columns, const P *RESTRICT b_offsets,
                              const I *RESTRICT b_columns, const uint64_t *RESTRICT pairs)
{
    for (P from = first + t->rank; from < last; from += (P)FN(AT_ONCE) * t->size) {
        const FN(single_rows) r =
            FN(single_rows_from)(t, from, last, 0, a_columns, (const T *)0, b_offsets);
        struct spgemm_pair pair[FN(AT_ONCE)] = {{0, 0}};
        UNROLL
        for (int u = 0; u < FN(AT_ONCE); u++)
            if (r.begin[u] < r.end[u])
                pair[u] = FN(pair_at)(b_columns, pairs, r.begin[u]);
        UNROLL
        for (int u = 0; u < FN(AT_ONCE); u++)
            if (r.begin[u] < r.end[u])
                FN(insert)(set, pair[u].word, pair[u].bits, kind);
        for (int u = 0; u < FN(AT_ONCE); u++)
            for (P j = r.begin[u] + 1; j < r.end[u]; j++) {
                const struct spgemm_pair next = FN(pair_at)(b_columns, pairs, j);
                FN(insert)(set, next.word, next.bits, kind);
            }
    }
}

/* Walks the long rows of B, which parts skip, for as many entries of A as a warp has lanes.
 * Returns whether the lane has seen a row that all warps share. */
DEVICE bool FN(insert_long_rows_from)(const FN(set) *set, const FN(team) *t, const FN(team) *wide,
                                      int kind, FN(look) *look, P last, const I *RESTRICT a_columns,
                                      const P *RESTRICT b_offsets, const I *RESTRICT b_columns,
                                      const uint64_t *RESTRICT pairs)
{
    FN(entries) e;
    lane_mask found =
        FN(find_long_rows)(wide, look->index, last, 0, a_columns, (const T *)0, b_offsets, &e);
    for (; found; found &= found - 1) {
        const P begin = SHUFFLE(wide->mask, e.begin, FIRST_BIT(found));
        const P length = SHUFFLE(wide->mask, e.length, FIRST_BIT(found));
        P step, j = FN(first_of_long_row)(t, wide, look, length, &step);
        for (; j < length; j += FN(AT_ONCE) * step) {
            struct spgemm_pair pair[FN(AT_ONCE)] = {{0, 0}};
            for (int u = 0; u < FN(AT_ONCE); u++)
                if (j + u * step < length)
                    pair[u] = FN(pair_at)(b_columns, pairs, begin + j + u * step);
            for (int u = 0; u < FN(AT_ONCE); u++)
                if (j + u * step < length)
                    FN(insert)(set, pair[u].word, pair[u].bits, kind);
        }
    }
    return FN(is_shared)(&e);
}

DEVICE void FN(insert_long_rows)(const FN(set) *set, const FN(team) *t, int kind, P first, P last,
                                 const I *RESTRICT a_columns, const P *RESTRICT b_offsets,
                                 const I *RESTRICT b_columns, const uint64_t *RESTRICT pairs)
{
    if (t->long_row == INT32_MAX)
        return;
    const FN(team) wide = FN(widest_part)(t);
    FN(look) look = FN(look_from)(t, &wide, first, last);
    bool shared;
    do
        shared = FN(insert_long_rows_from)(set, t, &wide, kind, &look, last, a_columns, b_offsets,
                                           b_columns, pairs);
    while (FN(look_on)(&look, t, &wide, last, shared));
}

DEVICE void FN(insert_all)(const FN(set) *set, const FN(team) *t, int kind, bool singly, P first,
                           P last, const I *RESTRICT a_columns, const P *RESTRICT b_offsets,
                           const I *RESTRICT b_columns, const uint64_t *RESTRICT pairs)
{
    if (singly)
        FN(insert_singly)(set, t, kind, first, last, a_columns, b_offsets, b_columns, pairs);
    else
        FN(insert_products)(set, t, kind, first, last, a_columns, b_offsets, b_columns, pairs);
    FN(insert_long_rows)(set, t, kind, first, last, a_columns, b_offsets, b_columns, pairs);
}

DEVICE void FN(insert_row)(const FN(set) *set, const FN(team) *t, int kind,
                           const struct spgemm_find *f, int64_t row)
{
    const P *a_offsets = (const P *)f->s.a_offsets, *d_offsets = (const P *)f->s.d_offsets;
    const P first = READ(&a_offsets[row]), last = READ(&a_offsets[row + 1]);
    const I *a_columns = (const I *)f->s.a_columns;
    if (f->pairs)
        FN(insert_all)(set, t, kind, f->layout.singly, first, last, a_columns,
                       (const P *)f->pair_offsets, (const I *)0, (const uint64_t *)f->pairs);
    else
        FN(insert_all)(set, t, kind, f->layout.singly, first, last, a_columns,
                       (const P *)f->s.b_offsets, (const I *)f->s.b_columns, (const uint64_t *)0);
    if (d_offsets)
        for (P p = d_offsets[row] + t->rank; p < d_offsets[row + 1]; p += t->size) {
            const int32_t column = ((const I *)f->s.d_columns)[p];
            FN(insert)(set, column / 32, 1u << (column % 32), kind);
        }
}

/* ---- from bits to columns ---- */

/* The range of words of a set that a part of the team counts and writes. */
typedef struct FN(stretch) {
    int32_t begin, end;
} FN(stretch);

DEVICE FN(stretch) FN(stretch_of_part)(const FN(team) *t, int32_t words)
{
    const int32_t each = (words + t->parts - 1) / t->parts;
    FN(stretch) s;
    s.begin = t->part * each < words ? t->part * each : words;
    s.end = s.begin + each < words ? s.begin + each : words;
    return s;
}

/* The number of columns in the stretch, for all lanes of the part. */
DEVICE int32_t FN(count_bits)(const FN(team) *t, const FN(set) *set, FN(stretch) s)
{
    int32_t count = 0;
    for (int32_t w = s.begin + t->lane; w < s.end; w += t->width)
        count += POPCOUNT(set->bits[w]);
    for (int x = t->width / 2; x > 0; x /= 2)
        count += SHUFFLE_XOR(t->mask, count, x);
    return count;
}

/* Writes the columns of one word; returns the end of the output. */
DEVICE int32_t *FN(write_word)(const FN(set) *set, int32_t w, int kind, int32_t *out)
{
    const int32_t word = kind == SPGEMM_HASH ? set->keys[w] : set->first_word + w;
    for (uint32_t bits = set->bits[w]; bits; bits &= bits - 1)
        *out++ = word * 32 + FIRST_BIT(bits);
    return out;
}

/* Exclusive prefix sum over the part's lanes; *total: the sum of all. */
DEVICE int32_t FN(sum_of_lanes_before)(const FN(team) *t, int32_t count, int32_t *total)
{
    int32_t sum = count;
    for (int d = 1; d < t->width; d *= 2) {
        const int32_t left = SHUFFLE_UP(t->mask, sum, d, t->width);
        sum += t->lane >= d ? left : 0;
    }
    *total = SHUFFLE(t->mask, sum, t->base + t->width - 1);
    return sum - count;
}

/* Writes the columns of the stretch. A lane takes `each` neighbouring words at a time. */
DEVICE void FN(write_bits)(const FN(team) *t, const FN(set) *set, FN(stretch) s, int kind, int each,
                           int32_t *out)
{
    for (int32_t start = s.begin; start < s.end; start += t->width * each) {
        const int32_t first = start + t->lane * each,
                      last = first + each < s.end ? first + each : s.end;
        int32_t count = 0, total;
        for (int32_t w = first; w < last; w++)
            count += POPCOUNT(set->bits[w]);
        int32_t *to = out + FN(sum_of_lanes_before)(t, count, &total);
        for (int32_t w = first; w < last; w++)
            to = FN(write_word)(set, w, kind, to);
        out += total;
    }
}

/* The number of words that a lane takes at a time: several where most words are empty, so that
 * prefix sums are rare. */
DEVICE int FN(words_of_lane)(const FN(team) *t, FN(stretch) s, int32_t columns)
{
    enum { SPARSE = 4 };
    const int32_t words = s.end - s.begin;
    return words >= SPARSE * t->width && columns < words ? SPARSE : 1;
}

/* Exclusive prefix sum over the team's parts; *total: the sum of all. */
DEVICE int64_t FN(sum_of_parts)(const FN(team) *t, int32_t count, int32_t *counts, int64_t *total)
{
    int64_t before = 0;
    *total = count;
    if (t->parts == 1)
        return 0;
    if (t->lane == 0)
        counts[t->part] = count;
    FN(team_sync)(t);
    *total = 0;
    for (int part = 0; part < t->parts; part++) {
        before += part < t->part ? counts[part] : 0;
        *total += counts[part];
    }
    return before;
}

/* Writes the set's columns, if requested, after `found` others of the row. Returns their number.
 * put_aside: the set is the whole row, which may be stashed. */
DEVICE int64_t FN(write_set)(const struct spgemm_find *f, const FN(team) *t, int64_t row,
                             const FN(set) *set, int kind, int64_t found, bool put_aside,
                             int32_t *counts, int64_t *position)
{
    int64_t count;
    const FN(stretch) s = FN(stretch_of_part)(t, set->words);
    const int32_t mine = FN(count_bits)(t, set, s);
    const int64_t before = FN(sum_of_parts)(t, mine, counts, &count);
    int32_t *out = f->columns ? f->columns + f->offsets[row] + found : (int32_t *)0;
    if (put_aside)
        out = FN(columns_destination)(f, t, row, count, position);
    if (out)
        FN(write_bits)(t, set, s, kind, FN(words_of_lane)(t, s, mine), out + before);
    FN(team_sync)(t); /* the next row clears the set */
    return count;
}

/* ---- windows ---- */

#include "spgemm/kernels/spgemm_listed.h"

DEVICE void FN(clear_words)(const FN(team) *t, uint32_t *words, int32_t count)
{
    for (int32_t i = t->rank; i < count; i += t->size)
        words[i] = 0;
    FN(team_sync)(t);
}

/* A row whose window is wider than the team's bits takes several turns and is not stashed. A
 * listed set is empty before and after. */
DEVICE void FN(find_in_window)(const struct spgemm_find *f, const FN(team) *t, int64_t row,
                               FN(set) set, bool listed, int32_t *counts, int64_t *position)
{
    const struct spgemm_window w = f->windows[row];
    const int32_t first = w.first / 32, words = w.last < w.first ? 0 : w.last / 32 - first + 1;
    const bool whole = words <= f->layout.words, put_aside = !f->columns && whole;
    int64_t found = 0;
    for (int32_t done = 0; done == 0 || done < words; done += f->layout.words) {
        set.first_word = first + done;
        set.words = words - done < f->layout.words ? words - done : f->layout.words;
        if (!listed)
            FN(clear_words)(t, set.bits, set.words);
        FN(insert_row)(&set, t, listed ? SPGEMM_LISTED : SPGEMM_WINDOW, f, row);
        FN(team_sync)(t);
        found += listed ? FN(write_listed_set)(f, t, row, &set, found, put_aside, counts, position)
                        : FN(write_set)(f, t, row, &set, SPGEMM_WINDOW, found, put_aside, counts,
                                        position);
    }
    if (!f->columns && !whole && t->rank == 0)
        FN(note_row)(f, row, found, -1);
}

/* A set in the shared memory of the block. */
DEVICE FN(set) FN(set_in)(uint32_t *bits, int32_t words)
{
    FN(set) set;
    set.bits = bits;
    set.first_word = set.words = 0;
    set.keys = set.used = (int32_t *)0;
    set.slots = 0;
    set.shift = 0;
    set.summary = bits + words;
    set.lists = (uint16_t *)(set.summary + SPGEMM_SUMMARY_WORDS(words));
    return set;
}

/* Finds the rows of a group. */
DEVICE void FN(find_in_windows)(const struct spgemm_find *f, uint32_t *bits, int32_t *counts,
                                int64_t *slots)
{
    FN(team) t = FN(team_of)(f->layout.team, f->layout.width);
    t.long_row = f->layout.long_row;
    const FN(set) set = FN(set_in)(bits + t.number * f->layout.words, f->layout.words);
    for (int64_t k = FN(first_of_team)(&f->layout, &t); k < f->layout.list_count;
         k += FN(teams_of)(&f->layout, &t)) {
        const int64_t row = FN(row_at)(f->layout.list, k);
        if (!FN(is_settled)(f, row))
            FN(find_in_window)(f, &t, row, set, false, counts + t.number * t.parts,
                               slots + t.number);
    }
}

/* ---- hash tables ---- */

#include "spgemm/kernels/spgemm_find_tables.h"
