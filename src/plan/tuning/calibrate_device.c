/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/tuning/calibrate.h"

#include "core/checked.h"
#include "plan/tuning/calibrate.k.h"
#include "plan/tuning/tuning.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* The state of a measurement of a device. */
typedef struct measuring {
    spl_context *context;
    spl__queue queue;
    const spl__kernel *kernel;
    spl__device_array data, sum;
    void *host; /* host memory at the other end of a link */
    void *begin, *end;
} measuring;

enum { PAIR_BYTES = 16, LAUNCHES = 50, SMALL_BYTES = 8 };

static spl_status set(const measuring *m, const char *name, double value)
{
    return spl__tuning_set(m->context, m->queue.device, name, fmax(value, 1e-12));
}

/* ---- the device's memory, and launches ---- */

static spl_status read_array(measuring *m, size_t bytes)
{
    struct calibrate_args args = {(int64_t)(bytes / PAIR_BYTES), m->data.data, m->sum.data};
    int64_t blocks = args.count > 0 ? spl__blocks_for(&m->queue, args.count, CALIBRATE_THREADS) : 1;
    return SPL__LAUNCH(&m->queue, &args, m->kernel, blocks, CALIBRATE_THREADS);
}

/* Seconds per launch, of `count` launches that read `bytes`: on the device, and of the host for
 * the launch call. */
static spl_status time_launches(measuring *m, size_t bytes, int count, double *device_seconds,
                                double *host_seconds)
{
    double begin = omp_get_wtime();
    spl__queue_mark(&m->queue, m->begin);
    for (int k = 0; k < count; k++)
        SPL__TRY(read_array(m, bytes));
    spl__queue_mark(&m->queue, m->end);
    *host_seconds = fmin(*host_seconds, (omp_get_wtime() - begin) / count);
    SPL__TRY(spl__queue_wait(&m->queue));
    double seconds = spl__queue_seconds(&m->queue, m->begin, m->end) / count;
    *device_seconds = fmin(*device_seconds, seconds > 0 ? seconds : INFINITY);
    return SPL_OK;
}

static spl_status time_best_launch(measuring *m, size_t bytes, int count, double *device_seconds,
                                   double *host_seconds)
{
    *device_seconds = *host_seconds = INFINITY;
    for (int turn = 0; turn < SPL__CALIBRATE_TURNS; turn++)
        SPL__TRY(time_launches(m, bytes, count, device_seconds, host_seconds));
    if (isinf(*device_seconds))
        *device_seconds = *host_seconds;
    return SPL_OK;
}

static spl_status fill_array(measuring *m, size_t bytes)
{
    spl__queue_free(&m->queue, &m->data);
    SPL__TRY(spl__queue_alloc(&m->queue, (int64_t)bytes, 1, &m->data));
    return spl__queue_fill(&m->queue, m->data.data, 0, bytes);
}

static spl_status measure_memory(measuring *m, double seconds)
{
    const spl__device_properties *p = &m->queue.device->properties;
    size_t room = spl__min_size(p->memory_bytes / 4, m->queue.device->account.budget / 4),
           probe = SPL__CALIBRATE_PROBE;
    double device_seconds, host_seconds;
    SPL__TRY(fill_array(m, spl__min_size(room, probe)));
    SPL__TRY(time_best_launch(m, m->data.bytes, 1, &device_seconds, &host_seconds));
    size_t bytes = spl__min_size(
        room, spl__calibrate_bytes(device_seconds, seconds / (SPL__CALIBRATE_TURNS + 1)));
    SPL__TRY(fill_array(m, bytes / PAIR_BYTES * PAIR_BYTES));
    SPL__TRY(time_best_launch(m, m->data.bytes, 1, &device_seconds, &host_seconds));
    return set(m, "gpu/bandwidth", (double)m->data.bytes / device_seconds / p->units);
}

static spl_status measure_launches(measuring *m)
{
    double device_seconds, host_seconds;
    SPL__TRY(time_best_launch(m, 0, LAUNCHES, &device_seconds, &host_seconds));
    SPL__TRY(set(m, "gpu/launch", device_seconds));
    return set(m, "gpu/launch_host", host_seconds);
}

/* ---- links ---- */

/* Seconds of a copy of `bytes`, including the wait for it. */
static spl_status time_copy(measuring *m, bool to_device, size_t bytes, double *seconds)
{
    void *to = to_device ? m->data.data : m->host, *from = to_device ? m->host : m->data.data;
    *seconds = INFINITY;
    for (int turn = 0; turn < SPL__CALIBRATE_TURNS; turn++) {
        double begin = omp_get_wtime();
        SPL__TRY(spl__queue_copy(&m->queue, to, from, bytes));
        SPL__TRY(spl__queue_wait(&m->queue));
        *seconds = fmin(*seconds, omp_get_wtime() - begin);
    }
    return SPL_OK;
}

/* Bytes per second after the latency of a copy. */
static double rate_of(size_t bytes, double seconds, double latency)
{
    return (double)bytes / fmax(seconds - latency, seconds / 10);
}

static spl_status measure_link(measuring *m, const char *const names[2], size_t bytes,
                               double latency)
{
    double seconds;
    for (int to_device = 0; to_device < 2; to_device++) {
        SPL__TRY(time_copy(m, to_device, bytes, &seconds));
        SPL__TRY(set(m, names[to_device], rate_of(bytes, seconds, latency)));
    }
    return SPL_OK;
}

/* Bytes of a measurement of links; the probe's memory is mapped already, so that its first copy
 * is not slower. */
static size_t bytes_for_links(const measuring *m, double probe_seconds, double seconds)
{
    /* four links, and pinning the memory of two of them */
    const double copies = 5 * SPL__CALIBRATE_TURNS;
    return spl__min_size(m->data.bytes, spl__calibrate_bytes(probe_seconds, seconds / copies));
}

static spl_status measure_pinned(measuring *m, size_t bytes, double *latency)
{
    static const char *const names[2] = {"gpu/link_from", "gpu/link_to"};
    SPL__TRY(time_copy(m, true, SMALL_BYTES, latency));
    SPL__TRY(set(m, "gpu/link_latency", *latency));
    return measure_link(m, names, bytes, *latency);
}

/* If memory cannot be pinned, the coefficients keep their values. */
static spl_status with_pinned(measuring *m, size_t bytes, double *latency)
{
    const spl__device *d = m->queue.device;
    spl__account *account = &m->context->account;
    SPL__TRY(spl__account_reserve(account, bytes));
    spl_status status = SPL_OK;
    if (d->driver->pinned_alloc(d->handle, bytes, &m->host) == SPL_OK) {
        spl__account_begin(account, bytes);
        memset(m->host, 0, bytes);
        status = measure_pinned(m, bytes, latency);
        spl__account_end(account, bytes);
        d->driver->pinned_free(d->handle, m->host);
    }
    spl__account_release(account, bytes);
    m->host = NULL;
    return status;
}

static spl_status with_pageable(measuring *m, size_t bytes, double latency)
{
    static const char *const names[2] = {"gpu/link_from_pageable", "gpu/link_to_pageable"};
    SPL__TRY(spl__alloc(&m->context->account, (int64_t)bytes, 1, &m->host));
    memset(m->host, 0, bytes);
    spl_status status = measure_link(m, names, bytes, latency);
    spl__free(m->host);
    m->host = NULL;
    return status;
}

/* Pageable memory is slower, so it determines how much can be copied in the time. */
static spl_status measure_links(measuring *m, double seconds)
{
    size_t probe = spl__min_size(m->data.bytes, SPL__CALIBRATE_PROBE);
    double latency = 0, once;
    SPL__TRY(spl__alloc(&m->context->account, (int64_t)probe, 1, &m->host));
    memset(m->host, 0, probe);
    spl_status status = time_copy(m, true, probe, &once);
    spl__free(m->host);
    m->host = NULL;
    size_t bytes = bytes_for_links(m, once, seconds);
    if (status == SPL_OK)
        status = with_pinned(m, bytes, &latency);
    return status == SPL_OK ? with_pageable(m, bytes, latency) : status;
}

/* ---- the device ---- */

static spl_status measure_all(measuring *m, double seconds)
{
    SPL__TRY(spl__queue_timed_event(&m->queue, &m->begin));
    SPL__TRY(spl__queue_timed_event(&m->queue, &m->end));
    /* the same for all types */
    SPL__TRY(spl__queue_kernel(&m->queue, "calibrate", SPL_F64, SPL_I64, &m->kernel));
    SPL__TRY(spl__queue_alloc(&m->queue, 1, sizeof(uint64_t), &m->sum));
    SPL__TRY(measure_memory(m, seconds / 2));
    SPL__TRY(measure_launches(m));
    return measure_links(m, seconds / 2);
}

spl_status spl__calibrate_device(spl_context *context, spl__device *device, double seconds)
{
    measuring m = {.context = context};
    spl__queue_init(&m.queue, device, 0, spl__threads(context, 0));
    spl_status status = measure_all(&m, seconds);
    /* before the memory of pending copies is freed */
    (void)spl__device_wait(device, m.queue.stream);
    spl__queue_free(&m.queue, &m.data);
    spl__queue_free(&m.queue, &m.sum);
    if (m.begin)
        spl__queue_event_free(&m.queue, m.begin);
    if (m.end)
        spl__queue_event_free(&m.queue, m.end);
    return status;
}
