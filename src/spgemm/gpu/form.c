/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/form.h"

#include "device/device.h"
#include "spgemm/gpu/device_product.h"

spl__form *spl__form_of(const spl_plan *plan)
{
    return &spl__device_product_of(plan)->form;
}

const char *spl__form_refuses(const spl__task *task, spl__family family)
{
    return spl__form_of(task->plan)->kind->refuses[family];
}

const char *spl__form_refuses_entries(const spl__task *task)
{
    return spl__form_refuses(task, SPL__BY_ENTRIES);
}

/* ---- what kernels read ---- */

/* d is not read if the product has no D. */
static struct spgemm_structures structures_of(const spl_plan *plan, const spl_sparse *a,
                                              const spl_sparse *b, const spl_sparse *d)
{
    bool has_d = plan->problem.has_d;
    return (struct spgemm_structures){.rows = a->rows,
                                      .cols = b->cols,
                                      .a_offsets = a->offsets,
                                      .a_columns = a->indices,
                                      .b_offsets = b->offsets,
                                      .b_columns = b->indices,
                                      .d_offsets = has_d ? d->offsets : NULL,
                                      .d_columns = has_d ? d->indices : NULL};
}

struct spgemm_structures spl__own_structures(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    return structures_of(plan, &p->a.csr, &p->b.csr, &p->d.csr);
}

/* The operands' arrays may have moved since the form was made; compact ones stay where they are. */
struct spgemm_structures spl__form_structures(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const spl__form *form = spl__form_of(plan);
    const bool *borrows = form->kind->borrows;
    return structures_of(plan, borrows[0] ? &p->a.csr : &form->a, borrows[1] ? &p->b.csr : &form->b,
                         borrows[2] ? &p->d.csr : &form->d);
}

static const int32_t *columns_of(const spl_plan *plan)
{
    const spl__device_product *c = spl__device_product_of(plan);
    return c->form.columns.data ? c->form.columns.data : c->columns.data;
}

struct spgemm_operands spl__form_operands(const spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    const spl__form_kind *kind = spl__form_of(plan)->kind;
    struct spgemm_operands operands = {.s = spl__form_structures(plan),
                                       .a_values = p->a.csr.values,
                                       .b_values = p->b.csr.values,
                                       .d_values = p->has_d ? p->d.csr.values : NULL,
                                       .scalars = spl__plan_scalars(plan, call),
                                       .offsets = spl__form_offsets(plan),
                                       .columns = columns_of(plan),
                                       .values = call->values};
    if (kind->values)
        kind->values(plan, &operands);
    return operands;
}

const int64_t *spl__form_offsets(const spl_plan *plan)
{
    const spl__device_product *c = spl__device_product_of(plan);
    return c->form.offsets.data ? c->form.offsets.data : c->offsets.data;
}

/* ---- C ---- */

int64_t spl__form_entries_of_c(const spl_plan *plan, int64_t counted)
{
    const spl__form *form = spl__form_of(plan);
    return form->kind->entries ? form->kind->entries(form, counted) : form->nnz_c;
}

spl_status spl__form_expand(spl_plan *plan)
{
    spl__device_product *c = spl__device_product_of(plan);
    if (!c->form.kind->expand)
        return SPL_OK;
    c->form.offsets = c->offsets;
    c->form.columns = c->columns;
    c->offsets = c->columns = (spl__device_array){NULL, 0};
    return c->form.kind->expand(plan);
}

spl_status spl__form_settle(spl_plan *plan)
{
    const spl__form_kind *kind = spl__form_of(plan)->kind;
    return kind->settle ? kind->settle(plan) : SPL_OK;
}

void spl__form_forget(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__form *form = spl__form_of(plan);
    spl__queue_free(queue, &form->offsets);
    spl__queue_free(queue, &form->columns);
    spl__queue_free(queue, &form->c_offsets);
    form->nnz_c = 0;
}
