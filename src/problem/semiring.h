/* SPDX-License-Identifier: Apache-2.0 */
/* semiring.h: the semirings of sparloom/algebra.h, for kernels of CPUs and of devices, and for the
 * executable specification.
 * Functions with a semiring are inlined with a constant where loops call them. */
#ifndef SPL_PROBLEM_SEMIRING_H
#define SPL_PROBLEM_SEMIRING_H

#include "core/integer.h"
#include "sparloom/algebra.h"

/* How many there are, numbered from 0. */
enum { SPL__SEMIRINGS = SPL_OR_SECOND + 1 };

/* Whether "multiply" is the product. */
SPL__EVERYWHERE bool spl__semiring_multiplies(int32_t semiring)
{
    return semiring == SPL_PLUS_TIMES || semiring == SPL_MIN_TIMES || semiring == SPL_MAX_TIMES;
}
/* Whether "multiply" uses the values of A, of B. */
SPL__EVERYWHERE bool spl__semiring_reads_a(int32_t semiring)
{
    return spl__semiring_multiplies(semiring) || semiring == SPL_PLUS_FIRST ||
           semiring == SPL_MIN_PLUS || semiring == SPL_MAX_PLUS;
}
SPL__EVERYWHERE bool spl__semiring_reads_b(int32_t semiring)
{
    return semiring != SPL_PLUS_PAIR && semiring != SPL_PLUS_FIRST;
}

SPL__EVERYWHERE bool spl__semiring_is_min(int32_t semiring)
{
    return semiring == SPL_MIN_PLUS || semiring == SPL_MIN_SECOND || semiring == SPL_MIN_TIMES;
}
SPL__EVERYWHERE bool spl__semiring_is_max(int32_t semiring)
{
    return semiring == SPL_MAX_PLUS || semiring == SPL_MAX_SECOND || semiring == SPL_MAX_TIMES;
}

/* What "add" makes of nothing; and in the type that a template computes in. */
SPL__EVERYWHERE double spl__semiring_none(int32_t semiring)
{
    return spl__semiring_is_min(semiring)   ? __builtin_inf()
           : spl__semiring_is_max(semiring) ? -__builtin_inf()
                                            : 0;
}
#define SPL__SEMIRING_NONE(type, semiring)                                                         \
    ((type)SPL__BY_TYPE((type)0, spl__semiring_limit(semiring, INT32_MAX),                         \
                        spl__semiring_limit(semiring, INT64_MAX), spl__semiring_none(semiring)))
SPL__EVERYWHERE int64_t spl__semiring_limit(int32_t semiring, int64_t largest)
{
    return spl__semiring_is_min(semiring)   ? largest
           : spl__semiring_is_max(semiring) ? -largest - 1
                                            : 0;
}

/* Whether the semiring is one of integers, of floating-point numbers, or of `type`: constants where
 * it is one. */
#define SPL__SEMIRING_OF_INTEGERS(semiring)                                                        \
    ((semiring) != SPL_MIN_TIMES && (semiring) != SPL_MAX_TIMES)
#define SPL__SEMIRING_OF_FLOATS(semiring) ((semiring) != SPL_OR_SECOND)
#define SPL__SEMIRING_SERVES(type, semiring)                                                       \
    SPL__BY_TYPE((type)0, SPL__SEMIRING_OF_INTEGERS(semiring),                                     \
                 SPL__SEMIRING_OF_INTEGERS(semiring), SPL__SEMIRING_OF_FLOATS(semiring))

/* sum = "add"(sum, value), rounded to their type. A value that is NaN leaves least and largest
 * ones as they are. */
#define SPL__SEMIRING_JOIN(semiring, sum, value)                                                   \
    do {                                                                                           \
        if (spl__semiring_is_min(semiring))                                                        \
            (sum) = (value) < (sum) ? (value) : (sum);                                             \
        else if (spl__semiring_is_max(semiring))                                                   \
            (sum) = (value) > (sum) ? (value) : (sum);                                             \
        else if ((semiring) == SPL_OR_SECOND)                                                      \
            (sum) = SPL__OR(sum, value);                                                           \
        else                                                                                       \
            (sum) = SPL__PLUS(sum, value);                                                         \
    } while (0)

/* a + b of min_plus and max_plus. */
#define SPL__SEMIRING_PATH(type, semiring, a, b)                                                   \
    ((type)SPL__BY_TYPE(                                                                           \
        (type)0,                                                                                   \
        spl__sum_within_i32((int32_t)(a), (int32_t)(b),                                            \
                            (int32_t)spl__semiring_limit(semiring, INT32_MAX)),                    \
        spl__sum_within_i64((int64_t)(a), (int64_t)(b), spl__semiring_limit(semiring, INT64_MAX)), \
        (a) + (b)))

/* "multiply"(a, b), rounded to `type`; what is not used may be anything. */
#define SPL__SEMIRING_PRODUCT(type, semiring, a, b)                                                \
    ((semiring) == SPL_PLUS_PAIR          ? (type)1                                                \
     : spl__semiring_multiplies(semiring) ? SPL__TIMES((type)(a), (type)(b))                       \
     : (semiring) == SPL_PLUS_FIRST       ? (type)(a)                                              \
     : spl__semiring_reads_a(semiring)    ? SPL__SEMIRING_PATH(type, semiring, a, b)               \
                                          : (type)(b))

/* sum = "add"(sum, "multiply"(a, b)), rounded to `type` after each operation: sums of types that
 * are narrower than f64 get the same bits. */
#define SPL__SEMIRING_ADD(type, semiring, sum, a, b)                                               \
    do {                                                                                           \
        const type product_ = SPL__SEMIRING_PRODUCT(type, semiring, a, b);                         \
        SPL__SEMIRING_JOIN(semiring, sum, product_);                                               \
    } while (0)

/* Runs the statement for a semiring of `type` other than plus_times, which is the constant S in it.
 */
#define SPL__SEMIRING_CASE(type, semiring, ...)                                                    \
    case semiring: {                                                                               \
        enum { S = (semiring) };                                                                   \
        if (SPL__SEMIRING_SERVES(type, semiring)) {                                                \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        break;                                                                                     \
    }
#define SPL__FOR_SEMIRING(type, semiring, ...)                                                     \
    do {                                                                                           \
        switch (semiring) {                                                                        \
            SPL__SEMIRING_CASE(type, SPL_PLUS_PAIR, __VA_ARGS__)                                   \
            SPL__SEMIRING_CASE(type, SPL_PLUS_FIRST, __VA_ARGS__)                                  \
            SPL__SEMIRING_CASE(type, SPL_PLUS_SECOND, __VA_ARGS__)                                 \
            SPL__SEMIRING_CASE(type, SPL_MIN_PLUS, __VA_ARGS__)                                    \
            SPL__SEMIRING_CASE(type, SPL_MAX_PLUS, __VA_ARGS__)                                    \
            SPL__SEMIRING_CASE(type, SPL_MIN_SECOND, __VA_ARGS__)                                  \
            SPL__SEMIRING_CASE(type, SPL_MAX_SECOND, __VA_ARGS__)                                  \
            SPL__SEMIRING_CASE(type, SPL_MIN_TIMES, __VA_ARGS__)                                   \
            SPL__SEMIRING_CASE(type, SPL_MAX_TIMES, __VA_ARGS__)                                   \
            SPL__SEMIRING_CASE(type, SPL_OR_SECOND, __VA_ARGS__)                                   \
        default:                                                                                   \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

#endif
