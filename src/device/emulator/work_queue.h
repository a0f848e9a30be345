/* SPDX-License-Identifier: Apache-2.0 */
/* work_queue.h: streams and events of an emulated device. Work is deferred until a wait, so that
 * missing waits show. One lock per device is held by all callers of these functions. */
#ifndef SPL_DEVICE_EMULATOR_WORK_QUEUE_H
#define SPL_DEVICE_EMULATOR_WORK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sparloom/sparloom.h"

struct spl__emu_device;
struct spl__emu_stream;

/* One piece of work. `run` gets `payload`, which it may change. */
typedef void (*spl__emu_work_fn)(struct spl__emu_stream *stream, void *payload);
typedef struct spl__emu_work {
    struct spl__emu_work *next;
    spl__emu_work_fn run;
    bool in_any_case; /* executed also after a fault in the stream */
    _Alignas(16) unsigned char payload[];
} spl__emu_work;

typedef struct spl__emu_stream {
    struct spl__emu_device *device;
    struct spl__emu_stream *next; /* next stream of the device */
    spl__emu_work *first, **last;
    bool faulty; /* work has failed, which has not been reported yet */
    char fault[512];
} spl__emu_stream;

typedef struct spl__emu_event {
    spl__emu_stream *stream; /* of the last record */
    /* number of the last record, and of the last one that its stream has passed */
    int64_t recorded, passed;
    bool timed;  /* its time may be read */
    bool faulty; /* its stream was faulty when it passed */
    char fault[512];
    double seconds; /* when */
    int64_t users;  /* the owner and pending work that refers to it */
} spl__emu_event;

void spl__emu_stream_init(spl__emu_stream *stream, struct spl__emu_device *device);

/* Allocates work with `bytes` bytes of payload, not yet in a queue; NULL: no memory. */
spl__emu_work *spl__emu_work_new(spl__emu_work_fn run, size_t bytes);
void spl__emu_work_put(spl__emu_stream *stream, spl__emu_work *work);
/* Allocates and enqueues work with a copy of the payload. SPL_OUT_OF_MEMORY. */
spl_status spl__emu_enqueue(spl__emu_stream *stream, spl__emu_work_fn run, const void *payload,
                            size_t bytes);

/* Executes all pending work of the stream. */
void spl__emu_stream_drain(spl__emu_stream *stream);
/* Called at the begin or end of each operation of a stream: reports a fault once, a lost device
 * always. */
spl_status spl__emu_stream_report(spl__emu_stream *stream);
/* Marks the stream as failed; only the first message is kept. */
void spl__emu_stream_fault(spl__emu_stream *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

spl__emu_event *spl__emu_event_new(int timed);
void spl__emu_event_release(spl__emu_event *event);
spl_status spl__emu_event_record(spl__emu_event *event, spl__emu_stream *stream);
spl_status spl__emu_event_wait(spl__emu_event *event, spl__emu_stream *stream);

#endif
