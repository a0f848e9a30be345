/* SPDX-License-Identifier: Apache-2.0 */
/* token.h: words of a text file in messages. */
#ifndef SPL_IO_TOKEN_H
#define SPL_IO_TOKEN_H

#include "io/number.h"

enum { SPL__SHOWN = 40 };

/* The token at p without what would spoil a message. */
static inline const char *spl__shown(const char *p, char buffer[SPL__SHOWN + 1])
{
    int length = 0;
    for (; length < SPL__SHOWN && !spl__ends_token(p[length]); length++)
        buffer[length] = p[length] > ' ' && p[length] <= '~' ? p[length] : '?';
    buffer[length] = 0;
    return buffer;
}

#endif
