/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/cpu/reference: C = alpha*A*B + beta*C by the executable specification (ref/ref.h):
 * element by element on one thread, sums in f64. The fallback for every other method; too slow for
 * use.
 *
 * Cost: 2*nnz*K FLOP, nothing parallel. Memory: none.
 * Source: the definition. */
#include "plan/plan.h"
#include "ref/ref.h"

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    e->seconds = f->nnz_a * f->cols * task->plan->machine->reference_term;
    e->bytes = 0;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl_sparse *a = &step->task.plan->problem.a.csr;
    double alpha = spl__scalar(call->alpha, a->type, 1), beta = spl__scalar(call->beta, a->type, 0);
    spl__ref_element e[SPL__REF_COLUMNS];
    for (int64_t i = 0; i < call->c->rows && spl__watch_goes_on(call->watch); i++)
        for (int64_t first = 0; first < call->c->cols; first += SPL__REF_COLUMNS) {
            int64_t count = spl__ref_spmm(alpha, a, call->b, beta, call->c, i, first, e);
            for (int64_t j = 0; j < count; j++)
                spl__dense_set(call->c, i, first + j, spl__ref_value(&e[j]));
        }
    return SPL_OK;
}

const spl__method spl__spmm_compute_cpu_reference = {
    .summary = "executable specification, one thread",
    .source = "definition",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__REFERENCE | SPL__HALVES,
    .estimate = estimate,
    .execute = execute,
};
