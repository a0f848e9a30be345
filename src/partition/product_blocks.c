/* SPDX-License-Identifier: Apache-2.0 */
/* product_blocks.c: a device's part of a sparse product, block of rows by block.
 *
 * B stays on the device. A block's rows of A and D are copied there, the product's structure, and
 * in executions its values, are copied to the host, and the block's memory is freed: so C may be
 * larger than the device. Structure is found again in each execution, which costs as much as
 * one-shot calls, and allocates: there is no memory to keep plans.
 *
 * In executions another thread (side_thread.h) copies the next block's rows and makes its plan
 * while a block's values are computed and copied to the host. So blocks are sized so that two of
 * them fit the device, if possible; else they are processed sequentially. */
#include "partition/product_blocks.h"

#include "core/checked.h"
#include "partition/side_thread.h"
#include "spgemm/gpu/device_product.h"

#include <string.h>

/* ---- a matrix on the device ---- */

static spl_status upload(spl__queue *queue, const spl_sparse *from, spl__device_array arrays[3],
                         spl_sparse *device_view)
{
    const void *const sources[] = {from->offsets, from->indices, from->values};
    const int64_t counts[] = {from->rows + 1, from->nnz, from->nnz};
    const size_t sizes[] = {spl__index_size(from->offset_type), spl__index_size(from->index_type),
                            spl__type_size(from->type)};
    for (int k = 0; k < 3; k++) {
        SPL__TRY(spl__queue_alloc(queue, counts[k], sizes[k], &arrays[k]));
        SPL__TRY(spl__queue_copy(queue, arrays[k].data, sources[k], arrays[k].bytes));
    }
    *device_view = *from;
    device_view->place = queue->device->place;
    device_view->offsets = arrays[0].data;
    device_view->indices = arrays[1].data;
    device_view->values = arrays[2].data;
    return SPL_OK;
}

static void drop(spl__queue *queue, spl__device_array arrays[3])
{
    for (int k = 0; k < 3; k++)
        spl__queue_free(queue, &arrays[k]);
}

/* ---- one block ---- */

/* The state of a block on the device. */
typedef struct visit {
    spl_plan *plan; /* the whole plan */
    spl__spread_part *part;
    spl__spread_block *block;
    spl__device_array a[3], d[3];
    spl_sparse device_a, device_d;
} visit;

static spl_status arrive(void *work)
{
    visit *v = work;
    spl__queue *queue = &v->part->queue;
    bool has_d = v->plan->problem.has_d;
    SPL__TRY(upload(queue, &v->block->slices[0].csr, v->a, &v->device_a));
    if (has_d)
        SPL__TRY(upload(queue, &v->block->slices[1].csr, v->d, &v->device_d));
    SPL__TRY(spl__queue_wait(queue));
    const spl_sparse *const device_view[3] = {&v->device_a, &v->part->passing->device_b,
                                              has_d ? &v->device_d : NULL};
    return spl__spread_block_plan(v->plan, v->part, v->block, device_view, true);
}

/* Adds the counts of the block's plan to the part's. */
static void count(spl__queue *part, const spl__queue *block)
{
    atomic_fetch_add(&part->launches, atomic_load(&block->launches));
    atomic_fetch_add(&part->synchronisations, atomic_load(&block->synchronisations));
    atomic_fetch_add(&part->fetched, atomic_load(&block->fetched));
}

static spl_status leave(visit *v)
{
    spl__spread_part *part = v->part;
    spl__spread_block *block = v->block;
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

/* Copies the offsets and columns of the block's rows of C to the host. */
static spl_status keep_structure(spl_plan *plan, const spl__spread_block *block,
                                 spl__block_result *result)
{
    const struct spl__device_product *c = spl__product_of(block->plan)->device_c;
    spl__queue *queue = &block->plan->problem.queue;
    result->nnz = c->nnz;
    SPL__TRY(spl__device_blocks_settle(block->plan));
    SPL__TRY(SPL__NEW(&plan->account, &result->offsets, block->slices[0].csr.rows + 1));
    SPL__TRY(spl__alloc(&plan->account, c->nnz, sizeof(int32_t), &result->columns));
    SPL__TRY(spl__queue_bring(queue, result->offsets, c->offsets.data, c->offsets.bytes));
    SPL__TRY(spl__queue_bring(queue, result->columns, c->columns.data, c->columns.bytes));
    return spl__queue_wait(queue);
}

static spl_status bring_values(spl__spread_block *block, const spl__call *call, void *values)
{
    const spl__device_array *device_array = &spl__product_of(block->plan)->device_c->values;
    spl__queue *queue = &block->plan->problem.queue;
    spl__call part_call = *call;
    part_call.values = device_array->data;
    SPL__TRY(spl__plan_execute(block->plan, SPL__PHASE_numeric, &part_call, NULL));
    SPL__TRY(spl__queue_bring(queue, values, device_array->data, device_array->bytes));
    return spl__queue_wait(queue);
}

/* ---- all blocks ---- */

static bool lacks_memory(spl_status status)
{
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY;
}

/* The operation on a block with its plan; `with` is the caller's context. In executions it is
 * retried after a lack of memory. */
typedef spl_status (*visit_fn)(const visit *v, void *with);

/* When the next block is copied: after the current one is done; before it is used, so that
 * fitting does not depend on timing; or concurrently. */
typedef enum arrival { AFTERWARDS, BEFORE, MEANWHILE } arrival;

/* A pass over all blocks, with at most two of them on the device at a time. */
typedef struct round {
    visit_fn use;
    void *with;
    arrival arrival;
    visit visits[2];
    bool arrived; /* the next block is on the device */
} round;

/* Copies the next block; frees it again if it does not fit besides the current one. */
static spl_status arrive_or_leave(void *work)
{
    spl_status status = arrive(work);
    if (status != SPL_OK)
        (void)leave(work);
    return status;
}

static spl_status use_behind_next(round *r, visit *current, visit *next)
{
    SPL__TRY(arrive_or_leave(next));
    r->arrived = true;
    return r->use(current, r->with);
}

/* A block that does not fit besides the current one is copied afterwards. */
static spl_status use_while_next_arrives(round *r, visit *current, visit *next)
{
    spl__side_thread side;
    spl__failure use = {0};
    spl__side_thread_begin(&side, arrive_or_leave, next);
    spl__failure_note(&use, r->use(current, r->with));
    spl_status arrived = spl__side_thread_end(&side);
    r->arrived = arrived == SPL_OK;
    if (!r->arrived && !lacks_memory(arrived))
        return arrived;
    if (!lacks_memory((spl_status)atomic_load(&use.status)))
        return spl__failure_raise(&use);
    if (r->arrived) /* the next block may be the cause */
        SPL__TRY(leave(next));
    r->arrived = false;
    return r->use(current, r->with);
}

static spl_status use_block(round *r, visit *current, visit *next)
{
    if (!r->arrived)
        SPL__TRY(arrive_or_leave(current));
    r->arrived = false;
    spl_status status = !next || r->arrival == AFTERWARDS ? r->use(current, r->with)
                        : r->arrival == BEFORE            ? use_behind_next(r, current, next)
                                               : use_while_next_arrives(r, current, next);
    if (status != SPL_OK && r->arrived)
        (void)leave(next);
    spl_status left = leave(current);
    return status == SPL_OK ? left : status;
}

static spl_status use_blocks(spl_plan *plan, spl__spread_part *part, arrival arrives, visit_fn use,
                             void *with)
{
    round r = {.use = use, .with = with, .arrival = arrives};
    r.visits[0] = (visit){.plan = plan, .part = part, .block = part->blocks};
    for (int64_t k = 0; k < part->block_count; k++) {
        visit *current = &r.visits[k % 2], *next = &r.visits[(k + 1) % 2];
        *next = (visit){.plan = plan, .part = part, .block = &part->blocks[k + 1]};
        SPL__TRY(use_block(&r, current, k + 1 < part->block_count ? next : NULL));
    }
    return SPL_OK;
}

/* Threads for copies during planning: one, while the CPU's plan is made concurrently. */
static int host_threads(const spl_plan *plan)
{
    return plan->problem.once ? 1 : plan->problem.threads;
}

static spl_status find_block(const visit *v, void *with)
{
    (void)with;
    spl__product_blocks *p = v->part->passing;
    spl__block_result *result = &p->results[v->block - v->part->blocks];
    v->block->plan->problem.queue.threads = host_threads(v->plan);
    SPL__TRY(keep_structure(v->plan, v->block, result));
    p->nnz += result->nnz;
    return SPL_OK;
}

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

static spl_status find_blocks(spl_plan *plan, spl__spread_part *part, double most, arrival arrives)
{
    spl__product_blocks *p = part->passing;
    SPL__TRY(spl__spread_blocks_cut(plan, part, most));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &p->results, part->block_count));
    SPL__TRY(use_blocks(plan, part, arrives, find_block, NULL));
    if (!plan->spread->keeps)
        return SPL_OK;
    return spl__alloc(&plan->account, p->nnz, spl__type_size(plan->problem.a.csr.type), &p->values);
}

/* Halves the work per block until blocks fit or are single rows. */
static spl_status fit_blocks(spl_plan *plan, spl__spread_part *part, arrival arrives)
{
    for (double most = (double)part->work / 2;; most /= 2) {
        int64_t count = spl__spread_blocks_count(plan, part, most);
        spl_status status = find_blocks(plan, part, most, arrives);
        if (!lacks_memory(status) || count == part->rows)
            return status;
        forget(part);
    }
}

spl_status spl__product_blocks_make(spl_plan *plan, spl__spread_part *part)
{
    spl__queue_init(&part->queue, part->device, plan->problem.options.memory_budget,
                    host_threads(plan));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &part->passing, 1));
    SPL__TRY(
        upload(&part->queue, &plan->problem.b.csr, part->passing->b, &part->passing->device_b));
    SPL__TRY(spl__queue_wait(&part->queue));
    part->queue.threads = 1; /* the side thread copies blocks */
    spl_status status = fit_blocks(plan, part, BEFORE);
    if (!lacks_memory(status))
        return status;
    forget(part);
    return fit_blocks(plan, part, AFTERWARDS);
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

/* The destination of the next block's values, and the call that computes them. */
typedef struct values_target {
    const spl__call *call;
    char *to;
} values_target;

static spl_status compute_block(const visit *v, void *with)
{
    values_target *target = with;
    const spl__product_blocks *p = v->part->passing;
    v->block->plan->problem.queue.threads = v->plan->problem.threads;
    SPL__TRY(bring_values(v->block, target->call, target->to));
    target->to += (size_t)p->results[v->block - v->part->blocks].nnz *
                  spl__type_size(v->plan->problem.a.csr.type);
    return SPL_OK;
}

spl_status spl__product_blocks_run(spl_plan *plan, spl__spread_part *part, const spl__call *call,
                                   void *values)
{
    spl__product_blocks *p = part->passing;
    values_target target = {call, values ? values : p->values};
    SPL__TRY(use_blocks(plan, part, MEANWHILE, compute_block, &target));
    p->computed = p->computed || !values;
    return SPL_OK;
}

void spl__product_blocks_export(const spl_plan *plan, const spl__spread_part *part, void *offsets,
                                spl_index type, int64_t first, void *columns, void *values)
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
            to = (char *)memcpy(to, r->columns, (size_t)r->nnz * sizeof(int32_t)) +
                 (size_t)r->nnz * sizeof(int32_t);
        first += r->nnz;
    }
    if (values && p->nnz > 0)
        memcpy(values, p->values, (size_t)p->nnz * size);
}

spl_status spl__product_blocks_update(spl_plan *plan, spl__spread_part *part)
{
    const spl__device_array *values = &part->passing->b[2];
    SPL__TRY(
        spl__queue_copy(&part->queue, values->data, plan->problem.b.csr.values, values->bytes));
    return spl__queue_wait(&part->queue);
}
