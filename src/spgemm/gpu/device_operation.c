/* SPDX-License-Identifier: Apache-2.0 */
/* device_operation.c: SpGEMM on a device, as a table of its functions. */
#include "matrix/matrix.h"
#include "spgemm/gpu/device_plan.h"
#include "spgemm/gpu/device_product.h"
#include "structure/device_widths.h"

/* ---- executions ---- */

/* The array of values if the plan keeps them for callers; staging always has one. */
static void *kept_values(const spl_plan *plan)
{
    return plan->problem.options.keep_result ? spl__device_product_of(plan)->values.data : NULL;
}

/* Values for an array on the host pass through an array of the plan. */
static spl_status execute_staged(spl_plan *plan, spl__call *call)
{
    const spl__device_array *device_array = &spl__device_product_of(plan)->values;
    void *values = call->values;
    call->values = device_array->data;
    SPL__TRY(spl__plan_enter(plan, NULL));
    spl_status status = spl__plan_execute_entered(plan, SPL__PHASE_numeric, call);
    if (status == SPL_OK)
        status =
            spl__queue_fetch(&plan->problem.queue, values, device_array->data, device_array->bytes);
    spl__plan_leave(plan);
    return status;
}

static spl_status execute(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    if (call->values && plan->problem.staged)
        return execute_staged(plan, call);
    if (!call->values)
        call->values = kept_values(plan);
    return spl__plan_execute(plan, SPL__PHASE_numeric, call, stream);
}

static void finish(spl_plan *plan, const spl__call *call)
{
    spl__device_product *c = spl__device_product_of(plan);
    c->computed = c->computed || call->values == kept_values(plan);
}

/* ---- C for callers ---- */

static spl__product_terms terms(const spl_plan *plan)
{
    return (spl__product_terms){spl__device_product_of(plan)->nnz, false,
                                kept_values(plan) != NULL};
}

static spl__product_state state(const spl_plan *plan)
{
    const spl__device_product *c = spl__device_product_of(plan);
    return (spl__product_state){.nnz = c->nnz,
                                .known = true,
                                .keeps = kept_values(plan) != NULL,
                                .computed = c->computed,
                                .offset_type = spl__offset_type_for(plan, c->nnz)};
}

/* Converts C's offsets to 32 bits. */
static spl_status narrow(spl_plan *plan, int32_t *offsets)
{
    return spl__device_narrow(&plan->problem.queue, spl__device_product_of(plan)->offsets.data,
                              plan->problem.rows + 1, offsets);
}

/* Copies to the caller's array, on the host or on the device. */
static spl_status export_array(spl_plan *plan, void *to, const spl__device_array *from)
{
    spl__queue *queue = &plan->problem.queue;
    return (plan->problem.staged ? spl__queue_bring : spl__queue_copy)(queue, to, from->data,
                                                                       from->bytes);
}

static spl_status export_offsets(spl_plan *plan, void *offsets)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    if (spl__offset_type_for(plan, device_c->nnz) == SPL_I64)
        return export_array(plan, offsets, &device_c->offsets);
    if (!plan->problem.staged)
        return narrow(plan, offsets);
    SPL__TRY(narrow(plan, device_c->narrow.data));
    return export_array(plan, offsets, &device_c->narrow);
}

static spl_status export_arrays(spl_plan *plan, void *offsets, void *indices, void *values)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    SPL__TRY(spl__form_settle(plan));
    if (offsets)
        SPL__TRY(export_offsets(plan, offsets));
    if (indices)
        SPL__TRY(export_array(plan, indices, &device_c->columns));
    if (values)
        SPL__TRY(export_array(plan, values, &device_c->values));
    return plan->problem.staged ? spl__queue_wait(&plan->problem.queue) : SPL_OK;
}

static spl_status export(spl_plan *plan, void *offsets, void *indices, void *values,
                         const spl_stream *stream)
{
    SPL__TRY(spl__plan_turn(plan, stream));
    spl_status status = export_arrays(plan, offsets, indices, values);
    spl__plan_mark(plan); /* a new execution must not overwrite values before they are copied */
    return status;
}

static spl_status view(spl_plan *plan, spl_sparse *view)
{
    const spl__device_product *device_c = spl__device_product_of(plan);
    SPL__TRY(spl__form_settle(plan));
    view->offset_type = SPL_I64;
    view->offsets = device_c->offsets.data;
    view->indices = device_c->columns.data;
    view->values = device_c->values.data;
    return SPL_OK;
}

static spl_status give_arrays(spl_plan *plan, const spl_sparse *header, spl_matrix **c)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    bool narrows = header->offset_type == SPL_I32;
    spl__device_array *const arrays[] = {narrows ? &device_c->narrow : &device_c->offsets,
                                         &device_c->columns, &device_c->values};
    if (!device_c->narrowed)
        SPL__TRY(spl__device_make_narrow(plan));
    SPL__TRY(spl__form_settle(plan));
    if (narrows && !device_c->narrowed)
        SPL__TRY(narrow(plan, device_c->narrow.data));
    SPL__TRY(spl__device_matrix_around(&plan->account, &plan->problem.queue, header, arrays, c));
    spl_status status = spl__device_matrix_settle(*c, &plan->problem.queue);
    if (status != SPL_OK)
        spl_matrix_destroy(*c);
    return status;
}

/* On failure the plan frees what it has allocated, in stream order. */
static spl_status give(spl_plan *plan, const spl_sparse *header, spl_matrix **c)
{
    spl_status status = give_arrays(plan, header, c);
    spl__plan_mark(plan);
    return status;
}

const spl__operation spl__spgemm_gpu = {SPL__ON_ONE_PROCESSOR,
                                        .meanwhile = spl__device_product_meanwhile,
                                        .plan = spl__device_product_plan,
                                        .forget = spl__device_product_forget,
                                        .destroy = spl__device_product_free,
                                        .execute = execute,
                                        .finish = finish,
                                        .terms = terms,
                                        .state = state,
                                        .export = export,
                                        .view = view,
                                        .give = give};
