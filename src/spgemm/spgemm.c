/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm.c: the operation C = alpha*op(A)*op(B) + beta*D: count work, find the structure of C (symbolic phase, inside the plan), choose
 * numeric methods per group of rows. */
#include "spgemm/device_product.h"
#include "spgemm/row_groups.h"

static void features_of_result(spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    spl__features *f = &plan->features;
    double longest = 0;
    for (int64_t i = 0; i < plan->problem.rows; i++) {
        double length = (double)(c->offsets[i + 1] - c->offsets[i]);
        longest = length > longest ? length : longest;
    }
    f->nnz_c = (double)c->offsets[plan->problem.rows];
    f->density_c = f->nnz_c > 0 ? f->nnz_c / f->rows / f->cols : 0;
    f->longest_row_c = longest;
    f->compression = f->nnz_c > 0 ? f->products / f->nnz_c : 0;
}

/* With a bound, or if the caller wants it, the plan holds the values of C. */
static spl_status make_values(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    if (!c->lengths && !plan->problem.options.keep_result)
        return SPL_OK;
    return spl__alloc(&plan->account, c->offsets[plan->problem.rows], spl__type_size(plan->problem.a.csr.type),
                      &c->values);
}

static spl_status plan_spgemm(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, (spl__product **)&plan->state, 1));
    if (plan->problem.queue.device)
        return spl__device_product_plan(plan);
    SPL__TRY(spl__count_work(plan));
    SPL__TRY(spl__sample_rows(plan));
    spl__row_set all = spl__all_rows(plan);
    SPL__TRY(spl__plan_step(plan, SPL__PHASE_symbolic, &all));
    SPL__TRY(spl__check_result_width(plan, spl__product_of(plan)->offsets[plan->problem.rows]));
    features_of_result(plan);
    SPL__TRY(make_values(plan));
    if (plan->problem.options.policy == SPL_POLICY_COST)
        return spl__plan_row_groups(plan);
    /* The published rules look at whole matrices; their row groups configure kernels of GPUs. */
    all = spl__all_rows(plan);
    return spl__plan_step(plan, SPL__PHASE_numeric, &all);
}

static void finish_spgemm(spl_plan *plan, const spl__call *call)
{
    spl__product *c = spl__product_of(plan);
    c->known = true;
    c->computed = c->computed || call->values == spl__kept_values(plan);
}

static void destroy_spgemm(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    if (!c)
        return;
    spl__device_product_free(plan);
    spl__free(c->work);
    spl__free(c->offsets);
    spl__free(c->lengths);
    spl__free(c->columns);
    spl__free(c->values);
    spl__free(c);
}

const spl__operation spl__spgemm_operation = {plan_spgemm, finish_spgemm, destroy_spgemm};
