/* SPDX-License-Identifier: Apache-2.0 */
#include "shown_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t tool_utf8_bytes(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text, lead = bytes[0];
    if (lead < 0x80)
        return 1;
    size_t count = lead >= 0xc2 && lead <= 0xdf   ? 2
                   : lead >= 0xe0 && lead <= 0xef ? 3
                   : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                  : 0;
    unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < count; i++) {
        if (bytes[i] < least || bytes[i] > most)
            return 0;
        least = 0x80;
        most = 0xbf;
    }
    return count;
}

/* A character of the text, or a byte that is none, as it is shown. */
typedef struct piece {
    char shown[12];
    size_t length; /* of `shown` */
    size_t bytes;  /* of the text */
} piece;

static int is_control(const unsigned char *bytes, size_t count)
{
    return bytes[0] < 0x20 || bytes[0] == 0x7f ||
           (count == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0);
}

static void spell(piece *p, const unsigned char *bytes)
{
    static const char named[] = "\a\b\t\n\v\f\r", names[] = "abtnvfr";
    const char *known = p->bytes == 1 ? strchr(named, bytes[0]) : NULL;
    p->length = 0;
    if (known)
        p->length = (size_t)snprintf(p->shown, sizeof p->shown, "\\%c", names[known - named]);
    for (size_t i = 0; !known && i < p->bytes; i++)
        p->length += (size_t)snprintf(p->shown + p->length, sizeof p->shown - p->length, "\\x%02x",
                                      bytes[i]);
}

static piece piece_at(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t count = tool_utf8_bytes(text);
    piece p = {.bytes = count ? count : 1};
    if (!count || is_control(bytes, count)) {
        spell(&p, bytes);
        return p;
    }
    memcpy(p.shown, text, count);
    p.length = count;
    return p;
}

static size_t shown_length(const char *text)
{
    size_t length = 0;
    for (piece p; *text; text += p.bytes) {
        p = piece_at(text);
        length += p.length;
    }
    return length;
}

/* As many whole pieces as fit. */
static size_t show_beginning(char *to, size_t room, const char *text)
{
    size_t length = 0;
    for (piece p; *text; text += p.bytes) {
        p = piece_at(text);
        if (p.length > room - length)
            break;
        memcpy(to + length, p.shown, p.length);
        length += p.length;
    }
    to[length] = 0;
    return length;
}

void tool_show(char *to, size_t capacity, const char *text)
{
    static const char gap[] = " ... ";
    size_t room = capacity - 1, rest = shown_length(text);
    if (rest <= room) {
        show_beginning(to, room, text);
        return;
    }
    room -= sizeof gap - 1;
    size_t used = show_beginning(to, room / 2, text);
    strcpy(to + used, gap);
    used += sizeof gap - 1;
    for (piece p; rest > room - room / 2; text += p.bytes) {
        p = piece_at(text);
        rest -= p.length;
    }
    show_beginning(to + used, rest, text);
}

void tool_show_format(char *to, size_t capacity, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *full_text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (full_text)
        vsnprintf(full_text, (size_t)length + 1, format, arguments);
    tool_show(to, capacity, full_text ? full_text : format);
    free(full_text);
}

tool_shown_text tool_shown(const char *text)
{
    tool_shown_text shown;
    tool_show(shown.text, sizeof shown.text, text);
    return shown;
}
