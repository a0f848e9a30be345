/* SPDX-License-Identifier: Apache-2.0 */
/* device_print.h: numbers that change (nearly always) when arrays on a device change:
 * spl__fingerprint's counterpart. */
#ifndef SPL_MATRIX_DEVICE_PRINT_H
#define SPL_MATRIX_DEVICE_PRINT_H

#include "device/device.h"

typedef struct spl__prints {
    uint64_t structure, values;
} spl__prints;

/* Of a view on the queue's device. `room` is there too, sizeof(spl__prints) bytes: nothing is
 * allocated. Waits once. SPL_UNSUPPORTED: the stream is recorded into
 * a graph; SPL_DEVICE_FAILURE. */
spl_status spl__device_print(spl__queue *queue, const spl_sparse *view, void *room,
                             spl__prints *prints);

#endif
