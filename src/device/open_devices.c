/* SPDX-License-Identifier: Apache-2.0 */
/* open_devices.c: opens and closes the devices of a context, and finds them. */
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Emulated devices with 64 lanes have ordinals from this one on, so that one context can have
 * both widths. */
enum { WIDE_EMULATOR = 64 };

static spl_status fail_driver(const spl__driver *driver, spl_status status)
{
    return status == SPL_OK ? SPL_OK : spl__fail(status, "%s: %s", driver->name, driver->message());
}

static int32_t place_ordinal(const spl__driver *driver, int32_t ordinal)
{
    return strcmp(driver->name, "emu64") == 0 ? ordinal + WIDE_EMULATOR : ordinal;
}

spl__device *spl__device_at(const spl_context *context, spl_place place)
{
    for (int i = 0; i < context->device_count; i++)
        if (context->devices[i]->place.kind == place.kind &&
            context->devices[i]->place.ordinal == place.ordinal)
            return context->devices[i];
    return NULL;
}

bool spl__device_holds(const spl__device *device, const void *pointer)
{
    int32_t ordinal = 0;
    return device->driver->place_of(pointer, &ordinal) == device->place.kind &&
           place_ordinal(device->driver, ordinal) == device->place.ordinal;
}

static spl_status open_device(spl__device *device, int32_t ordinal)
{
    const spl__driver *d = device->driver;
    SPL__TRY(fail_driver(d, d->open(ordinal, &device->handle)));
    SPL__TRY(fail_driver(d, d->properties(device->handle, &device->properties)));
    /* Not fatal: without pinned memory small copies are slower. */
    void *memory = NULL;
    if (d->pinned_alloc(device->handle, SPL__LANDINGS * sizeof(spl__landing), &memory) == SPL_OK)
        device->landings.memory = memory;
    SPL__TRY(fail_driver(d, d->event_create(device->handle, 0, &device->of_default)));
    return fail_driver(d, d->stream_create(device->handle, &device->stream));
}

/* Waits for the context's stream and the default one, so that no stream or pool is destroyed
 * while memory is still being freed in its order. */
static void close_device(const spl_allocator *a, spl__device *device)
{
    if (device->stream) {
        (void)device->driver->stream_wait(device->handle, device->stream);
        (void)device->driver->stream_wait(device->handle, NULL);
    }
    spl__branches_free(device);
    spl__bounces_free(device);
    if (device->stream)
        spl__zeros_free(device);
    if (device->landings.memory)
        device->driver->pinned_free(device->handle, device->landings.memory);
    if (device->of_default)
        device->driver->event_destroy(device->handle, device->of_default);
    if (device->stream)
        device->driver->stream_destroy(device->handle, device->stream);
    if (device->handle)
        device->driver->close(device->handle);
    a->free(a->user, device, sizeof *device, (spl_place){SPL_HOST, 0}, NULL);
}

static spl_status add_device(spl_context *context, const spl__driver *driver, int32_t ordinal,
                             const spl_allocator *hook, size_t budget)
{
    spl_place place = {driver->kind, place_ordinal(driver, ordinal)};
    if (spl__device_at(context, place))
        return SPL_OK;
    if (context->device_count == SPL__MOST_DEVICES)
        return spl__fail(SPL_UNSUPPORTED, "a context can have %d devices", SPL__MOST_DEVICES);
    /* not counted against a budget, like the context */
    const spl_allocator *a = &context->allocator;
    spl__device *device =
        a->alloc(a->user, sizeof *device, _Alignof(spl__device), (spl_place){SPL_HOST, 0}, NULL);
    if (!device)
        return spl__fail(SPL_OUT_OF_MEMORY, "the allocator refused %zu bytes for a device",
                         sizeof *device);
    *device = (spl__device){.driver = driver, .place = place, .allocator = hook};
    for (int n = 0; n < SPL__BRANCH_SETS; n++)
        atomic_flag_clear(&device->branches[n].taken);
    for (int n = 0; n < SPL__LANDINGS; n++)
        atomic_flag_clear(&device->landings.taken[n]);
    atomic_flag_clear(&device->bounces.taken);
    atomic_flag_clear(&device->zeros.busy);
    spl__account_init(&device->account, hook, NULL, budget);
    spl_status status = open_device(device, ordinal);
    if (status != SPL_OK) {
        close_device(a, device);
        return status;
    }
    context->devices[context->device_count++] = device;
    return SPL_OK;
}

spl_status spl__driver_devices(const char *name, const spl__driver **driver, int32_t *count)
{
    *count = 0;
    SPL__TRY(spl__driver_find(name, driver));
    if ((*driver)->count(count) != SPL_OK)
        return spl__fail(SPL_UNSUPPORTED, "%s: %s", name, (*driver)->message());
    return *count > 0 ? SPL_OK : spl__fail(SPL_UNSUPPORTED, "%s: there is no device", name);
}

static spl_status open_named(spl_context *context, const char *name, int32_t ordinal,
                             const spl_allocator *hook, size_t budget)
{
    const spl__driver *driver;
    int32_t count;
    SPL__TRY(spl__driver_devices(name, &driver, &count));
    if (ordinal >= count)
        return spl__fail(SPL_UNSUPPORTED, "%s:%d: there are %d devices, counted from 0", name,
                         ordinal, count);
    return add_device(context, driver, ordinal, hook, budget);
}

/* Opens the first GPU. The detail says why each driver failed. */
static spl_status open_gpu(spl_context *context, int32_t ordinal, const spl_allocator *hook,
                           size_t budget)
{
    static const char *const drivers[] = {"cuda", "hip"};
    char missed[2][240]; /* copies: spl__fail overwrites the detail */
    for (int i = 0; i < 2; i++) {
        if (open_named(context, drivers[i], ordinal, hook, budget) == SPL_OK)
            return SPL_OK;
        snprintf(missed[i], sizeof missed[i], "%s", spl_error_detail());
    }
    return spl__fail(SPL_UNSUPPORTED, "%s; %s", missed[0], missed[1]);
}

/* Splits "name" or "name:ordinal". */
static spl_status split_element(const char *text, char name[32], int *ordinal, bool *numbered)
{
    int used = 0;
    if (sscanf(text, "%31[a-z0-9]%n", name, &used) != 1 || (text[used] && text[used] != ':'))
        return spl__fail(SPL_INVALID_ARGUMENT, "devices: \"%s\" is no device", text);
    *numbered = text[used] == ':';
    char *end = NULL;
    long number = *numbered ? strtol(text + used + 1, &end, 10) : 0;
    if (*numbered && (end == text + used + 1 || *end || number < 0 || number > 1023))
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "devices: \"%s\" has no ordinal from 0 on behind the colon", text);
    *ordinal = (int)number;
    return SPL_OK;
}

/* Opens one element of the list. */
static spl_status open_element(spl_context *context, const char *text, const spl_allocator *hook,
                               size_t budget)
{
    static const char *const drivers[] = {"cuda", "hip", "emu", "emu64"};
    char name[32];
    int ordinal = 0;
    bool numbered = false;
    SPL__TRY(split_element(text, name, &ordinal, &numbered));
    if (!strcmp(name, "cpu")) {
        if (numbered)
            return spl__fail(SPL_INVALID_ARGUMENT, "devices: \"%s\": the CPU has no ordinal", text);
        context->uses_cpu = true;
        return SPL_OK;
    }
    if (!strcmp(name, "gpu"))
        return open_gpu(context, ordinal, hook, budget);
    if (!strcmp(name, "auto")) {
        spl_status status = open_gpu(context, ordinal, hook, budget);
        return status == SPL_UNSUPPORTED ? SPL_OK : status;
    }
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (!strcmp(name, drivers[i]))
            return open_named(context, name, ordinal, hook, budget);
    return spl__fail(SPL_INVALID_ARGUMENT,
                     "devices: \"%s\" is none of cpu, auto, gpu, cuda, hip, emu, emu64", name);
}

spl_status spl__devices_open(spl_context *context, const char *names, const spl_allocator *hook,
                             size_t budget)
{
    char element[64];
    spl_status status = SPL_OK;
    for (const char *cursor = names; cursor && *cursor && status == SPL_OK;) {
        size_t length = strcspn(cursor, ",");
        snprintf(element, sizeof element, "%.*s",
                 (int)(length < sizeof element ? length : sizeof element - 1), cursor);
        status = open_element(context, element, hook, budget);
        cursor += length + (cursor[length] == ',');
    }
    if (status != SPL_OK)
        spl__devices_close(context);
    context->uses_cpu = context->uses_cpu || context->device_count == 0;
    return status;
}

void spl__devices_close(spl_context *context)
{
    while (context->device_count > 0)
        close_device(&context->allocator, context->devices[--context->device_count]);
}

spl_status spl__device_trim(spl__device *device)
{
    spl__zeros_free(device);
    return fail_driver(device->driver, device->driver->trim(device->handle));
}

spl_status spl__device_wait(spl__device *device, void *stream)
{
    return fail_driver(device->driver, device->driver->stream_wait(device->handle, stream));
}
