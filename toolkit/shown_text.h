/* SPDX-License-Identifier: Apache-2.0 */
/* shown_text.h: names and other texts from outside as a terminal may get them. What it would obey
 * (control characters) and what is no UTF-8 is spelled out: \n, \t, \x1b. Of a text too long for
 * where it goes the middle is left out: " ... ".
 *
 * The library spells texts in its messages alike (src/core/text.h), but its internal functions are
 * hidden from the tool, which uses its public header only. A test compares the two. */
#ifndef TOOL_SHOWN_TEXT_H
#define TOOL_SHOWN_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/* Bytes of the well-formed UTF-8 character at `text`, 0 if there is none (Unicode
 * 15.0, table 3-7). */
size_t tool_utf8_bytes(const char *text);

/* `to` has room for `capacity` > 16 bytes, a final 0 included. */
void tool_show(char *to, size_t capacity, const char *text);
/* The same of what vprintf would print. */
void tool_show_format(char *to, size_t capacity, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

typedef struct tool_shown_text {
    char text[1024];
} tool_shown_text;

/* The same by value: use it as tool_shown(name).text inside one expression. */
tool_shown_text tool_shown(const char *text);

#endif
