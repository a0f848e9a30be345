/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_listed.h: rows of C with few columns in wide windows of bits. A summary with one bit per
 * word tells which words are in use; only those are read.
 *
 * A part of 32 lanes lists the words in use of its stretch and distributes them among its lanes,
 * so that clustered columns do not burden a single lane. Words are cleared as they are written,
 * for the next row. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_LISTED_H
#define SPL_SPGEMM_KERNELS_SPGEMM_LISTED_H

#include "spgemm/kernels/find/spgemm_set.h"

/* A part's stretch of the summary, and its list of words in use, numbered from the first word of
 * the stretch. */
typedef struct spgemm_listed {
    int32_t begin, end; /* words of the summary */
    uint16_t *list;
    int32_t count;
} spgemm_listed;

/* Lists the words in use of the part's stretch, in order, and clears the summary there. */
DEVICE spgemm_listed spgemm_list_words(const spgemm_team *wide, const spgemm_set *set, int64_t most)
{
    const int32_t all = SPGEMM_SUMMARY_WORDS(set->words),
                  each = (all + wide->parts - 1) / wide->parts;
    spgemm_listed l;
    l.begin = wide->part * each < all ? wide->part * each : all;
    l.end = l.begin + each < all ? l.begin + each : all;
    l.list = set->lists + wide->part * (each * 32 < most ? each * 32 : most);
    l.count = 0;
    for (int32_t start = l.begin; start < l.end; start += wide->width) {
        const int32_t w = start + wide->lane;
        uint32_t used = w < l.end ? set->summary[w] : 0;
        int32_t total,
            index = l.count + spgemm_sum_of_lanes_before(wide, (int32_t)POPCOUNT(used), &total);
        for (; used; used &= used - 1)
            l.list[index++] = (uint16_t)((w - l.begin) * 32 + FIRST_BIT(used));
        if (w < l.end)
            set->summary[w] = 0;
        l.count += total;
    }
    SYNC_WARP(wide->mask);
    return l;
}

/* The lane's word among those listed from number `from` on; -1: none. */
DEVICE int32_t spgemm_listed_word(const spgemm_team *wide, const spgemm_listed *l, int32_t from)
{
    return from + wide->lane < l->count ? l->begin * 32 + l->list[from + wide->lane] : -1;
}

/* The number of columns in the part's words, for all its lanes. */
DEVICE int32_t spgemm_count_listed(const spgemm_team *wide, const spgemm_set *set,
                                   const spgemm_listed *l)
{
    int32_t count = 0;
    for (int32_t from = 0; from < l->count; from += wide->width) {
        const int32_t w = spgemm_listed_word(wide, l, from);
        count += w >= 0 ? (int32_t)POPCOUNT(set->bits[w]) : 0;
    }
    for (int x = wide->width / 2; x > 0; x /= 2)
        count += SHUFFLE_XOR(wide->mask, count, x);
    return count;
}

/* Clears the part's words after writing their columns, unless `out` is NULL. */
DEVICE void spgemm_write_listed(const spgemm_team *wide, const spgemm_set *set,
                                const spgemm_listed *l, int32_t *out)
{
    for (int32_t from = 0; from < l->count; from += wide->width) {
        const int32_t w = spgemm_listed_word(wide, l, from);
        uint32_t bits = w >= 0 ? set->bits[w] : 0;
        int32_t total, index = spgemm_sum_of_lanes_before(wide, (int32_t)POPCOUNT(bits), &total);
        for (; out && bits; bits &= bits - 1)
            out[index++] = (set->first_word + w) * 32 + FIRST_BIT(bits);
        if (w >= 0)
            set->bits[w] = 0;
        out += out ? total : 0;
    }
}

/* Like write_set, for listed windows. */
DEVICE int64_t spgemm_write_listed_set(const struct spgemm_find *f, const spgemm_team *t,
                                       int64_t row, const spgemm_set *set, int64_t found,
                                       bool may_stash)
{
    const spgemm_team wide = spgemm_team_of(t->size, SPGEMM_WARP);
    const spgemm_listed l = spgemm_list_words(&wide, set, f->layout.most);
    int64_t count;
    const int64_t offset =
        spgemm_sum_of_parts(&wide, spgemm_count_listed(&wide, set, &l), set->counts, &count);
    int32_t *out = f->columns ? f->columns + f->offsets[row] + found : (int32_t *)0;
    if (may_stash)
        out = spgemm_columns_destination(f, t, row, count, set->position);
    spgemm_write_listed(&wide, set, &l, out ? out + offset : out);
    spgemm_team_sync(t);
    return count;
}

#endif
