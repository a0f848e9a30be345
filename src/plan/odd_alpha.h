/* SPDX-License-Identifier: Apache-2.0 */
/* odd_alpha.h: SpMV and SpMM where alpha is Inf or NaN: rows without entries are beta times what
 * they were, all others Inf or NaN. Methods form alpha times a sum that is 0 for rows without
 * entries, and need not tell them apart: on the CPU the executable specification computes such
 * products in their place, by all threads; on devices kernels take alpha times 0 for nothing
 * (device/scale_sum.h), and what that leaves finite in rows with entries is mended afterwards,
 * unless alpha is on the device and nobody knows. Methods by columns do it themselves. */
#ifndef SPL_PLAN_ODD_ALPHA_H
#define SPL_PLAN_ODD_ALPHA_H

#include "plan/plan.h"

/* Whether alpha is known to be Inf or NaN. */
bool spl__alpha_is_odd(const spl_plan *plan, const spl__call *call);
/* Whether such a call is computed here, and not by the plan's method; C = alpha*A*B + beta*C, on
 * the host. */
bool spl__odd_alpha_on_host(const spl_plan *plan);
void spl__odd_alpha_compute(const spl_plan *plan, const spl__call *call);
/* On a device, after the method: elements of rows with entries that are finite become NaN. */
spl_status spl__odd_alpha_mend(spl_plan *plan, const spl__call *call);

#endif
