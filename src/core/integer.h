/* SPDX-License-Identifier: Apache-2.0 */
/* integer.h: arithmetic of kernels in the type of their operands: of floating-point numbers as
 * usual, of i32 and i64 modulo 2^32 and 2^64 (two's complement), without undefined behaviour. */
#ifndef SPL_CORE_INTEGER_H
#define SPL_CORE_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

/* Functions that device kernels call, too. */
#if defined(__CUDACC__) || defined(__HIPCC__)
#define SPL__EVERYWHERE static __host__ __device__ __forceinline__
#else
#define SPL__EVERYWHERE static inline
#endif

/* Chooses an expression by the type of `x`. In C++ the others are evaluated, and dropped. */
#ifdef __cplusplus
#define SPL__BY_TYPE(x, i32, i64, others) spl__choose((x), (i32), (i64), (others))
#define SPL__CHOOSE(type, chosen, result)                                                          \
    template <typename A, typename B, typename C>                                                  \
    SPL__EVERYWHERE chosen spl__choose(type, A i32, B i64, C others)                               \
    {                                                                                              \
        (void)i32, (void)i64, (void)others;                                                        \
        return result;                                                                             \
    }
SPL__CHOOSE(int32_t, A, i32)
SPL__CHOOSE(int64_t, B, i64)
SPL__CHOOSE(float, C, others)
SPL__CHOOSE(double, C, others)
#undef SPL__CHOOSE
#else
#define SPL__BY_TYPE(x, i32, i64, others)                                                          \
    _Generic((x), int32_t : (i32), int64_t : (i64), default : (others))
#endif

/* a + b and a * b in the type of a. */
#define SPL__PLUS(a, b)                                                                            \
    SPL__BY_TYPE(a, (int32_t)((uint32_t)(a) + (uint32_t)(b)),                                      \
                 (int64_t)((uint64_t)(a) + (uint64_t)(b)), (a) + (b))
#define SPL__TIMES(a, b)                                                                           \
    SPL__BY_TYPE(a, (int32_t)((uint32_t)(a) * (uint32_t)(b)),                                      \
                 (int64_t)((uint64_t)(a) * (uint64_t)(b)), (a) * (b))
/* The bits that a or b has, for integers. */
#define SPL__OR(a, b)                                                                              \
    SPL__BY_TYPE(a, (int32_t)((uint32_t)(a) | (uint32_t)(b)),                                      \
                 (int64_t)((uint64_t)(a) | (uint64_t)(b)), (a))

/* a + b, at most the largest and at least the least number. `infinity` plus anything is itself. */
SPL__EVERYWHERE int64_t spl__sum_within_i64(int64_t a, int64_t b, int64_t infinity)
{
    const uint64_t sum = (uint64_t)a + (uint64_t)b;
    const bool overflows = ((uint64_t)a ^ sum) & ((uint64_t)b ^ sum) & UINT64_C(1) << 63;
    const int64_t within = !overflows ? (int64_t)sum : a < 0 ? INT64_MIN : INT64_MAX;
    return a == infinity || b == infinity ? infinity : within;
}
SPL__EVERYWHERE int32_t spl__sum_within_i32(int32_t a, int32_t b, int32_t infinity)
{
    const int64_t sum = (int64_t)a + b;
    const int32_t within = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
    return a == infinity || b == infinity ? infinity : within;
}

#endif
