/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h: policies choose one of the applicable methods. */
#ifndef SPL_PLAN_POLICY_POLICY_H
#define SPL_PLAN_POLICY_POLICY_H

#include "plan/plan.h"

/* Returns the index of the chosen candidate of `count` (not one with why_not), or -1; writes the
 * reason, unless NULL: texts take longer than choices. The same candidates are chosen again as long
 * as the features are the same; without rules, also when these have changed. */
typedef int (*spl__policy_fn)(const spl__task *task, const spl__candidate *candidates, int count,
                              spl__text *reason);

spl__policy_fn spl__policy(spl_policy policy);

int spl__policy_cost_choose(const spl__task *task, const spl__candidate *candidates, int count,
                            spl__text *reason);
int spl__policy_measure_choose(const spl__task *task, const spl__candidate *candidates, int count,
                               spl__text *reason);

/* The cost that policies compare: seconds of one execution plus its share of the setup. */
double spl__cost(const spl__task *task, const spl__estimate *estimate);
/* The index of the applicable candidate with the least predicted cost, except those marked in
 * `skip` (NULL: none); -1: none. */
int spl__cheapest(const spl__task *task, const spl__candidate *candidates, int count,
                  const bool *skip);

/* For the policy measure: looks up the step's task in wisdom. If it is unknown, tries the
 * candidates with the least predicted cost, stores their times, and adds the best to wisdom.
 * Overwrites the step's entry and state. SPL_CANCELLED, SPL_OUT_OF_MEMORY, SPL_DEVICE_FAILURE,
 * ... */
spl_status spl__measure(spl__step *step, spl__candidate *candidates, int count);

#endif
