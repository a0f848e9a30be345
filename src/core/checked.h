/* SPDX-License-Identifier: Apache-2.0 */
/* checked.h: arithmetic that detects overflow (promise 2: an index never wraps). */
#ifndef SPL_CORE_CHECKED_H
#define SPL_CORE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each stores the result and returns true if it fits. */
static inline bool spl__add_i64(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}
static inline bool spl__mul_i64(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}
static inline bool spl__mul_size(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline int64_t spl__min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static inline size_t spl__min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}
static inline int64_t spl__max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Bits that hold the numbers 0..largest; at least 1. */
static inline int spl__bits_of(int64_t largest)
{
    return largest <= 0 ? 1 : 64 - __builtin_clzll((unsigned long long)largest);
}

/* The smallest power of two that is at least n, 1 <= n <= 2^62. */
static inline int64_t spl__ceil_pow2(int64_t n)
{
    return n <= 1 ? 1 : (int64_t)1 << (64 - __builtin_clzll((unsigned long long)n - 1));
}

#endif
