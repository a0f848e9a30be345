/* SPDX-License-Identifier: Apache-2.0 */
#include "file/unpacked_source.h"

#include "file/gunzip.h"

#include <unistd.h>

spl_status spl__source_begin(spl__byte_source *source)
{
    return source->packed && !source->gunzip ? spl__gunzip_new(source) : SPL_OK;
}

double spl__source_begin_bytes(const spl__byte_source *source)
{
    return source->packed ? spl__gunzip_bytes() : 0;
}

spl_status spl__source_read(spl__byte_source *source, void *buffer, size_t capacity, size_t *count)
{
    return source->gunzip ? spl__gunzip_read(source, buffer, capacity, count)
                          : spl__source_read_raw(source, buffer, capacity, count);
}

void spl__source_close(spl__byte_source *source)
{
    spl__gunzip_free(source->gunzip);
    if (source->file >= 0)
        close(source->file);
}
