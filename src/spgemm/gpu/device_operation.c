/* SPDX-License-Identifier: Apache-2.0 */
/* device_operation.c: SpGEMM on a device, as a table of its functions. */
#include "spgemm/gpu/device_product.h"

static spl_status plan_product(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, (spl__product **)&plan->state, 1));
    return spl__device_product_plan(plan);
}

static void destroy(spl_plan *plan)
{
    if (plan->state)
        spl__device_product_free(plan);
    spl__free(plan->state);
    plan->state = NULL;
}

/* ---- executions ---- */

/* The array of values if the plan keeps them for callers; staging always has one. */
static void *kept_values(const spl_plan *plan)
{
    return plan->problem.options.keep_result ? spl__product_of(plan)->device_c->values.data : NULL;
}

/* Values for an array on the host pass through an array of the plan. */
static spl_status execute_staged(spl_plan *plan, spl__call *call)
{
    const spl__device_array *device_array = &spl__product_of(plan)->device_c->values;
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
    spl__product *c = spl__product_of(plan);
    c->computed = c->computed || call->values == kept_values(plan);
}

/* ---- C for callers ---- */

static spl__product_terms terms(const spl_plan *plan)
{
    return (spl__product_terms){spl__product_of(plan)->capacity, false, kept_values(plan) != NULL};
}

static spl__product_state state(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    return (spl__product_state){.nnz = c->capacity,
                                .known = true,
                                .keeps = kept_values(plan) != NULL,
                                .computed = c->computed,
                                .offset_type = spl__result_offset_type(plan)};
}

static spl_status export(spl_plan *plan, void *offsets, void *indices, void *values,
                         const spl_stream *stream)
{
    SPL__TRY(spl__plan_turn(plan, stream));
    spl_status status = spl__device_product_export(plan, offsets, indices, values);
    spl__plan_mark(plan); /* a new execution must not overwrite values before they are copied */
    return status;
}

const spl__operation spl__spgemm_gpu = {SPL__ON_ONE_PROCESSOR,
                                        .plan = plan_product,
                                        .forget = spl__device_product_forget,
                                        .destroy = destroy,
                                        .execute = execute,
                                        .finish = finish,
                                        .terms = terms,
                                        .state = state,
                                        .export = export,
                                        .give = spl__device_product_give};
