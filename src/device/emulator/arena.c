/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "device/emulator/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/emulator/sanitizers.h"

enum {
    ALIGN = 256,
    GAP = 4096,
    PAGE = 64 * 1024 /* the largest page size in use */,
    SLACK = 64 << 20,
    TAINT = 0xA5
};

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

bool spl__emu_arena_init(spl__emu_arena *arena, size_t limit)
{
    memset(arena, 0, sizeof *arena);
    arena->limit = limit;
    /* so that fragmentation of addresses is not the first limit */
    arena->reserved = round_up(2 * limit + SLACK, PAGE);
    void *base =
        mmap(NULL, arena->reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    arena->base = base;
    return true;
}

void spl__emu_arena_end(spl__emu_arena *arena)
{
    spl__asan_unpoison(arena->base, arena->top);
    munmap(arena->base, arena->reserved);
    free(arena->ranges);
}

/* ------------------------------------------------------------------------------------ addresses */

/* The end of the range, with its gap. */
static size_t end_of(const spl__emu_range *range)
{
    return range->begin + round_up(range->bytes, ALIGN) + GAP;
}

/* The first hole that is large enough; it is before ranges[i]. */
static int64_t find_hole(const spl__emu_arena *arena, size_t need, size_t *begin)
{
    int64_t i = 0;
    *begin = GAP;
    for (; i < arena->count; i++) {
        if (arena->ranges[i].begin >= *begin + need)
            break;
        *begin = end_of(&arena->ranges[i]);
    }
    return i;
}

static bool make_room(spl__emu_arena *arena)
{
    if (arena->count < arena->room)
        return true;
    const int64_t room = 2 * arena->room + 64;
    spl__emu_range *ranges = realloc(arena->ranges, (size_t)room * sizeof *ranges);
    if (ranges == NULL)
        return false;
    arena->ranges = ranges;
    arena->room = room;
    return true;
}

/* Poisons new memory when the arena grows. */
static void grow(spl__emu_arena *arena, size_t top)
{
    if (top <= arena->top)
        return;
    spl__asan_poison(arena->base + arena->top, top - arena->top);
    arena->top = top;
    if (arena->opened > 0)
        mprotect(arena->base, arena->top, PROT_READ | PROT_WRITE);
}

void *spl__emu_arena_take(spl__emu_arena *arena, size_t bytes)
{
    if (bytes > arena->limit || !make_room(arena))
        return NULL;
    size_t begin;
    const size_t counted = round_up(bytes, ALIGN);
    const int64_t position = find_hole(arena, counted + GAP, &begin);
    if (counted > arena->limit - arena->live || begin + counted + GAP > arena->reserved)
        return NULL;
    memmove(arena->ranges + position + 1, arena->ranges + position,
            (size_t)(arena->count - position) * sizeof *arena->ranges);
    arena->ranges[position] = (spl__emu_range){.begin = begin, .bytes = bytes};
    arena->count++;
    arena->live += counted;
    grow(arena, round_up(begin + counted + GAP, PAGE));
    return arena->base + begin;
}

bool spl__emu_arena_has(const spl__emu_arena *arena, const void *pointer)
{
    const uintptr_t address = (uintptr_t)pointer, base = (uintptr_t)arena->base;
    return address >= base && address - base < arena->reserved;
}

spl__emu_range *spl__emu_arena_find(spl__emu_arena *arena, const void *memory)
{
    if (!spl__emu_arena_has(arena, memory))
        return NULL;
    const size_t offset = (size_t)((const char *)memory - arena->base);
    /* invariant: ranges[low - 1] begins at or before the offset, ranges[high] after it */
    int64_t low = 0, high = arena->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (arena->ranges[middle].begin <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || offset > arena->ranges[low - 1].begin + arena->ranges[low - 1].bytes)
        return NULL;
    return &arena->ranges[low - 1];
}

bool spl__emu_arena_holds(spl__emu_arena *arena, const void *from, size_t bytes)
{
    const spl__emu_range *range = spl__emu_arena_find(arena, from);
    if (range == NULL || range->freed)
        return false;
    return bytes <= range->bytes - ((size_t)((const char *)from - arena->base) - range->begin);
}

void spl__emu_arena_forget(spl__emu_arena *arena, void *memory)
{
    spl__emu_range *range = spl__emu_arena_find(arena, memory);
    arena->live -= round_up(range->bytes, ALIGN);
    arena->count--;
    memmove(range, range + 1, (size_t)(arena->ranges + arena->count - range) * sizeof *range);
}

/* ------------------------------------------------------------------------------ in stream order */

void spl__emu_arena_begin(spl__emu_arena *arena, void *memory)
{
    const spl__emu_range *range = spl__emu_arena_find(arena, memory);
    spl__asan_unpoison(memory, range->bytes);
    memset(memory, TAINT, range->bytes);
}

void spl__emu_arena_release(spl__emu_arena *arena, void *memory)
{
    const size_t bytes = spl__emu_arena_find(arena, memory)->bytes;
    memset(memory, TAINT, bytes); /* so that later reads are noticed */
    spl__asan_poison(memory, round_up(bytes, ALIGN));
    spl__emu_arena_forget(arena, memory);
}

void spl__emu_arena_open(spl__emu_arena *arena)
{
    if (arena->opened++ == 0 && arena->top > 0)
        mprotect(arena->base, arena->top, PROT_READ | PROT_WRITE);
}

void spl__emu_arena_close(spl__emu_arena *arena)
{
    if (--arena->opened == 0 && arena->top > 0)
        mprotect(arena->base, arena->top, PROT_NONE);
}

static void drop_pages(spl__emu_arena *arena, size_t begin, size_t end)
{
    begin = round_up(begin, PAGE);
    end = end / PAGE * PAGE;
    if (begin < end)
        madvise(arena->base + begin, end - begin, MADV_DONTNEED);
}

void spl__emu_arena_trim(spl__emu_arena *arena)
{
    size_t begin = 0;
    for (int64_t i = 0; i < arena->count; i++) {
        drop_pages(arena, begin, arena->ranges[i].begin);
        begin = end_of(&arena->ranges[i]);
    }
    drop_pages(arena, begin, arena->top);
}
