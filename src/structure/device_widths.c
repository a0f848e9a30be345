/* SPDX-License-Identifier: Apache-2.0 */
#include "structure/device_widths.h"

#include "structure/device_widths.k.h"

static spl_status launch(spl__queue *queue, const struct device_widths_args *args)
{
    const spl__kernel *kernel;
    /* the same for all types */
    SPL__TRY(spl__queue_kernel(queue, "device_widths", SPL_F64, SPL_I64, &kernel));
    int64_t blocks = spl__blocks_for(queue, args->count, DEVICE_WIDTHS_THREADS);
    return SPL__LAUNCH(queue, args, kernel, blocks, DEVICE_WIDTHS_THREADS);
}

spl_status spl__device_narrow(spl__queue *queue, const int64_t *from, int64_t count, int32_t *to)
{
    return launch(queue, &(struct device_widths_args){count, from, to, 0});
}

spl_status spl__device_widen(spl__queue *queue, const int32_t *from, int64_t count, int64_t *to)
{
    return launch(queue, &(struct device_widths_args){count, from, to, 1});
}
