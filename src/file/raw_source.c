/* SPDX-License-Identifier: Apache-2.0 */
/* raw_source.c: read() in order rather than mmap: it serves pipes as well, a file cut short
 * meanwhile is an early end instead of a SIGBUS, and the copy out of the page cache costs a tenth
 * of the parse. */
#include "file/byte_source.h"

#include <errno.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

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
