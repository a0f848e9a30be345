/* SPDX-License-Identifier: Apache-2.0 */
/* One-shot SpGEMM without a plan: see spgemm_once.h. Not a method, since there is no plan to choose
 * it. This file decides which products it serves, makes memory, and has threads work on blocks of
 * rows; once_rows.h says what they do with rows. Where a block begins in C is known when those
 * before are found: threads take turns for that number only.
 *
 * Cost: per product an addition, three stores and a load; per entry of C its share of the sort.
 * Memory: as many entries as products, of which C keeps its own; per thread those of a block, per
 * column of C a position, and what a long row needs. */
#include "spgemm/spgemm_once.h"

#include "core/checked.h"
#include "core/threads/late_threads.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "machine/machine.h"
#include "matrix/ascend.h"
#include "spgemm/cpu/once_blocks.h"
#include "spgemm/cpu/once_bundles.h"
#include "spgemm/cpu/once_memory.h"
#include "spgemm/cpu/once_rows.h"
#include "spgemm/cpu/rows/sum_space.h"

#include <math.h>
#include <omp.h>

/* ---- which products ---- */

/* Whether operands are small. */
static bool is_small(const spl__once *once)
{
    const spl_sparse *a = &once->a, *b = &once->sparse;
    enum { LIGHTER = 8 }; /* than products */
    double work =
        (double)a->rows + (double)a->nnz + (double)b->rows + (double)b->cols + (double)b->nnz;
    return work <= LIGHTER * spl__machine_cpu.once_products;
}

/* Whether C is no wider than operands are large, since threads have arrays as wide. */
static bool is_narrow(const spl__once *once)
{
    const spl_sparse *a = &once->a, *b = &once->sparse;
    enum { WIDER = 8 };
    return (double)b->cols <= WIDER * ((double)a->rows + (double)a->nnz + (double)b->nnz);
}

/* Products of a row of C, in the mean, if rows of A meet rows of B of the mean length. */
static double row_work(const spl__once *once)
{
    const spl_sparse *a = &once->a, *b = &once->sparse;
    return (double)a->nnz / (double)a->rows * ((double)b->nnz / (double)b->rows);
}

/* Whether rows of C have few products in the mean, so that a plan's look at each row and entry of
 * the operands takes long beside them. */
static bool has_short_rows(const spl__once *once)
{
    /* Rows up to what registers sort are placed faster than they are sorted where positions are
     * near, or order does not matter. */
    const double positions = (double)once->sparse.cols * sizeof(uint32_t);
    const bool near = 2 * positions <= spl__machine_cpu.near_bytes;
    const double row = once->unsorted || near ? SPL__MOST_KEYS : spl__machine_cpu.once_row;
    return row_work(once) <= row && is_narrow(once);
}

static int all_threads(const spl__once *once)
{
    return spl__threads(once->context, once->threads);
}

/* Products up to which all threads need no plan: what of a plan one thread does, and waking the
 * others for each loop, weigh more beside products that all compute. No more than those that C has
 * room for before its entries are known. */
static double products_at_once(const spl__once *once)
{
    const spl__machine *m = &spl__machine_cpu;
    return fmin(m->once_flat, m->once_products * (1 + m->once_threads * (all_threads(once) - 1)));
}

/* Whether operands suit, and memory has no budget. */
static bool serves(const spl__once *once, spl__once_pass pass, spl__once_product *c)
{
    if (once->budget != 0 || spl__account_room(&once->context->account) != SIZE_MAX)
        return false;
    const double work = row_work(once) * (double)once->a.rows;
    if (row_work(once) > SPL__FEW_KEYS && work > spl__machine_cpu.once_products && is_narrow(once))
        pass(c, SPL__ONCE_SAMPLE, NULL);
    return is_small(once) || has_short_rows(once) || c->places_all ||
           (work <= products_at_once(once) && is_narrow(once));
}

/* Whether C is narrow for the products of its rows: a dense sum for each column stays near, and as
 * many columns as there are sums are looked at for each row. One Xeon thread, f64, us, planned or
 * placed before and flat: arrow of 220 rows 345 and 72, rows of 19 in a band of 144 160 and 45,
 * stencil27 of 8 x 7 x 7 513 and 226, 1,000 rows of 16 1,010 and 900; with 8 columns a product
 * instead of 4 rows of 16 in 1,728 took 1.2 times as long. */
static bool is_flat_between(const spl__once_product *c, double cols)
{
    enum { TIMES = 4 };
    const double rows = (double)c->a->rows, work = (double)c->work,
                 sum = (double)spl__type_size(c->a->type) + 1;
    return cols * sum <= spl__machine_cpu.near_bytes && work >= SPL__FLAT_ROW * rows &&
           TIMES * work >= cols * rows;
}

/* The same between the first and last columns of each row, if rows of B are in order. */
static bool is_flat_within(const spl__once *once, const spl__once_product *c)
{
    enum { WORD = 64, MOST = 16 }; /* columns that are looked at together; times entries */
    const double operands = (double)c->a->rows + (double)c->a->nnz + (double)c->b->nnz;
    return !c->shifted && !c->unsorted && c->span > 0 && is_narrow(once) &&
           (double)c->bound <= MOST * operands && is_flat_between(c, c->span + WORD);
}

static bool may_be_flat(const spl__once *once, const spl__once_product *c)
{
    return is_flat_between(c, (double)c->b->cols) || is_flat_within(once, c);
}

/* Whether rows are flat, between all columns, or where C is wide, between their own first and last
 * ones. */
static void find_flat(const spl__once *once, spl__once_product *c)
{
    c->flat = is_flat_between(c, (double)c->b->cols);
    c->windowed = !c->flat && is_flat_within(once, c) && spl__rows_ascend(c->b, c->threads);
    c->flat |= c->windowed;
}

/* Whether a plan's blocks save more than a plan takes: as long as `least` products of one thread,
 * most of which one thread does. */
static bool blocks_pay(const spl__once *once, const spl__once_product *c, double least)
{
    const double mean = (double)c->b->nnz / (double)c->b->rows,
                 work = c->longest ? (double)c->a->nnz * mean : (double)c->work;
    return c->of_nodes && spl__once_blocks_pay(c->a, c->b, work, all_threads(once) * least);
}

/* As `serves`, once products are counted. C is cut off as many entries as its rows can have. */
static bool serves_work(const spl__once *once, const spl__once_product *c)
{
    enum { MOST = 16 }; /* times the entries of operands */
    const double work = (double)c->work,
                 operands = (double)c->a->rows + (double)c->a->nnz + (double)c->b->nnz;
    if (c->flat && work <= spl__machine_cpu.once_flat)
        return !blocks_pay(once, c, spl__machine_cpu.once_flat_repeated);
    if (work <= spl__machine_cpu.once_repeated)
        return true;
    return c->work <= INT32_MAX &&
           (work <= products_at_once(once) || has_short_rows(once) ||
            (c->places_all && (double)c->bound <= MOST * operands)) &&
           !(c->repeats && blocks_pay(once, c, spl__machine_cpu.once_repeated / 2));
}

/* ---- rows ---- */

static void count_rows(spl__once_pass pass, spl__once_product *c)
{
    enum { PART = 8192 };
    const int64_t rows = c->a->rows, parts = (rows - 1) / PART + 1;
    int64_t work = 0, bound = 0;
    if (parts == 1 || c->threads == 1) {
        spl__once_worker all = {.end = rows};
        pass(c, SPL__ONCE_COUNT, &all);
        c->work = all.work;
        c->bound = all.bound;
        return;
    }
#pragma omp parallel for num_threads(spl__team(c->threads)) schedule(static)                       \
    reduction(+ : work, bound)
    for (int64_t k = 0; k < parts; k++) {
        spl__once_worker part = {.begin = k * PART, .end = spl__min_i64(rows, (k + 1) * PART)};
        pass(c, SPL__ONCE_COUNT, &part);
        work += part.work;
        bound += part.bound;
    }
    c->work = work;
    c->bound = bound;
}

/* Entries of a block: so few that each thread has some blocks, and buffers stay in cache; at least
 * those of as many products as if each were one. */
static int64_t block_for(const spl__once_product *c, int threads)
{
    enum { EACH = 4 };
    const int64_t most = c->bundled ? SPL__ONCE_BUNDLES : SPL__ONCE_BLOCK,
                  share = (c->bound + c->a->rows) / (EACH * (int64_t)threads);
    const double kept = (double)c->bound / (double)spl__max_i64(c->bound, c->work);
    const int64_t least =
        1 + (int64_t)(kept * (c->bundled ? SPL__ONCE_BUNDLES_LEAST : SPL__ONCE_BLOCK_LEAST));
    return threads == 1 ? most : spl__max_i64(least, spl__min_i64(most, share));
}

/* Cuts rows into blocks for so many threads. */
static spl_status cut_rows(spl__account *account, spl__once_pass pass, spl__once_product *c,
                           int threads)
{
    c->block = block_for(c, threads);
    if (c->bound < SPL__ONCE_WHOLE && threads == 1)
        c->begin = c->whole;
    else
        SPL__TRY(SPL__NEW(account, &c->begin, (c->bound + c->a->rows) / c->block + 2));
    pass(c, SPL__ONCE_CUT, NULL);
    return SPL_OK;
}

/* ---- memory ---- */

/* One workspace for each thread, behind the workers. */
static spl_status make_workers(spl__account *account, spl__once_product *c)
{
    enum { SLACK = SPL__MOST_KEYS }; /* rows are sorted by whole registers */
    const size_t value = spl__type_size(c->a->type), index = spl__index_size(c->a->index_type),
                 room = (size_t)c->room + SLACK, worker = spl__in_lines(sizeof(spl__once_worker)),
                 space = spl__in_lines(c->bundled ? spl__bundles_space(c)
                                                  : spl__sum_space(value) +
                                                        spl__long_sum_space(c->b->cols, value)),
                 values = spl__in_lines(room * value), columns = spl__in_lines(room * index),
                 copy = c->scans ? values : 0,
                 at = c->scans ? spl__in_lines(room * sizeof(uint32_t)) : 0,
                 positions = c->bundled ? 0 : spl__in_lines((size_t)c->b->cols * sizeof(uint32_t)),
                 each = worker + space + values + copy + columns + at + positions;
    char *memory = c->own;
    if (c->threads > 1 || each > SPL__ONCE_OWN)
        SPL__TRY(spl__alloc(account, c->threads, each, (void **)&memory));
    c->workers = (spl__once_worker *)memory;
    memory += spl__in_lines((size_t)c->threads * sizeof(spl__once_worker));
    for (int t = 0; t < c->threads; t++) {
        spl__once_worker *w = &c->workers[t];
        *w = (spl__once_worker){.space = memory};
        w->values = memory + space;
        w->copy = memory + space + values;
        w->columns = memory + space + values + copy;
        w->at = (uint32_t *)(memory + space + values + copy + columns);
        w->positions = (uint32_t *)(memory + space + values + copy + columns + at);
        if (!c->bundled)
            spl__sum_space_start(w->space);
        memory += each - worker;
    }
    return SPL_OK;
}

/* Arrays of C for so many entries. */
static spl_status make_arrays(spl__account *account, spl__once_product *c, int64_t nnz,
                              spl_matrix **m)
{
    spl_sparse header = *c->a;
    header.cols = c->b->cols;
    header.nnz = nnz;
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__matrix_around(account, &header, c->offsets, NULL, NULL, m));
    c->given = true;
    c->columns = (*m)->indices;
    c->values = (*m)->values;
    return SPL_OK;
}

/* ---- blocks ---- */

/* The kernel, timed where there are other threads to be waited for. */
static void work_on(spl__once_pass pass, spl__once_product *c, spl__once_stage next,
                    spl__once_worker *w)
{
    const double start = c->threads > 1 ? omp_get_wtime() : 0;
    pass(c, next, w);
    w->worked += c->threads > 1 ? omp_get_wtime() - start : 0;
}

/* Finds block b, and sorts it to C, where it begins once all blocks before are found. */
static void make_block(spl__once_pass pass, spl__once_product *c, spl__once_worker *w, int64_t b,
                       spl__turns *turns, int64_t *total)
{
    const bool goes_on = spl__watch_goes_on(c->watch);
    w->begin = c->begin[b];
    w->end = c->begin[b + 1];
    w->found = 0;
    w->own++;
    if (goes_on)
        work_on(pass, c, SPL__ONCE_FIND, w);
    spl__turn_await(turns, b);
    w->first = *total;
    *total += w->found;
    spl__turn_pass(turns, b);
    if (goes_on)
        work_on(pass, c, SPL__ONCE_ORDER, w);
}

/* Whether waking others is worth it for all blocks but the first, the calling thread's, which tells
 * how long a block takes: products take .6 to 5 ns each, by what they meet and on what processor.
 * What all of them save must be twice what waking takes: the first block also waits for new memory.
 */
static bool others_pay(const spl__once_product *c)
{
    const double first = c->workers->worked, rest = first * (double)(c->blocks - 1);
    return spl__threads_worth(rest * (1 - 1 / (double)c->threads), c->threads) > 1;
}

/* Returns the number of entries of C. */
static int64_t make_blocks(spl__once_pass pass, spl__once_product *c)
{
    spl__turns turns = {0};
    int64_t total = 0, first = 0;
    bool together = c->threads > 1;
    spl__watch_stage(c->watch, "multiply", c->blocks);
    if (together && (c->bundled || (double)c->work <= spl__machine_cpu.once_waking)) {
        make_block(pass, c, c->workers, first++, &turns, &total);
        together = others_pay(c);
    }
    if (!together) {
        for (int64_t b = first; b < c->blocks; b++)
            make_block(pass, c, c->workers, b, &turns, &total);
        return total;
    }
    const double start = omp_get_wtime();
#pragma omp parallel for num_threads(spl__team(c->threads)) schedule(dynamic)
    for (int64_t b = first; b < c->blocks; b++)
        make_block(pass, c, &c->workers[omp_get_thread_num()], b, &turns, &total);
    spl__threads_came(omp_get_wtime() - start, c->workers->worked, c->workers->own,
                      c->blocks - first);
    return total;
}

static spl_status multiply(spl__account *account, spl__once_pass pass, spl__once_product *c,
                           spl_matrix **m)
{
    spl__once_worker *w = c->workers;
    if (c->blocks == 1) { /* arrays of exactly their size */
        w->begin = 0;
        w->end = c->a->rows;
        w->own++;
        pass(c, SPL__ONCE_FIND, w);
        SPL__TRY(make_arrays(account, c, w->found, m));
        pass(c, SPL__ONCE_ORDER, w);
        return SPL_OK;
    }
    SPL__TRY(make_arrays(account, c, c->bound, m));
    const int64_t total = make_blocks(pass, c);
    spl_status status = spl__watch_check(c->watch);
    if (status == SPL_OK)
        status = spl__once_shrink(*m, total);
    if (status != SPL_OK)
        spl_matrix_destroy(*m);
    return status;
}

static int threads_unless_late(const spl__once *once)
{
    return spl__threads_unless_late(all_threads(once));
}

/* Threads that may find rows: one where C may have few entries of few products. */
static int threads_for(const spl__once *once, const spl__once_product *c)
{
    const double few = fmax(spl__machine_cpu.once_waking, SPL__ONCE_WHOLE); /* rows are counted */
    if (c->bound < SPL__ONCE_WHOLE && (double)c->work <= few)
        return 1;
    return is_small(once) ? threads_unless_late(once) : c->threads;
}

/* Whether a first block by one thread leaves nothing to share. */
static bool leaves_little(const spl__once_product *c)
{
    return c->blocks == 1 || (c->blocks == 2 && (double)c->work <= spl__machine_cpu.once_waking);
}

/* Whether a plan is better whatever products turn out to be, up to twice as few or as many as rows
 * of the mean length have: counting them takes a twentieth of a small product. */
static bool is_for_plan(const spl__once *once, const spl__once_product *c)
{
    enum { TIMES = 2 };
    const double work = fmin(row_work(once) * (double)c->a->rows, 0x1p61);
    spl__once_product likely = *c;
    likely.work = (int64_t)(TIMES * work);
    likely.bound = (int64_t)(work / TIMES);
    return work > TIMES * products_at_once(once) && !has_short_rows(once) && !c->places_all &&
           !may_be_flat(once, &likely);
}

/* Whether rows are found by bundles. */
static spl_status find_bundles(spl__account *account, spl__once_product *c, spl__once_pass *pass)
{
    if (!c->repeats)
        return SPL_OK;
    SPL__TRY(spl__bundles_find(account, c));
    if (c->bundled)
        *pass = spl__once_bundles_pass_of(c->a);
    return SPL_OK;
}

/* Looks at rows and counts. */
static spl_status look(const spl__once *once, spl__account *account, spl__once_pass *pass,
                       spl__once_product *c, bool *done)
{
    (*pass)(c, SPL__ONCE_LOOK, NULL);
    SPL__TRY(find_bundles(account, c, pass));
    *done = c->bundled || !is_for_plan(once, c);
    if (!*done)
        return SPL_OK;
    count_rows(*pass, c);
    if (!c->bundled)
        find_flat(once, c);
    *done = c->bundled ? c->work <= INT32_MAX : serves_work(once, c);
    return SPL_OK;
}

/* Checks operands, and counts. */
static spl_status prepare(const spl__once *once, spl__account *account, spl__once_pass *pass,
                          spl__once_product *c, bool *done)
{
    SPL__TRY(spl__watch_check(c->watch));
    SPL__TRY(spl__view_check(c->watch, c->threads, c->a, "A"));
    if (!spl__view_same_structure(c->a, c->b))
        SPL__TRY(spl__view_check(c->watch, c->threads, c->b, "B"));
    SPL__TRY(spl__alloc(account, c->a->rows + 1, spl__index_size(c->a->offset_type), &c->offsets));
    SPL__TRY(look(once, account, pass, c, done));
    if (!*done)
        return SPL_OK;
    const int threads = threads_for(once, c);
    SPL__TRY(cut_rows(account, *pass, c, threads));
    c->threads = leaves_little(c) ? 1 : threads;
    return make_workers(account, c);
}

spl_status spl__spgemm_once(const spl__once *once, bool *done, spl_matrix **m)
{
    _Alignas(SPL__LINE) char own[SPL__ONCE_OWN];
    spl__watched call;
    spl_matrix *made = NULL;
    spl__once_product c = {.a = &once->a,
                           .b = &once->sparse,
                           .alpha = once->call.alpha,
                           .unsorted = once->unsorted,
                           .own = own};
    spl__once_pass pass = spl__once_pass_of(c.a);
    *done = serves(once, pass, &c);
    if (!*done)
        return SPL_OK;
    spl__account *account = &once->context->account;
    if (once->context->progress) /* a call's own account takes time, too */
        account = spl__watched_begin(&call, once->context, "multiply", 0);
    c.watch = account->watch;
    c.threads = is_small(once) ? 1 : threads_unless_late(once);
    spl_status status = prepare(once, account, &pass, &c, done);
    if (status == SPL_OK && *done)
        status = multiply(account, pass, &c, &made);
    if (status == SPL_OK && *done) {
        spl__matrix_move(made, &once->context->account);
        *m = made;
    }
    if (!c.given)
        spl__free(c.offsets);
    spl__bundles_free(&c);
    if (c.begin != c.whole)
        spl__free(c.begin);
    if ((char *)c.workers != own)
        spl__free(c.workers);
    return status;
}
