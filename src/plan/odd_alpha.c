/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/odd_alpha.h"

#include "plan/odd_alpha.k.h"
#include "ref/ref.h"

bool spl__odd_alpha_on_host(const spl_plan *plan)
{
    return !plan->problem.queue.device && !plan->problem.by_columns;
}

static void compute_row(const spl_sparse *a, const spl__call *call, int64_t i)
{
    double alpha = spl__scalar(call->alpha, a->type, 1), beta = spl__scalar(call->beta, a->type, 0);
    spl__ref_element e[SPL__REF_COLUMNS];
    for (int64_t first = 0; first < call->c->cols; first += SPL__REF_COLUMNS) {
        int64_t count = spl__ref_spmm(alpha, a, call->b, beta, call->c, i, first, e);
        for (int64_t j = 0; j < count; j++)
            spl__dense_set(call->c, i, first + j, spl__ref_value(&e[j]));
    }
}

void spl__odd_alpha_compute(const spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
#pragma omp parallel for num_threads(spl__team(p->threads)) schedule(static)
    for (int64_t i = 0; i < p->rows; i++)
        if (spl__watch_goes_on(call->watch))
            compute_row(&p->a.csr, call, i);
}

spl_status spl__odd_alpha_mend(spl_plan *plan, const spl__call *call)
{
    const spl__problem *p = &plan->problem;
    const spl_dense *c = call->c;
    bool by_rows = c->order == SPL_ROW_MAJOR;
    const spl__kernel *kernel;
    struct odd_alpha_args args = {.rows = p->rows,
                                  .width = c->cols,
                                  .offsets = p->a.csr.offsets,
                                  .c = c->values,
                                  .c_row = by_rows ? c->ld : 1,
                                  .c_column = by_rows ? 1 : c->ld,
                                  .alpha = spl__plan_scalars(plan, call).alpha.value};
    SPL__TRY(spl__queue_kernel(&plan->problem.queue, "odd_alpha", p->a.csr.type,
                               p->a.csr.offset_type, &kernel));
    int64_t blocks = spl__blocks_for(&p->queue, p->rows * c->cols, ODD_ALPHA_THREADS);
    return SPL__LAUNCH(&plan->problem.queue, &args, kernel, blocks, ODD_ALPHA_THREADS);
}
