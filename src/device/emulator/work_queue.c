/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/work_queue.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/emulator/emu_device.h"
#include "device/emulator/emu_message.h"

/* -------------------------------------------------------------------------------------- streams */

void spl__emu_stream_init(spl__emu_stream *stream, spl__emu_device *device)
{
    memset(stream, 0, sizeof *stream);
    stream->device = device;
    stream->last = &stream->first;
}

spl__emu_work *spl__emu_work_new(spl__emu_work_fn run, size_t bytes)
{
    spl__emu_work *work = malloc(sizeof *work + bytes);
    if (work == NULL) {
        spl__emu_fail(SPL_OUT_OF_MEMORY, "the host has no memory for work of a stream");
        return NULL;
    }
    work->next = NULL;
    work->run = run;
    work->in_any_case = false;
    return work;
}

void spl__emu_work_put(spl__emu_stream *stream, spl__emu_work *work)
{
    *stream->last = work;
    stream->last = &work->next;
}

spl_status spl__emu_enqueue(spl__emu_stream *stream, spl__emu_work_fn run, const void *payload,
                            size_t bytes)
{
    spl__emu_work *work = spl__emu_work_new(run, bytes);
    if (work == NULL)
        return SPL_OUT_OF_MEMORY;
    memcpy(work->payload, payload, bytes);
    spl__emu_work_put(stream, work);
    return SPL_OK;
}

/* Executes the first piece of work. The arena must be open. */
static void do_first(spl__emu_stream *stream)
{
    spl__emu_work *work = stream->first;
    stream->first = work->next;
    if (stream->first == NULL)
        stream->last = &stream->first;
    if (work->in_any_case || !(stream->faulty || spl__emu_is_lost(stream->device)))
        work->run(stream, work->payload);
    free(work);
}

void spl__emu_stream_drain(spl__emu_stream *stream)
{
    if (stream->first == NULL)
        return;
    spl__emu_arena_open(&stream->device->arena);
    while (stream->first)
        do_first(stream);
    spl__emu_arena_close(&stream->device->arena);
}

void spl__emu_stream_fault(spl__emu_stream *stream, const char *format, ...)
{
    va_list list;
    if (stream->faulty)
        return;
    va_start(list, format);
    vsnprintf(stream->fault, sizeof stream->fault, format, list);
    va_end(list);
    stream->faulty = true;
}

spl_status spl__emu_stream_report(spl__emu_stream *stream)
{
    SPL__EMU_TRY(spl__emu_operate(stream->device));
    if (!stream->faulty)
        return SPL_OK;
    stream->faulty = false;
    return spl__emu_fail(SPL_DEVICE_FAILURE, "%s", stream->fault);
}

/* --------------------------------------------------------------------------------------- events */

typedef struct mark {
    spl__emu_event *event;
    spl__emu_stream *stream; /* the stream in which it was recorded */
    int64_t number;
} mark;

spl__emu_event *spl__emu_event_new(int timed)
{
    spl__emu_event *event = calloc(1, sizeof *event);
    if (event) {
        event->users = 1;
        event->timed = timed != 0;
    }
    return event;
}

void spl__emu_event_release(spl__emu_event *event)
{
    if (--event->users == 0)
        free(event);
}

static void pass(spl__emu_stream *stream, void *payload)
{
    const mark *m = payload;
    spl__emu_event *event = m->event;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    event->seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    event->passed = m->number;
    event->faulty = stream->faulty;
    if (stream->faulty)
        memcpy(event->fault, stream->fault, sizeof event->fault);
    spl__emu_event_release(event);
}

/* Executes the other stream up to the record. That stream's own waits are for older records, so
 * there is no cycle. */
static void wait_for(spl__emu_stream *stream, void *payload)
{
    const mark *m = payload;
    while (m->event->passed < m->number && m->stream->first)
        do_first(m->stream);
    if (m->event->faulty)
        spl__emu_stream_fault(stream, "%s", m->event->fault);
    spl__emu_event_release(m->event);
}

static spl_status put_mark(spl__emu_stream *stream, spl__emu_work_fn run, const mark *m)
{
    spl__emu_work *work = spl__emu_work_new(run, sizeof *m);
    if (work == NULL)
        return SPL_OUT_OF_MEMORY;
    memcpy(work->payload, m, sizeof *m);
    work->in_any_case = true;
    m->event->users++;
    spl__emu_work_put(stream, work);
    return SPL_OK;
}

spl_status spl__emu_event_record(spl__emu_event *event, spl__emu_stream *stream)
{
    const mark m = {event, stream, event->recorded + 1};
    SPL__EMU_TRY(put_mark(stream, pass, &m));
    event->recorded = m.number;
    event->stream = stream;
    return SPL_OK;
}

spl_status spl__emu_event_wait(spl__emu_event *event, spl__emu_stream *stream)
{
    const mark m = {event, event->stream, event->recorded};
    if (event->recorded == 0 || event->stream == stream)
        return SPL_OK; /* never recorded: nothing to wait for; same stream: already in order */
    return put_mark(stream, wait_for, &m);
}
