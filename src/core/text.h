/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: builds a text in a caller's buffer, which may be too small: the length keeps counting. */
#ifndef SPL_CORE_TEXT_H
#define SPL_CORE_TEXT_H

#include <stddef.h>

typedef struct spl__text {
    char *buffer; /* always ends in 0 if capacity > 0 */
    size_t capacity, length;
} spl__text;

spl__text spl__text_begin(char *buffer, size_t capacity);
void spl__text_add(spl__text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds bytes from files and names. Bytes that are not printable UTF-8 become \a, \b, \t, \n, \v,
 * \f, \r or \xNN. Stops where the buffer is full. */
void spl__text_shown(spl__text *text, const char *bytes, size_t count);
/* "1.25 ms", "830 ns"; "?" for NaN. */
void spl__text_seconds(spl__text *text, double seconds);
/* "12.3 MB" (powers of ten). */
void spl__text_bytes(spl__text *text, double bytes);

#endif
