/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/counted_driver.h"

#include <string.h>

enum { MOST_LAUNCHES = 256 };

static const spl__driver *own;
static spl__driver counting;
static driver_counts counts;
static const char *names[MOST_LAUNCHES]; /* of the kernels */

static spl_status fill(void *device, void *to, int byte, size_t bytes, void *stream)
{
    counts.fills++;
    return own->fill(device, to, byte, bytes, stream);
}

static spl_status launch(void *device, const spl__launch *l, void *stream)
{
    EXPECT(counts.launches < MOST_LAUNCHES);
    names[counts.launches++] = l->kernel->name;
    return own->launch(device, l, stream);
}

static spl_status report(void *device, void *to, const void *from, size_t bytes, uint64_t *mark,
                         void *stream)
{
    counts.reports++;
    return own->report(device, to, from, bytes, mark, stream);
}

static void note_wait(void)
{
    if (counts.waits++ == 0)
        counts.at_first = counts.launches;
}

static spl_status await(void *device, const uint64_t *mark, void *stream)
{
    note_wait();
    return own->await(device, mark, stream);
}

static spl_status stream_wait(void *device, void *stream)
{
    note_wait();
    return own->stream_wait(device, stream);
}

static spl_status event_create(void *device, int timed, void **event)
{
    counts.events++;
    return own->event_create(device, timed, event);
}

static spl_status event_record(void *device, void *event, void *stream)
{
    counts.event_operations++;
    return own->event_record(device, event, stream);
}

static spl_status event_wait(void *device, void *event, void *stream)
{
    counts.event_operations++;
    return own->event_wait(device, event, stream);
}

void counted_driver_begin(const on_device *s)
{
    spl__device *device = spl__device_at(s->context, s->place);
    own = device->driver;
    counting = *own;
    counting.fill = fill;
    counting.launch = launch;
    counting.report = report;
    counting.await = await;
    counting.stream_wait = stream_wait;
    counting.event_create = event_create;
    counting.event_record = event_record;
    counting.event_wait = event_wait;
    device->driver = &counting;
    (void)counted_driver_take();
}

void counted_driver_end(const on_device *s)
{
    spl__device_at(s->context, s->place)->driver = own;
}

const driver_counts *counted_driver_counts(void)
{
    return &counts;
}

/* Names end with types of values and offsets. */
int counted_driver_launched(const char *kernel)
{
    const size_t length = strlen(kernel);
    int found = 0;
    for (int n = 0; n < counts.launches; n++)
        found += strncmp(names[n], kernel, length) == 0 && names[n][length] == '_' &&
                 (!strncmp(names[n] + length + 1, "f32", 3) ||
                  !strncmp(names[n] + length + 1, "f64", 3));
    return found;
}

driver_counts counted_driver_take(void)
{
    const driver_counts taken = counts;
    counts = (driver_counts){0};
    return taken;
}
