/* SPDX-License-Identifier: Apache-2.0 */
/* half_lanes.h: loads and stores between registers of sums (lanes.h) and stored values of any
 * type: 16-bit floats are widened to f32 and rounded back as in core/half.h, one register at a
 * time. */
#ifndef SPL_CORE_HALF_LANES_H
#define SPL_CORE_HALF_LANES_H

#include "core/half.h"
#include "core/lanes.h"

#include <string.h>

typedef uint16_t spl__lanes_u16 __attribute__((vector_size(SPL__REGISTER_BYTES / 2)));
typedef uint32_t spl__lanes_u32 __attribute__((vector_size(SPL__REGISTER_BYTES)));

enum { SPL__HALF_LANES = SPL__REGISTER_BYTES / 4 };

/* ---- conversions ---- */

static inline spl__lanes_f32 spl__widen_f16(spl__lanes_u16 halves)
{
#if defined(__AVX512F__)
    return (spl__lanes_f32)_mm512_cvtph_ps((__m256i)halves);
#elif defined(__AVX2__) && defined(__F16C__)
    return (spl__lanes_f32)_mm256_cvtph_ps((__m128i)halves);
#else
    spl__lanes_f32 lanes;
    for (int l = 0; l < SPL__HALF_LANES; l++)
        lanes[l] = spl__f16_widen((spl__f16){halves[l]});
    return lanes;
#endif
}

static inline spl__lanes_u16 spl__narrow_f16(spl__lanes_f32 lanes)
{
#if defined(__AVX512F__)
    return (spl__lanes_u16)_mm512_cvtps_ph((__m512)lanes,
                                           _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__AVX2__) && defined(__F16C__)
    return (spl__lanes_u16)_mm256_cvtps_ph((__m256)lanes, _MM_FROUND_TO_NEAREST_INT);
#else
    spl__lanes_u16 halves;
    for (int l = 0; l < SPL__HALF_LANES; l++)
        halves[l] = spl__f16_narrow(lanes[l]).bits;
    return halves;
#endif
}

static inline spl__lanes_f32 spl__widen_bf16(spl__lanes_u16 halves)
{
    return (spl__lanes_f32)(__builtin_convertvector(halves, spl__lanes_u32) << 16);
}

/* Like spl__bf16_narrow. */
static inline spl__lanes_u16 spl__narrow_bf16(spl__lanes_f32 lanes)
{
    const spl__lanes_u32 bits = (spl__lanes_u32)lanes,
                         rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const spl__lanes_u32 nan = (spl__lanes_u32)(lanes != lanes);
    return __builtin_convertvector((nan & (bits >> 16 | 0x40)) | (~nan & rounded), spl__lanes_u16);
}

/* ---- memory: whole registers, and the first n lanes (n as in lanes.h) ---- */

static inline spl__lanes_u16 spl__load_halves(const void *x)
{
    spl__lanes_u16 halves;
    memcpy(&halves, x, sizeof halves);
    return halves;
}

static inline void spl__store_halves(void *x, spl__lanes_u16 halves)
{
    memcpy(x, &halves, sizeof halves);
}

#if defined(__AVX512BW__) && defined(__AVX512VL__)
static inline spl__lanes_u16 spl__load_some_halves(const void *x, int64_t n)
{
    return (spl__lanes_u16)_mm256_maskz_loadu_epi16((__mmask16)spl__first_lanes(n), x);
}
static inline void spl__store_some_halves(void *x, int64_t n, spl__lanes_u16 halves)
{
    _mm256_mask_storeu_epi16(x, (__mmask16)spl__first_lanes(n), (__m256i)halves);
}
#else
static inline spl__lanes_u16 spl__load_some_halves(const void *x, int64_t n)
{
    spl__lanes_u16 halves = {0};
    for (int l = 0; l < SPL__HALF_LANES && l < n; l++)
        halves[l] = ((const uint16_t *)x)[l];
    return halves;
}
static inline void spl__store_some_halves(void *x, int64_t n, spl__lanes_u16 halves)
{
    for (int l = 0; l < SPL__HALF_LANES && l < n; l++)
        ((uint16_t *)x)[l] = halves[l];
}
#endif

/* ---- by type ---- */

#define SPL__HALF_MEMORY(tag)                                                                      \
    static inline spl__lanes_f32 spl__load_##tag(const spl__##tag *x)                              \
    {                                                                                              \
        return spl__widen_##tag(spl__load_halves(x));                                              \
    }                                                                                              \
    static inline spl__lanes_f32 spl__load_some_##tag(const spl__##tag *x, int64_t n)              \
    {                                                                                              \
        return spl__widen_##tag(spl__load_some_halves(x, n));                                      \
    }                                                                                              \
    static inline void spl__store_##tag(spl__##tag *x, spl__lanes_f32 lanes)                       \
    {                                                                                              \
        spl__store_halves(x, spl__narrow_##tag(lanes));                                            \
    }                                                                                              \
    static inline void spl__store_some_##tag(spl__##tag *x, int64_t n, spl__lanes_f32 lanes)       \
    {                                                                                              \
        spl__store_some_halves(x, n, spl__narrow_##tag(lanes));                                    \
    }
SPL__HALF_MEMORY(f16)
SPL__HALF_MEMORY(bf16)
#undef SPL__HALF_MEMORY

#define SPL__PLAIN_MEMORY(tag, type)                                                               \
    static inline spl__lanes_##tag spl__load_##tag(const type *x)                                  \
    {                                                                                              \
        spl__lanes_##tag lanes;                                                                    \
        memcpy(&lanes, x, sizeof lanes);                                                           \
        return lanes;                                                                              \
    }                                                                                              \
    static inline void spl__store_##tag(type *x, spl__lanes_##tag lanes)                           \
    {                                                                                              \
        memcpy(x, &lanes, sizeof lanes);                                                           \
    }
SPL__PLAIN_MEMORY(f32, float)
SPL__PLAIN_MEMORY(f64, double)
#undef SPL__PLAIN_MEMORY

#define SPL__FOR_VALUES(x, f)                                                                      \
    _Generic(*(x), float                                                                           \
             : spl__##f##_f32, double                                                              \
             : spl__##f##_f64, spl__f16                                                            \
             : spl__##f##_f16, spl__bf16                                                           \
             : spl__##f##_bf16)

/* Loads a register of sums from memory at x, by the type of x: all lanes, or the first n. */
#define SPL__LOAD_VALUES(x)                 SPL__FOR_VALUES(x, load)(x)
#define SPL__LOAD_SOME_VALUES(x, n)         SPL__FOR_VALUES(x, load_some)(x, n)
#define SPL__STORE_VALUES(x, lanes)         SPL__FOR_VALUES(x, store)(x, lanes)
#define SPL__STORE_SOME_VALUES(x, n, lanes) SPL__FOR_VALUES(x, store_some)(x, n, lanes)

#endif
