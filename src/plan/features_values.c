/* SPDX-License-Identifier: Apache-2.0 */
/* features_values.c: the least bytes per value in which A's values can be stored exactly. */
#include "core/types.h"
#include "format/narrow_values.h"
#include "plan/plan.h"
#include "plan/policy/policy.h"

/* Compares with the largest possible gain: no reads of values from the cache. */
static bool pays(const spl_plan *plan)
{
    const spl__gpu_machine *m = plan->gpu_machine;
    double units = plan->problem.queue.device->properties.units;
    double bytes = plan->features.nnz_a * (double)spl__type_size(plan->problem.a.csr.type);
    return spl__executions(plan) * bytes / (m->cache_bandwidth * units) > m->values_look;
}

/* A narrow form needs a copy of A. Compares with the largest possible gain, no reads of values from
 * memory: of f64 11 executions pay for the copy, of f32 22. */
bool spl__values_may_be_narrow(const spl_plan *plan)
{
    const spl__machine *m = plan->machine;
    double value = (double)spl__type_size(plan->problem.a.csr.type);
    double gain = spl__executions(plan) * value / m->bandwidth; /* of an entry */
    return plan->features.nnz_a * value > m->cache_bytes && gain > m->spmv_convert_entry;
}

/* Finds the form that a method will use. The scan ends after a sample, or takes about as long as
 * an execution. */
static void look_on_host(spl_plan *plan)
{
    spl__operand *a = &plan->problem.a;
    if (spl__plan_has_budget(plan) || plan->problem.options.deterministic ||
        !spl__values_may_be_narrow(plan))
        return; /* choices depend only on structure */
    a->value_form = spl__narrow_values_find(&a->csr, true, plan->problem.threads);
    plan->features.value_bytes = spl__narrow_form_bytes(&a->value_form, a->csr.type);
}

spl_status spl__features_of_values(spl_plan *plan)
{
    spl__problem *p = &plan->problem;
    spl__operand *a = &p->a;
    if (spl__problem_has_algebra(p))
        return SPL_OK; /* A may be a pattern, and no method would use what is found */
    if (!p->queue.device)
        look_on_host(plan);
    if (!p->queue.device || spl__problem_is_single(p) || spl__queue_has_budget(&p->queue) ||
        !pays(plan))
        return SPL_OK; /* with a budget the memory must not depend on values */
    SPL__TRY(spl__device_narrow_survey(&p->queue, &a->csr, &a->value_form));
    plan->features.value_bytes = spl__narrow_form_bytes(&a->value_form, a->csr.type);
    return SPL_OK;
}
