/* SPDX-License-Identifier: Apache-2.0 */
/* device_widths.h: converts integers on a device to another width. */
#ifndef SPL_STRUCTURE_DEVICE_WIDTHS_H
#define SPL_STRUCTURE_DEVICE_WIDTHS_H

#include "device/device.h"

/* Enqueue copies of `count` integers. Negative numbers, and those that do not fit 32 bits,
 * become -1, which is no valid index. */
spl_status spl__device_narrow(spl__queue *queue, const int64_t *from, int64_t count, int32_t *to);
spl_status spl__device_widen(spl__queue *queue, const int32_t *from, int64_t count, int64_t *to);

#endif
