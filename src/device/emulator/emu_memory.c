/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, copies and fills of an emulated device. */
#include <stdlib.h>
#include <string.h>

#include "device/emulator/emu_device.h"
#include "device/emulator/emu_message.h"

/* -------------------------------------------------------------------------------- device memory */

static void begin_array(spl__emu_stream *stream, void *payload)
{
    spl__emu_arena_begin(&stream->device->arena, *(void **)payload);
}

static void end_array(spl__emu_stream *stream, void *payload)
{
    spl__emu_arena_release(&stream->device->arena, *(void **)payload);
}

static void drain_all(spl__emu_device *device)
{
    spl__emu_stream_drain(&device->default_stream);
    for (spl__emu_stream *s = device->streams; s; s = s->next)
        spl__emu_stream_drain(s);
}

/* If memory is short, executes pending work, which may free some. */
static void *take(spl__emu_device *device, size_t bytes)
{
    void *memory = spl__emu_arena_take(&device->arena, bytes);
    if (memory)
        return memory;
    drain_all(device);
    return spl__emu_arena_take(&device->arena, bytes);
}

/* Work that is done even in a failed stream: otherwise memory would leak or be used before it
 * begins. */
static spl_status put_array_work(spl__emu_stream *stream, spl__emu_work_fn run, void *memory)
{
    spl__emu_work *work = spl__emu_work_new(run, sizeof memory);
    if (work == NULL)
        return SPL_OUT_OF_MEMORY;
    memcpy(work->payload, &memory, sizeof memory);
    work->in_any_case = true;
    spl__emu_work_put(stream, work);
    return SPL_OK;
}

static spl_status alloc_in(spl__emu_device *device, size_t bytes, spl__emu_stream *stream,
                           void **memory)
{
    SPL__EMU_TRY(spl__emu_stream_report(stream));
    void *taken = take(device, bytes);
    if (taken == NULL)
        return spl__emu_fail(SPL_OUT_OF_MEMORY,
                             "the emulated device has no %zu bytes: %zu of %zu are in use", bytes,
                             device->arena.live, device->arena.limit);
    if (put_array_work(stream, begin_array, taken) != SPL_OK) {
        spl__emu_arena_forget(&device->arena, taken);
        return SPL_OUT_OF_MEMORY;
    }
    *memory = taken;
    return SPL_OK;
}

spl_status spl__emu_alloc(void *device, size_t bytes, void *stream, void **memory)
{
    *memory = NULL;
    if (bytes == 0)
        return SPL_OK;
    spl__emu_stream *s = spl__emu_enter(device, stream);
    const spl_status status = alloc_in(device, bytes, s, memory);
    spl__emu_leave(device);
    return status;
}

static void free_in(spl__emu_device *device, void *memory, spl__emu_stream *stream)
{
    spl__emu_range *range = spl__emu_arena_find(&device->arena, memory);
    if (range == NULL || device->arena.base + range->begin != (char *)memory || range->freed) {
        spl__emu_stream_fault(stream, "free of %p, which is no array of the device", memory);
        return;
    }
    range->freed = true;
    if (put_array_work(stream, end_array, memory) == SPL_OK)
        return;
    spl__emu_stream_drain(stream); /* if memory for the queue is short, execute at once */
    spl__emu_arena_open(&device->arena);
    spl__emu_arena_release(&device->arena, memory);
    spl__emu_arena_close(&device->arena);
}

void spl__emu_free(void *device, void *memory, void *stream)
{
    if (memory == NULL)
        return;
    spl__emu_stream *s = spl__emu_enter(device, stream);
    free_in(device, memory, s);
    spl__emu_leave(device);
}

spl_status spl__emu_trim(void *device)
{
    spl__emu_device *d = device;
    spl__emu_enter(device, NULL);
    spl__emu_arena_trim(&d->arena);
    spl__emu_leave(device);
    return SPL_OK;
}

/* -------------------------------------------------------------------------------- pinned memory */

static spl_status pin(spl__emu_device *device, size_t bytes, void **memory)
{
    SPL__EMU_TRY(spl__emu_operate(device));
    spl__emu_pinned *pinned = malloc(sizeof *pinned);
    void *block = malloc(bytes);
    if (pinned == NULL || block == NULL) {
        free(pinned);
        free(block);
        return spl__emu_fail(SPL_OUT_OF_MEMORY, "the host has no %zu bytes to pin", bytes);
    }
    *pinned = (spl__emu_pinned){device->pinned, block, bytes};
    device->pinned = pinned;
    *memory = block;
    return SPL_OK;
}

spl_status spl__emu_pinned_alloc(void *device, size_t bytes, void **memory)
{
    spl__emu_device *d = device;
    *memory = NULL;
    if (bytes == 0)
        return SPL_OK;
    spl__emu_enter(device, NULL);
    const spl_status status = pin(d, bytes, memory);
    spl__emu_leave(device);
    return status;
}

/* Executes pending work first, like cudaFreeHost. */
void spl__emu_pinned_free(void *device, void *memory)
{
    spl__emu_device *d = device;
    if (memory == NULL)
        return;
    spl__emu_enter(device, NULL);
    drain_all(d);
    spl__emu_pinned **link = &d->pinned;
    while (*link && (*link)->memory != memory)
        link = &(*link)->next;
    spl__emu_pinned *pinned = *link;
    if (pinned) {
        *link = pinned->next;
        free(pinned->memory);
        free(pinned);
    }
    spl__emu_leave(device);
}

int spl__emu_knows_pinned(void *device, const void *pointer)
{
    spl__emu_enter(device, NULL);
    const bool known = spl__emu_is_pinned(device, pointer);
    spl__emu_leave(device);
    return known;
}

/* ----------------------------------------------------------------------------- copies and fills */

typedef struct transfer {
    void *to;
    const void *from; /* for copies */
    size_t bytes;
    int byte; /* for fills */
} transfer;

static void do_copy(spl__emu_stream *stream, void *payload)
{
    const transfer *t = payload;
    (void)stream;
    memmove(t->to, t->from, t->bytes);
}

static void do_fill(spl__emu_stream *stream, void *payload)
{
    const transfer *t = payload;
    (void)stream;
    memset(t->to, t->byte, t->bytes);
}

/* Device memory must be within one array. */
static spl_status check_side(spl__emu_device *device, const void *pointer, size_t bytes)
{
    if (!spl__emu_arena_has(&device->arena, pointer) ||
        spl__emu_arena_holds(&device->arena, pointer, bytes))
        return SPL_OK;
    return spl__emu_fail(SPL_INVALID_ARGUMENT,
                         "%zu bytes at %p are not all in one array of the device", bytes, pointer);
}

static bool can_wait(const spl__emu_device *device, const void *pointer)
{
    return spl__emu_arena_has(&device->arena, pointer) || spl__emu_is_pinned(device, pointer);
}

static spl_status copy_in(spl__emu_device *device, const transfer *t, spl__emu_stream *stream)
{
    SPL__EMU_TRY(spl__emu_stream_report(stream));
    SPL__EMU_TRY(check_side(device, t->to, t->bytes));
    SPL__EMU_TRY(check_side(device, t->from, t->bytes));
    SPL__EMU_TRY(spl__emu_enqueue(stream, do_copy, t, sizeof *t));
    if (can_wait(device, t->to) && can_wait(device, t->from))
        return SPL_OK;
    spl__emu_stream_drain(stream);
    return spl__emu_stream_report(stream);
}

/* Other emulated devices' memory is not accessible, as on systems without peer access. */
static bool is_foreign(const spl__emu_device *device, const void *pointer)
{
    int32_t ordinal;
    return spl__emu_place_of(pointer, &ordinal) == SPL_EMULATOR && ordinal != device->ordinal;
}

spl_status spl__emu_copy(void *device, void *to, const void *from, size_t bytes, void *stream)
{
    if (bytes == 0)
        return SPL_OK;
    if (is_foreign(device, to) || is_foreign(device, from))
        return spl__emu_fail(SPL_UNSUPPORTED, "copies between devices go through the host");
    spl__emu_stream *s = spl__emu_enter(device, stream);
    const spl_status status = copy_in(device, &(transfer){to, from, bytes, 0}, s);
    spl__emu_leave(device);
    return status;
}

static spl_status fill_in(spl__emu_device *device, const transfer *t, spl__emu_stream *stream)
{
    SPL__EMU_TRY(spl__emu_stream_report(stream));
    if (!spl__emu_arena_holds(&device->arena, t->to, t->bytes))
        return spl__emu_fail(SPL_INVALID_ARGUMENT,
                             "%zu bytes at %p are not all in one array of the device", t->bytes,
                             t->to);
    return spl__emu_enqueue(stream, do_fill, t, sizeof *t);
}

spl_status spl__emu_fill(void *device, void *to, int byte, size_t bytes, void *stream)
{
    if (bytes == 0)
        return SPL_OK;
    spl__emu_stream *s = spl__emu_enter(device, stream);
    const spl_status status = fill_in(device, &(transfer){to, NULL, bytes, byte}, s);
    spl__emu_leave(device);
    return status;
}
