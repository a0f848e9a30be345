/* SPDX-License-Identifier: Apache-2.0 */
#include "readable.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

tool_text tool_thousands(int64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, number);
    tool_text out;
    size_t written = 0;
    size_t length = strlen(digits);
    for (size_t i = 0; i < length; i++) {
        int is_digit = digits[i] != '-';
        if (is_digit && i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            out.text[written++] = ',';
        out.text[written++] = digits[i];
    }
    out.text[written] = 0;
    return out;
}

/* `value` with three significant digits, never in exponent form. */
static void three_digits(tool_text *out, double value, const char *unit)
{
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(out->text, sizeof out->text, "%.*f %s", decimals, value, unit);
}

tool_text tool_duration(double seconds)
{
    tool_text out = {"unknown"};
    if (seconds < 999.5e-6)
        three_digits(&out, seconds * 1e6, "us");
    else if (seconds < 0.9995)
        three_digits(&out, seconds * 1e3, "ms");
    else if (!isnan(seconds))
        three_digits(&out, seconds, "s");
    return out;
}

tool_text tool_bytes(double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t unit = 0;
    while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1000;
        unit++;
    }
    tool_text out;
    if (unit == 0)
        snprintf(out.text, sizeof out.text, "%.0f B", bytes);
    else
        three_digits(&out, bytes, units[unit]);
    return out;
}
