/* SPDX-License-Identifier: Apache-2.0 */
/* device_row_order.h: sorts the rows of a matrix on a device by keys. */
#ifndef SPL_MATRIX_DEVICE_ROW_ORDER_H
#define SPL_MATRIX_DEVICE_ROW_ORDER_H

#include "device/device.h"

/* begin, a kernel of the caller's that writes keys and numbers, sort, end. */
typedef struct spl__device_row_order {
    int64_t count;
    spl__device_array keys;    /* int64_t[count], not negative */
    spl__device_array numbers; /* int32_t[count], of rows */
    spl__device_array sorted_keys;
    spl__device_array rows; /* int32_t[count]: the result of the stable sort; freed by the caller */
} spl__device_row_order;

spl_status spl__device_row_order_begin(spl__queue *queue, int64_t count,
                                       spl__device_row_order *order);
spl_status spl__device_row_order_sort(spl__queue *queue, int64_t largest_key,
                                      spl__device_row_order *order);
/* Frees all but the result. Must be called also after failure. */
void spl__device_row_order_end(spl__queue *queue, spl__device_row_order *order);

#endif
