/* SPDX-License-Identifier: Apache-2.0 */
#include "json_helpers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tool_json_integer(cJSON *object, const char *key, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    cJSON_AddRawToObject(object, key, digits);
}

void tool_json_real(cJSON *object, const char *key, double value)
{
    if (isfinite(value))
        cJSON_AddNumberToObject(object, key, value);
    else
        cJSON_AddNullToObject(object, key);
}

void tool_json_bits(cJSON *object, const char *key, uint64_t bits)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%016" PRIx64, bits);
    cJSON_AddStringToObject(object, key, digits);
}

void tool_json_truth(cJSON *object, const char *key, int value)
{
    cJSON_AddBoolToObject(object, key, value != 0);
}

void tool_json_null(cJSON *object, const char *key)
{
    cJSON_AddNullToObject(object, key);
}

/* Bytes of the well-formed UTF-8 character at `text`, 0 if there is none (Unicode 15.0, table 3-7). */
static size_t character_bytes(const unsigned char *text)
{
    unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    size_t bytes = lead >= 0xc2 && lead <= 0xdf   ? 2
                   : lead >= 0xe0 && lead <= 0xef ? 3
                   : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                  : 0;
    unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    for (size_t i = 1; i < bytes; i++) {
        if (text[i] < least || text[i] > most)
            return 0;
        least = 0x80;
        most = 0xbf;
    }
    return bytes;
}

void tool_json_text(cJSON *object, const char *key, const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *clean = text ? malloc(3 * strlen(text) + 1) : NULL;
    if (!clean) {
        cJSON_AddNullToObject(object, key);
        return;
    }
    size_t written = 0;
    const unsigned char *from = (const unsigned char *)text;
    while (*from) {
        size_t bytes = character_bytes(from);
        memcpy(clean + written, bytes ? (const char *)from : replacement, bytes ? bytes : 3);
        written += bytes ? bytes : 3;
        from += bytes ? bytes : 1;
    }
    clean[written] = 0;
    cJSON_AddStringToObject(object, key, clean);
    free(clean);
}
