/* SPDX-License-Identifier: Apache-2.0 */
/* device_fingerprint.h: fingerprints of arrays on a device, which change (nearly always) when the
 * arrays change: the counterpart of spl__fingerprint. */
#ifndef SPL_MATRIX_DEVICE_FINGERPRINT_H
#define SPL_MATRIX_DEVICE_FINGERPRINT_H

#include "device/device.h"

typedef struct spl__fingerprints {
    uint64_t structure, values;
} spl__fingerprints;

/* The fingerprints of a view on the queue's device. `room`: sizeof(spl__fingerprints) bytes on the
 * device; nothing is allocated. Waits once. SPL_UNSUPPORTED: the stream is being captured into a
 * graph; SPL_DEVICE_FAILURE. */
spl_status spl__device_fingerprint(spl__queue *queue, const spl_sparse *view, void *room,
                                   spl__fingerprints *fingerprints);

#endif
