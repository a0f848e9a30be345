/* SPDX-License-Identifier: Apache-2.0 */
/* device_product_blocks.c: products of matrices that consist of node blocks. The phases multiply
 * the block structures, which have size*size times fewer entries, and C is expanded from its
 * blocks. C has the same entries as without blocks, because a product of full blocks is full. */
#include "spgemm/gpu/device_product.h"

spl_status spl__device_blocks_factors(spl_plan *plan, int32_t size)
{
    spl__queue *queue = &plan->problem.queue;
    spl__device_factors *factors = &spl__product_of(plan)->device_c->factors;
    SPL__TRY(spl__device_blocks_make(queue, &factors->a, size, &factors->a_blocks));
    if (spl__view_same_structure(&factors->b, &factors->a))
        factors->b_blocks.csr = factors->a_blocks.csr;
    else
        SPL__TRY(spl__device_blocks_make(queue, &factors->b, size, &factors->b_blocks));
    if (plan->problem.has_d)
        SPL__TRY(spl__device_blocks_make(queue, &factors->d, size, &factors->d_blocks));
    factors->a = factors->a_blocks.csr;
    factors->b = factors->b_blocks.csr;
    factors->d = factors->d_blocks.csr;
    factors->block = size;
    return SPL_OK;
}

static spl_status expand(spl_plan *plan, int32_t *columns)
{
    const struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    const spl__device_factors *factors = &device_c->factors;
    struct spgemm_expand_args args = {.rows = factors->a.rows,
                                      .size = factors->block,
                                      .block_offsets = factors->offsets.data,
                                      .block_columns = factors->columns.data,
                                      .offsets = device_c->offsets.data,
                                      .columns = columns};
    return spl__product_launch(plan, "spgemm_expand", factors->a.rows * SPGEMM_BLOCK_LANES, &args,
                               sizeof args);
}

spl_status spl__device_blocks_expand(spl_plan *plan)
{
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    device_c->nnz *= device_c->factors.block * device_c->factors.block;
    SPL__TRY(spl__queue_alloc(queue, plan->problem.rows + 1, sizeof(int64_t), &device_c->offsets));
    SPL__TRY(spl__queue_alloc(queue, device_c->nnz, sizeof(int32_t), &device_c->columns));
    device_c->defers_columns = plan->problem.once;
    return expand(plan, device_c->defers_columns ? NULL : device_c->columns.data);
}

int32_t *spl__device_blocks_take_columns(spl_plan *plan)
{
    struct spl__device_product *device_c = spl__product_of(plan)->device_c;
    bool wanted = device_c->defers_columns;
    device_c->defers_columns = false;
    return wanted ? device_c->columns.data : NULL;
}

spl_status spl__device_blocks_settle(spl_plan *plan)
{
    int32_t *columns = spl__device_blocks_take_columns(plan);
    return columns ? expand(plan, columns) : SPL_OK;
}
