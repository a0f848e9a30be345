/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/emu_device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/emulator/emu_message.h"

static const long long DEFAULT_MEMORY = 1LL << 30, MOST_MEMORY = 1LL << 40;

static spl__emu_device devices[SPL__EMU_DEVICES] = {
    {.lock = PTHREAD_MUTEX_INITIALIZER, .ordinal = 0},
    {.lock = PTHREAD_MUTEX_INITIALIZER, .ordinal = 1},
    {.lock = PTHREAD_MUTEX_INITIALIZER, .ordinal = 2},
    {.lock = PTHREAD_MUTEX_INITIALIZER, .ordinal = 3},
};

spl__kernel_node *spl__kernel_nodes;

spl__emu_stream *spl__emu_enter(void *device, void *handle)
{
    spl__emu_device *d = device;
    pthread_mutex_lock(&d->lock);
    return handle ? handle : &d->default_stream;
}

void spl__emu_leave(void *device)
{
    pthread_mutex_unlock(&((spl__emu_device *)device)->lock);
}

static void enter_all(void)
{
    for (int i = 0; i < SPL__EMU_DEVICES; i++)
        spl__emu_enter(&devices[i], NULL);
}

static void leave_all(void)
{
    for (int i = 0; i < SPL__EMU_DEVICES; i++)
        spl__emu_leave(&devices[i]);
}

/* fork() waits for other threads' work on devices, so that a child finds them idle. */
__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(enter_all, leave_all, leave_all);
}

bool spl__emu_is_lost(const spl__emu_device *device)
{
    return device->lost_at > 0 && device->operations >= device->lost_at;
}

spl_status spl__emu_operate(spl__emu_device *device)
{
    device->operations++;
    return spl__emu_is_lost(device)
               ? spl__emu_fail(SPL_DEVICE_FAILURE,
                               "the emulated device is lost, since its operation %lld",
                               (long long)device->lost_at)
               : SPL_OK;
}

/* ----------------------------------------------------------------------------- opening, closing */

spl_status spl__emu_count(int32_t *count)
{
    *count = SPL__EMU_DEVICES;
    return SPL_OK;
}

/* A number from the environment; `otherwise` is the default. */
static spl_status number_from(const char *variable, long long least, long long most,
                              long long otherwise, long long *number)
{
    const char *text = getenv(variable);
    *number = otherwise;
    if (text == NULL || *text == 0)
        return SPL_OK;
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    if (errno != 0 || *end != 0 || *number < least || *number > most)
        return spl__emu_fail(SPL_INVALID_ARGUMENT, "%s=%s is not a number from %lld to %lld",
                             variable, text, least, most);
    return SPL_OK;
}

static spl_status start(spl__emu_device *device)
{
    long long memory, seed, lost_at;
    SPL__EMU_TRY(number_from("SPARLOOM_EMU_MEMORY", 0, MOST_MEMORY, DEFAULT_MEMORY, &memory));
    SPL__EMU_TRY(number_from("SPARLOOM_EMU_SEED", -1, INT32_MAX, 0, &seed));
    SPL__EMU_TRY(number_from("SPARLOOM_EMU_LOST", 0, INT64_MAX, 0, &lost_at));
    if (!spl__emu_arena_init(&device->arena, (size_t)memory))
        return spl__emu_fail(SPL_OUT_OF_MEMORY,
                             "the host has no addresses for a device of %lld bytes", memory);
    device->engine = spl__emu_engine_new((int32_t)seed);
    if (device->engine == NULL) {
        spl__emu_arena_end(&device->arena);
        return spl__emu_fail(SPL_OUT_OF_MEMORY, "the host has no memory for a device");
    }
    spl__emu_stream_init(&device->default_stream, device);
    device->streams = NULL;
    device->pinned = NULL;
    device->operations = 0;
    device->lost_at = lost_at;
    return SPL_OK;
}

spl_status spl__emu_open(int32_t ordinal, void **device)
{
    if (ordinal < 0 || ordinal >= SPL__EMU_DEVICES)
        return spl__emu_fail(SPL_INVALID_ARGUMENT, "there is no device %d: the emulator has %d",
                             (int)ordinal, (int)SPL__EMU_DEVICES);
    spl__emu_device *d = &devices[ordinal];
    spl__emu_enter(d, NULL);
    const spl_status status = d->users > 0 ? SPL_OK : start(d);
    if (status == SPL_OK) {
        d->users++;
        *device = d;
    }
    spl__emu_leave(d);
    return status;
}

static void stop(spl__emu_device *device)
{
    spl__emu_stream_drain(&device->default_stream);
    for (spl__emu_stream *s = device->streams; s; s = s->next)
        spl__emu_stream_drain(s);
    for (spl__emu_stream *next, *s = device->streams; s; s = next) {
        next = s->next;
        free(s);
    }
    for (spl__emu_pinned *next, *p = device->pinned; p; p = next) {
        next = p->next;
        free(p->memory);
        free(p);
    }
    spl__emu_engine_free(device->engine);
    spl__emu_arena_end(&device->arena);
}

void spl__emu_close(void *device)
{
    spl__emu_device *d = device;
    spl__emu_enter(d, NULL);
    if (--d->users == 0)
        stop(d);
    spl__emu_leave(d);
}

/* ----------------------------------------------------------------------------------- what it is */

spl_status spl__emu_properties(void *device, spl__device_properties *properties)
{
    const spl__emu_device *d = device;
    const spl__emu_model *model = spl__emu_model_of_plugin();
    *properties = (spl__device_properties){.lanes = SPL__LANES,
                                           .units = SPL__EMU_UNITS,
                                           .unit_threads = SPL__EMU_UNIT_THREADS,
                                           .block_shared = model->block_shared,
                                           .unit_shared = model->block_shared,
                                           .cache_bytes = (size_t)1 << 20,
                                           .memory_bytes = d->arena.limit,
                                           .multiplies_tiles = 1,
                                           /* as CUDA's do and HIP's do not */
                                           .tells_host = SPL__LANES == 32};
    snprintf(properties->name, sizeof properties->name, "emulator, %d lanes", (int)SPL__LANES);
    return SPL_OK;
}

bool spl__emu_is_pinned(const spl__emu_device *device, const void *pointer)
{
    const uintptr_t address = (uintptr_t)pointer;
    for (const spl__emu_pinned *p = device->pinned; p; p = p->next)
        if (address >= (uintptr_t)p->memory && address - (uintptr_t)p->memory < p->bytes)
            return true;
    return false;
}

int32_t spl__emu_place_of(const void *pointer, int32_t *ordinal)
{
    int32_t kind = -1;
    for (int32_t i = 0; i < SPL__EMU_DEVICES && kind < 0; i++) {
        spl__emu_device *device = &devices[i];
        spl__emu_enter(device, NULL);
        if (device->users > 0 && spl__emu_arena_has(&device->arena, pointer)) {
            kind = SPL_EMULATOR;
            *ordinal = i;
        } else if (device->users > 0 && spl__emu_is_pinned(device, pointer)) {
            kind = SPL_HOST;
            *ordinal = 0;
        }
        spl__emu_leave(device);
    }
    return kind;
}

spl_status spl__emu_kernel_named(void *device, const char *name, const spl__kernel **kernel)
{
    (void)device;
    for (const spl__kernel_node *node = spl__kernel_nodes; node; node = node->next)
        if (strcmp(node->kernel.name, name) == 0) {
            *kernel = &node->kernel;
            return SPL_OK;
        }
    return spl__emu_fail(SPL_INVALID_ARGUMENT, "there is no kernel %s", name);
}
