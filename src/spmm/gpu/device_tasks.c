/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/gpu/device_tasks.h"

spl_status spl__spmm_tasks_launch(spl_plan *plan, const char *name, int64_t items, const void *args,
                                  size_t bytes)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    spl__launch l = {.blocks = spl__blocks_for(queue, items, SPMM_TASKS_THREADS),
                     .threads = SPMM_TASKS_THREADS,
                     .args = args};
    SPL__TRY(spl__queue_kernel(queue, name, SPL_F64, a->offset_type, &l.kernel));
    return spl__queue_launch(queue, &l, bytes);
}

static spl_status sort(spl_plan *plan, int64_t count, const spl__device_array *from,
                       spl__sort_pairs *pairs, spl__device_array sorted[2], spl__device_array *to)
{
    spl__queue *queue = &plan->problem.queue;
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(struct spmm_task), to));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(uint32_t), &sorted[0]));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(uint32_t), &sorted[1]));
    pairs->sorted_keys = sorted[0].data;
    pairs->sorted_values = sorted[1].data;
    SPL__TRY(spl__queue_sort(queue, pairs));
    struct spmm_order_tasks_args args = {count, from->data, sorted[1].data, to->data};
    return spl__spmm_tasks_launch(plan, "spmm_order_tasks", count, &args, sizeof args);
}

spl_status spl__spmm_tasks_sort(spl_plan *plan, int64_t count, const spl__device_array *from,
                                const spl__device_array *keys, const spl__device_array *numbers,
                                int32_t bits, spl__device_array *to)
{
    spl__device_array sorted[2] = {{NULL, 0}, {NULL, 0}};
    spl__sort_pairs pairs = {.count = count,
                             .key_bytes = sizeof(uint32_t),
                             .value_bytes = sizeof(uint32_t),
                             .bits = bits,
                             .keys = keys->data,
                             .values = numbers->data};
    spl_status status = sort(plan, count, from, &pairs, sorted, to);
    spl__queue_free(&plan->problem.queue, &sorted[0]);
    spl__queue_free(&plan->problem.queue, &sorted[1]);
    return status;
}

void spl__spmm_tasks_free(spl_plan *plan, spl__spmm_tasks *tasks)
{
    spl__queue_free(&plan->problem.queue, &tasks->list);
    spl__queue_free(&plan->problem.queue, &tasks->cut);
    spl__queue_free(&plan->problem.queue, &tasks->words);
}
