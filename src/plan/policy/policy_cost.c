/* SPDX-License-Identifier: Apache-2.0 */
/* policy_cost.c: the default policy: the least predicted time. Each method predicts its time
 * from features and the machine table. */
#include "plan/policy/policy.h"

double spl__executions(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    if (spl__problem_is_single(p))
        return 1;
    return p->options.executions > 0 ? p->options.executions : plan->machine->plan_executions;
}

double spl__amortised(const spl_plan *plan, const spl__estimate *e)
{
    return e->seconds +
           (e->setup + plan->problem.options.updates * e->update) / spl__executions(plan);
}

double spl__cost(const spl__task *task, const spl__estimate *e)
{
    return spl__amortised(task->plan, e);
}

int spl__cheapest(const spl__task *task, const spl__candidate *c, int count, const bool *skip)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!c[i].why_not && !(skip && skip[i]) &&
            (best < 0 || spl__cost(task, &c[i].estimate) < spl__cost(task, &c[best].estimate)))
            best = i;
    return best;
}

/* What would change the choice. */
static void explain_choice(const spl__task *task, const spl__candidate *c, int count, int best,
                           spl__text *reason)
{
    bool skip[SPL__MAX_CANDIDATES] = {false};
    skip[best] = true;
    int second = spl__cheapest(task, c, count, skip);
    spl__text_add(reason, "least predicted time: ");
    spl__text_seconds(reason, c[best].estimate.seconds);
    if (c[best].estimate.setup > 0) {
        spl__text_add(reason, " after a setup of ");
        spl__text_seconds(reason, c[best].estimate.setup);
    }
    if (task->plan->problem.options.updates > 0 && c[best].estimate.update > 0) {
        spl__text_add(reason, " and for new values ");
        spl__text_seconds(reason, c[best].estimate.update);
    }
    if (second >= 0) {
        spl__text_add(reason, "; next %s with ", c[second].entry->id);
        spl__text_seconds(reason, c[second].estimate.seconds);
        spl__text_add(reason, ": chosen if %s cost more than %.3g times its prediction",
                      c[best].entry->id,
                      spl__cost(task, &c[second].estimate) / spl__cost(task, &c[best].estimate));
    } else {
        spl__text_add(reason, "; no other method could serve");
    }
}

int spl__policy_cost_choose(const spl__task *task, const spl__candidate *c, int count,
                            spl__text *reason)
{
    int best = spl__cheapest(task, c, count, NULL);
    if (best >= 0 && reason)
        explain_choice(task, c, count, best, reason);
    return best;
}
