/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/gpu/ell_steps.h"

#include "spmv/kernels/spmv_ell.k.h"

spl_status spl__ell_steps_prepare(spl__step *step, spl__ell_state **state)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, state, 1));
    step->state = *state;
    return spl__queue_kernel(&plan->problem.queue, "spmv_ell", a->type, a->offset_type,
                             &(*state)->kernel);
}

void spl__ell_steps_update(spl__step *step)
{
    spl__problem *p = &step->task.plan->problem;
    /* errors are reported by the stream */
    (void)spl__device_ell_fill(&p->queue, &p->a.csr, &((spl__ell_state *)step->state)->ell);
}

spl_status spl__ell_steps_execute(spl__step *step, const spl__call *call)
{
    const spl__ell_state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    struct spmv_ell_args args = {.ell = spl__ell_for_kernel(a, &s->ell),
                                 .columns = s->ell.columns.data,
                                 .values = s->ell.values.data,
                                 .x = call->x,
                                 .y = call->y,
                                 .scalars = spl__plan_scalars(plan, call)};
    return SPL__LAUNCH(queue, &args, s->kernel, spl__blocks_for(queue, a->rows, SPMV_ELL_THREADS),
                       SPMV_ELL_THREADS);
}

void spl__ell_steps_explain(const spl__step *step, spl__text *text)
{
    const spl__ell_state *s = step->state;
    double stored = (double)s->ell.stored;
    spl__text_add(text,
                  "  blocks of rows of equal length %s, %.3g %% of what is stored are entries\n",
                  spl__thousands(s->ell.blocks),
                  stored > 0 ? 100 * (double)step->task.plan->problem.a.csr.nnz / stored : 100);
}

void spl__ell_steps_destroy(spl__step *step)
{
    spl__ell_state *s = step->state;
    if (!s)
        return;
    spl__device_ell_free(&step->task.plan->problem.queue, &s->ell);
    spl__free(s);
}
