/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/hook_allocator.h"

#include "lib/testing.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* In front of each block; the block is followed by TAIL canary bytes. */
typedef struct block_header {
    uint64_t magic;
    size_t bytes;
    void *start; /* what malloc returned */
} block_header;

enum { TAIL = 32, TAIL_BYTE = 0x5C, FRESH_BYTE = 0xA5, DEAD_BYTE = 0xDD };
static const uint64_t magic_live = 0x6C6976652121A5A5u;

static bool refused(const hook_allocator *hook, size_t bytes)
{
    bool planned = hook->fail_at >= 0 && hook->allocations >= hook->fail_at;
    return planned || bytes > hook->limit - hook->live;
}

static void *new_block(size_t bytes, size_t align)
{
    if (bytes > SIZE_MAX - 2 * align - sizeof(block_header) - TAIL)
        return NULL;
    char *start = malloc(bytes + align + sizeof(block_header) + TAIL);
    if (!start)
        return NULL;
    uintptr_t first = (uintptr_t)start + sizeof(block_header);
    char *data = start + sizeof(block_header) + (align - first % align) % align;
    block_header header = {magic_live, bytes, start};
    memcpy(data - sizeof header, &header, sizeof header);
    memset(data, FRESH_BYTE, bytes < 1 << 20 ? bytes : 1 << 20);
    memset(data + bytes, TAIL_BYTE, TAIL);
    return data;
}

static void *hook_alloc(void *user, size_t bytes, size_t align, spl_place place, const spl_stream *stream)
{
    (void)stream;
    hook_allocator *hook = user;
    void *data = NULL;
    pthread_mutex_lock(&hook->mutex);
    if (bytes == 0 || align == 0 || (align & (align - 1)) != 0 || place.kind != SPL_HOST || place.ordinal != 0)
        hook->misused = true;
    else if (!refused(hook, bytes))
        data = new_block(bytes, align);
    if (data) {
        hook->allocations++;
        hook->live += bytes;
        hook->peak = hook->live > hook->peak ? hook->live : hook->peak;
    }
    pthread_mutex_unlock(&hook->mutex);
    return data;
}

static bool tail_intact(const char *tail)
{
    for (int i = 0; i < TAIL; i++)
        if (tail[i] != TAIL_BYTE)
            return false;
    return true;
}

static void hook_free(void *user, void *memory, size_t bytes, spl_place place, const spl_stream *stream)
{
    (void)stream;
    hook_allocator *hook = user;
    block_header header;
    memcpy(&header, (char *)memory - sizeof header, sizeof header);
    pthread_mutex_lock(&hook->mutex);
    bool good = header.magic == magic_live && header.bytes == bytes && place.kind == SPL_HOST;
    if (!good || !tail_intact((char *)memory + header.bytes))
        hook->misused = true;
    hook->frees++;
    hook->live -= bytes;
    pthread_mutex_unlock(&hook->mutex);
    if (!good)
        return;
    memset((char *)memory - sizeof header, DEAD_BYTE, sizeof header + (bytes < 4096 ? bytes : 4096));
    free(header.start);
}

void hook_start(hook_allocator *hook)
{
    *hook = (hook_allocator){.fail_at = -1, .limit = SIZE_MAX};
    pthread_mutex_init(&hook->mutex, NULL);
}

bool hook_clean(const hook_allocator *hook)
{
    return !hook->misused && hook->live == 0 && hook->allocations == hook->frees;
}

void hook_stop(hook_allocator *hook)
{
    pthread_mutex_destroy(&hook->mutex);
}

spl_allocator hook_as_allocator(hook_allocator *hook)
{
    return (spl_allocator){hook, hook_alloc, hook_free};
}

spl_status hook_context(hook_allocator *hook, int threads, size_t budget, spl_context **context)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    options.devices = testing_device();
    options.allocator = hook_as_allocator(hook);
    options.memory_budget = budget;
    return spl_context_create(&options, context);
}
