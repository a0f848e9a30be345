/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/device_listed_rows.h"

#include "matrix/device_listed_rows.k.h"

static spl_status list(spl__queue *queue, const spl_sparse *csr, spl__listed_rows *r,
                       const spl__device_array *count)
{
    const spl__kernel *kernel; /* the same for all types of values */
    struct listed_rows_args args = {csr->rows, r->limit, csr->offsets, count->data, r->list.data};
    SPL__TRY(spl__queue_kernel(queue, "listed_rows", SPL_F64, csr->offset_type, &kernel));
    SPL__TRY(spl__queue_fill(queue, count->data, 0, count->bytes));
    SPL__TRY(SPL__LAUNCH(queue, &args, kernel,
                         spl__blocks_for(queue, csr->rows, LISTED_ROWS_THREADS),
                         LISTED_ROWS_THREADS));
    return spl__queue_fetch(queue, &r->count, count->data, count->bytes);
}

spl_status spl__listed_rows_make(spl__queue *queue, const spl_sparse *csr, int64_t limit,
                                 double longest, spl__listed_rows *r)
{
    spl__device_array count;
    *r = (spl__listed_rows){.limit = limit};
    if (longest <= (double)limit)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, csr->nnz / (limit + 1), sizeof(uint32_t), &r->list));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof(int32_t), &count));
    spl_status status = list(queue, csr, r, &count);
    spl__queue_free(queue, &count);
    return status;
}

void spl__listed_rows_free(spl__queue *queue, spl__listed_rows *r)
{
    spl__queue_free(queue, &r->list);
}
