/* SPDX-License-Identifier: Apache-2.0 */
/* semiring.h: the semirings of sparloom/algebra.h, for kernels and the executable specification.
 * Functions with a semiring are inlined with a constant where loops call them. */
#ifndef SPL_PROBLEM_SEMIRING_H
#define SPL_PROBLEM_SEMIRING_H

#include "sparloom/algebra.h"

#include <stdbool.h>

/* How many there are, numbered from 0. */
enum { SPL__SEMIRINGS = SPL_MAX_SECOND + 1 };

/* Whether "multiply" uses the values of A, of B. */
static inline bool spl__semiring_reads_a(int32_t semiring)
{
    return semiring == SPL_PLUS_TIMES || semiring == SPL_PLUS_FIRST || semiring == SPL_MIN_PLUS ||
           semiring == SPL_MAX_PLUS;
}
static inline bool spl__semiring_reads_b(int32_t semiring)
{
    return semiring != SPL_PLUS_PAIR && semiring != SPL_PLUS_FIRST;
}

static inline bool spl__semiring_is_min(int32_t semiring)
{
    return semiring == SPL_MIN_PLUS || semiring == SPL_MIN_SECOND;
}
static inline bool spl__semiring_is_max(int32_t semiring)
{
    return semiring == SPL_MAX_PLUS || semiring == SPL_MAX_SECOND;
}

/* What "add" makes of nothing. */
static inline double spl__semiring_none(int32_t semiring)
{
    return spl__semiring_is_min(semiring)   ? __builtin_inf()
           : spl__semiring_is_max(semiring) ? -__builtin_inf()
                                            : 0;
}

/* sum = "add"(sum, "multiply"(a, b)), rounded to `type` after each operation: sums of types that
 * are narrower than f64 get the same bits. What is not used may be anything. */
#define SPL__SEMIRING_ADD(type, semiring, sum, a, b)                                               \
    do {                                                                                           \
        type product_ = (b);                                                                       \
        if ((semiring) == SPL_PLUS_PAIR)                                                           \
            product_ = 1;                                                                          \
        else if ((semiring) == SPL_PLUS_TIMES)                                                     \
            product_ = (a) * (b);                                                                  \
        else if ((semiring) == SPL_PLUS_FIRST)                                                     \
            product_ = (a);                                                                        \
        else if (spl__semiring_reads_a(semiring))                                                  \
            product_ = (a) + (b);                                                                  \
        if (spl__semiring_is_min(semiring))                                                        \
            (sum) = product_ < (sum) ? product_ : (sum);                                           \
        else if (spl__semiring_is_max(semiring))                                                   \
            (sum) = product_ > (sum) ? product_ : (sum);                                           \
        else                                                                                       \
            (sum) += product_;                                                                     \
    } while (0)

#endif
