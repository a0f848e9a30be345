/* SPDX-License-Identifier: Apache-2.0 */
/* growing.h: bytes that are collected, of which nobody knows how many there will be. They belong to
 * one thread; all zero is valid: none. */
#ifndef SPL_CORE_GROWING_H
#define SPL_CORE_GROWING_H

#include "core/memory.h"

typedef struct spl__growing {
    void *memory;
    size_t count, room; /* bytes that are there, and that there is memory for */
} spl__growing;

/* For the next function, where there is no room. */
spl_status spl__growing_grow(spl__growing *growing, spl__account *account, size_t more);
/* Room for `more` bytes behind those that there are: twice as much as before where that suffices.
 * The memory may move. Errors as spl__alloc: nothing has changed. */
static inline spl_status spl__growing_reserve(spl__growing *growing, spl__account *account,
                                              size_t more)
{
    return growing->room - growing->count >= more ? SPL_OK
                                                  : spl__growing_grow(growing, account, more);
}
/* Gives back the room behind what is there. The memory may move. Errors as spl__shrink. */
spl_status spl__growing_end(spl__growing *growing);

/* Where the next bytes go. */
static inline void *spl__growing_at(const spl__growing *growing)
{
    return growing->memory ? (char *)growing->memory + growing->count : NULL;
}
/* Takes the memory, for which the caller is responsible from now on. */
static inline void *spl__growing_take(spl__growing *growing)
{
    void *memory = growing->memory;
    *growing = (spl__growing){NULL, 0, 0};
    return memory;
}

#endif
