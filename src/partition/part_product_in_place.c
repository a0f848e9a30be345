/* SPDX-License-Identifier: Apache-2.0 */
/* part_product_in_place.c: rows of a sparse product on the device that holds the operands. It reads
 * its rows of A and D in place, with separate offsets, and B unchanged, and writes its rows of C
 * directly. */
#include "partition/parts.h"

#include <math.h>

typedef struct in_place {
    spl__part base;
    spl__device_array offsets[2]; /* of the slices of A and D */
    void *begun, *done;           /* events */
} in_place;

static in_place *in_place_of(spl__part *part)
{
    return (in_place *)part;
}

static spl__queue *queue_of(const spl__part *part)
{
    return &spl__part_plan(part)->problem.queue;
}

/* ---- making ---- */

/* Enqueues the upload of the slice's offsets. */
static spl_status put_offsets(spl__queue *queue, const spl_sparse *slice,
                              spl__device_array *offsets)
{
    SPL__TRY(
        spl__queue_alloc(queue, slice->rows + 1, spl__index_size(slice->offset_type), offsets));
    return spl__queue_copy(queue, offsets->data, slice->offsets, offsets->bytes);
}

/* Copies that run concurrently with the CPU's work start no threads: side_thread.h. */
static spl_status put_all_offsets(spl__part *part)
{
    spl__queue *queue = &part->plan->problem.queue;
    const int threads = queue->threads;
    queue->threads = part->plan->problem.once ? 1 : threads;
    spl_status status = SPL_OK;
    for (int k = 0; k < 1 + part->plan->problem.has_d && status == SPL_OK; k++)
        status = put_offsets(queue, &part->blocks[0].slices[k].csr, &in_place_of(part)->offsets[k]);
    if (status == SPL_OK)
        status = spl__queue_wait(queue);
    queue->threads = threads;
    return status;
}

/* The slice of A (0) or D (1) that the plan reads. */
static spl_sparse slice_of(spl__part *part, int k)
{
    spl_sparse slice = part->blocks[0].slices[k].csr;
    slice.offsets = in_place_of(part)->offsets[k].data;
    return slice;
}

static spl_status make(spl__part *part)
{
    const spl__problem *p = &part->plan->problem;
    SPL__TRY(spl__part_cut(part, INFINITY));
    SPL__TRY(put_all_offsets(part));
    const spl_sparse a = slice_of(part, 0), d = slice_of(part, 1);
    const spl_sparse *const views[3] = {&a, part->b, p->has_d ? &d : NULL};
    SPL__TRY(spl__part_plan_block(part, part->blocks, views, p->once));
    SPL__TRY(spl__queue_timed_event(queue_of(part), &in_place_of(part)->begun));
    return spl__queue_timed_event(queue_of(part), &in_place_of(part)->done);
}

static void free_part(spl__part *part)
{
    in_place *in = in_place_of(part);
    if (in->begun)
        spl__queue_event_free(queue_of(part), in->begun);
    if (in->done)
        spl__queue_event_free(queue_of(part), in->done);
    spl__part_drop(part);
    for (int k = 0; k < 2; k++)
        if (in->offsets[k].data)
            spl__queue_free(&part->plan->problem.queue, &in->offsets[k]);
}

static spl_status update(spl__part *part, const spl_sparse *const changed[3])
{
    spl__part_update_slices(part, changed);
    const spl_sparse a = slice_of(part, 0), d = slice_of(part, 1);
    const spl_sparse *const views[3] = {changed[0] ? &a : NULL, changed[1] ? part->b : NULL,
                                        changed[2] ? &d : NULL};
    SPL__TRY(spl__plan_update(spl__part_plan(part), views));
    return spl__queue_wait(queue_of(part));
}

/* ---- executions and C ---- */

static spl_status start(spl__part *part, const spl__execution *e)
{
    spl_plan *plan = spl__part_plan(part);
    spl__call call = *e->call;
    call.values = spl__part_values(part, e);
    SPL__TRY(spl__plan_turn(plan, e->stream));
    spl__queue_mark(queue_of(part), in_place_of(part)->begun);
    SPL__TRY(plan->operation->execute(plan, &call, e->stream));
    spl__queue_mark(queue_of(part), in_place_of(part)->done);
    return SPL_OK;
}

static spl__seconds seconds(spl__part *part)
{
    const in_place *in = in_place_of(part);
    return (spl__seconds){.execution = spl__queue_seconds(queue_of(part), in->begun, in->done)};
}

static spl_status export_rows(spl__part *part, spl_index type, void *const to[3],
                              const spl_stream *stream)
{
    spl_plan *plan = spl__part_plan(part);
    (void)type; /* the plan knows it */
    return plan->operation->export(plan, to[0], to[1], to[2], stream);
}

const spl__part_kind spl__part_product_in_place = {
    .size = sizeof(in_place),
    .make = make,
    .update = update,
    .run = {[SPL__START] = start},
    .seconds = seconds,
    .export = export_rows,
    .free = free_part,
};
