/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/device_row_order.h"

#include "core/checked.h"

spl_status spl__device_row_order_begin(spl__queue *queue, int64_t count, spl__device_row_order *o)
{
    *o = (spl__device_row_order){.count = count};
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(int32_t), &o->rows));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(int32_t), &o->numbers));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(int64_t), &o->keys));
    return spl__queue_alloc(queue, count, sizeof(int64_t), &o->sorted_keys);
}

spl_status spl__device_row_order_sort(spl__queue *queue, int64_t largest_key,
                                      spl__device_row_order *o)
{
    spl__sort_pairs pairs = {.count = o->count,
                             .key_bytes = sizeof(int64_t),
                             .value_bytes = sizeof(int32_t),
                             .bits = spl__bits_of(largest_key),
                             .keys = o->keys.data,
                             .values = o->numbers.data,
                             .sorted_keys = o->sorted_keys.data,
                             .sorted_values = o->rows.data};
    return o->count > 0 ? spl__queue_sort(queue, &pairs) : SPL_OK;
}

void spl__device_row_order_end(spl__queue *queue, spl__device_row_order *o)
{
    spl__queue_free(queue, &o->keys);
    spl__queue_free(queue, &o->numbers);
    spl__queue_free(queue, &o->sorted_keys);
}
