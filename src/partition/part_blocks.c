/* SPDX-License-Identifier: Apache-2.0 */
/* part_blocks.c: a device's part of a dense product whose rows of A do not fit the device besides
 * x and y: they pass through it in blocks, in every execution.
 *
 * Two slots are used by turns: while one block is computed, the next is copied on another stream,
 * and events order the use of slots. */
#include "partition/device_part.h"

enum { SLOTS = 2 };

typedef struct passing {
    spl__device_part base;
    spl__device_slot slots[SLOTS];
    void *carry; /* the stream that copies blocks */
} passing;

static passing *passing_of(spl__part *part)
{
    return (passing *)part;
}

static spl__device_slot *slot_of(passing *p, const spl__part_block *block)
{
    return &p->slots[(block - p->base.part.blocks) % SLOTS];
}

/* ---- making ---- */

static spl_status make_slot(passing *p, spl__device_slot *slot)
{
    SPL__TRY(spl__device_part_slot(&p->base, slot));
    SPL__TRY(spl__queue_event(&p->base.queue, &slot->full));
    return spl__queue_event(&p->base.queue, &slot->empty);
}

static spl_status make_rows(passing *p, double most)
{
    spl__part *part = &p->base.part;
    SPL__TRY(spl__part_cut(part, most));
    for (int k = 0; k < SLOTS; k++)
        SPL__TRY(make_slot(p, &p->slots[k]));
    for (int64_t k = 0; k < part->block_count && !spl__device_part_plans_late(&p->base); k++) {
        spl__part_block *block = &part->blocks[k];
        SPL__TRY(spl__slot_fill(part->queue, &block->slices[0].csr, slot_of(p, block)));
        SPL__TRY(spl__device_part_plan(&p->base, block, slot_of(p, block)));
    }
    return SPL_OK;
}

/* Work of plans that failed may still read the slots. */
static void free_rows(passing *p)
{
    spl__part *part = &p->base.part;
    spl__part_drop(part);
    (void)spl__device_wait(part->device, part->device->stream);
    for (int k = 0; k < SLOTS; k++)
        spl__slot_free(part->queue, &p->slots[k]);
}

/* As few blocks as fit: half as large in each attempt, down to single rows. */
static spl_status make(spl__part *part)
{
    passing *p = passing_of(part);
    const spl__share *share = part->share;
    const double size = (double)spl__type_size(part->plan->problem.a.csr.type);
    double most = (double)(share->rows + 1) * 4 + (double)share->work * (4 + size / 2);
    SPL__TRY(spl__device_part_make(&p->base));
    SPL__TRY(spl__queue_stream(part->queue, &p->carry));
    p->base.lean = true;
    for (;; most /= 2) {
        const bool last = spl__part_count(part, most) == share->rows;
        spl_status status = make_rows(p, most);
        if (!spl__lacks_memory(status) || last)
            return status;
        free_rows(p);
    }
}

static void free_part(spl__part *part)
{
    passing *p = passing_of(part);
    if (!spl__device_part_settle(&p->base))
        return;
    if (p->carry)
        (void)part->device->driver->stream_wait(part->device->handle, p->carry);
    free_rows(p);
    spl__device_part_free(&p->base);
    if (p->carry)
        spl__queue_stream_free(part->queue, p->carry);
}

/* ---- executions and values ---- */

/* Copies the block into its slot, after the slot's last computation and before its next one, which
 * is in the queue's stream. */
static spl_status fetch(passing *p, const spl__part_block *block)
{
    spl__device_slot *slot = slot_of(p, block);
    spl__queue *queue = &p->base.queue;
    void *stream = queue->stream;
    queue->stream = p->carry;
    spl_status status = spl__queue_after(queue, slot->empty);
    if (status == SPL_OK)
        status = spl__slot_fill(queue, &block->slices[0].csr, slot);
    if (status == SPL_OK)
        spl__queue_mark(queue, slot->full);
    queue->stream = stream;
    return status == SPL_OK ? spl__queue_after(queue, slot->full) : status;
}

static spl_status enqueue_block(passing *p, spl__part_block *block, const spl__call *call,
                                const spl_dense *b, const spl_dense *c)
{
    SPL__TRY(fetch(p, block));
    if (!block->plan)
        SPL__TRY(spl__device_part_plan(&p->base, block, slot_of(p, block)));
    SPL__TRY(spl__device_part_multiply(&p->base, block, call, b, c));
    spl__queue_mark(&p->base.queue, slot_of(p, block)->empty);
    return SPL_OK;
}

static spl_status enqueue(spl__part *part, const spl__call *call, const spl_dense *b,
                          const spl_dense *c)
{
    for (int64_t k = 0; k < part->block_count; k++)
        SPL__TRY(enqueue_block(passing_of(part), &part->blocks[k], call, b, c));
    return SPL_OK;
}

static spl_status update_block(passing *p, const spl__part_block *block)
{
    SPL__TRY(fetch(p, block));
    spl_status status = spl__device_part_renew(&p->base, block, slot_of(p, block));
    spl__queue_mark(&p->base.queue, slot_of(p, block)->empty);
    return status;
}

static spl_status update(spl__part *part, const spl_sparse *const changed[3])
{
    if (!changed[0])
        return SPL_OK;
    spl__part_update_slices(part, changed);
    SPL__TRY(spl__device_part_rejoin(&passing_of(part)->base));
    for (int64_t k = 0; k < part->block_count; k++)
        SPL__TRY(update_block(passing_of(part), &part->blocks[k]));
    return spl__queue_wait(part->queue);
}

const spl__part_kind spl__part_blocks = {SPL__ON_DEVICE,     .size = sizeof(passing),
                                         .make = make,       .update = update,
                                         .enqueue = enqueue, .free = free_part};
