/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/cpu/exact.h"

#include "core/bump_arena.h"
#include "core/checked.h"
#include "core/threads/team_seconds.h"
#include "spgemm/dots.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* step->state */
typedef struct search {
    const spl__exact_method *method;
    spl__exact_view view;
    spl__compressed compressed; /* B, if the method requires it */
    spl__arrangement columns;   /* B', likewise */
    spl__blocks blocks;
    int threads;
    void **workspaces;
    void **buffers;     /* per thread: the columns of one block */
    spl__arena *arenas; /* per thread: memory of chunks */
    void **chunks;      /* per block: its columns, unless lean */
    atomic_bool lean;
    bool direct;              /* one thread: a block goes to C as soon as it is found */
    int64_t stored, capacity; /* then: entries of C, and those that there is room for */
    atomic_llong found, work; /* entries of C, and the work of their rows */
    size_t room;              /* bytes for its columns, before any were found */
    spl__watch *watch;
    spl__failure failure;
} search;

static size_t column_size(const spl_plan *plan)
{
    return spl__index_size(plan->problem.a.csr.index_type);
}

spl_status spl__exact_prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    double least = (double)spl__product_of(plan)->least * (double)column_size(plan);
    SPL__TRY(spl__account_check(&plan->account, least));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, (search **)&step->state, 1));
    search *s = step->state;
    s->method = step->task.parameters;
    s->view = (spl__exact_view){.problem = &plan->problem, .product = spl__product_of(plan)};
    return SPL_OK;
}

/* ---- workspace ---- */

static spl_status compress_b(spl_plan *plan, search *s)
{
    if (!s->method->compresses)
        return SPL_OK;
    s->view.b = &s->compressed;
    return spl__compress(&plan->account, &plan->problem.b.csr, s->view.product->b_equals_previous,
                         plan->problem.threads, &s->compressed);
}

static spl_status transpose_b(spl_plan *plan, search *s)
{
    if (!s->method->transposes)
        return SPL_OK;
    s->view.columns_of_b = &s->columns.csr;
    return spl__dots_rows(plan, &s->columns);
}

static spl_status make_workspace(spl_plan *plan, search *s, int threads)
{
    spl__product *c = spl__product_of(plan);
    const spl__row_set rows = {.count = plan->problem.rows};
    /* If C may be too large for the requested offsets, count first: then this is known while
     * little memory is used. */
    bool narrow =
        plan->problem.options.result_offset_type == SPL_I32 && plan->features.bound_c > INT32_MAX;
    atomic_store(&s->lean, narrow);
    SPL__TRY(compress_b(plan, s));
    SPL__TRY(transpose_b(plan, s));
    SPL__TRY(spl__row_blocks_make(plan, &rows, &s->blocks));
    s->threads = spl__team_for_parts(threads, s->blocks.count);
    s->direct = s->threads == 1 && !narrow && !spl__plan_has_budget(plan);
    size_t buffer = (size_t)spl__largest_block(plan, &s->blocks) * column_size(plan);
    SPL__TRY(spl__workspaces_make(plan, &s->threads, s->method->workspace(plan), s->method->clear,
                                  &s->workspaces));
    SPL__TRY(spl__workspaces_make(plan, &s->threads, buffer, false, &s->buffers));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->arenas, s->threads));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->chunks, s->blocks.count));
    return SPL__NEW(&plan->account, &c->offsets, plan->problem.rows + 1);
}

static void free_chunks(search *s)
{
    for (int t = 0; s->arenas && t < s->threads; t++)
        spl__arena_free(&s->arenas[t]);
}

static void free_workspace(const spl_plan *plan, search *s)
{
    free_chunks(s);
    spl__free(s->arenas);
    spl__free(s->chunks);
    spl__workspaces_free(plan, s->workspaces);
    spl__workspaces_free(plan, s->buffers);
    spl__blocks_free(&s->blocks);
    spl__compressed_free(&s->compressed);
    spl__arrange_free(&s->columns);
    s->chunks = s->workspaces = s->buffers = NULL;
    s->arenas = NULL;
}

/* ---- finding ---- */

/* Finds the rows of block b and writes those that differ from the previous one to `out`,
 * consecutively; returns their total length. */
static SPL__APART int64_t find_block(const spl_plan *plan, search *s, int64_t b, int64_t *lengths,
                                     void *out)
{
    const int combination = spl__combination_of_structure(&plan->problem.a.csr);
    return s->method->find[combination](&s->view, s->workspaces[omp_get_thread_num()],
                                        s->blocks.begin[b], s->blocks.begin[b + 1], lengths, out);
}

/* Fails since C exceeds the budget with the rows found so far; the remaining rows need not be
 * searched. */
static spl_status refuse(spl_plan *plan, int64_t found, int64_t work)
{
    const double margin = 1.2;
    spl__product *c = spl__product_of(plan);
    double all = (double)c->work[plan->problem.rows],
           expected =
               margin * fmax((double)found / fmax(1, (double)work) * all, spl__predicted_nnz(plan));
    spl__product_expect(plan, fmax((double)found, fmin(expected, plan->features.bound_c)));
#pragma omp atomic write
    c->least = found;
    return spl__account_check(&plan->account, (double)found * (double)column_size(plan));
}

/* Keeps the found columns of block b, or switches to lean mode if they exceed the budget. */
static spl_status keep(spl_plan *plan, search *s, int64_t b, const void *columns, int64_t count)
{
    size_t bytes = (size_t)count * column_size(plan);
    if (atomic_load(&s->lean))
        return SPL_OK;
    spl_status status =
        spl__arena_alloc(&s->arenas[omp_get_thread_num()], &plan->account, bytes, &s->chunks[b]);
    if (status == SPL_OVER_BUDGET) {
        atomic_store(&s->lean, true);
        return SPL_OK;
    }
    if (status == SPL_OK && count > 0)
        memcpy(s->chunks[b], columns, bytes);
    return status;
}

static int64_t columns_of_block(const search *s, int64_t b, const int64_t *lengths)
{
    int64_t count = 0;
    for (int64_t i = s->blocks.begin[b]; i < s->blocks.begin[b + 1]; i++)
        count += lengths[i];
    return count;
}

/* Copies the rows of block b to C. `from` lacks rows that equal the previous one. */
static SPL__APART void store_block(const spl_plan *plan, const search *s, int64_t b,
                                   const char *from)
{
    const spl__product *c = spl__product_of(plan);
    size_t size = column_size(plan);
    for (int64_t i = s->blocks.begin[b], end = s->blocks.begin[b + 1], next; i < end; i = next) {
        char *to = (char *)c->columns + (size_t)c->offsets[i] * size;
        for (next = i + 1; next < end && !c->a_equals_previous[next];)
            next++;
        size_t bytes = (size_t)(c->offsets[next] - c->offsets[i]) * size;
        size_t row = (size_t)(c->offsets[next] - c->offsets[next - 1]) * size;
        memcpy(to, from, bytes);
        from += bytes;
        for (to += bytes; next < end && c->a_equals_previous[next]; next++, to += row)
            memcpy(to, to - row, row);
    }
}

/* Moves the columns of C to where there is room for `least` of them, and for as many more as the
 * rows found so far predict. Pages that are not written cost nothing. */
static spl_status make_room(spl_plan *plan, search *s, int64_t least)
{
    const double margin = 1.1;
    spl__product *c = spl__product_of(plan);
    const double all = (double)c->work[plan->problem.rows], work = (double)atomic_load(&s->work);
    const double expected =
        margin * fmax(spl__predicted_nnz(plan), (double)least / fmax(1, work) * all);
    const int64_t room = spl__max_i64(least, (int64_t)fmin(expected, plan->features.bound_c));
    void *before = c->columns;
    c->columns = NULL;
    spl_status status = spl__alloc(&plan->account, room, column_size(plan), &c->columns);
    if (status == SPL_OK && s->stored > 0)
        memcpy(c->columns, before, (size_t)s->stored * column_size(plan));
    spl__free(before);
    s->capacity = status == SPL_OK ? room : 0;
    return status;
}

/* Stores the columns of block b, which follows those stored before. */
static spl_status store_next(spl_plan *plan, search *s, int64_t b, const void *columns,
                             int64_t count)
{
    int64_t *offsets = spl__product_of(plan)->offsets;
    if (s->stored + count > s->capacity)
        SPL__TRY(make_room(plan, s, s->stored + count));
    offsets[0] = 0;
    for (int64_t i = s->blocks.begin[b]; i < s->blocks.begin[b + 1]; i++)
        offsets[i + 1] += offsets[i];
    if (count > 0)
        store_block(plan, s, b, columns);
    s->stored += count;
    return SPL_OK;
}

static spl_status find_one_block(spl_plan *plan, search *s, int64_t b)
{
    if (!spl__watch_goes_on(s->watch))
        return spl__watch_check(s->watch);
    void *buffer = s->buffers[omp_get_thread_num()];
    int64_t *lengths = spl__product_of(plan)->offsets + 1;
    int64_t count = find_block(plan, s, b, lengths, buffer), all = columns_of_block(s, b, lengths);
    const int64_t *sums = spl__product_of(plan)->work;
    int64_t share = sums[s->blocks.begin[b + 1]] - sums[s->blocks.begin[b]],
            work = atomic_fetch_add(&s->work, share) + share,
            found = atomic_fetch_add(&s->found, all) + all;
    SPL__TRY(spl__check_result_width(plan, found));
    if ((double)found * (double)column_size(plan) > (double)s->room)
        SPL__TRY(refuse(plan, found, work));
    return s->direct ? store_next(plan, s, b, buffer, all) : keep(plan, s, b, buffer, count);
}

static spl_status find_all(spl_plan *plan, search *s)
{
    spl__watch_stage(s->watch, "symbolic", s->blocks.count);
    s->room = spl__account_room(&plan->account);
#pragma omp parallel for num_threads(spl__team(s->threads)) schedule(dynamic)
    for (int64_t b = 0; b < s->blocks.count; b++)
        if (!spl__failed(&s->failure))
            spl__failure_note(&s->failure, find_one_block(plan, s, b));
    return spl__failure_raise(&s->failure);
}

/* Copies every chunk to its rows; in lean mode finds the rows again. */
static spl_status store_all(spl_plan *plan, search *s)
{
    const spl__product *c = spl__product_of(plan);
    spl__watch_stage(s->watch, "store", s->blocks.count);
    const bool lean = atomic_load(&s->lean);
    const double bytes = (double)c->offsets[plan->problem.rows] * (double)column_size(plan);
    const int threads = lean ? s->threads : spl__threads_for_bytes(bytes, s->threads);
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic)
    for (int64_t b = 0; b < s->blocks.count; b++) {
        void *found = s->chunks[b];
        if (!spl__watch_goes_on(s->watch) ||
            c->offsets[s->blocks.begin[b]] == c->offsets[s->blocks.begin[b + 1]])
            continue; /* nothing to copy, possibly no array to copy to */
        if (lean)
            find_block(plan, s, b, NULL, found = s->buffers[omp_get_thread_num()]);
        store_block(plan, s, b, found);
    }
    return spl__watch_check(s->watch);
}

/* Copies what threads have found to C, once the lengths of all rows are known. */
static spl_status collect(spl_plan *plan, search *s)
{
    spl__product *c = spl__product_of(plan);
    c->offsets[0] = 0;
    for (int64_t i = 0; i < plan->problem.rows; i++)
        c->offsets[i + 1] += c->offsets[i];
    int64_t nnz = c->offsets[plan->problem.rows];
    size_t size = column_size(plan);
    spl_status status = atomic_load(&s->lean) ? SPL_OVER_BUDGET
                                              : spl__alloc(&plan->account, nnz, size, &c->columns);
    if (status == SPL_OVER_BUDGET) {
        atomic_store(&s->lean, true);
        free_chunks(s);
        status = spl__alloc(&plan->account, nnz, size, &c->columns);
    }
    if (status == SPL_OK) {
        spl__touch_pages(s->watch, plan->problem.threads, c->columns, (size_t)nnz * size);
        status = store_all(plan, s);
    }
    return status;
}

static spl_status find_structure(spl_plan *plan, search *s, int threads)
{
    spl__product *c = spl__product_of(plan);
    s->watch = spl__account_watch(&plan->account);
    SPL__TRY(make_workspace(plan, s, threads));
    SPL__TRY(find_all(plan, s));
    if (!s->direct)
        SPL__TRY(collect(plan, s));
    else if (c->columns)
        SPL__TRY(spl__shrink(&c->columns, (size_t)s->stored * column_size(plan)));
    else /* no rows, or empty ones */
        c->offsets[0] = 0;
    c->known = true;
    return SPL_OK;
}

spl_status spl__exact_execute(spl__step *step, const spl__call *call)
{
    (void)call;
    search *s = step->state;
    spl__product *c = spl__product_of(step->task.plan);
    spl_status status = find_structure(step->task.plan, s, spl__step_threads(step));
    free_workspace(step->task.plan, s);
    c->unsorted = step->task.plan->problem.options.unsorted && !s->method->sorts;
    if (status != SPL_OK)
        spl__product_forget(step->task.plan);
    return status;
}

void spl__exact_explain(const spl__step *step, spl__text *text)
{
    const search *s = step->state;
    spl__text_add(text, "  every row found %s\n",
                  atomic_load(&s->lean) ? "twice, which needs less memory" : "once");
}

/* ---- prediction ---- */

spl__exact_work spl__exact_predict(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    double fresh = 1 - f->repeated_a;
    double columns = fresh * spl__predicted_nnz(plan);
    return (spl__exact_work){.rows = fresh * f->rows,
                             .products = fresh * (f->products + f->nnz_d),
                             .columns = columns,
                             .rows_b = fresh * f->nnz_a,
                             .pairs = fresh * (f->products * f->pairs_sampled + f->nnz_d),
                             .words = columns * f->words_sampled};
}

void spl__exact_estimate(const spl__task *task, double serial, spl__estimate *e)
{
    const spl__exact_method *method = task->parameters;
    const spl_plan *plan = task->plan;
    const bool compresses = method->compresses;
    const spl__features *f = &plan->features;
    const spl__machine *m = plan->machine;
    double size = (double)column_size(plan), columns = spl__predicted_nnz(plan);
    double pairs = compresses ? f->nnz_b * f->pairs_sampled
                              : 0; /* an estimate: identical rows share their pairs */
    serial += columns * (1 - f->repeated_a / 2) * m->exact_column;
    const double share = spl__largest_share(plan, f->products, f->longest_products);
    e->post_seconds = spl__product_of(plan)->blocks_cost;
    e->seconds = serial * share + e->post_seconds;
    e->between = compresses ? spl__short_loops(plan, 2, f->nnz_b * m->compress_entry) : 0;
    e->between += f->rows * m->exact_row; /* one thread sums up lengths, and copies offsets */
    spl__count_loops(1, share, e);
    spl__estimate_scratch((double)method->workspace(plan), INFINITY, e);
    e->bytes = (2 - f->repeated_a) * columns * size + f->rows * 8 +
               spl__assumed_threads(&plan->problem) *
                   fmin((double)spl__block_work(plan), f->products + f->nnz_d) * size +
               pairs * (size + 8) +
               (compresses ? f->inner * (double)sizeof(spl__compressed_row) : 0);
}
