/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_set.h: the columns of a row of C as a set of bits, in a window or in a hash table. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_SET_H
#define SPL_SPGEMM_KERNELS_SPGEMM_SET_H

#include "spgemm/kernels/find/spgemm_room.h"

/* A set of columns, as bits of words of 32: all words of a window, or the words in a hash table. */
typedef struct spgemm_set {
    uint32_t *bits;
    int32_t first_word, words; /* of a window; words: of a hash table once gathered */
    int32_t *keys;             /* of a hash table: numbers of words, or columns; -1: empty */
    int64_t slots;
    int shift;
    int32_t *used;     /* number of words of the hash table; attempts: of occupied slots */
    uint32_t *summary; /* listed windows: one bit per non-empty word */
    uint16_t *lists;   /* of those words, one stretch per part */
    int32_t *counts;   /* where parts tell each other how many columns they have */
    int64_t *position; /* where the team learns its position in the stash */
} spgemm_set;

/* How a word is inserted: by the kind of rows, or ATTEMPT: into a hash table that may overflow. */
enum { SPGEMM_ATTEMPT = SPGEMM_KINDS };

/* The most words that a table takes; with more, searches become long. Threads that insert at the
 * same time leave some slots empty. */
DEVICE int32_t spgemm_most_words(const spgemm_set *set)
{
    return (int32_t)(set->slots / 4 * 3);
}

/* Open addressing with a multiplicative hash: Knuth, volume 3, 6.4. An attempt counts the slots
 * that it occupies and returns -1 if they are too many. */
DEVICE int64_t spgemm_slot_of(const spgemm_set *set, int32_t word, int kind)
{
    if (kind == SPGEMM_ATTEMPT && LOAD_VOLATILE(set->used) > spgemm_most_words(set))
        return -1;
    int64_t slot = ((uint32_t)word * 2654435761u) >> set->shift;
    for (;; slot = (slot + 1) & (set->slots - 1)) {
        int32_t stored = LOAD_VOLATILE(&set->keys[slot]);
        if (stored == -1) {
            stored = ATOMIC_CAS(&set->keys[slot], -1, word);
            if (kind == SPGEMM_ATTEMPT && stored == -1)
                ATOMIC_ADD(set->used, 1);
        }
        if (stored == -1 || stored == word)
            return slot;
    }
}

/* Inserts a column into a table that has one in each slot. */
DEVICE void spgemm_insert_column(const spgemm_set *set, int32_t column)
{
    const int32_t last = (int32_t)set->slots - 1;
    int32_t slot = (int32_t)(((uint32_t)column * 2654435761u) >> set->shift);
    for (;; slot = (slot + 1) & last) {
        int32_t stored = LOAD_VOLATILE(&set->keys[slot]);
        if (stored == -1)
            stored = ATOMIC_CAS(&set->keys[slot], -1, column);
        if (stored == -1 || stored == column)
            return;
    }
}

/* Inserts the columns `bits` of a word, or the column `word` into slots. */
DEVICE void spgemm_insert(const spgemm_set *set, int32_t word, uint32_t bits, int kind)
{
    if (kind == SPGEMM_SLOTS) {
        spgemm_insert_column(set, word);
        return;
    }
    const bool window = kind == SPGEMM_WINDOW || kind == SPGEMM_LISTED;
    const int64_t index = window ? word - set->first_word : spgemm_slot_of(set, word, kind);
    if (kind == SPGEMM_ATTEMPT && index < 0)
        return;
    if (window && (uint32_t)index >= (uint32_t)set->words)
        return;
    if ((LOAD_VOLATILE(&set->bits[index]) & bits) == bits)
        return;
    const uint32_t old_bits = ATOMIC_OR(&set->bits[index], bits);
    if (kind == SPGEMM_LISTED && old_bits == 0)
        ATOMIC_OR(&set->summary[index / 32], 1u << (index % 32));
}

/* ---- windows ---- */

DEVICE void spgemm_clear_words(const spgemm_team *t, uint32_t *words, int32_t count)
{
    for (int32_t i = t->rank; i < count; i += t->size)
        words[i] = 0;
    spgemm_team_sync(t);
}

/* A window in the shared memory of the team. */
DEVICE spgemm_set spgemm_set_in(uint32_t *bits, int32_t words, int32_t *counts, int64_t *position)
{
    spgemm_set set;
    set.bits = bits;
    set.first_word = set.words = 0;
    set.keys = set.used = (int32_t *)0;
    set.slots = 0;
    set.shift = 0;
    set.summary = bits + words;
    set.lists = (uint16_t *)(set.summary + SPGEMM_SUMMARY_WORDS(words));
    set.counts = counts;
    set.position = position;
    return set;
}

/* ---- from bits to columns ---- */

/* The range of words of a set that a part of the team counts and writes. */
typedef struct spgemm_stretch {
    int32_t begin, end;
} spgemm_stretch;

DEVICE spgemm_stretch spgemm_stretch_of_part(const spgemm_team *t, int32_t words)
{
    const int32_t each = (words + t->parts - 1) / t->parts;
    spgemm_stretch s;
    s.begin = t->part * each < words ? t->part * each : words;
    s.end = s.begin + each < words ? s.begin + each : words;
    return s;
}

/* The number of columns in the stretch, for all lanes of the part. */
DEVICE int32_t spgemm_count_bits(const spgemm_team *t, const spgemm_set *set, spgemm_stretch s)
{
    int32_t count = 0;
    for (int32_t w = s.begin + t->lane; w < s.end; w += t->width)
        count += POPCOUNT(set->bits[w]);
    for (int x = t->width / 2; x > 0; x /= 2)
        count += SHUFFLE_XOR(t->mask, count, x);
    return count;
}

/* The number of word w of the set: its columns begin at 32 times that. */
DEVICE int32_t spgemm_word_at(const spgemm_set *set, int32_t w, int kind)
{
    return kind == SPGEMM_HASH ? set->keys[w] : set->first_word + w;
}

/* Writes the columns of `bits`, whose first is `column`; returns the end of the output. */
DEVICE int32_t *spgemm_write_word(uint32_t bits, int32_t column, int32_t *out)
{
    for (; bits; bits &= bits - 1)
        *out++ = column + FIRST_BIT(bits);
    return out;
}

/* Exclusive prefix sum over the part's lanes; *total: the sum of all. */
DEVICE int32_t spgemm_sum_of_lanes_before(const spgemm_team *t, int32_t count, int32_t *total)
{
    int32_t sum = count;
    for (int d = 1; d < t->width; d *= 2) {
        const int32_t left = SHUFFLE_UP(t->mask, sum, d, t->width);
        sum += t->lane >= d ? left : 0;
    }
    *total = SHUFFLE(t->mask, sum, t->base + t->width - 1);
    return sum - count;
}

/* Writes the columns of the stretch. A lane takes `each` neighbouring words at a time: where most
 * words are empty, prefix sums are rare. */
DEVICE void spgemm_write_sparse(const spgemm_team *t, const spgemm_set *set, spgemm_stretch s,
                                int kind, int each, int32_t *out)
{
    for (int32_t start = s.begin; start < s.end; start += t->width * each) {
        const int32_t first = start + t->lane * each,
                      last = first + each < s.end ? first + each : s.end;
        int32_t count = 0, total;
        for (int32_t w = first; w < last; w++)
            count += POPCOUNT(set->bits[w]);
        int32_t *to = out + spgemm_sum_of_lanes_before(t, count, &total);
        for (int32_t w = first; w < last; w++)
            to = spgemm_write_word(set->bits[w], spgemm_word_at(set, w, kind) * 32, to);
        out += total;
    }
}

/* Lanes that share a word: few words, as of a band, would leave most lanes idle. */
DEVICE int spgemm_lanes_of_word(const spgemm_team *t, int32_t words)
{
    int lanes = 1;
    while (lanes < 32 && 2 * lanes * words <= t->width)
        lanes *= 2;
    return lanes;
}

/* The same. A lane takes a word at a time, or as many bits of it as fall to each of `lanes`. */
DEVICE void spgemm_write_dense(const spgemm_team *t, const spgemm_set *set, spgemm_stretch s,
                               int kind, int lanes, int32_t *out)
{
    const int bits = 32 / lanes, shift = t->lane % lanes * bits;
    const uint32_t mine = 0xffffffffu >> (32 - bits) << shift;
    for (int32_t start = s.begin; start < s.end; start += t->width / lanes) {
        const int32_t w = start + t->lane / lanes;
        const uint32_t columns = w < s.end ? set->bits[w] & mine : 0;
        int32_t total;
        const int32_t before = spgemm_sum_of_lanes_before(t, (int32_t)POPCOUNT(columns), &total);
        if (columns)
            spgemm_write_word(columns, spgemm_word_at(set, w, kind) * 32, out + before);
        out += total;
    }
}

/* columns: their number in the stretch. */
DEVICE void spgemm_write_bits(const spgemm_team *t, const spgemm_set *set, spgemm_stretch s,
                              int kind, int32_t columns, int32_t *out)
{
    enum { SPARSE = 4 };
    const int32_t words = s.end - s.begin;
    if (words >= SPARSE * t->width && columns < words)
        spgemm_write_sparse(t, set, s, kind, SPARSE, out);
    else
        spgemm_write_dense(t, set, s, kind, spgemm_lanes_of_word(t, words), out);
}

/* Exclusive prefix sum over the team's parts; *total: the sum of all. */
DEVICE int64_t spgemm_sum_of_parts(const spgemm_team *t, int32_t count, int32_t *counts,
                                   int64_t *total)
{
    int64_t offset = 0;
    *total = count;
    if (t->parts == 1)
        return 0;
    if (t->lane == 0)
        counts[t->part] = count;
    spgemm_team_sync(t);
    *total = 0;
    for (int part = 0; part < t->parts; part++) {
        offset += part < t->part ? counts[part] : 0;
        *total += counts[part];
    }
    return offset;
}

/* Writes the set's columns, if requested, after `found` others of the row. Returns their number.
 * may_stash: the set is the whole row, which may be stashed. */
DEVICE int64_t spgemm_write_set(const struct spgemm_find *f, const spgemm_team *t, int64_t row,
                                const spgemm_set *set, int kind, int64_t found, bool may_stash)
{
    int64_t count;
    const spgemm_stretch s = spgemm_stretch_of_part(t, set->words);
    const int32_t mine = spgemm_count_bits(t, set, s);
    const int64_t offset = spgemm_sum_of_parts(t, mine, set->counts, &count);
    int32_t *out = f->columns ? f->columns + f->offsets[row] + found : (int32_t *)0;
    if (may_stash)
        out = spgemm_columns_destination(f, t, row, count, set->position);
    if (out)
        spgemm_write_bits(t, set, s, kind, mine, out + offset);
    spgemm_team_sync(t); /* the next row clears the set */
    return count;
}

#endif
