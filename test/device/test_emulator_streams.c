/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and events: nothing happens before somebody waits, and what happens is in order. */
#include <string.h>

#include "device/device_words.k.h"
#include "lib/plugins.h"
#include "lib/testing.h"

#define DO(call) EXPECT(r->driver->call == SPL_OK)

static void for_both_widths(void (*try)(const rig *r))
{
    for (int width = 0; width < PLUGIN_WIDTHS; width++) {
        rig r = rig_with(width, NULL, NULL);
        try(&r);
        rig_close(&r);
    }
}

/* Enqueues y = y*factor + add for one number. */
static void affine(const rig *r, double *y, double factor, double add, void *stream)
{
    const struct affine_args args = {.count = 1, .y = y, .factor = factor, .add = add};
    spl__launch launch = {.blocks = 1, .threads = 32, .args = &args};
    DO(kernel(r->device, "affine_f64_32", &launch.kernel));
    DO(launch(r->device, &launch, stream));
}

static double *pinned_number(const rig *r, double value)
{
    void *memory;
    DO(pinned_alloc(r->device, sizeof value, &memory));
    *(double *)memory = value;
    return memory;
}

static void try_laziness(const rig *r)
{
    double *host = pinned_number(r, 3), *y = rig_alloc(r, sizeof *y);
    int32_t ordinal;
    EXPECT(r->driver->place_of(host, &ordinal) == SPL_HOST);
    EXPECT(r->driver->place_of(y, &ordinal) == SPL_EMULATOR && ordinal == 0);
    EXPECT(r->driver->place_of(&ordinal, &ordinal) == -1);
    DO(copy(r->device, y, host, sizeof *y, NULL));
    affine(r, y, 2, 1, NULL);
    DO(copy(r->device, host, y, sizeof *y, NULL));
    EXPECT(*host == 3);
    rig_wait(r);
    EXPECT(*host == 7);
    *host = 4; /* too late for what was copied */
    affine(r, y, 1, 1, NULL);
    DO(copy(r->device, host, y, sizeof *y, NULL));
    EXPECT(*host == 4);
    double number;
    rig_get(r, &number, y, sizeof number); /* pageable: waits */
    EXPECT(number == 8 && *host == 8);
    r->driver->pinned_free(r->device, host);
}

static void nothing_happens_before_a_wait(void **state)
{
    (void)state;
    for_both_widths(try_laziness);
}

/* y of one stream goes through the other: 5 -> *2 (first) -> +3 (second) -> *10 (first). */
static void try_events(const rig *r)
{
    void *streams[2], *events[3];
    double *host = pinned_number(r, 0), start = 5, *y = rig_put(r, &start, sizeof start), seconds;
    for (int i = 0; i < 2; i++)
        DO(stream_create(r->device, &streams[i]));
    for (int i = 0; i < 3; i++)
        DO(event_create(r->device, i < 2, &events[i]));
    DO(event_wait(r->device, events[0], streams[1])); /* never recorded: does not wait */
    affine(r, y, 2, 0, streams[0]);
    DO(event_record(r->device, events[0], streams[0]));
    affine(r, y, 0, 1000, streams[0]); /* after the event: too late to be visible */
    DO(event_wait(r->device, events[0], streams[1]));
    affine(r, y, 1, 3, streams[1]);
    DO(copy(r->device, host, y, sizeof *y, streams[1]));
    DO(event_record(r->device, events[1], streams[1]));
    EXPECT(r->driver->event_seconds(r->device, events[0], events[1], &seconds) ==
           SPL_INVALID_ARGUMENT);
    DO(stream_wait(r->device, streams[1]));
    EXPECT(*host == 13);
    DO(event_seconds(r->device, events[0], events[1], &seconds));
    EXPECT(seconds >= 0);
    DO(event_record(r->device, events[2], streams[0]));
    DO(stream_wait(r->device, streams[0]));
    EXPECT(r->driver->event_seconds(r->device, events[0], events[2], &seconds) ==
           SPL_INVALID_ARGUMENT); /* has no time */
    rig_get(r, &start, y, sizeof start);
    EXPECT(start == 1000);
    for (int i = 0; i < 3; i++)
        r->driver->event_destroy(r->device, events[i]);
    for (int i = 0; i < 2; i++)
        r->driver->stream_destroy(r->device, streams[i]);
}

static void streams_wait_for_events(void **state)
{
    (void)state;
    for_both_widths(try_events);
}

/* Streams that wait for each other in turns, many times; only one of them is waited for. */
static void try_ping_pong(const rig *r)
{
    enum { TURNS = 200 };
    void *streams[2], *event;
    double number = 0, *y = rig_put(r, &number, sizeof number);
    for (int i = 0; i < 2; i++)
        DO(stream_create(r->device, &streams[i]));
    DO(event_create(r->device, 0, &event));
    for (int turn = 0; turn < TURNS; turn++) {
        affine(r, y, 1, 1, streams[turn % 2]);
        DO(event_record(r->device, event, streams[turn % 2]));
        DO(event_wait(r->device, event, streams[(turn + 1) % 2]));
    }
    r->driver->event_destroy(r->device, event); /* work still names it */
    DO(copy(r->device, &number, y, sizeof number, streams[TURNS % 2]));
    EXPECT(number == TURNS);
    for (int i = 0; i < 2; i++)
        r->driver->stream_destroy(r->device, streams[i]);
}

static void streams_take_turns(void **state)
{
    (void)state;
    for_both_widths(try_ping_pong);
}

/* What earlier work wrote has arrived when fetch returns; it tells of that work's faults. */
static void try_fetch(const rig *r)
{
    double *host = pinned_number(r, 0), number = 1, *y = rig_put(r, &number, sizeof number);
    uint64_t mark = 0;
    const struct affine_args args = {.count = 1, .y = y};
    spl__launch launch = {.blocks = 1, .threads = 2000, .args = &args};
    affine(r, y, 3, 4, NULL);
    DO(report(r->device, host, y, sizeof *y, &mark, NULL));
    DO(await(r->device, &mark, NULL));
    EXPECT(*host == 7);
    DO(kernel(r->device, "affine_f64_32", &launch.kernel));
    DO(launch(r->device, &launch, NULL));
    spl_status status = r->driver->report(r->device, host, y, sizeof *y, &mark, NULL);
    if (status == SPL_OK)
        status = r->driver->await(r->device, &mark, NULL);
    EXPECT(status == SPL_DEVICE_FAILURE);
    DO(report(r->device, host, y, sizeof *y, &mark, NULL));
    DO(await(r->device, &mark, NULL));
    r->driver->pinned_free(r->device, host);
}

static void fetching_waits(void **state)
{
    (void)state;
    for_both_widths(try_fetch);
}

/* A fault reaches those who wait for the stream's event, and both are usable after. */
static void try_fault_of_another(const rig *r)
{
    void *streams[2], *event;
    double number = 1, *y = rig_put(r, &number, sizeof number);
    for (int i = 0; i < 2; i++)
        DO(stream_create(r->device, &streams[i]));
    DO(event_create(r->device, 0, &event));
    const struct affine_args args = {.count = 1, .y = y};
    spl__launch launch = {.blocks = 1, .threads = 2000, .args = &args};
    DO(kernel(r->device, "affine_f64_32", &launch.kernel));
    DO(launch(r->device, &launch, streams[0]));
    DO(event_record(r->device, event, streams[0]));
    DO(event_wait(r->device, event, streams[1]));
    EXPECT(r->driver->stream_wait(r->device, streams[1]) == SPL_DEVICE_FAILURE);
    EXPECT(strstr(r->driver->message(), "2000 threads") != NULL);
    EXPECT(r->driver->stream_wait(r->device, streams[0]) == SPL_DEVICE_FAILURE);
    for (int i = 0; i < 2; i++) {
        affine(r, y, 1, 1, streams[i]);
        DO(stream_wait(r->device, streams[i]));
        r->driver->stream_destroy(r->device, streams[i]);
    }
    rig_get(r, &number, y, sizeof number);
    EXPECT(number == 3);
    r->driver->event_destroy(r->device, event);
}

static void faults_reach_waiting_streams(void **state)
{
    (void)state;
    for_both_widths(try_fault_of_another);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_happens_before_a_wait),
        cmocka_unit_test(streams_wait_for_events),
        cmocka_unit_test(streams_take_turns),
        cmocka_unit_test(fetching_waits),
        cmocka_unit_test(faults_reach_waiting_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
