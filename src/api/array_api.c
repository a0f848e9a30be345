/* SPDX-License-Identifier: Apache-2.0 */
/* array_api.c: drivers and memory of devices, for callers without a toolkit. */
#include "device/device.h"

#include <stdbool.h>
#include <string.h>

spl_status spl_driver_devices(const char *name, int32_t *count)
{
    const spl__driver *driver;
    if (!name || !count)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", name ? "count" : "driver");
    return spl__driver_devices(name, &driver, count);
}

/* A queue of the context's own for a place; without a device if that is the host.
 * SPL_INVALID_ARGUMENT: the context has no such place. */
static spl_status queue_at(spl_context *context, spl_place place, spl__queue *queue)
{
    if (!context)
        return spl__fail(SPL_INVALID_ARGUMENT, "context is NULL");
    spl__device *device = spl__device_at(context, place);
    if (!device && place.kind != SPL_HOST)
        return spl__fail(SPL_INVALID_ARGUMENT, "the context has no device of kind %d, ordinal %d",
                         place.kind, place.ordinal);
    spl__queue_init(queue, device, 0, spl__threads(context, 0));
    return SPL_OK;
}

spl_status spl_array_alloc(spl_context *context, spl_place place, size_t bytes, void **array)
{
    spl__queue queue;
    spl__device_array memory;
    SPL__TRY(queue_at(context, place, &queue));
    if (!array || bytes == 0 || bytes > INT64_MAX)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         array ? "an array has at least one byte" : "array is NULL");
    if (!queue.device)
        return spl__alloc(&context->account, (int64_t)bytes, 1, array);
    SPL__TRY(spl__queue_alloc(&queue, (int64_t)bytes, 1, &memory));
    spl_status status = spl__queue_wait(&queue); /* any stream may use it now */
    if (status != SPL_OK) {
        spl__queue_free(&queue, &memory);
        return status;
    }
    *array = memory.data;
    return SPL_OK;
}

void spl_array_free(spl_context *context, spl_place place, void *array, size_t bytes)
{
    spl__queue queue;
    spl__device_array memory = {array, bytes};
    if (!array || queue_at(context, place, &queue) != SPL_OK)
        return;
    if (queue.device)
        spl__queue_free(&queue, &memory);
    else
        spl__free(array);
}

static bool same_place(spl_place a, spl_place b)
{
    return a.kind == b.kind && a.ordinal == b.ordinal;
}

spl_status spl_array_copy(spl_context *context, spl_place to_place, void *to, spl_place from_place,
                          const void *from, size_t bytes, const spl_stream *stream)
{
    spl__queue source, target;
    SPL__TRY(queue_at(context, from_place, &source));
    SPL__TRY(queue_at(context, to_place, &target));
    if (bytes > 0 && (!to || !from))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", to ? "from" : "to");
    if (source.device && target.device && !same_place(to_place, from_place))
        return spl__fail(SPL_UNSUPPORTED,
                         "copies from device to device are built within one device");
    if (!source.device && !target.device) {
        memmove(to, from, bytes);
        return SPL_OK;
    }
    spl__queue *queue = source.device ? &source : &target;
    queue->stream = stream ? stream->handle : NULL;
    SPL__TRY(spl__queue_copy(queue, to, from, bytes));
    return source.device && target.device ? SPL_OK : spl__queue_wait(queue);
}
