/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/csr_balanced: y = alpha*A*x + beta*y on CSR, every block with the same number of row ends and entries.
 *
 * The merge of row ends and entries is cut into equal parts, one per block. A block puts its products into shared memory, then groups of
 * lanes sum up its rows, as many lanes as its rows have entries on average. What it has of a row that goes on in the next block it carries
 * over through memory; a second, small launch adds that to y. Where blocks begin is searched once, in the plan.
 *
 * Cost: as csr_vector, and one number per block written and read. Memory: blocks * (8 + value) bytes, ITEMS row ends and entries a block.
 * Source: D. Merrill, M. Garland, Merge-based parallel sparse matrix-vector multiplication, SC'16.
 * Differs: within a block rows are shared out, not merge items, so that sums need no search; carries are added in a fixed order. */
#include "plan/plan.h"
#include "spmv/spmv_csr_balanced.k.h"

typedef struct state {
    const spl__kernel *multiply, *carry;
    int64_t blocks;
    spl__device_array rows, carries;
} state;

static int64_t count_blocks(const spl_sparse *a)
{
    int64_t items = a->rows + a->nnz; /* both fit a device's memory: no overflow */
    return items / SPMV_BALANCED_ITEMS + (items % SPMV_BALANCED_ITEMS != 0);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl_sparse *a = &task->plan->problem.a.csr;
    double value = (double)spl__type_size(a->type), blocks = (double)count_blocks(a);
    double lanes = task->plan->problem.queue.device->properties.lanes;
    spl__device_work work = {.streamed = f->nnz_a * (value + 4) +
                                         f->rows * ((double)spl__index_size(a->offset_type) + value) +
                                         blocks * 2 * (8 + value),
                             .gathered = f->nnz_a * value,
                             .reach = f->inner * value,
                             .steps = 2 * blocks * SPMV_BALANCED_ITEMS / lanes,
                             .launches = 3}; /* the event that marks the end costs as much as one */
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = (blocks + 1) * (8 + value);
}

static spl_status split(spl__queue *queue, const spl_sparse *a, const state *s)
{
    const spl__kernel *kernel;
    struct spmv_balanced_split_args args = {a->rows, a->nnz, s->blocks, a->offsets, s->rows.data};
    SPL__TRY(spl__queue_kernel(queue, "spmv_balanced_split", a->type, a->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, spl__blocks_for(queue, s->blocks + 1, SPMV_BALANCED_THREADS),
                       SPMV_BALANCED_THREADS);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->blocks = count_blocks(a);
    SPL__TRY(spl__queue_kernel(queue, "spmv_csr_balanced", a->type, a->offset_type, &s->multiply));
    SPL__TRY(spl__queue_kernel(queue, "spmv_balanced_carry", a->type, a->offset_type, &s->carry));
    SPL__TRY(spl__queue_alloc(queue, s->blocks + 1, sizeof(int64_t), &s->rows));
    SPL__TRY(spl__queue_alloc(queue, s->blocks, spl__type_size(a->type), &s->carries));
    return split(queue, a, s);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    struct spmv_csr_balanced_args args = {.row_count = a->rows,
                                          .nnz = a->nnz,
                                          .blocks = s->blocks,
                                          .offsets = a->offsets,
                                          .columns = a->indices,
                                          .values = a->values,
                                          .x = call->x,
                                          .y = call->y,
                                          .scalars = spl__plan_scalars(plan, call),
                                          .rows = s->rows.data,
                                          .carries = s->carries.data};
    struct spmv_balanced_carry_args carry = {a->rows, s->blocks, s->rows.data, s->carries.data, call->y};
    SPL__TRY(SPL__LAUNCH(queue, &args, s->multiply, s->blocks, SPMV_BALANCED_THREADS));
    return SPL__LAUNCH(queue, &carry, s->carry, spl__blocks_for(queue, s->blocks, SPMV_BALANCED_THREADS),
                       SPMV_BALANCED_THREADS);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__text_add(text, "  blocks %s, each %d row ends and entries\n", spl__thousands(s->blocks), SPMV_BALANCED_ITEMS);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__queue_free(&step->task.plan->problem.queue, &s->rows);
    spl__queue_free(&step->task.plan->problem.queue, &s->carries);
    spl__free(s);
}

const spl__method spl__spmv_compute_gpu_csr_balanced = {
    .summary = "CSR, equal numbers of rows and entries per block",
    .source = "D. Merrill, M. Garland, SC'16",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
