/* SPDX-License-Identifier: Apache-2.0 */
/* ell_steps.h: the common part of the methods ell and rvs on devices: all but the making of the
 * copy and its cost. */
#ifndef SPL_SPMV_GPU_ELL_STEPS_H
#define SPL_SPMV_GPU_ELL_STEPS_H

#include "format/device_ell.h"
#include "plan/plan.h"

/* step->state of both. */
typedef struct spl__ell_state {
    const spl__kernel *kernel;
    spl__device_ell ell;
} spl__ell_state;

/* Makes the state, with an empty copy. */
spl_status spl__ell_steps_prepare(spl__step *step, spl__ell_state **state);
void spl__ell_steps_update(spl__step *step);
spl_status spl__ell_steps_execute(spl__step *step, const spl__call *call);
void spl__ell_steps_explain(const spl__step *step, spl__text *text);
void spl__ell_steps_destroy(spl__step *step);

#endif
