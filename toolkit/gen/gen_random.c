/* SPDX-License-Identifier: Apache-2.0 */
#include "gen_job.h"

#include "typed_array.h"

#include <math.h>
#include <stdlib.h>

/* Exact operations on the exponent (frexp, ldexp), polynomials for the rest;
 * about 1e-15 relative. */
static double logarithm2(double x)
{
    int exponent;
    double m = frexp(x, &exponent); /* [0.5, 1) */
    double t = (m - 1) / (m + 1), square = t * t, sum = 0;
    for (int k = 61; k > 0; k -= 2)
        sum = sum * square + 1.0 / k;
    return exponent + 2 * t * sum * 1.4426950408889634;
}

static double exponential2(double x)
{
    double integer = floor(x), r = (x - integer) * 0.6931471805599453, sum = 1;
    for (int k = 20; k > 0; k--)
        sum = 1 + r / k * sum;
    return ldexp(sum, (int)integer);
}

double gen_power(double x, double y)
{
    return exponential2(y * logarithm2(x));
}

static unsigned half_bits(int64_t count)
{
    unsigned half = 1;
    while (half < 31 && (INT64_C(1) << (2 * half)) < count)
        half++;
    return half;
}

int64_t gen_permuted(uint64_t seed, int64_t count, int64_t i)
{
    unsigned half = half_bits(count);
    uint64_t mask = (UINT64_C(1) << half) - 1, position = (uint64_t)i;
    do {
        uint64_t left = position >> half, right = position & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t mixed = left ^ (gen_hash(seed, round, right) & mask);
            left = right;
            right = mixed;
        }
        position = left << half | right;
    } while (position >= (uint64_t)count);
    return (int64_t)position;
}

int32_t *gen_permutation(uint64_t seed, int64_t count)
{
    int32_t *position = tool_array(count, sizeof *position);
    if (!position)
        return NULL;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++)
        position[i] = (int32_t)gen_permuted(seed, count, i);
    return position;
}
