/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h: how one method is chosen among those that can do a task. */
#ifndef SPL_PLAN_POLICY_H
#define SPL_PLAN_POLICY_H

#include "plan/plan.h"

/* Returns the number of the chosen candidate among `count` (those with why_not are no choice), or -1; writes why. */
typedef int (*spl__policy_fn)(const spl__task *task, const spl__candidate *candidates, int count, spl__text *reason);

spl__policy_fn spl__policy(spl_policy policy);

int spl__policy_cost_choose(const spl__task *task, const spl__candidate *candidates, int count, spl__text *reason);
int spl__policy_rules_choose(const spl__task *task, const spl__candidate *candidates, int count, spl__text *reason);

#endif
