// SPDX-License-Identifier: Apache-2.0
// kept_plans.h: plans of SpMV that outlive a call, for programs that multiply by one matrix many
// times. There are two kinds.
//
// Shared rows: only methods that read the caller's arrays anew in each execution. What such a plan
// keeps is how rows are shared among threads. It is right for any matrix of that shape at those
// addresses, whatever was written there since, also by another matrix that got the same memory.
// Therefore a plan is found by addresses, and nobody needs to tell when arrays change or go.
//
// Frozen: any method, with copies of the matrix in forms of the library. For callers who promise
// not to change arrays in place. Such a plan goes when one of the arrays does.
#ifndef SPARLOOM_PYTHON_KEPT_PLANS_H
#define SPARLOOM_PYTHON_KEPT_PLANS_H

#include "context.h"

namespace sparloom
{

constexpr int64_t LONG_ROW = 8; // entries of a row from which on several lanes pay
// A plan costs as much as some products. What was multiplied so often will go on, as a rule.
constexpr int64_t FEW_USES = 8;

struct kept_plan {
    spl_sparse matrix;
    spl_plan *plan;
    context_pointer context; // of the plan
    bool busy, frozen;
    bool forgotten;     // meanwhile: goes when it is not busy any more
    uint64_t used;      // when: the least recent one gives way
    int64_t uses;       // so far
    PyObject *watch[3]; // weak references to the arrays of a frozen plan
};

// The plan for these arrays, or a place for one (plan is NULL), marks it busy and counts the use.
// NULL if all are busy.
// This and release_plan() are called with the GIL held.
kept_plan *acquire_plan(const context_pointer &context, const spl_sparse &matrix);
void release_plan(kept_plan *kept);
// Makes the plan if there is none. Needs no GIL.
spl_status make_plan(kept_plan *kept);
// Turns an acquired plan into a frozen one from the FEW_USESth use on. Its matrix consists of these
// arrays.
void freeze_plan(kept_plan *kept, nanobind::handle first, nanobind::handle second,
                 nanobind::handle values);
// Destroys those that are not being executed; the others are not found any more.
void forget_plans();

// Releases a plan, which may be NULL, when it goes out of scope.
class acquired_plan
{
  public:
    explicit acquired_plan(kept_plan *plan) : plan(plan)
    {
    }
    acquired_plan(const acquired_plan &) = delete;
    acquired_plan &operator=(const acquired_plan &) = delete;
    ~acquired_plan()
    {
        if (plan)
            release_plan(plan);
    }

    kept_plan *const plan;
};

} // namespace sparloom
#endif
