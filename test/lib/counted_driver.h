/* SPDX-License-Identifier: Apache-2.0 */
/* counted_driver.h: counts what the library asks a test's device for, of all queues and plans. */
#ifndef SPARLOOM_TEST_COUNTED_DRIVER_H
#define SPARLOOM_TEST_COUNTED_DRIVER_H

#include "device/device.h"
#include "lib/on_device.h"

/* reports: copies that await waits for; at_first: launches before the first wait. */
typedef struct driver_counts {
    int fills, launches, reports, waits, events, event_operations, at_first;
} driver_counts;

/* Counts from now on until the end, of one device at a time. */
void counted_driver_begin(const on_device *s);
void counted_driver_end(const on_device *s);
const driver_counts *counted_driver_counts(void);
/* Launches of that kernel for any types. */
int counted_driver_launched(const char *kernel);
/* The counts, which are zero afterwards. */
driver_counts counted_driver_take(void);

#endif
