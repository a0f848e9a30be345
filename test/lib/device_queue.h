/* SPDX-License-Identifier: Apache-2.0 */
/* device_queue.h: a queue to a test's device, for tests of what lies below plans. */
#ifndef SPARLOOM_TEST_DEVICE_QUEUE_H
#define SPARLOOM_TEST_DEVICE_QUEUE_H

#include "device/device.h"
#include "lib/on_device.h"

/* With `threads` for copies, and no budget of its own. */
static inline spl__queue device_queue(const on_device *s, int threads)
{
    spl__queue queue;
    spl__queue_init(&queue, spl__device_at(s->context, s->place), 0, threads);
    return queue;
}

#endif
