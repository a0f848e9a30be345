/* SPDX-License-Identifier: Apache-2.0 */
/* counted_driver.h: counts what the library asks a test's device for, of all queues and plans. */
#ifndef SPARLOOM_TEST_COUNTED_DRIVER_H
#define SPARLOOM_TEST_COUNTED_DRIVER_H

#include "device/device.h"
#include "lib/on_device.h"

/* reports: copies that await waits for. */
typedef struct driver_counts {
    int fills, launches, reports, waits, events, event_operations;
} driver_counts;

/* One at a time, from now until the end. */
void counted_driver_begin(const on_device *s);
void counted_driver_end(const on_device *s);
/* Since the begin, or the last call. */
driver_counts counted_driver_take(void);

#endif
