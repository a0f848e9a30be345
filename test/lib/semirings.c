/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/semirings.h"

#include <math.h>
#include <stdbool.h>

static bool is_min(int semiring)
{
    return semiring == SPL_MIN_PLUS || semiring == SPL_MIN_SECOND || semiring == SPL_MIN_TIMES;
}

static bool is_max(int semiring)
{
    return semiring == SPL_MAX_PLUS || semiring == SPL_MAX_SECOND || semiring == SPL_MAX_TIMES;
}

int test_semiring_draw(zoo_random *draws, spl_type type)
{
    const bool integer = type == SPL_INT64 || type == SPL_INT32;
    for (;;) {
        const int semiring = (int)zoo_random_below(draws, SPL_OR_SECOND + 1);
        if (integer ? semiring < SPL_MIN_TIMES || semiring > SPL_MAX_TIMES
                    : semiring != SPL_OR_SECOND)
            return semiring;
    }
}

double test_semiring_none(int semiring)
{
    return is_min(semiring) ? INFINITY : is_max(semiring) ? -INFINITY : 0;
}

double test_semiring_add(int semiring, double sum, double value)
{
    return is_min(semiring) ? fmin(sum, value) : is_max(semiring) ? fmax(sum, value) : sum + value;
}

double test_semiring_multiply(int semiring, double a, double b)
{
    const double products[TEST_SEMIRINGS] = {a * b, 1, a, b, a + b, a + b, b, b, a * b, a * b};
    return products[semiring];
}
