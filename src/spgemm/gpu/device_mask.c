/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_mask.h"

#include "spgemm/kernels/masks/spgemm_masks.k.h"
#include "structure/device_widths.h"

static spl_status upload(spl__queue *queue, const void *from, int64_t count, size_t size,
                         spl__device_array *array)
{
    SPL__TRY(spl__queue_alloc(queue, count, size, array));
    return spl__queue_copy(queue, array->data, from, array->bytes);
}

/* Of a mask that is there already: offsets get 64 bits. */
static spl_status copy_resident(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    const spl_sparse *mask = &plan->problem.mask.resident;
    SPL__TRY(spl__queue_alloc(queue, mask->rows + 1, sizeof(int64_t), &c->mask_offsets));
    SPL__TRY(spl__queue_alloc(queue, mask->nnz, sizeof(int32_t), &c->mask_columns));
    c->mask_positions = mask->nnz;
    SPL__TRY(
        mask->offset_type == SPL_I64
            ? spl__queue_copy(queue, c->mask_offsets.data, mask->offsets, c->mask_offsets.bytes)
            : spl__device_widen(queue, mask->offsets, mask->rows + 1, c->mask_offsets.data));
    return spl__queue_copy(queue, c->mask_columns.data, mask->indices, c->mask_columns.bytes);
}

spl_status spl__device_mask_upload(spl_plan *plan)
{
    spl__problem *p = &plan->problem;
    spl__device_product *c = spl__device_product_of(plan);
    if (!p->mask.given)
        return SPL_OK;
    if (p->mask.resident.format)
        return copy_resident(plan);
    SPL__TRY(upload(&p->queue, p->mask.offsets, p->rows + 1, sizeof(int64_t), &c->mask_offsets));
    c->mask_positions = p->mask.offsets[p->rows];
    SPL__TRY(
        upload(&p->queue, p->mask.columns, c->mask_positions, sizeof(int32_t), &c->mask_columns));
    SPL__TRY(spl__queue_wait(&p->queue)); /* pinned memory is read later */
    spl__mask_free(&p->mask);
    return SPL_OK;
}

/* A warp per row; of kernels that read no values there is one instance. */
#define LAUNCH_ROWS(plan, name, args) launch_rows((plan), (name), (args), sizeof *(args))
static spl_status launch_rows(spl_plan *plan, const char *name, const void *args, size_t bytes)
{
    spl__queue *queue = &plan->problem.queue;
    spl__launch l = {
        .blocks = spl__blocks_at_once(queue, plan->problem.rows * queue->device->properties.lanes,
                                      SPGEMM_ROWS_THREADS),
        .threads = SPGEMM_ROWS_THREADS,
        .args = args};
    SPL__TRY(spl__queue_kernel(queue, name, SPL_F32, plan->problem.a.csr.offset_type, &l.kernel));
    return spl__queue_launch(queue, &l, bytes);
}

static spl_status count_columns(spl_plan *plan, spl__device_array *lengths)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *b = &plan->problem.b.csr;
    const spl__kernel *kernel;
    struct spgemm_column_lengths_args args = {b->nnz, b->indices, lengths->data};
    SPL__TRY(spl__queue_fill(queue, lengths->data, 0, lengths->bytes));
    SPL__TRY(spl__queue_kernel(queue, "spgemm_column_lengths", SPL_F32, b->offset_type, &kernel));
    return SPL__LAUNCH(queue, &args, kernel, spl__blocks_for(queue, b->nnz, SPGEMM_ROWS_THREADS),
                       SPGEMM_ROWS_THREADS);
}

static spl_status count_steps(spl_plan *plan, spl__device_array *lengths, spl__device_array *sum)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    uint64_t steps;
    SPL__TRY(spl__queue_alloc(queue, plan->problem.cols, sizeof(uint32_t), lengths));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof steps, sum));
    SPL__TRY(spl__queue_fill(queue, sum->data, 0, sum->bytes));
    SPL__TRY(count_columns(plan, lengths));
    struct spgemm_dot_steps_args args = {.rows = plan->problem.rows,
                                         .a_offsets = plan->problem.a.csr.offsets,
                                         .offsets = c->mask_offsets.data,
                                         .columns = c->mask_columns.data,
                                         .lengths = lengths->data,
                                         .steps = sum->data};
    SPL__TRY(LAUNCH_ROWS(plan, "spgemm_dot_steps", &args));
    SPL__TRY(spl__queue_fetch(queue, &steps, sum->data, sizeof steps));
    c->dot_steps = (double)steps;
    return SPL_OK;
}

spl_status spl__device_mask_survey(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__device_product *c = spl__device_product_of(plan);
    spl__device_array lengths = {NULL, 0}, sum = {NULL, 0};
    if (!spl__mask_lists(&plan->problem.mask) || c->mask_positions == 0 || !c->ordered ||
        plan->problem.has_d)
        return SPL_OK;
    spl_status status = count_steps(plan, &lengths, &sum);
    spl__queue_free(queue, &lengths);
    spl__queue_free(queue, &sum);
    return status;
}

spl_status spl__device_position_rows(spl_plan *plan, spl__device_array *rows)
{
    const spl__device_product *c = spl__device_product_of(plan);
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, c->nnz, sizeof(int32_t), rows));
    struct spgemm_position_rows_args args = {plan->problem.rows, c->offsets.data, rows->data};
    return rows->data ? LAUNCH_ROWS(plan, "spgemm_position_rows", &args) : SPL_OK;
}

void spl__device_mask_free(spl_plan *plan)
{
    spl__device_product *c = spl__device_product_of(plan);
    spl__queue_free(&plan->problem.queue, &c->mask_offsets);
    spl__queue_free(&plan->problem.queue, &c->mask_columns);
}

static spl_status keep(spl_plan *plan, struct spgemm_mask_keep_args *args)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    SPL__TRY(spl__queue_alloc(queue, args->rows + 1, sizeof(int64_t), &c->offsets));
    args->counts = c->offsets.data;
    SPL__TRY(LAUNCH_ROWS(plan, "spgemm_mask_keep", args));
    SPL__TRY(spl__queue_offsets(queue, SPL_I64, c->offsets.data, args->rows, NULL));
    SPL__TRY(spl__queue_fetch(queue, &c->nnz, (const int64_t *)c->offsets.data + args->rows,
                              sizeof c->nnz));
    c->form.nnz_c = c->nnz;
    SPL__TRY(spl__check_result_width(plan, c->nnz));
    SPL__TRY(spl__queue_alloc(queue, c->nnz, sizeof(int32_t), &c->columns));
    args->to_offsets = c->offsets.data;
    args->to = c->columns.data;
    return args->to ? LAUNCH_ROWS(plan, "spgemm_mask_keep", args) : SPL_OK;
}

spl_status spl__device_mask_keep(spl_plan *plan, const int64_t *offsets, const int32_t *columns,
                                 const uint32_t *met)
{
    struct spgemm_mask_keep_args args = {
        .rows = plan->problem.rows, .offsets = offsets, .columns = columns, .met = met};
    return keep(plan, &args);
}

static spl_status take_out(spl_plan *plan, const spl__device_array from[2],
                           const spl__device_array *met)
{
    const spl__device_product *c = spl__device_product_of(plan);
    struct spgemm_mask_avoid_args avoid = {.rows = plan->problem.rows,
                                           .offsets = from[0].data,
                                           .columns = from[1].data,
                                           .mask_offsets = c->mask_offsets.data,
                                           .mask_columns = c->mask_columns.data,
                                           .met = met->data};
    SPL__TRY(LAUNCH_ROWS(plan, "spgemm_mask_avoid", &avoid));
    return spl__device_mask_keep(plan, from[0].data, from[1].data, met->data);
}

spl_status spl__device_mask_take_out(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    spl__device_array from[2] = {c->offsets, c->columns}, met;
    SPL__TRY(spl__queue_alloc(queue, c->nnz, sizeof(uint32_t), &met));
    c->offsets = c->columns = (spl__device_array){NULL, 0};
    spl__queue_free(queue, &c->narrow); /* of all positions */
    c->narrowed = false;
    spl_status status = take_out(plan, from, &met);
    spl__queue_free(queue, &from[0]);
    spl__queue_free(queue, &from[1]);
    spl__queue_free(queue, &met);
    return status;
}
