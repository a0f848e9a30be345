/* SPDX-License-Identifier: Apache-2.0 */
/* part_product_blocks.c: a device's part of a sparse product whose operands and result do not fit
 * the device together: block of rows by block.
 *
 * B stays on the device. A block's rows of A and D are copied there, the product's structure, and
 * in executions its values, are copied to the host, and the block's memory is freed: so C may be
 * larger than the device. Structure is found again in each execution, which costs as much as
 * one-shot calls, and allocates: there is no memory to keep plans.
 *
 * In executions another thread (side_thread.h) copies the next block's rows and makes its plan
 * while a block's values are computed and copied to the host. So blocks are sized so that two of
 * them fit the device, if possible; else they are processed sequentially. */
#include "partition/device_slot.h"
#include "partition/parts.h"
#include "partition/side_thread.h"
#include "spgemm/gpu/device_product.h"

#include <omp.h>
#include <string.h>

/* The result of one block, on the host. */
typedef struct block_result {
    int64_t nnz;
    int64_t *offsets; /* rows + 1 */
    void *columns;
} block_result;

typedef struct passing {
    spl__part base;
    spl__queue queue;
    spl__device_slot b; /* B, which stays on the device */
    spl_sparse device_b;
    block_result *results; /* one per block */
    int64_t nnz;
    void *values; /* of C, if the caller's plan keeps them */
    bool keeps_values;
    bool computed;
} passing;

static passing *passing_of(spl__part *part)
{
    return (passing *)part;
}

/* ---- one block ---- */

/* The state of a block on the device. */
typedef struct visit {
    spl__part *part;
    spl__part_block *block;
    spl__device_slot slots[2]; /* of A and D */
    spl_sparse views[2];
} visit;

static spl_status upload(spl__queue *queue, const spl_sparse *from, spl__device_slot *slot,
                         spl_sparse *device_view)
{
    SPL__TRY(spl__slot_make(queue, from, from->rows, from->nnz, slot));
    *device_view = spl__slot_view(queue, from, slot);
    return spl__slot_fill(queue, from, slot);
}

static spl_status arrive(void *work)
{
    visit *v = work;
    const bool has_d = v->part->plan->problem.has_d;
    for (int k = 0; k < 1 + has_d; k++)
        SPL__TRY(upload(v->part->queue, &v->block->slices[k].csr, &v->slots[k], &v->views[k]));
    SPL__TRY(spl__queue_wait(v->part->queue));
    const spl_sparse *const views[3] = {&v->views[0], &passing_of(v->part)->device_b,
                                        has_d ? &v->views[1] : NULL};
    return spl__part_plan_block(v->part, v->block, views, true);
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
    spl__part *part = v->part;
    spl__part_block *block = v->block;
    if (block->plan)
        count(part->queue, &block->plan->problem.queue);
    spl__plan_free(block->plan);
    block->plan = NULL;
    spl_status status = spl__device_wait(part->device, part->device->stream);
    for (int k = 0; k < 2; k++)
        spl__slot_free(part->queue, &v->slots[k]);
    return status;
}

/* Copies the offsets and columns of the block's rows of C to the host. */
static spl_status keep_structure(spl_plan *plan, const spl__part_block *block, block_result *result)
{
    const spl__device_product *c = spl__device_product_of(block->plan);
    spl__queue *queue = &block->plan->problem.queue;
    result->nnz = c->nnz;
    SPL__TRY(spl__form_settle(block->plan));
    SPL__TRY(SPL__NEW(&plan->account, &result->offsets, block->slices[0].csr.rows + 1));
    SPL__TRY(spl__alloc(&plan->account, c->nnz, sizeof(int32_t), &result->columns));
    SPL__TRY(spl__queue_bring(queue, result->offsets, c->offsets.data, c->offsets.bytes));
    SPL__TRY(spl__queue_bring(queue, result->columns, c->columns.data, c->columns.bytes));
    return spl__queue_wait(queue);
}

static spl_status bring_values(spl__part_block *block, const spl__call *call, void *values)
{
    const spl__device_array *device_array = &spl__device_product_of(block->plan)->values;
    spl__queue *queue = &block->plan->problem.queue;
    spl__call part_call = *call;
    part_call.values = device_array->data;
    SPL__TRY(spl__plan_execute(block->plan, SPL__PHASE_numeric, &part_call, NULL));
    SPL__TRY(spl__queue_bring(queue, values, device_array->data, device_array->bytes));
    return spl__queue_wait(queue);
}

/* ---- all blocks ---- */

/* The operation on a block with its plan; `context` is the caller's context. In executions it is
 * retried after a lack of memory. */
typedef spl_status (*visit_fn)(const visit *v, void *context);

/* When the next block is copied: after the current one is done; before it is used, so that
 * fitting does not depend on timing; or concurrently. */
typedef enum arrival { AFTERWARDS, BEFORE, MEANWHILE } arrival;

/* A pass over all blocks, with at most two of them on the device at a time. */
typedef struct round {
    visit_fn use;
    void *context;
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
    return r->use(current, r->context);
}

/* A block that does not fit besides the current one is copied afterwards. */
static spl_status use_while_next_arrives(round *r, visit *current, visit *next)
{
    spl__side_thread side;
    spl__failure use = {0};
    spl__side_thread_begin(&side, arrive_or_leave, next);
    spl__failure_note(&use, r->use(current, r->context));
    spl_status arrived = spl__side_thread_end(&side);
    r->arrived = arrived == SPL_OK;
    if (!r->arrived && !spl__lacks_memory(arrived))
        return arrived;
    if (!spl__lacks_memory((spl_status)atomic_load(&use.status)))
        return spl__failure_raise(&use);
    if (r->arrived) /* the next block may be the cause */
        SPL__TRY(leave(next));
    r->arrived = false;
    return r->use(current, r->context);
}

static spl_status use_block(round *r, visit *current, visit *next)
{
    if (!r->arrived)
        SPL__TRY(arrive_or_leave(current));
    r->arrived = false;
    spl_status status = !next || r->arrival == AFTERWARDS ? r->use(current, r->context)
                        : r->arrival == BEFORE            ? use_behind_next(r, current, next)
                                               : use_while_next_arrives(r, current, next);
    if (status != SPL_OK && r->arrived)
        (void)leave(next);
    spl_status left = leave(current);
    return status == SPL_OK ? left : status;
}

static spl_status use_blocks(spl__part *part, arrival arrives, visit_fn use, void *context)
{
    round r = {.use = use, .context = context, .arrival = arrives};
    r.visits[0] = (visit){.part = part, .block = part->blocks};
    for (int64_t k = 0; k < part->block_count; k++) {
        visit *current = &r.visits[k % 2], *next = &r.visits[(k + 1) % 2];
        *next = (visit){.part = part, .block = &part->blocks[k + 1]};
        SPL__TRY(use_block(&r, current, k + 1 < part->block_count ? next : NULL));
    }
    return SPL_OK;
}

/* Threads for copies during planning: one, while the CPU's plan is made concurrently. */
static int host_threads(const spl_plan *plan)
{
    return plan->problem.once ? 1 : plan->problem.threads;
}

static spl_status find_block(const visit *v, void *context)
{
    (void)context;
    passing *p = passing_of(v->part);
    block_result *result = &p->results[v->block - v->part->blocks];
    v->block->plan->problem.queue.threads = host_threads(v->part->plan);
    SPL__TRY(keep_structure(v->part->plan, v->block, result));
    p->nnz += result->nnz;
    return SPL_OK;
}

static void forget(spl__part *part)
{
    passing *p = passing_of(part);
    for (int64_t k = 0; p->results && k < part->block_count; k++) {
        spl__free(p->results[k].offsets);
        spl__free(p->results[k].columns);
    }
    spl__free(p->results);
    p->results = NULL;
    p->nnz = 0;
    spl__part_drop(part);
}

/* Finds the structure of the part's rows of C. */
static spl_status find_blocks(spl__part *part, double most, arrival arrives)
{
    spl_plan *plan = part->plan;
    passing *p = passing_of(part);
    SPL__TRY(spl__part_cut(part, most));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &p->results, part->block_count));
    SPL__TRY(use_blocks(part, arrives, find_block, NULL));
    if (!p->keeps_values)
        return SPL_OK;
    return spl__alloc(&plan->account, p->nnz, spl__type_size(plan->problem.a.csr.type), &p->values);
}

/* Halves the work per block until blocks fit or are single rows. */
static spl_status fit_blocks(spl__part *part, arrival arrives)
{
    for (double most = (double)part->share->work / 2;; most /= 2) {
        int64_t count = spl__part_count(part, most);
        spl_status status = find_blocks(part, most, arrives);
        if (!spl__lacks_memory(status) || count == part->share->rows)
            return status;
        forget(part);
    }
}

static spl_status make(spl__part *part)
{
    const spl__problem *problem = &part->plan->problem;
    passing *p = passing_of(part);
    spl__queue_init(&p->queue, part->device, problem->options.memory_budget,
                    host_threads(part->plan));
    part->queue = &p->queue;
    part->threads = 1; /* the side thread makes plans, ... */
    p->keeps_values = part->keeps;
    part->keeps = true;
    SPL__TRY(upload(part->queue, part->b, &p->b, &p->device_b));
    SPL__TRY(spl__queue_wait(part->queue));
    part->queue->threads = 1; /* ... and copies blocks */
    spl_status status = fit_blocks(part, BEFORE);
    if (!spl__lacks_memory(status))
        return status;
    forget(part);
    return fit_blocks(part, AFTERWARDS);
}

static void free_part(spl__part *part)
{
    if (!part->queue)
        return;
    forget(part);
    (void)spl__device_wait(part->device, part->device->stream);
    spl__slot_free(part->queue, &passing_of(part)->b);
    spl__free(passing_of(part)->values);
}

static spl_status update(spl__part *part, const spl_sparse *const changed[3])
{
    spl__part_update_slices(part, changed);
    if (!changed[1])
        return SPL_OK;
    SPL__TRY(spl__slot_fill_values(part->queue, part->b, &passing_of(part)->b));
    return spl__queue_wait(part->queue);
}

/* ---- executions and C ---- */

/* The destination of the next block's values, and the call that computes them. */
typedef struct values_target {
    const spl__call *call;
    char *to;
} values_target;

static spl_status compute_block(const visit *v, void *context)
{
    values_target *target = context;
    const spl__problem *problem = &v->part->plan->problem;
    const block_result *result = &passing_of(v->part)->results[v->block - v->part->blocks];
    v->block->plan->problem.queue.threads = problem->threads;
    SPL__TRY(bring_values(v->block, target->call, target->to));
    target->to += (size_t)result->nnz * spl__type_size(problem->a.csr.type);
    return SPL_OK;
}

/* Plans every block again, hence allocates. */
static spl_status compute(spl__part *part, const spl__execution *e)
{
    const double begin = omp_get_wtime();
    passing *p = passing_of(part);
    void *values = spl__part_values(part, e);
    values_target target = {e->call, values ? values : p->values};
    SPL__TRY(use_blocks(part, MEANWHILE, compute_block, &target));
    p->computed = p->computed || !values;
    part->measured.execution = omp_get_wtime() - begin;
    return SPL_OK;
}

static spl__product_state state(const spl__part *part)
{
    const passing *p = (const passing *)part;
    return (spl__product_state){.nnz = p->nnz, .known = true, .computed = p->computed};
}

static spl_status export_rows(spl__part *part, spl_index type, void *const to[3],
                              const spl_stream *stream)
{
    const passing *p = passing_of(part);
    const size_t size = spl__type_size(part->plan->problem.a.csr.type);
    int64_t first = part->entries_before;
    char *columns = to[1];
    (void)stream;
    for (int64_t k = 0; k < part->block_count; k++) {
        const block_result *r = &p->results[k];
        const size_t bytes = (size_t)r->nnz * sizeof(int32_t);
        int64_t row = part->blocks[k].begin - part->share->begin;
        for (int64_t i = 0; to[0] && i <= part->blocks[k].slices[0].csr.rows; i++)
            spl__index_set(to[0], type, row + i, first + r->offsets[i]);
        if (columns && bytes > 0)
            columns = (char *)memcpy(columns, r->columns, bytes) + bytes;
        first += r->nnz;
    }
    if (to[2] && p->nnz > 0)
        memcpy(to[2], p->values, (size_t)p->nnz * size);
    return SPL_OK;
}

const spl__part_kind spl__part_product_blocks = {
    .size = sizeof(passing),
    .make = make,
    .update = update,
    .run = {[SPL__COMPUTE] = compute},
    .state = state,
    .export = export_rows,
    .free = free_part,
};
