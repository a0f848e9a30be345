/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h: how one method is chosen among those that can do a task. */
#ifndef SPL_PLAN_POLICY_H
#define SPL_PLAN_POLICY_H

#include "plan/plan.h"

/* Returns the number of the chosen candidate among `count` (those with why_not are no choice), or
 * -1; writes why. */
typedef int (*spl__policy_fn)(const spl__task *task, const spl__candidate *candidates, int count,
                              spl__text *reason);

spl__policy_fn spl__policy(spl_policy policy);

int spl__policy_cost_choose(const spl__task *task, const spl__candidate *candidates, int count,
                            spl__text *reason);
int spl__policy_measure_choose(const spl__task *task, const spl__candidate *candidates, int count,
                               spl__text *reason);
int spl__policy_rules_choose(const spl__task *task, const spl__candidate *candidates, int count,
                             spl__text *reason);

/* Seconds that the policies compare: of one execution, with its share of the setup. */
double spl__cost(const spl__task *task, const spl__estimate *estimate);
/* The number of the candidate with the least predicted cost among those that can serve and that
 * `skip`, unless NULL, does not mark; -1: none. */
int spl__cheapest(const spl__task *task, const spl__candidate *candidates, int count,
                  const bool *skip);

/* For the policy measure: looks the step's task up in wisdom; if it is not known there, tries the
 * candidates with the least predicted cost, notes their times, and remembers the best. The step's
 * entry and state are spoilt. SPL_CANCELLED, SPL_OUT_OF_MEMORY, SPL_DEVICE_FAILURE, ... */
spl_status spl__measure(spl__step *step, spl__candidate *candidates, int count);

#endif
