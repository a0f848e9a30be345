/* SPDX-License-Identifier: Apache-2.0 */
/* device_arrange.h: the CSR structure of a matrix on a device, or of its transpose, and the
 * origins of entries: the counterpart of arrange.h. */
#ifndef SPL_MATRIX_DEVICE_ARRANGE_H
#define SPL_MATRIX_DEVICE_ARRANGE_H

#include "device/device.h"

typedef struct spl__device_arrangement {
    spl_sparse csr;                     /* header and structure; values NULL */
    spl__device_array offsets, indices; /* behind it */
    /* entry k of csr is entry from[k] of the source, integers of csr.offset_type */
    spl__device_array from;
} spl__device_arrangement;

/* `source` is on the queue's device, has 32-bit indices and, if it has offsets, such of
 * `offset_type`; its header is valid, its arrays have been checked (spl__device_survey). Entries of
 * a row keep the source's order. Sorts entries by row with the driver's stable sort: O(nnz).
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_DEVICE_FAILURE; free what was made with
 * spl__device_arrange_free in any case. */
spl_status spl__device_arrange(spl__queue *queue, const spl_sparse *source, bool transpose,
                               spl_index offset_type, spl__device_arrangement *result);
void spl__device_arrange_free(spl__queue *queue, spl__device_arrangement *arrangement);

/* to[k] = values[from[k]], enqueued. */
spl_status spl__device_gather(spl__queue *queue, const spl__device_arrangement *arrangement,
                              const void *values, void *to);

#endif
