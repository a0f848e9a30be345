/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_notes.h"

#include "spgemm/gpu/device_product.h"

static spl_status make(spl_plan *plan, struct spl__product_notes **notes)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_array *array = &spl__device_product_of(plan)->notes;
    if (!array->data)
        SPL__TRY(spl__queue_alloc_zeros(queue, 1, sizeof **notes, array));
    *notes = array->data;
    return SPL_OK;
}

/* Work that was counted ahead may have to be counted again. */
spl_status spl__work_notes_make(spl_plan *plan, struct spl__work_notes **notes)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    struct spl__product_notes *all;
    SPL__TRY(make(plan, &all));
    *notes = &all->work;
    if (device_c->work_noted)
        SPL__TRY(spl__queue_fill(&plan->problem.queue, *notes, 0, sizeof **notes));
    device_c->work_noted = true;
    return SPL_OK;
}

/* Several methods may be tried. */
spl_status spl__find_notes_make(spl_plan *plan, struct spl__find_notes **notes)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    struct spl__product_notes *all;
    SPL__TRY(make(plan, &all));
    *notes = &all->find;
    if (device_c->find_noted)
        SPL__TRY(spl__queue_fill(&plan->problem.queue, *notes, 0, sizeof **notes));
    device_c->find_noted = true;
    return SPL_OK;
}

struct spl__work_notes *spl__work_notes_of(const spl_plan *plan)
{
    struct spl__product_notes *notes = spl__device_product_of(plan)->notes.data;
    return &notes->work;
}

struct spgemm_sample *spl__device_sample_note(const spl_plan *plan)
{
    return &spl__work_notes_of(plan)->sample;
}

struct spgemm_sample *spl__device_sample(const spl_plan *plan)
{
    return spl__device_product_of(plan)->sampled ? spl__device_sample_note(plan) : NULL;
}
