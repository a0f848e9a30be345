/* SPDX-License-Identifier: Apache-2.0 */
/* unpacked_source.h: the bytes of a source without gzip, which is taken off if its magic bytes were
 * found. */
#ifndef SPL_FILE_UNPACKED_SOURCE_H
#define SPL_FILE_UNPACKED_SOURCE_H

#include "file/byte_source.h"

/* Makes what takes gzip off ready: before the first read. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__source_begin(spl__byte_source *source);
/* Bytes that takes, about. */
double spl__source_begin_bytes(const spl__byte_source *source);
/* As spl__source_read_raw, and SPL_FILE_INVALID (gzip). */
spl_status spl__source_read(spl__byte_source *source, void *buffer, size_t capacity, size_t *count);
void spl__source_close(spl__byte_source *source);

#endif
