/* SPDX-License-Identifier: Apache-2.0 */
/* list_tasks.c: divides the rows of A into tasks. */
#include "spmm/gpu/device_cluster.h"
#include "spmm/gpu/device_merge.h"
#include "structure/device_identical_rows.h"

/* Temporary arrays of the listing. */
typedef struct listing {
    spl__device_array equals_previous, counts, identical, task, keys, numbers;
} listing;

static spl_status find_identical(spl_plan *plan, const spl__spmm_cut *cut, listing *l)
{
    const spl_sparse *a = &plan->problem.a.csr;
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, a->rows, 1, &l->equals_previous));
    return spl__device_identical_rows_mark(&plan->problem.queue, a, cut->longest, false,
                                           l->equals_previous.data);
}

/* Counts tasks into `counts`, using the known identical rows. */
static spl_status count_tasks(spl_plan *plan, const spl__spmm_cut *cut, const listing *l,
                              spl__device_array *counts, spl__spmm_tasks *tasks)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    uint64_t sums;
    SPL__TRY(spl__queue_alloc(queue, a->rows + 1, sizeof(int64_t), counts));
    struct spmm_count_tasks_args args = {a->rows, cut->longest, a->offsets, l->equals_previous.data,
                                         counts->data};
    SPL__TRY(spl__spmm_tasks_launch(plan, "spmm_count_tasks", a->rows + 1, &args, sizeof args));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, counts->data, a->rows, NULL));
    SPL__TRY(spl__queue_fetch(queue, &sums, (int64_t *)counts->data + a->rows, sizeof sums));
    tasks->count = (int64_t)(sums & UINT32_MAX);
    tasks->pieces = (int64_t)(sums >> 32);
    return SPL_OK;
}

/* Joins identical rows if that saves a third of the tasks. */
static spl_status join_rows(spl_plan *plan, const spl__spmm_cut *cut, listing *l,
                            spl__spmm_tasks *tasks)
{
    spl__spmm_tasks identical = {.rows = SPMM_MOST_ROWS};
    SPL__TRY(find_identical(plan, cut, l));
    SPL__TRY(count_tasks(plan, cut, l, &l->identical, &identical));
    const bool pays = identical.count <= tasks->count / 3 * 2;
    spl__device_array loser = pays ? l->counts : l->identical;
    if (pays) {
        *tasks = identical;
        l->counts = l->identical;
    } else {
        spl__queue_free(&plan->problem.queue, &l->equals_previous);
    }
    l->identical = (spl__device_array){NULL, 0};
    spl__queue_free(&plan->problem.queue, &loser);
    return SPL_OK;
}

static spl_status list_tasks(spl_plan *plan, const spl__spmm_cut *cut, listing *l,
                             spl__spmm_tasks *tasks)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    SPL__TRY(spl__queue_alloc(queue, tasks->count, sizeof(struct spmm_task), &l->task));
    SPL__TRY(spl__queue_alloc(queue, tasks->count, sizeof(uint32_t), &l->keys));
    SPL__TRY(spl__queue_alloc(queue, tasks->count, sizeof(uint32_t), &l->numbers));
    SPL__TRY(spl__queue_alloc(queue, tasks->pieces, sizeof(struct spmm_cut), &tasks->cut));
    struct spmm_list_tasks_args args = {.rows = a->rows,
                                        .longest = cut->longest,
                                        .offsets = a->offsets,
                                        .equals_previous = l->equals_previous.data,
                                        .counts = l->counts.data,
                                        .task = l->task.data,
                                        .key = l->keys.data,
                                        .number = l->numbers.data,
                                        .cut = tasks->cut.data};
    return spl__spmm_tasks_launch(plan, "spmm_list_tasks", a->rows, &args, sizeof args);
}

/* Clusters tasks if that pays; frees a list that is merely "row by row". */
static spl_status cluster_tasks(spl_plan *plan, spl__spmm_tasks *tasks)
{
    SPL__TRY(spl__spmm_cluster(plan, tasks));
    if (!tasks->clustered && tasks->rows == 1 && tasks->pieces == 0)
        spl__queue_free(&plan->problem.queue, &tasks->list);
    return SPL_OK;
}

static spl_status make(spl_plan *plan, const spl__spmm_cut *cut, listing *l, spl__spmm_tasks *tasks)
{
    bool listed =
        cut->ordered || cut->clustered || plan->features.longest_row_a > (double)cut->longest;
    if (!listed && !cut->identical)
        return SPL_OK;
    SPL__TRY(count_tasks(plan, cut, l, &l->counts, tasks));
    if (cut->identical)
        SPL__TRY(join_rows(plan, cut, l, tasks));
    if (cut->merged && tasks->rows == 1)
        SPL__TRY(spl__spmm_merge(plan, tasks));
    if (tasks->merged || (!listed && tasks->rows == 1))
        return SPL_OK;
    SPL__TRY(list_tasks(plan, cut, l, tasks));
    if (cut->ordered)
        return spl__spmm_tasks_sort(plan, tasks->count, &l->task, &l->keys, &l->numbers,
                                    SPMM_KEY_BITS, &tasks->list);
    tasks->list = l->task;
    l->task = (spl__device_array){NULL, 0};
    return cut->clustered ? cluster_tasks(plan, tasks) : SPL_OK;
}

spl_status spl__spmm_tasks_make(spl_plan *plan, const spl__spmm_cut *cut, spl__spmm_tasks *tasks)
{
    listing l = {0};
    *tasks = (spl__spmm_tasks){.count = plan->problem.rows, .rows = 1};
    if (plan->problem.rows == 0 || plan->problem.cols == 0)
        return SPL_OK;
    spl_status status = make(plan, cut, &l, tasks);
    spl__device_array *const arrays[] = {
        &l.equals_previous, &l.counts, &l.identical, &l.task, &l.keys, &l.numbers};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        spl__queue_free(&plan->problem.queue, arrays[i]);
    return status;
}
