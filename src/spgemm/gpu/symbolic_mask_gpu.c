/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/mask: C has the positions of the mask (SPL_MASK_FULL), which are copied.
 *
 * Cost: a copy. Memory: nnz(M) columns. Source: the definition; as the sampled products of torch
 * and GraphBLAS' masks of structure do. */
#include "spgemm/gpu/device_mask.h"

static const char *applicable(const spl__task *task)
{
    const spl__mask *mask = &task->plan->problem.mask;
    return mask->full ? NULL : "the positions of C are not known beforehand: no mask is full";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__device_product *c = spl__device_product_of(task->plan);
    e->bytes = 8 * f->rows + 4 * (double)c->mask_positions;
    spl__device_work work = {.streamed = 2 * e->bytes, .launches = 1};
    e->seconds = spl__device_seconds(task, &work);
}

static spl_status copy(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    SPL__TRY(spl__check_result_width(plan, c->mask_positions));
    SPL__TRY(spl__queue_alloc(queue, plan->problem.rows + 1, sizeof(int64_t), &c->offsets));
    SPL__TRY(spl__queue_alloc(queue, c->mask_positions, sizeof(int32_t), &c->columns));
    SPL__TRY(spl__queue_copy(queue, c->offsets.data, c->mask_offsets.data, c->offsets.bytes));
    SPL__TRY(spl__queue_copy(queue, c->columns.data, c->mask_columns.data, c->columns.bytes));
    c->nnz = c->form.nnz_c = c->mask_positions;
    return SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    spl__device_product *c = spl__device_product_of(step->task.plan);
    (void)call;
    spl_status status = copy(step->task.plan);
    if (status != SPL_OK) {
        spl__queue_free(&step->task.plan->problem.queue, &c->offsets);
        spl__queue_free(&step->task.plan->problem.queue, &c->columns);
    }
    return status;
}

static spl_status prepare(spl__step *step)
{
    (void)step;
    return SPL_OK;
}

const spl__method spl__spgemm_symbolic_gpu_mask = {
    .summary = "the positions of a full mask",
    .source = "definition",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__MASKS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
};
