/* SPDX-License-Identifier: Apache-2.0 */
#include "spmm/gpu/device_cluster.h"

#include "core/checked.h"
#include "spmm/kernels/spmm_cluster.k.h"

/* The number of sampled windows; the minimal ratio of distinct columns of neighbours in the
 * matrix for an attempt; the maximal ratio that clusters must leave of them: sorted rows of a
 * random matrix with 8 entries share one column in 8, which gained nothing. */
enum { MOST_WINDOWS = 256 };
static const double LEAST_DIFFERENT = 0.6, MOST_LEFT = 0.75;

typedef struct clustering {
    spl__device_array sharing, keys, numbers, list;
} clustering;

/* Measures distinct columns per entry in windows of the list. */
static spl_status measure(spl_plan *plan, int64_t tasks, const void *list, clustering *c,
                          double *different)
{
    spl__queue *queue = &plan->problem.queue;
    const int64_t all = (tasks + SPMM_WINDOW - 1) / SPMM_WINDOW,
                  windows = spl__min_i64(all, MOST_WINDOWS);
    struct spmm_sharing sums;
    SPL__TRY(spl__queue_fill(queue, c->sharing.data, 0, sizeof sums));
    struct spmm_measure_sharing_args args = {.tasks = tasks,
                                             .windows = windows,
                                             .stride = all / windows * SPMM_WINDOW,
                                             .columns = plan->problem.a.csr.indices,
                                             .task = list,
                                             .sharing = c->sharing.data};
    SPL__TRY(spl__spmm_tasks_launch(plan, "spmm_measure_sharing", windows * SPMM_TASKS_THREADS,
                                    &args, sizeof args));
    SPL__TRY(spl__queue_fetch(queue, &sums, c->sharing.data, sizeof sums));
    *different = sums.entries ? (double)sums.different / (double)sums.entries : 0;
    return SPL_OK;
}

static spl_status sort(spl_plan *plan, const spl__spmm_tasks *tasks, clustering *c)
{
    spl__queue *queue = &plan->problem.queue;
    SPL__TRY(spl__queue_alloc(queue, tasks->count, sizeof(uint32_t), &c->keys));
    SPL__TRY(spl__queue_alloc(queue, tasks->count, sizeof(uint32_t), &c->numbers));
    struct spmm_hash_tasks_args hash = {.tasks = tasks->count,
                                        .columns = plan->problem.a.csr.indices,
                                        .task = tasks->list.data,
                                        .key = c->keys.data,
                                        .number = c->numbers.data};
    SPL__TRY(spl__spmm_tasks_launch(plan, "spmm_hash_tasks", tasks->count * SPMM_CLUSTER_LANES,
                                    &hash, sizeof hash));
    return spl__spmm_tasks_sort(plan, tasks->count, &tasks->list, &c->keys, &c->numbers, 32,
                                &c->list);
}

static spl_status cluster(spl_plan *plan, spl__spmm_tasks *tasks, clustering *c)
{
    double in_order, clustered;
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, 1, sizeof(struct spmm_sharing), &c->sharing));
    SPL__TRY(measure(plan, tasks->count, tasks->list.data, c, &in_order));
    if (in_order < LEAST_DIFFERENT)
        return SPL_OK;
    SPL__TRY(sort(plan, tasks, c));
    SPL__TRY(measure(plan, tasks->count, c->list.data, c, &clustered));
    if (clustered > MOST_LEFT * in_order)
        return SPL_OK;
    spl__device_array natural = tasks->list;
    tasks->list = c->list;
    c->list = natural;
    tasks->clustered = true;
    return SPL_OK;
}

spl_status spl__spmm_cluster(spl_plan *plan, spl__spmm_tasks *tasks)
{
    clustering c = {0};
    spl_status status = tasks->count > SPMM_WINDOW ? cluster(plan, tasks, &c) : SPL_OK;
    spl__device_array *const arrays[] = {&c.sharing, &c.keys, &c.numbers, &c.list};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        spl__queue_free(&plan->problem.queue, arrays[i]);
    return status;
}
