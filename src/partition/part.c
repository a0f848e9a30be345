/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/part.h"

#include <math.h>

spl_status spl__part_new(spl_plan *plan, const spl__division *division, const spl__share *share,
                         const spl__part_kind *kind, spl__part **part)
{
    SPL__TRY(spl__alloc_zero(&plan->account, 1, kind->size, (void **)part));
    **part = (spl__part){
        .kind = kind,
        .plan = plan,
        .division = division,
        .share = share,
        .device = share->device,
        .a = &division->a,
        .b = &plan->problem.b.csr,
        .d = &plan->problem.d.csr,
        /* side_thread.h */
        .threads = share->device && plan->problem.once ? 1 : plan->problem.options.threads};
    return SPL_OK;
}

void spl__part_free(spl__part *part)
{
    if (!part)
        return;
    part->kind->free(part);
    spl__row_slice_free(&part->host_rows);
    spl__free(part->named);
    spl__image_free(&part->image);
    spl__free(part);
}

/* ---- cutting ---- */

static spl_status cut_block(spl__part *part, int64_t begin, int64_t end, spl__part_block *block)
{
    const spl__problem *p = &part->plan->problem;
    spl__account *account = &part->plan->account;
    const int64_t *order = part->division->order;
    block->begin = begin;
    SPL__TRY(spl__row_slice_make(account, p->threads, part->a, order, begin - part->first,
                                 end - part->first, &block->slices[0]));
    if (p->has_d)
        SPL__TRY(spl__row_slice_make(account, p->threads, part->d, order, begin, end,
                                     &block->slices[1]));
    if (!p->mask.given)
        return SPL_OK;
    const spl_sparse mask =
        spl__mask_view(&p->mask, (spl__mask_shape){p->rows, p->cols, p->a.csr.index_type, true});
    return spl__row_slice_make(account, p->threads, &mask, NULL, begin, end, &block->slices[2]);
}

/* The weight of rows with that work. */
static double weight_of(const spl_plan *plan, double rows, double work)
{
    const spl_sparse *a = &plan->problem.a.csr;
    if (plan->problem.traits->sparse)
        return rows + work;
    return rows * (double)spl__index_size(a->offset_type) +
           work * (double)(spl__index_size(a->index_type) + spl__type_size(a->type));
}

static double weight_at(const spl__part *part, int64_t position)
{
    return weight_of(part->plan, 1,
                     (double)spl__division_work_at(part->plan, part->division, position));
}

/* The end of the block that begins at `begin`. */
static int64_t end_of_block(const spl__part *part, int64_t begin, double most)
{
    int64_t end = begin + 1, last = part->share->begin + part->share->rows;
    double sum = weight_at(part, begin);
    while (end < last && (sum += weight_at(part, end)) <= most)
        end++;
    return end;
}

int64_t spl__part_count(const spl__part *part, double most)
{
    const spl__share *share = part->share;
    int64_t count = 0;
    if (weight_of(part->plan, (double)share->rows, (double)share->work) <= most)
        return 1;
    for (int64_t row = share->begin; row < share->begin + share->rows; count++)
        row = end_of_block(part, row, most);
    return count;
}

spl_status spl__part_cut(spl__part *part, double most)
{
    const int64_t count = spl__part_count(part, most), end = part->share->begin + part->share->rows;
    SPL__TRY(SPL__NEW_ZERO(&part->plan->account, &part->blocks, count));
    part->block_count = count;
    int64_t row = part->share->begin;
    for (int64_t k = 0; k < count; k++) {
        int64_t next = count == 1 ? end : end_of_block(part, row, most);
        SPL__TRY(cut_block(part, row, next, &part->blocks[k]));
        row = next;
    }
    return SPL_OK;
}

void spl__part_drop(spl__part *part)
{
    for (int64_t k = 0; k < part->block_count; k++) {
        spl__plan_free(part->blocks[k].plan);
        for (int n = 0; n < 3; n++)
            spl__row_slice_free(&part->blocks[k].slices[n]);
    }
    spl__free(part->blocks);
    part->blocks = NULL;
    part->block_count = 0;
}

/* ---- plans ---- */

static spl_options options_of(const spl__part *part, const spl__part_block *block)
{
    const char *method = part->share->method;
    spl_options o = part->plan->problem.options;
    o.op_a = o.op_b = SPL_NONE; /* slices are already op(A) and op(B) */
    o.threads = part->threads;
    o.check_inputs = 0;
    o.keep_result = part->keeps;
    o.processors = (uint64_t)1 << part->share->processor;
    o.partition = 0;
    o.capabilities = NULL;
    o.distributed = 0;
    o.method = method && *method ? method : NULL;
    o.mask = part->plan->problem.mask.given ? &block->slices[2].csr : NULL;
    return o;
}

spl_status spl__part_plan_block(spl__part *part, spl__part_block *block,
                                const spl_sparse *const operands[3], bool once)
{
    const spl__problem *p = &part->plan->problem;
    const spl_options options = options_of(part, block);
    const spl__request request = {.kind = p->kind,
                                  .a = operands[0],
                                  .b = operands[1],
                                  .d = operands[2],
                                  .cols = p->cols,
                                  .options = &options,
                                  .once = once,
                                  .account = &part->plan->account,
                                  .on_device = part->queue ? &part->queue->account : NULL};
    return spl__plan_make(p->context, &request, &block->plan);
}

spl_status spl__part_make_plan(spl__part *part)
{
    const spl__problem *p = &part->plan->problem;
    SPL__TRY(spl__part_cut(part, INFINITY));
    spl__part_block *block = part->blocks;
    const spl_sparse *const operands[3] = {&block->slices[0].csr,
                                           p->traits->sparse ? &p->b.csr : NULL,
                                           p->has_d ? &block->slices[1].csr : NULL};
    return spl__part_plan_block(part, block, operands, p->once);
}

/* ---- values ---- */

void spl__part_update_slices(spl__part *part, const spl_sparse *const changed[3])
{
    for (int64_t k = 0; k < part->block_count; k++) {
        if (changed[0])
            spl__row_slice_update(&part->blocks[k].slices[0], part->a);
        if (changed[2])
            spl__row_slice_update(&part->blocks[k].slices[1], part->d);
    }
}

spl_status spl__part_update_plan(spl__part *part, const spl_sparse *const changed[3])
{
    const spl__part_block *block = part->blocks;
    const spl_sparse *const views[3] = {changed[0] ? &block->slices[0].csr : NULL,
                                        changed[1] ? &part->plan->problem.b.csr : NULL,
                                        changed[2] ? &block->slices[1].csr : NULL};
    spl__part_update_slices(part, changed);
    SPL__TRY(spl__plan_update(block->plan, views));
    return part->device ? spl__queue_wait(&block->plan->problem.queue) : SPL_OK;
}
