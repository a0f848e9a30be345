/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_nested.h: positions of columns by a two-level bitmap. The upper level has one bit per
 * word of 32 columns from the first to the last; only non-empty words are stored, with one bit
 * per column. So columns that are spread over a million, as in meshes with unordered nodes, take
 * 8 kB and a word each, and are found without a search. Part of spgemm_lookup.h. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_NESTED_H
#define SPL_SPGEMM_KERNELS_SPGEMM_NESTED_H

enum { SPGEMM_TOP = 32 * 32 }; /* columns that one word of the upper level covers */

DEVICE int32_t spgemm_position_in_nested(const spgemm_lookup *p, int32_t column)
{
    const uint64_t top = ((const uint64_t *)p->bits)[column / SPGEMM_TOP - p->first_word];
    const uint32_t lower_words = (uint32_t)top & ((1u << (column / 32 % 32)) - 1);
    const uint64_t word =
        ((const uint64_t *)p->nested)[(int32_t)(top >> 32) + (int32_t)POPCOUNT(lower_words)];
    const uint32_t lower_bits = (uint32_t)word & ((1u << (column % 32)) - 1);
    return (int32_t)(word >> 32) + (int32_t)POPCOUNT(lower_bits);
}

/* Enters column i of C's row per lane, given the column before it; `words`: words that began
 * before. Returns how many begin now. */
DEVICE int32_t spgemm_nest_columns(const spgemm_lookup *p, const spgemm_team *t, int32_t i,
                                   int32_t column, int32_t neighbour, int32_t words)
{
    const bool exists = i < p->count;
    const bool begins = exists && neighbour / 32 != column / 32;
    const lane_mask all = BALLOT(t->team_mask, begins), up_to = ((lane_mask)2 << LANE) - 1;
    const int32_t word_number = words + (int32_t)POPCOUNT(all & up_to) - 1;
    if (begins) {
        uint32_t *const top = &p->bits[2 * (column / SPGEMM_TOP - p->first_word)];
        p->nested[2 * word_number] = 0;
        p->nested[2 * word_number + 1] = (uint32_t)i;
        ATOMIC_OR(&top[0], 1u << (column / 32 % 32));
        if (neighbour / SPGEMM_TOP != column / SPGEMM_TOP)
            top[1] = (uint32_t)word_number;
    }
    SYNC_WARP(t->team_mask);
    if (exists)
        ATOMIC_OR(&p->nested[2 * word_number], 1u << (column % 32));
    return words + (int32_t)POPCOUNT(all);
}

/* Sets the bit of each column. Each lane loads several before it uses the first. */
DEVICE void spgemm_nest_all(const spgemm_lookup *p, const spgemm_team *t,
                            const int32_t *RESTRICT columns)
{
    enum { TOGETHER = 4 };
    int32_t last = -SPGEMM_TOP, words = 0; /* no word begins there */
    for (int32_t first = 0; first < p->count; first += TOGETHER * t->size) {
        int32_t column[TOGETHER];
        UNROLL
        for (int u = 0; u < TOGETHER; u++) {
            const int32_t i = first + u * t->size + t->rank;
            column[u] = i < p->count ? READ(&columns[i]) : 0;
        }
        UNROLL
        for (int u = 0; u < TOGETHER; u++) {
            const int32_t previous = SHUFFLE_UP(t->team_mask, column[u], 1, t->size),
                          neighbour = t->rank > 0 ? previous : last;
            last = SHUFFLE(t->team_mask, column[u], LANE - t->rank + t->size - 1);
            words = spgemm_nest_columns(p, t, first + u * t->size + t->rank, column[u], neighbour,
                                        words);
        }
    }
}

/* For teams no wider than a warp. */
DEVICE void spgemm_make_nested(spgemm_lookup *p, const spgemm_team *t,
                               const int32_t *RESTRICT columns)
{
    if (p->count == 0)
        return;
    p->first_word = columns[0] / SPGEMM_TOP;
    p->words = columns[p->count - 1] / SPGEMM_TOP - p->first_word + 1;
    p->nested = p->bits + 2 * p->words;
    for (int32_t w = t->rank; w < p->words; w += t->size)
        p->bits[2 * w] = 0;
    SYNC_WARP(t->team_mask);
    spgemm_nest_all(p, t, columns);
}

#endif
