/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h: workspaces of threads in predictions, as methods declare them (method.h). */
#ifndef SPL_PLAN_SCRATCH_H
#define SPL_PLAN_SCRATCH_H

#include "plan/plan.h"

/* Adds the workspaces to the bytes of an estimate, and their setup per execution to its seconds. */
void spl__scratch_charge(const spl__task *task, spl__estimate *estimate);
/* Why such a workspace is impossible; NULL: it is possible. */
const char *spl__scratch_refusal(const spl__estimate *estimate);

#endif
