/* SPDX-License-Identifier: Apache-2.0 */
/* device_slot.h: device memory for a matrix that is cut from one on the host. If it is cut from
 * one on the device, columns and values are read there, and only offsets are copied. */
#ifndef SPL_PARTITION_DEVICE_SLOT_H
#define SPL_PARTITION_DEVICE_SLOT_H

#include "device/device.h"
#include "matrix/view.h"

typedef struct spl__device_slot {
    spl__device_array offsets, indices, values;
    void *full, *empty; /* events, if it is used by turns; else NULL */
} spl__device_slot;

/* Allocates for matrices like `like` with so many rows and entries. */
spl_status spl__slot_make(spl__queue *queue, const spl_sparse *like, int64_t rows, int64_t nnz,
                          spl__device_slot *slot);
void spl__slot_free(spl__queue *queue, spl__device_slot *slot);
/* Enqueues copies of the matrix, or of its values only. */
spl_status spl__slot_fill(spl__queue *queue, const spl_sparse *m, const spl__device_slot *slot);
spl_status spl__slot_fill_values(spl__queue *queue, const spl_sparse *m,
                                 const spl__device_slot *slot);
/* The matrix in the slot. */
spl_sparse spl__slot_view(const spl__queue *queue, const spl_sparse *m,
                          const spl__device_slot *slot);

#endif
