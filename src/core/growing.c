/* SPDX-License-Identifier: Apache-2.0 */
#include "core/growing.h"

#include <string.h>

spl_status spl__growing_grow(spl__growing *growing, spl__account *account, size_t more)
{
    const size_t least = growing->count + more;
    void *memory;
    const size_t room = 2 * growing->room > least ? 2 * growing->room : least;
    SPL__TRY(spl__alloc(account, 1, room, &memory));
    if (growing->count > 0)
        memcpy(memory, growing->memory, growing->count);
    spl__free(growing->memory);
    growing->memory = memory;
    growing->room = room;
    return SPL_OK;
}

spl_status spl__growing_end(spl__growing *growing)
{
    SPL__TRY(spl__shrink(&growing->memory, growing->count));
    growing->room = growing->count;
    return SPL_OK;
}
