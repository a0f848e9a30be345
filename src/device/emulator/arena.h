/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h: the memory of one emulated device: a range of addresses that nobody may touch while the
 * device does no work.
 *
 * Arrays lie apart; what is between them and what was freed is poisoned for ASan. The addresses are
 * given when memory is asked for, the bytes come to life (and are filled with 0xA5) and die in
 * stream order. */
#ifndef SPL_DEVICE_EMULATOR_ARENA_H
#define SPL_DEVICE_EMULATOR_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct spl__emu_range {
    size_t begin, bytes; /* offset in the arena, as asked for */
    bool freed;          /* but the stream that frees it is not there yet */
} spl__emu_range;

typedef struct spl__emu_arena {
    char *base;
    size_t reserved;        /* bytes of addresses */
    size_t limit, live;     /* bytes that may be, and are, allocated */
    size_t top;             /* everything ever allocated lies below */
    spl__emu_range *ranges; /* [count], ascending */
    int64_t count, room;
    int opened;
} spl__emu_arena;

/* false: no memory. */
bool spl__emu_arena_init(spl__emu_arena *arena, size_t limit);
void spl__emu_arena_end(spl__emu_arena *arena);

/* Gives addresses to `bytes` bytes; NULL if the limit or the host's memory does not allow. */
void *spl__emu_arena_take(spl__emu_arena *arena, size_t bytes);
/* Takes the addresses back from an array that never began. */
void spl__emu_arena_forget(spl__emu_arena *arena, void *memory);
/* The array that begins at `memory`, or that contains it; NULL if there is none. */
spl__emu_range *spl__emu_arena_find(spl__emu_arena *arena, const void *memory);
bool spl__emu_arena_has(const spl__emu_arena *arena, const void *pointer);
/* Are all of the bytes in one array that is not freed? */
bool spl__emu_arena_holds(spl__emu_arena *arena, const void *from, size_t bytes);

/* In stream order, with the arena open: the array begins; it ends, and its addresses can be given
 * again. */
void spl__emu_arena_begin(spl__emu_arena *arena, void *memory);
void spl__emu_arena_release(spl__emu_arena *arena, void *memory);

/* Device work may touch the memory between these; they nest. */
void spl__emu_arena_open(spl__emu_arena *arena);
void spl__emu_arena_close(spl__emu_arena *arena);
/* Gives the host memory behind freed arrays back. */
void spl__emu_arena_trim(spl__emu_arena *arena);

#endif
