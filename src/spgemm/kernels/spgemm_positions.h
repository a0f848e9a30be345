/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm_positions.h: positions of the columns of a row of C, and their sums, in the shared
 * memory of a team. Part of the templates of kernel files: read once per combination of types,
 * without a guard. */

/* The lookup structure of a team for `count` columns of C, and their sums. Words of 64 columns
 * are stored as two of 32 bits, because 32-bit atomic OR in shared memory is fast. */
typedef struct FN(positions) {
    int32_t count;
    int32_t sum_count;
    T *sums;            /* [sum_count], the same number per column */
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
    const uint8_t *kept; /* kept: positions of the row's entries of D, then of its products */
} FN(positions);

DEVICE int32_t FN(position_in_table)(const FN(positions) *p, int32_t column)
{
    int64_t slot = ((uint32_t)column * 2654435761u) >> p->shift;
    for (;; slot = (slot + 1) & (p->slot_count - 1)) {
        const uint64_t there = p->slots[slot];
        if (there == ~(uint64_t)0)
            return -1;
        if ((uint32_t)there == (uint32_t)column)
            return (int32_t)(there >> 32);
    }
}

DEVICE int32_t FN(position_by_bisection)(const FN(positions) *p, int32_t column)
{
    int32_t low = 0;
    for (int32_t left = p->count; left > 1;) {
        const int32_t half = left / 2;
        low += p->columns[low + half] <= column ? half : 0;
        left -= half;
    }
    return low;
}

#include "spgemm/kernels/spgemm_chains.h"

#include "spgemm/kernels/spgemm_nested.h"

/* The position of a column, -1 if the team does not have it. Kept positions are read instead of
 * columns. */
DEVICE int32_t FN(position_of)(const FN(positions) *p, int32_t column, int kind)
{
    if (kind == SPGEMM_KEPT)
        return column;
    if (kind == SPGEMM_SEARCH)
        return FN(position_by_bisection)(p, column);
    if (kind == SPGEMM_HASH)
        return FN(position_in_table)(p, column);
    if (kind == SPGEMM_CHAIN)
        return FN(position_in_chain)(p, column);
    if (kind == SPGEMM_NESTED)
        return FN(position_in_nested)(p, column);
    const uint32_t below = (1u << (column % 32)) - 1;
    if (kind == SPGEMM_WINDOW) {
        const uint64_t word = ((const uint64_t *)p->bits)[column / 32 - p->first_word];
        return (int32_t)(word >> 32) + (int32_t)POPCOUNT((uint32_t)word & below);
    }
    const int32_t index = column / 64 - p->first_word;
    const uint64_t word = ((const uint64_t *)p->bits)[index];
    const uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 32);
    return p->firsts[index] + (int32_t)(column % 64 < 32 ? POPCOUNT(low & below)
                                                         : POPCOUNT(low) + POPCOUNT(high & below));
}

/* ---- making them ---- */

DEVICE void FN(make_window)(FN(positions) *p, const FN(team) *t, int kind,
                            const int32_t *RESTRICT columns)
{
    const int32_t wide = kind == SPGEMM_SPREAD ? 64 : 32;
    p->first_word = columns[0] / wide;
    p->words = columns[p->count - 1] / wide - p->first_word + 1;
    p->firsts = (int32_t *)(p->bits + 2 * p->words);
    for (int32_t w = t->rank; w < 2 * p->words; w += t->size)
        p->bits[w] = 0;
    FN(team_sync)(t);
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

DEVICE void FN(make_table)(const FN(positions) *p, const FN(team) *t,
                           const int32_t *RESTRICT columns)
{
    for (int64_t slot = t->rank; slot < p->slot_count; slot += t->size)
        p->slots[slot] = ~(uint64_t)0;
    FN(team_sync)(t);
    for (int32_t i = t->rank; i < p->count; i += t->size) {
        const uint64_t entry = (uint64_t)i << 32 | (uint32_t)columns[i];
        int64_t slot = ((uint32_t)columns[i] * 2654435761u) >> p->shift;
        while (ATOMIC_CAS(&p->slots[slot], ~(uint64_t)0, entry) != ~(uint64_t)0)
            slot = (slot + 1) & (p->slot_count - 1);
    }
}

/* Clears the sums and builds the lookup structure in the team's shared memory. */
DEVICE void FN(make_positions)(FN(positions) *p, const FN(team) *t, int kind,
                               const int32_t *RESTRICT columns)
{
    for (int32_t i = t->rank; i < p->sum_count; i += t->size)
        p->sums[i] = 0;
    if (kind == SPGEMM_SEARCH)
        for (int32_t i = t->rank; i < p->count; i += t->size)
            p->columns[i] = columns[i];
    if (kind == SPGEMM_WINDOW || kind == SPGEMM_SPREAD)
        FN(make_window)(p, t, kind, columns);
    if (kind == SPGEMM_NESTED)
        FN(make_nested)(p, t, columns);
    if (kind == SPGEMM_HASH)
        FN(make_table)(p, t, columns);
    if (kind == SPGEMM_CHAIN)
        FN(make_chains)(p, t, columns);
    FN(team_sync)(t);
}

/* Lays out the team's shared memory for `count` columns with `each` sums: the sums, then the
 * lookup structure, aligned to 8 bytes. If the row is spread, its sums are in C. */
DEVICE FN(positions) FN(positions_in)(const struct spgemm_values *v, const FN(team) *t,
                                      unsigned char *shared, int kind, int64_t begin, int64_t count,
                                      int each)
{
    FN(positions) p;
    unsigned char *const mine = shared + (int64_t)t->number * v->layout.team_bytes;
    unsigned char *const finder = mine + (count * each * (int64_t)sizeof(T) + 7) / 8 * 8;
    p.count = (int32_t)count;
    p.sum_count = (int32_t)count * each;
    p.sums = kind == SPGEMM_SPREAD ? (T *)v->o.values + begin : (T *)mine;
    p.columns = (int32_t *)finder;
    p.links = p.columns + count;
    p.bits = (uint32_t *)(kind == SPGEMM_SPREAD ? mine : finder);
    p.nested = (uint32_t *)0;
    p.slots = (uint64_t *)finder;
    p.slot_count = v->layout.slots;
    p.shift = v->layout.shift;
    p.first_word = p.words = 0;
    p.kept = (const uint8_t *)0;
    return p;
}

/* A row, or every pieces-th of its chunks of `most` columns, if `pieces` teams share it. */
typedef struct FN(piece) {
    int64_t row, begin, end; /* of C: the first chunk, the end of the row */
} FN(piece);

DEVICE FN(piece) FN(piece_of)(const struct spgemm_values *v, int64_t k)
{
    FN(piece) p;
    p.row = FN(row_at)(v->layout.list, v->layout.pieces == 1 ? k : k / v->layout.pieces);
    p.begin =
        v->o.offsets[p.row] + (v->layout.pieces == 1 ? 0 : k % v->layout.pieces * v->layout.most);
    p.end = v->o.offsets[p.row + 1];
    return p;
}

DEVICE int64_t FN(length_of_chunk)(const struct spgemm_values *v, const FN(piece) *p, int64_t index)
{
    return p->end - index < v->layout.most ? p->end - index : v->layout.most;
}
