/* SPDX-License-Identifier: Apache-2.0 */
/* policy_cost.c: the default policy: least predicted time. Each method predicts its own time from features and the machine table. */
#include "plan/policy.h"

static int cheapest(const spl__candidate *c, int count, int except)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!c[i].why_not && i != except && (best < 0 || c[i].estimate.seconds < c[best].estimate.seconds))
            best = i;
    return best;
}

int spl__policy_cost_choose(const spl__task *task, const spl__candidate *c, int count, spl__text *reason)
{
    (void)task;
    int best = cheapest(c, count, -1);
    if (best < 0)
        return -1;
    int second = cheapest(c, count, best);
    spl__text_add(reason, "least predicted time: ");
    spl__text_seconds(reason, c[best].estimate.seconds);
    if (second >= 0) {
        spl__text_add(reason, "; it would be %s if that were %.3g times slower", c[second].entry->id,
                      c[second].estimate.seconds / c[best].estimate.seconds);
    } else {
        spl__text_add(reason, "; no other method is applicable");
    }
    return best;
}
