/* SPDX-License-Identifier: Apache-2.0 */
/* part_rows.c: rows of A in slots of a device, for kinds of its part of a dense product. Plans of
 * blocks are ordinary plans for a matrix on the device, which is in its slot when they are made and
 * executed. */
#include "core/checked.h"
#include "partition/device_part.h"

bool spl__device_part_plans_late(const spl__device_part *d)
{
    return d->part.plan->problem.once && !spl__owner_of_a(d->part.plan);
}

spl_status spl__device_part_slot(spl__device_part *d, spl__device_slot *slot)
{
    int64_t rows = 0, nnz = 0;
    for (int64_t k = 0; k < d->part.block_count; k++) {
        rows = spl__max_i64(rows, d->part.blocks[k].slices[0].csr.rows);
        nnz = spl__max_i64(nnz, d->part.blocks[k].slices[0].csr.nnz);
    }
    return spl__slot_make(&d->queue, &d->part.blocks[0].slices[0].csr, rows, nnz, slot);
}

spl_status spl__device_part_plan(spl__device_part *d, spl__part_block *block,
                                 const spl__device_slot *slot)
{
    const spl_sparse rows = spl__slot_view(&d->queue, &block->slices[0].csr, slot);
    const spl_sparse *const operands[3] = {&rows, NULL, NULL};
    SPL__TRY(spl__queue_wait(&d->queue));
    return spl__part_plan_block(&d->part, block, operands, d->lean || d->part.plan->problem.once);
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

spl_status spl__device_part_multiply(spl__device_part *d, const spl__part_block *block,
                                     const spl__call *call, const spl_dense *b, const spl_dense *c)
{
    const spl_stream stream = {d->part.device->place.kind, d->queue.stream};
    const spl_dense rows = rows_of_block(&d->part, block, c);
    spl__call dense_call = *call;
    spl_row_mask named;
    if (call->rows) {
        named = *call->rows;
        if (named.bytes)
            named.bytes += block->begin - d->part.share->begin;
        dense_call.rows = &named;
    }
    spl__call_dense(&dense_call, b, &rows);
    return spl__plan_execute(block->plan, SPL__PHASE_compute, &dense_call, &stream);
}

spl_status spl__device_part_renew(spl__device_part *d, const spl__part_block *block,
                                  const spl__device_slot *slot)
{
    const spl_stream stream = {d->part.device->place.kind, d->compute};
    const spl_sparse rows = spl__slot_view(&d->queue, &block->slices[0].csr, slot);
    const spl_sparse *const views[3] = {&rows, NULL, NULL};
    SPL__TRY(spl__plan_turn(block->plan, &stream));
    spl_status status = spl__plan_update(block->plan, views);
    spl__plan_mark(block->plan);
    return status;
}
