/* SPDX-License-Identifier: Apache-2.0 */
/* number.h: decimal text to numbers and back, exactly rounded, whatever the locale.
 *
 * Reading never tests for the end of the text: callers guarantee that a newline ends it and that
 * SPL__TEXT_PADDING bytes after that newline may be read. Digits are taken eight at a time, so the
 * work per number does not branch on its length. A value w*10^q is computed
 *   1. with one multiplication or division if w and 10^|q| are exact doubles,
 *   2. else with 64-bit mantissas and a bound on the error, if rounding is certain within that
 * bound (all but one in some hundreds),
 *   3. else by strtod; the calling thread must then be in the C locale (spl__c_locale_enter).
 * Source: W. Clinger, How to Read Floating Point Numbers Accurately, PLDI 1990 (steps 1 and 2 are
 * its fast path and Bellerophon). */
#ifndef SPL_FILE_NUMBER_H
#define SPL_FILE_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    SPL__TEXT_PADDING = 8,  /* readable bytes after the last newline */
    SPL__VALUE_BYTES = 32,  /* enough for any spl__format_value or spl__format_int */
    SPL__SAFE_DIGITS = 19,  /* that many decimal digits fit in 64 bits */
    SPL__LARGEST_POWER = 22 /* 10^22 is the last power of ten that a double holds exactly */
};

extern const uint64_t spl__small_powers[9]; /* 10^0 .. 10^8 */
extern const double spl__exact_powers[SPL__LARGEST_POWER + 1];

/* *value = w*10^q correctly rounded; `truncated`: w lacks further digits. False if that is not
 * certain, or not a normal number. */
bool spl__scale(uint64_t w, int64_t q, bool truncated, double *value);
/* The mantissa m (top bit set) and exponent e of v*10^k = m*2^e, within 8 units of m; v > 0 normal,
 * and so is v*10^k. */
uint64_t spl__scaled_mantissa(double v, int k, int *e);

/* Step 2 and 3 for a valid number of at most SPL__SAFE_DIGITS digits that begins at `start` (sign
 * ignored). */
double spl__scale_or_parse(uint64_t w, int64_t q, const char *start);
/* All of spl__read_value for what its inline part leaves: more digits, inf, nan, nan(0x...). */
const char *spl__read_value_long(const char *start, double *value);
/* An index of any number of digits; UINT64_MAX if it needs more than 64 bits. */
const char *spl__read_index_long(const char *start, uint64_t *value);

/* Reads a number that is an integer from `least` to `most`, exactly: also 1.0 and 2e3. NULL if
 * there is none at p. C locale as above. */
const char *spl__read_whole(const char *start, int64_t least, int64_t most, int64_t *value);

/* Shortest of the usual precisions (15, 16, 17 digits; single: 6 to 9) that reads back as the same
 * bits; no terminating zero. Returns the number of bytes, at most SPL__VALUE_BYTES. NaN payloads
 * are kept as nan(0x...). C locale as above. */
int spl__format_value(char *out, double value, bool single);
int spl__format_int(char *out, int64_t value);

/* Puts the calling thread into the C locale; give the result to spl__c_locale_leave. Cheap. */
typedef struct spl__c_locale {
    locale_t c, previous;
} spl__c_locale;
spl__c_locale spl__c_locale_enter(void);
void spl__c_locale_leave(spl__c_locale locale);

static inline bool spl__is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}
static inline bool spl__ends_token(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
static inline const char *spl__skip_blanks(const char *p)
{
    while ((unsigned char)*p <= ' ' &&
           spl__is_blank(*p)) /* one comparison for the usual end of the loop */
        p++;
    return p;
}

/* Eight characters, the first in the lowest byte. */
static inline __attribute__((always_inline)) uint64_t spl__load8(const char *p)
{
    uint64_t chunk;
    memcpy(&chunk, p, sizeof chunk);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    chunk = __builtin_bswap64(chunk);
#endif
    return chunk;
}

/* The number of eight digits, one a byte, the most significant in the lowest byte: neighbours are
 * joined three times. */
static inline __attribute__((always_inline)) uint64_t spl__join_digits(uint64_t digits)
{
    uint64_t pairs = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ffULL;
    uint64_t fours = (pairs * 100 + (pairs >> 16)) & 0x0000ffff0000ffffULL;
    return (uint32_t)fours * 10000ULL + (fours >> 32);
}

/* Appends the digits at p to *value, modulo 2^64; returns where they end. */
static inline __attribute__((always_inline)) const char *spl__read_digits(const char *p,
                                                                          uint64_t *value)
{
    for (;; p += 8) {
        /* a digit becomes 0..9, all else 10 or more */
        uint64_t digits = spl__load8(p) ^ 0x3030303030303030ULL;
        uint64_t non_digits = ((digits + 0x7676767676767676ULL) | digits) &
                              0x8080808080808080ULL; /* exact up to the first */
        if (non_digits) {
            int count = __builtin_ctzll(non_digits) >> 3;
            digits = digits << (63 - 8 * count) << 1; /* count may be 0 */
            *value = *value * spl__small_powers[count] + spl__join_digits(digits);
            return p + count;
        }
        *value = *value * 100000000 + spl__join_digits(digits);
    }
}

/* Reads an unsigned integer that blanks or the line's end must follow. Returns where it ends, NULL
 * if there is none at p. */
static inline __attribute__((always_inline)) const char *spl__read_index(const char *p,
                                                                         uint64_t *value)
{
    const char *start = p;
    *value = 0;
    p = spl__read_digits(p, value);
    if (p == start || !spl__ends_token(*p))
        return NULL;
    return p - start < SPL__SAFE_DIGITS ? p : spl__read_index_long(start, value);
}

/* Reads e[+-]digits if present; a huge exponent is reduced to one that still means zero or
 * infinity. NULL if the digits are missing. */
static inline __attribute__((always_inline)) const char *spl__read_exponent(const char *p,
                                                                            int64_t *exponent)
{
    if ((*p | 0x20) != 'e')
        return p;
    p++;
    bool negative = *p == '-';
    p += negative || *p == '+';
    const char *start = p;
    uint64_t e = 0;
    p = spl__read_digits(p, &e);
    if (p == start)
        return NULL;
    if (p - start > 8)
        p = spl__read_index_long(start, &e);
    if (e > INT32_MAX)
        e = INT32_MAX;
    *exponent += negative ? -(int64_t)e : (int64_t)e;
    return p;
}

static inline double spl__with_sign(double magnitude, bool negative)
{
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    bits |= (uint64_t)negative << 63;
    memcpy(&magnitude, &bits, sizeof bits);
    return magnitude;
}

/* Reads a real number (C's decimal syntax, inf, nan) that blanks or the line's end must follow.
 * NULL if there is none at p. */
static inline __attribute__((always_inline)) const char *spl__read_value(const char *start,
                                                                         double *value)
{
    bool negative = *start == '-';
    const char *digits = start + (negative | (*start == '+'));
    uint64_t w = 0;
    const char *p = spl__read_digits(digits, &w);
    int64_t count = p - digits, q = 0;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = spl__read_digits(fraction, &w);
        q = fraction - p;
    }
    if (count - q == 0 || count - q > SPL__SAFE_DIGITS)
        return spl__read_value_long(start, value);
    p = spl__read_exponent(p, &q);
    if (!p || !spl__ends_token(*p))
        return NULL;
    double magnitude;
    if (w <= (1ULL << 53) && q <= SPL__LARGEST_POWER && q >= -SPL__LARGEST_POWER)
        magnitude = q < 0 ? (double)w / spl__exact_powers[-q] : (double)w * spl__exact_powers[q];
    else
        magnitude = spl__scale_or_parse(w, q, start);
    *value = spl__with_sign(magnitude, negative);
    return p;
}

/* Reads an integer with an optional sign as the nearest double. */
static inline __attribute__((always_inline)) const char *spl__read_integer(const char *start,
                                                                           double *value)
{
    bool negative = *start == '-';
    const char *digits = start + (negative | (*start == '+'));
    uint64_t w = 0;
    const char *p = spl__read_digits(digits, &w);
    if (p == digits || !spl__ends_token(*p))
        return NULL;
    if (p - digits > SPL__SAFE_DIGITS)
        return spl__read_value_long(start, value);
    *value = spl__with_sign((double)w, negative);
    return p;
}

#endif
