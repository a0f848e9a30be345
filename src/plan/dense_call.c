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

/* The winners of a call as a dense matrix; without an array: nobody asks for them. */
static spl_dense winners_of(const spl__call *call, const spl_dense *c)
{
    return (spl_dense){.size = sizeof(spl_dense),
                       .type = SPL_INT64,
                       .order = SPL_ROW_MAJOR,
                       .rows = c->rows,
                       .cols = c->cols,
                       .ld = call->winners_ld,
                       .values = call->winners};
}

/* Those of rows that a mask leaves out stay. */
static spl_status stage_winners(spl_plan *plan, spl__call *call, const spl_dense *host,
                                const spl_dense *device_winners)
{
    if (!host->values)
        return SPL_OK;
    call->winners = device_winners->values;
    call->winners_ld = device_winners->ld;
    return call->rows ? spl__stage_in(&plan->staging, &plan->problem.queue, host, device_winners)
                      : SPL_OK;
}

static spl_status run_staged(spl_plan *plan, spl__call *call)
{
    spl__queue *queue = &plan->problem.queue;
    spl__staging *s = &plan->staging;
    const spl_dense *b = call->b, *c = call->c;
    spl_dense device_b = spl__stage_header(queue, b, &s->right),
              device_c = spl__stage_header(queue, c, &s->result);
    const spl_dense winners = winners_of(call, c),
                    device_winners = spl__stage_header(queue, &winners, &s->winners);
    spl_row_mask rows;
    SPL__TRY(spl__plan_enter(plan, NULL));
    spl__call_dense(call, &device_b, &device_c);
    spl_status status = stage_in(plan, call, b, c);
    if (status == SPL_OK)
        status = stage_winners(plan, call, &winners, &device_winners);
    if (status == SPL_OK && call->rows) {
        status = spl__stage_rows(s, queue, call->rows, plan->problem.rows, &rows);
        call->rows = &rows;
    }
    if (status == SPL_OK)
        status = spl__plan_execute_entered(plan, SPL__PHASE_compute, call);
    if (status == SPL_OK)
        status = spl__stage_out(s, queue, &device_c, c);
    if (status == SPL_OK && winners.values)
        status = spl__stage_out(s, queue, &device_winners, &winners);
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
