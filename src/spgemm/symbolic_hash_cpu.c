/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/hash: the exact structure of C = A*B + D, each row's columns found with a hash set and sorted.
 *
 * Blocks of rows of equal work are shared out dynamically. The columns of a block are kept in a chunk of its own, so that every row is
 * hashed once; when all counts are known the chunks are copied behind each other. Where chunks do not fit the memory budget the
 * method turns lean: it only counts, allocates C's columns exactly, and finds every row a second time.
 *
 * Cost: one hash insertion per product, one sort per row; lean: twice. Memory: nnz(C) columns twice (lean: once), and per thread a
 * table of twice the longest row's bound.
 * Source: Y. Nagasaka, A. Nukada, S. Matsuoka, Memory-saving hash SpGEMM [S3]; the one-pass idea: M. Patwary et al., ISC'15.
 * Differs: for CPU threads, rows found and sorted in one pass, chunks instead of counting first. */
#include "core/checked.h"
#include "core/combination.h"
#include "spgemm/product.h"

#include <omp.h>
#include <string.h>

#define SELF "spgemm/symbolic_hash_cpu.c"
#include "core/each_type.h"

/* Finds rows begin..end one behind the other in `out` and writes their lengths to offsets[i+1]; returns the sum. */
typedef int64_t (*find_fn)(const spl__problem *p, spl__product *c, const spl__finder *f, int64_t begin, int64_t end,
                           void *out);
static const find_fn find_block[SPL__COMBINATIONS] = SPL__TABLE(find);
/* Finds rows begin..end and writes them where offsets say. */
typedef void (*place_fn)(const spl__problem *p, const spl__product *c, const spl__finder *f, int64_t begin,
                         int64_t end);
static const place_fn place_block[SPL__COMBINATIONS] = SPL__TABLE(place);

enum { BLOCK_WORK = 32768 };

typedef struct search {
    spl__blocks blocks;
    int threads;
    spl__finder *finders;
    void **buffers; /* per thread: the columns of one block */
    void **chunks;  /* per block: its columns, unless lean */
    atomic_bool lean;
    atomic_llong found, blocks_done;
    spl__failure failure;
} search;

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__features *f = &plan->features;
    const spl__machine *m = plan->machine;
    double threads = plan->problem.threads, size = (double)spl__index_size(plan->problem.a.csr.index_type);
    e->seconds = (f->products * m->hash_insert + f->bound_c * (m->hash_column + 2 * size / m->bandwidth)) / threads;
    e->bytes = 2 * f->bound_c * size + f->rows * 8 + threads * (spl__finder_bytes(plan) + BLOCK_WORK * size);
}

static spl_status prepare(spl__step *step)
{
    SPL__TRY(SPL__NEW_ZERO(&step->task.plan->account, (search **)&step->state, 1));
    return SPL_OK;
}

/* The most columns that the rows of a block can have. */
static int64_t largest_block(const spl_plan *plan, const spl__blocks *blocks)
{
    const spl__product *c = spl__product_of(plan);
    int64_t largest = 0;
    for (int64_t b = 0; b < blocks->count; b++) {
        int64_t bound = 0;
        for (int64_t i = blocks->begin[b]; i < blocks->begin[b + 1]; i++)
            bound += spl__row_bound(c, plan->problem.cols, i);
        largest = spl__max_i64(largest, bound);
    }
    return largest;
}

static spl_status make_workspace(spl_plan *plan, search *s)
{
    spl__product *c = spl__product_of(plan);
    size_t size = spl__index_size(plan->problem.a.csr.index_type);
    SPL__TRY(spl__blocks_make(&plan->account, c->work, NULL, plan->problem.rows, BLOCK_WORK, &s->blocks));
    s->threads = (int)spl__min_i64(plan->problem.threads, spl__max_i64(1, s->blocks.count));
    SPL__TRY(spl__finders_make(plan, s->threads, &s->finders));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->chunks, s->blocks.count));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->buffers, s->threads));
    int64_t largest = largest_block(plan, &s->blocks);
    for (int t = 0; t < s->threads; t++)
        SPL__TRY(spl__alloc(&plan->account, largest, size, &s->buffers[t]));
    return SPL__NEW(&plan->account, &c->offsets, plan->problem.rows + 1);
}

static void free_chunks(search *s)
{
    for (int64_t b = 0; s->chunks && b < s->blocks.count; b++) {
        spl__free(s->chunks[b]);
        s->chunks[b] = NULL;
    }
}

static void free_workspace(search *s)
{
    free_chunks(s);
    for (int t = 0; s->buffers && t < s->threads; t++)
        spl__free(s->buffers[t]);
    spl__free(s->buffers);
    spl__free(s->chunks);
    spl__finders_free(s->finders, s->threads);
    spl__blocks_free(&s->blocks);
    s->buffers = s->chunks = NULL;
    s->finders = NULL;
}

/* Keeps the found columns of block b, or turns lean if they do not fit the budget. */
static spl_status keep(spl_plan *plan, search *s, int64_t b, const void *columns, int64_t count)
{
    size_t size = spl__index_size(plan->problem.a.csr.index_type);
    if (atomic_load(&s->lean))
        return SPL_OK;
    spl_status status = spl__alloc(&plan->account, count, size, &s->chunks[b]);
    if (status == SPL_OVER_BUDGET) {
        atomic_store(&s->lean, true);
        return SPL_OK;
    }
    if (status == SPL_OK && count > 0)
        memcpy(s->chunks[b], columns, (size_t)count * size);
    return status;
}

static spl_status find_one_block(spl_plan *plan, search *s, int64_t b)
{
    const spl__problem *p = &plan->problem;
    int thread = omp_get_thread_num();
    if (thread == 0)
        SPL__TRY(spl__progress(p->context, "symbolic", atomic_load(&s->blocks_done), s->blocks.count));
    void *buffer = s->buffers[thread];
    int64_t count = find_block[p->combination](p, spl__product_of(plan), &s->finders[thread], s->blocks.begin[b],
                                               s->blocks.begin[b + 1], buffer);
    atomic_fetch_add(&s->blocks_done, 1);
    SPL__TRY(spl__check_result_width(plan, atomic_fetch_add(&s->found, count) + count));
    return keep(plan, s, b, buffer, count);
}

static spl_status find_all(spl_plan *plan, search *s)
{
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
    for (int64_t b = 0; b < s->blocks.count; b++)
        if (!spl__failed(&s->failure))
            spl__failure_note(&s->failure, find_one_block(plan, s, b));
    return spl__failure_raise(&s->failure);
}

/* Copies every chunk to where its first row begins, or, lean, finds all rows again. */
static void place_all(spl_plan *plan, search *s)
{
    spl__product *c = spl__product_of(plan);
    const spl__problem *p = &plan->problem;
    size_t size = spl__index_size(p->a.csr.index_type);
#pragma omp parallel for schedule(dynamic) num_threads(s->threads)
    for (int64_t b = 0; b < s->blocks.count; b++) {
        int64_t first = s->blocks.begin[b], last = s->blocks.begin[b + 1];
        if (atomic_load(&s->lean))
            place_block[p->combination](p, c, &s->finders[omp_get_thread_num()], first, last);
        else if (s->chunks[b])
            memcpy((char *)c->columns + (size_t)c->offsets[first] * size, s->chunks[b],
                   (size_t)(c->offsets[last] - c->offsets[first]) * size);
    }
}

static spl_status find_structure(spl_plan *plan, search *s)
{
    spl__product *c = spl__product_of(plan);
    SPL__TRY(make_workspace(plan, s));
    SPL__TRY(find_all(plan, s));
    c->offsets[0] = 0;
    for (int64_t i = 0; i < plan->problem.rows; i++)
        c->offsets[i + 1] += c->offsets[i];
    int64_t nnz = c->offsets[plan->problem.rows];
    size_t size = spl__index_size(plan->problem.a.csr.index_type);
    spl_status status = atomic_load(&s->lean) ? SPL_OVER_BUDGET : spl__alloc(&plan->account, nnz, size, &c->columns);
    if (status == SPL_OVER_BUDGET) {
        atomic_store(&s->lean, true);
        free_chunks(s);
        status = spl__alloc(&plan->account, nnz, size, &c->columns);
    }
    if (status == SPL_OK)
        place_all(plan, s);
    c->known = status == SPL_OK;
    return status;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    (void)call;
    spl__product *c = spl__product_of(step->task.plan);
    spl_status status = find_structure(step->task.plan, step->state);
    free_workspace(step->state);
    if (status != SPL_OK) { /* another method may start anew */
        spl__free(c->offsets);
        c->offsets = NULL;
    }
    return status;
}

static void explain(const spl__step *step, spl__text *text)
{
    const search *s = step->state;
    spl__text_add(text, "  every row found %s\n", atomic_load(&s->lean) ? "twice to keep the memory budget" : "once");
}

static void destroy(spl__step *step)
{
    spl__free(step->state);
}

const spl__method spl__spgemm_symbolic_cpu_hash = {
    .summary = "exact structure by a hash set per row",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, 2016 [S3]",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#else

#include "spgemm/find_columns.h"

static int64_t FN(find)(const spl__problem *p, spl__product *c, const spl__finder *f, int64_t begin, int64_t end,
                        void *out)
{
    I *at = out;
    for (int64_t i = begin; i < end; i++) {
        c->offsets[i + 1] = FN(find_columns)(p, c, f, i, at);
        at += c->offsets[i + 1];
    }
    return at - (I *)out;
}

static void FN(place)(const spl__problem *p, const spl__product *c, const spl__finder *f, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        FN(find_columns)(p, c, f, i, (I *)c->columns + c->offsets[i]);
}

#endif
