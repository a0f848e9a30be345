/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/gpu/device_frequent.h"

#include "core/checked.h"
#include "core/types.h"
#include "matrix/device_row_order.h"
#include "spmv/gpu/device_work.h"

#define LAUNCH(queue, name, csr, items, args)                                                      \
    SPL__SPMV_LAUNCH(queue, name, csr, items, SPMV_FREQUENT_SETUP_THREADS, args)

/* Sorts columns by falling number of entries. */
static spl_status order_columns(spl__queue *queue, const spl_sparse *csr,
                                const spl__device_array *counts, spl__device_row_order *order)
{
    /* at least one bit: a sort by no bits might not copy */
    const int64_t most = spl__max_i64(1, spl__min_i64(csr->rows, INT32_MAX));
    struct spmv_frequent_count_args count = {csr->nnz, csr->indices, counts->data};
    struct spmv_frequent_keys_args keys = {csr->cols, most, counts->data, order->keys.data,
                                           order->numbers.data};
    SPL__TRY(spl__queue_fill(queue, counts->data, 0, counts->bytes));
    SPL__TRY(
        LAUNCH(queue, "spmv_frequent_count", csr, csr->nnz / SPMV_FREQUENT_SAMPLE + 1, &count));
    SPL__TRY(LAUNCH(queue, "spmv_frequent_keys", csr, csr->cols, &keys));
    return spl__device_row_order_sort(queue, most, order);
}

/* Computes `ranks`, the inverse of the list, and renumbers columns. */
static spl_status number_columns(spl__queue *queue, const spl_sparse *csr,
                                 const spl__device_array *ranks, const spl__device_frequent *f)
{
    struct spmv_frequent_ranks_args inverse = {f->count, f->list.data, ranks->data};
    struct spmv_frequent_columns_args columns = {csr->nnz, csr->cols, csr->indices, ranks->data,
                                                 f->columns.data};
    SPL__TRY(spl__queue_fill(queue, ranks->data, 0xFF, ranks->bytes));
    SPL__TRY(LAUNCH(queue, "spmv_frequent_ranks", csr, f->count, &inverse));
    return LAUNCH(queue, "spmv_frequent_columns", csr, csr->nnz, &columns);
}

static spl_status make(spl__queue *queue, const spl_sparse *csr, spl__device_row_order *order,
                       spl__device_array *numbers, spl__device_frequent *f)
{
    SPL__TRY(spl__queue_alloc(queue, csr->cols, sizeof(int32_t), numbers));
    SPL__TRY(spl__device_row_order_begin(queue, csr->cols, order));
    SPL__TRY(order_columns(queue, csr, numbers, order));
    SPL__TRY(spl__queue_alloc(queue, f->count, sizeof(int32_t), &f->list));
    SPL__TRY(
        spl__queue_copy(queue, f->list.data, order->rows.data, (size_t)f->count * sizeof(int32_t)));
    SPL__TRY(spl__queue_alloc(queue, csr->nnz, spl__index_size(csr->index_type), &f->columns));
    return number_columns(queue, csr, numbers, f);
}

spl_status spl__device_frequent_make(spl__queue *queue, const spl_sparse *csr, int64_t count,
                                     spl__device_frequent *f)
{
    spl__device_row_order order = {0};
    spl__device_array numbers = {NULL, 0};
    *f = (spl__device_frequent){.count = (int32_t)spl__min_i64(count, csr->cols)};
    spl_status status = make(queue, csr, &order, &numbers, f);
    spl__device_row_order_end(queue, &order);
    spl__queue_free(queue, &order.rows);
    spl__queue_free(queue, &numbers);
    return status;
}

void spl__device_frequent_free(spl__queue *queue, spl__device_frequent *f)
{
    spl__queue_free(queue, &f->list);
    spl__queue_free(queue, &f->columns);
}
