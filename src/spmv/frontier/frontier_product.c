/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* frontier_product.c: y = op(A)*x with sparse vectors, by the ways of frontier.h. */
#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "spmv/frontier/frontier.h"

#include <math.h>

/* What is done with sums in use: counted, written to y, or forgotten. All but counting clears their
 * bits. */
typedef enum sum_pass { COUNT, WRITE, FORGET } sum_pass;

enum { AT_ONCE = 4096, AHEAD = 8, FETCHED = 8 };

#define SELF "spmv/frontier/frontier_product.c"
#include "core/each_type.h"

typedef spl_status (*product_fn)(spl__frontier_call *c);
typedef bool (*ascends_fn)(const spl_sparse *csr);
static const product_fn measures[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(measure);
static const product_fn computes[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(compute);
static const ascends_fn all_ascend[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(ascends);

spl_status spl__frontier_measure(spl__frontier_call *c)
{
    return measures[c->problem->combination](c);
}

spl_status spl__frontier_compute(spl__frontier_call *c)
{
    return computes[c->problem->combination](c);
}

bool spl__frontier_ascends(const spl_sparse *csr)
{
    return all_ascend[spl__combination_of_structure(csr)](csr);
}

#else
#define IN_INTEGERS

static bool FN(ascends)(const spl_sparse *csr)
{
    const P *offsets = csr->offsets;
    const I *indices = csr->indices;
    for (int64_t i = 0; i < csr->rows; i++)
        for (P p = offsets[i] + 1; p < offsets[i + 1]; p++)
            if (indices[p] < indices[p - 1])
                return false;
    return true;
}

static spl_status FN(measure)(spl__frontier_call *c)
{
    const P *offsets = c->problem->a.csr.offsets;
    const I *x = c->x.indices;
    const int64_t inner = c->problem->inner;
    int64_t before = -1;
    c->work = 0;
    for (int64_t q = 0; q < c->x.count; q++) {
        const int64_t i = x[q];
        if (i <= before || i >= inner)
            return spl__fail(
                SPL_INVALID_ARGUMENT, "x.indices[%lld] is %lld: %s", (long long)q, (long long)i,
                i < 0 || i >= inner ? "op(A) has no such column" : "indices do not ascend");
        c->work += offsets[i + 1] - offsets[i];
        before = i;
    }
    return SPL_OK;
}

/* Whether the mask lets a row through. */
static inline bool FN(is_open)(const spl_row_mask *mask, int64_t row)
{
    if (!mask)
        return true;
    const bool named = mask->bits ? mask->bits[row >> 6] >> (row & 63) & 1 : mask->bytes[row] != 0;
    return named != (bool)mask->complement;
}

/* ---- push ---- */

static inline int64_t FN(first_from)(const I *rows, int64_t p, int64_t end, int64_t row)
{
    while (p < end) {
        const int64_t middle = p + (end - p) / 2;
        if (rows[middle] < row)
            p = middle + 1;
        else
            end = middle;
    }
    return p;
}

/* Puts a sum in use: all levels of the tree where one thread works. Whether it was in use is hard
 * to foresee, that its word was not zero is not: so the bit is always written. */
static inline bool FN(mark)(const spl__frontier_call *c, bool tree, int64_t row)
{
    uint64_t *const *bits = c->sums->bits;
    const uint64_t bit = (uint64_t)1 << (row & 63);
    uint64_t word = bits[0][row >> 6];
    const bool was_in_use = word & bit;
    bits[0][row >> 6] = word | bit;
    for (int level = 1; tree && word == 0 && level < c->f->levels; level++) {
        row >>= 6;
        word = bits[level][row >> 6];
        bits[level][row >> 6] = word | (uint64_t)1 << (row & 63);
    }
    return was_in_use;
}

/* Calls for what entries after the q-th will read: their places in memory have nothing in common.
 */
static inline void FN(fetch)(const spl__frontier_call *c, int64_t q, bool values, bool tree)
{
    const spl_sparse *a = &c->problem->a.csr;
    const P *offsets = a->offsets;
    const I *rows = a->indices, *x = c->x.indices;
    if (q + 2 * AHEAD < c->x.count) {
        const int64_t p = offsets[x[q + 2 * AHEAD]];
        __builtin_prefetch(&rows[p]);
        if (values)
            __builtin_prefetch((const T *)a->values + p);
    }
    if (!tree || q + AHEAD >= c->x.count)
        return;
    const int64_t j = x[q + AHEAD], p = offsets[j], end = spl__min_i64(offsets[j + 1], p + FETCHED);
    for (int64_t r = p; r < end; r++)
        __builtin_prefetch((T *)c->sums->sums + rows[r], 1);
}

/* Rows first..end of op(A)*x. */
static inline __attribute__((always_inline)) void
FN(push_over)(const spl__frontier_call *c, int64_t first, int64_t end, const int32_t semiring)
{
    const spl_sparse *a = &c->problem->a.csr;
    const P *offsets = a->offsets;
    const I *rows = a->indices, *x = c->x.indices;
    const T *values = a->values, *factors = c->x.values;
    const bool tree = c->way == SPL__FRONTIER_LIGHT;
    T *sums = c->sums->sums;
    for (int64_t q = 0; q < c->x.count; q++) {
        const T factor = !spl__semiring_reads_b(semiring) ? 0 : factors ? factors[q] : (T)x[q];
        int64_t p = offsets[x[q]], last = offsets[x[q] + 1];
        if (q % AT_ONCE == 0 && !spl__watch_goes_on(c->watch))
            return;
        FN(fetch)(c, q, spl__semiring_reads_a(semiring), tree);
        if (!tree)
            p = FN(first_from)(rows, p, last, first);
        for (; p < last && (tree || rows[p] < end); p++) {
            const int64_t i = rows[p];
            if (!FN(is_open)(c->mask, i))
                continue;
            const T before = sums[i]; /* not used unless in use, and read in any case */
            T sum = FN(mark)(c, tree, i) ? before : SPL__SEMIRING_NONE(T, semiring);
            SPL__SEMIRING_ADD(T, semiring, sum, spl__semiring_reads_a(semiring) ? values[p] : 0,
                              factor);
            sums[i] = sum;
        }
    }
}

static SPL__APART void FN(push)(const spl__frontier_call *c, int64_t first, int64_t end)
{
    const int32_t semiring = c->problem->options.semiring;
    if (semiring == SPL_PLUS_TIMES)
        FN(push_over)(c, first, end, SPL_PLUS_TIMES);
    else
        SPL__FOR_SEMIRING(T, semiring, FN(push_over)(c, first, end, S));
}

/* ---- pull ---- */

/* Makes x dense, or forgets that. */
static void FN(give)(const spl__frontier_call *c, bool give)
{
    const I *x = c->x.indices;
    const T *factors = c->x.values;
    T *given = c->f->given;
    for (int64_t q = 0; q < c->x.count; q++) {
        const int64_t i = x[q];
        if (give)
            c->f->given_bits[i >> 6] |= (uint64_t)1 << (i & 63);
        else
            c->f->given_bits[i >> 6] = 0;
        if (give && factors)
            given[i] = factors[q];
    }
}

static inline __attribute__((always_inline)) void
FN(pull_over)(const spl__frontier_call *c, int64_t first, int64_t end, const int32_t semiring)
{
    const spl_sparse *a = &c->f->rows.csr;
    const P *offsets = a->offsets;
    const I *columns = a->indices;
    const T *values = a->values, *given = c->f->given;
    const uint64_t *bits = c->f->given_bits;
    const bool reads_b = spl__semiring_reads_b(semiring), by_index = !c->x.values;
    T *sums = c->sums->sums;
    for (int64_t i = first; (i = spl__row_mask_next(c->mask, i, end)) < end; i++) {
        T sum = SPL__SEMIRING_NONE(T, semiring);
        bool meets = false;
        for (P p = offsets[i]; p < offsets[i + 1]; p++) {
            const int64_t j = columns[p];
            if (!(bits[j >> 6] >> (j & 63) & 1))
                continue;
            SPL__SEMIRING_ADD(T, semiring, sum, spl__semiring_reads_a(semiring) ? values[p] : 0,
                              !reads_b   ? 0
                              : by_index ? (T)j
                                         : given[j]);
            meets = true;
            if (semiring == SPL_MIN_SECOND && by_index && c->f->rows_ascend)
                break; /* columns ascend: no other is less */
        }
        if (!meets)
            continue;
        sums[i] = sum;
        FN(mark)(c, false, i);
    }
}

static SPL__APART void FN(pull)(const spl__frontier_call *c, int64_t first, int64_t end)
{
    const int32_t semiring = c->problem->options.semiring;
    if (semiring == SPL_PLUS_TIMES)
        FN(pull_over)(c, first, end, SPL_PLUS_TIMES);
    else
        SPL__FOR_SEMIRING(T, semiring, FN(pull_over)(c, first, end, S));
}

/* ---- y ---- */

/* "add"s a sum into its element; false: that stays as it is. */
static inline bool FN(add_into)(const spl__frontier_call *c, int64_t i, bool write, T *sum)
{
    const int32_t semiring = c->problem->options.semiring;
    T *into = (T *)c->into + i, joined = *sum;
    const T old = *into;
    if (semiring == SPL_PLUS_TIMES)
        joined = SPL__PLUS(joined, old);
    else
        SPL__SEMIRING_JOIN(semiring, joined, old);
    *sum = joined;
    if (joined == old || (isnan((double)joined) && isnan((double)old)))
        return false;
    if (write)
        *into = joined;
    return true;
}

/* The sums of a word of rows; returns the number of entries with those before: `at`. */
static inline int64_t FN(pass_word)(const spl__frontier_call *c, int64_t word, sum_pass round,
                                    int64_t at)
{
    uint64_t *place = &c->sums->bits[0][word], bits = *place;
    const T *sums = c->sums->sums;
    T *values = c->y.values;
    if (round == COUNT && !c->into)
        return at + __builtin_popcountll(bits);
    if (round != COUNT)
        *place = 0;
    for (; round != FORGET && bits; bits &= bits - 1) {
        const int64_t i = word * 64 + __builtin_ctzll(bits);
        T sum = sums[i];
        if (c->into && !FN(add_into)(c, i, round == WRITE, &sum))
            continue;
        if (round == WRITE) {
            ((I *)c->y.indices)[at] = (I)i;
            if (values)
                values[at] = sum;
        }
        at++;
    }
    return at;
}

static int64_t FN(pass_tree)(const spl__frontier_call *c, int level, int64_t word, sum_pass round,
                             int64_t at)
{
    uint64_t *place = &c->sums->bits[level][word], bits = *place;
    if (level == 0)
        return FN(pass_word)(c, word, round, at);
    if (round != COUNT)
        *place = 0;
    for (; bits; bits &= bits - 1) {
        const int64_t below = word * 64 + __builtin_ctzll(bits);
        at = level == 1 ? FN(pass_word)(c, below, round, at)
                        : FN(pass_tree)(c, level - 1, below, round, at);
    }
    return at;
}

/* Goes through the sums in use of a band, or of the tree. */
static int64_t FN(pass_band)(const spl__frontier_call *c, int64_t band, sum_pass round, int64_t at)
{
    const spl__frontier *f = c->f;
    if (c->way == SPL__FRONTIER_LIGHT) {
        for (int64_t word = 0; word < f->words[f->levels - 1]; word++)
            at = FN(pass_tree)(c, f->levels - 1, word, round, at);
        return at;
    }
    const int64_t end = f->cuts[band + 1] / 64 + (f->cuts[band + 1] % 64 > 0);
    for (int64_t word = f->cuts[band] / 64; word < end; word++)
        at = FN(pass_word)(c, word, round, at);
    return at;
}

static void FN(compute_band)(const spl__frontier_call *c, int64_t band)
{
    const spl__frontier *f = c->f;
    if (!spl__watch_goes_on(c->watch))
        return;
    if (c->way == SPL__FRONTIER_LIGHT)
        FN(push)(c, 0, c->problem->rows);
    else if (c->way == SPL__FRONTIER_BANDED)
        FN(push)(c, f->cuts[band], f->cuts[band + 1]);
    else
        FN(pull)(c, f->cuts[band], f->cuts[band + 1]);
    c->counts[band] = FN(pass_band)(c, band, COUNT, 0);
}

static void FN(compute_bands)(const spl__frontier_call *c, int64_t bands, int threads)
{
    if (bands == 1) { /* the region would cost as much as some products */
        FN(compute_band)(c, 0);
        return;
    }
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic, 1)
    for (int64_t b = 0; b < bands; b++)
        FN(compute_band)(c, b);
}

static void FN(finish)(const spl__frontier_call *c, int64_t bands, int threads, sum_pass round)
{
    SPL__FOR_PARTS(b, bands, threads, FN(pass_band)(c, b, round, c->counts[b]));
}

static spl_status FN(compute)(spl__frontier_call *c)
{
    const bool light = c->way == SPL__FRONTIER_LIGHT;
    const int64_t bands = light ? 1 : c->f->bands;
    const int threads = light ? 1 : c->problem->threads;
    int64_t single, *counts = light ? &single : c->f->counts, total = 0;
    c->counts = counts;
    if (c->way == SPL__FRONTIER_PULLED)
        FN(give)(c, true);
    FN(compute_bands)(c, bands, threads);
    if (c->way == SPL__FRONTIER_PULLED)
        FN(give)(c, false);
    spl_status status = spl__watch_check(c->watch);
    for (int64_t b = 0; b < bands; b++) {
        const int64_t count = counts[b];
        counts[b] = total;
        total += count;
    }
    if (status == SPL_OK && total > c->y.capacity)
        status = spl__fail(SPL_INVALID_ARGUMENT, "y has room for %s entries, there are %s",
                           spl__thousands(c->y.capacity), spl__thousands(total));
    FN(finish)(c, bands, threads, status == SPL_OK ? WRITE : FORGET);
    c->y.count = total;
    return status;
}

#endif
