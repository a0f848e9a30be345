/* SPDX-License-Identifier: Apache-2.0 */
/* number.c: the parts of reading numbers that are not inline. See number.h. */
#include "file/number.h"

#include <math.h>
#include <stdlib.h>

const uint64_t spl__small_powers[9] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};
const double spl__exact_powers[SPL__LARGEST_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A positive number mantissa*2^exponent, top bit set, wrong by at most `error` units of the
 * mantissa. */
typedef struct extended {
    uint64_t mantissa;
    int exponent;
    unsigned error;
} extended;

/* 5^27 is the last power of five below 2^64: a power is one of 5^(27*a) from this table, rounded,
 * times an exact 5^b, b < 27. Powers beyond the table are no finite doubles for any w. Made by
 * exact rational arithmetic; test_mm_read checks every row. */
enum { STEP = 27, LOWEST = -13, HIGHEST = 11 };
static const struct {
    uint64_t mantissa;
    int exponent;
} steps[HIGHEST - LOWEST + 1] = {
    {0x8049a4ac0c5811ae, -878}, /* 5^-351 */
    {0xcf42894a5dce35ea, -816}, /* 5^-324 */
    {0xa76c582338ed2622, -753}, /* 5^-297 */
    {0x873e4f75e2224e68, -690}, /* 5^-270 */
    {0xda7f5bf590966849, -628}, /* 5^-243 */
    {0xb080392cc4349ded, -565}, /* 5^-216 */
    {0x8e938662882af53e, -502}, /* 5^-189 */
    {0xe65829b3046b0afa, -440}, /* 5^-162 */
    {0xba121a4650e4ddec, -377}, /* 5^-135 */
    {0x964e858c91ba2655, -314}, /* 5^-108 */
    {0xf2d56790ab41c2a3, -252}, /* 5^-81 */
    {0xc428d05aa4751e4d, -189}, /* 5^-54 */
    {0x9e74d1b791e07e48, -126}, /* 5^-27 */
    {0x8000000000000000, -63},  /* 5^0 */
    {0xcecb8f27f4200f3a, -1},   /* 5^27 */
    {0xa70c3c40a64e6c52, 62},   /* 5^54 */
    {0x86f0ac99b4e8dafd, 125},  /* 5^81 */
    {0xda01ee641a708dea, 187},  /* 5^108 */
    {0xb01ae745b101e9e4, 250},  /* 5^135 */
    {0x8e41ade9fbebc27d, 313},  /* 5^162 */
    {0xe5d3ef282a242e82, 375},  /* 5^189 */
    {0xb9a74a0637ce2ee1, 438},  /* 5^216 */
    {0x95f83d0a1fb69cd9, 501},  /* 5^243 */
    {0xf24a01a73cf2dcd0, 563},  /* 5^270 */
    {0xc3b8358109e84f07, 626},  /* 5^297 */
};

static const uint64_t fives[STEP] = {
    1ULL,
    5ULL,
    25ULL,
    125ULL,
    625ULL,
    3125ULL,
    15625ULL,
    78125ULL,
    390625ULL,
    1953125ULL,
    9765625ULL,
    48828125ULL,
    244140625ULL,
    1220703125ULL,
    6103515625ULL,
    30517578125ULL,
    152587890625ULL,
    762939453125ULL,
    3814697265625ULL,
    19073486328125ULL,
    95367431640625ULL,
    476837158203125ULL,
    2384185791015625ULL,
    11920928955078125ULL,
    59604644775390625ULL,
    298023223876953125ULL,
    1490116119384765625ULL,
};

/* The integer mantissa > 0 times 2^exponent, exactly. */
static extended normalised(uint64_t mantissa, int exponent)
{
    int shift = __builtin_clzll(mantissa);
    return (extended){mantissa << shift, exponent - shift, 0};
}

/* Each factor's error is worth at most one unit of the upper half, or two after the shift; cutting
 * the lower half costs one. */
static extended product(extended a, extended b)
{
    unsigned __int128 full = (unsigned __int128)a.mantissa * b.mantissa;
    int shift = !(uint64_t)(full >> 127); /* an unpredictable factor of two, hence no branch */
    return (extended){(uint64_t)(full << shift >> 64), a.exponent + b.exponent + 64 - shift,
                      2 * (a.error + b.error) + 2};
}

/* 10^q = 5^q * 2^q. False if q is off the table. */
static bool power_of_ten(int64_t q, extended *power)
{
    if (q < LOWEST * STEP || q >= (HIGHEST + 1) * STEP)
        return false;
    int a = (int)(q + (int64_t)STEP * -LOWEST) / STEP, b = (int)(q - (int64_t)STEP * (a + LOWEST));
    *power = normalised(fives[b], 0);
    if (a + LOWEST != 0)
        *power = product(*power, (extended){steps[a].mantissa, steps[a].exponent, 1});
    power->exponent += (int)q;
    return true;
}

bool spl__scale(uint64_t w, int64_t q, bool truncated, double *value)
{
    enum { SPARE = 11, HALF = 1 << (SPARE - 1), BIAS = 1023 }; /* 64 = 53 + SPARE bits */
    enum { LARGEST_SHIFT = 4 }; /* what normalises 10^18, the least w that lacks digits */
    extended power;
    *value = 0;
    if (w == 0)
        return !truncated;
    if (!power_of_ten(q, &power))
        return false;
    extended x = normalised(w, 0);
    x.error = truncated ? 1 << LARGEST_SHIFT : 0;
    x = product(x, power);
    int rest = (int)(x.mantissa & ((1 << SPARE) - 1));
    if (abs(rest - HALF) <= (int)x.error)
        return false;
    uint64_t mantissa = (x.mantissa >> SPARE) + (rest > HALF);
    int exponent = x.exponent + SPARE + 52 + BIAS; /* of the leading bit, biased */
    /* rounded up to 2^53: the fraction below is zero either way */
    exponent += (int)(mantissa >> 53);
    if (exponent < 1 || exponent > 2 * BIAS)
        return false;
    uint64_t bits = ((uint64_t)exponent << 52) | (mantissa & ((1ULL << 52) - 1));
    memcpy(value, &bits, sizeof bits);
    return true;
}

uint64_t spl__scaled_mantissa(double v, int k, int *e)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    extended power = {1ULL << 63, -63, 0};
    extended x = normalised(1ULL << 52 | (bits & ((1ULL << 52) - 1)), (int)(bits >> 52) - 1075);
    power_of_ten(k, &power);
    x = product(x, power);
    *e = x.exponent;
    return x.mantissa;
}

double spl__scale_or_parse(uint64_t w, int64_t q, const char *start)
{
    double value;
    return spl__scale(w, q, false, &value) ? value : fabs(strtod(start, NULL));
}

const char *spl__read_index_long(const char *start, uint64_t *value)
{
    const char *p = start;
    while (*p == '0')
        p++;
    const char *first = p;
    *value = 0;
    p = spl__read_digits(p, value);
    if (p - first > SPL__SAFE_DIGITS)
        *value = UINT64_MAX;
    return p;
}

/* A decimal of any length, as far as 19 significant digits tell. */
typedef struct decimal {
    uint64_t w;
    int64_t q;
    int significant; /* digits in w, from the first that is not zero */
    bool truncated;
} decimal;

static const char *take_digits(const char *p, decimal *d, bool fraction)
{
    for (; *p >= '0' && *p <= '9'; p++) {
        bool room = d->significant < SPL__SAFE_DIGITS;
        if (room)
            d->w = d->w * 10 + (uint64_t)(*p - '0');
        else
            d->truncated |= *p != '0';
        d->significant += d->w != 0 && room;
        d->q += (room ? 0 : 1) - (fraction ? 1 : 0);
    }
    return p;
}

/* Whether the text begins with the word, ignoring case. */
static bool begins_with(const char *p, const char *word)
{
    for (; *word; p++, word++)
        if ((*p | 0x20) != *word)
            return false;
    return true;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of "(0x...)" at p, 0 if it is none; *end is where it ends. */
static uint64_t read_payload(const char *p, const char **end)
{
    enum { LONGEST = 13 }; /* 52 bits */
    static const char hex[] = "0123456789abcdef";
    uint64_t payload = 0;
    if (p[1] != '0' || p[2] != 'x')
        return 0;
    const char *digits = p + 3;
    for (p = digits; *p && strchr(hex, *p) && p - digits < LONGEST; p++)
        payload = payload * 16 + (uint64_t)(strchr(hex, *p) - hex);
    *end = p + 1;
    return *p == ')' ? payload : 0;
}

/* nan or nan(0x<fraction bits>). */
static const char *read_nan(const char *p, double *value)
{
    uint64_t payload = 1ULL << 51;
    p += 3;
    if (*p == '(')
        payload = read_payload(p, &p);
    *value = from_bits(0x7ffULL << 52 | payload);
    return payload ? p : NULL;
}

static const char *read_special(const char *p, double *value)
{
    if (begins_with(p, "nan"))
        return read_nan(p, value);
    if (!begins_with(p, "inf"))
        return NULL;
    *value = INFINITY;
    return p + (begins_with(p, "infinity") ? 8 : 3);
}

static const char *read_decimal(const char *start, const char *p, double *value)
{
    decimal d = {0};
    const char *digits = p;
    p = take_digits(p, &d, false);
    int64_t count = p - digits;
    if (*p == '.') {
        const char *fraction = ++p;
        p = take_digits(p, &d, true);
        count += p - fraction;
    }
    if (count == 0)
        return NULL;
    p = spl__read_exponent(p, &d.q);
    if (p && !spl__scale(d.w, d.q, d.truncated, value))
        *value = fabs(strtod(start, NULL));
    return p;
}

const char *spl__read_value_long(const char *start, double *value)
{
    bool negative = *start == '-';
    const char *p = start + (negative || *start == '+');
    if ((*p >= '0' && *p <= '9') || *p == '.')
        p = read_decimal(start, p, value);
    else
        p = read_special(p, value);
    if (!p || !spl__ends_token(*p))
        return NULL;
    *value = spl__with_sign(*value, negative);
    return p;
}

spl__c_locale spl__c_locale_enter(void)
{
    spl__c_locale locale = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (locale.c)
        locale.previous = uselocale(locale.c);
    return locale;
}

void spl__c_locale_leave(spl__c_locale locale)
{
    if (!locale.c)
        return;
    uselocale(locale.previous);
    freelocale(locale.c);
}

/* A number in digits alone, which may be longer than a double holds. */
static const char *read_digits_alone(const char *start, bool negative, uint64_t *size)
{
    const char *digits = start + (negative | (*start == '+')), *p = digits;
    *size = 0;
    p = spl__read_digits(p, size);
    if (p == digits || !spl__ends_token(*p))
        return NULL;
    return p - digits > SPL__SAFE_DIGITS ? spl__read_index_long(digits, size) : p;
}

const char *spl__read_whole(const char *start, int64_t least, int64_t most, int64_t *value)
{
    const bool negative = *start == '-';
    uint64_t size;
    const char *p = read_digits_alone(start, negative, &size);
    if (!p) {
        double real;
        p = spl__read_value(start, &real);
        if (!p || !(real >= -0x1p63 && real < 0x1p63) || real != (double)(int64_t)real)
            return NULL;
        *value = (int64_t)real;
        return *value >= least && *value <= most ? p : NULL;
    }
    if (size > (negative ? -(uint64_t)least : (uint64_t)most))
        return NULL;
    *value = (int64_t)(negative ? -size : size);
    return p;
}
