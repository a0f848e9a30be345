/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sized.h"

#include <string.h>

/* no public struct comes near: a larger size is a struct that was never initialised */
enum { LARGEST = 4096 };

static spl_status read_size(const void *from, size_t known, const char *name, uint32_t *size)
{
    memcpy(size, from, sizeof *size);
    if (*size < sizeof *size || *size > LARGEST)
        return spl__fail(
            SPL_INVALID_ARGUMENT,
            "%s.size is %u, this library knows %zu bytes: set it with the struct's _INIT macro",
            name, *size, known);
    return SPL_OK;
}

spl_status spl__sized_read(void *to, size_t known, const void *from, const char *name)
{
    memset(to, 0, known);
    uint32_t size = (uint32_t)known;
    if (!from) {
        memcpy(to, &size, sizeof size);
        return SPL_OK;
    }
    SPL__TRY(read_size(from, known, name, &size));
    for (size_t i = known; i < size; i++)
        if (((const unsigned char *)from)[i])
            return spl__fail(SPL_INVALID_ARGUMENT,
                             "%s has size %u and sets byte %zu, this library knows %zu bytes", name,
                             size, i, known);
    memcpy(to, from, size < known ? size : known);
    size = (uint32_t)known;
    memcpy(to, &size, sizeof size);
    return SPL_OK;
}

spl_status spl__sized_write(void *to, const void *from, size_t known, const char *name)
{
    uint32_t size;
    if (!to)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", name);
    SPL__TRY(read_size(to, known, name, &size));
    memset(to, 0, size);
    memcpy(to, from, size < known ? size : known);
    memcpy(to, &size, sizeof size);
    return SPL_OK;
}
