/* SPDX-License-Identifier: Apache-2.0 */
#include "io/harwell_boeing.h"

#include "file/number.h"

/* The number of tokens from p to the line's end, all of them whole numbers; -1: one is not. */
static int count_numbers(const char *p)
{
    int count = 0;
    for (p = spl__skip_blanks(p); *p != '\n'; p = spl__skip_blanks(p), count++) {
        uint64_t ignored;
        p = spl__read_index(p, &ignored);
        if (!p)
            return -1;
    }
    return count;
}

/* One of the letters, in lower or upper case? */
static bool is_one_of(char c, const char *letters)
{
    return c && strchr(letters, c | ' ') != NULL;
}

/* Source: I. Duff, R. Grimes, J. Lewis, Users' Guide for the Harwell-Boeing Sparse Matrix
 * Collection, 1992: the second line counts lines, the third has a type of three letters, then rows,
 * columns, entries, and elements. */
bool spl__harwell_boeing_detect(const spl__text_file *text)
{
    const char *lines[3] = {text->begin};
    for (int i = 0; i < 2; i++) {
        const char *end =
            lines[i] < text->end ? memchr(lines[i], '\n', (size_t)(text->end - lines[i])) : NULL;
        if (!end || end + 1 == text->end)
            return false;
        lines[i + 1] = end + 1;
    }
    int counts = count_numbers(lines[1]);
    if (counts < 4 || counts > 5)
        return false;
    const char *type = lines[2];
    return is_one_of(type[0], "rcpiq") && is_one_of(type[1], "suhzr") && is_one_of(type[2], "ae") &&
           spl__is_blank(type[3]) && count_numbers(type + 3) >= 3;
}

spl_status spl__harwell_boeing_refuse(spl_context *context, spl__text_file *text,
                                      const spl_read_options *options, spl_matrix **result)
{
    (void)context, (void)options, (void)result;
    return spl__fail(
        SPL_UNSUPPORTED,
        "%s: is a Harwell-Boeing or Rutherford-Boeing file: convert it to Matrix Market",
        text->source.name);
}
