/* SPDX-License-Identifier: Apache-2.0 */
/* device_part.c: a device's part of a dense product.
 *
 * Its rows of A stay on the device if they fit besides x and y; if this device holds A, they are
 * read in place, with separate offsets. Otherwise they pass through two slots, block by block
 * (double buffering): while one block is computed, the next is copied on another stream, and
 * events order the use of slots. Plans of blocks are ordinary plans for a matrix on the device,
 * which is in its slot when they are made and executed. */
#include "core/checked.h"
#include "partition/spread.h"

static bool passes(const spl__spread_part *part)
{
    return part->block_count > 1;
}

static spl__spread_slot *slot_of(spl__spread_part *part, const spl__spread_block *block)
{
    return &part->slots[(block - part->blocks) % 2];
}

/* ---- copies of blocks ---- */

/* Values that are read in place have no slot. */
static spl_status copy_values(spl__queue *queue, const spl_sparse *a, const spl__spread_slot *slot)
{
    if (a->place.kind != SPL_HOST)
        return SPL_OK;
    return spl__queue_copy(queue, slot->values.data, a->values,
                           (size_t)a->nnz * spl__type_size(a->type));
}

static spl_status copy_in(spl__queue *queue, const spl_sparse *a, const spl__spread_slot *slot)
{
    size_t index = (size_t)a->nnz * spl__index_size(a->index_type);
    SPL__TRY(spl__queue_copy(queue, slot->offsets.data, a->offsets,
                             (size_t)(a->rows + 1) * spl__index_size(a->offset_type)));
    if (a->place.kind == SPL_HOST)
        SPL__TRY(spl__queue_copy(queue, slot->indices.data, a->indices, index));
    return copy_values(queue, a, slot);
}

/* Copies the block into its slot, after the slot's last computation and before its next one. */
static spl_status carry(spl__spread_part *part, const spl__spread_block *block)
{
    spl__spread_slot *slot = slot_of(part, block);
    spl__queue *queue = &part->queue;
    queue->stream = part->carry;
    spl_status status = spl__queue_after(queue, slot->empty);
    if (status == SPL_OK)
        status = copy_in(queue, &block->slices[0].csr, slot);
    if (status == SPL_OK)
        spl__queue_mark(queue, slot->full);
    queue->stream = part->compute;
    return status == SPL_OK ? spl__queue_after(queue, slot->full) : status;
}

static spl_sparse device_view_of(spl__spread_part *part, const spl__spread_block *block)
{
    const spl__spread_slot *slot = slot_of(part, block);
    spl_sparse view = block->slices[0].csr;
    view.place = part->device->place;
    view.offsets = slot->offsets.data;
    if (part->in_place)
        return view;
    view.indices = slot->indices.data;
    view.values = slot->values.data;
    return view;
}

/* ---- blocks ---- */

static spl_status make_slot(spl__spread_part *part, spl__spread_slot *slot)
{
    const spl_sparse *a = &part->blocks[0].slices[0].csr;
    int64_t rows = 0, entries = 0;
    for (int64_t k = 0; k < part->block_count; k++) {
        rows = spl__max_i64(rows, part->blocks[k].slices[0].csr.rows);
        entries = part->in_place ? 0 : spl__max_i64(entries, part->blocks[k].slices[0].csr.nnz);
    }
    SPL__TRY(
        spl__queue_alloc(&part->queue, rows + 1, spl__index_size(a->offset_type), &slot->offsets));
    SPL__TRY(
        spl__queue_alloc(&part->queue, entries, spl__index_size(a->index_type), &slot->indices));
    SPL__TRY(spl__queue_alloc(&part->queue, entries, spl__type_size(a->type), &slot->values));
    if (!passes(part))
        return SPL_OK;
    SPL__TRY(spl__queue_event(&part->queue, &slot->full));
    return spl__queue_event(&part->queue, &slot->empty);
}

static spl_status make_slots(spl__spread_part *part)
{
    SPL__TRY(make_slot(part, &part->slots[0]));
    if (!passes(part))
        return SPL_OK;
    if (!part->carry)
        SPL__TRY(spl__queue_stream(&part->queue, &part->carry));
    return make_slot(part, &part->slots[1]);
}

/* Makes the plan of a block that is being copied to its slot. Streamed blocks are not copied
 * again: such plans read the slot. */
static spl_status plan_block(spl_plan *plan, spl__spread_part *part, spl__spread_block *block)
{
    spl_sparse device_view = device_view_of(part, block);
    const spl_sparse *const operands[3] = {&device_view, NULL, NULL};
    SPL__TRY(spl__queue_wait(&part->queue));
    return spl__spread_block_plan(plan, part, block, operands,
                                  passes(part) || part->lean || plan->problem.once);
}

/* In a one-shot call A is copied from the host while the CPU computes: the plans are made later. */
static spl_status plan_blocks(spl_plan *plan, spl__spread_part *part)
{
    bool later = plan->problem.once && !spl__spread_owner_of_a(plan);
    for (int64_t k = 0; k < part->block_count && !(later && passes(part)); k++) {
        spl__spread_block *block = &part->blocks[k];
        SPL__TRY(copy_in(&part->queue, &block->slices[0].csr, slot_of(part, block)));
        if (!later)
            SPL__TRY(plan_block(plan, part, block));
    }
    return SPL_OK;
}

/* Work of plans that failed may still read the slots. */
static void free_blocks(spl__spread_part *part)
{
    spl__spread_blocks_free(part);
    (void)spl__device_wait(part->device, part->device->stream);
    for (int k = 0; k < 2; k++) {
        spl__spread_slot *slot = &part->slots[k];
        spl__queue_free(&part->queue, &slot->offsets);
        spl__queue_free(&part->queue, &slot->indices);
        spl__queue_free(&part->queue, &slot->values);
        if (slot->full)
            spl__queue_event_free(&part->queue, slot->full);
        if (slot->empty)
            spl__queue_event_free(&part->queue, slot->empty);
        *slot = (spl__spread_slot){.full = NULL};
    }
}

static spl_status try_blocks(spl_plan *plan, spl__spread_part *part, double most)
{
    SPL__TRY(spl__spread_blocks_cut(plan, part, most));
    SPL__TRY(make_slots(part));
    return plan_blocks(plan, part);
}

/* One block, if necessary without copies in other formats; or as many blocks as make them fit:
 * half as large in each attempt, down to single rows. */
static spl_status fit_blocks(spl_plan *plan, spl__spread_part *part)
{
    const spl_sparse *a = &plan->problem.a.csr;
    double most =
        (double)(part->rows + 1) * 8 + (double)part->work * (8 + (double)spl__type_size(a->type));
    for (;;) {
        bool last = part->lean && spl__spread_blocks_count(plan, part, most) == part->rows;
        spl_status status = try_blocks(plan, part, most);
        bool memory = status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY;
        if (!memory || last)
            return status;
        free_blocks(part);
        if (part->lean)
            most /= 2;
        part->lean = true;
    }
}

/* ---- the part ---- */

/* Allocates x and y. They are read in place like A, unless the results are to stay distributed. */
static spl_status make_memory(spl_plan *plan, spl__spread_part *part)
{
    const spl__problem *p = &plan->problem;
    if (part->in_place && !p->options.distributed)
        return SPL_OK;
    size_t size = spl__type_size(p->a.csr.type);
    int64_t right, result;
    if (!spl__mul_i64(p->inner, p->cols, &right) || !spl__mul_i64(part->rows, p->cols, &result))
        return spl__fail(SPL_OUT_OF_MEMORY, "%s dense columns are more than can be addressed",
                         spl__thousands(p->cols));
    SPL__TRY(spl__queue_alloc(&part->queue, right, size, &part->device_x));
    SPL__TRY(spl__queue_alloc(&part->queue, result, size, &part->device_y));
    SPL__TRY(spl__queue_fill(&part->queue, part->device_x.data, 0, part->device_x.bytes));
    return spl__queue_fill(&part->queue, part->device_y.data, 0, part->device_y.bytes);
}

spl_status spl__device_part_make(spl_plan *plan, spl__spread_part *part)
{
    spl__queue *queue = &part->queue;
    spl__queue_init(queue, part->device, plan->problem.options.memory_budget,
                    plan->problem.threads);
    if (part->in_place) /* the plan's memory on that device has one budget */
        queue->account.parent = &plan->problem.queue.account;
    part->has_queue = true;
    /* allocations in this stream's order need no wait */
    part->lent = plan->problem.once;
    if (part->lent)
        part->compute = part->device->stream;
    else
        SPL__TRY(spl__queue_stream(queue, &part->compute));
    queue->stream = part->compute;
    for (int k = 0; k < SPL__MOMENTS; k++)
        SPL__TRY(spl__queue_timed_event(queue, &part->moments[k]));
    SPL__TRY(make_memory(plan, part));
    return fit_blocks(plan, part);
}

spl_status spl__device_part_rejoin(spl__spread_part *part)
{
    bool on_caller_stream = part->on_caller_stream;
    part->on_caller_stream = false;
    return on_caller_stream ? spl__queue_after(&part->queue, part->moments[SPL__LAST]) : SPL_OK;
}

/* Memory is freed in the order of the context's stream, which outlives the part. */
void spl__device_part_free(spl__spread_part *part)
{
    spl__queue *queue = &part->queue;
    void *const streams[] = {part->compute, part->carry};
    if (!part->has_queue)
        return;
    (void)spl__device_part_rejoin(part);
    for (int k = 0; k < 2; k++)
        if (streams[k])
            (void)part->device->driver->stream_wait(part->device->handle, streams[k]);
    queue->stream = part->device->stream;
    free_blocks(part);
    spl__queue_free(queue, &part->device_x);
    spl__queue_free(queue, &part->device_y);
    for (int k = 0; k < SPL__MOMENTS; k++)
        if (part->moments[k])
            spl__queue_event_free(queue, part->moments[k]);
    for (int k = part->lent; k < 2; k++)
        if (streams[k])
            spl__queue_stream_free(queue, streams[k]);
    part->compute = part->carry = NULL;
    part->has_queue = false;
}

static spl_status update_block(spl__spread_part *part, spl__spread_block *block)
{
    spl_stream stream = {part->device->place.kind, part->compute};
    spl_sparse device_view = device_view_of(part, block);
    const spl_sparse *const views[3] = {&device_view, NULL, NULL};
    if (passes(part))
        SPL__TRY(carry(part, block));
    else
        SPL__TRY(copy_values(&part->queue, &block->slices[0].csr, &part->slots[0]));
    SPL__TRY(spl__plan_turn(block->plan, &stream));
    spl_status status = spl__plan_update(block->plan, views);
    spl__plan_mark(block->plan);
    if (passes(part))
        spl__queue_mark(&part->queue, slot_of(part, block)->empty);
    return status;
}

spl_status spl__device_part_update(spl__spread_part *part)
{
    SPL__TRY(spl__device_part_rejoin(part));
    for (int64_t k = 0; k < part->block_count; k++)
        SPL__TRY(update_block(part, &part->blocks[k]));
    return spl__queue_wait(&part->queue);
}

/* ---- execution ---- */

/* The rows of the part's result that the block computes. */
static spl_dense rows_of_block(const spl__spread_part *part, const spl__spread_block *block,
                               const spl_dense *c)
{
    spl_dense rows = *c;
    int64_t first = block->begin - part->begin, step = c->order == SPL_ROW_MAJOR ? c->ld : 1;
    rows.rows = block->slices[0].csr.rows;
    rows.values = (char *)c->values + (size_t)(first * step) * spl__type_size(c->type);
    return rows;
}

spl_status spl__device_part_run(spl_plan *plan, spl__spread_part *part, const spl__call *call,
                                const spl_dense *b, const spl_dense *c)
{
    const spl_stream stream = {part->device->place.kind, part->queue.stream};
    for (int64_t k = 0; k < part->block_count; k++) {
        spl__spread_block *block = &part->blocks[k];
        spl_dense rows = rows_of_block(part, block, c);
        spl__call part_call = *call;
        if (passes(part))
            SPL__TRY(carry(part, block));
        if (!block->plan)
            SPL__TRY(plan_block(plan, part, block));
        spl__call_dense(&part_call, b, &rows);
        SPL__TRY(spl__plan_execute(block->plan, SPL__PHASE_compute, &part_call, &stream));
        if (passes(part))
            spl__queue_mark(&part->queue, slot_of(part, block)->empty);
    }
    return SPL_OK;
}
