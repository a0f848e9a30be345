/* SPDX-License-Identifier: Apache-2.0 */
/* odd_alpha.h: SpMV and SpMM with alpha Inf or NaN: rows without entries become beta times their
 * old values, all others Inf or NaN. Methods form alpha times a sum that is 0 in rows without
 * entries and need not distinguish them. On the CPU the executable specification replaces the
 * method, on all threads. On devices kernels treat alpha times 0 as 0 (device/scale_sum.h), and
 * elements of rows with entries that stay finite are corrected afterwards, unless alpha is on
 * the device, where its value is unknown. Methods by columns handle this themselves. */
#ifndef SPL_PLAN_ODD_ALPHA_H
#define SPL_PLAN_ODD_ALPHA_H

#include "plan/plan.h"

#include <math.h>

/* Whether alpha is known to be Inf or NaN. */
static inline bool spl__alpha_is_odd(const spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    return !call->scalars_on_device && !isfinite(spl__scalar(call->alpha, p->a.csr.type, 1));
}
/* Whether such a call is computed here instead of by the plan's method. C = alpha*A*B + beta*C,
 * on the host. */
bool spl__odd_alpha_on_host(const spl_plan *plan);
void spl__odd_alpha_compute(const spl_plan *plan, const spl__call *call);
/* On a device, after the method: finite elements of rows with entries become NaN. */
spl_status spl__odd_alpha_mend(spl_plan *plan, const spl__call *call);

#endif
