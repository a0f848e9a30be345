/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c: the queue of a plan on a device. */
#include "core/checked.h"
#include "core/types.h"
#include "device/device.h"

#include <stdio.h>
#include <string.h>

void spl__queue_init(spl__queue *queue, spl__device *device, size_t budget, int threads)
{
    queue->device = device;
    queue->threads = threads;
    queue->stream = device ? device->stream : NULL;
    queue->branches = NULL;
    queue->zeros = (spl__device_array){NULL, 0};
    queue->zeros_lent = 0;
    queue->zeros_kept = false;
    atomic_init(&queue->launches, 0);
    atomic_init(&queue->synchronisations, 0);
    atomic_init(&queue->fetched, 0);
    if (device)
        spl__account_init(&queue->account, device->allocator, &device->account, budget);
}

bool spl__queue_has_budget(const spl__queue *queue)
{
    const spl__account *parent = queue->account.parent;
    return queue->account.budget != SIZE_MAX || (parent && parent->budget != SIZE_MAX);
}

/* ---- memory ---- */

static spl_stream public_stream(const spl__queue *queue)
{
    return (spl_stream){queue->device->place.kind, queue->stream};
}

static spl_status take_memory(spl__queue *queue, size_t bytes, void **memory)
{
    const spl__device *device = queue->device;
    const spl_allocator *hook = device->allocator;
    spl_stream stream = public_stream(queue);
    if (!hook)
        return spl__device_check(
            queue->device, device->driver->alloc(device->handle, bytes, queue->stream, memory));
    *memory = hook->alloc(hook->user, bytes, 256, device->place, &stream);
    return *memory ? SPL_OK
                   : spl__fail(SPL_OUT_OF_MEMORY, "the allocator refused %s bytes of %s",
                               spl__thousands((int64_t)bytes), device->properties.name);
}

spl_status spl__queue_alloc(spl__queue *queue, int64_t count, size_t size, spl__device_array *array)
{
    size_t bytes;
    *array = (spl__device_array){NULL, 0};
    if (count == 0 || size == 0)
        return SPL_OK;
    if (count < 0 || !spl__mul_size((size_t)count, size, &bytes) || bytes > PTRDIFF_MAX)
        return spl__fail(SPL_OUT_OF_MEMORY,
                         "%s elements of %zu bytes are more than can be addressed",
                         spl__thousands(count), size);
    SPL__TRY(spl__account_reserve(&queue->account, bytes));
    spl_status status = take_memory(queue, bytes, &array->data);
    if (status != SPL_OK) {
        spl__account_release(&queue->account, bytes);
        return status;
    }
    spl__account_begin(&queue->account, bytes);
    array->bytes = bytes;
    return SPL_OK;
}

spl_status spl__queue_alloc_zeros(spl__queue *queue, int64_t count, size_t size,
                                  spl__device_array *array)
{
    size_t bytes;
    *array = (spl__device_array){NULL, 0};
    if (count > 0 && size > 0 && spl__mul_size((size_t)count, size, &bytes) &&
        spl__zeros_borrow(queue, bytes, array))
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, count, size, array));
    spl_status status = spl__queue_fill(queue, array->data, 0, array->bytes);
    if (status != SPL_OK)
        spl__queue_free(queue, array);
    return status;
}

void spl__queue_free(spl__queue *queue, spl__device_array *array)
{
    if (spl__zeros_are_borrowed(queue, array))
        *array = (spl__device_array){NULL, 0};
    if (!array->data)
        return;
    const spl__device *device = queue->device;
    const spl_allocator *hook = device->allocator;
    spl_stream stream = public_stream(queue);
    spl__account_end(&queue->account, array->bytes);
    if (hook)
        hook->free(hook->user, array->data, array->bytes, device->place, &stream);
    else
        device->driver->free(device->handle, array->data, queue->stream);
    spl__account_release(&queue->account, array->bytes);
    *array = (spl__device_array){NULL, 0};
}

spl__device_array spl__queue_pass(spl__queue *from, spl__device_array *array, spl__queue *to)
{
    spl__device_array passed = *array;
    if (passed.data)
        spl__account_pass(&from->account, &to->account, passed.bytes);
    *array = (spl__device_array){NULL, 0};
    return passed;
}

spl_status spl__queue_copy(spl__queue *queue, void *to, const void *from, size_t bytes)
{
    const spl__device *d = queue->device;
    spl__bounce_way way = spl__bounce_take(queue, to, from, bytes);
    if (way)
        return spl__bounce_carry(queue, way, to, from, bytes);
    return bytes > 0
               ? spl__device_check(d, d->driver->copy(d->handle, to, from, bytes, queue->stream))
               : SPL_OK;
}

spl_status spl__queue_fill(spl__queue *queue, void *to, int byte, size_t bytes)
{
    const spl__device *d = queue->device;
    return bytes > 0
               ? spl__device_check(d, d->driver->fill(d->handle, to, byte, bytes, queue->stream))
               : SPL_OK;
}

bool spl__queue_pins(const spl__queue *queue, const void *pointer)
{
    const spl__device *d = queue->device;
    return d->driver->is_pinned(d->handle, pointer);
}

spl_status spl__queue_wait(spl__queue *queue)
{
    const spl__device *d = queue->device;
    atomic_fetch_add(&queue->synchronisations, 1);
    return spl__device_check(d, d->driver->stream_wait(d->handle, queue->stream));
}

spl_status spl__queue_settle(spl__queue *queue)
{
    return queue->device ? spl__queue_wait(queue) : SPL_OK;
}

void spl__queue_count(const spl__queue *queue, spl_counters *counters)
{
    counters->allocations += atomic_load(&queue->account.allocations);
    counters->launches += atomic_load(&queue->launches);
    counters->synchronisations += atomic_load(&queue->synchronisations);
    counters->fetched += atomic_load(&queue->fetched);
}

spl_status spl__queue_bring(spl__queue *queue, void *to, const void *from, size_t bytes)
{
    atomic_fetch_add(&queue->fetched, (long long)bytes);
    return spl__queue_copy(queue, to, from, bytes);
}

/* Reserves a slot for a small copy; -1: none is free, or the copy is empty or too large. */
static int take_landing(spl__landings *l, size_t bytes)
{
    if (!l->memory || bytes == 0 || bytes > SPL__LANDING_BYTES)
        return -1;
    for (int n = 0; n < SPL__LANDINGS; n++)
        if (!atomic_flag_test_and_set(&l->taken[n]))
            return n;
    return -1;
}

/* Copies and waits. */
static spl_status bring_now(spl__queue *queue, void *to, const void *from, size_t bytes)
{
    spl_status status = spl__queue_bring(queue, to, from, bytes);
    return status == SPL_OK ? spl__queue_wait(queue) : status;
}

spl_status spl__queue_report(spl__queue *queue, const void *from, size_t bytes, spl__report *report)
{
    const spl__device *d = queue->device;
    int n = take_landing(&queue->device->landings, bytes);
    *report = (spl__report){from, bytes, n < 0 ? NULL : &d->landings.memory[n]};
    if (n < 0)
        return SPL_OK;
    atomic_fetch_add(&queue->fetched, (long long)bytes);
    spl_status status =
        spl__device_check(d, d->driver->report(d->handle, report->landing->bytes, from, bytes,
                                               &report->landing->mark, queue->stream));
    if (status != SPL_OK)
        spl__queue_collect(queue, report, NULL);
    return status;
}

spl__tell spl__queue_tell(spl__queue *queue, const void *from, size_t bytes, int32_t *arrived,
                          spl__report *report)
{
    const bool tells =
        queue->device->properties.tells_host && ((uintptr_t)from | bytes) % sizeof(uint32_t) == 0;
    int n = tells ? take_landing(&queue->device->landings, bytes) : -1;
    *report = (spl__report){from, bytes, n < 0 ? NULL : &queue->device->landings.memory[n]};
    if (n < 0)
        return (spl__tell){0};
    atomic_fetch_add(&queue->fetched, (long long)bytes);
    report->landing->mark = 0;
    return (spl__tell){.from = from,
                       .to = (uint32_t *)report->landing->bytes,
                       .mark = &report->landing->mark,
                       .arrived = arrived,
                       .words = (int32_t)(bytes / sizeof(uint32_t))};
}

spl_status spl__queue_told(spl__queue *queue, spl__report *report)
{
    return report->landing ? SPL_OK : spl__queue_report(queue, report->from, report->bytes, report);
}

spl_status spl__queue_collect(spl__queue *queue, spl__report *report, void *to)
{
    const spl__device *d = queue->device;
    spl__landing *landing = report->landing;
    const spl__report r = *report;
    spl_status status;
    *report = (spl__report){NULL, 0, NULL};
    if (!landing)
        return to ? bring_now(queue, to, r.from, r.bytes) : SPL_OK;
    atomic_fetch_add(&queue->synchronisations, 1);
    status = spl__device_check(d, d->driver->await(d->handle, &landing->mark, queue->stream));
    if (status == SPL_OK && to)
        memcpy(to, landing->bytes, r.bytes);
    atomic_flag_clear(&queue->device->landings.taken[landing - d->landings.memory]);
    return status;
}

spl_status spl__queue_fetch(spl__queue *queue, void *to, const void *from, size_t bytes)
{
    spl__report report;
    SPL__TRY(spl__queue_report(queue, from, bytes, &report));
    return spl__queue_collect(queue, &report, to);
}

/* ---- kernels ---- */

/* The rest of `text` behind `part`; NULL: it does not begin with that. */
static const char *behind(const char *text, const char *part)
{
    const size_t length = strlen(part);
    return text && strncmp(text, part, length) == 0 ? text + length : NULL;
}

/* Whether that is the kernel's instance for these types: NAME_TYPE_OFFSETS. */
static bool is_instance(const spl__kernel *kernel, const char *name, const char *type,
                        const char *offsets)
{
    const char *rest = behind(behind(behind(kernel->name, name), "_"), type);
    rest = behind(behind(rest, "_"), offsets);
    return rest && !*rest;
}

/* Where the kernel is remembered: most names are literals, which stay where they are. */
static _Atomic(const spl__kernel *) *place_of(spl__device *d, const char *name, spl_type type,
                                              spl_index offset_type)
{
    const uint64_t mix = UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t key =
        (uint64_t)(uintptr_t)name * 32 + (uint64_t)type * 2 + (uint64_t)offset_type;
    return &d->found[(key * mix >> 40) % SPL__KERNELS_FOUND];
}

spl_status spl__queue_kernel(const spl__queue *queue, const char *name, spl_type type,
                             spl_index offset_type, const spl__kernel **kernel)
{
    spl__device *d = queue->device;
    const char *const types[] = {spl__type_name(type), spl__index_name(offset_type)};
    _Atomic(const spl__kernel *) *place = place_of(d, name, type, offset_type);
    char instance[96];
    *kernel = atomic_load_explicit(place, memory_order_acquire);
    if (*kernel && is_instance(*kernel, name, types[0], types[1]))
        return SPL_OK;
    snprintf(instance, sizeof instance, "%s_%s_%s", name, types[0], types[1]);
    SPL__TRY(spl__device_check(d, d->driver->kernel(d->handle, instance, kernel)));
    atomic_store_explicit(place, *kernel, memory_order_release);
    return SPL_OK;
}

static int64_t blocks_in_waves(const spl__queue *queue, int64_t items, int threads, int waves)
{
    const spl__device_properties *p = &queue->device->properties;
    int64_t needed = items / threads + (items % threads != 0);
    int64_t fill = (int64_t)p->units * (p->unit_threads / threads) * waves;
    return needed < fill ? needed : fill;
}

int64_t spl__blocks_for(const spl__queue *queue, int64_t items, int threads)
{
    enum { WAVES = 4 };
    return blocks_in_waves(queue, items, threads, WAVES);
}

int64_t spl__blocks_at_once(const spl__queue *queue, int64_t items, int threads)
{
    return blocks_in_waves(queue, items, threads, 1);
}

spl_status spl__queue_launch(spl__queue *queue, const spl__launch *launch, size_t bytes)
{
    const spl__device *d = queue->device;
    if (bytes != launch->kernel->args_bytes)
        return spl__fail(SPL_INTERNAL, "kernel %s takes %zu bytes of arguments, not %zu",
                         launch->kernel->name, launch->kernel->args_bytes, bytes);
    if (launch->blocks == 0)
        return SPL_OK;
    atomic_fetch_add(&queue->launches, 1);
    return spl__device_check(d, d->driver->launch(d->handle, launch, queue->stream));
}

/* ---- order among streams ---- */

spl_status spl__queue_stream(spl__queue *queue, void **stream)
{
    return spl__device_check(queue->device,
                             queue->device->driver->stream_create(queue->device->handle, stream));
}

void spl__queue_stream_free(spl__queue *queue, void *stream)
{
    queue->device->driver->stream_destroy(queue->device->handle, stream);
}

spl_status spl__queue_event(spl__queue *queue, void **event)
{
    return spl__device_check(queue->device,
                             queue->device->driver->event_create(queue->device->handle, 0, event));
}

spl_status spl__queue_timed_event(spl__queue *queue, void **event)
{
    return spl__device_check(queue->device,
                             queue->device->driver->event_create(queue->device->handle, 1, event));
}

void spl__queue_event_free(spl__queue *queue, void *event)
{
    queue->device->driver->event_destroy(queue->device->handle, event);
}

void spl__queue_mark(spl__queue *queue, void *event)
{
    const spl__device *d = queue->device;
    if (!spl__queue_captures(queue))
        (void)d->driver->event_record(
            /* an error belongs to the stream and will be reported later */
            d->handle, event, queue->stream);
}

spl_status spl__queue_after(spl__queue *queue, void *event)
{
    const spl__device *d = queue->device;
    return spl__device_check(d, d->driver->event_wait(d->handle, event, queue->stream));
}

/* If several threads come here at once, one may wait for what another has recorded, which is later:
 * all of them record in the same stream. */
spl_status spl__queue_follow_default(spl__queue *queue)
{
    const spl__device *d = queue->device;
    SPL__TRY(spl__device_check(d, d->driver->event_record(d->handle, d->of_default, NULL)));
    return spl__queue_after(queue, d->of_default);
}

double spl__queue_seconds(spl__queue *queue, void *from, void *to)
{
    const spl__device *d = queue->device;
    double seconds;
    return d->driver->event_seconds(d->handle, from, to, &seconds) == SPL_OK ? seconds : 0;
}

spl_status spl__queue_turn(spl__queue *queue, void *stream, void *event)
{
    const spl__device *d = queue->device;
    if (stream == queue->stream)
        return SPL_OK;
    queue->stream = stream;
    if (!event)
        return SPL_OK;
    return spl__queue_captures(queue)
               ? SPL_OK
               : spl__device_check(d, d->driver->event_wait(d->handle, event, stream));
}

/* ---- primitives ---- */

spl_status spl__queue_sort(spl__queue *queue, const spl__sort_pairs *pairs)
{
    const spl__device *d = queue->device;
    spl__device_array temporary;
    size_t bytes = 0;
    SPL__TRY(spl__device_check(d, d->driver->sort(d->handle, NULL, &bytes, pairs, queue->stream)));
    SPL__TRY(spl__queue_alloc(queue, (int64_t)(bytes > 0 ? bytes : 1), 1, &temporary));
    spl_status status = spl__device_check(
        d, d->driver->sort(d->handle, temporary.data, &bytes, pairs, queue->stream));
    spl__queue_free(queue, &temporary);
    return status;
}

static spl__device_scalar scalar_of(spl_type type, const void *scalar, double otherwise)
{
    const bool whole = spl__type_is_integer(type);
    return (spl__device_scalar){.value = spl__scalar(scalar, type, otherwise),
                                .whole = whole && scalar ? spl__integer_at(scalar, type, 0)
                                                         : (int64_t)otherwise};
}

spl__device_scalars spl__device_scalars_of(spl_type type, const void *alpha, const void *beta)
{
    return (spl__device_scalars){.alpha = scalar_of(type, alpha, 1),
                                 .beta = scalar_of(type, beta, 0)};
}
