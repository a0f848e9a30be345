/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses: their numbers, which never change, their names, sentences and details. */
#include "core/error.h"
#include "lib/testing.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"SPL_OK",
                                    "SPL_INVALID_ARGUMENT",
                                    "SPL_INVALID_MATRIX",
                                    "SPL_SHAPE_MISMATCH",
                                    "SPL_UNSUPPORTED",
                                    "SPL_OUT_OF_MEMORY",
                                    "SPL_OVER_BUDGET",
                                    "SPL_INDEX_OVERFLOW",
                                    "SPL_DEVICE_FAILURE",
                                    "SPL_CANCELLED",
                                    "SPL_FILE_ERROR",
                                    "SPL_FILE_INVALID",
                                    "SPL_BUSY",
                                    "SPL_STALE",
                                    "SPL_INTERNAL"};
enum { NAMES = sizeof names / sizeof *names };

static void names_belong_to_numbers(void **state)
{
    (void)state;
    for (int s = 0; s < NAMES; s++) {
        testing_case("status %d", s);
        EXPECT(strcmp(spl_status_name((spl_status)s), names[s]) == 0);
    }
    EXPECT(strcmp(spl_status_name((spl_status)NAMES), "SPL_UNKNOWN") == 0);
    EXPECT(strcmp(spl_status_name((spl_status)-1), "SPL_UNKNOWN") == 0);
}

static void sentences_differ(void **state)
{
    (void)state;
    for (int s = 0; s <= NAMES; s++) {
        testing_case("status %d", s);
        EXPECT(strlen(spl_status_message((spl_status)s)) > 7);
        for (int t = 0; t < s; t++)
            EXPECT(strcmp(spl_status_message((spl_status)s), spl_status_message((spl_status)t)) !=
                   0);
    }
}

static void long_details_are_cut(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    EXPECT(spl__fail(SPL_INTERNAL, "%s", text) == SPL_INTERNAL);
    EXPECT(strlen(spl_error_detail()) <= 511 && strlen(spl_error_detail()) > 500);
}

/* File names of random lengths, of one or two bytes a letter: the detail keeps the name's
 * beginning and the reason, and cuts no letter in half. */
static void what_stands_behind_a_long_name_is_kept(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int i = 0; i < 300; i++) {
        char name[4096] = "";
        seed = seed * 1103515245U + 12345U;
        size_t letters = seed / 65536 % 2000, width = 1 + seed / 1024 % 2;
        for (size_t k = 0; k < letters; k++)
            strcat(name, width == 2 ? "\xc3\xa4" : "x");
        spl__fail(SPL_FILE_ERROR, "%s%s: %s", seed % 2 ? "a" : "", name, "No such file");
        const char *detail = spl_error_detail(), *gap = strstr(detail, " ... ");
        testing_case("%zu letters of %zu bytes", letters, width);
        EXPECT(strlen(detail) <= 511 && strcmp(detail + strlen(detail) - 12, "No such file") == 0);
        EXPECT((gap != NULL) == (letters * width + (seed % 2) + 14 > 511));
        EXPECT(!gap || (gap[5] != '\xa4' && gap[-1] != '\xc3'));
    }
}

static void *detail_of_another_thread(void *unused)
{
    (void)unused;
    const char *before = spl_error_detail();
    bool empty = before[0] == 0;
    spl__fail(SPL_INTERNAL, "other");
    return empty && strcmp(spl_error_detail(), "other") == 0 ? NULL : "wrong";
}

static void details_are_thread_local(void **state)
{
    (void)state;
    pthread_t thread;
    void *verdict;
    spl__fail(SPL_INTERNAL, "mine");
    EXPECT(pthread_create(&thread, NULL, detail_of_another_thread, NULL) == 0);
    EXPECT(pthread_join(thread, &verdict) == 0 && verdict == NULL);
    EXPECT(strcmp(spl_error_detail(), "mine") == 0);
}

/* Replaces escapes by the bytes that they stand for; returns their number. */
static size_t unescape(const char *p, char *out)
{
    static const char letters[] = "abtnvfr", plain[] = "\a\b\t\n\v\f\r";
    size_t count = 0;
    for (; *p; p++) {
        const char *letter = *p == '\\' && p[1] ? strchr(letters, p[1]) : NULL;
        unsigned byte = (unsigned char)*p;
        if (letter)
            byte = (unsigned char)plain[letter - letters];
        else if (*p == '\\' && sscanf(p, "\\x%2x", &byte) != 1)
            return 0;
        p += letter ? 1 : *p == '\\' ? 3 : 0;
        out[count++] = (char)byte;
    }
    return count;
}

static bool is_printable_utf8(const char *p)
{
    for (; *p; p++) {
        unsigned char c = (unsigned char)*p;
        int further = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        unsigned char next = (unsigned char)p[1]; /* bounds: Unicode 15, table 3-7 */
        if (c < ' ' || c == 0x7f || (c >= 0x80 && c < 0xc2) || c > 0xf4 ||
            (c == 0xc2 && next < 0xa0))
            return false;
        if ((c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) ||
            (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f))
            return false;
        for (; further > 0; further--)
            if (((unsigned char)*++p & 0xc0) != 0x80)
                return false;
    }
    return true;
}

/* Texts from outside with control characters and broken UTF-8: details are printable and spell
 * the bytes. */
static void controls_are_shown(void **state)
{
    (void)state;
    static const char *const pieces[] = {"\x1b[31m",
                                         "\n",
                                         "\xc2\x9b",
                                         "\xc2\xa0",
                                         "\xc3\xa4",
                                         "\xe2\x82\xac",
                                         "\xf0\x9f\x98\x80",
                                         "\xed\xa0\x80",
                                         "\xff",
                                         "\xc3",
                                         "\xe2\x82",
                                         "\x7f",
                                         "plain",
                                         "\xf4\x90\x80\x80",
                                         "\xc0\x80"};
    enum { PIECES = sizeof pieces / sizeof *pieces };
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int i = 0; i < 300; i++) {
        char text[128] = "", back[512];
        for (int64_t k = zoo_random_below(&random, 12); k >= 0; k--) {
            char byte[2] = {(char)(1 + zoo_random_below(&random, 255))};
            bool drawn = zoo_random_below(&random, 2) && byte[0] != '\\';
            strcat(text, drawn ? byte : pieces[zoo_random_below(&random, PIECES)]);
        }
        spl__fail(SPL_FILE_INVALID, "%s", text);
        testing_case("\"%s\"", spl_error_detail());
        EXPECT(is_printable_utf8(spl_error_detail()));
        size_t count = unescape(spl_error_detail(), back);
        EXPECT(count == strlen(text) && memcmp(back, text, count) == 0);
    }
    spl__fail(SPL_FILE_INVALID, "%s", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT(strcmp(spl_error_detail(), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80") == 0);
}

static void lack_of_memory_is_named(void **state)
{
    (void)state;
    spl__fail(SPL_OUT_OF_MEMORY, "needs 5 bytes");
    EXPECT(spl__memory_for(SPL_OUT_OF_MEMORY, "a.mtx") == SPL_OUT_OF_MEMORY);
    EXPECT(strcmp(spl_error_detail(), "a.mtx: needs 5 bytes") == 0);
    EXPECT(spl__memory_for(SPL_OVER_BUDGET, "a.mtx") == SPL_OVER_BUDGET);
    EXPECT(strcmp(spl_error_detail(), "a.mtx: needs 5 bytes") == 0);
    EXPECT(spl__memory_for(SPL_FILE_ERROR, "b.mtx") == SPL_FILE_ERROR &&
           spl__memory_for(SPL_OK, "b.mtx") == SPL_OK);
    EXPECT(strcmp(spl_error_detail(), "a.mtx: needs 5 bytes") == 0);
}

static void thousands_are_separated(void **state)
{
    (void)state;
    EXPECT(strcmp(spl__thousands(0), "0") == 0);
    EXPECT(strcmp(spl__thousands(999), "999") == 0);
    EXPECT(strcmp(spl__thousands(1000), "1,000") == 0);
    EXPECT(strcmp(spl__thousands(-1234567), "-1,234,567") == 0);
    EXPECT(strcmp(spl__thousands(INT64_MAX), "9,223,372,036,854,775,807") == 0);
    EXPECT(strcmp(spl__thousands(INT64_MIN), "-9,223,372,036,854,775,808") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_belong_to_numbers),
        cmocka_unit_test(sentences_differ),
        cmocka_unit_test(long_details_are_cut),
        cmocka_unit_test(what_stands_behind_a_long_name_is_kept),
        cmocka_unit_test(details_are_thread_local),
        cmocka_unit_test(controls_are_shown),
        cmocka_unit_test(lack_of_memory_is_named),
        cmocka_unit_test(thousands_are_separated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
