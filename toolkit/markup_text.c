/* SPDX-License-Identifier: Apache-2.0 */
#include "markup_text.h"

void tool_add_escaped(tool_buffer *buffer, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            tool_buffer_text(buffer, "%s", entity);
        else
            tool_buffer_add(buffer, text, 1);
    }
}

/* RFC 4648. */
void tool_add_base64(tool_buffer *buffer, const tool_buffer *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->count; i += 3) {
        size_t left = bytes->count - i;
        unsigned word = 0;
        char four[4] = {'=', '=', '=', '='};
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (k < left ? (unsigned char)bytes->bytes[i + k] : 0u);
        for (size_t k = 0; k < 4 && k <= left; k++)
            four[k] = digits[word >> (18 - 6 * k) & 63];
        tool_buffer_add(buffer, four, 4);
    }
}
