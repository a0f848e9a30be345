/* SPDX-License-Identifier: Apache-2.0 */
/* bounce.c: large copies between a device and memory of the host that is not pinned.
 *
 * A driver copies such memory with a single thread, at a fraction of the link's rate. Here it
 * passes in pieces through two pinned buffers: while the link transfers one, the queue's threads
 * copy to or from the other. Each buffer has its own stream, which tells when its transfer has
 * ended. The buffers are allocated on first use, kept with the device, and serve one copy at a
 * time; concurrent copies are left to the driver. */
#include "core/checked.h"
#include "core/threads/parallel.h"
#include "device/device.h"

/* ---- the buffers ---- */

void spl__bounces_free(spl__device *device)
{
    const spl__driver *d = device->driver;
    for (int n = 0; n < SPL__BOUNCES; n++) {
        spl__bounce *b = &device->bounces.buffers[n];
        if (b->stream)
            d->stream_destroy(device->handle, b->stream);
        if (b->event)
            d->event_destroy(device->handle, b->event);
        if (b->memory)
            d->pinned_free(device->handle, b->memory);
        *b = (spl__bounce){.memory = NULL};
    }
    if (device->bounces.begin)
        d->event_destroy(device->handle, device->bounces.begin);
    device->bounces.begin = NULL;
}

static bool make_one(const spl__device *device, spl__bounce *b)
{
    const spl__driver *d = device->driver;
    void *memory = NULL;
    if (d->pinned_alloc(device->handle, SPL__BOUNCE_BYTES, &memory) != SPL_OK)
        return false;
    b->memory = memory;
    return d->stream_create(device->handle, &b->stream) == SPL_OK &&
           d->event_create(device->handle, 0, &b->event) == SPL_OK;
}

/* Allocation is tried once; if it fails, the driver copies. */
static bool are_made(spl__device *device)
{
    spl__bounces *all = &device->bounces;
    bool made = all->buffers[SPL__BOUNCES - 1].event;
    if (made || all->refused)
        return made;
    made = device->driver->event_create(device->handle, 0, &all->begin) == SPL_OK;
    for (int n = 0; made && n < SPL__BOUNCES; n++)
        made = make_one(device, &all->buffers[n]);
    if (!made)
        spl__bounces_free(device);
    all->refused = !made;
    return made;
}

/* Pageable memory is neither the device's nor pinned, as far as the driver knows. */
static bool is_pageable(const spl__device *device, const void *pointer)
{
    int32_t ordinal;
    return device->driver->place_of(pointer, &ordinal) != device->driver->kind &&
           !device->driver->is_pinned(device->handle, pointer);
}

spl__bounce_way spl__bounce_take(spl__queue *queue, const void *to, const void *from, size_t bytes)
{
    enum { LEAST_PIECES = 2 };
    spl__device *d = queue->device;
    if (bytes < LEAST_PIECES * (size_t)SPL__BOUNCE_BYTES || spl__queue_captures(queue))
        return SPL__BOUNCE_NONE;
    bool from_host = is_pageable(d, from), to_host = is_pageable(d, to);
    if (from_host == to_host || atomic_flag_test_and_set(&d->bounces.taken))
        return SPL__BOUNCE_NONE;
    if (are_made(d))
        return from_host ? SPL__BOUNCE_TO_DEVICE : SPL__BOUNCE_TO_HOST;
    atomic_flag_clear(&d->bounces.taken);
    return SPL__BOUNCE_NONE;
}

/* ---- copies ---- */

static spl_status wait_for(const spl__device *d, const spl__bounce *b)
{
    return spl__device_check(d, d->driver->stream_wait(d->handle, b->stream));
}

/* Orders the buffers' streams after the work of the queue, and the queue after them. */
static spl_status leave_queue(const spl__queue *queue)
{
    const spl__device *d = queue->device;
    SPL__TRY(
        spl__device_check(d, d->driver->event_record(d->handle, d->bounces.begin, queue->stream)));
    for (int n = 0; n < SPL__BOUNCES; n++)
        SPL__TRY(spl__device_check(
            d, d->driver->event_wait(d->handle, d->bounces.begin, d->bounces.buffers[n].stream)));
    return SPL_OK;
}

static spl_status join_queue(const spl__queue *queue)
{
    const spl__device *d = queue->device;
    for (int n = 0; n < SPL__BOUNCES; n++) {
        const spl__bounce *b = &d->bounces.buffers[n];
        SPL__TRY(spl__device_check(d, d->driver->event_record(d->handle, b->event, b->stream)));
        SPL__TRY(spl__device_check(d, d->driver->event_wait(d->handle, b->event, queue->stream)));
    }
    return SPL_OK;
}

static size_t piece_at(size_t bytes, size_t offset)
{
    return bytes - offset < SPL__BOUNCE_BYTES ? bytes - offset : SPL__BOUNCE_BYTES;
}

static spl__bounce *buffer_at(const spl__queue *queue, size_t offset)
{
    return &queue->device->bounces.buffers[offset / SPL__BOUNCE_BYTES % SPL__BOUNCES];
}

static spl_status carry_up(const spl__queue *queue, char *to, const char *from, size_t bytes)
{
    const spl__device *d = queue->device;
    for (size_t offset = 0; offset < bytes; offset += SPL__BOUNCE_BYTES) {
        const spl__bounce *b = buffer_at(queue, offset);
        size_t piece = piece_at(bytes, offset);
        SPL__TRY(wait_for(d, b));
        spl__copy_bytes(queue->threads, b->memory, from + offset, piece);
        SPL__TRY(spl__device_check(
            d, d->driver->copy(d->handle, to + offset, b->memory, piece, b->stream)));
    }
    return join_queue(queue);
}

/* The link is one buffer ahead of the host's copies. */
static spl_status carry_to_host(const spl__queue *queue, char *to, const char *from, size_t bytes)
{
    enum { AHEAD = (SPL__BOUNCES - 1) * SPL__BOUNCE_BYTES };
    const spl__device *d = queue->device;
    for (size_t offset = 0; offset < bytes + AHEAD; offset += SPL__BOUNCE_BYTES) {
        if (offset < bytes) {
            const spl__bounce *b = buffer_at(queue, offset);
            SPL__TRY(spl__device_check(d, d->driver->copy(d->handle, b->memory, from + offset,
                                                          piece_at(bytes, offset), b->stream)));
        }
        if (offset < AHEAD)
            continue;
        size_t done = offset - AHEAD;
        SPL__TRY(wait_for(d, buffer_at(queue, done)));
        spl__copy_bytes(queue->threads, to + done, buffer_at(queue, done)->memory,
                        piece_at(bytes, done));
    }
    return SPL_OK;
}

spl_status spl__bounce_carry(spl__queue *queue, spl__bounce_way way, void *to, const void *from,
                             size_t bytes)
{
    spl__bounces *all = &queue->device->bounces;
    spl_status status = leave_queue(queue);
    if (status == SPL_OK)
        status = (way == SPL__BOUNCE_TO_DEVICE ? carry_up : carry_to_host)(queue, to, from, bytes);
    atomic_flag_clear(&all->taken);
    return status;
}
