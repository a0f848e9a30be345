/* SPDX-License-Identifier: Apache-2.0 */
/* dense_call.c: executions with dense operands, through the plan's staging arrays if it has them.
 */
#include "plan/plan.h"

void spl__call_dense(spl__call *call, const spl_dense *b, const spl_dense *c)
{
    call->b = b;
    call->c = c;
    call->x = b->values;
    call->y = c->values;
}

/* Whether C is read: a mask may leave rows as they are. */
static bool reads_result(const spl_plan *plan, const spl__call *call)
{
    return spl__scalar(call->beta, plan->problem.a.csr.type, 0) != 0 ||
           (call->rows && !call->rows->clear);
}

/* Copies the operands that a call needs to the device: B unless alpha is 0, C if it is read; for
 * scalars on the host. */
static spl_status stage_in(spl_plan *plan, const spl__call *call, const spl_dense *b,
                           const spl_dense *c)
{
    spl__queue *queue = &plan->problem.queue;
    spl_type type = plan->problem.a.csr.type;
    spl_status status = SPL_OK;
    if (spl__scalar(call->alpha, type, 1) != 0)
        status = spl__stage_in(&plan->staging, queue, b, call->b);
    if (status == SPL_OK && reads_result(plan, call))
        status = spl__stage_in(&plan->staging, queue, c, call->c);
    return status;
}

static spl_status run_staged(spl_plan *plan, spl__call *call)
{
    spl__queue *queue = &plan->problem.queue;
    spl__staging *s = &plan->staging;
    const spl_dense *b = call->b, *c = call->c;
    spl_dense device_b = spl__stage_header(queue, b, &s->right),
              device_c = spl__stage_header(queue, c, &s->result);
    spl_row_mask rows;
    SPL__TRY(spl__plan_enter(plan, NULL));
    spl__call_dense(call, &device_b, &device_c);
    spl_status status = stage_in(plan, call, b, c);
    if (status == SPL_OK && call->rows) {
        status = spl__stage_rows(s, queue, call->rows, plan->problem.rows, &rows);
        call->rows = &rows;
    }
    if (status == SPL_OK)
        status = spl__plan_execute_entered(plan, SPL__PHASE_compute, call);
    if (status == SPL_OK)
        status = spl__stage_out(s, queue, &device_c, c);
    spl__plan_leave(plan);
    return status;
}

spl_status spl__dense_execute(spl_plan *plan, spl__call *call, const spl_stream *stream)
{
    if (plan->problem.staged)
        return run_staged(plan, call);
    spl__call_dense(call, call->b, call->c);
    return spl__plan_execute(plan, SPL__PHASE_compute, call, stream);
}
