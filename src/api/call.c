/* SPDX-License-Identifier: Apache-2.0 */
#include "api/call.h"

#include <string.h>

spl_status spl__check_plan(const spl_plan *plan, spl__kind kind)
{
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    if (plan->problem.kind != kind)
        return spl__fail(SPL_INVALID_ARGUMENT, "this is a plan of %s, not of %s", spl__kind_name(plan->problem.kind),
                         spl__kind_name(kind));
    return SPL_OK;
}

void spl__read_scalars(const spl_plan *plan, const void *alpha, const void *beta, spl__scalars *scalars)
{
    spl_type type = plan->problem.a.csr.type;
    size_t size = spl__type_size(type);
    spl__value_set(&scalars->storage[0], type, 0, 1);
    spl__value_set(&scalars->storage[1], type, 0, 0);
    if (alpha)
        memcpy(&scalars->storage[0], alpha, size);
    if (beta)
        memcpy(&scalars->storage[1], beta, size);
    scalars->call = (spl__call){.alpha = &scalars->storage[0], .beta = &scalars->storage[1]};
}

spl_status spl__run(spl_plan *plan, spl__phase phase, const spl__call *call)
{
    SPL__TRY(spl__plan_enter(plan));
    spl_status status = spl__plan_run(plan, phase, call);
    if (status == SPL_OK) {
        plan->operation->finish(plan, call);
        atomic_fetch_add(&plan->executions, 1);
    }
    spl__plan_leave(plan);
    return status;
}

spl_status spl__check_apart(const void *a, size_t a_bytes, const char *a_name, const void *b, size_t b_bytes,
                            const char *b_name)
{
    uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    if (a_bytes > 0 && b_bytes > 0 && first < second + b_bytes && second < first + a_bytes)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s and %s overlap", a_name, b_name);
    return SPL_OK;
}
