/* SPDX-License-Identifier: Apache-2.0 */
/* spread.c: makes, updates and frees plans of several processors. */
#include "partition/spread.h"

#include "partition/product_blocks.h"
#include "partition/spread_product.h"
#include "spmm/blocks_of_a.h"
#include "spmv/holed_blocks.h"

/* ---- the operation ---- */

/* For predictions: the survey of rows on a device; the CPU's plan makes its own. */
static void look_at_neighbours(spl_plan *plan)
{
    spl__features_of_neighbours(&plan->problem, &plan->features);
    if (plan->problem.kind == SPL__KIND_spmv)
        spl__spmv_find_blocks(plan);
    else
        spl__spmm_find_blocks(plan);
    if (!spl__spread_owner_of_a(plan))
        return;
    plan->features.repeated_sampled = plan->problem.a.survey.repeated;
    plan->features.shifted_sampled = 0;
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

static spl_status plan_dense(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &plan->spread, 1));
    plan->spread->order_x = plan->spread->order_y = SPL_ROW_MAJOR;
    look_at_neighbours(plan);
    SPL__TRY(spl__spread_cut(plan, plan->spread));
    return spl__spread_dense_make(plan, plan->spread);
}

static spl_status plan_product(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &plan->spread, 1));
    SPL__TRY(spl__spread_cut(plan, plan->spread));
    return spl__spread_product_make(plan, plan->spread);
}

static void destroy_spread(spl_plan *plan)
{
    spl__spread *s = plan->spread;
    if (!s)
        return;
    for (int32_t k = 0; k < s->count; k++) {
        spl__spread_part *part = &s->parts[k];
        spl__device_part_free(part);
        spl__product_part_free(part);
        spl__row_slice_free(&part->host_rows);
        spl__image_free(&part->y);
        spl__free(part->method);
    }
    spl__resident_product_free(plan);
    spl__image_free(&s->x);
    spl__free(s->parts);
    spl__free(s->order);
    spl__free(s->offsets);
    spl__free(s->first);
    spl__free(s);
}

/* ---- values ---- */

static spl_status update_block(spl_plan *plan, spl__spread_part *part, spl__spread_block *block,
                               const spl_sparse *const operands[3])
{
    spl_sparse a, d;
    const spl_sparse *const views[3] = {operands[0] ? &a : NULL,
                                        operands[1] ? spl__spread_right(plan, part) : NULL,
                                        operands[2] ? &d : NULL};
    spl__spread_block_update(plan, part, block, operands);
    if (part->has_queue || part->passing)
        return SPL_OK;
    a = spl__spread_slice(plan, part, block, 0);
    d = spl__spread_slice(plan, part, block, 2);
    SPL__TRY(spl__plan_update(block->plan, views));
    return part->device ? spl__queue_wait(&block->plan->problem.queue) : SPL_OK;
}

static spl_status update_parts(spl_plan *plan, const spl_sparse *const operands[3])
{
    spl__spread *s = plan->spread;
    for (int32_t k = 0; k < s->count; k++) {
        spl__spread_part *part = &s->parts[k];
        for (int64_t i = 0; i < part->block_count; i++)
            SPL__TRY(update_block(plan, part, &part->blocks[i], operands));
        if (part->has_queue && operands[0])
            SPL__TRY(spl__device_part_update(part));
        if (part->passing && operands[1])
            SPL__TRY(spl__product_blocks_update(plan, part));
    }
    return SPL_OK;
}

/* The caller's arrays have been read when these return. */
static spl_status update_dense(spl_plan *plan, const spl_sparse *const operands[3])
{
    SPL__TRY(spl__plan_update(plan, operands));
    SPL__TRY(spl__spread_wait(plan));
    if (operands[0])
        SPL__TRY(spl__resident_update(plan));
    return update_parts(plan, operands);
}

static spl_status update_product(spl_plan *plan, const spl_sparse *const operands[3])
{
    SPL__TRY(spl__plan_update(plan, operands));
    SPL__TRY(spl__spread_wait(plan));
    SPL__TRY(spl__resident_product_update(plan, operands));
    return update_parts(plan, operands);
}

/* ---- tables ---- */

#define ON_SEVERAL                                                                                 \
    .place = place_spread, .destroy = destroy_spread, .wait = spl__spread_wait,                    \
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
