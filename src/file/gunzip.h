/* SPDX-License-Identifier: Apache-2.0 */
/* gunzip.h: decompression of a byte source while it is read. */
#ifndef SPL_FILE_GUNZIP_H
#define SPL_FILE_GUNZIP_H

#include "file/byte_source.h"

typedef struct spl__gunzip spl__gunzip;

/* Makes source->gunzip. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__gunzip_new(spl__byte_source *source);
/* Bytes that takes, about. */
double spl__gunzip_bytes(void);
void spl__gunzip_free(spl__gunzip *gunzip);
/* SPL_FILE_ERROR, SPL_FILE_INVALID. */
spl_status spl__gunzip_read(spl__byte_source *source, void *buffer, size_t capacity, size_t *count);

#endif
