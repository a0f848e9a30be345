/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 16 bits by their definition, with arithmetic instead of bit patterns: sign, exponent,
 * fraction. */
#include "zoo/zoo.h"

#include <math.h>

/* Bits of the fraction, and the exponent of the smallest normal number. */
typedef struct format {
    int fraction, least;
} format;

static format format_of(spl_type type)
{
    return type == SPL_F16 ? (format){10, -14} : (format){7, -126};
}

double zoo_half_value(uint16_t bits, spl_type type)
{
    const format f = format_of(type);
    const int all = (0x7fff >> f.fraction), exponent = bits >> f.fraction & all,
              fraction = bits & ((1 << f.fraction) - 1);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == all)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, f.least - f.fraction);
    return sign * ldexp(fraction + (1 << f.fraction), exponent - 1 + f.least - f.fraction);
}

/* To nearest even: nearbyint of the number in units of its last place. */
uint16_t zoo_half_bits(double value, spl_type type)
{
    const format f = format_of(type);
    const int infinite = 0x7fff >> f.fraction << f.fraction;
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    if (isnan(value))
        return (uint16_t)(sign | infinite | 1 << (f.fraction - 1));
    if (isinf(value))
        return (uint16_t)(sign | infinite);
    frexp(value, &exponent); /* value = 0.5..1 * 2^exponent */
    exponent = value == 0 || exponent - 1 < f.least ? f.least : exponent - 1;
    /* Units count on from one exponent to the next, as bits do: a carry is the next exponent, or
     * infinity. */
    const double units = nearbyint(ldexp(fabs(value), f.fraction - exponent));
    const double bits = units + (double)(exponent - f.least) * (1 << f.fraction);
    return (uint16_t)(sign | (bits < infinite ? (int)bits : infinite));
}
