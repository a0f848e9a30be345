/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h: vector registers of values, with gathers and masked loads.
 *
 * Written with the vector types of gcc and clang, because auto-vectorisers turn loops over few
 * lanes into shuffles instead of gathers. The three widths belong to the variants of
 * core/variant.h; other processors use a plain loop. */
#ifndef SPL_CORE_LANES_H
#define SPL_CORE_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
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

/* A register by loads: an initialiser, because compilers build one that is filled lane by lane in
 * memory. */
#if defined(__AVX512F__)
#define SPL__LOADS_F64(x, j)                                                                       \
    (spl__lanes_f64)                                                                               \
    {                                                                                              \
        (x)[(j)[0]], (x)[(j)[1]], (x)[(j)[2]], (x)[(j)[3]], (x)[(j)[4]], (x)[(j)[5]], (x)[(j)[6]], \
            (x)[(j)[7]]                                                                            \
    }
#define SPL__LOADS_F32(x, j)                                                                       \
    (spl__lanes_f32)                                                                               \
    {                                                                                              \
        (x)[(j)[0]], (x)[(j)[1]], (x)[(j)[2]], (x)[(j)[3]], (x)[(j)[4]], (x)[(j)[5]], (x)[(j)[6]], \
            (x)[(j)[7]], (x)[(j)[8]], (x)[(j)[9]], (x)[(j)[10]], (x)[(j)[11]], (x)[(j)[12]],       \
            (x)[(j)[13]], (x)[(j)[14]], (x)[(j)[15]]                                               \
    }
#elif defined(__AVX2__)
#define SPL__LOADS_F64(x, j)                                                                       \
    (spl__lanes_f64)                                                                               \
    {                                                                                              \
        (x)[(j)[0]], (x)[(j)[1]], (x)[(j)[2]], (x)[(j)[3]]                                         \
    }
#define SPL__LOADS_F32(x, j)                                                                       \
    (spl__lanes_f32)                                                                               \
    {                                                                                              \
        (x)[(j)[0]], (x)[(j)[1]], (x)[(j)[2]], (x)[(j)[3]], (x)[(j)[4]], (x)[(j)[5]], (x)[(j)[6]], \
            (x)[(j)[7]]                                                                            \
    }
#else
#define SPL__LOADS_F64(x, j)                                                                       \
    (spl__lanes_f64)                                                                               \
    {                                                                                              \
        (x)[(j)[0]], (x)[(j)[1]]                                                                   \
    }
#define SPL__LOADS_F32(x, j)                                                                       \
    (spl__lanes_f32)                                                                               \
    {                                                                                              \
        (x)[(j)[0]], (x)[(j)[1]], (x)[(j)[2]], (x)[(j)[3]]                                         \
    }
#endif

/* Stores a register in memory past the caches, which then need not read the line before. x is
 * aligned to 16 bytes, as malloc's memory is; the processor joins what follows each other to whole
 * cache lines. STREAM_END comes after the last of them, before other threads read. */
#if defined(__AVX512F__)
#define SPL__STREAM_PIECE(x, lanes, k)                                                             \
    _mm_stream_si128((__m128i *)(void *)(x) + (k), _mm512_extracti32x4_epi32((__m512i)(lanes), (k)))
#define SPL__STREAM(x, lanes)                                                                      \
    do {                                                                                           \
        SPL__STREAM_PIECE(x, lanes, 0);                                                            \
        SPL__STREAM_PIECE(x, lanes, 1);                                                            \
        SPL__STREAM_PIECE(x, lanes, 2);                                                            \
        SPL__STREAM_PIECE(x, lanes, 3);                                                            \
    } while (0)
#elif defined(__AVX2__)
#define SPL__STREAM_PIECE(x, lanes, k)                                                             \
    _mm_stream_si128((__m128i *)(void *)(x) + (k), _mm256_extracti128_si256((__m256i)(lanes), (k)))
#define SPL__STREAM(x, lanes)                                                                      \
    do {                                                                                           \
        SPL__STREAM_PIECE(x, lanes, 0);                                                            \
        SPL__STREAM_PIECE(x, lanes, 1);                                                            \
    } while (0)
#elif defined(__SSE2__)
#define SPL__STREAM(x, lanes) _mm_stream_si128((__m128i *)(void *)(x), (__m128i)(lanes))
#else
#define SPL__STREAM(x, lanes) memcpy((x), &(lanes), sizeof(lanes))
#endif
#ifdef __SSE2__
#define SPL__STREAM_END() _mm_sfence()
#else
#define SPL__STREAM_END() ((void)0)
#endif

/* Prefetches a stream of values or columns. Hardware prefetchers stop at page boundaries, and
 * where several rows are read at once. Prefetching beyond the end of an array is harmless. */
static inline void spl__prefetch(const void *stream)
{
    enum { BYTES = 4096 };
    __builtin_prefetch((const void *)((uintptr_t)stream + BYTES));
}

/* The same where a single stream is read that gathers nothing, and so faster. */
static inline void spl__prefetch_stream(const void *stream)
{
    enum { BYTES = 8192 };
    __builtin_prefetch((const void *)((uintptr_t)stream + BYTES));
}

/* The same for vectors, of which a slice of rows uses only a few cache lines. */
static inline void spl__prefetch_near(const void *stream)
{
    enum { BYTES = 1024 };
    __builtin_prefetch((const void *)((uintptr_t)stream + BYTES));
    __builtin_prefetch((const void *)((uintptr_t)stream + BYTES + 64));
}

/* Whether this processor gathers faster by the instruction than by loads: Intel's do about as
 * well, AMD's take 1.4 to 2.5 times as long (family 26, f64 and f32). Set before main; results do
 * not depend on it. */
extern bool spl__gathers_pay;

/* Lane l = x[j[l]]. No other element of x is touched. */
static inline spl__lanes_f64 spl__gather_f64_32(const double *x, const int32_t *j)
{
#if defined(__AVX512F__)
    if (spl__gathers_pay)
        return (spl__lanes_f64)_mm512_i32gather_pd(_mm256_loadu_si256((const void *)j), x, 8);
#elif defined(__AVX2__)
    if (spl__gathers_pay)
        return (spl__lanes_f64)_mm256_i32gather_pd(x, _mm_loadu_si128((const void *)j), 8);
#endif
    return SPL__LOADS_F64(x, j);
}

static inline spl__lanes_f64 spl__gather_f64_64(const double *x, const int64_t *j)
{
#if defined(__AVX512F__)
    if (spl__gathers_pay)
        return (spl__lanes_f64)_mm512_i64gather_pd(_mm512_loadu_si512((const void *)j), x, 8);
#elif defined(__AVX2__)
    if (spl__gathers_pay)
        return (spl__lanes_f64)_mm256_i64gather_pd(x, _mm256_loadu_si256((const void *)j), 8);
#endif
    return SPL__LOADS_F64(x, j);
}

static inline spl__lanes_f32 spl__gather_f32_32(const float *x, const int32_t *j)
{
#if defined(__AVX512F__)
    if (spl__gathers_pay)
        return (spl__lanes_f32)_mm512_i32gather_ps(_mm512_loadu_si512((const void *)j), x, 4);
#elif defined(__AVX2__)
    if (spl__gathers_pay)
        return (spl__lanes_f32)_mm256_i32gather_ps(x, _mm256_loadu_si256((const void *)j), 4);
#endif
    return SPL__LOADS_F32(x, j);
}

/* No instruction fills a whole register here; two halves are needed. */
static inline spl__lanes_f32 spl__gather_f32_64(const float *x, const int64_t *j)
{
    return SPL__LOADS_F32(x, j);
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

/* The same for the lanes of a mask, which the caller keeps. */
static inline spl__lanes_f32 spl__load_masked_f32(const float *x, unsigned mask)
{
    return (spl__lanes_f32)_mm512_maskz_loadu_ps((__mmask16)mask, x);
}
static inline spl__lanes_f64 spl__load_masked_f64(const double *x, unsigned mask)
{
    return (spl__lanes_f64)_mm512_maskz_loadu_pd((__mmask8)mask, x);
}
static inline void spl__store_masked_f32(float *x, unsigned mask, spl__lanes_f32 lanes)
{
    _mm512_mask_storeu_ps(x, (__mmask16)mask, (__m512)lanes);
}
static inline void spl__store_masked_f64(double *x, unsigned mask, spl__lanes_f64 lanes)
{
    _mm512_mask_storeu_pd(x, (__mmask8)mask, (__m512d)lanes);
}
/* What follows the first n lanes of two registers, 0 <= n < lanes. */
static inline spl__lanes_f32 spl__lanes_after_f32(spl__lanes_f32 a, spl__lanes_f32 b, int64_t n)
{
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i lane = _mm512_add_epi32(first, _mm512_set1_epi32((int)n));
    return (spl__lanes_f32)_mm512_permutex2var_ps((__m512)a, lane, (__m512)b);
}
static inline spl__lanes_f64 spl__lanes_after_f64(spl__lanes_f64 a, spl__lanes_f64 b, int64_t n)
{
    const __m512i first = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i lane = _mm512_add_epi64(first, _mm512_set1_epi64(n));
    return (spl__lanes_f64)_mm512_permutex2var_pd((__m512d)a, lane, (__m512d)b);
}
#define SPL__LANES_AFTER(a, b, n)                                                                  \
    _Generic((a), spl__lanes_f64                                                                   \
             : spl__lanes_after_f64, spl__lanes_f32                                                \
             : spl__lanes_after_f32)(a, b, n)

#elif defined(__AVX2__)

static inline __m256i spl__first_lanes_f32(int64_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline __m256i spl__first_lanes_f64(int64_t n)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
static inline spl__lanes_f32 spl__load_masked_f32(const float *x, unsigned mask)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i ours = _mm256_and_si256(_mm256_set1_epi32((int)mask), bits);
    return (spl__lanes_f32)_mm256_maskload_ps(x, _mm256_cmpeq_epi32(ours, bits));
}
static inline spl__lanes_f64 spl__load_masked_f64(const double *x, unsigned mask)
{
    const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i ours = _mm256_and_si256(_mm256_set1_epi64x((int)mask), bits);
    return (spl__lanes_f64)_mm256_maskload_pd(x, _mm256_cmpeq_epi64(ours, bits));
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

static inline spl__lanes_f32 spl__load_masked_f32(const float *x, unsigned mask)
{
    return (spl__lanes_f32){mask & 1 ? x[0] : 0, mask & 2 ? x[1] : 0, mask & 4 ? x[2] : 0,
                            mask & 8 ? x[3] : 0};
}
static inline spl__lanes_f64 spl__load_masked_f64(const double *x, unsigned mask)
{
    return (spl__lanes_f64){mask & 1 ? x[0] : 0, mask & 2 ? x[1] : 0};
}
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
#define SPL__LOAD_MASKED(x, mask)                                                                  \
    _Generic((x), const double * : spl__load_masked_f64, const float * : spl__load_masked_f32)(x,  \
                                                                                               mask)
#define SPL__STORE_MASKED(x, mask, lanes)                                                          \
    _Generic((x), double * : spl__store_masked_f64, float * : spl__store_masked_f32)(x, mask, lanes)

/* Gathers into the first `count` lanes, 1 or more; the others are 0. No further elements are
 * accessed: by loads, the other lanes read what lane 0 reads, and are masked, without branches. */
#define SPL__PICK(x, j, n, lane) (x)[(j)[(lane) < (n) ? (lane) : 0]]
#if defined(__AVX512F__)
#define SPL__PICKED_F64(x, j, n)                                                                   \
    {                                                                                              \
        SPL__PICK(x, j, n, 0), SPL__PICK(x, j, n, 1), SPL__PICK(x, j, n, 2),                       \
            SPL__PICK(x, j, n, 3), SPL__PICK(x, j, n, 4), SPL__PICK(x, j, n, 5),                   \
            SPL__PICK(x, j, n, 6), SPL__PICK(x, j, n, 7)                                           \
    }
#define SPL__PICKED_F32(x, j, n)                                                                   \
    {                                                                                              \
        SPL__PICK(x, j, n, 0), SPL__PICK(x, j, n, 1), SPL__PICK(x, j, n, 2),                       \
            SPL__PICK(x, j, n, 3), SPL__PICK(x, j, n, 4), SPL__PICK(x, j, n, 5),                   \
            SPL__PICK(x, j, n, 6), SPL__PICK(x, j, n, 7), SPL__PICK(x, j, n, 8),                   \
            SPL__PICK(x, j, n, 9), SPL__PICK(x, j, n, 10), SPL__PICK(x, j, n, 11),                 \
            SPL__PICK(x, j, n, 12), SPL__PICK(x, j, n, 13), SPL__PICK(x, j, n, 14),                \
            SPL__PICK(x, j, n, 15)                                                                 \
    }
#elif defined(__AVX2__)
#define SPL__PICKED_F64(x, j, n)                                                                   \
    {                                                                                              \
        SPL__PICK(x, j, n, 0), SPL__PICK(x, j, n, 1), SPL__PICK(x, j, n, 2), SPL__PICK(x, j, n, 3) \
    }
#define SPL__PICKED_F32(x, j, n)                                                                   \
    {                                                                                              \
        SPL__PICK(x, j, n, 0), SPL__PICK(x, j, n, 1), SPL__PICK(x, j, n, 2),                       \
            SPL__PICK(x, j, n, 3), SPL__PICK(x, j, n, 4), SPL__PICK(x, j, n, 5),                   \
            SPL__PICK(x, j, n, 6), SPL__PICK(x, j, n, 7)                                           \
    }
#else
#define SPL__PICKED_F64(x, j, n)                                                                   \
    {                                                                                              \
        SPL__PICK(x, j, n, 0), SPL__PICK(x, j, n, 1)                                               \
    }
#define SPL__PICKED_F32(x, j, n)                                                                   \
    {                                                                                              \
        SPL__PICK(x, j, n, 0), SPL__PICK(x, j, n, 1), SPL__PICK(x, j, n, 2), SPL__PICK(x, j, n, 3) \
    }
#endif

static inline spl__lanes_f64 spl__first_of_f64(spl__lanes_f64 lanes, int64_t count)
{
    typedef int64_t numbers __attribute__((vector_size(SPL__REGISTER_BYTES)));
    static const int64_t lane[] = {0, 1, 2, 3, 4, 5, 6, 7};
    numbers number;
    memcpy(&number, lane, sizeof number);
    return (spl__lanes_f64)((numbers)lanes & (number < count));
}

static inline spl__lanes_f32 spl__first_of_f32(spl__lanes_f32 lanes, int64_t count)
{
    typedef int32_t numbers __attribute__((vector_size(SPL__REGISTER_BYTES)));
    static const int32_t lane[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    numbers number;
    memcpy(&number, lane, sizeof number);
    return (spl__lanes_f32)((numbers)lanes & (number < (int32_t)count));
}

static inline spl__lanes_f64 spl__gather_first_f64_32(const double *x, const int32_t *j,
                                                      int64_t count)
{
#if defined(__AVX512F__)
    __mmask8 mask = (__mmask8)((1U << count) - 1);
    if (spl__gathers_pay)
        return (spl__lanes_f64)_mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask,
                                                        _mm256_maskz_loadu_epi32(mask, j), x, 8);
#elif defined(__AVX2__)
    __m256i mask = spl__first_lanes_f64(count);
    __m128i columns = _mm_maskload_epi32(j, _mm256_castsi256_si128(spl__first_lanes_f32(count)));
    if (spl__gathers_pay)
        return (spl__lanes_f64)_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, columns,
                                                        (__m256d)mask, 8);
#endif
    return spl__first_of_f64((spl__lanes_f64)SPL__PICKED_F64(x, j, count), count);
}

static inline spl__lanes_f64 spl__gather_first_f64_64(const double *x, const int64_t *j,
                                                      int64_t count)
{
#if defined(__AVX512F__)
    __mmask8 mask = (__mmask8)((1U << count) - 1);
    if (spl__gathers_pay)
        return (spl__lanes_f64)_mm512_mask_i64gather_pd(_mm512_setzero_pd(), mask,
                                                        _mm512_maskz_loadu_epi64(mask, j), x, 8);
#elif defined(__AVX2__)
    __m256i mask = spl__first_lanes_f64(count),
            columns = _mm256_maskload_epi64((const void *)j, mask);
    if (spl__gathers_pay)
        return (spl__lanes_f64)_mm256_mask_i64gather_pd(_mm256_setzero_pd(), x, columns,
                                                        (__m256d)mask, 8);
#endif
    return spl__first_of_f64((spl__lanes_f64)SPL__PICKED_F64(x, j, count), count);
}

static inline spl__lanes_f32 spl__gather_first_f32_32(const float *x, const int32_t *j,
                                                      int64_t count)
{
#if defined(__AVX512F__)
    __mmask16 mask = (__mmask16)((1U << count) - 1);
    if (spl__gathers_pay)
        return (spl__lanes_f32)_mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask,
                                                        _mm512_maskz_loadu_epi32(mask, j), x, 4);
#elif defined(__AVX2__)
    __m256i mask = spl__first_lanes_f32(count), columns = _mm256_maskload_epi32(j, mask);
    if (spl__gathers_pay)
        return (spl__lanes_f32)_mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, columns,
                                                        (__m256)mask, 4);
#endif
    return spl__first_of_f32((spl__lanes_f32)SPL__PICKED_F32(x, j, count), count);
}

static inline spl__lanes_f32 spl__gather_first_f32_64(const float *x, const int64_t *j,
                                                      int64_t count)
{
    return spl__first_of_f32((spl__lanes_f32)SPL__PICKED_F32(x, j, count), count);
}

#define SPL__GATHER_FIRST(x, j, count)                                                             \
    _Generic((x), \
        const double *: _Generic((j), \
            const int32_t *: spl__gather_first_f64_32, const int64_t *: spl__gather_first_f64_64), \
        const float *: _Generic((j), \
            const int32_t *: spl__gather_first_f32_32, const int64_t *: spl__gather_first_f32_64)) \
        (x, j, count)

#endif
