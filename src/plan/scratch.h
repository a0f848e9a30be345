/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h: workspaces of threads in predictions: method.h says what methods tell of them. */
#ifndef SPL_PLAN_SCRATCH_H
#define SPL_PLAN_SCRATCH_H

#include "plan/plan.h"

/* Adds the workspaces to the bytes of an estimate, and an execution's share of making them ready to
 * its seconds. */
void spl__scratch_charge(const spl__task *task, spl__estimate *estimate);
/* Why nobody can have such a workspace; NULL: the machine can give it. */
const char *spl__scratch_refusal(const spl__estimate *estimate);

#endif
