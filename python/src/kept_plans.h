// SPDX-License-Identifier: Apache-2.0
// kept_plans.h: plans of SpMV that outlive a call, for programs that multiply by one matrix many
// times.
//
// Only methods that read the caller's arrays anew in each execution are used. What such a plan
// keeps is how rows are shared among threads. It is right for any matrix of that shape at those
// addresses, whatever was written there since, also by another matrix that got the same memory.
// Therefore a plan is found by addresses, and nobody needs to tell when arrays change or go.
#ifndef SPARLOOM_PYTHON_KEPT_PLANS_H
#define SPARLOOM_PYTHON_KEPT_PLANS_H

#include <sparloom/sparloom.h>

namespace sparloom
{

struct kept_plan {
    spl_sparse matrix;
    spl_plan *plan;
    bool busy;
    uint64_t used; // when: the least recent one gives way
};

// The plan for these arrays, or a place for one (plan is NULL), and marks it busy. NULL if all are.
// This and release_plan() are called with the GIL held.
kept_plan *acquire_plan(const spl_sparse &matrix);
void release_plan(kept_plan *kept);
// Makes the plan if there is none. Needs no GIL.
spl_status make_plan(spl_context *context, kept_plan *kept);
// Destroys those that are not being executed.
void forget_plans();

} // namespace sparloom
#endif
