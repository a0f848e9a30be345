/* SPDX-License-Identifier: Apache-2.0 */
/* readable.h: numbers as people read them. The text is returned by value: use it as f(x).text
 * inside one expression. */
#ifndef TOOL_READABLE_H
#define TOOL_READABLE_H

#include <stdint.h>

typedef struct tool_text {
    char text[48];
} tool_text;

/* 1234567 -> "1,234,567". */
tool_text tool_thousands(int64_t number);
/* Three significant digits with a unit: "12.3 us", "4.56 ms", "7.89 s"; "unknown" for NaN. */
tool_text tool_duration(double seconds);
/* Three significant digits with a decimal unit: "999 B", "12.3 kB", "4.56 GB". */
tool_text tool_bytes(double bytes);

#endif
