/* SPDX-License-Identifier: Apache-2.0 */
/* half.h: 16-bit floats as stored: binary16 (f16: 1 sign, 5 exponent, 10 fraction) and the upper
 * half of binary32 (bf16: 1, 8, 7).
 *
 * They are not computed in: they are widened to f32, exactly, and narrowed from it with rounding
 * to nearest even; overflow gives infinity, subnormal numbers are supported, NaN stays NaN. They
 * are structs, so that arithmetic on their bits does not compile. On GPUs the toolkits'
 * conversions are used: src/device/dialect_gpu.h. */
#ifndef SPL_CORE_HALF_H
#define SPL_CORE_HALF_H

#include <stdint.h>

typedef struct spl__f16 {
    uint16_t bits;
} spl__f16;
typedef struct spl__bf16 {
    uint16_t bits;
} spl__bf16;

#if !defined(__CUDACC__) && !defined(__HIPCC__)

#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

static inline uint32_t spl__f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float spl__f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float spl__bf16_widen(spl__bf16 x)
{
    return spl__f32_of_bits((uint32_t)x.bits << 16);
}

static inline spl__bf16 spl__bf16_narrow(float x)
{
    const uint32_t bits = spl__f32_bits(x), even = bits >> 16 & 1;
    if ((bits & 0x7fffffff) > 0x7f800000) /* NaN: rounding must not carry into an infinity */
        return (spl__bf16){(uint16_t)(bits >> 16 | 0x40)};
    return (spl__bf16){(uint16_t)((bits + 0x7fff + even) >> 16)};
}

#ifdef __F16C__

static inline float spl__f16_widen(spl__f16 x)
{
    return _cvtsh_ss(x.bits);
}

static inline spl__f16 spl__f16_narrow(float x)
{
    return (spl__f16){_cvtss_sh(x, _MM_FROUND_TO_NEAREST_INT)};
}

#else

static inline float spl__f16_widen(spl__f16 x)
{
    const uint32_t sign = (uint32_t)(x.bits & 0x8000) << 16, size = x.bits & 0x7fff;
    if (size >= 0x7c00) /* infinite, or a NaN, which becomes a quiet one */
        return spl__f32_of_bits(sign | 0x7f800000 | size << 13 | (size > 0x7c00 ? 0x400000 : 0));
    if (size < 0x400) /* subnormal: units of 2^-24 */
        return spl__f32_of_bits(sign | spl__f32_bits((float)size * 0x1p-24f));
    return spl__f32_of_bits(sign | ((size << 13) + ((uint32_t)(127 - 15) << 23)));
}

static inline spl__f16 spl__f16_narrow(float x)
{
    const uint32_t bits = spl__f32_bits(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (spl__f16){(uint16_t)(sign | 0x7e00 | (size >> 13 & 0x3ff))};
    if (size >=
        0x477ff000) /* 65520, half way between the largest number and the one that would follow */
        return (spl__f16){(uint16_t)(sign | 0x7c00)};
    if (size < 0x38800000) /* below 2^-14: the sum with 1/2 has a last bit of 2^-24, and is rounded
                              as it should be */
        return (spl__f16){
            (uint16_t)(sign | (spl__f32_bits(spl__f32_of_bits(size) + 0.5f) - 0x3f000000))};
    return (spl__f16){(
        uint16_t)(sign | ((size - ((uint32_t)(127 - 15) << 23) + 0xfff + (size >> 13 & 1)) >> 13))};
}

#endif

/* Rounds to f32 with round-to-odd, so that rounding the result to 16 bits equals rounding x
 * once. Source: S. Boldo, G. Melquiond, Emulation of a FMA and correctly rounded sums, IEEE
 * Transactions on Computers 57(4), 2008. */
static inline float spl__f32_to_odd(double x)
{
    const float near = (float)x;
    const double size = x < 0 ? -x : x, near_size = near < 0 ? -(double)near : (double)near;
    if (near != near || near_size == size)
        return near;
    return spl__f32_of_bits((spl__f32_bits(near) - (near_size > size)) | 1);
}

/* The same of a 64-bit integer. */
static inline float spl__f32_of_integer_to_odd(int64_t x)
{
    const uint64_t size = x < 0 ? -(uint64_t)x : (uint64_t)x, kept = UINT64_C(1) << 32;
    const int shift = size >= kept ? 32 : 0;
    const double high = (double)(size >> shift | ((size & (kept - 1)) != 0 && shift));
    const float odd = spl__f32_to_odd(shift ? high * 0x1p32 : high);
    return x < 0 ? -odd : odd;
}

#endif
#endif
