/* SPDX-License-Identifier: Apache-2.0 */
/* device_frequent.h: renumbers the columns of a matrix on a device that have the most entries,
 * so that their elements of x can be kept in shared memory. */
#ifndef SPL_SPMV_GPU_DEVICE_FREQUENT_H
#define SPL_SPMV_GPU_DEVICE_FREQUENT_H

#include "plan/plan.h"
#include "spmv/kernels/spmv_frequent.k.h"

typedef struct spl__device_frequent {
    int32_t count;             /* number of these columns */
    spl__device_array list;    /* int32_t[count]: the columns, the most frequent first */
    spl__device_array columns; /* I[nnz]: A's, but cols + i for list[i] */
} spl__device_frequent;

/* Finds the `count` most frequent columns (at most all) of `csr`, on the queue's device, from a
 * sample of its entries. cols + count must fit the type of columns. Must be freed also after
 * failure. */
spl_status spl__device_frequent_make(spl__queue *queue, const spl_sparse *csr, int64_t count,
                                     spl__device_frequent *frequent);
void spl__device_frequent_free(spl__queue *queue, spl__device_frequent *frequent);

#endif
