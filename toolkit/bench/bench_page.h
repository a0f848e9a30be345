/* SPDX-License-Identifier: Apache-2.0 */
/* bench_page.h: results as one HTML page that needs nothing else: style, script and pictures are
 * inside. */
#ifndef TOOL_BENCH_PAGE_H
#define TOOL_BENCH_PAGE_H

#include "bench_results.h"
#include "whole_file.h"

/* Begin, a section for each results file, end. Pictures are left out where the tool was built
 * without a drawing library. */
void bench_page_begin(tool_buffer *page);
void bench_page_section(tool_buffer *page, const char *title, const bench_results *results);
void bench_page_end(tool_buffer *page);

#endif
