/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/csr_vector: y = alpha*A*x + beta*y on CSR, each row by a group of lanes.
 *
 * The lanes of a group walk a row side by side, each with a sum of its own, and add the sums up in a tree. The group is as wide as the mean row
 * is long, rounded up to a power of two, at most a warp: short rows leave few lanes idle, long ones are read in whole lines. One row that is
 * much longer than the others keeps its warp busy when all others are done: that is what csr_balanced is for.
 *
 * Cost: nnz*(value+column) + rows*(offset+y) bytes streamed, nnz values of x gathered. Memory: none.
 * Source: N. Bell, M. Garland, Implementing sparse matrix-vector multiplication on throughput-oriented processors, SC'09, section 4.3.
 * Differs: the width follows the mean row length (I. Reguly, M. Giles, InPar 2012); beta. */
#include "plan/plan.h"
#include "spmv/spmv_csr_vector.k.h"

typedef struct state {
    const spl__kernel *kernel;
    int32_t width;
} state;

static int32_t choose_width(const spl__task *task)
{
    int32_t width = 2;
    while (2 * width < task->plan->features.mean_row_a && width < task->plan->problem.queue.device->properties.lanes)
        width *= 2;
    return width;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl_sparse *a = &task->plan->problem.a.csr;
    double value = (double)spl__type_size(a->type), width = choose_width(task);
    double lanes = task->plan->problem.queue.device->properties.lanes;
    double rounds = f->rows * width / lanes * (1 + f->mean_row_a / width * (1 + f->variation_row_a));
    spl__device_work work = {.streamed =
                                 f->nnz_a * (value + 4) + f->rows * ((double)spl__index_size(a->offset_type) + value),
                             .gathered = f->nnz_a * value,
                             .reach = f->inner * value,
                             .steps = rounds,
                             .longest = f->longest_row_a / width,
                             .launches = 1};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 0;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->width = choose_width(&step->task);
    return spl__queue_kernel(&plan->problem.queue, "spmv_csr_vector", a->type, a->offset_type, &s->kernel);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    struct spmv_csr_vector_args args = {.rows = a->rows,
                                        .offsets = a->offsets,
                                        .columns = a->indices,
                                        .values = a->values,
                                        .x = call->x,
                                        .y = call->y,
                                        .scalars = spl__plan_scalars(plan, call),
                                        .width = s->width};
    int64_t blocks = spl__blocks_for(queue, a->rows * s->width, SPMV_CSR_VECTOR_THREADS);
    return SPL__LAUNCH(queue, &args, s->kernel, blocks, SPMV_CSR_VECTOR_THREADS);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__text_add(text, "  lanes per row %d\n", (int)s->width);
}

static void destroy(spl__step *step)
{
    spl__free(step->state);
}

const spl__method spl__spmv_compute_gpu_csr_vector = {
    .summary = "CSR, a group of lanes per row",
    .source = "N. Bell, M. Garland, SC'09",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
