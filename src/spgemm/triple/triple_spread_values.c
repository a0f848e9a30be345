/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* triple_spread_values.c: the values of C = alpha*P'*A*P by way of A*P, with AVX-512:
 *
 *   row i of A*P = sum of a(i,j) * row j of P, spread
 *   row k of C   = sum of p(i,k) * row i of A*P, spread
 *
 * Eight sums of a row are a register. A packed row's next entries are loaded, as many as the mask
 * has, a table says which of them goes to which lane, and lanes that it does not meet keep their
 * sums. So no entry is added to memory, and rows cost what they contain, without branches. (The
 * instruction for this, vexpandpd, takes four times as long on an EPYC of family 26.)
 *
 * Values of Poisson's finest level in GAMG (32,000 rows, 3.5 entries in a row of P), one thread of
 * that EPYC: 2.1 ms by rows of P'*A, 0.9 so; of the second (3,260 rows of 30 entries, 11 in a row
 * of P) 1.4 in bundles, 1.3 so.
 *
 * Cost: a register's multiplication for each mask. Memory: the values of A*P, the masks. */
#include "spgemm/triple/triple_state.h"

#include "core/lanes.h"
#include "core/variant.h"

#include <omp.h>
#include <string.h>

enum { LANES = 8, AHEAD = 8 }; /* packed rows that are fetched before they are needed */

typedef void (*kernel_fn)(const spl_plan *plan, const spl__call *call, int64_t block,
                          int32_t *taken);
typedef struct kernels {
    kernel_fn first, last;
} kernels;
typedef const kernels *kernels_ref;

#ifdef __AVX512VL__
/* For each mask and lane the number of lanes before that it has. */
static const uint8_t ranks[256][LANES] = {
#define RANK(m, l) __builtin_popcount((m) & ((1 << (l)) - 1))
#define RANKS1(m)                                                                                  \
    {                                                                                              \
        RANK(m, 0), RANK(m, 1), RANK(m, 2), RANK(m, 3), RANK(m, 4), RANK(m, 5), RANK(m, 6),        \
            RANK(m, 7)                                                                             \
    }
#define RANKS4(m)  RANKS1(m), RANKS1((m) + 1), RANKS1((m) + 2), RANKS1((m) + 3)
#define RANKS16(m) RANKS4(m), RANKS4((m) + 4), RANKS4((m) + 8), RANKS4((m) + 12)
#define RANKS64(m) RANKS16(m), RANKS16((m) + 16), RANKS16((m) + 32), RANKS16((m) + 48)
    RANKS64(0), RANKS64(64), RANKS64(128), RANKS64(192)};

/* sums += factor * the entries from `values` on in the mask's lanes. Others are read only if they
 * are `safe`: in the array. */
static SPL__INLINED __m512d spread(__m512d sums, const double *values, bool safe, unsigned mask,
                                   __m512d factor)
{
    const __m512i at = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)ranks[mask]));
    const unsigned some = (1U << __builtin_popcount(mask)) - 1;
    const __m512d packed =
        safe ? _mm512_loadu_pd(values) : _mm512_maskz_loadu_pd((__mmask8)some, values);
    return _mm512_mask3_fmadd_pd(_mm512_permutexvar_pd(at, packed), factor, sums, (__mmask8)mask);
}
#endif

#define SELF "spgemm/triple/triple_spread_values.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_triple_spread, kernels_ref, &kernels, SPL__V4)

#ifndef SPL__VARIANT

size_t spl__triple_spread_workspace(const spl_plan *plan)
{
    return (size_t)spl__triple_of(plan)->spread.most * sizeof(int32_t);
}

static void compute_blocks(const spl_plan *plan, const spl__call *call, kernel_fn compute,
                           int64_t count)
{
    const spl__triple *t = spl__triple_of(plan);
    spl__watch_stage(call->watch, "numeric", count);
#pragma omp parallel for num_threads(spl__team(t->threads)) schedule(dynamic)
    for (int64_t b = 0; b < count; b++)
        if (spl__watch_goes_on(call->watch))
            compute(plan, call, b, t->workspaces[omp_get_thread_num()]);
}

void spl__triple_spread_compute(const spl_plan *plan, const spl__call *call)
{
    const spl__triple *t = spl__triple_of(plan);
    const kernels *k = kernel(plan->problem.combination);
    if (*(const double *)call->alpha == 0) {
        memset(call->values, 0, (size_t)spl__triple_nnz(t) * sizeof(double));
        return;
    }
    compute_blocks(plan, call, k->first, t->spread.blocks);
    compute_blocks(plan, call, k->last, t->rows.count);
}

#endif
#else

#ifdef __AVX512VL__

/* A row as a sum of packed rows. */
typedef struct FN(sum) {
    const double *factors;
    const P *at; /* which of these, if they are not in order */
    const I *rows;
    int64_t count;
    const P *offsets; /* of packed rows, ... */
    const double *values;
    int64_t safe; /* eight are there from this one on */
    const uint8_t *masks;
    double alpha;
} FN(sum);

/* Some registers of a row, of which `length` sums are wanted. Their number is a constant, so that
 * they are registers. */
static SPL__INLINED void FN(add_rows)(const FN(sum) s, int width, int64_t length, bool listed,
                                      int32_t *taken, double *to)
{
    const uint8_t *masks = s.masks;
    __m512d sums[LANES];
    _Pragma("GCC unroll 8") for (int w = 0; w < width; w++) sums[w] = _mm512_setzero_pd();
    for (int64_t t = 0; t < s.count; t++, masks += width) {
        const __m512d factor = _mm512_set1_pd(s.factors[listed ? s.at[t] : t]);
        const int64_t later = s.offsets[s.rows[t + AHEAD < s.count ? t + AHEAD : t]];
        int64_t from = s.offsets[s.rows[t]] + (taken ? taken[t] : 0);
        const int64_t begin = from;
        __builtin_prefetch(s.values + later);
        if (width > 1)
            __builtin_prefetch(s.values + later + LANES);
        _Pragma("GCC unroll 8") for (int w = 0; w < width; w++)
        {
            sums[w] = spread(sums[w], s.values + from, from <= s.safe, masks[w], factor);
            from += __builtin_popcount(masks[w]);
        }
        if (taken)
            taken[t] += (int32_t)(from - begin);
    }
    _Pragma("GCC unroll 8") for (int w = 0; w < width; w++)
    {
        const __m512d scaled = sums[w] * s.alpha;
        if (w + 1 < width)
            _mm512_storeu_pd(to + w * LANES, scaled);
        else
            spl__store_some_f64(to + w * LANES, length - w * LANES, (spl__lanes_f64)scaled);
    }
}

/* Up to 64 entries of a row. */
static SPL__INLINED void FN(add_word)(const FN(sum) s, int64_t length, bool listed, int32_t *taken,
                                      double *to)
{
    switch ((length + LANES - 1) / LANES) {
#define ADD_ROWS(width)                                                                            \
    case width:                                                                                    \
        FN(add_rows)(s, width, length, listed, taken, to);                                         \
        break;
        ADD_ROWS(1)
        ADD_ROWS(2)
        ADD_ROWS(3)
        ADD_ROWS(4)
        ADD_ROWS(5)
        ADD_ROWS(6)
        ADD_ROWS(7)
        ADD_ROWS(8)
#undef ADD_ROWS
    default:
        break;
    }
}

/* A row of more, 64 by 64. */
static SPL__APART void FN(add_long)(FN(sum) s, int64_t length, bool listed, int32_t *taken,
                                    double *to)
{
    memset(taken, 0, (size_t)s.count * sizeof *taken);
    for (; length > 0; length -= SPL__SPREAD_WORD, to += SPL__SPREAD_WORD) {
        const int64_t now = length < SPL__SPREAD_WORD ? length : SPL__SPREAD_WORD;
        FN(add_word)(s, now, listed, taken, to);
        s.masks += (now + LANES - 1) / LANES * s.count;
    }
}

/* A row of `length` entries; the masks of the next one follow. */
static SPL__INLINED void FN(add_row)(FN(sum) *s, int64_t length, bool listed, int32_t *taken,
                                     double *to)
{
    if (length <= SPL__SPREAD_WORD)
        FN(add_word)(*s, length, listed, NULL, to);
    else
        FN(add_long)(*s, length, listed, taken, to);
    s->masks += (length + LANES - 1) / LANES * s->count;
}

static void FN(rows_of_ap)(const spl_plan *plan, const spl__call *call, int64_t block,
                           int32_t *taken)
{
    const spl__triple_spread *spread = &spl__triple_of(plan)->spread;
    const spl_sparse *a = &plan->problem.a.csr, *p = &plan->problem.b.csr;
    const P *a_offsets = a->offsets, *offsets = spread->offsets;
    const int64_t size = spread->rows, begin = block * size,
                  end = begin + size < a->rows ? begin + size : a->rows;
    if (sizeof(T) != sizeof(double))
        return;
    FN(sum) s = {.offsets = p->offsets,
                 .values = p->values,
                 .safe = p->nnz - LANES,
                 .alpha = 1,
                 .masks = spread->first[block]};
    (void)call;
    for (int64_t i = begin; i < end; i++) {
        s.factors = (const double *)a->values + a_offsets[i];
        s.rows = (const I *)a->indices + a_offsets[i];
        s.count = (int64_t)(a_offsets[i + 1] - a_offsets[i]);
        FN(add_row)(&s, (int64_t)(offsets[i + 1] - offsets[i]), false, taken,
                    (double *)spread->values + offsets[i]);
    }
}

static void FN(rows_of_c)(const spl_plan *plan, const spl__call *call, int64_t block,
                          int32_t *taken)
{
    const spl__triple *t = spl__triple_of(plan);
    if (sizeof(T) != sizeof(double))
        return; /* never called */
    FN(sum) s = {.factors = plan->problem.b.csr.values,
                 .offsets = t->spread.offsets,
                 .values = t->spread.values,
                 .safe = t->spread.entries - LANES,
                 .alpha = *(const double *)call->alpha,
                 .masks = t->spread.last[block]};
    for (int64_t k = t->rows.begin[block]; k < t->rows.begin[block + 1]; k++) {
        s.at = (const P *)t->blocks_first + t->starts[k];
        s.rows = (const I *)t->blocks_node + t->starts[k];
        s.count = t->starts[k + 1] - t->starts[k];
        FN(add_row)(&s, t->offsets[k + 1] - t->offsets[k], true, taken,
                    (double *)call->values + t->offsets[k]);
    }
}

static const kernels FN(kernels) = {FN(rows_of_ap), FN(rows_of_c)};

#else /* never called */
static const kernels FN(kernels) = {NULL, NULL};
#endif

#endif
