/* SPDX-License-Identifier: Apache-2.0 */
/* json_helpers.h: what cJSON leaves open: whole numbers of 64 bits, NaN and Inf, texts that may not
 * be UTF-8. cJSON drops a member it has no memory for. */
#ifndef TOOL_JSON_HELPERS_H
#define TOOL_JSON_HELPERS_H

#include <cjson/cJSON.h>
#include <stdint.h>

/* A whole number with all its digits, never in exponent form. */
void tool_json_integer(cJSON *object, const char *key, int64_t value);
/* A real number with as many digits as tell it from its neighbours; NaN and Inf become null. */
void tool_json_real(cJSON *object, const char *key, double value);
/* A text; bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
void tool_json_text(cJSON *object, const char *key, const char *text);
/* The same as the last element of an array. */
void tool_json_element(cJSON *array, const char *text);
/* An empty object as the last element of an array. */
cJSON *tool_json_object(cJSON *array);
/* 16 hexadecimal digits as a text: 64-bit patterns do not survive as JSON numbers everywhere. */
void tool_json_bits(cJSON *object, const char *key, uint64_t bits);
/* true if value is not 0. */
void tool_json_truth(cJSON *object, const char *key, int value);
void tool_json_null(cJSON *object, const char *key);

#endif
