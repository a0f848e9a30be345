/* SPDX-License-Identifier: Apache-2.0 */
/* spread_blocks.c: divides the rows of a part into blocks, and makes plans for them. */
#include "partition/spread.h"

const spl_sparse *spl__spread_source(const spl_plan *plan, const spl__spread_part *part,
                                     int64_t *first)
{
    bool copied = part->host_rows.csr.format;
    *first = copied ? part->begin : 0;
    if (spl__product_in_place(plan, part))
        return &plan->spread->operands[0].cut;
    return copied ? &part->host_rows.csr : &plan->spread->a;
}

/* The same for D, which is not reordered. */
static const spl_sparse *source_of_d(const spl_plan *plan, const spl__spread_part *part)
{
    return spl__product_in_place(plan, part) ? &plan->spread->operands[2].cut
                                             : &plan->problem.d.csr;
}

const spl_sparse *spl__spread_right(const spl_plan *plan, const spl__spread_part *part)
{
    return spl__product_in_place(plan, part) ? &plan->spread->operands[1].device_view
                                             : &plan->problem.b.csr;
}

spl_sparse spl__spread_slice(const spl_plan *plan, const spl__spread_part *part,
                             const spl__spread_block *block, int operand)
{
    spl_sparse slice = block->slices[operand > 0].csr;
    if (spl__product_in_place(plan, part))
        slice.offsets = plan->spread->operands[operand].device_offsets.data;
    return slice;
}

void spl__spread_block_update(const spl_plan *plan, const spl__spread_part *part,
                              spl__spread_block *block, const spl_sparse *const operands[3])
{
    int64_t first;
    if (operands[0])
        spl__row_slice_update(&block->slices[0], spl__spread_source(plan, part, &first));
    if (operands[2])
        spl__row_slice_update(&block->slices[1], source_of_d(plan, part));
}

/* Makes blocks; block k has rows begin[k] to begin[k+1] - 1. */
static spl_status make_blocks(spl_plan *plan, spl__spread_part *part, const int64_t *begin,
                              int64_t count)
{
    const spl__problem *p = &plan->problem;
    const int64_t *order = plan->spread->order;
    int64_t first;
    const spl_sparse *a = spl__spread_source(plan, part, &first);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &part->blocks, count));
    part->block_count = count;
    for (int64_t k = 0; k < count; k++) {
        spl__spread_block *b = &part->blocks[k];
        b->begin = begin[k];
        SPL__TRY(spl__row_slice_make(&plan->account, p->threads, a, order, begin[k] - first,
                                     begin[k + 1] - first, &b->slices[0]));
        if (p->has_d)
            SPL__TRY(spl__row_slice_make(&plan->account, p->threads, source_of_d(plan, part), order,
                                         begin[k], begin[k + 1], &b->slices[1]));
    }
    return SPL_OK;
}

/* ---- cutting ---- */

/* The weight of a row: bytes of A, or its memory in a sparse product. */
static double weight_of(const spl_plan *plan, int64_t position)
{
    const spl__problem *p = &plan->problem;
    int64_t row = plan->spread->order ? plan->spread->order[position] : position;
    double work = (double)spl__spread_work_of(plan, row);
    if (p->kind == SPL__KIND_spgemm)
        return 1 + work;
    return (double)spl__index_size(p->a.csr.offset_type) +
           work * (double)(spl__index_size(p->a.csr.index_type) + spl__type_size(p->a.csr.type));
}

/* The weight of the whole part, without a pass over rows. */
static double weight_of_part(const spl_plan *plan, const spl__spread_part *part)
{
    const spl_sparse *a = &plan->problem.a.csr;
    double rows = (double)part->rows, work = (double)part->work;
    if (plan->problem.kind == SPL__KIND_spgemm)
        return rows + work;
    return rows * (double)spl__index_size(a->offset_type) +
           work * (double)(spl__index_size(a->index_type) + spl__type_size(a->type));
}

/* The end of the block that begins at `begin`. */
static int64_t end_of_block(const spl_plan *plan, const spl__spread_part *part, int64_t begin,
                            double most)
{
    int64_t end = begin + 1, last = part->begin + part->rows;
    double sum = weight_of(plan, begin);
    while (end < last && (sum += weight_of(plan, end)) <= most)
        end++;
    return end;
}

/* Writes the blocks' ends to begin[1], begin[2], ..., unless NULL; returns their number. */
static int64_t cut(const spl_plan *plan, const spl__spread_part *part, double most, int64_t *begin)
{
    int64_t count = 0;
    if (part->rows > 0 && weight_of_part(plan, part) <= most) {
        if (begin)
            begin[1] = part->begin + part->rows;
        return 1;
    }
    for (int64_t row = part->begin; row < part->begin + part->rows;) {
        row = end_of_block(plan, part, row, most);
        count++;
        if (begin)
            begin[count] = row;
    }
    return count;
}

int64_t spl__spread_blocks_count(const spl_plan *plan, const spl__spread_part *part, double most)
{
    return cut(plan, part, most, NULL);
}

spl_status spl__spread_blocks_cut(spl_plan *plan, spl__spread_part *part, double most)
{
    int64_t *begin, count = cut(plan, part, most, NULL);
    SPL__TRY(SPL__NEW(&plan->account, &begin, count + 1));
    begin[0] = part->begin;
    cut(plan, part, most, begin);
    spl_status status = make_blocks(plan, part, begin, count);
    spl__free(begin);
    return status;
}

void spl__spread_blocks_free(spl__spread_part *part)
{
    for (int64_t k = 0; k < part->block_count; k++) {
        spl__plan_free(part->blocks[k].plan);
        spl__row_slice_free(&part->blocks[k].slices[0]);
        spl__row_slice_free(&part->blocks[k].slices[1]);
    }
    spl__free(part->blocks);
    part->blocks = NULL;
    part->block_count = 0;
}

static spl_options options_of(const spl_plan *plan, const spl__spread_part *part)
{
    spl_options o = plan->problem.options;
    o.op_a = o.op_b = SPL_NONE; /* slices are already op(A) and op(B) */
    if (part->device && (plan->problem.once || part->passing))
        o.threads = 1; /* side_thread.h */
    o.check_inputs = 0;
    o.keep_result = plan->spread->keeps || part->passing;
    o.processors = (uint64_t)1 << part->processor;
    o.partition = 0;
    o.capabilities = NULL;
    o.distributed = 0;
    o.method = part->method && *part->method ? part->method : NULL;
    return o;
}

spl_status spl__spread_block_plan(spl_plan *plan, spl__spread_part *part, spl__spread_block *block,
                                  const spl_sparse *const operands[3], bool once)
{
    const spl__problem *p = &plan->problem;
    spl_options options = options_of(plan, part);
    spl__request request = {.kind = p->kind,
                            .a = operands[0],
                            .b = operands[1],
                            .d = operands[2],
                            .cols = p->cols,
                            .options = &options,
                            .once = once,
                            .account = &plan->account,
                            .on_device =
                                part->has_queue || part->passing ? &part->queue.account : NULL};
    return spl__plan_make(p->context, &request, &block->plan);
}

spl_status spl__spread_part_plan(spl_plan *plan, spl__spread_part *part)
{
    const spl__problem *p = &plan->problem;
    const int64_t ends[2] = {part->begin, part->begin + part->rows};
    SPL__TRY(make_blocks(plan, part, ends, 1));
    spl__spread_block *block = &part->blocks[0];
    const spl_sparse *const operands[3] = {&block->slices[0].csr,
                                           p->kind == SPL__KIND_spgemm ? &p->b.csr : NULL,
                                           p->has_d ? &block->slices[1].csr : NULL};
    return spl__spread_block_plan(plan, part, block, operands, p->once);
}
