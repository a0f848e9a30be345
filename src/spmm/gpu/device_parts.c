/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/gpu/device_parts.h"

#include "spmm/gpu/device_tasks.h"

static spl_status list(spl_plan *plan, int64_t limit, int64_t longest, spl__device_array *count,
                       spl__spmm_parts *parts)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    int32_t found;
    /* a row of more than `limit` entries has one part, and another for each `longest` entries */
    SPL__TRY(spl__queue_alloc(queue, a->nnz / limit + a->nnz / longest + 1,
                              sizeof(struct spmm_part), &parts->list));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof found, count));
    SPL__TRY(spl__queue_fill(queue, count->data, 0, count->bytes));
    struct spmm_list_parts_args args = {a->rows,          limit,      longest, a->offsets,
                                        parts->list.data, count->data};
    SPL__TRY(spl__spmm_tasks_launch(plan, "spmm_list_parts", a->rows, &args, sizeof args));
    SPL__TRY(spl__queue_fetch(queue, &found, count->data, sizeof found));
    parts->count = found;
    return SPL_OK;
}

/* Memory of rows that have several parts. */
static spl_status make_partial(spl_plan *plan, int64_t tiles, spl__spmm_parts *parts)
{
    spl__queue *queue = &plan->problem.queue;
    const size_t size = spl__type_size(spl__type_of_sums(plan->problem.a.csr.type));
    SPL__TRY(
        spl__queue_alloc(queue, parts->count, (size_t)plan->problem.cols * size, &parts->partial));
    SPL__TRY(
        spl__queue_alloc(queue, parts->count, (size_t)tiles * sizeof(int32_t), &parts->arrived));
    return spl__queue_fill(queue, parts->arrived.data, 0, parts->arrived.bytes);
}

spl_status spl__spmm_parts_make(spl_plan *plan, int64_t limit, int64_t longest, int64_t tiles,
                                spl__spmm_parts *parts)
{
    const double longest_row = plan->features.longest_row_a;
    spl__device_array count = {NULL, 0};
    *parts = (spl__spmm_parts){.count = 0};
    if (plan->problem.rows == 0 || plan->problem.cols == 0 || longest_row <= (double)limit)
        return SPL_OK;
    spl_status status = list(plan, limit, longest, &count, parts);
    spl__queue_free(&plan->problem.queue, &count);
    return status == SPL_OK && longest_row > (double)longest ? make_partial(plan, tiles, parts)
                                                             : status;
}

void spl__spmm_parts_free(spl_plan *plan, spl__spmm_parts *parts)
{
    spl__device_array *const arrays[] = {&parts->list, &parts->partial, &parts->arrived};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        spl__queue_free(&plan->problem.queue, arrays[i]);
}
