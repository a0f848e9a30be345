/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/csr_scalar: y = alpha*A*x + beta*y on CSR, a thread for each row.
 *
 * There is no reduction across lanes, but the lanes of a warp read distant rows, and wait for the
 * longest. For rows of one or two entries, and as a baseline for other methods.
 *
 * Cost: as csr_vector, with a cache line for each few entries of a lane. Memory: none.
 * Source: N. Bell, M. Garland, Implementing sparse matrix-vector multiplication on
 * throughput-oriented processors, SC'09, section 4.2; [S2]. Differs: four entries are in flight
 * at once; it is the kernel of csr_vector with groups of one lane. */
#include "spmv/gpu/device_work.h"
#include "spmv/kernels/spmv_csr_vector.k.h"

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    spl__device_work work = spl__spmv_device_work(
        task, spl__spmv_device_entries(task, sizeof(int32_t)) + spl__spmv_device_offsets(task));
    double lanes = task->plan->problem.queue.device->properties.lanes;
    work.steps =
        f->rows / lanes +
        f->nnz_a * (1 + f->variation_row_a); /* a line of memory for each entry of each lane */
    work.longest = f->longest_row_a;
    spl__spmv_device_predict(task, &work, 0, 0, e);
}

static spl_status prepare(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    const spl__kernel *kernel;
    SPL__TRY(spl__queue_kernel(&p->queue, "spmv_csr_vector", p->a.csr.type, p->a.csr.offset_type,
                               &kernel));
    step->state = (void *)kernel; /* the driver's */
    return SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
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
                                        .width = 1};
    int64_t blocks = spl__blocks_for(queue, a->rows, SPMV_CSR_VECTOR_THREADS);
    return SPL__LAUNCH(queue, &args, step->state, blocks, SPMV_CSR_VECTOR_THREADS);
}

static void destroy(spl__step *step)
{
    (void)step; /* no state to free */
}

const spl__method spl__spmv_compute_gpu_csr_scalar = {
    .summary = "CSR, a thread per row",
    .source = "N. Bell, M. Garland, SC'09; S2",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = destroy,
};
