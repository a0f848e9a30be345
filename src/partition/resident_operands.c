/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/resident_operands.h"

static spl__operand *operand_of(spl_plan *plan, int k)
{
    spl__problem *p = &plan->problem;
    spl__operand *const all[3] = {&p->a, &p->b, &p->d};
    return all[k];
}

/* The number of operands on a device. */
static int count_of(const spl_plan *plan)
{
    return !plan->problem.queue.device ? 0 : plan->problem.has_d ? 3 : 2;
}

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

spl_status spl__resident_operands_look(spl_plan *plan, spl__resident_operand operands[3])
{
    spl__resident_operand *a = &operands[0];
    for (int k = 0; k < count_of(plan); k++) {
        spl__resident_operand *r = &operands[k];
        r->device_view = operand_of(plan, k)->csr;
        r->source = operand_of(plan, k)->source;
        bool same = k > 0 && spl__view_same_structure(&a->device_view, &r->device_view);
        if (!same)
            SPL__TRY(bring_structure(plan, r));
        move_to_host(operand_of(plan, k), r, same ? a : NULL);
    }
    return spl__queue_settle(&plan->problem.queue);
}

static spl_status bring_values(spl_plan *plan, int k, const spl__resident_operand *r)
{
    size_t size = spl__type_size(r->device_view.type);
    operand_of(plan, k)->csr.values = r->values;
    if (!r->values || r->device_view.nnz == 0)
        return SPL_OK;
    return spl__queue_bring(&plan->problem.queue, r->values, r->device_view.values,
                            (size_t)r->device_view.nnz * size);
}

spl_status spl__resident_operands_values(spl_plan *plan, spl__resident_operand operands[3])
{
    for (int k = 0; k < count_of(plan); k++) {
        spl__resident_operand *r = &operands[k];
        if (r->device_view.values)
            SPL__TRY(spl__alloc(&plan->account, r->device_view.nnz,
                                spl__type_size(r->device_view.type), &r->values));
        SPL__TRY(bring_values(plan, k, r));
    }
    return spl__queue_wait(&plan->problem.queue);
}

/* Takes new values of the operand on the device, possibly in other arrays. */
static spl_status renew_values(spl_plan *plan, int k, spl__resident_operand *r)
{
    spl__operand *operand = operand_of(plan, k);
    spl__view_move_structure(&r->device_view, &r->source, &operand->source);
    r->source = operand->source;
    r->cut.indices = r->device_view.indices;
    r->device_view.values = r->cut.values = operand->csr.values;
    operand->csr.values = NULL;
    return r->values ? bring_values(plan, k, r) : SPL_OK;
}

spl_status spl__resident_operands_update(spl_plan *plan, spl__resident_operand operands[3],
                                         const spl_sparse *const changed[3])
{
    for (int k = 0; k < count_of(plan); k++)
        if (changed[k])
            SPL__TRY(renew_values(plan, k, &operands[k]));
    return spl__queue_settle(&plan->problem.queue);
}

void spl__resident_operands_free(spl__resident_operand operands[3])
{
    for (int k = 0; k < 3; k++) {
        spl__free(operands[k].offsets);
        spl__free(operands[k].indices);
        spl__free(operands[k].values);
    }
}
