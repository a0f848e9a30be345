/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal text to numbers and back: the same bits as strtod's, in every locale, for every digit
 * count. */
#include "lib/testing.h"

#include "file/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The text followed by `end` and what a parser may look at. */
static bool read_value(const char *text, char end, double *value)
{
    char buffer[2048] = {0};
    size_t length = strlen(text);
    memcpy(buffer, text, length);
    buffer[length] = end;
    buffer[length + 1] = '\n';
    const char *stop = spl__read_value(buffer, value);
    return stop == buffer + length;
}

static void check_text(const char *text)
{
    double value = 0;
    testing_case("\"%s\"", text);
    EXPECT(read_value(text, '\n', &value));
    EXPECT(bits_of(value) == bits_of(strtod(text, NULL)));
}

static const char *const hard_texts[] = {
    "0",
    "-0",
    "+0",
    "0.0",
    "1",
    "-1",
    ".5",
    "5.",
    "+.5e1",
    "1e22",
    "1e23",
    "-1e23",
    "9007199254740993",
    "9007199254740992.5",
    "9007199254740993.00000000000000000000000001",
    "1e308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "1e309",
    "-1e400",
    "2.2250738585072014e-308",
    "2.2250738585072011e-308",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1e-323",
    "1e-400",
    "0e999999999999",
    "1e-999999999999999999999",
    "1e99999999999999999999999",
    "123456789012345678901234567890",
    "0.000000000000000000000000000000000000123456789012345678",
    "100000000000000000000000000000000000000000",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "8.988465674311580536566680721305e307",
    "6.02214076E+23",
    "1E-5",
    "12345678",
    "1234567812345678",
    "0.12345678",
    "0.1234567812345678",
    "18446744073709551615",
    "18446744073709551616",
    "9999999999999999999",
    "99999999999999999999",
    "1e27",
    "1e-27",
    "1e28",
    "1e-28",
    "3.141592653589793238462643383279502884197",
};

static void hard_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hard_texts / sizeof *hard_texts; i++)
        check_text(hard_texts[i]);
}

/* Random digits of every count with exponents over the whole range: checks every row of the table
 * of powers. */
static void random_texts(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int k = 0; k < 400000 / testing_scale(); k++) {
        char text[128];
        int n = 0, digits = (int)zoo_random_below(&random, 22) + 1,
            point = (int)zoo_random_below(&random, digits + 1);
        for (int i = 0; i < digits; i++) {
            if (i == point)
                text[n++] = '.';
            text[n++] = (char)('0' + zoo_random_below(&random, 10));
        }
        int64_t range = k % 3 ? 30 : 350;
        sprintf(text + n, "e%lld",
                (long long)zoo_random_below(&random, 2 * range) - (long long)range);
        check_text(text);
    }
}

/* Exactly between two doubles, and a distant later digit decides. */
static void halfway(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int k = 0; k < 20000 / testing_scale(); k++) {
        char text[1200];
        double v = ldexp((double)(zoo_random_next(&random) >> 11 | 1ULL << 52),
                         (int)zoo_random_below(&random, 200) - 150);
        double half = (nextafter(v, INFINITY) - v) / 2;
        int n = snprintf(text, sizeof text, "%.200Lf", (long double)v + (long double)half);
        check_text(text);
        text[n - 1] = '1';
        check_text(text);
    }
}

static void not_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"",        "-",        "+",
                                        ".",       "-.",       "e5",
                                        "1e",      "1e+",      "--1",
                                        "1-",      "1.2.3",    "0x10",
                                        "1d5",     "1,5",      "1e5.0",
                                        "1e 5",    "infi",     "nan(",
                                        "nan()",   "nan(0x)",  "nan(0x0)",
                                        "nan(12)", "nan(0xz)", "in",
                                        "infinit", "1_000",    "nan(0x10000000000000)",
                                        "1f",      "\xd9\xa1"};
    double value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        testing_case("\"%s\"", texts[i]);
        EXPECT(!read_value(texts[i], '\n', &value));
    }
    EXPECT(read_value("1.5", ' ', &value) && read_value("1.5", '\t', &value) &&
           read_value("1.5", '\r', &value));
    EXPECT(!read_value("1.5", 0, &value) && !read_value("1.5", '%', &value) &&
           !read_value("1.5", '\v', &value));
}

static void indices_and_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
        uint64_t value;
    } cases[] = {{"0\n", true, 0},
                 {"7 \n", true, 7},
                 {"12345678\n", true, 12345678},
                 {"123456789\t\n", true, 123456789},
                 {"000000000000000000000000000042\n", true, 42},
                 {"999999999999999999\n", true, 999999999999999999},
                 {"9223372036854775807\n", true, INT64_MAX},
                 {"99999999999999999999\n", true, UINT64_MAX},
                 {"340282366920938463463374607431768211457\n", true, UINT64_MAX},
                 {"-1\n", false, 0},
                 {"+1\n", false, 0},
                 {"1.0\n", false, 0},
                 {"\n", false, 0},
                 {"x\n", false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buffer[64] = {0};
        uint64_t value = 0;
        strcpy(buffer, cases[i].text);
        testing_case("%s", cases[i].text);
        EXPECT((spl__read_index(buffer, &value) != NULL) == cases[i].valid);
        EXPECT(!cases[i].valid || value == cases[i].value);
    }
    double value;
    EXPECT(spl__read_integer("-9007199254740993\n        ", &value) &&
           value == -9007199254740992.0);
    EXPECT(spl__read_integer("123456789012345678901234567890\n        ", &value) &&
           value == 123456789012345678901234567890.0);
    EXPECT(!spl__read_integer("1.0\n        ", &value) &&
           !spl__read_integer("1e3\n        ", &value));
    EXPECT(!spl__read_integer("nan\n        ", &value) &&
           !spl__read_integer("-\n        ", &value));
}

/* -------------------------------------------------------------------------------------- writing */

static void check_round_trip(double v, bool single)
{
    char text[SPL__VALUE_BYTES + 1];
    double back = 0;
    int length = spl__format_value(text, v, single);
    EXPECT(length > 0 && length <= SPL__VALUE_BYTES);
    text[length] = 0;
    testing_case("%a written as \"%s\"", v, text);
    EXPECT(read_value(text, '\n', &back));
    if (single) /* what the reader does for f32 */
        EXPECT(bits_of((double)(float)back) == bits_of(v));
    else
        EXPECT(bits_of(back) == bits_of(v));
}

static void random_bits_round_trip(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int k = 0; k < 400000 / testing_scale(); k++) {
        uint64_t bits = zoo_random_next(&random);
        check_round_trip(double_of(bits), false);
        check_round_trip(double_of(bits & 0x800fffffffffffffULL), false); /* subnormal */
        check_round_trip(zoo_random_unit(&random) * 1000, false);
        check_round_trip((double)zoo_random_below(&random, 2000000) / 1000, false);
        float single = (float)zoo_random_unit(&random);
        check_round_trip(single, true);
        uint32_t half = (uint32_t)bits;
        memcpy(&single, &half, sizeof single);
        if (!isnan(single))
            check_round_trip(single, true);
    }
}

static void special_round_trips(void **state)
{
    (void)state;
    const double values[] = {0.0,
                             -0.0,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             -NAN,
                             DBL_MIN,
                             DBL_MAX,
                             -DBL_MAX,
                             DBL_TRUE_MIN,
                             nextafter(DBL_MIN, 0),
                             nextafter(1, 2),
                             nextafter(1, 0),
                             1e15,
                             1e16,
                             1e17,
                             1e22,
                             1e23,
                             9007199254740991.0,
                             9007199254740993.0,
                             1e-300,
                             1e-301,
                             123456789012345678.0,
                             double_of(0x7ff8000000000001ULL),
                             double_of(0xfff0000000000001ULL)};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_round_trip(values[i], false);
    for (int e = -1074; e < 1024; e++) { /* powers of two and their neighbours */
        check_round_trip(ldexp(1, e), false);
        check_round_trip(nextafter(ldexp(1, e), 0), false);
        check_round_trip(nextafter(ldexp(1, e), INFINITY), false);
    }
    for (int e = -149; e < 128; e++)
        check_round_trip(ldexp(1, e), true);
}

static void short_texts(void **state)
{
    (void)state;
    static const struct {
        double value;
        bool single;
        const char *text;
    } cases[] = {{0.1, false, "0.1"},
                 {0.1F, true, "0.1"},
                 {-2.5, false, "-2.5"},
                 {1, false, "1"},
                 {-0.0, false, "-0"},
                 {1e22, false, "1e22"},
                 {1e-7, false, "1e-7"},
                 {0.00012, false, "0.00012"},
                 {123456.789, false, "123456.789"},
                 {1.0 / 3, false, "0.3333333333333333"},
                 {1.0F / 3, true, "0.33333334"},
                 {1e100, false, "1e100"},
                 {3e-5, false, "3e-5"},
                 {16777216, true, "16777216"},
                 {INFINITY, false, "inf"},
                 {-INFINITY, true, "-inf"},
                 {6.25e-12, false, "6.25e-12"},
                 {5e300, false, "5e300"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SPL__VALUE_BYTES + 1] = {0};
        text[spl__format_value(text, cases[i].value, cases[i].single)] = 0;
        testing_case("\"%s\" for \"%s\"", text, cases[i].text);
        EXPECT(strcmp(text, cases[i].text) == 0);
    }
    const int64_t numbers[] = {0, 7, -7, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 5; i++) {
        char text[SPL__VALUE_BYTES + 1] = {0};
        spl__format_int(text, numbers[i]);
        testing_case("\"%s\"", text);
        EXPECT(strtoll(text, NULL, 10) == numbers[i]);
    }
}

/* A user's decimal comma must not matter, not even where strtod and printf are the last resort. */
static void locales(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE",
                                        "fr_FR.UTF-8", "fr_FR.utf8", "it_IT.UTF-8"};
    const double values[] = {
        0.5, 1234.5678, 4.9406564584124654e-324, 2.5e-310, 1.7976931348623157e308, -1.25e-305};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_ALL, names[i]);
    if (!found) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    EXPECT(strcmp(localeconv()->decimal_point, ",") == 0);
    spl__c_locale locale = spl__c_locale_enter();
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[SPL__VALUE_BYTES + 1] = {0};
        spl__format_value(text, values[i], false);
        testing_case("%s", text);
        EXPECT(strchr(text, ',') == NULL);
        check_round_trip(values[i], false);
    }
    spl__c_locale_leave(locale);
    EXPECT(strcmp(localeconv()->decimal_point, ",") == 0);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_cases),
        cmocka_unit_test(random_texts),
        cmocka_unit_test(halfway),
        cmocka_unit_test(not_numbers),
        cmocka_unit_test(indices_and_integers),
        cmocka_unit_test(random_bits_round_trip),
        cmocka_unit_test(special_round_trips),
        cmocka_unit_test(short_texts),
        cmocka_unit_test(locales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
