/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/holed_operands.h"

#include "matrix/view.h"

static bool is_square(const spl_plan *plan)
{
    return spl__view_same_structure(&plan->problem.a.csr, &plan->problem.b.csr);
}

double spl__holed_operands_seconds(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    if (spl__product_of(plan)->holed)
        return 0;
    return (f->nnz_a + (is_square(plan) ? 0 : f->nnz_b)) * plan->machine->holed_entry;
}

double spl__holed_seconds(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    if (c->has_blocks || (c->holed && c->holed->c.offsets))
        return 0;
    return spl__holed_operands_seconds(plan) + plan->features.nnz_c * plan->machine->holed_entry;
}

static spl_status make_operands(spl_plan *plan, spl__holed *m)
{
    const spl__problem *p = &plan->problem;
    int size = (int)plan->features.holed_block_size;
    SPL__TRY(spl__bsr_make(&plan->account, p->threads, &p->a.csr, size, &m->a));
    m->square = is_square(plan);
    if (!m->square)
        return spl__bsr_make(&plan->account, p->threads, &p->b.csr, size, &m->b);
    m->b = m->a;
    return SPL_OK;
}

void spl__holed_free(spl_plan *plan)
{
    spl__holed **m = &spl__product_of(plan)->holed;
    if (!*m)
        return;
    if (!(*m)->square)
        spl__bsr_free(&(*m)->b);
    spl__bsr_free(&(*m)->a);
    spl__bsr_free(&(*m)->c);
    spl__free(*m);
    *m = NULL;
}

spl_status spl__holed_operands(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    if (c->holed)
        return SPL_OK;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &c->holed, 1));
    spl_status status = make_operands(plan, c->holed);
    if (status != SPL_OK)
        spl__holed_free(plan);
    return status;
}

static spl_status make_result(spl_plan *plan, spl__bsr *blocks)
{
    const spl__problem *p = &plan->problem;
    const spl__product *c = spl__product_of(plan);
    spl_sparse csr = {.format = SPL_CSR,
                      .type = p->a.csr.type,
                      .offset_type = SPL_I64,
                      .index_type = p->a.csr.index_type,
                      .rows = p->rows,
                      .cols = p->cols,
                      .nnz = c->capacity,
                      .offsets = c->offsets,
                      .indices = c->columns};
    return spl__bsr_make(&plan->account, p->threads, &csr, (int)plan->features.holed_block_size,
                         blocks);
}

spl_status spl__holed_take(spl_plan *plan, spl__holed **holed)
{
    SPL__TRY(spl__holed_operands(plan));
    spl__holed *m = *holed = spl__product_of(plan)->holed;
    m->users++;
    return m->c.offsets ? SPL_OK : make_result(plan, &m->c);
}

void spl__holed_release(spl_plan *plan)
{
    spl__holed *m = spl__product_of(plan)->holed;
    if (m && --m->users == 0 && spl__plan_has_budget(plan)) /* other methods may need the memory */
        spl__holed_free(plan);
}

void spl__holed_drop(spl_plan *plan)
{
    const spl__holed *m = spl__product_of(plan)->holed;
    if (m && m->users == 0)
        spl__holed_free(plan);
}
