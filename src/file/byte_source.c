/* SPDX-License-Identifier: Apache-2.0 */
#include "file/byte_source.h"

#include "core/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* deflate cannot make more of a byte (zlib's own documentation) */
enum { LARGEST_RATIO = 1032, GZIP_SLACK = 1024 };

/* Reads the first bytes, which show whether the file is packed by gzip. */
static spl_status detect_gzip(spl__byte_source *source)
{
    size_t count;
    SPL__TRY(spl__source_read_raw(source, source->head, sizeof source->head, &count));
    source->head_end = source->head_bytes = (int)count;
    source->done -= (int64_t)count;
    source->packed = count >= 2 && source->head[0] == 0x1f && source->head[1] == 0x8b;
    return SPL_OK;
}

spl_status spl__source_begin(spl__byte_source *source)
{
    return source->packed && !source->gunzip ? spl__gunzip_new(source) : SPL_OK;
}

double spl__source_begin_bytes(const spl__byte_source *source)
{
    return source->packed ? spl__gunzip_bytes() : 0;
}

static spl_status open_checked(spl__byte_source *source)
{
    struct stat info;
    source->file = open(source->name, O_RDONLY | O_CLOEXEC);
    if (source->file < 0 || fstat(source->file, &info) != 0)
        return spl__file_error(source->name, errno);
    if (S_ISDIR(info.st_mode))
        return spl__file_error(source->name, EISDIR);
    source->total = S_ISREG(info.st_mode) ? info.st_size : 0;
    return detect_gzip(source);
}

spl_status spl__source_open(spl__byte_source *source, spl__account *account, const char *path)
{
    *source = (spl__byte_source){.account = account, .name = path, .file = -1};
    spl_status status = open_checked(source);
    if (status != SPL_OK)
        spl__source_close(source);
    return status;
}

spl_status spl__source_memory(spl__byte_source *source, spl__account *account, const void *bytes,
                              size_t size, const char *name)
{
    *source = (spl__byte_source){
        .account = account, .name = name, .file = -1, .memory = bytes, .total = (int64_t)size};
    return detect_gzip(source);
}

void spl__source_close(spl__byte_source *source)
{
    spl__gunzip_free(source->gunzip);
    if (source->file >= 0)
        close(source->file);
}

spl_status spl__source_read(spl__byte_source *source, void *buffer, size_t capacity, size_t *count)
{
    return source->gunzip ? spl__gunzip_read(source, buffer, capacity, count)
                          : spl__source_read_raw(source, buffer, capacity, count);
}

int64_t spl__source_bound(const spl__byte_source *source)
{
    int64_t bound = INT64_MAX;
    if (source->total == 0 && !source->memory)
        return bound;
    if (!source->packed)
        return source->total;
    if (!spl__mul_i64(source->total, LARGEST_RATIO, &bound) ||
        !spl__add_i64(bound, GZIP_SLACK, &bound))
        return INT64_MAX;
    return bound;
}
