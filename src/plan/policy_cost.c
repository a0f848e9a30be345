/* SPDX-License-Identifier: Apache-2.0 */
/* policy_cost.c: the default policy: least predicted time. Each method predicts its own time from features and the machine table. */
#include "plan/policy.h"

/* Seconds of one execution, with its share of the setup. */
static double cost(const spl__task *task, const spl__candidate *c)
{
    double executions = task->plan->problem.once ? 1 : task->plan->machine->plan_executions;
    return c->estimate.seconds + c->estimate.setup / executions;
}

static int cheapest(const spl__task *task, const spl__candidate *c, int count, int except)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!c[i].why_not && i != except && (best < 0 || cost(task, &c[i]) < cost(task, &c[best])))
            best = i;
    return best;
}

int spl__policy_cost_choose(const spl__task *task, const spl__candidate *c, int count, spl__text *reason)
{
    int best = cheapest(task, c, count, -1);
    if (best < 0)
        return -1;
    int second = cheapest(task, c, count, best);
    spl__text_add(reason, "least predicted time: ");
    spl__text_seconds(reason, c[best].estimate.seconds);
    if (c[best].estimate.setup > 0) {
        spl__text_add(reason, " after a setup of ");
        spl__text_seconds(reason, c[best].estimate.setup);
    }
    if (second >= 0) {
        spl__text_add(reason, "; next %s with ", c[second].entry->id);
        spl__text_seconds(reason, c[second].estimate.seconds);
        spl__text_add(reason, ": chosen if %s cost more than %.3g times its prediction", c[best].entry->id,
                      cost(task, &c[second]) / cost(task, &c[best]));
    } else {
        spl__text_add(reason, "; no other method could serve");
    }
    return best;
}
