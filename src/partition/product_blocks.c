/* SPDX-License-Identifier: Apache-2.0 */
/* product_blocks.c: a device's part of a sparse product, block of rows by block.
 *
 * B stays on the device. A block's rows of A and D go there, the product's structure, and in executions its values, come home, and all that the
 * block needed is given back before the next: C may be larger than the device. So structure is found again in each execution, which costs what
 * one-shot calls cost, and allocates: there is no room to keep what plans keep. */
#include "partition/product_blocks.h"

#include "core/checked.h"
#include "spgemm/device_product.h"

#include <string.h>

/* ---- a matrix on the device ---- */

static spl_status upload(spl__queue *queue, const spl_sparse *from, spl__device_array arrays[3], spl_sparse *there)
{
    const void *const sources[] = {from->offsets, from->indices, from->values};
    const int64_t counts[] = {from->rows + 1, from->nnz, from->nnz};
    const size_t sizes[] = {spl__index_size(from->offset_type), spl__index_size(from->index_type),
                            spl__type_size(from->type)};
    for (int k = 0; k < 3; k++) {
        SPL__TRY(spl__queue_alloc(queue, counts[k], sizes[k], &arrays[k]));
        SPL__TRY(spl__queue_copy(queue, arrays[k].data, sources[k], arrays[k].bytes));
    }
    *there = *from;
    there->place = queue->device->place;
    there->offsets = arrays[0].data;
    there->indices = arrays[1].data;
    there->values = arrays[2].data;
    return SPL_OK;
}

static void drop(spl__queue *queue, spl__device_array arrays[3])
{
    for (int k = 0; k < 3; k++)
        spl__queue_free(queue, &arrays[k]);
}

/* ---- one block ---- */

/* What a block has on the device while it is computed. */
typedef struct visit {
    spl__device_array a[3], d[3];
    spl_sparse a_there, d_there;
} visit;

static spl_status arrive(spl_plan *plan, spl__spread_part *part, spl__spread_block *block, visit *v)
{
    spl__queue *queue = &part->queue;
    bool has_d = plan->problem.has_d;
    SPL__TRY(upload(queue, &block->slices[0].csr, v->a, &v->a_there));
    if (has_d)
        SPL__TRY(upload(queue, &block->slices[1].csr, v->d, &v->d_there));
    SPL__TRY(spl__queue_wait(queue));
    const spl_sparse *const there[3] = {&v->a_there, &part->passing->b_there, has_d ? &v->d_there : NULL};
    return spl__spread_block_plan(plan, part, block, there, true);
}

/* What the block's plan did counts as the part's. */
static void count(spl__queue *part, const spl__queue *block)
{
    atomic_fetch_add(&part->launches, atomic_load(&block->launches));
    atomic_fetch_add(&part->synchronisations, atomic_load(&block->synchronisations));
    atomic_fetch_add(&part->fetched, atomic_load(&block->fetched));
}

static spl_status leave(spl__spread_part *part, spl__spread_block *block, visit *v)
{
    spl__queue *queue = &part->queue;
    if (block->plan)
        count(queue, &block->plan->problem.queue);
    spl__plan_free(block->plan);
    block->plan = NULL;
    spl_status status = spl__device_wait(part->device, part->device->stream);
    drop(queue, v->a);
    drop(queue, v->d);
    return status;
}

/* Offsets and columns of the block's rows of C, home. */
static spl_status keep_structure(spl_plan *plan, const spl__spread_block *block, spl__block_result *result)
{
    const struct spl__device_product *c = spl__product_of(block->plan)->there;
    spl__queue *queue = &block->plan->problem.queue;
    result->nnz = c->nnz;
    SPL__TRY(SPL__NEW(&plan->account, &result->offsets, block->slices[0].csr.rows + 1));
    SPL__TRY(spl__alloc(&plan->account, c->nnz, sizeof(int32_t), &result->columns));
    SPL__TRY(spl__queue_bring(queue, result->offsets, c->offsets.data, c->offsets.bytes));
    SPL__TRY(spl__queue_bring(queue, result->columns, c->columns.data, c->columns.bytes));
    return spl__queue_wait(queue);
}

static spl_status find_block(spl_plan *plan, spl__spread_part *part, int64_t k)
{
    visit v = {0};
    spl__spread_block *block = &part->blocks[k];
    spl_status status = arrive(plan, part, block, &v);
    if (status == SPL_OK)
        status = keep_structure(plan, block, &part->passing->results[k]);
    spl_status left = leave(part, block, &v);
    return status == SPL_OK ? left : status;
}

static spl_status bring_values(spl__spread_block *block, const spl__call *call, void *values)
{
    const spl__device_array *there = &spl__product_of(block->plan)->there->values;
    spl__queue *queue = &block->plan->problem.queue;
    spl__call own = *call;
    own.values = there->data;
    SPL__TRY(spl__plan_execute(block->plan, SPL__PHASE_numeric, &own, NULL));
    SPL__TRY(spl__queue_bring(queue, values, there->data, there->bytes));
    return spl__queue_wait(queue);
}

/* ---- all blocks ---- */

static void forget(spl__spread_part *part)
{
    spl__product_blocks *p = part->passing;
    for (int64_t k = 0; p->results && k < part->block_count; k++) {
        spl__free(p->results[k].offsets);
        spl__free(p->results[k].columns);
    }
    spl__free(p->results);
    p->results = NULL;
    p->nnz = 0;
    spl__spread_blocks_free(part);
}

static spl_status find_blocks(spl_plan *plan, spl__spread_part *part, double most)
{
    spl__product_blocks *p = part->passing;
    SPL__TRY(spl__spread_blocks_cut(plan, part, most));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &p->results, part->block_count));
    for (int64_t k = 0; k < part->block_count; k++) {
        SPL__TRY(find_block(plan, part, k));
        p->nnz += p->results[k].nnz;
    }
    if (!plan->spread->keeps)
        return SPL_OK;
    return spl__alloc(&plan->account, p->nnz, spl__type_size(plan->problem.a.csr.type), &p->values);
}

/* Half as much work in each block, until they fit or are single rows. */
static spl_status fit_blocks(spl_plan *plan, spl__spread_part *part)
{
    for (double most = (double)part->work / 2;; most /= 2) {
        int64_t count = spl__spread_blocks_count(plan, part, most);
        spl_status status = find_blocks(plan, part, most);
        bool memory = status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY;
        if (!memory || count == part->rows)
            return status;
        forget(part);
    }
}

spl_status spl__product_blocks_make(spl_plan *plan, spl__spread_part *part)
{
    spl__queue_init(&part->queue, part->device, plan->problem.options.memory_budget, plan->problem.threads);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &part->passing, 1));
    SPL__TRY(upload(&part->queue, &plan->problem.b.csr, part->passing->b, &part->passing->b_there));
    SPL__TRY(spl__queue_wait(&part->queue));
    return fit_blocks(plan, part);
}

void spl__product_blocks_free(spl__spread_part *part)
{
    if (!part->passing)
        return;
    forget(part);
    (void)spl__device_wait(part->device, part->device->stream);
    drop(&part->queue, part->passing->b);
    spl__free(part->passing->values);
    spl__free(part->passing);
    part->passing = NULL;
}

spl_status spl__product_blocks_run(spl_plan *plan, spl__spread_part *part, const spl__call *call, void *values)
{
    spl__product_blocks *p = part->passing;
    char *to = values ? values : p->values;
    for (int64_t k = 0; k < part->block_count; k++) {
        visit v = {0};
        spl__spread_block *block = &part->blocks[k];
        spl_status status = arrive(plan, part, block, &v);
        if (status == SPL_OK)
            status = bring_values(block, call, to);
        spl_status left = leave(part, block, &v);
        SPL__TRY(status == SPL_OK ? left : status);
        to += (size_t)p->results[k].nnz * spl__type_size(plan->problem.a.csr.type);
    }
    p->computed = p->computed || !values;
    return SPL_OK;
}

void spl__product_blocks_export(const spl_plan *plan, const spl__spread_part *part, void *offsets, spl_index type,
                                int64_t first, void *columns, void *values)
{
    const spl__product_blocks *p = part->passing;
    size_t size = spl__type_size(plan->problem.a.csr.type);
    char *to = columns;
    for (int64_t k = 0; k < part->block_count; k++) {
        const spl__block_result *r = &p->results[k];
        int64_t row = part->blocks[k].begin - part->begin;
        for (int64_t i = 0; offsets && i <= part->blocks[k].slices[0].csr.rows; i++)
            spl__index_set(offsets, type, row + i, first + r->offsets[i]);
        if (columns && r->nnz > 0)
            to = (char *)memcpy(to, r->columns, (size_t)r->nnz * sizeof(int32_t)) + (size_t)r->nnz * sizeof(int32_t);
        first += r->nnz;
    }
    if (values && p->nnz > 0)
        memcpy(values, p->values, (size_t)p->nnz * size);
}

spl_status spl__product_blocks_update(spl_plan *plan, spl__spread_part *part)
{
    const spl__device_array *values = &part->passing->b[2];
    SPL__TRY(spl__queue_copy(&part->queue, values->data, plan->problem.b.csr.values, values->bytes));
    return spl__queue_wait(&part->queue);
}
