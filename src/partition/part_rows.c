/* SPDX-License-Identifier: Apache-2.0 */
/* part_rows.c: the rows of A of a device's part of a dense product.
 *
 * Blocks that pass through two slots are double-buffered: while one block is computed, the next is
 * copied on another stream, and events order the use of slots. Plans of blocks are ordinary plans
 * for a matrix on the device, which is in its slot when they are made and executed. */
#include "core/checked.h"
#include "partition/device_part.h"

static spl__device_slot *slot_of(spl__device_part *d, const spl__part_block *block)
{
    return &d->slots[(block - d->part.blocks) % 2];
}

static spl_sparse rows_of(spl__device_part *d, const spl__part_block *block)
{
    return spl__slot_view(&d->queue, &block->slices[0].csr, slot_of(d, block));
}

/* ---- making ---- */

static spl_status make_slot(spl__device_part *d, spl__device_slot *slot)
{
    int64_t rows = 0, nnz = 0;
    for (int64_t k = 0; k < d->part.block_count; k++) {
        rows = spl__max_i64(rows, d->part.blocks[k].slices[0].csr.rows);
        nnz = spl__max_i64(nnz, d->part.blocks[k].slices[0].csr.nnz);
    }
    SPL__TRY(spl__slot_make(&d->queue, &d->part.blocks[0].slices[0].csr, rows, nnz, slot));
    if (!d->carry)
        return SPL_OK;
    SPL__TRY(spl__queue_event(&d->queue, &slot->full));
    return spl__queue_event(&d->queue, &slot->empty);
}

/* Makes the plan of a block that is being copied to its slot. */
static spl_status make_plan(spl__device_part *d, spl__part_block *block)
{
    const spl_sparse rows = rows_of(d, block), *const operands[3] = {&rows, NULL, NULL};
    SPL__TRY(spl__queue_wait(&d->queue));
    return spl__part_plan_block(&d->part, block, operands, d->lean || d->part.plan->problem.once);
}

/* In a one-shot call plans are made while the CPU computes, and A is copied from the host. */
spl_status spl__device_part_make_rows(spl__device_part *d, double most)
{
    const bool later = d->part.plan->problem.once && !spl__owner_of_a(d->part.plan);
    SPL__TRY(spl__part_cut(&d->part, most));
    for (int k = 0; k < (d->carry ? 2 : 1); k++)
        SPL__TRY(make_slot(d, &d->slots[k]));
    for (int64_t k = 0; k < d->part.block_count && !(later && d->carry); k++) {
        spl__part_block *block = &d->part.blocks[k];
        SPL__TRY(spl__slot_fill(&d->queue, &block->slices[0].csr, slot_of(d, block)));
        if (!later)
            SPL__TRY(make_plan(d, block));
    }
    return SPL_OK;
}

/* ---- executions and values ---- */

/* Copies the block into its slot, after the slot's last computation and before its next one, which
 * is in the queue's stream. */
static spl_status carry(spl__device_part *d, const spl__part_block *block)
{
    spl__device_slot *slot = slot_of(d, block);
    spl__queue *queue = &d->queue;
    void *stream = queue->stream;
    queue->stream = d->carry;
    spl_status status = spl__queue_after(queue, slot->empty);
    if (status == SPL_OK)
        status = spl__slot_fill(queue, &block->slices[0].csr, slot);
    if (status == SPL_OK)
        spl__queue_mark(queue, slot->full);
    queue->stream = stream;
    return status == SPL_OK ? spl__queue_after(queue, slot->full) : status;
}

/* The rows of the part's result that the block computes. */
static spl_dense rows_of_block(const spl__part *part, const spl__part_block *block,
                               const spl_dense *c)
{
    spl_dense rows = *c;
    int64_t first = block->begin - part->share->begin, step = c->order == SPL_ROW_MAJOR ? c->ld : 1;
    rows.rows = block->slices[0].csr.rows;
    rows.values = (char *)c->values + (size_t)(first * step) * spl__type_size(c->type);
    return rows;
}

spl_status spl__device_part_enqueue(spl__part *part, const spl__call *call, const spl_dense *b,
                                    const spl_dense *c)
{
    spl__device_part *d = spl__device_part_of(part);
    const spl_stream stream = {part->device->place.kind, d->queue.stream};
    for (int64_t k = 0; k < part->block_count; k++) {
        spl__part_block *block = &part->blocks[k];
        const spl_dense rows = rows_of_block(part, block, c);
        spl__call dense_call = *call;
        if (d->carry)
            SPL__TRY(carry(d, block));
        if (!block->plan)
            SPL__TRY(make_plan(d, block));
        spl__call_dense(&dense_call, b, &rows);
        SPL__TRY(spl__plan_execute(block->plan, SPL__PHASE_compute, &dense_call, &stream));
        if (d->carry)
            spl__queue_mark(&d->queue, slot_of(d, block)->empty);
    }
    return SPL_OK;
}

static spl_status update_block(spl__device_part *d, spl__part_block *block)
{
    const spl_stream stream = {d->part.device->place.kind, d->compute};
    const spl_sparse rows = rows_of(d, block), *const views[3] = {&rows, NULL, NULL};
    SPL__TRY(d->carry ? carry(d, block)
                      : spl__slot_fill_values(&d->queue, &block->slices[0].csr, &d->slots[0]));
    SPL__TRY(spl__plan_turn(block->plan, &stream));
    spl_status status = spl__plan_update(block->plan, views);
    spl__plan_mark(block->plan);
    if (d->carry)
        spl__queue_mark(&d->queue, slot_of(d, block)->empty);
    return status;
}

spl_status spl__device_part_update(spl__part *part, const spl_sparse *const changed[3])
{
    spl__device_part *d = spl__device_part_of(part);
    if (!changed[0])
        return SPL_OK;
    spl__part_update_slices(part, changed);
    SPL__TRY(spl__device_part_rejoin(d));
    for (int64_t k = 0; k < part->block_count; k++)
        SPL__TRY(update_block(d, &part->blocks[k]));
    return spl__queue_wait(&d->queue);
}
