/* SPDX-License-Identifier: Apache-2.0 */
/* device_product_blocks.c: products of matrices that are made of dense blocks: phases work on structures of blocks, which have as many times fewer
 * entries as a block has, and C is expanded from its own. The same entries as without: every block of C is full, because a product of full blocks
 * is. */
#include "spgemm/device_product.h"

#include <string.h>

static const char values_of_blocks[] = "spgemm/numeric/gpu/blocks";

const char spl__known_by_blocks[] = "C's structure is known by blocks";

const char *spl__not_for_blocks(const spl__task *task)
{
    return spl__product_of(task->plan)->there->of.block > 1 ? spl__known_by_blocks : NULL;
}

/* Methods that are asked for by name, and the sources' rules, mean the matrix as it is. */
static bool may_be_blocks(const spl_plan *plan)
{
    const spl_options *options = &plan->problem.options;
    if (options->method)
        return strcmp(options->method, values_of_blocks) == 0;
    return options->policy != SPL_POLICY_RULES;
}

/* What the surveys of resident operands found; those that were sent here are looked at now. */
static spl_status look_for_blocks(spl_plan *plan, spl__operand *const *operands, int count, int64_t *found)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_array there;
    uint32_t numbers[3] = {0};
    if (!plan->problem.staged) {
        for (int i = 0; i < count; i++)
            found[i] = operands[i]->survey.block;
        return SPL_OK;
    }
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof numbers, &there));
    spl_status status = spl__queue_fill(queue, there.data, 0, sizeof numbers);
    for (int i = 0; i < count && status == SPL_OK; i++)
        status = spl__device_blocks_look(queue, &operands[i]->csr, (uint32_t *)there.data + i);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, numbers, there.data, sizeof numbers);
    spl__queue_free(queue, &there);
    for (int i = 0; i < count; i++)
        found[i] = numbers[i];
    return status;
}

static spl_status find_size(spl_plan *plan, int32_t *size)
{
    spl__problem *p = &plan->problem;
    spl__operand *const operands[] = {&p->a, &p->b, &p->d};
    const spl_sparse *const matrices[] = {&p->a.csr, &p->b.csr, &p->d.csr};
    int64_t found[3];
    int count = p->has_d ? 3 : 2;
    *size = 1;
    if (!may_be_blocks(plan))
        return SPL_OK;
    SPL__TRY(look_for_blocks(plan, operands, count, found));
    *size = spl__device_block_size(matrices, found, count, SPGEMM_MOST_BLOCK);
    return SPL_OK;
}

static spl_status make_blocks(spl_plan *plan, spl__device_factors *of, int32_t size)
{
    spl__queue *queue = &plan->problem.queue;
    SPL__TRY(spl__device_blocks_make(queue, &of->a, size, &of->a_blocks));
    if (spl__view_same_structure(&of->b, &of->a))
        of->b_blocks.csr = of->a_blocks.csr;
    else
        SPL__TRY(spl__device_blocks_make(queue, &of->b, size, &of->b_blocks));
    if (plan->problem.has_d)
        SPL__TRY(spl__device_blocks_make(queue, &of->d, size, &of->d_blocks));
    of->a = of->a_blocks.csr;
    of->b = of->b_blocks.csr;
    of->d = of->d_blocks.csr;
    of->block = size;
    return SPL_OK;
}

spl_status spl__device_factors_make(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    spl__device_factors *of = &spl__product_of(plan)->there->of;
    int32_t size;
    of->a = p->a.csr;
    of->b = p->b.csr;
    if (p->has_d)
        of->d = p->d.csr;
    of->block = 1;
    SPL__TRY(find_size(plan, &size));
    return size > 1 ? make_blocks(plan, of, size) : SPL_OK;
}

spl_status spl__device_factors_expand(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    spl__device_factors *of = &there->of;
    if (of->block == 1)
        return SPL_OK;
    of->offsets = there->offsets;
    of->columns = there->columns;
    there->offsets = there->columns = (spl__device_array){NULL, 0};
    there->nnz *= of->block * of->block;
    SPL__TRY(spl__queue_alloc(queue, plan->problem.rows + 1, sizeof(int64_t), &there->offsets));
    SPL__TRY(spl__queue_alloc(queue, there->nnz, sizeof(int32_t), &there->columns));
    struct spgemm_expand_args args = {.rows = of->a.rows,
                                      .size = of->block,
                                      .block_offsets = of->offsets.data,
                                      .block_columns = of->columns.data,
                                      .offsets = there->offsets.data,
                                      .columns = there->columns.data};
    return spl__product_launch(plan, "spgemm_expand", of->a.rows * SPGEMM_BLOCK_LANES, &args, sizeof args);
}

const int64_t *spl__device_offsets(const spl_plan *plan)
{
    const struct spl__device_product *there = spl__product_of(plan)->there;
    return there->of.offsets.data ? there->of.offsets.data : there->offsets.data;
}

const int32_t *spl__device_columns(const spl_plan *plan)
{
    const struct spl__device_product *there = spl__product_of(plan)->there;
    return there->of.offsets.data ? there->of.columns.data : there->columns.data;
}

void spl__device_factors_free(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_factors *of = &spl__product_of(plan)->there->of;
    spl__device_blocks_free(queue, &of->a_blocks);
    spl__device_blocks_free(queue, &of->b_blocks);
    spl__device_blocks_free(queue, &of->d_blocks);
    spl__queue_free(queue, &of->offsets);
    spl__queue_free(queue, &of->columns);
}
