/* SPDX-License-Identifier: Apache-2.0 */
/* features_values.c: in how few bytes the values of A can be read. */
#include "core/types.h"
#include "plan/plan.h"
#include "plan/policy.h"

/* The most that executions can gain: values that are not read from the cache, the fastest place where they may be. */
static bool pays(const spl_plan *plan)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    double units = plan->problem.queue.device->properties.units;
    double bytes = plan->features.nnz_a * (double)spl__type_size(plan->problem.a.csr.type);
    return spl__executions(plan) * bytes / (m->cache_bandwidth * units) > m->values_look;
}

spl_status spl__features_of_values(spl_plan *plan)
{
    spl__problem *p = &plan->problem;
    spl__operand *a = &p->a;
    if (!p->queue.device || spl__problem_is_single(p) || spl__queue_has_budget(&p->queue) || !pays(plan))
        return SPL_OK; /* under a budget what fits must not depend on values */
    SPL__TRY(spl__device_values_survey(&p->queue, &a->csr, &a->value_form));
    plan->features.value_bytes = spl__value_form_bytes(&a->value_form, a->csr.type);
    return SPL_OK;
}
