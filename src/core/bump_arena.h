/* SPDX-License-Identifier: Apache-2.0 */
/* bump_arena.h: many small pieces of memory that are freed together: consecutive parts of few
 * blocks. An arena belongs to one thread; all zero is a valid, empty one. */
#ifndef SPL_CORE_BUMP_ARENA_H
#define SPL_CORE_BUMP_ARENA_H

#include "core/memory.h"

typedef struct spl__arena {
    struct spl__arena_block *last; /* pieces come from here */
    size_t left;                   /* unused bytes of it */
    size_t bytes;                  /* of all blocks */
} spl__arena;

/* *piece = `bytes` bytes, aligned to 8, not initialised; NULL if bytes is 0. A new block is as long
 * as all before it, at most 256 KiB, or as the piece; if that exceeds the budget, as the piece.
 * Errors as spl__alloc. */
spl_status spl__arena_alloc(spl__arena *arena, spl__account *account, size_t bytes, void **piece);
/* Frees all pieces; the arena is empty. */
void spl__arena_free(spl__arena *arena);

#endif
