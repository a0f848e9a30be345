/* SPDX-License-Identifier: Apache-2.0 */
/* forced.h: methods that the caller asks for: options.method is "id,id,...". */
#ifndef SPL_PLAN_FORCED_H
#define SPL_PLAN_FORCED_H

#include "plan/plan.h"

/* What the plan's methods must run on. */
spl__processor spl__processor_of(const spl_plan *plan);
/* SPL_UNSUPPORTED: operations need not have methods for every kind of processor. */
spl_status spl__served_check(const spl_plan *plan);
/* SPL_INVALID_ARGUMENT: options.method names what is no method of this operation
 * on this processor. */
spl_status spl__forced_check(const spl_plan *plan);

/* Whether the list of ids, which may be NULL, has this one. */
bool spl__method_listed(const char *ids, const char *id);
/* Does options.method name any method of this phase? Then only those are candidates. */
bool spl__phase_is_forced(const spl_plan *plan, spl__phase phase);
/* Does options.method name a method that works by columns? */
bool spl__columns_are_forced(const spl_plan *plan);

#endif
