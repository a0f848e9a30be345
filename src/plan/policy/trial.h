/* SPDX-License-Identifier: Apache-2.0 */
/* trial.h: executes a step on scratch operands to measure its time. */
#ifndef SPL_PLAN_POLICY_TRIAL_H
#define SPL_PLAN_POLICY_TRIAL_H

#include "plan/plan.h"

/* Scratch operands on the plan's processor, during planning: all their elements are the same
 * positive normal number. */
typedef struct spl__trial {
    spl_plan *plan;
    spl__device_array right, result; /* on the host `data` is from the plan's account */
    bool staged;                     /* they belong to the plan */
    spl_dense b, c;
    double alpha[1], beta[1]; /* memory for one number of any type */
    spl__call call;
} spl__trial;

/* Measured seconds of a method. */
typedef struct spl__timing {
    double prepare, run; /* run: of one execution, the least of several */
} spl__timing;

/* Allocates the operands. The symbolic phase needs none. On failure spl__trial_end cleans up.
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET. */
spl_status spl__trial_begin(spl__trial *trial, spl_plan *plan, spl__phase phase);
void spl__trial_end(spl__trial *trial);

/* Prepares the step's method, executes it several times, and destroys its state. A method whose
 * first execution takes much longer than `best` gets no second one. Statuses of prepare. */
spl_status spl__trial_run(spl__trial *trial, spl__step *step, double best, spl__timing *timing);

/* For tests: called for every method that was tried, before its state is destroyed. `call` is
 * NULL in the symbolic phase. */
typedef struct spl__trial_hook {
    bool hasty; /* one round, one execution each: emulated devices are slow */
    void (*tried)(struct spl__trial_hook *hook, const spl__step *step, const spl__call *call,
                  const spl__timing *timing);
} spl__trial_hook;
bool spl__trial_is_hasty(const spl__trial *trial);

#endif
