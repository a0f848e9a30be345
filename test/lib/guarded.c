/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/guarded.h"

#include "zoo/zoo.h"

#include <stdlib.h>
#include <string.h>

enum { ZONE = 256, ALIGN = 64, GUARD_BYTE = 0xC3, POISON_BYTE = 0xFF };

guarded guarded_new(size_t bytes)
{
    guarded array = {.bytes = bytes};
    array.block = zoo_allocate(bytes + 2 * ZONE + ALIGN);
    memset(array.block, GUARD_BYTE, bytes + 2 * ZONE + ALIGN);
    size_t misalignment = (size_t)((uintptr_t)array.block % ALIGN);
    array.data = array.block + ZONE + (ALIGN - misalignment) % ALIGN;
    memset(array.data, POISON_BYTE, bytes);
    return array;
}

static bool all_bytes(const unsigned char *from, const unsigned char *end, unsigned char value)
{
    for (; from < end; from++)
        if (*from != value)
            return false;
    return true;
}

bool guarded_intact(const guarded *array)
{
    const unsigned char *data = array->data, *end = array->block + array->bytes + 2 * ZONE + ALIGN;
    return all_bytes(array->block, data, GUARD_BYTE) &&
           all_bytes(data + array->bytes, end, GUARD_BYTE);
}

bool guarded_untouched(const guarded *array)
{
    const unsigned char *data = array->data;
    return guarded_intact(array) && all_bytes(data, data + array->bytes, POISON_BYTE);
}

void guarded_free(guarded *array)
{
    free(array->block);
    *array = (guarded){0};
}
