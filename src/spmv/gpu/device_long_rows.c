/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/gpu/device_long_rows.h"

#include "core/types.h"
#include "matrix/device_row_order.h"
#include "spmv/gpu/device_work.h"

#define LAUNCH(queue, name, csr, items, args)                                                      \
    SPL__SPMV_LAUNCH(queue, name, csr, items, SPMV_LONG_THREADS, args)

static spl_status list_pieces(spl__queue *queue, const spl_sparse *csr,
                              const struct spmv_long_count_args *count,
                              const int64_t *piece_offsets, spl__device_long_rows *r)
{
    SPL__TRY(spl__queue_alloc(queue, r->pieces, sizeof(struct spmv_long_piece), &r->list));
    SPL__TRY(
        spl__queue_alloc(queue, r->pieces, spl__type_size(spl__type_of_sums(csr->type)), &r->sums));
    struct spmv_long_list_args args = {*count, piece_offsets, r->list.data};
    SPL__TRY(LAUNCH(queue, "spmv_long_list", csr, csr->rows, &args));
    if (r->near)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, r->pieces, sizeof(int32_t), &r->arrived));
    return spl__queue_fill(queue, r->arrived.data, 0, r->arrived.bytes);
}

static spl_status order_pieces(spl__queue *queue, const spl_sparse *csr,
                               spl__device_row_order *order, spl__device_array *ordered,
                               const spl__device_long_rows *r)
{
    struct spmv_long_keys_args keys = {r->pieces, r->list.data, csr->indices, order->keys.data,
                                       order->numbers.data};
    SPL__TRY(LAUNCH(queue, "spmv_long_keys", csr, r->pieces, &keys));
    SPL__TRY(spl__device_row_order_sort(queue, csr->cols / SPMV_NEAR_COLUMNS, order));
    SPL__TRY(spl__queue_alloc(queue, r->pieces, sizeof(struct spmv_long_piece), ordered));
    struct spmv_long_order_args args = {r->pieces, r->list.data, order->rows.data, ordered->data};
    return LAUNCH(queue, "spmv_long_order", csr, r->pieces, &args);
}

static spl_status bring_near(spl__queue *queue, const spl_sparse *csr, spl__device_long_rows *r)
{
    spl__device_row_order order;
    spl__device_array ordered = {NULL, 0}, former = r->list;
    spl_status status = spl__device_row_order_begin(queue, r->pieces, &order);
    if (status == SPL_OK)
        status = order_pieces(queue, csr, &order, &ordered, r);
    spl__device_row_order_end(queue, &order);
    spl__queue_free(queue, &order.rows);
    r->list = ordered;
    spl__queue_free(queue, &former);
    return status;
}

spl_status spl__device_long_rows_make(spl__queue *queue, const spl_sparse *csr, int64_t limit,
                                      int near, spl__device_long_rows *r)
{
    spl__device_array piece_offsets;
    *r = (spl__device_long_rows){.limit = limit, .near = near > 0};
    SPL__TRY(spl__queue_alloc(queue, csr->rows + 1, sizeof(int64_t), &piece_offsets));
    struct spmv_long_count_args count = {csr->rows, limit, near > 0 ? near : SPMV_PIECE,
                                         csr->offsets, piece_offsets.data};
    spl_status status = LAUNCH(queue, "spmv_long_count", csr, csr->rows + 1, &count);
    if (status == SPL_OK)
        status = spl__queue_offsets(queue, SPL_I64, piece_offsets.data, csr->rows, NULL);
    if (status == SPL_OK)
        status = spl__queue_fetch(
            queue, &r->pieces, (const int64_t *)piece_offsets.data + csr->rows, sizeof r->pieces);
    if (status == SPL_OK && r->pieces > 0)
        status = list_pieces(queue, csr, &count, piece_offsets.data, r);
    if (status == SPL_OK && r->pieces > 0 && near > 0) {
        r->piece_offsets = piece_offsets;
        return bring_near(queue, csr, r);
    }
    spl__queue_free(queue, &piece_offsets);
    return status;
}

void spl__device_long_rows_free(spl__queue *queue, spl__device_long_rows *r)
{
    spl__device_array *arrays[] = {&r->list, &r->sums, &r->arrived, &r->piece_offsets};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        spl__queue_free(queue, arrays[i]);
}

struct spmv_long_rows spl__long_rows_for_kernel(const spl__device_long_rows *r)
{
    return (struct spmv_long_rows){r->pieces, r->limit, r->list.data, r->sums.data,
                                   r->arrived.data};
}

struct spmv_csr spl__csr_for_kernel(const spl_plan *plan, const spl__call *call)
{
    const spl_sparse *a = &plan->problem.a.csr;
    return (struct spmv_csr){a->rows,   a->nnz,  a->offsets, a->indices,
                             a->values, call->x, call->y,    spl__plan_scalars(plan, call)};
}

int64_t spl__long_row_blocks(const spl__queue *queue, const spl__device_long_rows *r, int threads)
{
    int64_t warps = threads / queue->device->properties.lanes;
    return (r->pieces + warps - 1) / warps;
}

spl_status spl__long_rows_join(spl_plan *plan, const spl__device_long_rows *r,
                               const spl__call *call)
{
    const spl_sparse *a = &plan->problem.a.csr;
    struct spmv_long_join_args args = {a->rows, r->piece_offsets.data, r->sums.data, call->y,
                                       spl__plan_scalars(plan, call)};
    return r->piece_offsets.data ? LAUNCH(&plan->problem.queue, "spmv_long_join", a, a->rows, &args)
                                 : SPL_OK;
}
