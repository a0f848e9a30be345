/* SPDX-License-Identifier: Apache-2.0 */
/* spread_images.c: makes the parts of a dense product, and host images of x and y for them. */
#include "partition/spread_run.h"

#include "core/checked.h"

#include <string.h>

bool spl__spread_defers_plans(const spl_plan *plan)
{
    return plan->problem.once && !spl__spread_owner_of_a(plan) &&
           spl__spread_any_device(plan->spread);
}

bool spl__spread_needs_image(const spl_plan *plan)
{
    return plan->spread->order || plan->problem.options.distributed || spl__spread_owner_of_a(plan);
}

bool spl__spread_has_image(const spl_plan *plan, const spl__spread_part *part)
{
    if (part->in_place)
        return false;
    return part->rows > 0 && (part->device || spl__spread_needs_image(plan));
}

/* Pinning takes longer than a single product, so one-shot calls do not pin. Distributed results
 * are 0 before the first execution. */
static spl_status make_image(spl_plan *plan, spl__device *device, int64_t elements,
                             spl__image *image)
{
    const spl__problem *p = &plan->problem;
    SPL__TRY(spl__image_make(&plan->account, p->once ? NULL : device, elements,
                             spl__type_size(p->a.csr.type), image));
    if (p->options.distributed && image->bytes > 0)
        memset(image->data, 0, image->bytes);
    return SPL_OK;
}

static spl_status make_part(spl_plan *plan, spl__spread_part *part)
{
    const spl__problem *p = &plan->problem;
    if (part->rows == 0)
        return SPL_OK;
    SPL__TRY(spl__resident_rows_make(plan, part));
    SPL__TRY(part->device ? spl__device_part_make(plan, part) : spl__spread_part_plan(plan, part));
    if (!spl__spread_has_image(plan, part))
        return SPL_OK;
    spl__device *device = part->device ? part->device : spl__spread_owner_of_a(plan);
    return make_image(plan, device, part->rows * p->cols, &part->y);
}

/* Devices first: in a one-shot call A is being copied to them while the host checks columns and
 * makes its own plan. */
static spl_status make_parts(spl_plan *plan, spl__spread *s)
{
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].device)
            SPL__TRY(make_part(plan, &s->parts[k]));
    SPL__TRY(spl__problem_check_deferred(&plan->problem, spl__account_watch(&plan->account)));
    for (int32_t k = 0; k < s->count; k++)
        if (!s->parts[k].device)
            SPL__TRY(make_part(plan, &s->parts[k]));
    return SPL_OK;
}

spl__spread_part *spl__spread_cpu_part(const spl__spread *s)
{
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].rows > 0 && !s->parts[k].device)
            return &s->parts[k];
    return NULL;
}

spl__device *spl__spread_any_device(const spl__spread *s)
{
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].has_queue && !s->parts[k].in_place)
            return s->parts[k].device;
    return NULL;
}

bool spl__spread_has_others(const spl__spread *s)
{
    for (int32_t k = 0; k < s->count; k++)
        if (s->parts[k].rows > 0 && !s->parts[k].in_place)
            return true;
    return false;
}

spl_status spl__spread_dense_make(spl_plan *plan, spl__spread *s)
{
    const spl__problem *p = &plan->problem;
    int64_t elements;
    if (!spl__mul_i64(spl__max_i64(p->inner, p->rows), p->cols, &elements))
        return spl__fail(SPL_OUT_OF_MEMORY, "%s dense columns are more than can be addressed",
                         spl__thousands(p->cols));
    SPL__TRY(make_parts(plan, s));
    spl__device *owner = spl__spread_owner_of_a(plan);
    bool needed = owner ? spl__spread_has_others(s) : spl__spread_any_device(s) != NULL;
    if (!needed && !p->options.distributed)
        return SPL_OK;
    SPL__TRY(
        make_image(plan, owner ? owner : spl__spread_any_device(s), p->inner * p->cols, &s->x));
    spl__spread_part *cpu_part = spl__spread_cpu_part(s);
    if (cpu_part && spl__spread_defers_plans(plan) && !spl__spread_has_image(plan, cpu_part))
        (void)make_image(plan, NULL, cpu_part->rows * p->cols,
                         &cpu_part->y); /* optional: run_once */
    return SPL_OK;
}
