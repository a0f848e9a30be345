/* SPDX-License-Identifier: Apache-2.0 */
#include "api/call.h"

#include "partition/spread.h"

#include <string.h>

spl_status spl__check_plan(const spl_plan *plan, spl__kind kind)
{
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    if (plan->problem.kind != kind)
        return spl__fail(SPL_INVALID_ARGUMENT, "this is a plan of %s, not of %s",
                         spl__kind_name(plan->problem.kind), spl__kind_name(kind));
    return SPL_OK;
}

spl_status spl__read_scalars(const spl_plan *plan, const void *alpha, const void *beta,
                             spl__scalars *scalars)
{
    spl_type type = spl__type_of_sums(plan->problem.a.csr.type);
    size_t size = spl__type_size(type);
    SPL__TRY(spl__check_aligned(NULL, "alpha", alpha, 1, size));
    SPL__TRY(spl__check_aligned(NULL, "beta", beta, 1, size));
    spl__value_set(&scalars->storage[0], type, 0, 1);
    spl__value_set(&scalars->storage[1], type, 0, 0);
    if (plan->problem.options.scalar_place.kind != SPL_HOST) {
        scalars->call = (spl__call){.alpha = alpha, .beta = beta};
        return SPL_OK;
    }
    if (alpha)
        memcpy(&scalars->storage[0], alpha, size);
    if (beta)
        memcpy(&scalars->storage[1], beta, size);
    scalars->call = (spl__call){.alpha = &scalars->storage[0], .beta = &scalars->storage[1]};
    return SPL_OK;
}

/* ---- dense operands ---- */

/* Copies the operands that a call needs to the device: B unless alpha is 0, C unless beta is 0;
 * for scalars on the host. */
static spl_status stage_in(spl_plan *plan, const spl__call *call, const spl_dense *b,
                           const spl_dense *c)
{
    spl__queue *queue = &plan->problem.queue;
    spl_type type = plan->problem.a.csr.type;
    spl_status status = SPL_OK;
    if (spl__scalar(call->alpha, type, 1) != 0)
        status = spl__stage_in(&plan->staging, queue, b, call->b);
    if (status == SPL_OK && spl__scalar(call->beta, type, 0) != 0)
        status = spl__stage_in(&plan->staging, queue, c, call->c);
    return status;
}

static spl_status run_staged(spl_plan *plan, spl__call *call, const spl_dense *b,
                             const spl_dense *c)
{
    spl__queue *queue = &plan->problem.queue;
    spl__staging *s = &plan->staging;
    spl_dense device_b = spl__stage_header(queue, b, &s->right),
              device_c = spl__stage_header(queue, c, &s->result);
    SPL__TRY(spl__plan_enter(plan, NULL));
    spl__call_dense(call, &device_b, &device_c);
    spl_status status = stage_in(plan, call, b, c);
    if (status == SPL_OK)
        status = spl__plan_execute_entered(plan, SPL__PHASE_compute, call);
    if (status == SPL_OK)
        status = spl__stage_out(s, queue, &device_c, c);
    spl__plan_leave(plan);
    return status;
}

spl_status spl__run_dense(spl_plan *plan, spl__call *call, const spl_dense *b, const spl_dense *c,
                          const spl_stream *stream)
{
    if (plan->spread)
        return spl__spread_run_dense(plan, call, b, c, stream);
    if (plan->problem.staged)
        return run_staged(plan, call, b, c);
    spl__call_dense(call, b, c);
    return spl__plan_execute(plan, SPL__PHASE_compute, call, stream);
}

bool spl__may_be_held(const spl_plan *plan, const void *operand)
{
    return !operand && plan->spread && plan->problem.options.distributed;
}

spl_status spl__check_output(const spl_plan *plan, spl__lines output, const char *name)
{
    const spl__problem *p = &plan->problem;
    SPL__TRY(spl__check_apart_from(output, name, &p->a.source, "A"));
    SPL__TRY(spl__check_apart_from(output, name, &p->b.source, "B"));
    return spl__check_apart_from(output, name, &p->d.source, "D");
}
