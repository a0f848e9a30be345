/* SPDX-License-Identifier: Apache-2.0 */
/* number_format.c: numbers to text that reads back as the same bits. See number.h.
 *
 * The first 17 digits come from a 64-bit approximation; they and their roundings to fewer digits
 * are tried, shortest first, by reading them back. So the result is right even where the
 * approximation is not; what it cannot do is left to printf. */
#include "file/number.h"

#include <math.h>
#include <stdio.h>

enum { DIGITS = 17 };

int spl__format_int(char *out, int64_t value)
{
    char reversed[SPL__VALUE_BYTES];
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int count = 0, length = 0;
    do
        reversed[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        out[length++] = '-';
    while (count)
        out[length++] = reversed[--count];
    return length;
}

static int format_nonfinite(char *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t payload = bits & ((1ULL << 52) - 1);
    const char *sign = bits >> 63 ? "-" : "";
    if (payload == 0)
        return snprintf(out, SPL__VALUE_BYTES, "%sinf", sign);
    if (payload == 1ULL << 51)
        return snprintf(out, SPL__VALUE_BYTES, "%snan", sign);
    return snprintf(out, SPL__VALUE_BYTES, "%snan(0x%llx)", sign, (unsigned long long)payload);
}

/* v = (about) digits*10^(exponent-16), 10^16 <= digits < 10^17. False
 * for subnormal neighbourhoods. */
static bool seventeen_digits(double v, uint64_t *digits, int *exponent)
{
    const uint64_t low = 10000000000000000ULL;
    int binary, e;
    frexp(v, &binary);
    *exponent = (int)floor((binary - 1) * 0.30102999566398120); /* log10(2) */
    for (int tries = 0; tries < 3; tries++) {
        if (*exponent < -300)
            return false;
        uint64_t m = spl__scaled_mantissa(v, DIGITS - 1 - *exponent, &e);
        if (e > -1 || e < -63)
            return false;
        *digits = (m >> -e) + (m >> (-e - 1) & 1);
        if (*digits >= low && *digits < 10 * low)
            return true;
        *exponent += *digits < low ? -1 : 1;
    }
    return false;
}

/* The first `count` digits rounded; the exponent follows a carry out of the top. */
static uint64_t fewer_digits(uint64_t digits, int count, int *exponent)
{
    uint64_t unit = 1;
    for (int i = count; i < DIGITS; i++)
        unit *= 10;
    uint64_t rounded = digits / unit + (digits % unit * 2 >= unit && unit > 1);
    if (rounded * unit < 10 * 10000000000000000ULL)
        return rounded;
    ++*exponent;
    return rounded / 10;
}

static bool reads_back(uint64_t w, int q, double v, bool single)
{
    double read;
    if (w <= (1ULL << 53) && q >= -SPL__LARGEST_POWER && q <= SPL__LARGEST_POWER)
        read = q < 0 ? (double)w / spl__exact_powers[-q] : (double)w * spl__exact_powers[q];
    else if (!spl__scale(w, q, false, &read))
        return false;
    return single ? (float)read == (float)v : read == v;
}

/* d[0..count) times 10^(exponent-count+1), as %g would lay it out, but up to 17 digits before the
 * point. */
static int lay_out(char *out, const char *d, int count, int exponent)
{
    char *p = out;
    if (exponent >= 0 && exponent < DIGITS) {
        for (int i = 0; i <= exponent; i++)
            *p++ = i < count ? d[i] : '0';
        if (count > exponent + 1)
            *p++ = '.';
        for (int i = exponent + 1; i < count; i++)
            *p++ = d[i];
        return (int)(p - out);
    }
    if (exponent < 0 && exponent >= -4) {
        memcpy(p, "0.0000", 6);
        p += 1 - exponent;
        memcpy(p, d, (size_t)count);
        return (int)(p + count - out);
    }
    *p++ = d[0];
    if (count > 1)
        *p++ = '.';
    memcpy(p, d + 1, (size_t)count - 1);
    p += count - 1;
    *p++ = 'e';
    return (int)(p + spl__format_int(p, exponent) - out);
}

/* v > 0 and finite. 0 if no candidate is certain to read back. */
static int format_shortest(char *out, double v, bool single)
{
    uint64_t digits;
    int exponent;
    if (!seventeen_digits(v, &digits, &exponent))
        return 0;
    for (int count = single ? 6 : 15; count <= (single ? 9 : DIGITS); count++) {
        int e = exponent;
        uint64_t w = fewer_digits(digits, count, &e);
        if (!reads_back(w, e - count + 1, v, single))
            continue;
        for (; w % 10 == 0; count--)
            w /= 10;
        char text[SPL__VALUE_BYTES];
        spl__format_int(text, (int64_t)w);
        return lay_out(out, text, count, e);
    }
    return 0;
}

int spl__format_value(char *out, double value, bool single)
{
    if (!isfinite(value))
        return format_nonfinite(out, value);
    char *p = out;
    if (signbit(value))
        *p++ = '-';
    double v = fabs(value);
    if (v < 1e15 && v == (double)(int64_t)v)
        return (int)(p + spl__format_int(p, (int64_t)v) - out);
    int length = format_shortest(p, v, single);
    if (length == 0)
        length = snprintf(p, SPL__VALUE_BYTES - 1, single ? "%.9g" : "%.17g", v);
    return (int)(p + length - out);
}
