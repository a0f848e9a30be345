/* SPDX-License-Identifier: Apache-2.0 */
/* markup_text.h: texts and bytes within HTML and XML. */
#ifndef TOOL_MARKUP_TEXT_H
#define TOOL_MARKUP_TEXT_H

#include "whole_file.h"

/* The text, with what markup gives a meaning as entities. */
void tool_add_escaped(tool_buffer *buffer, const char *text);
/* The bytes in base64, for data: addresses. */
void tool_add_base64(tool_buffer *buffer, const tool_buffer *bytes);

#endif
