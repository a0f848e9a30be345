/* SPDX-License-Identifier: Apache-2.0 */
/* threshold.h: integers beside a number in f64, on CPUs and devices. */
#ifndef SPL_ALGEBRA_THRESHOLD_H
#define SPL_ALGEBRA_THRESHOLD_H

#include "core/integer.h"

/* A number that compares with the threshold as the integer does, exactly. */
SPL__EVERYWHERE double spl__beside(int64_t value, double threshold)
{
    const double near = (double)value;
    if (near != threshold)
        return near;
    const bool below = threshold == 9223372036854775808.0 || value < (int64_t)threshold;
    return below ? -__builtin_inf() : value > (int64_t)threshold ? __builtin_inf() : near;
}

#endif
