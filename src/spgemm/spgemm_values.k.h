/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that compute the values of rows of C = alpha*A*B + beta*D whose columns are known. A team keeps the sums of its row in shared memory, in the
 * order of C's columns; kinds of rows differ in how a product finds its sum.
 *
 * The lanes of a part walk a row of B: if its columns differ, which `ordered` says, so do the sums that they add to, and a team of one part needs no
 * atomic additions; its sums are the same in every run. */
#ifndef T
#ifndef SPL_SPGEMM_VALUES_K_H
#define SPL_SPGEMM_VALUES_K_H
#include "spgemm/spgemm_structures.h"

struct spgemm_values {
    struct spgemm_structures s;
    const void *a_values, *b_values, *d_values;
    spl__device_scalars scalars;
    const uint32_t *list;
    int64_t list_count;
    int32_t team, width; /* threads of a team, and of its parts */
    int32_t team_bytes;  /* shared */
    int32_t ordered;     /* columns of every row of B and D ascend */
    int32_t pieces;      /* teams that share a row */
    int64_t most;        /* columns of C that a team computes at once */
    int64_t slots;       /* hash: of one table */
    int32_t shift;
    const int64_t *offsets;
    const int32_t *columns;
    void *values;
};

struct spgemm_search_values_args {
    struct spgemm_values v;
};
struct spgemm_window_values_args {
    struct spgemm_values v;
};
struct spgemm_spread_values_args {
    struct spgemm_values v;
};
struct spgemm_hash_values_args {
    struct spgemm_values v;
};

/* values of all rows, one thread each, in the order of A's and B's entries */
struct spgemm_ordered_values_args {
    struct spgemm_structures s;
    const void *a_values, *b_values, *d_values;
    spl__device_scalars scalars;
    const int64_t *offsets;
    const int32_t *columns;
    int32_t unsorted;
    void *values;
};
#endif
#else

#include "spgemm/spgemm_team.h"

/* ---- places of columns ---- */

/* What a team knows of its columns of C, `count` of them, and their sums. Words of bits are kept in halves, because adding bits to 32 is fast. */
typedef struct FN(places) {
    int32_t count;
    T *sums;            /* [count] */
    int32_t *columns;   /* search: [count], ascending */
    int32_t first_word; /* window: `words` words of 32 columns, of 64 if spread */
    int32_t words;
    uint32_t *bits; /* window: per word its bits and the place of the first; spread: lower and upper half of the bits */
    int32_t *firsts; /* spread: per word the place of the first */
    uint64_t *slots; /* hash: the column in the lower half, its place in the upper; all ones: empty */
    int64_t slot_count;
    int shift;
} FN(places);

DEVICE int32_t FN(place_in_table)(const FN(places) * p, int32_t column)
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

DEVICE int32_t FN(place_by_halving)(const FN(places) * p, int32_t column)
{
    int32_t low = 0;
    for (int32_t left = p->count; left > 1;) {
        const int32_t half = left / 2;
        low += p->columns[low + half] <= column ? half : 0;
        left -= half;
    }
    return low;
}

/* The place of a column, -1 if it is not among the team's. */
DEVICE int32_t FN(place_of)(const FN(places) * p, int32_t column, int kind)
{
    if (kind == SPGEMM_SEARCH)
        return FN(place_by_halving)(p, column);
    if (kind == SPGEMM_HASH)
        return FN(place_in_table)(p, column);
    const uint32_t below = (1u << (column % 32)) - 1;
    if (kind == SPGEMM_WINDOW) {
        const uint64_t word = ((const uint64_t *)p->bits)[column / 32 - p->first_word];
        return (int32_t)(word >> 32) + (int32_t)POPCOUNT((uint32_t)word & below);
    }
    const int32_t at = column / 64 - p->first_word;
    const uint64_t word = ((const uint64_t *)p->bits)[at];
    const uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 32);
    return p->firsts[at] + (int32_t)(column % 64 < 32 ? POPCOUNT(low & below) : POPCOUNT(low) + POPCOUNT(high & below));
}

/* ---- making them ---- */

DEVICE void FN(make_window)(FN(places) * p, const FN(team) * t, int kind, const int32_t *RESTRICT columns)
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

DEVICE void FN(make_table)(const FN(places) * p, const FN(team) * t, const int32_t *RESTRICT columns)
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

/* Sums of zero, and what finds them, in the team's shared memory. */
DEVICE void FN(make_places)(FN(places) * p, const FN(team) * t, int kind, const int32_t *RESTRICT columns)
{
    for (int32_t i = t->rank; i < p->count; i += t->size)
        p->sums[i] = 0;
    if (kind == SPGEMM_SEARCH)
        for (int32_t i = t->rank; i < p->count; i += t->size)
            p->columns[i] = columns[i];
    if (kind == SPGEMM_WINDOW || kind == SPGEMM_SPREAD)
        FN(make_window)(p, t, kind, columns);
    if (kind == SPGEMM_HASH)
        FN(make_table)(p, t, columns);
    FN(team_sync)(t);
}

/* ---- adding ---- */

DEVICE void FN(add)(T *sum, T value, bool alone)
{
    if (alone)
        *sum += value;
    else
        ATOMIC_ADD(sum, value);
}

/* Adds what the lanes have of AT_ONCE rows of B, one row after the other. */
DEVICE void FN(add_at_once)(const FN(places) * p, const FN(team) * t, int kind, bool alone, const FN(rows_at_once) * r,
                            P start, const I *RESTRICT b_columns, const T *RESTRICT b_values)
{
    const P j = start + t->lane;
    int32_t place[FN(AT_ONCE)];
    T value[FN(AT_ONCE)];
    for (int u = 0; u < FN(AT_ONCE); u++) {
        place[u] = j < r->length[u] ? READ(&b_columns[r->begin[u] + j]) : -1;
        value[u] = j < r->length[u] ? r->value[u] * READ(&b_values[r->begin[u] + j]) : (T)0;
    }
    for (int u = 0; u < FN(AT_ONCE); u++)
        place[u] = place[u] >= 0 ? FN(place_of)(p, place[u], kind) : -1;
    for (int u = 0; u < FN(AT_ONCE); u++) {
        if (place[u] >= 0)
            FN(add)(&p->sums[place[u]], value[u], alone);
        SYNC_WARP(t->mask);
    }
}

DEVICE void FN(add_products)(const FN(places) * p, const FN(team) * t, int kind, bool alone, T alpha, P first, P last,
                             const I *RESTRICT a_columns, const T *RESTRICT a_values, const P *RESTRICT b_offsets,
                             const I *RESTRICT b_columns, const T *RESTRICT b_values)
{
    for (P from = first + t->part; from < last; from += (P)t->parts * t->width) {
        const FN(entries) e = FN(entries_from)(t, from, last, alpha, a_columns, a_values, b_offsets);
        for (int i = 0; i < e.count; i += FN(AT_ONCE)) {
            const FN(rows_at_once) r = FN(rows_from)(t, &e, i, true);
            for (P start = 0; start < r.longest; start += t->width)
                FN(add_at_once)(p, t, kind, alone, &r, start, b_columns, b_values);
        }
    }
}

DEVICE void FN(add_addend)(const FN(places) * p, const FN(team) * t, int kind, bool alone, T beta, P first, P last,
                           const I *RESTRICT d_columns, const T *RESTRICT d_values)
{
    for (P q = first + t->rank; q < last; q += t->size) {
        const int32_t place = FN(place_of)(p, d_columns[q], kind);
        if (place >= 0)
            FN(add)(&p->sums[place], beta * d_values[q], alone);
    }
}

/* alpha*A*B and beta*D of a row; what a factor of zero stands before is not read. */
DEVICE void FN(add_row)(const FN(places) * p, const FN(team) * t, int kind, bool alone, const struct spgemm_values *v,
                        int64_t row)
{
    const T alpha = SCALAR(T, v->scalars.alpha), beta = SCALAR(T, v->scalars.beta);
    const P *a_offsets = (const P *)v->s.a_offsets, *d_offsets = (const P *)v->s.d_offsets;
    if (alpha != 0)
        FN(add_products)
    (p, t, kind, alone, alpha, READ(&a_offsets[row]), READ(&a_offsets[row + 1]), (const I *)v->s.a_columns,
     (const T *)v->a_values, (const P *)v->s.b_offsets, (const I *)v->s.b_columns, (const T *)v->b_values);
    FN(team_sync)(t);
    if (beta != 0 && d_offsets)
        FN(add_addend)
    (p, t, kind, alone, beta, d_offsets[row], d_offsets[row + 1], (const I *)v->s.d_columns, (const T *)v->d_values);
    FN(team_sync)(t);
}

/* The team's shared memory: the sums, then what finds them, at a multiple of 8 bytes. If the row is spread, its sums are in C. */
DEVICE FN(places) FN(places_in)(const struct spgemm_values *v, const FN(team) * t, unsigned char *shared, int kind,
                                int64_t begin, int64_t count)
{
    FN(places) p;
    unsigned char *const mine = shared + (int64_t)t->number * v->team_bytes;
    unsigned char *const finder = mine + (count * (int64_t)sizeof(T) + 7) / 8 * 8;
    p.count = (int32_t)count;
    p.sums = kind == SPGEMM_SPREAD ? (T *)v->values + begin : (T *)mine;
    p.columns = (int32_t *)finder;
    p.bits = (uint32_t *)(kind == SPGEMM_SPREAD ? mine : finder);
    p.slots = (uint64_t *)finder;
    p.slot_count = v->slots;
    p.shift = v->shift;
    p.first_word = p.words = 0;
    return p;
}

/* The sums of `count` columns of a row, which begin at `begin` in C. */
DEVICE void FN(compute_chunk)(const struct spgemm_values *v, const FN(team) * t, unsigned char *shared, int kind,
                              int64_t row, int64_t begin, int64_t count)
{
    FN(places) p = FN(places_in)(v, t, shared, kind, begin, count);
    FN(make_places)(&p, t, kind, v->columns + begin);
    if (kind != SPGEMM_SPREAD && v->ordered && t->parts == 1)
        FN(add_row)(&p, t, kind, true, v, row);
    else
        FN(add_row)(&p, t, kind, false, v, row);
    for (int32_t i = t->rank; kind != SPGEMM_SPREAD && i < p.count; i += t->size)
        ((T *)v->values)[begin + i] = p.sums[i];
    FN(team_sync)(t);
}

/* `pieces` teams share a row, each takes chunks of `most` columns in turn. */
DEVICE void FN(compute_rows)(const struct spgemm_values *v, unsigned char *shared, int kind)
{
    const FN(team) t = FN(team_of)(v->team, v->width);
    const int64_t teams = THREADS / t.size;
    for (int64_t k = BLOCK * teams + t.number; k < v->list_count * v->pieces; k += BLOCKS * teams) {
        const int64_t row = FN(row_at)(v->list, v->pieces == 1 ? k : k / v->pieces), end = v->offsets[row + 1];
        int64_t begin = v->offsets[row] + (v->pieces == 1 ? 0 : k % v->pieces * v->most);
        for (; begin < end; begin += v->most * v->pieces)
            FN(compute_chunk)(v, &t, shared, kind, row, begin, end - begin < v->most ? end - begin : v->most);
    }
}

KERNEL(spgemm_search_values, SPGEMM_MOST_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_rows)(&args.v, shared, SPGEMM_SEARCH);
}

KERNEL(spgemm_window_values, SPGEMM_MOST_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_rows)(&args.v, shared, SPGEMM_WINDOW);
}

KERNEL(spgemm_spread_values, SPGEMM_MOST_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_rows)(&args.v, shared, SPGEMM_SPREAD);
}

KERNEL(spgemm_hash_values, SPGEMM_MOST_THREADS, args)
{
    SHARED_AT_LAUNCH(unsigned char, shared);
    FN(compute_rows)(&args.v, shared, SPGEMM_HASH);
}

/* ---- in order ---- */

/* Where `column` is among those of a row: by halving if they are sorted. It is there. */
DEVICE int64_t FN(position)(const int32_t *RESTRICT columns, int64_t count, int32_t column, int unsorted)
{
    int64_t low = 0, high = count;
    while (unsorted && columns[low] != column)
        low++;
    while (!unsorted && high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (columns[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

DEVICE void FN(ordered_row)(const struct spgemm_ordered_values_args *args, int64_t row, T alpha, T beta)
{
    const P *a_offsets = (const P *)args->s.a_offsets, *b_offsets = (const P *)args->s.b_offsets;
    const P *d_offsets = (const P *)args->s.d_offsets;
    const I *a_columns = (const I *)args->s.a_columns, *b_columns = (const I *)args->s.b_columns;
    const int64_t begin = args->offsets[row], count = args->offsets[row + 1] - begin;
    T *const out = (T *)args->values + begin;
    for (int64_t i = 0; i < count; i++)
        out[i] = 0;
    for (P p = a_offsets[row]; alpha != 0 && p < a_offsets[row + 1]; p++)
        for (P q = b_offsets[a_columns[p]]; q < b_offsets[a_columns[p] + 1]; q++)
            out[FN(position)(args->columns + begin, count, b_columns[q], args->unsorted)] +=
                alpha * ((const T *)args->a_values)[p] * ((const T *)args->b_values)[q];
    for (P p = beta != 0 && d_offsets ? d_offsets[row] : 0; beta != 0 && d_offsets && p < d_offsets[row + 1]; p++)
        out[FN(position)(args->columns + begin, count, ((const I *)args->s.d_columns)[p], args->unsorted)] +=
            beta * ((const T *)args->d_values)[p];
}

KERNEL(spgemm_ordered_values, SPGEMM_ROWS_THREADS, args)
{
    const T alpha = SCALAR(T, args.scalars.alpha), beta = SCALAR(T, args.scalars.beta);
    for (int64_t row = BLOCK * THREADS + THREAD; row < args.s.rows; row += BLOCKS * THREADS)
        FN(ordered_row)(&args, row, alpha, beta);
}

#endif
