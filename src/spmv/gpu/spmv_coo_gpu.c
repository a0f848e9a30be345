/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/coo: y = alpha*A*x + beta*y on coordinates: row numbers of entries; columns and
 * values in place.
 *
 * First y = beta*y; then each warp processes chunks of entries, one per lane, and sums runs of
 * equal rows across its lanes, whatever their lengths. The sum of a run that continues from the
 * previous chunk is stored and added by a third launch, in the order of chunks, so that no two
 * warps write to one row, and sums have a fixed order. Pays where rows are too uneven to distribute
 * whole rows, or most are empty.
 *
 * Cost: nnz*(value + 2*index) + 2*rows*value bytes streamed, x gathered, three launches. Memory:
 * nnz*4, and a value per chunk. Source: [S2] for the format; segmented sums: G. Blelloch, M.
 * Heroux, M. Zagha, CMU-CS-93-173, 1993; N. Bell, M. Garland, SC'09, section 4.4. Differs: carries
 * are added in a fixed order. */
#include "spmv/gpu/device_long_rows.h"
#include "spmv/gpu/device_work.h"
#include "spmv/kernels/spmv_coo.k.h"
#include "spmv/row_steps.h"

typedef struct state {
    const spl__kernel *scale, *multiply, *carry;
    int64_t chunks;
    spl__device_array rows, carries;
} state;

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double value = (double)spl__type_size(task->plan->problem.a.csr.type),
           rows = f->nnz_a * sizeof(int32_t);
    double lanes = task->plan->problem.queue.device->properties.lanes;
    spl__device_work work = spl__spmv_device_work(
        task, spl__spmv_device_entries(task, sizeof(int32_t)) + rows + 2 * f->rows * value);
    work.steps = 4 * f->nnz_a / lanes; /* a chain of shuffles */
    work.launches = 3;
    spl__spmv_device_predict(task, &work, rows, 0, e);
}

static spl_status find_rows(spl__queue *queue, const spl_sparse *a, const state *s)
{
    const spl__kernel *kernel;
    struct spmv_coo_rows_args args = {a->rows, a->nnz, a->offsets, s->rows.data};
    SPL__TRY(spl__queue_kernel(queue, "spmv_coo_rows", a->type, a->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, spl__blocks_for(queue, a->nnz, SPMV_COO_THREADS),
                       SPMV_COO_THREADS);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->chunks = a->nnz / SPMV_COO_CHUNK + (a->nnz % SPMV_COO_CHUNK != 0);
    SPL__TRY(spl__queue_kernel(queue, "spmv_coo_scale", a->type, a->offset_type, &s->scale));
    SPL__TRY(spl__queue_kernel(queue, "spmv_coo", a->type, a->offset_type, &s->multiply));
    SPL__TRY(spl__queue_kernel(queue, "spmv_coo_carry", a->type, a->offset_type, &s->carry));
    SPL__TRY(spl__queue_alloc(queue, a->nnz, sizeof(int32_t), &s->rows));
    SPL__TRY(spl__queue_alloc(queue, s->chunks, spl__type_size(a->type), &s->carries));
    return find_rows(queue, a, s);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    struct spmv_coo_scale_args scale = {spl__csr_for_kernel(plan, call)};
    struct spmv_coo_args args = {
        .a = scale.a, .chunks = s->chunks, .rows = s->rows.data, .carries = s->carries.data};
    struct spmv_coo_carry_args carry = {args};
    int64_t lanes = queue->device->properties.lanes;
    SPL__TRY(SPL__LAUNCH(queue, &scale, s->scale,
                         spl__blocks_for(queue, scale.a.rows, SPMV_COO_THREADS), SPMV_COO_THREADS));
    SPL__TRY(SPL__LAUNCH(queue, &args, s->multiply,
                         spl__blocks_for(queue, s->chunks * lanes, SPMV_COO_THREADS),
                         SPMV_COO_THREADS));
    return SPL__LAUNCH(queue, &carry, s->carry, spl__blocks_for(queue, s->chunks, SPMV_COO_THREADS),
                       SPMV_COO_THREADS);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    spl__queue *queue = &step->task.plan->problem.queue;
    if (!s)
        return;
    spl__queue_free(queue, &s->rows);
    spl__queue_free(queue, &s->carries);
    spl__free(s);
}

const spl__method spl__spmv_compute_gpu_coo = {
    .summary = "coordinates: a row number for each entry",
    .source = "S2; G. Blelloch, M. Heroux, M. Zagha, CMU-CS-93-173, 1993",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = spl__spmv_needs_row_numbers,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = destroy,
};
