/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h: the memory of one emulated device: a range of addresses that must not be accessed while
 * the device is idle.
 *
 * There are gaps between arrays; gaps and freed arrays are poisoned for ASan. Addresses are
 * assigned at once; arrays begin (filled with 0xA5) and end in stream order. */
#ifndef SPL_DEVICE_EMULATOR_ARENA_H
#define SPL_DEVICE_EMULATOR_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spl__emu_range {
    size_t begin, bytes; /* offset in the arena, requested size */
    bool freed;          /* but not yet in stream order */
} spl__emu_range;

typedef struct spl__emu_arena {
    char *base;
    size_t reserved;        /* bytes of addresses */
    size_t limit, live;     /* allowed and allocated bytes */
    size_t top;             /* the end of all memory ever allocated */
    spl__emu_range *ranges; /* [count], ascending */
    int64_t count, room;
    int opened;
} spl__emu_arena;

/* false: no memory. */
bool spl__emu_arena_init(spl__emu_arena *arena, size_t limit);
void spl__emu_arena_end(spl__emu_arena *arena);

/* Assigns addresses to `bytes` bytes; NULL if the limit or the host's memory does not suffice. */
void *spl__emu_arena_take(spl__emu_arena *arena, size_t bytes);
/* Releases the addresses of an array that never began. */
void spl__emu_arena_forget(spl__emu_arena *arena, void *memory);
/* The array that begins at `memory`, or that contains it; NULL if there is none. */
spl__emu_range *spl__emu_arena_find(spl__emu_arena *arena, const void *memory);
bool spl__emu_arena_has(const spl__emu_arena *arena, const void *pointer);
/* Whether all bytes are in one array that is not freed. */
bool spl__emu_arena_holds(spl__emu_arena *arena, const void *from, size_t bytes);

/* In stream order, with the arena open: begins an array; ends it, so that its addresses can be
 * reused. */
void spl__emu_arena_begin(spl__emu_arena *arena, void *memory);
void spl__emu_arena_release(spl__emu_arena *arena, void *memory);

/* Device work may access the memory between these calls; they nest. */
void spl__emu_arena_open(spl__emu_arena *arena);
void spl__emu_arena_close(spl__emu_arena *arena);
/* Returns the host memory of freed arrays to the system. */
void spl__emu_arena_trim(spl__emu_arena *arena);

#endif
