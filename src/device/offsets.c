/* SPDX-License-Identifier: Apache-2.0 */
/* offsets.c: prefix sums that turn lengths into offsets, on a device. */
#include "core/types.h"
#include "device/device.h"
#include "device/offsets.k.h"

/* Up to so many numbers one block is faster than the driver's library with its several launches
 * and temporary memory (H100). */
enum { MOST_OF_A_BLOCK = 16384 };

/* Uses the driver's library, which needs temporary memory. */
static spl_status scan(spl__queue *queue, spl_index type, void *sums, int64_t count)
{
    const spl__device *d = queue->device;
    int32_t element = (int32_t)spl__index_size(type);
    spl__device_array temporary;
    size_t bytes = 0;
    SPL__TRY(spl__device_check(
        d, d->driver->scan(d->handle, NULL, &bytes, element, sums, sums, count, queue->stream)));
    SPL__TRY(spl__queue_alloc(queue, (int64_t)(bytes > 0 ? bytes : 1), 1, &temporary));
    spl_status status =
        spl__device_check(d, d->driver->scan(d->handle, temporary.data, &bytes, element, sums, sums,
                                             count, queue->stream));
    spl__queue_free(queue, &temporary);
    return status;
}

static bool suits_a_block(const void *numbers, spl_index type, int64_t count)
{
    return count <= MOST_OF_A_BLOCK &&
           (uintptr_t)numbers % (OFFSETS_EACH * spl__index_size(type)) == 0;
}

static spl_status sum_by_a_block(spl__queue *queue, spl_index type, void *numbers, int64_t count,
                                 void *total)
{
    const spl__kernel *kernel;
    struct offsets_args args = {count, numbers, total};
    /* the same for all types of values */
    SPL__TRY(spl__queue_kernel(queue, "offsets", SPL_F64, type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, 1, OFFSETS_THREADS);
}

spl_status spl__queue_offsets(spl__queue *queue, spl_index type, void *numbers, int64_t count,
                              void *total)
{
    const size_t width = spl__index_size(type);
    char *last = (char *)numbers + (size_t)count * width;
    if (suits_a_block(numbers, type, count))
        return sum_by_a_block(queue, type, numbers, count, total);
    SPL__TRY(spl__queue_fill(queue, last, 0, width));
    SPL__TRY(scan(queue, type, numbers, count + 1));
    return total ? spl__queue_copy(queue, total, last, width) : SPL_OK;
}
