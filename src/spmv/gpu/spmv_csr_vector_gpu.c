/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/csr_vector: y = alpha*A*x + beta*y on CSR, each row by a group of lanes.
 *
 * The lanes of a group walk a row together, each with a separate sum, and reduce the sums in a
 * tree. A lane has four entries in flight at once, so that a group needs a third of the mean row's
 * length, rounded up to a power of two, at most half a warp. A very long row outlasts all others:
 * csr_balanced handles such matrices.
 *
 * Cost: nnz*(value+column) + rows*(offset+y) bytes streamed, nnz values of x gathered. Memory:
 * none. Source: N. Bell, M. Garland, Implementing sparse matrix-vector multiplication on
 * throughput-oriented processors, SC'09, section 4.3. Differs: the width follows the mean row
 * length (I. Reguly, M. Giles, InPar 2012); beta. */
#include "spmv/gpu/device_work.h"
#include "spmv/kernels/spmv_csr_vector.k.h"

typedef struct state {
    const spl__kernel *kernel;
    int32_t width;
} state;

/* Lanes per group, with about three entries each: four are in flight at once. Half a warp is
 * enough for any row (H100: protein 27 -> 25 us). */
static int32_t choose_width(const spl__task *task)
{
    enum { ENTRIES_PER_LANE = 3 };
    int32_t width = 2, most = task->plan->problem.queue.device->properties.lanes / 2;
    while (ENTRIES_PER_LANE * width < task->plan->features.mean_row_a && width < most)
        width *= 2;
    return width;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    spl__device_work work = spl__spmv_device_work(
        task, spl__spmv_device_entries(task, sizeof(int32_t)) + spl__spmv_device_offsets(task));
    work.busy = f->rows * choose_width(task) / task->plan->problem.queue.device->properties.lanes *
                m->spmv_vector_warp;
    work.longest = m->spmv_vector_chain * f->longest_row_a / choose_width(task);
    spl__spmv_device_predict(task, &work, 0, 0, e);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->width = choose_width(&step->task);
    return spl__queue_kernel(&plan->problem.queue, "spmv_csr_vector", a->type, a->offset_type,
                             &s->kernel);
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

const spl__method spl__spmv_compute_gpu_csr_vector = {
    .summary = "CSR, a group of lanes per row",
    .source = "N. Bell, M. Garland, SC'09",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
};
