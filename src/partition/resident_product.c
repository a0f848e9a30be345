/* SPDX-License-Identifier: Apache-2.0 */
/* resident_product.c: sparse products by several processors where a device holds A, B and D, and
 * gets C.
 *
 * The structures of all three are copied to the host, where rows are divided by their products,
 * and also the values if other processors have rows; the parts of these are then like those of
 * any matrices on the host. The device that holds the operands reads its rows of A and D in
 * place, with separate offsets, and B unchanged, and writes its rows of C directly; those of the
 * others pass through the host. */
#include "core/checked.h"
#include "partition/spread_product.h"

#include <math.h>

static spl__operand *operand_of(spl_plan *plan, int k)
{
    spl__problem *p = &plan->problem;
    spl__operand *const all[3] = {&p->a, &p->b, &p->d};
    return all[k];
}

static int operands_of(const spl_plan *plan)
{
    return plan->problem.has_d ? 3 : 2;
}

/* ---- operands on the host ---- */

static spl_status bring(spl_plan *plan, int64_t count, size_t size, const void *device_data,
                        void **host_data)
{
    SPL__TRY(spl__alloc(&plan->account, count, size, host_data));
    return count > 0 ? spl__queue_bring(&plan->problem.queue, *host_data, device_data,
                                        (size_t)count * size)
                     : SPL_OK;
}

static spl_status bring_structure(spl_plan *plan, spl__resident_operand *r)
{
    const spl_sparse *device_view = &r->device_view;
    size_t offset = spl__index_size(device_view->offset_type);
    SPL__TRY(bring(plan, device_view->nnz, spl__index_size(device_view->index_type),
                   device_view->indices, &r->indices));
    if (device_view->rows > 0)
        return bring(plan, device_view->rows + 1, offset, device_view->offsets, &r->offsets);
    SPL__TRY(spl__alloc(&plan->account, 1, offset, &r->offsets));
    spl__index_set(r->offsets, device_view->offset_type, 0, 0);
    return SPL_OK;
}

/* Moves the plan's operand to the host: its copy, or that of an operand with the same arrays. */
static void move_to_host(spl__operand *operand, spl__resident_operand *r,
                         const spl__resident_operand *same)
{
    const spl__resident_operand *from = same ? same : r;
    r->cut = r->device_view;
    r->cut.offsets = from->offsets;
    operand->csr.place = (spl_place){SPL_HOST, 0};
    operand->csr.offsets = from->offsets;
    operand->csr.indices = from->indices;
    operand->csr.values = NULL;
}

spl_status spl__resident_product_look(spl_plan *plan, spl__spread *s)
{
    spl__resident_operand *a = &s->operands[0];
    for (int k = 0; k < operands_of(plan) && spl__spread_owner_of_a(plan); k++) {
        spl__resident_operand *r = &s->operands[k];
        r->device_view = operand_of(plan, k)->csr;
        r->source = operand_of(plan, k)->source;
        bool same = k > 0 && spl__view_same_structure(&a->device_view, &r->device_view);
        if (!same)
            SPL__TRY(bring_structure(plan, r));
        move_to_host(operand_of(plan, k), r, same ? a : NULL);
    }
    s->a = plan->problem.a.csr;
    return spl__queue_settle(&plan->problem.queue);
}

static spl_status bring_values(spl_plan *plan, int k)
{
    spl__resident_operand *r = &plan->spread->operands[k];
    size_t size = spl__type_size(r->device_view.type);
    operand_of(plan, k)->csr.values = r->values;
    if (r->device_view.nnz == 0)
        return SPL_OK;
    return spl__queue_bring(&plan->problem.queue, r->values, r->device_view.values,
                            (size_t)r->device_view.nnz * size);
}

spl_status spl__resident_product_values(spl_plan *plan)
{
    if (!spl__spread_owner_of_a(plan) || !spl__spread_has_others(plan->spread))
        return SPL_OK;
    for (int k = 0; k < operands_of(plan); k++) {
        spl__resident_operand *r = &plan->spread->operands[k];
        SPL__TRY(spl__alloc(&plan->account, r->device_view.nnz, spl__type_size(r->device_view.type),
                            &r->values));
        SPL__TRY(bring_values(plan, k));
    }
    plan->spread->a.values = plan->problem.a.csr.values;
    return spl__queue_wait(&plan->problem.queue);
}

/* Takes new values of the operand on the device, possibly in other arrays. */
static spl_status renew_values(spl_plan *plan, int k)
{
    spl__resident_operand *r = &plan->spread->operands[k];
    spl__operand *operand = operand_of(plan, k);
    spl__view_move_structure(&r->device_view, &r->source, &operand->source);
    r->source = operand->source;
    r->cut.indices = r->device_view.indices;
    r->device_view.values = r->cut.values = operand->csr.values;
    operand->csr.values = NULL;
    return r->values ? bring_values(plan, k) : SPL_OK;
}

spl_status spl__resident_product_update(spl_plan *plan, const spl_sparse *const operands[3])
{
    for (int k = 0; k < operands_of(plan) && spl__spread_owner_of_a(plan); k++)
        if (operands[k])
            SPL__TRY(renew_values(plan, k));
    plan->spread->a = plan->problem.a.csr;
    return spl__queue_settle(&plan->problem.queue);
}

void spl__resident_product_free(spl_plan *plan)
{
    for (int k = 0; k < 3; k++) {
        spl__resident_operand *r = &plan->spread->operands[k];
        spl__free(r->offsets);
        spl__free(r->indices);
        spl__free(r->values);
        if (r->device_offsets.data)
            spl__queue_free(&plan->problem.queue, &r->device_offsets);
    }
}

/* ---- the part that reads them in place ---- */

/* Enqueues the upload of the slice's offsets. If parts are made twice they are the same. */
static spl_status put_offsets(spl_plan *plan, int k, const spl_sparse *slice)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_array *offsets = &plan->spread->operands[k].device_offsets;
    if (!offsets->data)
        SPL__TRY(
            spl__queue_alloc(queue, slice->rows + 1, spl__index_size(slice->offset_type), offsets));
    return spl__queue_copy(queue, offsets->data, slice->offsets, offsets->bytes);
}

/* Copies that run concurrently with the CPU's work start no threads: side_thread.h. */
static spl_status put_all_offsets(spl_plan *plan, const spl__spread_block *all)
{
    spl__queue *queue = &plan->problem.queue;
    const int threads = queue->threads;
    queue->threads = plan->problem.once ? 1 : threads;
    spl_status status = put_offsets(plan, 0, &all->slices[0].csr);
    if (status == SPL_OK && plan->problem.has_d)
        status = put_offsets(plan, 2, &all->slices[1].csr);
    if (status == SPL_OK)
        status = spl__queue_wait(queue);
    queue->threads = threads;
    return status;
}

spl_status spl__resident_product_part(spl_plan *plan, spl__spread_part *part)
{
    const spl__problem *p = &plan->problem;
    spl_sparse a, d;
    const spl_sparse *const operands[3] = {&a, spl__spread_right(plan, part), p->has_d ? &d : NULL};
    SPL__TRY(spl__spread_blocks_cut(plan, part, INFINITY));
    spl__spread_block *all = &part->blocks[0];
    SPL__TRY(put_all_offsets(plan, all));
    a = spl__spread_slice(plan, part, all, 0);
    d = spl__spread_slice(plan, part, all, 2);
    SPL__TRY(spl__spread_block_plan(plan, part, all, operands, p->once));
    return spl__spread_has_others(plan->spread)
               ? spl__queue_stream(&plan->problem.queue, &part->carry)
               : SPL_OK;
}

spl_status spl__resident_product_start(spl__spread_part *part, const spl__call *call, void *values,
                                       const spl_stream *stream)
{
    spl_plan *part_plan = spl__spread_plan_of(part);
    spl__queue *queue = &part_plan->problem.queue;
    spl__call into = *call;
    into.values = values;
    SPL__TRY(spl__plan_turn(part_plan, stream));
    spl__queue_mark(queue, part->moments[SPL__BEGUN]);
    SPL__TRY(part_plan->operation->execute(part_plan, &into, stream));
    spl__queue_mark(queue, part->moments[SPL__DONE]);
    return SPL_OK;
}

/* ---- results of the other parts ---- */

static bool is_other(const spl__spread_part *part)
{
    return part->rows > 0 && !part->in_place;
}

spl_status spl__resident_product_check(const spl_plan *plan, const void *values)
{
    const spl__queue *owner = &plan->problem.queue;
    if (!owner->device)
        return SPL_OK;
    if (spl__queue_captures(owner))
        return spl__fail(SPL_UNSUPPORTED,
                         "calls of several processors cannot be recorded into a graph");
    if (values && !spl__device_holds(owner->device, values))
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "the values of C are not in the memory of %s, where A lives",
                         owner->device->properties.name);
    return SPL_OK;
}

static spl_status carry_values(spl_plan *plan, void *values)
{
    const spl__spread *s = plan->spread;
    size_t size = spl__type_size(plan->problem.a.csr.type);
    for (int32_t k = 0; k < s->count && values; k++)
        if (is_other(&s->parts[k]) && s->parts[k].y.bytes > 0)
            SPL__TRY(spl__queue_copy(&plan->problem.queue,
                                     (char *)values + (size_t)s->first[k] * size,
                                     s->parts[k].y.data, s->parts[k].y.bytes));
    return SPL_OK;
}

/* Copies the other parts' values, concurrently with the device's own part, after the pending
 * work of the caller's stream. */
static spl_status carry_other_rows(spl_plan *plan, const spl__spread_part *resident_part,
                                   void *values)
{
    spl__queue *queue = &plan->problem.queue;
    void *stream = queue->stream;
    queue->stream = resident_part->carry;
    spl_status status = spl__queue_after(queue, resident_part->moments[SPL__BEGUN]);
    if (status == SPL_OK)
        status = carry_values(plan, values);
    spl_status waited = spl__queue_wait(queue);
    queue->stream = stream;
    return status == SPL_OK ? waited : status;
}

spl_status spl__resident_product_carry(spl_plan *plan, void *values)
{
    const spl__spread *s = plan->spread;
    spl__queue *owner = &plan->problem.queue;
    const spl__spread_part *resident_part = NULL;
    if (!owner->device || !spl__spread_has_others(s))
        return SPL_OK;
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].carry)
            resident_part = &s->parts[k];
    SPL__TRY(resident_part ? carry_other_rows(plan, resident_part, values)
                           : carry_values(plan, values));
    return spl__queue_wait(owner);
}

/* ---- C for callers ---- */

static spl_status make_room(spl_plan *plan, const void *wanted, int64_t count, size_t size,
                            void **room)
{
    return wanted && count > 0 ? spl__alloc(&plan->account, count, size, room) : SPL_OK;
}

spl_status spl__resident_product_room(spl_plan *plan, spl__product_arrays all,
                                      spl__product_arrays *room)
{
    const spl__spread *s = plan->spread;
    const spl_sparse *a = &plan->problem.a.csr;
    int64_t offsets = 0, nnz = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const spl__spread_part *part = &s->parts[k];
        if (part->rows == 0 || (part->in_place && s->first[k] == 0))
            continue;
        offsets = spl__max_i64(offsets, part->rows + 1);
        nnz = spl__max_i64(nnz, part->in_place ? 0 : spl__spread_part_nnz(part));
    }
    SPL__TRY(make_room(plan, all.offsets, offsets,
                       spl__index_size(spl__spread_product_state(plan).offset_type),
                       &room->offsets));
    SPL__TRY(make_room(plan, all.indices, nnz, spl__index_size(a->index_type), &room->indices));
    return make_room(plan, all.values, nnz, spl__type_size(a->type), &room->values);
}

/* Writes the part's offsets, which begin with 0, to the device after those of the previous
 * parts, through host memory. */
static spl_status move_offsets(spl_plan *plan, const spl__spread_part *part, spl_index type,
                               int64_t first, void *device_data, void *room)
{
    spl__queue *queue = &plan->problem.queue;
    size_t bytes = (size_t)(part->rows + 1) * spl__index_size(type);
    SPL__TRY(spl__queue_fetch(queue, room, device_data, bytes));
    for (int64_t i = 0; i <= part->rows; i++)
        spl__index_set(room, type, i, spl__index_at(room, type, i) + first);
    SPL__TRY(spl__queue_copy(queue, device_data, room, bytes));
    return spl__queue_wait(queue);
}

static spl_status export_in_place(spl_plan *plan, spl__spread_part *part, int64_t first,
                                  spl__product_arrays to, void *room, const spl_stream *stream)
{
    spl_plan *part_plan = spl__spread_plan_of(part);
    SPL__TRY(part_plan->operation->export(part_plan, to.offsets, to.indices, to.values, stream));
    return to.offsets && first > 0 ? move_offsets(plan, part, spl__result_offset_type(part_plan),
                                                  first, to.offsets, room)
                                   : SPL_OK;
}

static spl_status carry(spl_plan *plan, void *to, const void *from, int64_t count, size_t size)
{
    return to && count > 0 ? spl__queue_copy(&plan->problem.queue, to, from, (size_t)count * size)
                           : SPL_OK;
}

spl_status spl__resident_product_export(spl_plan *plan, spl__spread_part *part, int64_t first,
                                        spl__product_arrays to, const spl__product_arrays *room,
                                        const spl_stream *stream)
{
    const spl_sparse *a = &plan->problem.a.csr;
    size_t offset = spl__index_size(spl__spread_product_state(plan).offset_type);
    int64_t nnz = spl__spread_part_nnz(part);
    if (part->in_place)
        return export_in_place(plan, part, first, to, room->offsets, stream);
    SPL__TRY(spl__product_part_export(plan, part, first, *room));
    SPL__TRY(carry(plan, to.offsets, room->offsets, part->rows + 1, offset));
    SPL__TRY(carry(plan, to.indices, room->indices, nnz, spl__index_size(a->index_type)));
    SPL__TRY(carry(plan, to.values, room->values, nnz, spl__type_size(a->type)));
    return spl__queue_wait(&plan->problem.queue);
}
