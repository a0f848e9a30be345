/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/cpu/reference: y = alpha*A*x + beta*y by the executable specification (ref/ref.h):
 * row by row on one thread, sums in f64. The fallback for every other method; too slow for use.
 *
 * Cost: 2*nnz FLOP, nothing parallel. Memory: none.
 * Source: the definition. */
#include "plan/plan.h"
#include "ref/ref.h"

static void estimate(const spl__task *task, spl__estimate *e)
{
    e->seconds = task->plan->features.nnz_a * task->plan->machine->reference_term;
    e->bytes = 0;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl_sparse *a = &step->task.plan->problem.a.csr;
    double alpha = spl__scalar(call->alpha, a->type, 1), beta = spl__scalar(call->beta, a->type, 0);
    for (int64_t i = 0; i < a->rows && spl__watch_goes_on(call->watch); i++) {
        spl__ref_element e = spl__ref_spmv(alpha, a, call->x, beta, call->y, i);
        spl__value_set(call->y, a->type, i, spl__ref_value(&e));
    }
    return SPL_OK;
}

const spl__method spl__spmv_compute_cpu_reference = {
    .summary = "executable specification, one thread",
    .source = "definition",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__REFERENCE | SPL__HALVES,
    .estimate = estimate,
    .execute = execute,
};
