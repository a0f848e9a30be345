/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/forms/form_kinds.h"

#include "device/device.h"
#include "plan/forced.h"

#include <math.h>

const char spl__known_by_blocks[] = "C's structure is known by blocks";
const char spl__known_by_rows[] = "C's structure is known by groups of rows";

const spl__form_survey *spl__form_survey_of(const spl_plan *plan)
{
    return &spl__device_product_of(plan)->survey;
}

bool spl__form_is_forced(const spl_plan *plan, const spl__form_kind *kind)
{
    const char *forced = plan->problem.options.method;
    return spl__method_listed(forced, kind->id) ||
           spl__attribute_is_forced(plan, SPL__PROCESSOR_gpu, kind->attribute);
}

const char *spl__form_excluded(const spl_plan *plan, const spl__form_kind *kind)
{
    if (plan->problem.options.method)
        return spl__form_is_forced(plan, kind) ? NULL : "no method that needs this form is forced";
    return plan->problem.options.policy == SPL_POLICY_RULES
               ? "the sources' rules multiply the operands as they are"
               : NULL;
}

void spl__form_estimate(const spl__task *task, double steps, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double products = fmax(1, f->nnz_a * (f->inner > 0 ? f->nnz_b / f->inner : 0));
    spl__device_work work = {.steps = steps * products /
                                      task->plan->problem.queue.device->properties.lanes};
    e->seconds = spl__device_seconds(task, &work);
}

void spl__form_begin(spl_plan *plan, const spl__form_kind *kind, spl__form *form)
{
    const spl__problem *p = &plan->problem;
    *form = (spl__form){.kind = kind,
                        .a = p->a.csr,
                        .b = p->b.csr,
                        .block = 1,
                        .times = {1, 1, 1, 1, 1},
                        .products = NAN};
    if (p->has_d)
        form->d = p->d.csr;
}

void spl__form_destroy(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__form *form = spl__form_of(plan);
    spl__form_forget(plan);
    if (form->kind && form->kind->free)
        form->kind->free(plan);
    form->state = NULL;
}
