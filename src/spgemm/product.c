/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/product.h"

#include "core/checked.h"
#include "core/threads/team_seconds.h"
#include "spgemm/cpu/rows/column_hash.h"

#include <math.h>
#include <omp.h>
#include <string.h>

spl__product *spl__product_of(const spl_plan *plan)
{
    return plan->state;
}

int64_t spl__product_nnz(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    int64_t rows = plan->problem.rows, nnz = 0;
    if (!c->known)
        return c->capacity;
    if (!c->lengths)
        return c->offsets[rows];
    for (int64_t i = 0; i < rows; i++)
        nnz += c->lengths[i];
    return nnz;
}

void spl__product_forget(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    spl__free(c->offsets);
    spl__free(c->lengths);
    spl__free(c->columns);
    spl__free(c->values);
    c->offsets = c->lengths = NULL;
    c->columns = c->values = NULL;
    c->capacity = 0;
    c->bounded = c->known = c->unsorted = false;
}

spl_status spl__check_result_width(const spl_plan *plan, int64_t nnz)
{
    if (plan->problem.options.result_offset_type == SPL_I32 && nnz > INT32_MAX)
        return spl__fail(SPL_INDEX_OVERFLOW,
                         "C has %s entries or more, which do not fit 32-bit offsets",
                         spl__thousands(nnz));
    return SPL_OK;
}

spl_index spl__offset_type_for(const spl_plan *plan, int64_t nnz)
{
    if (plan->problem.options.result_offset_type)
        return plan->problem.options.result_offset_type;
    return nnz > INT32_MAX ? SPL_I64 : plan->problem.a.csr.offset_type;
}

/* ---- workspaces of threads ---- */

/* Each workspace is cleared by one thread, which also maps its new pages. Clearing all of them
 * by one thread took longer than the product of a large stencil. */
static void clear_workspaces(int threads, size_t bytes, void **workspaces)
{
    const int team = spl__threads_for_bytes((double)threads * (double)bytes, threads);
#pragma omp parallel for num_threads(spl__team(team)) schedule(static, 1)
    for (int t = 0; t < threads; t++)
        if (workspaces[t])
            memset(workspaces[t], 0, bytes);
}

spl_status spl__workspaces_make(spl_plan *plan, int *threads, size_t bytes, bool clear,
                                void ***workspaces)
{
    SPL__TRY(SPL__NEW_ZERO(&plan->account, workspaces, plan->problem.threads));
    for (int t = 0; t < *threads; t++) {
        spl_status status = spl__alloc(&plan->account, 1, bytes, &(*workspaces)[t]);
        if ((status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY) && t > 0)
            *threads = t;
        else
            SPL__TRY(status);
    }
    if (clear)
        clear_workspaces(*threads, bytes, *workspaces);
    return SPL_OK;
}

void spl__workspaces_free(const spl_plan *plan, void **workspaces)
{
    for (int t = 0; workspaces && t < plan->problem.threads; t++)
        spl__free(workspaces[t]);
    spl__free(workspaces);
}

size_t spl__finder_bytes_for(const spl_plan *plan, int64_t bound)
{
    return (size_t)(spl__slots_for(bound) + bound) *
           spl__index_size(plan->problem.a.csr.index_type);
}

size_t spl__finder_bytes(const spl_plan *plan)
{
    return spl__finder_bytes_for(
        plan, spl__min_i64(spl__product_of(plan)->longest_work, plan->problem.cols));
}

/* ---- what is to come ---- */

/* Expects the memory of both phases with hash tables for the longest row, the fallback of
 * methods that need more. */
void spl__product_expect(spl_plan *plan, double nnz)
{
    enum {
        SMALL = 2048,
        TABLES = 3
    }; /* states and headers; columns beside values of twice the size */
    const spl__product *c = spl__product_of(plan);
    const spl_sparse *a = &plan->problem.a.csr;
    double rows = (double)plan->problem.rows, work = (double)c->work[plan->problem.rows],
           threads = (double)plan->problem.threads, index = (double)spl__index_size(a->index_type),
           value = (double)spl__type_size(a->type);
    double block = fmin(work, (double)(spl__block_work(plan) + c->longest_work)),
           blocks = (rows + work) / (double)spl__block_work(plan),
           finder = (double)spl__finder_bytes(plan);
    double search = threads * (finder + block * index) + 2 * sizeof(int64_t) * blocks,
           numeric = threads * TABLES * finder + sizeof(int64_t) * (blocks + rows) +
                     (plan->problem.options.keep_result ? nnz * value : 0),
           structure = sizeof(int64_t) * rows + nnz * index + fmax(0, search - numeric);
    spl__plan_expect(plan, SMALL + numeric + (c->columns ? 0 : structure), 0);
}

/* ---- numeric state ---- */

/* Blocks are so small that each thread has some: they come one after the other. Blocks of identical
 * rows are larger, because such rows cost less. */
enum { BLOCK_WORK = 32768, LEAST_BLOCK = 4096, BLOCKS_EACH = 4, RUNS_ROWS = 16, RUNS_BLOCKS = 64 };

int64_t spl__block_work(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    const int64_t all = c->work[plan->problem.rows], threads = plan->problem.threads,
                  some = spl__max_i64(LEAST_BLOCK, all / (BLOCKS_EACH * threads)),
                  usual = threads == 1 ? BLOCK_WORK : spl__min_i64(BLOCK_WORK, some);
    if (spl__plan_has_budget(plan))
        return BLOCK_WORK;
    if (!(plan->features.repeated_a > 0.25))
        return usual;
    int64_t share = all / RUNS_BLOCKS;
    int64_t runs = c->longest_work < share / RUNS_ROWS ? c->longest_work * RUNS_ROWS : share;
    return spl__max_i64(usual, runs);
}

typedef struct listed {
    const spl__product *c;
    const int64_t *list;
} listed;

/* Whether item k of the list is the next row after item k - 1, and equal to it. */
static bool continues(const void *context, int64_t k)
{
    const listed *rows = context;
    const spl__product *c = rows->c;
    const int64_t *list = rows->list;
    if (!list)
        return c->a_equals_previous[k];
    return list[k] == list[k - 1] + 1 && c->a_equals_previous[list[k]];
}

spl_status spl__row_blocks_make(spl_plan *plan, const spl__row_set *rows, spl__blocks *blocks)
{
    const spl__product *c = spl__product_of(plan);
    SPL__TRY(spl__blocks_make(&plan->account, c->work, rows->list, rows->count,
                              spl__block_work(plan), blocks));
    spl__blocks_keep_runs(blocks, SPL__MOST_ROWS_AT_ONCE, continues, &(listed){c, rows->list});
    return SPL_OK;
}

void spl__product_set_bounds(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    c->offsets[0] = 0;
    for (int64_t i = 0; i < plan->problem.rows; i++)
        c->offsets[i + 1] = c->offsets[i] + spl__row_bound(c, plan->problem.cols, i);
}

spl_status spl__product_leave_gaps(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    return c->lengths ? SPL_OK : SPL__NEW_ZERO(&plan->account, &c->lengths, plan->problem.rows);
}

/* Moves elements of `size` bytes. */
static void move_up(void *array, int64_t to, int64_t from, int64_t count, size_t size)
{
    if (to < from && count > 0)
        memmove((char *)array + (size_t)to * size, (char *)array + (size_t)from * size,
                (size_t)count * size);
}

void spl__product_close_gaps(spl_plan *plan)
{
    const spl_sparse *a = &plan->problem.a.csr;
    spl__product *c = spl__product_of(plan);
    int64_t end = 0;
    for (int64_t i = 0; c->lengths && i < plan->problem.rows; i++) {
        move_up(c->columns, end, c->offsets[i], c->lengths[i], spl__index_size(a->index_type));
        move_up(c->values, end, c->offsets[i], c->lengths[i], spl__type_size(a->type));
        c->offsets[i] = end;
        end += c->lengths[i];
    }
    if (c->lengths)
        c->offsets[plan->problem.rows] = end;
    spl__free(c->lengths);
    c->lengths = NULL;
}

/* The upper bound of the columns of row i of C under the mask. */
static int64_t masked_bound(const spl_plan *plan, int64_t i)
{
    const spl__problem *p = &plan->problem;
    int64_t bound = spl__row_bound(spl__product_of(plan), p->cols, i);
    return spl__mask_lists(&p->mask) ? spl__min_i64(bound, spl__mask_length(&p->mask, i)) : bound;
}

int64_t spl__largest_block(const spl_plan *plan, const spl__blocks *blocks)
{
    int64_t largest = 0;
    for (int64_t b = 0; b < blocks->count; b++) {
        int64_t bound = 0;
        for (int64_t i = blocks->begin[b]; i < blocks->begin[b + 1]; i++)
            bound += masked_bound(plan, i);
        largest = spl__max_i64(largest, bound);
    }
    return largest;
}

/* Allocates finders or buffers, which the first execution after a bound needs besides the
 * workspaces. */
static spl_status make_search(spl__step *step, spl__numeric *n, bool finds_columns)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    if (!finds_columns) {
        SPL__TRY(spl__product_leave_gaps(plan));
        return spl__workspaces_make(plan, &n->threads, spl__finder_bytes(plan), false, &n->finders);
    }
    if (step->task.rows.list)
        return spl__product_leave_gaps(plan);
    if (n->threads == 1)
        return SPL_OK;
    size_t entry = spl__index_size(a->index_type) + spl__type_size(a->type);
    n->room = (spl__largest_block(plan, &n->blocks) + 1) & ~(int64_t)1;
    return spl__workspaces_make(plan, &n->threads, (size_t)n->room * entry, false, &n->buffers);
}

static spl_status make_numeric(spl__step *step, spl__numeric *n, size_t bytes, bool finds_columns)
{
    spl_plan *plan = step->task.plan;
    const spl__row_set *rows = &step->task.rows;
    const spl__product *c = spl__product_of(plan);
    SPL__TRY(spl__row_blocks_make(plan, rows, &n->blocks));
    const int threads =
        spl__problem_is_single(&plan->problem) ? spl__step_threads(step) : plan->problem.threads;
    n->threads = spl__team_for_parts(threads, n->blocks.count);
    SPL__TRY(spl__workspaces_make(plan, &n->threads, bytes, false, &n->workspaces));
    return c->known ? SPL_OK : make_search(step, n, finds_columns);
}

spl_status spl__numeric_prepare(spl__step *step, size_t bytes, bool finds_columns)
{
    spl__numeric *n;
    SPL__TRY(SPL__NEW_ZERO(&step->task.plan->account, &n, 1));
    step->state = n;
    return make_numeric(step, n, bytes, finds_columns);
}

const char spl__known_unsorted[] = "the columns of C are known and not in order";

const char *spl__needs_sorted(const spl__task *task)
{
    return spl__product_of(task->plan)->unsorted ? spl__known_unsorted : NULL;
}

int spl__numeric_threads(const spl__step *step)
{
    const spl__numeric *n = step->state;
    return (int)spl__min_i64(n->threads, spl__step_threads(step));
}

spl_status spl__numeric_execute(spl__step *step, const spl__call *call)
{
    const spl__numeric_fn *kernels = step->task.parameters;
    return kernels[step->task.plan->problem.combination](step, call);
}

double spl__finding_seconds(const spl__machine *m, double rows, double products, double columns)
{
    return rows * m->hash_row + products * m->hash_insert + columns * m->hash_column;
}

double spl__largest_share(const spl_plan *plan, double products, double longest)
{
    return fmax(1 / spl__assumed_threads(&plan->problem), longest / fmax(products, 1));
}

void spl__count_loops(int loops, double share, spl__estimate *e)
{
    e->loops = loops;
    e->share = share;
}

double spl__short_loops(const spl_plan *plan, int loops, double seconds)
{
    const double threads = spl__assumed_threads(&plan->problem),
                 start = spl__loop_seconds(plan->machine, threads);
    return fmin(seconds, seconds / threads + loops * start);
}

static double share_of(const spl__task *task)
{
    return spl__largest_share(task->plan, task->rows.products, task->rows.longest_products);
}

double spl__touched_slots(const spl__task *task)
{
    return task->rows.nnz_c * share_of(task);
}

/* The share of so many bytes that a cache of `cache` bytes does not hold. */
static double share_beyond(double cache, double bytes)
{
    return bytes > cache ? 1 - cache / bytes : 0;
}

double spl__miss_seconds(const spl__machine *m, double bytes)
{
    return share_beyond(m->near_bytes, bytes) * m->dense_near_miss +
           share_beyond(m->cache_bytes, bytes) * m->dense_miss;
}

double spl__dense_seconds(const spl__task *task, double span)
{
    const spl__machine *m = task->plan->machine;
    double bytes = span * (double)spl__type_size(task->plan->problem.a.csr.type);
    /* The first product of a column misses the cache, the others hit. */
    double column = m->dense_column + spl__miss_seconds(m, bytes);
    return (task->rows.products * m->dense_product + task->rows.nnz_c * column) * share_of(task);
}

void spl__table_estimate(const spl__task *task, size_t bytes, double product, double column,
                         spl__estimate *e)
{
    double far = (double)bytes > task->plan->machine->cache_bytes ? 2 : 1;
    e->seconds = (task->rows.products * product * far + task->rows.nnz_c * column) * share_of(task);
    spl__estimate_scratch((double)bytes, INFINITY, e);
    spl__numeric_add_rows(task, e);
    spl__numeric_add_search(task, e);
}

void spl__numeric_add_rows(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    e->seconds += ((double)task->rows.count * plan->machine->numeric_row +
                   task->rows.nnz_a * plan->machine->numeric_row_b) /
                  spl__assumed_threads(&plan->problem);
    spl__count_loops(1, share_of(task), e);
}

void spl__numeric_add_search(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    double products = task->rows.products, columns = products / plan->features.compression_sampled;
    if (spl__product_of(plan)->known)
        return;
    e->seconds += spl__finding_seconds(plan->machine, (double)task->rows.count, products, columns) *
                  share_of(task);
    if (spl__problem_is_single(&plan->problem)) { /* one thread removes the gaps between rows;
                                                     otherwise the bound's estimate has this */
        e->post_seconds = columns * plan->machine->bound_column;
        e->seconds += e->post_seconds;
    }
    spl__estimate_scratch((double)spl__finder_bytes(plan), INFINITY, e);
}

void spl__numeric_destroy(spl__step *step)
{
    spl__numeric *n = step->state;
    if (!n)
        return;
    spl__workspaces_free(step->task.plan, n->workspaces);
    spl__workspaces_free(step->task.plan, n->finders);
    spl__workspaces_free(step->task.plan, n->buffers);
    spl__blocks_free(&n->blocks);
    spl__free(n);
}
