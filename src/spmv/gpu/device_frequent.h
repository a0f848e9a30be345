/* SPDX-License-Identifier: Apache-2.0 */
/* device_frequent.h: the columns of a matrix on a device that have the most entries, numbered anew,
 * so that x of these can be kept in shared memory. */
#ifndef SPL_SPMV_GPU_DEVICE_FREQUENT_H
#define SPL_SPMV_GPU_DEVICE_FREQUENT_H

#include "plan/plan.h"
#include "spmv/kernels/spmv_frequent.k.h"

typedef struct spl__device_frequent {
    int32_t count;             /* of those columns */
    spl__device_array list;    /* int32_t[count]: them, the most frequent first */
    spl__device_array columns; /* I[nnz]: A's, but cols + i for list[i] */
} spl__device_frequent;

/* The `count` most frequent ones of `csr`, on the queue's device, as a sample of its entries has
 * them; at most all. cols + count fits the integers of columns. Free what was made in any case. */
spl_status spl__device_frequent_make(spl__queue *queue, const spl_sparse *csr, int64_t count,
                                     spl__device_frequent *frequent);
void spl__device_frequent_free(spl__queue *queue, spl__device_frequent *frequent);

#endif
