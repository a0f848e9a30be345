/* SPDX-License-Identifier: Apache-2.0 */
/* spread.c: operations on several processors. */
#include "partition/resident_rows.h"
#include "partition/spread_dense.h"
#include "partition/spread_explain.h"
#include "partition/spread_product.h"
#include "spmm/blocks_of_a.h"
#include "spmv/holed_blocks.h"

/* ---- plans ---- */

/* For predictions: the survey of rows on a device; the CPU's plan makes its own. */
static void look_at_neighbours(spl_plan *plan)
{
    spl__features_of_neighbours(&plan->problem, &plan->features);
    if (plan->problem.kind == SPL__KIND_spmv)
        spl__spmv_find_blocks(plan);
    else
        spl__spmm_find_blocks(plan);
    if (!spl__owner_of_a(plan))
        return;
    plan->features.repeated_sampled = plan->problem.a.survey.repeated;
    plan->features.shifted_sampled = plan->features.diagonals_sampled = 0;
    plan->features.diagonal_fill_sampled = plan->features.sliced_fill_sampled = 1;
}

/* One-shot calls leave a core for the thread that waits for devices (side_thread.h), which is
 * busy: with an explicit number of threads, one thread too many would delay all others. */
static spl_status place_spread(spl_plan *plan, const spl_sparse *a)
{
    enum { FEW = 2 };
    spl__problem *p = &plan->problem;
    p->defers_check = p->once;
    SPL__TRY(spl__problem_place_with_operands(p, a));
    if (p->once && p->options.processors > 1 && !p->queue.device && p->options.threads > FEW)
        p->queue.threads = --p->options.threads;
    return SPL_OK;
}

static spl_status divide(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    SPL__TRY(spl__division_make(plan, &s->division));
    return SPL__NEW_ZERO(&plan->account, &s->parts, s->division.count);
}

static spl_status plan_dense(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &plan->spread, 1));
    look_at_neighbours(plan);
    SPL__TRY(spl__resident_rows_look(plan, &plan->spread->division));
    SPL__TRY(divide(plan));
    return spl__spread_dense_make(plan);
}

static spl_status plan_product(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &plan->spread, 1));
    SPL__TRY(spl__resident_operands_look(plan, plan->spread->operands));
    plan->spread->division.a = plan->problem.a.csr;
    SPL__TRY(divide(plan));
    return spl__spread_product_make(plan);
}

static void destroy_spread(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    if (!s)
        return;
    spl__parts_free(s);
    spl__spread_product_free(plan);
    spl__image_free(&s->x);
    spl__free(s->mask);
    spl__free(s->parts);
    spl__division_free(&s->division);
    spl__free(s);
}

/* ---- values: the caller's arrays have been read when these return ---- */

static spl_status update_parts(spl_plan *plan, const spl_sparse *const changed[3])
{
    spl__spread *s = plan->spread;
    for (spl__part *p = spl__parts_next(s, NULL); p; p = spl__parts_next(s, p))
        SPL__TRY(p->kind->update(p, changed));
    return SPL_OK;
}

static spl_status update_dense(spl_plan *plan, const spl_sparse *const changed[3])
{
    SPL__TRY(spl__plan_update(plan, changed));
    SPL__TRY(spl__parts_wait(plan));
    if (changed[0])
        SPL__TRY(spl__resident_rows_update(plan));
    return update_parts(plan, changed);
}

static spl_status update_product(spl_plan *plan, const spl_sparse *const changed[3])
{
    SPL__TRY(spl__plan_update(plan, changed));
    SPL__TRY(spl__parts_wait(plan));
    SPL__TRY(spl__resident_operands_update(plan, plan->spread->operands, changed));
    plan->spread->division.a = plan->problem.a.csr;
    return update_parts(plan, changed);
}

/* ---- tables ---- */

#define ON_SEVERAL                                                                                 \
    .place = place_spread, .destroy = destroy_spread, .wait = spl__parts_wait,                     \
    .explain = spl__spread_explain, .count = spl__spread_count, .inner = spl__spread_inner,        \
    .part_count = spl__spread_part_count, .part = spl__spread_part_info

const spl__operation spl__spread_dense = {ON_SEVERAL, .plan = plan_dense,
                                          .execute = spl__spread_run_dense, .update = update_dense};

const spl__operation spl__spread_product = {ON_SEVERAL,
                                            .plan = plan_product,
                                            .execute = spl__spread_product_execute,
                                            .update = update_product,
                                            .terms = spl__spread_product_terms,
                                            .state = spl__spread_product_state,
                                            .export = spl__spread_product_export};
