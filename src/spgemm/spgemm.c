/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm.c: the operation C = alpha*op(A)*op(B) + beta*D: count work, find the structure of C
 * (symbolic phase, inside the plan), choose numeric methods per group of rows. */
#include "core/checked.h"
#include "plan/forced.h"
#include "spgemm/cpu/holed_operands.h"
#include "spgemm/dots.h"
#include "spgemm/gpu/device_plan.h"
#include "spgemm/row_groups.h"

#include <math.h>

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

/* Allocates the plan's values of C if the caller requests them; with a bound they exist already,
 * and the expected part of the memory is touched. */
static spl_status make_values(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    const spl_sparse *a = &plan->problem.a.csr;
    size_t value = spl__type_size(a->type);
    spl__watch *watch = spl__account_watch(&plan->account);
    if (c->bounded) {
        size_t expected = (size_t)spl__predicted_nnz(plan);
        spl__touch_pages(watch, plan->problem.threads, c->columns,
                         expected * spl__index_size(a->index_type));
        spl__touch_pages(watch, plan->problem.threads, c->values, expected * value);
    } else if (plan->problem.options.keep_result) {
        SPL__TRY(spl__alloc(&plan->account, c->capacity, value, &c->values));
        spl__touch_pages(watch, plan->problem.threads, c->values, (size_t)c->capacity * value);
    }
    return SPL_OK;
}

/* ---- questions ---- */

/* Sets features of C to expected values before they are known. */
static void expect_result(spl_plan *plan)
{
    spl__features *f = &plan->features;
    f->nnz_c = spl__predicted_nnz(plan);
    f->longest_row_c =
        (double)spl__min_i64(spl__product_of(plan)->longest_work, plan->problem.cols);
}

/* A plan and its C as a question assumes them. */
typedef struct question {
    spl_plan plan;
    spl__product c;
} question;

static void assume(const spl_plan *plan, question *q)
{
    spl__plan_assume(plan, &q->plan);
    q->c = *spl__product_of(plan);
    q->plan.state = &q->c;
}

/* Predicted seconds of a phase with the best method, including its setup per execution. `known`:
 * the numeric phase starts with known columns of C; `blocks`: the symbolic phase has left C in
 * holed blocks. */
static double predict_phase(const spl_plan *plan, spl__phase phase, bool known, bool blocks)
{
    question q;
    assume(plan, &q);
    expect_result(&q.plan);
    q.c.known = known;
    q.c.has_blocks = blocks;
    q.plan.problem.unmeasured = "a guess, before C is known";
    spl__row_set all = spl__all_rows(&q.plan);
    spl__estimate e = spl__plan_predict(&q.plan, phase, &all, NULL);
    return spl__amortised(plan, &e);
}

static bool may_leave_blocks(const spl_plan *plan)
{
    return plan->features.holed_block_size > 1 && !spl__plan_has_budget(plan);
}

/* Predicted extra seconds of the numeric phase if it has to find the columns of C, with the best
 * method for either case. */
static double predict_bound_costs(const spl_plan *plan)
{
    bool blocks = may_leave_blocks(plan);
    double found = predict_phase(plan, SPL__PHASE_numeric, false, blocks),
           known = predict_phase(plan, SPL__PHASE_numeric, true, blocks);
    return isinf(found) || isinf(known) ? 0 : found - known;
}

/* The same if the symbolic phase does not produce C in holed blocks; the sum over all
 * executions. */
static double predict_blocks_cost(const spl_plan *plan)
{
    if (!may_leave_blocks(plan))
        return 0;
    double lost = predict_phase(plan, SPL__PHASE_numeric, true, false),
           left = predict_phase(plan, SPL__PHASE_numeric, true, true);
    return isinf(lost) || isinf(left) ? 0 : spl__executions(plan) * (lost - left);
}

/* Whether a forced numeric method, or any if none is forced, accepts columns of C that are known
 * or not, sorted or not. */
static bool numeric_serves(const spl_plan *plan, bool known, bool unsorted)
{
    question q;
    spl__row_set all = spl__all_rows(plan);
    assume(plan, &q);
    q.c.known = known;
    q.c.unsorted = unsorted;
    return spl__plan_serves(&q.plan, SPL__PHASE_numeric, &all);
}

/* ---- the symbolic phase ---- */

/* Predicts the work that symbolic methods leave to the numeric phase. */
static void predict_later(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    expect_result(plan);
    c->blocks_cost = predict_blocks_cost(plan);
    c->bound_costs = predict_bound_costs(plan);
}

/* Trials of the symbolic phase do not see the work that a bound leaves to the numeric phase. For
 * a single execution, where a bound can pay, the model decides: if it expects a bound, no
 * symbolic method is measured. */
static const char *expect_bound(spl_plan *plan)
{
    static const char expected[] = "a bound is expected to be best, and trials of symbolic methods "
                                   "do not see what it saves";
    question q;
    spl__row_set all = spl__all_rows(plan);
    predict_later(plan);
    assume(plan, &q);
    q.plan.problem.unmeasured = expected;
    const spl__registry_entry *best = spl__plan_preview(&q.plan, SPL__PHASE_symbolic, &all);
    return best && (best->method->attributes & SPL__DEFERS) ? expected : NULL;
}

/* Trials do not see the benefit of blocks in C either: it is estimated. Returns why symbolic
 * methods are not measured, or NULL. */
static const char *predict_result(spl_plan *plan)
{
    spl_policy policy = spl__plan_policy(plan);
    if (policy == SPL_POLICY_COST)
        predict_later(plan);
    else if (policy == SPL_POLICY_MEASURE && spl__problem_is_single(&plan->problem))
        return expect_bound(plan);
    else if (policy == SPL_POLICY_MEASURE)
        spl__product_of(plan)->blocks_cost = predict_blocks_cost(plan);
    return NULL;
}

static spl_status find_structure(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    spl__row_set all = spl__all_rows(plan);
    const char *unmeasured = predict_result(plan);
    SPL__TRY(spl__plan_step_unmeasured(plan, SPL__PHASE_symbolic, &all, unmeasured));
    c->capacity = c->offsets[plan->problem.rows];
    SPL__TRY(spl__check_result_width(plan, c->capacity));
    features_of_result(plan);
    if (!c->bounded)
        spl__product_expect(plan, (double)c->capacity);
    return make_values(plan);
}

/* One method computes all rows, so that they can be stored consecutively. For a one-shot product
 * the first execution is the only one, and can be tried. */
static spl_status choose_numeric_behind_bound(spl_plan *plan)
{
    spl__row_set all = spl__all_rows(plan);
    all.nnz_c = spl__predicted_nnz(plan);
    return spl__plan_step_unmeasured(plan, SPL__PHASE_numeric, &all,
                                     spl__problem_is_single(&plan->problem)
                                         ? NULL
                                         : "the first execution after a bound differs from the "
                                           "others");
}

/* The published rules choose per matrix; their row groups configure GPU kernels. */
static spl_status choose_numeric(spl_plan *plan)
{
    if (spl__product_of(plan)->bounded)
        return choose_numeric_behind_bound(plan);
    if (plan->problem.options.policy != SPL_POLICY_RULES && !spl__needs_positions(&plan->problem))
        return spl__plan_row_groups(plan);
    spl__row_set all = spl__all_rows(plan);
    return spl__plan_step(plan, SPL__PHASE_numeric, &all);
}

static void free_result(spl_plan *plan)
{
    spl__holed_free(plan);
    spl__product_forget(plan);
}

/* Forgets lengths and columns that executions found after a bound; rows may have been moved. */
static void unlearn_columns(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    if (!c->bounded)
        return;
    spl__free(c->lengths);
    c->lengths = NULL;
    spl__product_set_bounds(plan);
}

/* Sampled rows may have fewer products that meet than others. */
static const double expected_margin = 1.3;

static spl_status plan_phases(spl_plan *plan)
{
    spl__product_expect(plan,
                        fmin(expected_margin * spl__predicted_nnz(plan), plan->features.bound_c));
    SPL__TRY(find_structure(plan));
    SPL__TRY(choose_numeric(plan));
    spl__holed_drop(plan);
    return SPL_OK;
}

/* Surveys rows before methods are chosen. */
static spl_status look_at_rows(spl_plan *plan)
{
    SPL__TRY(spl__find_repeated_rows(plan));
    SPL__TRY(spl__count_work(plan));
    SPL__TRY(spl__sample_rows(plan));
    spl__sample_blocks(plan);
    return spl__look_at_mask(plan);
}

/* Makes the symbolic phase produce C in the form that a forced numeric method needs, whatever
 * other criteria say: threads, executions, unsorted columns. */
static void suit_numeric(spl_plan *plan)
{
    if (!spl__phase_is_forced(plan, SPL__PHASE_numeric))
        return;
    if (plan->problem.options.unsorted && !numeric_serves(plan, true, true))
        plan->problem.options.unsorted = 0;
    if (!numeric_serves(plan, false, false))
        spl__product_of(plan)->no_bound = "the forced numeric method needs the columns of C";
}

static spl_status plan_spgemm(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, (spl__product **)&plan->state, 1));
    spl__product *c = spl__product_of(plan);
    SPL__TRY(look_at_rows(plan));
    suit_numeric(plan);
    if (plan->problem.options.exact)
        c->no_bound = "options.exact";
    if (spl__needs_positions(&plan->problem))
        c->no_bound = "masks, semirings and integers need the columns of C";
    spl_status status = plan_phases(plan);
    spl__mask_free(&plan->problem.mask);
    if ((status != SPL_OVER_BUDGET && status != SPL_OUT_OF_MEMORY) || !c->bounded)
        return status;
    c->no_bound = "its arrays leave no memory to compute with";
    spl__row_set all = spl__all_rows(plan);
    if (!spl__plan_preview(plan, SPL__PHASE_symbolic, &all))
        return status; /* the bound was forced */
    spl__plan_forget(plan, 0);
    free_result(plan);
    return plan_phases(plan);
}

static void finish_spgemm(spl_plan *plan, const spl__call *call)
{
    spl__product *c = spl__product_of(plan);
    c->known = true;
    c->computed = c->computed || call->values == c->values;
}

static void destroy_spgemm(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    if (!c)
        return;
    spl__free(c->work);
    if (c->b_equals_previous != c->a_equals_previous)
        spl__free(c->b_equals_previous);
    spl__free(c->a_equals_previous);
    free_result(plan);
    spl__free(c);
    plan->state = NULL;
}

spl_status spl__product_survey(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, (spl__product **)&plan->state, 1));
    return look_at_rows(plan);
}

double spl__product_predict(const spl_plan *plan)
{
    question q;
    assume(plan, &q);
    expect_result(&q.plan);
    if (plan->problem.queue.device)
        return spl__device_product_predict(&q.plan);
    if (!plan->problem.once)
        return predict_phase(&q.plan, SPL__PHASE_numeric, true, false);
    predict_later(&q.plan);
    return predict_phase(&q.plan, SPL__PHASE_numeric, true, may_leave_blocks(plan)) +
           predict_phase(&q.plan, SPL__PHASE_symbolic, false, false);
}

void spl__product_survey_free(spl_plan *plan)
{
    destroy_spgemm(plan);
}

/* The work of rows, and which repeat. */
static double least_bytes(const spl__problem *p, double *device)
{
    enum { METHOD = 1024, ON_DEVICE = 64 }; /* bytes of a method, and of notes about a row */
    double rows = (double)p->rows, inner = (double)p->inner;
    *device = 4 * METHOD + ON_DEVICE * rows + ON_DEVICE / 2 * inner;
    return (p->queue.device ? 8 : 1) * METHOD + spl__counted_bytes(rows + 1, sizeof(int64_t)) +
           2 * spl__counted_bytes(rows, 1) + spl__counted_bytes(inner, 1);
}

const spl__traits spl__spgemm_traits = {.name = "spgemm",
                                        .formula = "C = alpha*op(A)*op(B) + beta*D",
                                        .sparse = true,
                                        .looks = true,
                                        .look_at_a = SPL__LOOK_FOR_GROUPS,
                                        .look_at_others = SPL__LOOK_FOR_BLOCKS,
                                        .least_bytes = least_bytes};

const spl__operation spl__spgemm_cpu = {
    SPL__ON_ONE_PROCESSOR,          .plan = plan_spgemm,
    .forget = free_result,          .unlearn = unlearn_columns,
    .destroy = destroy_spgemm,      .execute = spl__product_execute,
    .finish = finish_spgemm,        .terms = spl__product_terms_of,
    .state = spl__product_state_of, .export = spl__product_export,
    .view = spl__product_view,      .give = spl__product_give};
