/* SPDX-License-Identifier: Apache-2.0 */
/* offsets.c: prefix sums that turn lengths into offsets, on a device. */
#include "core/checked.h"
#include "core/types.h"
#include "device/device.h"
#include "device/offsets.k.h"

/* Up to so many numbers one block sums: it takes 10 us for 16,129, two launches of many blocks 8
 * for 32,768, and the host one launch more (H200). */
enum { MOST_OF_A_BLOCK = 16384 };

/* The same kernels serve all types of values. */
static spl_status launch(spl__queue *queue, const char *name, spl_index type, int64_t blocks,
                         const struct offsets_args *args)
{
    const spl__kernel *kernel;
    SPL__TRY(spl__queue_kernel(queue, name, SPL_F64, type, &kernel));
    return SPL__LAUNCH(queue, args, kernel, blocks, OFFSETS_THREADS);
}

/* Parts are multiples of what a block sums at a time. */
static int64_t part_of(const spl__queue *queue, int64_t count)
{
    enum { BLOCKS = 2 /* of a multiprocessor */, STEP = OFFSETS_THREADS * OFFSETS_EACH };
    const int64_t most = (int64_t)BLOCKS * queue->device->properties.units,
                  steps = count / STEP + 1;
    return (steps + most - 1) / most * STEP;
}

/* Sums of parts first, then every block places its own. */
static spl_status sum_by_parts(spl__queue *queue, spl_index type, struct offsets_args *args)
{
    spl__device_array sums;
    args->part = part_of(queue, args->count);
    const int64_t blocks = (args->count + args->part - 1) / args->part;
    SPL__TRY(spl__queue_alloc(queue, blocks, spl__index_size(type), &sums));
    args->sums = sums.data;
    spl_status status = launch(queue, "offsets_parts", type, blocks, args);
    if (status == SPL_OK)
        status = launch(queue, "offsets", type, blocks, args);
    spl__queue_free(queue, &sums);
    return status;
}

spl_status spl__queue_offsets(spl__queue *queue, spl_index type, void *numbers, int64_t count,
                              void *total)
{
    const uintptr_t run = OFFSETS_EACH * spl__index_size(type);
    struct offsets_args args = {.count = count,
                                .part = count,
                                .numbers = numbers,
                                .total = total,
                                .aligned = (uintptr_t)numbers % run == 0};
    return count <= MOST_OF_A_BLOCK ? launch(queue, "offsets", type, 1, &args)
                                    : sum_by_parts(queue, type, &args);
}
