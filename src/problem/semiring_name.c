/* SPDX-License-Identifier: Apache-2.0 */
#include "problem/semiring_name.h"

#include "problem/semiring.h"

const char *spl__semiring_name(int32_t semiring)
{
    static const char *const names[SPL__SEMIRINGS] = {
        [SPL_PLUS_TIMES] = "plus_times", [SPL_PLUS_PAIR] = "plus_pair",
        [SPL_PLUS_FIRST] = "plus_first", [SPL_PLUS_SECOND] = "plus_second",
        [SPL_MIN_PLUS] = "min_plus",     [SPL_MAX_PLUS] = "max_plus",
        [SPL_MIN_SECOND] = "min_second", [SPL_MAX_SECOND] = "max_second",
        [SPL_MIN_TIMES] = "min_times",   [SPL_MAX_TIMES] = "max_times",
        [SPL_OR_SECOND] = "or_second"};
    return names[semiring];
}
