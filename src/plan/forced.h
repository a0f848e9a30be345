/* SPDX-License-Identifier: Apache-2.0 */
/* forced.h: methods forced by the caller: options.method is "id,id,...". */
#ifndef SPL_PLAN_FORCED_H
#define SPL_PLAN_FORCED_H

#include "plan/plan.h"

/* The kind of processor of the plan. */
spl__processor spl__processor_of(const spl_plan *plan);
/* SPL_UNSUPPORTED: the operation has no methods for this kind of processor. */
spl_status spl__served_check(const spl_plan *plan);
/* SPL_INVALID_ARGUMENT: options.method has an id that is no method of this operation on this
 * processor. */
spl_status spl__forced_check(const spl_plan *plan);

/* Whether the list of ids (NULL: empty) contains `id`. */
bool spl__method_listed(const char *ids, const char *id);
/* Whether options.method has a method of this phase; then only such methods are candidates. */
bool spl__phase_is_forced(const spl_plan *plan, spl__phase phase);
/* Whether options.method has a method for that kind of processor with the attribute. */
bool spl__attribute_is_forced(const spl_plan *plan, spl__processor processor, unsigned attribute);

#endif
