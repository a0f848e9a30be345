/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_lookup.h: positions of the columns of a row of C, in the shared memory of a team. */
#ifndef SPL_SPGEMM_KERNELS_SPGEMM_LOOKUP_H
#define SPL_SPGEMM_KERNELS_SPGEMM_LOOKUP_H

#include "spgemm/kernels/spgemm_team.h"

/* The columns of a part of a row of C, `count` in order, and what finds their positions. Words of
 * 64 columns are stored as two of 32 bits, because 32-bit atomic OR in shared memory is fast. */
typedef struct spgemm_lookup {
    int32_t count;
    int32_t *columns;   /* search: [count], ascending; chains: [count] */
    int32_t *links;     /* chains: [count], then the heads: spgemm_chains.h */
    int32_t first_word; /* window: `words` words of 32 columns, of 64 if spread */
    int32_t words;
    /* window: per word its bits and the position of the first; spread: lower and upper 32 bits */
    uint32_t *bits;
    int32_t *firsts; /* spread: per word the position of the first */
    /* nested: the non-empty words, as in a window; `bits` is the upper level: spgemm_nested.h */
    uint32_t *nested;
    /* hash: the column in the lower 32 bits, its position in the upper; all ones: empty */
    uint64_t *slots;
    int64_t slot_count;
    int shift;
} spgemm_lookup;

#include "spgemm/kernels/spgemm_chains.h"

#include "spgemm/kernels/spgemm_nested.h"

DEVICE int32_t spgemm_position_in_table(const spgemm_lookup *p, int32_t column)
{
    int64_t slot = ((uint32_t)column * 2654435761u) >> p->shift;
    for (;; slot = (slot + 1) & (p->slot_count - 1)) {
        const uint64_t stored = p->slots[slot];
        if (stored == ~(uint64_t)0)
            return -1;
        if ((uint32_t)stored == (uint32_t)column)
            return (int32_t)(stored >> 32);
    }
}

/* The position of a column, -1 if the team does not have it. Kept positions are read instead of
 * columns. */
DEVICE int32_t spgemm_position_of(const spgemm_lookup *p, int32_t column, int kind)
{
    if (kind == SPGEMM_KEPT)
        return column;
    if (kind == SPGEMM_HASH)
        return spgemm_position_in_table(p, column);
    if (kind == SPGEMM_CHAIN)
        return spgemm_position_in_chain(p, column);
    if (kind == SPGEMM_NESTED)
        return spgemm_position_in_nested(p, column);
    const uint32_t lower_bits = (1u << (column % 32)) - 1;
    if (kind == SPGEMM_WINDOW) {
        const uint64_t word = ((const uint64_t *)p->bits)[column / 32 - p->first_word];
        return (int32_t)(word >> 32) + (int32_t)POPCOUNT((uint32_t)word & lower_bits);
    }
    const int32_t index = column / 64 - p->first_word;
    const uint64_t word = ((const uint64_t *)p->bits)[index];
    const uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 32);
    return p->firsts[index] + (int32_t)(column % 64 < 32
                                            ? POPCOUNT(low & lower_bits)
                                            : POPCOUNT(low) + POPCOUNT(high & lower_bits));
}

/* ---- making them ---- */

DEVICE void spgemm_make_window(spgemm_lookup *p, const spgemm_team *t, int kind,
                               const int32_t *RESTRICT columns)
{
    const int32_t wide = kind == SPGEMM_SPREAD ? 64 : 32;
    p->first_word = columns[0] / wide;
    p->words = columns[p->count - 1] / wide - p->first_word + 1;
    p->firsts = (int32_t *)(p->bits + 2 * p->words);
    for (int32_t w = t->rank; w < 2 * p->words; w += t->size)
        p->bits[w] = 0;
    spgemm_team_sync(t);
    for (int32_t i = t->rank; i < p->count; i += t->size) {
        const int32_t column = columns[i], word = column / wide - p->first_word;
        const bool first = i == 0 || columns[i - 1] / wide != column / wide;
        ATOMIC_OR(&p->bits[2 * word + column % wide / 32], 1u << (column % 32));
        if (first && kind == SPGEMM_SPREAD)
            p->firsts[word] = i;
        if (first && kind == SPGEMM_WINDOW)
            p->bits[2 * word + 1] = (uint32_t)i;
    }
}

DEVICE void spgemm_make_table(const spgemm_lookup *p, const spgemm_team *t,
                              const int32_t *RESTRICT columns)
{
    for (int64_t slot = t->rank; slot < p->slot_count; slot += t->size)
        p->slots[slot] = ~(uint64_t)0;
    spgemm_team_sync(t);
    for (int32_t i = t->rank; i < p->count; i += t->size) {
        const uint64_t entry = (uint64_t)i << 32 | (uint32_t)columns[i];
        int64_t slot = ((uint32_t)columns[i] * 2654435761u) >> p->shift;
        while (ATOMIC_CAS(&p->slots[slot], ~(uint64_t)0, entry) != ~(uint64_t)0)
            slot = (slot + 1) & (p->slot_count - 1);
    }
}

/* Builds the structure. */
DEVICE void spgemm_make_lookup(spgemm_lookup *p, const spgemm_team *t, int kind,
                               const int32_t *RESTRICT columns)
{
    if (kind == SPGEMM_WINDOW || kind == SPGEMM_SPREAD)
        spgemm_make_window(p, t, kind, columns);
    if (kind == SPGEMM_NESTED)
        spgemm_make_nested(p, t, columns);
    if (kind == SPGEMM_HASH)
        spgemm_make_table(p, t, columns);
    if (kind == SPGEMM_CHAIN)
        spgemm_make_chains(p, t, columns);
}

#endif
