/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/device_long_rows.h"

#include "core/types.h"

static spl_status count(spl__queue *queue, const spl_sparse *csr, int64_t limit, const spl__device_array *pieces)
{
    const spl__kernel *kernel;
    struct spmv_long_count_args args = {csr->rows, limit, csr->offsets, pieces->data};
    SPL__TRY(spl__queue_kernel(queue, "spmv_long_count", SPL_F64, csr->offset_type, &kernel));
    SPL__TRY(
        SPL__LAUNCH(queue, &args, kernel, spl__blocks_for(queue, csr->rows + 1, SPMV_LONG_THREADS), SPMV_LONG_THREADS));
    return spl__queue_scan(queue, SPL_I64, pieces->data, csr->rows + 1);
}

static spl_status list(spl__queue *queue, const spl_sparse *csr, const int64_t *at, spl__device_long_rows *r)
{
    const spl__kernel *kernel;
    SPL__TRY(spl__queue_alloc(queue, r->pieces, sizeof(struct spmv_long_piece), &r->list));
    SPL__TRY(spl__queue_alloc(queue, r->pieces, sizeof(int32_t), &r->arrived));
    SPL__TRY(spl__queue_alloc(queue, r->pieces, spl__type_size(spl__type_of_sums(csr->type)), &r->sums));
    SPL__TRY(spl__queue_fill(queue, r->arrived.data, 0, r->arrived.bytes));
    struct spmv_long_list_args args = {csr->rows, r->limit, csr->offsets, at, r->list.data};
    SPL__TRY(spl__queue_kernel(queue, "spmv_long_list", SPL_F64, csr->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, spl__blocks_for(queue, csr->rows, SPMV_LONG_THREADS), SPMV_LONG_THREADS);
}

spl_status spl__device_long_rows_make(spl__queue *queue, const spl_sparse *csr, int64_t limit, spl__device_long_rows *r)
{
    spl__device_array pieces;
    *r = (spl__device_long_rows){.limit = limit};
    SPL__TRY(spl__queue_alloc(queue, csr->rows + 1, sizeof(int64_t), &pieces));
    spl_status status = count(queue, csr, limit, &pieces);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &r->pieces, (const int64_t *)pieces.data + csr->rows, sizeof r->pieces);
    if (status == SPL_OK && r->pieces > 0)
        status = list(queue, csr, pieces.data, r);
    spl__queue_free(queue, &pieces);
    return status;
}

void spl__device_long_rows_free(spl__queue *queue, spl__device_long_rows *r)
{
    spl__queue_free(queue, &r->list);
    spl__queue_free(queue, &r->sums);
    spl__queue_free(queue, &r->arrived);
}

struct spmv_long_rows spl__long_rows_for_kernel(const spl__device_long_rows *r)
{
    return (struct spmv_long_rows){r->pieces, r->limit, r->list.data, r->sums.data, r->arrived.data};
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
