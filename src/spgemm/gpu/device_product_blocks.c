/* SPDX-License-Identifier: Apache-2.0 */
/* device_product_blocks.c: products of matrices that are made of dense blocks: phases work on
 * structures of blocks, which have as many times fewer entries as a block has, and C is expanded
 * from its own. The same entries as without: every block of C is full, because a product of full
 * blocks is. */
#include "spgemm/gpu/device_product.h"

spl_status spl__device_blocks_factors(spl_plan *plan, int32_t size)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_factors *of = &spl__product_of(plan)->there->of;
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

static spl_status expand(spl_plan *plan, int32_t *columns)
{
    const struct spl__device_product *there = spl__product_of(plan)->there;
    const spl__device_factors *of = &there->of;
    struct spgemm_expand_args args = {.rows = of->a.rows,
                                      .size = of->block,
                                      .block_offsets = of->offsets.data,
                                      .block_columns = of->columns.data,
                                      .offsets = there->offsets.data,
                                      .columns = columns};
    return spl__product_launch(plan, "spgemm_expand", of->a.rows * SPGEMM_BLOCK_LANES, &args,
                               sizeof args);
}

spl_status spl__device_blocks_expand(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = spl__product_of(plan)->there;
    there->nnz *= there->of.block * there->of.block;
    SPL__TRY(spl__queue_alloc(queue, plan->problem.rows + 1, sizeof(int64_t), &there->offsets));
    SPL__TRY(spl__queue_alloc(queue, there->nnz, sizeof(int32_t), &there->columns));
    there->expands_late = plan->problem.once;
    return expand(plan, there->expands_late ? NULL : there->columns.data);
}

int32_t *spl__device_blocks_take_columns(spl_plan *plan)
{
    struct spl__device_product *there = spl__product_of(plan)->there;
    bool wanted = there->expands_late;
    there->expands_late = false;
    return wanted ? there->columns.data : NULL;
}

spl_status spl__device_blocks_settle(spl_plan *plan)
{
    int32_t *columns = spl__device_blocks_take_columns(plan);
    return columns ? expand(plan, columns) : SPL_OK;
}
