/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STATUS(name, number, message) _Static_assert(name == (number), "status.def and sparloom.h disagree on " #name);
#include "core/status.def"
#undef STATUS

static _Thread_local char detail[SPL__DETAIL_BYTES];

spl_status spl__fail(spl_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return status;
}

const char *spl_error_detail(void)
{
    return detail;
}

const char *spl_status_name(spl_status status)
{
    switch (status) {
#define STATUS(name, number, message)                                                                                  \
    case name:                                                                                                         \
        return #name;
#include "core/status.def"
#undef STATUS
    }
    return "SPL_UNKNOWN";
}

const char *spl_status_message(spl_status status)
{
    switch (status) {
#define STATUS(name, number, message)                                                                                  \
    case name:                                                                                                         \
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
