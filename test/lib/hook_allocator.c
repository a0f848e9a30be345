/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/hook_allocator.h"

#include "device/device.h"
#include "lib/testing.h"

#include <stdint.h>
#include <stdio.h>
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

static bool refused(hook_allocator *hook, spl_place place, size_t bytes)
{
    bool planned = hook->fail_at >= 0 && hook->allocations >= hook->fail_at;
    if (planned && hook->once)
        hook->fail_at = -1;
    if (hook->refused > 0 && zoo_random_below(&hook->dice, 100) < hook->refused)
        return true;
    if (place.kind == SPL_HOST)
        return planned || bytes > hook->limit - hook->live;
    return planned || bytes > hook->limit - hook->device_live ||
           bytes > hook->device_limit - hook->device_live;
}

static void count(hook_allocator *hook, spl_place place, size_t bytes)
{
    size_t *live = place.kind == SPL_HOST ? &hook->live : &hook->device_live;
    size_t *peak = place.kind == SPL_HOST ? &hook->peak : &hook->device_peak;
    hook->allocations++;
    *live += bytes;
    *peak = *live > *peak ? *live : *peak;
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

/* NULL: the test has no such device. */
static const struct hook_device *device_at(const hook_allocator *hook, spl_place place)
{
    for (int d = 0; d < hook->device_count; d++)
        if (hook->devices[d].place.kind == place.kind &&
            hook->devices[d].place.ordinal == place.ordinal)
            return &hook->devices[d];
    return NULL;
}

/* The entry of a block on a device; of none if `memory` is NULL. NULL: there is no such entry. */
static struct hook_device_block *device_block(hook_allocator *hook, const void *memory)
{
    for (int i = 0; i < HOOK_DEVICE_BLOCKS; i++)
        if (hook->blocks[i].memory == memory)
            return &hook->blocks[i];
    return NULL;
}

static void *new_device_block(hook_allocator *hook, size_t bytes, spl_place place,
                              const spl_stream *stream)
{
    void *memory = NULL;
    const struct hook_device *device = device_at(hook, place);
    struct hook_device_block *entry = device_block(hook, NULL);
    if (!entry || device->driver->alloc(device->handle, bytes, stream->handle, &memory) != SPL_OK)
        return NULL;
    *entry = (struct hook_device_block){memory, bytes, device};
    return memory;
}

static bool on_host(const hook_allocator *hook, spl_place place, const spl_stream *stream)
{
    if (place.kind == SPL_HOST)
        return place.ordinal == 0;
    return device_at(hook, place) && stream && stream->kind == place.kind;
}

static void *hook_alloc(void *user, size_t bytes, size_t align, spl_place place,
                        const spl_stream *stream)
{
    hook_allocator *hook = user;
    void *data = NULL;
    pthread_mutex_lock(&hook->mutex);
    if (bytes == 0 || align == 0 || (align & (align - 1)) != 0 || !on_host(hook, place, stream))
        hook->misused = true;
    else if (!refused(hook, place, bytes))
        data = place.kind == SPL_HOST ? new_block(bytes, align)
                                      : new_device_block(hook, bytes, place, stream);
    if (data)
        count(hook, place, bytes);
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

/* Whether the block was one of ours; it is gone then. */
static bool end_block(void *memory, size_t bytes)
{
    block_header header;
    memcpy(&header, (char *)memory - sizeof header, sizeof header);
    if (header.magic != magic_live || header.bytes != bytes)
        return false;
    bool intact = tail_intact((char *)memory + bytes);
    memset((char *)memory - sizeof header, DEAD_BYTE,
           sizeof header + (bytes < 4096 ? bytes : 4096));
    free(header.start);
    return intact;
}

static bool end_device_block(hook_allocator *hook, void *memory, size_t bytes, spl_place place,
                             const spl_stream *stream)
{
    struct hook_device_block *entry = device_block(hook, memory);
    const struct hook_device *device = device_at(hook, place);
    if (!entry || entry->bytes != bytes || entry->device != device)
        return false;
    device->driver->free(device->handle, memory, stream->handle);
    *entry = (struct hook_device_block){NULL, 0, NULL};
    return true;
}

static void hook_free(void *user, void *memory, size_t bytes, spl_place place,
                      const spl_stream *stream)
{
    hook_allocator *hook = user;
    pthread_mutex_lock(&hook->mutex);
    bool good = memory && on_host(hook, place, stream) &&
                (place.kind == SPL_HOST ? end_block(memory, bytes)
                                        : end_device_block(hook, memory, bytes, place, stream));
    hook->misused = hook->misused || !good;
    hook->frees++;
    *(place.kind == SPL_HOST ? &hook->live : &hook->device_live) -= bytes;
    pthread_mutex_unlock(&hook->mutex);
}

/* "emu64:1" is device 1 of the driver emu64; its places count from 64. */
static void open_device(hook_allocator *hook, const char *text)
{
    char name[32];
    int ordinal = 0;
    struct hook_device *d = &hook->devices[hook->device_count++];
    EXPECT(hook->device_count <= HOOK_DEVICES);
    EXPECT(sscanf(text, "%31[^:,]:%d", name, &ordinal) >= 1);
    EXPECT_OK(spl__driver_find(name, &d->driver));
    EXPECT(d->driver->open(ordinal, &d->handle) == SPL_OK);
    d->place = (spl_place){d->driver->kind, ordinal + (strcmp(name, "emu64") == 0 ? 64 : 0)};
}

void hook_start(hook_allocator *hook)
{
    *hook = (hook_allocator){.fail_at = -1, .limit = SIZE_MAX, .device_limit = SIZE_MAX};
    pthread_mutex_init(&hook->mutex, NULL);
    for (const char *cursor = testing_device(); cursor && *cursor;
         cursor += strcspn(cursor, ","), cursor += *cursor == ',')
        if (strncmp(cursor, "cpu", 3) != 0)
            open_device(hook, cursor);
}

bool hook_clean(const hook_allocator *hook)
{
    return !hook->misused && hook->live == 0 && hook->device_live == 0 &&
           hook->allocations == hook->frees;
}

void hook_stop(hook_allocator *hook)
{
    for (int d = 0; d < hook->device_count; d++)
        hook->devices[d].driver->close(hook->devices[d].handle);
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

/* ---- failures ---- */

hook_calls hook_fail_some(hook_allocator *hook, long long first, long long step, hook_call call,
                          void *data)
{
    enum { MOST_ALLOCATIONS = 3000 };
    const size_t live = hook->live, device_live = hook->device_live;
    hook_calls calls = {0, 0};
    bool failed = true;
    for (long long k = first; failed; k += step) {
        hook->fail_at = hook->allocations + k;
        testing_case("%s: allocation %lld fails", hook->what ? hook->what : "call", k);
        const spl_status status = call(data);
        failed = hook->once ? hook->fail_at < 0 : hook->allocations >= hook->fail_at;
        hook->fail_at = -1;
        calls.made += status == SPL_OK;
        calls.refused += status == SPL_OUT_OF_MEMORY;
        if (status != SPL_OK)
            EXPECT_STATUS(SPL_OUT_OF_MEMORY, status);
        EXPECT(failed || status == SPL_OK);
        EXPECT(hook->live == live && hook->device_live == device_live && !hook->misused);
        EXPECT(k < MOST_ALLOCATIONS);
    }
    return calls;
}

hook_calls hook_fail_each(hook_allocator *hook, hook_call call, void *data)
{
    return hook_fail_some(hook, 0, 1, call, data);
}

void hooked_start(hooked *h, size_t room)
{
    hook_start(&h->hook);
    zoo_random_seed(&h->random, testing_seed());
    EXPECT_OK(hook_context(&h->hook, 2, 0, &h->context));
    h->hook.limit = h->hook.live + room;
}

void hooked_stop(hooked *h)
{
    spl_context_destroy(h->context);
    EXPECT(hook_clean(&h->hook));
    hook_stop(&h->hook);
}
