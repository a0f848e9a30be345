/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and launches of an emulated device. */
#include <stdlib.h>
#include <string.h>

#include "device/emulator/emu_device.h"
#include "device/emulator/emu_message.h"

/* -------------------------------------------------------------------------------------- streams */

static spl_status add_stream(spl__emu_device *device, void **stream)
{
    SPL__EMU_TRY(spl__emu_operate(device));
    spl__emu_stream *s = malloc(sizeof *s);
    if (s == NULL)
        return spl__emu_fail(SPL_OUT_OF_MEMORY, "the host has no memory for a stream");
    spl__emu_stream_init(s, device);
    s->next = device->streams;
    device->streams = s;
    *stream = s;
    return SPL_OK;
}

spl_status spl__emu_stream_create(void *device, void **stream)
{
    spl__emu_device *d = device;
    spl__emu_enter(device, NULL);
    const spl_status status = add_stream(d, stream);
    spl__emu_leave(device);
    return status;
}

void spl__emu_stream_destroy(void *device, void *stream)
{
    spl__emu_device *d = device;
    if (stream == NULL)
        return;
    spl__emu_stream *s = spl__emu_enter(device, stream), **link = &d->streams;
    spl__emu_stream_drain(s);
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    spl__emu_leave(device);
    free(s);
}

spl_status spl__emu_stream_wait(void *device, void *stream)
{
    spl__emu_stream *s = spl__emu_enter(device, stream);
    spl__emu_stream_drain(s);
    const spl_status status = spl__emu_stream_report(s);
    spl__emu_leave(device);
    return status;
}

/* Like a device that sets no marks. */
spl_status spl__emu_report(void *device, void *to, const void *from, size_t bytes, uint64_t *mark,
                           void *stream)
{
    *mark = 0;
    return spl__emu_copy(device, to, from, bytes, stream);
}

spl_status spl__emu_await(void *device, const uint64_t *mark, void *stream)
{
    (void)mark;
    return spl__emu_stream_wait(device, stream);
}

int spl__emu_stream_captures(void *device, void *stream)
{
    (void)device;
    (void)stream;
    return 0;
}

/* --------------------------------------------------------------------------------------- events */

spl_status spl__emu_event_create(void *device, int timed, void **event)
{
    (void)device;
    *event = spl__emu_event_new(timed);
    return *event ? SPL_OK
                  : spl__emu_fail(SPL_OUT_OF_MEMORY, "the host has no memory for an event");
}

void spl__emu_event_destroy(void *device, void *event)
{
    if (event == NULL)
        return;
    spl__emu_enter(device, NULL);
    spl__emu_event_release(event);
    spl__emu_leave(device);
}

spl_status spl__emu_event_record_in(void *device, void *event, void *stream)
{
    spl__emu_stream *s = spl__emu_enter(device, stream);
    const spl_status status = spl__emu_event_record(event, s);
    spl__emu_leave(device);
    return status;
}

spl_status spl__emu_event_wait_in(void *device, void *event, void *stream)
{
    spl__emu_stream *s = spl__emu_enter(device, stream);
    const spl_status status = spl__emu_event_wait(event, s);
    spl__emu_leave(device);
    return status;
}

spl_status spl__emu_event_seconds(void *device, void *from, void *to, double *seconds)
{
    const spl__emu_event *a = from, *b = to;
    spl__emu_enter(device, NULL);
    const bool passed =
        a->recorded > 0 && b->recorded > 0 && a->passed == a->recorded && b->passed == b->recorded;
    *seconds = passed ? b->seconds - a->seconds : 0;
    spl__emu_leave(device);
    if (!a->timed || !b->timed)
        return spl__emu_fail(SPL_INVALID_ARGUMENT, "an event has no time");
    return passed
               ? SPL_OK
               : spl__emu_fail(SPL_INVALID_ARGUMENT, "an event was not recorded or not waited for");
}

/* ------------------------------------------------------------------------------------- launches */

typedef struct launch_work {
    spl__launch launch;
    _Alignas(16) unsigned char args[];
} launch_work;

static void do_launch(spl__emu_stream *stream, void *payload)
{
    launch_work *work = payload;
    spl__emu_engine *engine = stream->device->engine;
    work->launch.args = work->args;
    if (!spl__emu_engine_run(engine, &work->launch))
        spl__emu_stream_fault(stream, "%s", engine->fault);
}

static spl_status launch_in(const spl__launch *launch, spl__emu_stream *stream)
{
    SPL__EMU_TRY(spl__emu_stream_report(stream));
    spl__emu_work *work =
        spl__emu_work_new(do_launch, sizeof(launch_work) + launch->kernel->args_bytes);
    if (work == NULL)
        return SPL_OUT_OF_MEMORY;
    launch_work *copy = (launch_work *)work->payload;
    copy->launch = *launch;
    memcpy(copy->args, launch->args, launch->kernel->args_bytes);
    spl__emu_work_put(stream, work);
    return SPL_OK;
}

spl_status spl__emu_launch(void *device, const spl__launch *launch, void *stream)
{
    spl__emu_stream *s = spl__emu_enter(device, stream);
    const spl_status status = launch_in(launch, s);
    spl__emu_leave(device);
    return status;
}
