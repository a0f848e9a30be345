/* SPDX-License-Identifier: Apache-2.0 */
/* eight_lanes.h: eight values of f64 or f32 in a register of AVX-512 or half of one: masked loads,
 * masked gathers, and the totals of eight such registers. SPL__EIGHT(name, T, ...) calls the
 * function for values of type T. */
#ifndef SPL_SPMV_CPU_EIGHT_LANES_H
#define SPL_SPMV_CPU_EIGHT_LANES_H

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define SPL__EIGHT_LANES
#include "core/checked.h"

#include <immintrin.h>
#include <stdint.h>

typedef double spl__eight_f64 __attribute__((vector_size(64)));
typedef float spl__eight_f32 __attribute__((vector_size(32)));

/* p[l] in the lanes of the mask, 0 in the others; these are not read. */
static SPL__INLINED spl__eight_f64 spl__load_eight_f64(__mmask8 mask, const double *p)
{
    return (spl__eight_f64)_mm512_maskz_loadu_pd(mask, p);
}

static SPL__INLINED spl__eight_f32 spl__load_eight_f32(__mmask8 mask, const float *p)
{
    return (spl__eight_f32)_mm256_maskz_loadu_ps(mask, p);
}

static SPL__INLINED void spl__store_eight_f64(double *p, __mmask8 mask, spl__eight_f64 lanes)
{
    _mm512_mask_storeu_pd(p, mask, (__m512d)lanes);
}

static SPL__INLINED void spl__store_eight_f32(float *p, __mmask8 mask, spl__eight_f32 lanes)
{
    _mm256_mask_storeu_ps(p, mask, (__m256)lanes);
}

/* x[j[l]] in the lanes of the mask, 0 in the others */
static SPL__INLINED spl__eight_f64 spl__gather_eight_f64(__mmask8 mask, const void *j,
                                                         size_t index_size, const double *x)
{
    const __m512d zero = _mm512_setzero_pd();
    return (spl__eight_f64)(index_size == sizeof(int32_t)
                                ? _mm512_mask_i32gather_pd(zero, mask,
                                                           _mm256_maskz_loadu_epi32(mask, j), x, 8)
                                : _mm512_mask_i64gather_pd(
                                      zero, mask, _mm512_maskz_loadu_epi64(mask, j), x, 8));
}

static SPL__INLINED spl__eight_f32 spl__gather_eight_f32(__mmask8 mask, const void *j,
                                                         size_t index_size, const float *x)
{
    const __m256 zero = _mm256_setzero_ps();
    return (spl__eight_f32)(index_size == sizeof(int32_t)
                                ? _mm256_mmask_i32gather_ps(zero, mask,
                                                            _mm256_maskz_loadu_epi32(mask, j), x, 4)
                                : _mm512_mask_i64gather_ps(
                                      zero, mask, _mm512_maskz_loadu_epi64(mask, j), x, 4));
}

/* Sums of neighbours: lanes 2l and 2l+1 of a in lane 2l, of b in lane 2l+1. */
static SPL__INLINED __m512d spl__add_neighbours_f64(spl__eight_f64 a, spl__eight_f64 b)
{
    return _mm512_add_pd(_mm512_unpacklo_pd((__m512d)a, (__m512d)b),
                         _mm512_unpackhi_pd((__m512d)a, (__m512d)b));
}

/* The same of pairs of lanes: those of a become the first four. */
static SPL__INLINED __m512d spl__add_pairs_f64(__m512d a, __m512d b)
{
    return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

/* The total of the lanes of register l in lane l, always in the same order. */
static SPL__INLINED spl__eight_f64 spl__add_eight_f64(const spl__eight_f64 *a)
{
    const __m512d first = spl__add_pairs_f64(spl__add_neighbours_f64(a[0], a[1]),
                                             spl__add_neighbours_f64(a[2], a[3])),
                  second = spl__add_pairs_f64(spl__add_neighbours_f64(a[4], a[5]),
                                              spl__add_neighbours_f64(a[6], a[7]));
    return (spl__eight_f64)spl__add_pairs_f64(first, second);
}

/* In each half of four lanes the total of a[l]'s half in lane l. */
static SPL__INLINED __m256 spl__add_halves_f32(const spl__eight_f32 *a)
{
    return _mm256_hadd_ps(_mm256_hadd_ps((__m256)a[0], (__m256)a[1]),
                          _mm256_hadd_ps((__m256)a[2], (__m256)a[3]));
}

static SPL__INLINED spl__eight_f32 spl__add_eight_f32(const spl__eight_f32 *a)
{
    const __m256 first = spl__add_halves_f32(a), second = spl__add_halves_f32(a + 4);
    return (spl__eight_f32)_mm256_add_ps(_mm256_permute2f128_ps(first, second, 0x20),
                                         _mm256_permute2f128_ps(first, second, 0x31));
}

#define SPL__EIGHT(name, T, ...)                                                                   \
    _Generic((T)0, double : spl__##name##_eight_f64, float : spl__##name##_eight_f32)(__VA_ARGS__)
#endif
#endif
