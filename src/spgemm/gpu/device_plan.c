/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/gpu/device_plan.h"

#include "core/checked.h"
#include "spgemm/gpu/bins/row_work.h"
#include "spgemm/gpu/device_mask.h"
#include "spgemm/gpu/device_sums.h"
#include "spgemm/gpu/forms/form_kinds.h"
#include "spgemm/kernels/spgemm_bounds.k.h"
#include "structure/csr_survey.k.h"

#include <math.h>

/* The length of the longest row of C, or its bound if rows are stored at their bounds. */
static spl_status find_longest_row(spl_plan *plan, int64_t *longest)
{
    spl__queue *queue = &plan->problem.queue;
    const spl__device_product *device_c = spl__device_product_of(plan);
    spl__device_array found = {NULL, 0};
    *longest = spl__min_i64((int64_t)plan->features.longest_products, plan->problem.cols);
    if (device_c->bounded || device_c->nnz == 0)
        return SPL_OK;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof *longest, &found));
    struct spgemm_longest_row_args args = {plan->problem.rows, device_c->offsets.data, found.data};
    spl_status status = spl__queue_fill(queue, found.data, 0, found.bytes);
    if (status == SPL_OK)
        status = spl__product_launch(plan, "spgemm_longest_row", args.rows, &args, sizeof args);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, longest, found.data, found.bytes);
    spl__queue_free(queue, &found);
    return status;
}

/* Only the policy `rules` needs the length of the longest row; predictions avoid the wait for
 * it. */
static spl_status features_of_result(spl_plan *plan)
{
    spl__features *f = &plan->features;
    int64_t longest;
    f->nnz_c = (double)spl__device_product_of(plan)->nnz;
    f->density_c = f->nnz_c > 0 ? f->nnz_c / f->rows / f->cols : 0;
    f->compression = f->nnz_c > 0 ? f->products / f->nnz_c : 0;
    if (plan->problem.options.policy != SPL_POLICY_RULES)
        return SPL_OK;
    SPL__TRY(find_longest_row(plan, &longest));
    f->longest_row_c = (double)longest;
    return SPL_OK;
}

spl_status spl__device_make_narrow(spl_plan *plan)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    if (spl__offset_type_for(plan, device_c->nnz) != SPL_I32)
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, plan->problem.rows + 1, sizeof(int32_t),
                            &device_c->narrow);
}

static spl_status make_values(spl_plan *plan)
{
    spl__device_product *device_c = spl__device_product_of(plan);
    if (plan->problem.staged)
        SPL__TRY(spl__device_make_narrow(plan));
    if (!plan->problem.options.keep_result && !plan->problem.staged)
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, device_c->nnz,
                            spl__type_size(plan->problem.a.csr.type), &device_c->values);
}

/* Takes over the structure of C. */
static spl_status take_result(spl_plan *plan)
{
    SPL__TRY(spl__check_result_width(plan, spl__device_product_of(plan)->nnz));
    SPL__TRY(features_of_result(plan));
    return make_values(plan);
}

/* The kernels of the numeric method may have to complete C's structure first. */
static spl_status plan_values(spl_plan *plan)
{
    const spl__form_kind *kind = spl__form_of(plan)->kind;
    spl__row_set all = spl__all_rows(plan);
    if (!kind->complete)
        SPL__TRY(take_result(plan));
    SPL__TRY(spl__plan_step(plan, SPL__PHASE_numeric, &all));
    if (!kind->complete)
        return SPL_OK;
    SPL__TRY(kind->complete(plan));
    return take_result(plan);
}

static spl_status plan_phase(spl_plan *plan, spl__phase phase)
{
    spl__row_set all = spl__all_rows(plan);
    return spl__plan_step(plan, phase, &all);
}

static spl_status plan_form(spl_plan *plan)
{
    spl__row_set all = spl__all_rows(plan);
    return spl__plan_step_unmeasured(plan, SPL__PHASE_form, &all,
                                     "a form by itself does nothing that takes time");
}

/* C's structure. What a complement has is found first with the rest, and then taken out. */
static spl_status plan_structure(spl_plan *plan)
{
    SPL__TRY(spl__device_mask_upload(plan));
    SPL__TRY(spl__device_mask_survey(plan));
    if (spl__needs_positions(&plan->problem))
        plan->problem.options.unsorted = 0; /* positions are searched */
    SPL__TRY(plan_phase(plan, SPL__PHASE_symbolic));
    if (plan->problem.mask.given && plan->problem.mask.complement)
        SPL__TRY(spl__device_mask_take_out(plan));
    spl__device_mask_free(plan);
    return spl__form_expand(plan);
}

/* A and B may be one matrix. */
spl_status spl__device_product_meanwhile(spl_plan *plan, const struct csr_survey *surveys,
                                         int count)
{
    if (!spl__may_count_ahead(plan))
        return SPL_OK;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, (spl__device_product **)&plan->state, 1));
    spl__form_begin(plan, &spl__form_entries, spl__form_of(plan));
    spl__features_of_operands(&plan->problem, &plan->features);
    return spl__count_device_work_ahead(plan, &surveys[0], &surveys[count - 1]);
}

spl_status spl__device_product_plan(spl_plan *plan)
{
    if (!plan->state)
        SPL__TRY(SPL__NEW_ZERO(&plan->account, (spl__device_product **)&plan->state, 1));
    SPL__TRY(spl__survey_forms(plan));
    SPL__TRY(plan_form(plan));
    SPL__TRY(spl__bound_or_count_device_work(plan));
    SPL__TRY(plan_structure(plan));
    SPL__TRY(plan_values(plan));
    if (!spl__device_product_of(plan)->uses_kept)
        spl__device_kept_free(plan);
    if (!spl__device_product_of(plan)->uses_sums)
        spl__device_sums_free(plan);
    spl__row_work_free(plan);
    return SPL_OK;
}

void spl__device_product_forget(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    spl__queue_free(queue, &c->offsets);
    spl__queue_free(queue, &c->columns);
    spl__form_forget(plan);
    spl__device_kept_free(plan);
    spl__device_sums_free(plan);
    c->nnz = 0;
    c->unsorted = c->bounded = c->uses_kept = c->defers_columns = c->narrowed = false;
}

void spl__device_product_free(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_product *c = spl__device_product_of(plan);
    if (!c)
        return;
    spl__row_work_free(plan);
    spl__device_mask_free(plan);
    spl__device_product_forget(plan);
    spl__queue_free(queue, &c->values);
    spl__queue_free(queue, &c->narrow);
    spl__free(c);
    plan->state = NULL;
}

static double predict_phase(const spl_plan *plan, spl__phase phase)
{
    spl__row_set all = spl__all_rows(plan);
    spl__estimate e = spl__plan_predict(plan, phase, &all, NULL);
    return spl__amortised(plan, &e);
}

double spl__device_product_predict(spl_plan *assumed)
{
    spl__device_product c = {.pairs_of_entry = 1};
    assumed->state = &c;
    spl__form_begin(assumed, &spl__form_entries, &c.form);
    return predict_phase(assumed, SPL__PHASE_numeric) +
           (assumed->problem.once ? predict_phase(assumed, SPL__PHASE_symbolic) : 0);
}
