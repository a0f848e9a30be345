/* SPDX-License-Identifier: Apache-2.0 */
#include "api/call.h"

#include "api/registry.h"

#include <string.h>

spl_status spl__check_plan(const spl_plan *plan, spl__kind kind)
{
    if (!plan)
        return spl__fail(SPL_INVALID_ARGUMENT, "plan is NULL");
    if (plan->problem.kind != kind)
        return spl__fail(SPL_INVALID_ARGUMENT, "this is a plan of %s, not of %s",
                         plan->problem.traits->name, spl__registry.traits[kind]->name);
    return SPL_OK;
}

spl_status spl__read_scalars(const spl_plan *plan, const void *alpha, const void *beta,
                             spl__scalars *scalars)
{
    spl_type type = spl__type_of_sums(plan->problem.a.csr.type);
    size_t size = spl__type_size(type);
    SPL__TRY(spl__check_aligned(NULL, "alpha", alpha, 1, size));
    SPL__TRY(spl__check_aligned(NULL, "beta", beta, 1, size));
    spl__value_set(&scalars->storage[0], type, 0, 1);
    spl__value_set(&scalars->storage[1], type, 0, 0);
    if (plan->problem.options.scalar_place.kind != SPL_HOST) {
        scalars->call = (spl__call){.alpha = alpha, .beta = beta, .scalars_on_device = true};
        return SPL_OK;
    }
    if (alpha)
        memcpy(&scalars->storage[0], alpha, size);
    if (beta)
        memcpy(&scalars->storage[1], beta, size);
    scalars->call = (spl__call){.alpha = &scalars->storage[0], .beta = &scalars->storage[1]};
    return SPL_OK;
}

bool spl__may_be_held(const spl_plan *plan, const void *operand)
{
    return !operand && plan->problem.options.distributed;
}

spl_status spl__check_output(const spl_plan *plan, spl__lines output, const char *name)
{
    const spl__problem *p = &plan->problem;
    SPL__TRY(spl__check_apart_from(output, name, &p->a.source, "A"));
    SPL__TRY(spl__check_apart_from(output, name, &p->b.source, "B"));
    return spl__check_apart_from(output, name, &p->d.source, "D");
}
