/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

spl__text spl__text_begin(char *buffer, size_t capacity)
{
    if (capacity > 0)
        buffer[0] = 0;
    return (spl__text){buffer, capacity, 0};
}

void spl__text_add(spl__text *text, const char *format, ...)
{
    va_list arguments;
    size_t used = text->length < text->capacity ? text->length : text->capacity;
    va_start(arguments, format);
    int length = vsnprintf(used < text->capacity ? text->buffer + used : NULL,
                           text->capacity - used, format, arguments);
    va_end(arguments);
    text->length += length > 0 ? (size_t)length : 0;
}

/* The length of the printable character in UTF-8 that begins at p, of at most `left` bytes; 0: none
 * does. Control characters have one byte, or two (U+0080 to U+009F); forms longer than needed and
 * halves of pairs are none (Unicode 15, table 3-7). */
static size_t character_bytes(const unsigned char *p, size_t left)
{
    size_t length = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
    if (length == 1)
        return *p >= ' ' && *p != 0x7f;
    if (*p < 0xc2 || *p > 0xf4 || left < length)
        return 0;
    unsigned char least = *p == 0xc2 || *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
    unsigned char most = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < least || p[1] > most)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* A byte in printable characters; returns their number. */
static size_t escape(char out[5], unsigned char byte)
{
    static const char named[] = "\a\b\t\n\v\f\r", names[] = "abtnvfr";
    const char *known = byte ? strchr(named, byte) : NULL;
    if (known)
        return (size_t)snprintf(out, 5, "\\%c", names[known - named]);
    return (size_t)snprintf(out, 5, "\\x%02x", byte);
}

void spl__text_shown(spl__text *text, const char *bytes, size_t count)
{
    for (size_t i = 0, step; i < count; i += step) {
        char out[5];
        size_t printable = character_bytes((const unsigned char *)bytes + i, count - i);
        size_t length = printable ? printable : escape(out, (unsigned char)bytes[i]);
        step = printable ? printable : 1;
        if (text->length + length >= text->capacity)
            return;
        memcpy(text->buffer + text->length, printable ? bytes + i : out, length);
        text->length += length;
        text->buffer[text->length] = 0;
    }
}

/* The number in the largest unit that leaves at least 1 before the point. */
static void add_scaled(spl__text *text, double number, double first, double step,
                       const char *const *units, int count)
{
    int k = 0;
    double unit = first;
    if (isnan(number)) {
        spl__text_add(text, "?");
        return;
    }
    while (k + 1 < count && number >= unit * step) {
        unit *= step;
        k++;
    }
    spl__text_add(text, "%.3g %s", number / unit, units[k]);
}

void spl__text_seconds(spl__text *text, double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    add_scaled(text, seconds, 1e-9, 1e3, units, 4);
}

void spl__text_bytes(spl__text *text, double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    add_scaled(text, bytes, 1, 1e3, units, 5);
}
