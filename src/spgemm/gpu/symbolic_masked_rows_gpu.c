/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/gpu/masked_rows: the positions of a mask that products or entries of D meet.
 *
 * The mask's columns of a row stand in a hash table in shared memory. A warp or a block looks each
 * product's column up there, and notes which are met; those are then gathered, in the mask's order.
 * The rest is as in numeric/gpu/masked_rows.
 *
 * Cost: a look at the table per product; rows that the mask leaves empty cost nothing. Memory: 4
 * bytes per position of the mask. Source: S. Milakovic, O. Selvitopi, I. Nisa, Z. Budimlic, A.
 * Buluc, Parallel algorithms for masked sparse matrix-matrix products, 2021 (arXiv 2111.09947), the
 * masked hash accumulator. Differs: on a device, structure only. */
#include "spgemm/gpu/device_mask.h"
#include "spgemm/gpu/masked_bins.h"

static const char *applicable(const spl__task *task)
{
    const spl__mask *mask = &task->plan->problem.mask;
    if (!spl__mask_lists(mask))
        return "no mask lists positions";
    return mask->full ? "the mask is full: it says what C has" : NULL;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__device_product *c = spl__device_product_of(task->plan);
    spl__device_work work = {.streamed = 8 * f->nnz_a + 20 * (double)c->mask_positions,
                             .gathered = 4 * f->products,
                             .reach = 4 * f->nnz_b,
                             .launches = 4 + SPGEMM_MASKED_BINS};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 12 * f->rows + 8 * (double)c->mask_positions;
}

static spl_status find(spl_plan *plan, spl__masked_bins *bins, spl__device_array *met)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__device_product *c = spl__device_product_of(plan);
    const spl__kernel *kernel;
    SPL__TRY(spl__queue_alloc(queue, c->mask_positions, sizeof(uint32_t), met));
    SPL__TRY(spl__masked_bins_make(plan, c->mask_offsets.data, bins));
    if (met->data)
        SPL__TRY(spl__queue_fill(queue, met->data, 0, met->bytes));
    struct spgemm_masked args = {.o = {.s = spl__form_structures(plan),
                                       .offsets = c->mask_offsets.data,
                                       .columns = c->mask_columns.data},
                                 .met = met->data};
    SPL__TRY(spl__queue_kernel(queue, "spgemm_masked_met", SPL_F32, plan->problem.a.csr.offset_type,
                               &kernel));
    SPL__TRY(spl__masked_bins_launch(plan, bins, kernel, &args));
    return spl__device_mask_keep(plan, c->mask_offsets.data, c->mask_columns.data, met->data);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    spl_plan *plan = step->task.plan;
    spl__device_product *c = spl__device_product_of(plan);
    spl__masked_bins bins = {{0}, {NULL, 0}};
    spl__device_array met = {NULL, 0};
    (void)call;
    spl_status status = find(plan, &bins, &met);
    spl__masked_bins_free(plan, &bins);
    spl__queue_free(&plan->problem.queue, &met);
    if (status != SPL_OK) {
        spl__queue_free(&plan->problem.queue, &c->offsets);
        spl__queue_free(&plan->problem.queue, &c->columns);
    }
    return status;
}

static spl_status prepare(spl__step *step)
{
    (void)step;
    return SPL_OK;
}

const spl__method spl__spgemm_symbolic_gpu_masked_rows = {
    .summary = "the positions of a mask that are met, in hash tables",
    .source = "S. Milakovic and others, 2021",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__MASKS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
};
