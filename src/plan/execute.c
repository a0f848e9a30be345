/* SPDX-License-Identifier: Apache-2.0 */
/* execute.c: executes the steps of a plan, and tells them of new values. */
#include "core/environment.h"
#include "plan/odd_alpha.h"

static spl_status run_steps(spl_plan *plan, spl__phase phase, const spl__call *call)
{
    if ((call->rows || call->winners) && !plan->problem.by_columns) {
        SPL__TRY(plan->operation->execute_rows(plan, call));
        return spl__watch_check(call->watch);
    }
    const bool odd = phase == SPL__PHASE_compute && spl__alpha_is_odd(plan, call);
    if (odd && spl__odd_alpha_on_host(plan)) {
        spl__odd_alpha_compute(plan, call);
        return spl__watch_check(call->watch);
    }
    for (int i = 0; i < plan->step_count; i++) {
        if (plan->steps[i].task.phase != phase)
            continue;
        SPL__TRY(spl__step_execute(&plan->steps[i], call));
        SPL__TRY(spl__watch_check(call->watch));
    }
    return odd && plan->problem.queue.device ? spl__odd_alpha_mend(plan, call) : SPL_OK;
}

static spl_status run_watched(spl_plan *plan, spl__phase phase, const spl__call *call)
{
    const char *stage =
        phase == SPL__PHASE_compute ? plan->problem.traits->name : spl__phase_name(phase);
    spl__watch watch;
    spl__call watched = *call;
    plan->account.watch = watched.watch = spl__watch_begin(&watch, plan->problem.context, stage, 0);
    spl_status status = spl__watch_check(watched.watch);
    if (status == SPL_OK)
        status = run_steps(plan, phase, &watched);
    plan->account.watch = NULL;
    return status;
}

/* Executes all steps of a phase in order. Devices only start to work here, possibly on behalf of a
 * library thread. */
static spl_status run(spl_plan *plan, spl__phase phase, const spl__call *call)
{
    bool told = plan->problem.context->progress && !plan->problem.queue.device;
    return (told ? run_watched : run_steps)(plan, phase, call);
}

static void update_steps(spl_plan *plan)
{
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].entry->method->update)
            plan->steps[i].entry->method->update(&plan->steps[i]);
}

spl_status spl__plan_update(spl_plan *plan, const spl_sparse *const operands[3])
{
    spl__problem *p = &plan->problem;
    spl__operand *const all[] = {&p->a, &p->b, &p->d};
    const bool check = p->options.check_inputs;
    spl__watch *watch = spl__account_watch(&plan->account);
    spl__fingerprints fingerprints[3];
    for (int k = 0; k < 3; k++)
        if (operands[k])
            SPL__TRY(spl__operand_accept(&p->queue, all[k], operands[k],
                                         check ? &fingerprints[k] : NULL));
    for (int k = 0; k < 3; k++) {
        if (!operands[k])
            continue;
        SPL__TRY(spl__operand_update(watch, &p->queue, all[k], operands[k]));
        if (check)
            all[k]->fingerprints = fingerprints[k];
    }
    update_steps(plan);
    return SPL_OK;
}

spl_status spl__plan_execute_entered(spl_plan *plan, spl__phase phase, const spl__call *call)
{
    SPL__TRY(run(plan, phase, call));
    spl__environment_check_refusals(plan->problem.context);
    if (plan->operation->finish)
        plan->operation->finish(plan, call);
    /* the plan is claimed: nobody else counts, though others may read */
    const long long before = atomic_load_explicit(&plan->executions, memory_order_relaxed);
    atomic_store_explicit(&plan->executions, before + 1, memory_order_relaxed);
    return SPL_OK;
}

spl_status spl__plan_execute(spl_plan *plan, spl__phase phase, const spl__call *call,
                             const spl_stream *stream)
{
    SPL__TRY(spl__plan_enter(plan, stream));
    spl_status status = spl__plan_execute_entered(plan, phase, call);
    spl__plan_leave(plan);
    return status;
}
