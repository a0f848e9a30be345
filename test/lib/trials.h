/* SPDX-License-Identifier: Apache-2.0 */
/* trials.h: watches the policy measure: counts what it tries, and checks each result against the
 * reference. */
#ifndef SPARLOOM_TEST_TRIALS_H
#define SPARLOOM_TEST_TRIALS_H

#include "plan/policy/trial.h"

typedef struct test_trials {
    spl__trial_hook hook;
    long long tried, checked;
} test_trials;

/* The context tells `trials` of everything that it tries from now on. */
void trials_watch(test_trials *trials, spl_context *context);

#endif
