/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h: a register full of values, and how it is filled from scattered places.
 *
 * Written with the vector types that gcc and clang share: the compilers, left alone, turn loops over few lanes into shuffles instead of
 * gathers. The three widths go with the variants of core/variant.h; elsewhere the plain loop serves. */
#ifndef SPL_CORE_LANES_H
#define SPL_CORE_LANES_H

#include <stdint.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { SPL__REGISTER_BYTES = 64 };
#elif defined(__AVX2__)
enum { SPL__REGISTER_BYTES = 32 };
#else
enum { SPL__REGISTER_BYTES = 16 };
#endif

typedef double spl__lanes_f64 __attribute__((vector_size(SPL__REGISTER_BYTES)));
typedef float spl__lanes_f32 __attribute__((vector_size(SPL__REGISTER_BYTES)));

#define SPL__EACH_LANE(lanes, x, j)                                                                                    \
    for (unsigned l_ = 0; l_ < sizeof(lanes) / sizeof *(x); l_++)                                                      \
        lanes[l_] = (x)[(j)[l_]];

/* Lane l = x[j[l]]. No other element of x is touched. */
static inline spl__lanes_f64 spl__gather_f64_32(const double *x, const int32_t *j)
{
#if defined(__AVX512F__)
    return (spl__lanes_f64)_mm512_i32gather_pd(_mm256_loadu_si256((const void *)j), x, 8);
#elif defined(__AVX2__)
    return (spl__lanes_f64)_mm256_i32gather_pd(x, _mm_loadu_si128((const void *)j), 8);
#else
    spl__lanes_f64 lanes;
    SPL__EACH_LANE(lanes, x, j)
    return lanes;
#endif
}

static inline spl__lanes_f64 spl__gather_f64_64(const double *x, const int64_t *j)
{
#if defined(__AVX512F__)
    return (spl__lanes_f64)_mm512_i64gather_pd(_mm512_loadu_si512((const void *)j), x, 8);
#elif defined(__AVX2__)
    return (spl__lanes_f64)_mm256_i64gather_pd(x, _mm256_loadu_si256((const void *)j), 8);
#else
    spl__lanes_f64 lanes;
    SPL__EACH_LANE(lanes, x, j)
    return lanes;
#endif
}

static inline spl__lanes_f32 spl__gather_f32_32(const float *x, const int32_t *j)
{
#if defined(__AVX512F__)
    return (spl__lanes_f32)_mm512_i32gather_ps(_mm512_loadu_si512((const void *)j), x, 4);
#elif defined(__AVX2__)
    return (spl__lanes_f32)_mm256_i32gather_ps(x, _mm256_loadu_si256((const void *)j), 4);
#else
    spl__lanes_f32 lanes;
    SPL__EACH_LANE(lanes, x, j)
    return lanes;
#endif
}

/* No instruction fills a whole register here: two halves would be needed. */
static inline spl__lanes_f32 spl__gather_f32_64(const float *x, const int64_t *j)
{
    spl__lanes_f32 lanes;
    SPL__EACH_LANE(lanes, x, j)
    return lanes;
}

/* The gather for the types of x and j: pointers to const. */
#define SPL__GATHER(x, j)                                                                                              \
    _Generic((x),                                                                                                      \
        const double *: _Generic((j), const int32_t *: spl__gather_f64_32, const int64_t *: spl__gather_f64_64),       \
        const float *: _Generic((j), const int32_t *: spl__gather_f32_32, const int64_t *: spl__gather_f32_64))(x, j)

#endif
