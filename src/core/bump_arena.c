/* SPDX-License-Identifier: Apache-2.0 */
#include "core/bump_arena.h"

enum { MOST = 256 << 10, ALIGN = 8 };

struct spl__arena_block {
    struct spl__arena_block *previous;
    char bytes[];
};

static spl_status add_block(spl__arena *arena, spl__account *account, size_t bytes)
{
    struct spl__arena_block *block;
    SPL__TRY(spl__alloc(account, 1, sizeof *block + bytes, (void **)&block));
    block->previous = arena->last;
    arena->last = block;
    arena->left = bytes;
    arena->bytes += bytes;
    return SPL_OK;
}

spl_status spl__arena_alloc(spl__arena *arena, spl__account *account, size_t bytes, void **piece)
{
    *piece = NULL;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes == 0)
        return SPL_OK;
    if (bytes > arena->left) {
        size_t block = arena->bytes < MOST ? arena->bytes : MOST;
        spl_status status = add_block(arena, account, block > bytes ? block : bytes);
        if (status == SPL_OVER_BUDGET && block > bytes)
            status = add_block(arena, account, bytes);
        SPL__TRY(status);
    }
    arena->left -= bytes;
    *piece = arena->last->bytes + arena->left;
    return SPL_OK;
}

void spl__arena_free(spl__arena *arena)
{
    for (struct spl__arena_block *block = arena->last, *previous; block; block = previous) {
        previous = block->previous;
        spl__free(block);
    }
    *arena = (spl__arena){0};
}
