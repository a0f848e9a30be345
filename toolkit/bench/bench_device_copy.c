/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_rival.h"
#include "stopwatch.h"

#include <math.h>

enum { RUNS = 5, COPIES = 8 };
/* Far beyond any cache; emulated devices are for tests. */
static const size_t device_bytes = (size_t)512 << 20, emulated_bytes = (size_t)1 << 20;

typedef struct copying {
    spl_context *context;
    spl_place place;
    size_t bytes;
    void *from, *to;
} copying;

/* Seconds of a copy, the best of several batches; INFINITY if one fails. */
static double time_copies(const copying *c)
{
    double best = HUGE_VAL;
    for (int run = 0; run < RUNS; run++) {
        double start = tool_now();
        for (int i = 0; i < COPIES; i++)
            if (spl_array_copy(c->context, c->place, c->to, c->place, c->from, c->bytes, NULL) !=
                SPL_OK)
                return HUGE_VAL;
        if (spl_sync(c->context, NULL) != SPL_OK)
            return HUGE_VAL;
        best = fmin(best, (tool_now() - start) / COPIES);
    }
    return best;
}

double bench_device_copy(const bench_target *target)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    copying c = {.place = target->place,
                 .bytes = target->place.kind == SPL_EMULATOR ? emulated_bytes : device_bytes};
    double seconds = HUGE_VAL;
    options.threads = target->threads;
    options.devices = target->devices;
    if (spl_context_create(&options, &c.context) != SPL_OK)
        return 0;
    if (spl_array_alloc(c.context, c.place, c.bytes, &c.from) == SPL_OK &&
        spl_array_alloc(c.context, c.place, c.bytes, &c.to) == SPL_OK)
        seconds = time_copies(&c);
    spl_array_free(c.context, c.place, c.from, c.bytes);
    spl_array_free(c.context, c.place, c.to, c.bytes);
    spl_context_destroy(c.context);
    return 2 * (double)c.bytes / seconds;
}
