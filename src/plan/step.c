/* SPDX-License-Identifier: Apache-2.0 */
/* step.c: prepares the method of a step. */
#include "plan/forced.h"

#include <math.h>

void spl__estimate_team(const spl__task *task, double alone, double together, spl__estimate *e)
{
    const spl__machine *m = task->plan->machine;
    e->alone = alone <= together + m->parallel_gain * m->parallel_start;
    e->seconds = fmin(alone, together);
}

/* What does not fit is not begun: others may. Estimates of sparse products are of what they would
 * like to have; before C is known, the operation knows better what is to come. */
static spl_status expect(spl__step *step)
{
    enum { STATE = 512, ON_DEVICE = 8192 }; /* lists, shapes, and the notes of kernels */
    spl_plan *plan = step->task.plan;
    if (step->task.phase == SPL__PHASE_symbolic || step->task.phase == SPL__PHASE_form)
        return SPL_OK;
    bool device = plan->problem.queue.device;
    double bytes = step->estimate.bytes + STATE;
    spl__plan_expect(plan, device ? ON_DEVICE : bytes, device ? bytes + ON_DEVICE : 0);
    return step->task.phase == SPL__PHASE_compute && !spl__phase_is_forced(plan, step->task.phase)
               ? spl__account_check(device ? &plan->problem.queue.account : &plan->account,
                                    step->estimate.bytes)
               : SPL_OK;
}

void spl__step_free(spl__step *step)
{
    if (step->entry->method->destroy)
        step->entry->method->destroy(step);
    else
        spl__free(step->state);
    step->state = NULL;
}

spl_status spl__step_prepare(spl__step *step)
{
    spl_status status = expect(step);
    step->task.parameters = step->entry->method->parameters;
    if (status == SPL_OK && step->entry->method->prepare)
        status = step->entry->method->prepare(step);
    if (status == SPL_OK && step->task.phase == SPL__PHASE_symbolic)
        status = step->entry->method->execute(step, NULL);
    if (status == SPL_OK && step->entry->method->update)
        step->entry->method->update(step);
    if (status == SPL_OK) /* candidates that are skipped are never executed */
        status = spl__watch_check(spl__account_watch(&step->task.plan->account));
    if (status != SPL_OK)
        spl__step_free(step);
    return status;
}
