/* SPDX-License-Identifier: Apache-2.0 */
/* semiring.h: the semirings of sparloom/algebra.h, for kernels and the executable specification.
 * Functions with a semiring are inlined with a constant where loops call them. */
#ifndef SPL_PROBLEM_SEMIRING_H
#define SPL_PROBLEM_SEMIRING_H

#include "sparloom/algebra.h"

#include <stdbool.h>

/* How many there are, numbered from 0. */
enum { SPL__SEMIRINGS = SPL_MAX_TIMES + 1 };

/* Whether "multiply" is the product. */
static inline bool spl__semiring_multiplies(int32_t semiring)
{
    return semiring == SPL_PLUS_TIMES || semiring == SPL_MIN_TIMES || semiring == SPL_MAX_TIMES;
}
/* Whether "multiply" uses the values of A, of B. */
static inline bool spl__semiring_reads_a(int32_t semiring)
{
    return spl__semiring_multiplies(semiring) || semiring == SPL_PLUS_FIRST ||
           semiring == SPL_MIN_PLUS || semiring == SPL_MAX_PLUS;
}
static inline bool spl__semiring_reads_b(int32_t semiring)
{
    return semiring != SPL_PLUS_PAIR && semiring != SPL_PLUS_FIRST;
}

static inline bool spl__semiring_is_min(int32_t semiring)
{
    return semiring == SPL_MIN_PLUS || semiring == SPL_MIN_SECOND || semiring == SPL_MIN_TIMES;
}
static inline bool spl__semiring_is_max(int32_t semiring)
{
    return semiring == SPL_MAX_PLUS || semiring == SPL_MAX_SECOND || semiring == SPL_MAX_TIMES;
}

/* What "add" makes of nothing. */
static inline double spl__semiring_none(int32_t semiring)
{
    return spl__semiring_is_min(semiring)   ? __builtin_inf()
           : spl__semiring_is_max(semiring) ? -__builtin_inf()
                                            : 0;
}

/* sum = "add"(sum, value), rounded to their type. A value that is NaN leaves least and largest
 * ones as they are. */
#define SPL__SEMIRING_JOIN(semiring, sum, value)                                                   \
    do {                                                                                           \
        if (spl__semiring_is_min(semiring))                                                        \
            (sum) = (value) < (sum) ? (value) : (sum);                                             \
        else if (spl__semiring_is_max(semiring))                                                   \
            (sum) = (value) > (sum) ? (value) : (sum);                                             \
        else                                                                                       \
            (sum) += (value);                                                                      \
    } while (0)

/* "multiply"(a, b), rounded to `type`; what is not used may be anything. */
#define SPL__SEMIRING_PRODUCT(type, semiring, a, b)                                                \
    ((semiring) == SPL_PLUS_PAIR          ? (type)1                                                \
     : spl__semiring_multiplies(semiring) ? (type)((a) * (b))                                      \
     : (semiring) == SPL_PLUS_FIRST       ? (type)(a)                                              \
     : spl__semiring_reads_a(semiring)    ? (type)((a) + (b))                                      \
                                          : (type)(b))

/* sum = "add"(sum, "multiply"(a, b)), rounded to `type` after each operation: sums of types that
 * are narrower than f64 get the same bits. */
#define SPL__SEMIRING_ADD(type, semiring, sum, a, b)                                               \
    do {                                                                                           \
        const type product_ = SPL__SEMIRING_PRODUCT(type, semiring, a, b);                         \
        SPL__SEMIRING_JOIN(semiring, sum, product_);                                               \
    } while (0)

/* Runs the statement for a semiring other than plus_times, which is the constant S in it. */
#define SPL__SEMIRING_CASE(semiring, ...)                                                          \
    case semiring: {                                                                               \
        enum { S = (semiring) };                                                                   \
        __VA_ARGS__;                                                                               \
        break;                                                                                     \
    }
#define SPL__FOR_SEMIRING(semiring, ...)                                                           \
    do {                                                                                           \
        switch (semiring) {                                                                        \
            SPL__SEMIRING_CASE(SPL_PLUS_PAIR, __VA_ARGS__)                                         \
            SPL__SEMIRING_CASE(SPL_PLUS_FIRST, __VA_ARGS__)                                        \
            SPL__SEMIRING_CASE(SPL_PLUS_SECOND, __VA_ARGS__)                                       \
            SPL__SEMIRING_CASE(SPL_MIN_PLUS, __VA_ARGS__)                                          \
            SPL__SEMIRING_CASE(SPL_MAX_PLUS, __VA_ARGS__)                                          \
            SPL__SEMIRING_CASE(SPL_MIN_SECOND, __VA_ARGS__)                                        \
            SPL__SEMIRING_CASE(SPL_MAX_SECOND, __VA_ARGS__)                                        \
            SPL__SEMIRING_CASE(SPL_MIN_TIMES, __VA_ARGS__)                                         \
            SPL__SEMIRING_CASE(SPL_MAX_TIMES, __VA_ARGS__)                                         \
        default:                                                                                   \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

#endif
