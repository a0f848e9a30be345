/* SPDX-License-Identifier: Apache-2.0 */
/* Texts from outside as they are shown: drawn bytes against a plain rule, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <shown_text.h>
#include <sparloom/sparloom.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void examples(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"", ""},
        {"a b.mtx", "a b.mtx"},
        {"a\033[31m\n\tb\177", "a\\x1b[31m\\n\\tb\\x7f"},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\xc2\x9b" /* CSI in one character */, "\\xc2\\x9b"},
        {"\xff|\xe2\x82|\xed\xa0\x80|\xc0\xaf", "\\xff|\\xe2\\x82|\\xed\\xa0\\x80|\\xc0\\xaf"},
        {"back\\slash", "back\\slash"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(tool_shown(cases[i].text).text, cases[i].shown);
}

/* Pieces that names are drawn from: whole characters, and what stands for each. */
static const char *const pieces[][2] = {{"x", "x"},        {" ", " "},
                                        {"/", "/"},        {"\xc3\xa4", "\xc3\xa4"},
                                        {"\n", "\\n"},     {"\033", "\\x1b"},
                                        {"\x01", "\\x01"}, {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
                                        {"\x7f", "\\x7f"}, {"\xc2\x85", "\\xc2\\x85"},
                                        {"\xff", "\\xff"}, {"\xc2\xa0", "\xc2\xa0"}};
enum { PIECES = sizeof pieces / sizeof *pieces, LONGEST = 400 };

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

/* Is it of the beginning and the end of `whole`, as much of both as fits, with a
 * gap between them? */
static void check_cut(const char *shown, const char *full_text, size_t capacity, unsigned long seed)
{
    const char *gap = strstr(shown, " ... ");
    size_t length = strlen(shown), longest_piece = 8;
    if (!gap || length >= capacity || length + 2 * longest_piece + 1 < capacity)
        fail_msg("seed %lu: \"%s\" of \"%s\"", seed, shown, full_text);
    size_t before = (size_t)(gap - shown), after = length - before - strlen(" ... ");
    assert_memory_equal(shown, full_text, before);
    assert_string_equal(gap + strlen(" ... "), full_text + strlen(full_text) - after);
}

static void drawn(void **state)
{
    (void)state;
    for (unsigned long seed = 1; seed <= 2000; seed++) {
        uint64_t source = seed;
        size_t count = draw(&source, LONGEST), capacity = 17 + draw(&source, 2 * LONGEST);
        char text[4 * LONGEST + 1] = "", full_text[8 * LONGEST + 1] = "", shown[17 + 2 * LONGEST];
        for (size_t i = 0; i < count; i++) {
            const char *const *piece = pieces[draw(&source, PIECES)];
            strcat(text, piece[0]);
            strcat(full_text, piece[1]);
        }
        memset(shown, '#', sizeof shown);
        tool_show(shown, capacity, text);
        if (strlen(full_text) >= capacity)
            check_cut(shown, full_text, capacity, seed);
        else if (strcmp(shown, full_text) != 0)
            fail_msg("seed %lu: \"%s\", expected \"%s\"", seed, shown, full_text);
        for (size_t i = capacity; i < sizeof shown; i++)
            assert_int_equal(shown[i], '#');
    }
}

/* The library's messages and the tool spell the same bytes alike, of any kind. A file with such a
 * name in a folder that does not exist cannot be read; the message begins with its path. */
static void as_the_library_does(void **state)
{
    (void)state;
    enum { NAMES = 2000, MOST = 40 };
    const unsigned long seed = (unsigned long)time(NULL);
    uint64_t random = seed;
    spl_context *context = NULL;
    spl_matrix *matrix = NULL;
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    for (int k = 0; k < NAMES; k++) {
        char path[MOST + 16] = "not/there/";
        size_t length = strlen(path), end = length + 1 + draw(&random, MOST);
        for (; length < end; length++) /* bytes of longer characters often, never a zero */
            path[length] =
                (char)(draw(&random, 2) ? 0x80 + draw(&random, 0x80) : 1 + draw(&random, 0xff));
        path[length] = 0;
        assert_int_equal(spl_read(context, path, NULL, &matrix), SPL_FILE_ERROR);
        const tool_shown_text shown = tool_shown(path);
        if (strncmp(spl_error_detail(), shown.text, strlen(shown.text)) != 0)
            fail_msg("seed %lu: the library says \"%s\", the tool \"%s\"", seed, spl_error_detail(),
                     shown.text);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples), cmocka_unit_test(drawn),
                                       cmocka_unit_test(as_the_library_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
