/* SPDX-License-Identifier: Apache-2.0 */
#include "json_helpers.h"

#include "shown_text.h"

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

/* Null for NULL, or if there is no memory. */
static cJSON *text_item(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *clean = text ? malloc(3 * strlen(text) + 1) : NULL;
    if (!clean)
        return cJSON_CreateNull();
    size_t written = 0;
    while (*text) {
        size_t bytes = tool_utf8_bytes(text);
        memcpy(clean + written, bytes ? text : replacement, bytes ? bytes : 3);
        written += bytes ? bytes : 3;
        text += bytes ? bytes : 1;
    }
    clean[written] = 0;
    cJSON *item = cJSON_CreateString(clean);
    free(clean);
    return item;
}

void tool_json_text(cJSON *object, const char *key, const char *text)
{
    cJSON_AddItemToObject(object, key, text_item(text));
}

void tool_json_element(cJSON *array, const char *text)
{
    cJSON_AddItemToArray(array, text_item(text));
}

cJSON *tool_json_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}
