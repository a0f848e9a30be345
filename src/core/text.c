/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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
    int length =
        vsnprintf(used < text->capacity ? text->buffer + used : NULL, text->capacity - used, format, arguments);
    va_end(arguments);
    text->length += length > 0 ? (size_t)length : 0;
}

/* The number in the largest unit that leaves at least 1 before the point. */
static void add_scaled(spl__text *text, double number, double first, double step, const char *const *units, int count)
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
