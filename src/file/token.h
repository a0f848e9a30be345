/* SPDX-License-Identifier: Apache-2.0 */
/* token.h: words of a text file in messages. */
#ifndef SPL_FILE_TOKEN_H
#define SPL_FILE_TOKEN_H

#include "core/text.h"
#include "file/number.h"

enum { SPL__SHOWN = 40 };

/* The token at p, shortened and escaped for a message. */
static inline const char *spl__shown(const char *p, char buffer[SPL__SHOWN + 1])
{
    size_t length = 0;
    spl__text shown = spl__text_begin(buffer, SPL__SHOWN + 1);
    while (length < SPL__SHOWN && !spl__ends_token(p[length]))
        length++;
    spl__text_shown(&shown, p, length);
    return buffer;
}

#endif
