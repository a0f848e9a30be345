/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h: vector registers of values, with gathers and masked loads.
 *
 * Written with the vector types of gcc and clang, because auto-vectorisers turn loops over few
 * lanes into shuffles instead of gathers. The three widths belong to the variants of
 * core/variant.h; other processors use a plain loop. */
#ifndef SPL_CORE_LANES_H
#define SPL_CORE_LANES_H

#include <stdint.h>
#include <string.h>

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

/* For functions whose compile-time constant arguments select the code that remains. */
#define SPL__INLINED inline __attribute__((always_inline))

typedef double spl__lanes_f64 __attribute__((vector_size(SPL__REGISTER_BYTES)));
typedef float spl__lanes_f32 __attribute__((vector_size(SPL__REGISTER_BYTES)));

#define SPL__EACH_LANE(lanes, x, j)                                                                \
    for (unsigned l_ = 0; l_ < sizeof(lanes) / sizeof *(x); l_++)                                  \
        lanes[l_] = (x)[(j)[l_]];

/* Prefetches a stream of values or columns. Hardware prefetchers stop at page boundaries, and
 * where several rows are read at once. Prefetching beyond the end of an array is harmless. */
static inline void spl__prefetch(const void *stream)
{
    enum { BYTES = 4096 };
    __builtin_prefetch((const void *)((uintptr_t)stream + BYTES));
}

/* The same for vectors, of which a slice of rows uses only a few cache lines. */
static inline void spl__prefetch_near(const void *stream)
{
    enum { BYTES = 1024 };
    __builtin_prefetch((const void *)((uintptr_t)stream + BYTES));
    __builtin_prefetch((const void *)((uintptr_t)stream + BYTES + 64));
}

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

/* No instruction fills a whole register here; two halves are needed. */
static inline spl__lanes_f32 spl__gather_f32_64(const float *x, const int64_t *j)
{
    spl__lanes_f32 lanes;
    SPL__EACH_LANE(lanes, x, j)
    return lanes;
}

/* The gather for the types of x and j: pointers to const. */
#define SPL__GATHER(x, j)                                                                          \
    _Generic((x), \
        const double *: _Generic((j), \
            const int32_t *: spl__gather_f64_32, const int64_t *: spl__gather_f64_64), \
        const float *: _Generic((j), \
            const int32_t *: spl__gather_f32_32, const int64_t *: spl__gather_f32_64))(x, j)

/* A register of widened narrower numbers; gcc 12 alone would convert in halves. */
static inline spl__lanes_f64 spl__widen_f32_f64(const float *x)
{
#if defined(__AVX512F__)
    return (spl__lanes_f64)_mm512_cvtps_pd(_mm256_loadu_ps(x));
#elif defined(__AVX2__)
    return (spl__lanes_f64)_mm256_cvtps_pd(_mm_loadu_ps(x));
#else
    return (spl__lanes_f64){x[0], x[1]};
#endif
}

static inline spl__lanes_f64 spl__widen_i16_f64(const int16_t *x)
{
#if defined(__AVX512F__)
    return (spl__lanes_f64)_mm512_cvtepi32_pd(
        _mm256_cvtepi16_epi32(_mm_loadu_si128((const void *)x)));
#elif defined(__AVX2__)
    return (spl__lanes_f64)_mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64((const void *)x)));
#else
    return (spl__lanes_f64){x[0], x[1]};
#endif
}

static inline spl__lanes_f32 spl__widen_i16_f32(const int16_t *x)
{
#if defined(__AVX512F__)
    return (spl__lanes_f32)_mm512_cvtepi32_ps(
        _mm512_cvtepi16_epi32(_mm256_loadu_si256((const void *)x)));
#elif defined(__AVX2__)
    return (spl__lanes_f32)_mm256_cvtepi32_ps(
        _mm256_cvtepi16_epi32(_mm_loadu_si128((const void *)x)));
#else
    return (spl__lanes_f32){x[0], x[1], x[2], x[3]};
#endif
}

static inline spl__lanes_f32 spl__widen_f32_f32(const float *x)
{
    spl__lanes_f32 lanes;
    memcpy(&lanes, x, sizeof lanes);
    return lanes;
}

/* Keeps a loaded register: gcc would rather load again for every use, which is expensive where
 * loads cross cache lines. */
#if defined(__x86_64__)
#define SPL__IN_REGISTER(lanes) __asm__("" : "+v"(lanes))
#else
#define SPL__IN_REGISTER(lanes) ((void)(lanes))
#endif

/* Masked loads and stores: only lanes 0..n-1 access memory. Other loaded lanes are 0. n may be
 * negative or beyond the register. */
#if defined(__AVX512F__)

static inline unsigned spl__first_lanes(int64_t n)
{
    return n <= 0 ? 0 : n < 16 ? (1u << n) - 1 : 0xffff;
}
static inline spl__lanes_f32 spl__load_some_f32(const float *x, int64_t n)
{
    return (spl__lanes_f32)_mm512_maskz_loadu_ps((__mmask16)spl__first_lanes(n), x);
}
static inline spl__lanes_f64 spl__load_some_f64(const double *x, int64_t n)
{
    return (spl__lanes_f64)_mm512_maskz_loadu_pd((__mmask8)spl__first_lanes(n), x);
}
static inline void spl__store_some_f32(float *x, int64_t n, spl__lanes_f32 lanes)
{
    _mm512_mask_storeu_ps(x, (__mmask16)spl__first_lanes(n), (__m512)lanes);
}
static inline void spl__store_some_f64(double *x, int64_t n, spl__lanes_f64 lanes)
{
    _mm512_mask_storeu_pd(x, (__mmask8)spl__first_lanes(n), (__m512d)lanes);
}

#elif defined(__AVX2__)

static inline __m256i spl__first_lanes_f32(int64_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline __m256i spl__first_lanes_f64(int64_t n)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
static inline spl__lanes_f32 spl__load_some_f32(const float *x, int64_t n)
{
    return (spl__lanes_f32)_mm256_maskload_ps(x, spl__first_lanes_f32(n));
}
static inline spl__lanes_f64 spl__load_some_f64(const double *x, int64_t n)
{
    return (spl__lanes_f64)_mm256_maskload_pd(x, spl__first_lanes_f64(n));
}
static inline void spl__store_some_f32(float *x, int64_t n, spl__lanes_f32 lanes)
{
    _mm256_maskstore_ps(x, spl__first_lanes_f32(n), (__m256)lanes);
}
static inline void spl__store_some_f64(double *x, int64_t n, spl__lanes_f64 lanes)
{
    _mm256_maskstore_pd(x, spl__first_lanes_f64(n), (__m256d)lanes);
}

#else

static inline spl__lanes_f32 spl__load_some_f32(const float *x, int64_t n)
{
    if (n >= 4)
        return (spl__lanes_f32){x[0], x[1], x[2], x[3]};
    return (spl__lanes_f32){n > 0 ? x[0] : 0, n > 1 ? x[1] : 0, n > 2 ? x[2] : 0, 0};
}
static inline spl__lanes_f64 spl__load_some_f64(const double *x, int64_t n)
{
    return (spl__lanes_f64){n > 0 ? x[0] : 0, n > 1 ? x[1] : 0};
}
static inline void spl__store_some_f32(float *x, int64_t n, spl__lanes_f32 lanes)
{
    for (int l = 0; l < 4 && l < n; l++)
        x[l] = lanes[l];
}
static inline void spl__store_some_f64(double *x, int64_t n, spl__lanes_f64 lanes)
{
    for (int l = 0; l < 2 && l < n; l++)
        x[l] = lanes[l];
}

#endif

/* The same for the type of x; for values of any type: half_lanes.h. */
#define SPL__LOAD_SOME(x, n)                                                                       \
    _Generic((x), const double * : spl__load_some_f64, const float * : spl__load_some_f32)(x, n)

/* Gathers into the first `count` lanes, the others are 0; no further elements are accessed. */
#define SPL__EACH_OF_FIRST(lanes, count, value)                                                    \
    for (int64_t l_ = 0; l_ < (count); l_++)                                                       \
        lanes[l_] = (value);

static inline spl__lanes_f64 spl__gather_first_f64_32(const double *x, const int32_t *j,
                                                      int64_t count)
{
#if defined(__AVX512F__)
    __mmask8 mask = (__mmask8)((1U << count) - 1);
    return (spl__lanes_f64)_mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask,
                                                    _mm256_maskz_loadu_epi32(mask, j), x, 8);
#elif defined(__AVX2__)
    __m256i mask = spl__first_lanes_f64(count);
    __m128i columns = _mm_maskload_epi32(j, _mm256_castsi256_si128(spl__first_lanes_f32(count)));
    return (spl__lanes_f64)_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, columns, (__m256d)mask,
                                                    8);
#else
    spl__lanes_f64 lanes = {0};
    SPL__EACH_OF_FIRST(lanes, count, x[j[l_]])
    return lanes;
#endif
}

static inline spl__lanes_f64 spl__gather_first_f64_64(const double *x, const int64_t *j,
                                                      int64_t count)
{
#if defined(__AVX512F__)
    __mmask8 mask = (__mmask8)((1U << count) - 1);
    return (spl__lanes_f64)_mm512_mask_i64gather_pd(_mm512_setzero_pd(), mask,
                                                    _mm512_maskz_loadu_epi64(mask, j), x, 8);
#elif defined(__AVX2__)
    __m256i mask = spl__first_lanes_f64(count),
            columns = _mm256_maskload_epi64((const void *)j, mask);
    return (spl__lanes_f64)_mm256_mask_i64gather_pd(_mm256_setzero_pd(), x, columns, (__m256d)mask,
                                                    8);
#else
    spl__lanes_f64 lanes = {0};
    SPL__EACH_OF_FIRST(lanes, count, x[j[l_]])
    return lanes;
#endif
}

static inline spl__lanes_f32 spl__gather_first_f32_32(const float *x, const int32_t *j,
                                                      int64_t count)
{
#if defined(__AVX512F__)
    __mmask16 mask = (__mmask16)((1U << count) - 1);
    return (spl__lanes_f32)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask,
                                                    _mm512_maskz_loadu_epi32(mask, j), x, 4);
#elif defined(__AVX2__)
    __m256i mask = spl__first_lanes_f32(count), columns = _mm256_maskload_epi32(j, mask);
    return (spl__lanes_f32)_mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, columns, (__m256)mask,
                                                    4);
#else
    spl__lanes_f32 lanes = {0};
    SPL__EACH_OF_FIRST(lanes, count, x[j[l_]])
    return lanes;
#endif
}

static inline spl__lanes_f32 spl__gather_first_f32_64(const float *x, const int64_t *j,
                                                      int64_t count)
{
    spl__lanes_f32 lanes = {0};
    SPL__EACH_OF_FIRST(lanes, count, x[j[l_]])
    return lanes;
}

#define SPL__GATHER_FIRST(x, j, count)                                                             \
    _Generic((x), \
        const double *: _Generic((j), \
            const int32_t *: spl__gather_first_f64_32, const int64_t *: spl__gather_first_f64_64), \
        const float *: _Generic((j), \
            const int32_t *: spl__gather_first_f32_32, const int64_t *: spl__gather_first_f32_64)) \
        (x, j, count)

#endif
