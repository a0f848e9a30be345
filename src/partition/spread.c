/* SPDX-License-Identifier: Apache-2.0 */
/* spread.c: makes, updates and frees plans of several processors. */
#include "partition/spread.h"

#include "core/sized.h"
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

static spl_status plan_spread(spl_plan *plan)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &plan->spread, 1));
    spl__spread *s = plan->spread;
    s->order_x = s->order_y = SPL_ROW_MAJOR;
    if (plan->problem.kind != SPL__KIND_spgemm)
        look_at_neighbours(plan);
    SPL__TRY(spl__spread_cut(plan, s));
    return plan->problem.kind == SPL__KIND_spgemm ? spl__spread_product_make(plan, s)
                                                  : spl__spread_dense_make(plan, s);
}

static void finish_spread(spl_plan *plan, const spl__call *call)
{
    (void)plan, (void)call; /* parts store their results */
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

static const spl__operation operation = {
    .plan = plan_spread, .finish = finish_spread, .destroy = destroy_spread};

/* ---- the choice between one processor and several ---- */

/* The device that holds A, as a bit of options.processors; 0: the host, or an unknown device. */
static uint64_t owner_of(const spl_context *context, const spl__request *request)
{
    spl_sparse a;
    if (!context || spl__view_read_anywhere(&a, request->a, "A") != SPL_OK ||
        a.place.kind == SPL_HOST)
        return 0;
    for (int32_t i = 0; i < context->device_count; i++)
        if (context->devices[i] == spl__device_at(context, a.place))
            return (uint64_t)2 << i;
    return 0;
}

/* Whether several processors are used, or a single one although another device holds A. */
static bool wanted(const spl_context *context, const spl__request *request, const spl_options *o)
{
    uint64_t owner = owner_of(context, request);
    return o->distributed || (o->processors & (o->processors - 1)) ||
           (owner && o->processors && o->processors != owner);
}

static bool is_memory(spl_status status)
{
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY;
}

/* Whether a problem that does not fit one device may be processed in blocks of rows. */
static bool may_go_in_blocks(const spl_context *context, const spl__request *request,
                             const spl_options *o, spl_status status)
{
    if (!is_memory(status))
        return false;
    bool device = o->processors ? !(o->processors & 1) : !context->uses_cpu;
    return device && request->a->place.kind == SPL_HOST;
}

/* Leaves a core for the thread that waits for devices in one-shot calls (side_thread.h), which
 * is busy: with an explicit number of threads, one thread too many would delay all others. */
static void leave_a_core(const spl_context *context, const spl__request *request, spl_options *o)
{
    enum { FEW = 2 };
    bool separate = context && request->once && o->processors > 1 && o->threads >= 0 &&
                    !owner_of(context, request);
    if (separate && spl__threads(context, o->threads) > FEW)
        o->threads = spl__threads(context, o->threads) - 1;
}

spl_status spl__spread_or_plan_make(spl_context *context, const spl__request *request,
                                    spl_plan **plan)
{
    spl_options options;
    spl__request spread = *request;
    spread.operation = &operation;
    SPL__TRY(spl__sized_read(&options, sizeof options, request->options, "spl_options"));
    leave_a_core(context, request, &options);
    spread.options = &options;
    if (wanted(context, request, &options))
        return spl__plan_make(context, &spread, plan);
    spl_status status = spl__plan_make(context, request, plan);
    if (!may_go_in_blocks(context, request, &options, status))
        return status;
    spl__kept_failure whole;
    spl__failure_keep(&whole);
    spl__log(context, SPL_LOG_INFO, "%s: in blocks of rows instead", whole.detail);
    spl_status blocks = spl__plan_make(context, &spread, plan);
    /* what all rows need is better known than what blocks of them could do with */
    return is_memory(blocks) ? spl__failure_restore(status, &whole) : blocks;
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

/* The caller's arrays have been read when this returns. */
spl_status spl__spread_update(spl_plan *plan, const spl_sparse *const operands[3])
{
    spl__spread *s = plan->spread;
    SPL__TRY(spl__spread_wait(s));
    if (plan->problem.kind == SPL__KIND_spgemm)
        SPL__TRY(spl__resident_product_update(plan, operands));
    else if (operands[0])
        SPL__TRY(spl__resident_update(plan));
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
