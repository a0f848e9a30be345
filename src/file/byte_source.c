/* SPDX-License-Identifier: Apache-2.0 */
/* byte_source.c: read() in order rather than mmap: it serves pipes as well, a file cut short
 * meanwhile is an early end instead of a SIGBUS, and the copy out of the page cache costs a tenth
 * of the parse. */
#include "file/byte_source.h"

#include "core/checked.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* deflate cannot make more of a byte (zlib's own documentation) */
enum { LARGEST_RATIO = 1032, GZIP_SLACK = 1024 };

spl_status spl__file_error(const char *name, int error)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* strerror itself is not thread-safe */
    spl_status status = c ? spl__fail(SPL_FILE_ERROR, "%s: %s", name, strerror_l(error, c))
                          : spl__fail(SPL_FILE_ERROR, "%s: error %d", name, error);
    if (c)
        freelocale(c);
    return status;
}

static spl_status read_file(spl__byte_source *source, char *buffer, size_t capacity, size_t *count)
{
    while (*count < capacity) {
        ssize_t got = read(source->file, buffer + *count, capacity - *count);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return spl__file_error(source->name, errno);
        *count += (size_t)got;
        source->done += got;
    }
    return SPL_OK;
}

static void read_memory(spl__byte_source *source, char *buffer, size_t capacity, size_t *count)
{
    size_t rest = (size_t)(source->total - source->done), take = capacity - *count;
    if (take > rest)
        take = rest;
    if (take)
        memcpy(buffer + *count, source->memory + source->done, take);
    *count += take;
    source->done += (int64_t)take;
}

spl_status spl__source_read_raw(spl__byte_source *source, void *buffer, size_t capacity,
                                size_t *count)
{
    *count = 0;
    while (*count < capacity && source->head_begin < source->head_end) {
        ((unsigned char *)buffer)[(*count)++] = source->head[source->head_begin++];
        source->done++;
    }
    if (source->file >= 0)
        return read_file(source, buffer, capacity, count);
    read_memory(source, buffer, capacity, count);
    return SPL_OK;
}

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
    if (status != SPL_OK && source->file >= 0)
        close(source->file);
    return status;
}

spl_status spl__source_memory(spl__byte_source *source, spl__account *account, const void *bytes,
                              size_t size, const char *name)
{
    *source = (spl__byte_source){
        .account = account, .name = name, .file = -1, .memory = bytes, .total = (int64_t)size};
    return detect_gzip(source);
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
