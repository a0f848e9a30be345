/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

#include "core/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define STATUS(name, number, message)                                                              \
    _Static_assert(name == (number), "status.def and sparloom.h disagree on " #name);
#include "core/status.def"
#undef STATUS

static _Thread_local char detail[SPL__DETAIL_BYTES];
static _Thread_local size_t bytes_needed;

/* Whether it is a continuation byte of UTF-8. */
static int continues(char byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Shortens a text in the middle: long texts have a long name, followed by the reason. */
static void keep(const char *text, size_t length)
{
    static const char gap[] = " ... ";
    enum { GAP = sizeof gap - 1, HALF = (sizeof detail - sizeof gap) / 2 };
    if (length < sizeof detail) {
        memcpy(detail, text, length + 1);
        return;
    }
    size_t head = HALF, tail = length - HALF;
    while (head > 0 && continues(text[head]))
        head--;
    while (continues(text[tail]))
        tail++;
    memcpy(detail, text, head);
    memcpy(detail + head, gap, GAP);
    memcpy(detail + head + GAP, text + tail, length + 1 - tail);
}

/* Details are printed, so names and words of files must not contain control characters. A
 * shortened text stays within its length. */
static void show(void)
{
    char shown[4 * SPL__DETAIL_BYTES];
    spl__text text = spl__text_begin(shown, sizeof shown);
    spl__text_shown(&text, detail, strlen(detail));
    keep(shown, text.length);
}

static void say(const char *format, va_list arguments)
{
    char full_text[SPL__DETAIL_BYTES + PATH_MAX]; /* no longer path is valid */
    int length = vsnprintf(full_text, sizeof full_text, format, arguments);
    if (length >= 0)
        keep(full_text, (size_t)length < sizeof full_text ? (size_t)length : sizeof full_text - 1);
    show();
}

spl_status spl__fail(spl_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    bytes_needed = 0;
    return status;
}

spl_status spl__fail_memory(spl_status status, size_t needed, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    bytes_needed = needed;
    return status;
}

void spl__failure_keep(spl__kept_failure *kept)
{
    kept->needed = bytes_needed;
    memcpy(kept->detail, detail, sizeof detail);
}

spl_status spl__failure_restore(spl_status status, const spl__kept_failure *kept)
{
    bytes_needed = kept->needed;
    memcpy(detail, kept->detail, sizeof detail);
    return status;
}

spl_status spl__memory_for(spl_status status, const char *name)
{
    size_t length = strlen(name);
    bool told = strncmp(detail, name, length) == 0 && detail[length] == ':';
    if (told || (status != SPL_OUT_OF_MEMORY && status != SPL_OVER_BUDGET))
        return status;
    return spl__fail_memory(status, bytes_needed, "%s: %s", name, detail);
}

const char *spl_error_detail(void)
{
    return detail;
}

size_t spl_error_bytes(void)
{
    return bytes_needed;
}

const char *spl_status_name(spl_status status)
{
    switch (status) {
#define STATUS(name, number, message)                                                              \
    case name:                                                                                     \
        return #name;
#include "core/status.def"
#undef STATUS
    }
    return "SPL_UNKNOWN";
}

const char *spl_status_message(spl_status status)
{
    switch (status) {
#define STATUS(name, number, message)                                                              \
    case name:                                                                                     \
        return message;
#include "core/status.def"
#undef STATUS
    }
    return "unknown status";
}

const char *spl__thousands(int64_t number)
{
    enum { BUFFERS = 4, BYTES = 32 };
    static _Thread_local char buffers[BUFFERS][BYTES];
    static _Thread_local unsigned next;
    char digits[BYTES];
    char *out = buffers[next++ % BUFFERS];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
    int first = digits[0] == '-';
    char *end = out;
    for (int i = 0; i < length; i++) {
        if (i > first && (length - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    *end = 0;
    return out;
}
