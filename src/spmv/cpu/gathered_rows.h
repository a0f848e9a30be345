/* SPDX-License-Identifier: Apache-2.0 */
/* gathered_rows.h: rows of CSR times x in f64, each in eight sums, for processors with AVX-512 on
 * which gathers pay. A template: T, I, P, FN come from core/each_type.h.
 *
 * Entry k of a row belongs to sum k % 8; the last eight, full or not, are masked. The sums of eight
 * rows are added up together, by a tree of shuffles, and y is read and written eight at a time. */
#if defined(__AVX512F__)

/* x[columns[l]] in the lanes of the mask */
static SPL__INLINED __m512d FN(gathered)(__mmask8 mask, const I *columns, const double *x)
{
    const __m512d zero = _mm512_setzero_pd();
    return sizeof(I) == sizeof(int32_t)
               ? _mm512_mask_i32gather_pd(zero, mask, _mm256_maskz_loadu_epi32(mask, columns), x, 8)
               : _mm512_mask_i64gather_pd(zero, mask, _mm512_maskz_loadu_epi64(mask, columns), x,
                                          8);
}

/* The eight sums of values[p] * x[columns[p]] for begin <= p < end. */
static SPL__INLINED void FN(gathered_sums)(const double *values, const I *columns, const double *x,
                                           P begin, P end, const bool far, __m512d *to)
{
    __m512d sum = _mm512_setzero_pd();
    P p = begin;
    for (; end - p > 8; p += 8) {
        if (far)
            spl__prefetch(values + p);
        if (far)
            spl__prefetch(columns + p);
        sum = _mm512_fmadd_pd(_mm512_loadu_pd(values + p), FN(gathered)(0xff, columns + p, x), sum);
    }
    const __mmask8 mask = (__mmask8)((1U << (end - p)) - 1);
    *to = _mm512_fmadd_pd(_mm512_maskz_loadu_pd(mask, values + p),
                          FN(gathered)(mask, columns + p, x), sum);
}

/* Sums of neighbours: lanes 2l and 2l+1 of a in lane 2l, of b in lane 2l+1. */
static SPL__INLINED __m512d FN(add_neighbours)(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}

/* The same of pairs of lanes: those of a become the first four. */
static SPL__INLINED __m512d FN(add_pairs)(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

/* The total of the sums of row l in lane l, always in the same order. */
static SPL__INLINED __m512d FN(add_eight)(const __m512d *sums)
{
    const __m512d first = FN(add_pairs)(FN(add_neighbours)(sums[0], sums[1]),
                                        FN(add_neighbours)(sums[2], sums[3])),
                  second = FN(add_pairs)(FN(add_neighbours)(sums[4], sums[5]),
                                         FN(add_neighbours)(sums[6], sums[7]));
    return FN(add_pairs)(first, second);
}

/* y = alpha*A*x + beta*y for `count` rows from row i on, at most 8. `far` is a compile-time
 * constant in all callers, `count` in one. */
static SPL__INLINED void FN(gathered_eight)(const spl_sparse *a, const spl__call *call, int64_t i,
                                            int64_t count, const bool far)
{
    const P *offsets = (const P *)a->offsets + i;
    const double alpha = *(const double *)call->alpha, beta = *(const double *)call->beta;
    double *y = (double *)call->y + i;
    __m512d sums[8];
    P p = offsets[0];
#pragma GCC unroll 8
    for (int64_t r = 0; r < 8; r++) {
        const P end = r < count ? offsets[r + 1] : p;
        FN(gathered_sums)(a->values, a->indices, call->x, p, end, far, &sums[r]);
        p = end;
    }
    spl__lanes_f64 total = alpha * (spl__lanes_f64)FN(add_eight)(sums);
    if (beta != 0)
        total += beta * spl__load_some_f64(y, count);
    spl__store_some_f64(y, count, total);
}

static SPL__INLINED void FN(gathered_rows)(const spl_sparse *a, const spl__call *call,
                                           int64_t first, int64_t last, const bool far)
{
    int64_t i = first;
    for (; last - i >= 8; i += 8)
        FN(gathered_eight)(a, call, i, 8, far);
    if (i < last)
        FN(gathered_eight)(a, call, i, last - i, far);
}

#endif
