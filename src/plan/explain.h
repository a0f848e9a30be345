/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h: describes a plan as text. */
#ifndef SPL_PLAN_EXPLAIN_H
#define SPL_PLAN_EXPLAIN_H

#include "plan/plan.h"

void spl__plan_explain(const spl_plan *plan, spl__text *text);

#endif
