/* SPDX-License-Identifier: Apache-2.0 */
/* emu_device.h: an emulated device, which implements driver.h. All that open the same ordinal
 * share one device. */
#ifndef SPL_DEVICE_EMULATOR_EMU_DEVICE_H
#define SPL_DEVICE_EMULATOR_EMU_DEVICE_H

#include <pthread.h>

#include "device/driver.h"
#include "device/emulator/arena.h"
#include "device/emulator/engine.h"
#include "device/emulator/work_queue.h"

enum { SPL__EMU_DEVICES = 4 };

typedef struct spl__emu_pinned {
    struct spl__emu_pinned *next;
    char *memory;
    size_t bytes;
} spl__emu_pinned;

typedef struct spl__emu_device {
    pthread_mutex_t lock; /* held during every call: one thread at a time works for the device */
    int32_t ordinal;
    int64_t users; /* opens that are not closed yet */
    spl__emu_arena arena;
    spl__emu_engine *engine;
    spl__emu_stream default_stream, *streams; /* streams: all created ones */
    spl__emu_pinned *pinned;
    int64_t operations, lost_at; /* lost_at: the operation at which the device is lost; 0: never */
} spl__emu_device;

/* Takes the device's lock. Returns the stream of `handle`. */
spl__emu_stream *spl__emu_enter(void *device, void *handle);
void spl__emu_leave(void *device);
/* Counts an operation of the device, whose lock is held. SPL_DEVICE_FAILURE: the device is lost,
 * now or before. */
spl_status spl__emu_operate(spl__emu_device *device);
bool spl__emu_is_lost(const spl__emu_device *device);
/* Whether the memory is pinned by this device. */
bool spl__emu_is_pinned(const spl__emu_device *device, const void *pointer);

/* emu_device.c */
spl_status spl__emu_count(int32_t *count);
spl_status spl__emu_open(int32_t ordinal, void **device);
void spl__emu_close(void *device);
spl_status spl__emu_properties(void *device, spl__device_properties *properties);
int32_t spl__emu_place_of(const void *pointer, int32_t *ordinal);
spl_status spl__emu_kernel_named(void *device, const char *name, const spl__kernel **kernel);

/* emu_memory.c */
spl_status spl__emu_alloc(void *device, size_t bytes, void *stream, void **memory);
void spl__emu_free(void *device, void *memory, void *stream);
spl_status spl__emu_trim(void *device);
spl_status spl__emu_pinned_alloc(void *device, size_t bytes, void **memory);
void spl__emu_pinned_free(void *device, void *memory);
int spl__emu_knows_pinned(void *device, const void *pointer);
spl_status spl__emu_copy(void *device, void *to, const void *from, size_t bytes, void *stream);
spl_status spl__emu_fill(void *device, void *to, int byte, size_t bytes, void *stream);

/* emu_streams.c */
spl_status spl__emu_stream_create(void *device, void **stream);
void spl__emu_stream_destroy(void *device, void *stream);
spl_status spl__emu_stream_wait(void *device, void *stream);
spl_status spl__emu_report(void *device, void *to, const void *from, size_t bytes, uint64_t *mark,
                           void *stream);
spl_status spl__emu_await(void *device, const uint64_t *mark, void *stream);
int spl__emu_stream_captures(void *device, void *stream);
spl_status spl__emu_event_create(void *device, int timed, void **event);
void spl__emu_event_destroy(void *device, void *event);
spl_status spl__emu_event_record_in(void *device, void *event, void *stream);
spl_status spl__emu_event_wait_in(void *device, void *event, void *stream);
spl_status spl__emu_event_seconds(void *device, void *from, void *to, double *seconds);
spl_status spl__emu_launch(void *device, const spl__launch *launch, void *stream);

/* emu_primitives.c */
spl_status spl__emu_sort(void *device, void *temporary, size_t *bytes, const spl__sort_pairs *pairs,
                         void *stream);

#endif
