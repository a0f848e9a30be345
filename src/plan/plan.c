/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: enters and leaves plans, and asks for what they have. */
#include "plan/plan.h"

#include <math.h>

void spl__plan_expect(spl_plan *plan, double host, double device)
{
    spl__account *accounts[2] = {&plan->account, &plan->problem.queue.account};
    double held[2] = {0}, most;
    int count = plan->problem.queue.device ? 2 : 1;
    for (int k = 0; k < count; k++)
        held[k] = (double)atomic_load(&accounts[k]->held);
    most = fmax(held[0] + host, count > 1 ? held[1] + device : 0);
    for (int k = 0; k < count; k++)
        spl__account_expect(accounts[k], most - held[k]);
}

bool spl__plan_has_budget(const spl_plan *plan)
{
    const spl__account *account = &plan->account;
    return account->budget != SIZE_MAX || account->parent->budget != SIZE_MAX;
}

static spl_status compare_inputs(spl__problem *p)
{
    SPL__TRY(spl__operand_compare(&p->queue, &p->a));
    if (p->traits->sparse)
        SPL__TRY(spl__operand_compare(&p->queue, &p->b));
    return p->has_d ? spl__operand_compare(&p->queue, &p->d) : SPL_OK;
}

spl_status spl__plan_turn(spl_plan *plan, const spl_stream *stream)
{
    spl__queue *queue = &plan->problem.queue;
    if (!queue->device || plan->problem.staged || plan->stays)
        return SPL_OK;
    if (stream && stream->kind != queue->device->place.kind)
        return spl__fail(SPL_INVALID_ARGUMENT,
                         "the stream is of kind %d, the plan's device of kind %d", stream->kind,
                         queue->device->place.kind);
    return spl__queue_turn(queue, stream ? stream->handle : NULL,
                           plan->ordered ? plan->event : NULL);
}

spl_status spl__plan_enter(spl_plan *plan, const spl_stream *stream)
{
    if (atomic_flag_test_and_set_explicit(&plan->busy, memory_order_acquire))
        return spl__fail(SPL_BUSY, "an execute of this plan is in flight in another thread");
    spl_status status = spl__plan_turn(plan, stream);
    if (status == SPL_OK && plan->problem.options.check_inputs)
        status = compare_inputs(&plan->problem);
    if (status != SPL_OK)
        spl__plan_leave(plan);
    return status;
}

void spl__plan_mark(spl_plan *plan)
{
    if (plan->event && plan->ordered)
        spl__queue_mark(&plan->problem.queue, plan->event);
}

void spl__plan_leave(spl_plan *plan)
{
    spl__plan_mark(plan);
    atomic_flag_clear_explicit(&plan->busy, memory_order_release);
}

spl_status spl__plan_wait(spl_plan *plan)
{
    return spl__queue_settle(&plan->problem.queue);
}

void spl__plan_count(const spl_plan *plan, spl_counters *counters)
{
    spl__queue_count(&plan->problem.queue, counters);
}

const spl_plan *spl__plan_itself(const spl_plan *plan, int32_t k)
{
    return k == 0 ? plan : NULL;
}

spl__device_scalars spl__plan_scalars(const spl_plan *plan, const spl__call *call)
{
    if (!call->scalars_on_device)
        return spl__device_scalars_of(plan->problem.a.csr.type, call->alpha, call->beta);
    return (spl__device_scalars){.alpha = {.value = 1, .address = call->alpha},
                                 .beta = {.value = 0, .address = call->beta}};
}

spl__row_set spl__all_rows(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    return (spl__row_set){.count = plan->problem.rows,
                          .words = "all",
                          .products = f->products,
                          .longest_products = f->longest_products,
                          .nnz_a = f->nnz_a,
                          .nnz_c = f->nnz_c};
}

void spl__plan_forget(spl_plan *plan, int steps)
{
    while (plan->step_count > steps) {
        spl__step *step = &plan->steps[--plan->step_count];
        spl__step_free(step);
        spl__free(step->task.rows.list);
        while (plan->candidate_count > 0 &&
               plan->candidates[plan->candidate_count - 1].step >= plan->step_count)
            plan->candidate_count--;
    }
}
