/* SPDX-License-Identifier: Apache-2.0 */
/* tune.h: fits the cost model to the machine at hand: the ratio of measured to predicted time of
 * each method.
 *
 * A method's factor is the weighted geometric mean of measured/predicted seconds over a set of
 * matrices, in which a case counts (best/own time)^2: predictions of a method should be good
 * where it may be chosen. This is a least-squares fit of the logarithms. */
#ifndef TOOL_TUNE_H
#define TOOL_TUNE_H

#include "regret.h"

enum { TUNE_METHODS = 128, TUNE_LEAST_CASES = 3 };

/* The matrices it is fitted to; none of them is in gen_unseen. Ends with NULL. */
extern const char *const tune_matrices[];

typedef struct tune_method {
    const char *id; /* the library's */
    int cases;
    double weights, sum; /* of weights; of weights times logarithms */
} tune_method;

typedef struct tune_fit {
    int count; /* all zero at first */
    tune_method methods[TUNE_METHODS];
} tune_fit;

/* Adds the forced methods, one at a time, and the symbolic ones that the policy measure timed. */
void tune_add(tune_fit *fit, const regret_case *item);
/* NaN: too few cases. */
double tune_factor(const tune_method *method);

#endif
