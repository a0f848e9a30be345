/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* One-shot SpGEMM without a plan: see spgemm_once.h. Not a method, since there is no plan to choose
 * it. The products of each row are counted, which bounds C and cuts it into blocks of rows. The
 * rows of a block are found one after the other in a buffer that stays in cache: a row of one term
 * is copied, a long one is added up as by the method one_pass (sum_row.h), others are placed as
 * their columns are met (place_row.h). Once all are found, and the stores of each row have been
 * done for long, they are sorted to C (order_row.h), or copied as they are. Where a block begins in
 * C is known when those before are found: threads take turns for that number only.
 *
 * Cost: per product an addition, three stores and a load; per entry of C its share of the sort.
 * Memory: as many entries as products, of which C keeps its own; per thread those of a block, per
 * column of C a position, and what a long row needs. */
#include "core/checked.h"
#include "core/late_threads.h"
#include "core/parallel.h"
#include "core/team.h"
#include "core/variant.h"
#include "core/watch.h"
#include "machine/machine.h"
#include "matrix/matrix.h"
#include "spgemm/cpu/rows/shifted_rows.h"
#include "spgemm/cpu/rows/sum_space.h"
#include "spgemm/spgemm_once.h"

#include <omp.h>
#include <string.h>

enum { BLOCK_PRODUCTS = 16384, ONE_BLOCK = 2 * BLOCK_PRODUCTS };

typedef enum stage { LOOK, COUNT, CUT, FIND, ORDER } stage;

/* What a thread does next, and its workspace. */
typedef struct worker {
    int64_t begin, end;        /* rows */
    int64_t work, bound;       /* their products, or a bound, and the most entries of C */
    void *space;               /* of sum_row.h */
    void *columns, *values;    /* of a block of C, as it is found */
    uint32_t *positions, next; /* of place_row.h; next 0: not cleared */
    bool cleared;              /* values */
    int64_t found, most;       /* entries of C in the block, and of a row of C */
    int64_t first;             /* of the block in C */
    int64_t own;               /* blocks, and the seconds that they took */
    double worked;
} worker;

typedef struct product {
    const spl_sparse *a, *b;
    const void *alpha;
    bool repeats; /* many rows of A have the columns of the row before */
    bool has_long_rows, unsorted;
    bool ahead;      /* rows of B are sent for */
    bool shifted;    /* rows of A and B repeat others */
    int64_t longest; /* row of B, if nearly all have its length; 0: products are counted */
    int64_t work, bound;
    int threads;
    int64_t blocks, *begin; /* rows of blocks */
    int64_t room;           /* entries of a block */
    worker *workers;
    void *offsets, *columns, *values; /* of C */
    bool given;                       /* to a matrix */
    spl__watch *watch;
} product;

typedef void (*kernel_fn)(product *c, stage next, worker *w);

#define SELF "spgemm/cpu/spgemm_once_cpu.c"
#include "core/each_type.h"

SPL__KERNELS(spgemm_once, kernel_fn, pass, SPL__V4)

#ifndef SPL__VARIANT

static kernel_fn kernel_of(const product *c)
{
    return kernel(spl__combination(c->a->type, c->a->offset_type, c->a->index_type));
}

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

/* Whether rows of C have few products in the mean, so that a plan's look at each row and entry of
 * the operands takes long beside them; and C is no wider than they are large, since threads have
 * arrays as wide. */
static bool has_short_rows(const spl__once *once)
{
    const spl_sparse *a = &once->a, *b = &once->sparse;
    enum { WIDER = 8 };
    /* Rows up to what registers sort are placed faster than they are sorted where positions are
     * near, or order does not matter. */
    const bool near = 2 * (double)b->cols * sizeof(uint32_t) <= spl__machine_cpu.near_bytes;
    const double work = (double)a->nnz / (double)a->rows * ((double)b->nnz / (double)b->rows),
                 row = once->unsorted || near ? SPL__MOST_KEYS : spl__machine_cpu.once_row,
                 most = WIDER * ((double)a->rows + (double)a->nnz + (double)b->nnz);
    return work <= row && (double)b->cols <= most;
}

/* Whether operands suit, and memory has no budget. */
static bool serves(const spl__once *once)
{
    return (is_small(once) || has_short_rows(once)) && once->budget == 0 &&
           spl__account_room(&once->context->account) == SIZE_MAX;
}

/* The same once products are counted. */
static bool serves_work(const spl__once *once, const product *c)
{
    const double work = (double)c->work;
    return work <= spl__machine_cpu.once_repeated ||
           (!c->repeats && c->work <= INT32_MAX &&
            (work <= spl__machine_cpu.once_products || has_short_rows(once)));
}

/* ---- rows ---- */

static void count_rows(kernel_fn pass, product *c)
{
    enum { PART = 8192 };
    const int64_t rows = c->a->rows, parts = (rows - 1) / PART + 1;
    int64_t work = 0, bound = 0;
    if (parts == 1 || c->threads == 1) {
        worker all = {.end = rows};
        pass(c, COUNT, &all);
        c->work = all.work;
        c->bound = all.bound;
        return;
    }
#pragma omp parallel for num_threads(spl__team(c->threads)) schedule(static)                       \
    reduction(+ : work, bound)
    for (int64_t k = 0; k < parts; k++) {
        worker part = {.begin = k * PART, .end = spl__min_i64(rows, (k + 1) * PART)};
        pass(c, COUNT, &part);
        work += part.work;
        bound += part.bound;
    }
    c->work = work;
    c->bound = bound;
}

/* Cuts rows into blocks. */
static spl_status cut_rows(spl__account *account, kernel_fn pass, product *c)
{
    SPL__TRY(SPL__NEW(account, &c->begin, (c->bound + c->a->rows) / BLOCK_PRODUCTS + 2));
    pass(c, CUT, NULL);
    return SPL_OK;
}

/* ---- memory ---- */

static size_t in_lines(size_t bytes)
{
    return (bytes + SPL__LINE - 1) / SPL__LINE * SPL__LINE;
}

/* One workspace for each thread, behind the workers. */
static spl_status make_workers(spl__account *account, product *c)
{
    enum { SLACK = SPL__MOST_KEYS }; /* rows are sorted by whole registers */
    const size_t value = spl__type_size(c->a->type), index = spl__index_size(c->a->index_type),
                 room = (size_t)c->room + SLACK,
                 space = in_lines(spl__sum_space(value) + spl__long_sum_space(c->b->cols, value)),
                 values = in_lines(room * value), columns = in_lines(room * index),
                 positions = in_lines((size_t)c->b->cols * sizeof(uint32_t)),
                 each = in_lines(sizeof(worker)) + space + values + columns + positions;
    char *memory;
    SPL__TRY(spl__alloc(account, c->threads, each, (void **)&memory));
    c->workers = (worker *)memory;
    memory += in_lines((size_t)c->threads * sizeof(worker));
    for (int t = 0; t < c->threads; t++) {
        worker *w = &c->workers[t];
        *w = (worker){.space = memory};
        w->values = memory + space;
        w->columns = memory + space + values;
        w->positions = (uint32_t *)(memory + space + values + columns);
        spl__sum_space_start(w->space);
        memory += each - in_lines(sizeof(worker));
    }
    return SPL_OK;
}

/* Arrays of C for so many entries. */
static spl_status make_arrays(spl__account *account, product *c, int64_t nnz, spl_matrix **m)
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

static spl_status shrink_arrays(spl_matrix *m, int64_t nnz)
{
    SPL__TRY(spl__shrink(&m->indices, (size_t)nnz * spl__index_size(m->view.index_type)));
    SPL__TRY(spl__shrink(&m->values, (size_t)nnz * spl__type_size(m->view.type)));
    m->view.nnz = nnz;
    m->view.indices = m->indices;
    m->view.values = m->values;
    return SPL_OK;
}

/* ---- blocks ---- */

/* The kernel, timed where there are other threads to be waited for. */
static void work_on(kernel_fn pass, product *c, stage next, worker *w)
{
    const double start = c->threads > 1 ? omp_get_wtime() : 0;
    pass(c, next, w);
    w->worked += c->threads > 1 ? omp_get_wtime() - start : 0;
}

/* Finds block b, and sorts it to C, where it begins once all blocks before are found. */
static void make_block(kernel_fn pass, product *c, worker *w, int64_t b, spl__turns *turns,
                       int64_t *total)
{
    const bool goes_on = spl__watch_goes_on(c->watch);
    w->begin = c->begin[b];
    w->end = c->begin[b + 1];
    w->found = 0;
    w->own++;
    if (goes_on)
        work_on(pass, c, FIND, w);
    spl__turn_await(turns, b);
    w->first = *total;
    *total += w->found;
    spl__turn_pass(turns, b);
    if (goes_on)
        work_on(pass, c, ORDER, w);
}

/* Returns the number of entries of C. */
static int64_t make_blocks(kernel_fn pass, product *c)
{
    spl__turns turns = {0};
    int64_t total = 0;
    spl__watch_stage(c->watch, "multiply", c->blocks);
    if (c->threads == 1) {
        for (int64_t b = 0; b < c->blocks; b++)
            make_block(pass, c, c->workers, b, &turns, &total);
        return total;
    }
    const double start = omp_get_wtime();
#pragma omp parallel for num_threads(spl__team(c->threads)) schedule(dynamic)
    for (int64_t b = 0; b < c->blocks; b++)
        make_block(pass, c, &c->workers[omp_get_thread_num()], b, &turns, &total);
    spl__threads_came(omp_get_wtime() - start, c->workers->worked, c->workers->own, c->blocks);
    return total;
}

static spl_status multiply(spl__account *account, kernel_fn pass, product *c, spl_matrix **m)
{
    worker *w = c->workers;
    if (c->blocks == 1) { /* arrays of exactly their size */
        w->begin = 0;
        w->end = c->a->rows;
        pass(c, FIND, w);
        SPL__TRY(make_arrays(account, c, w->found, m));
        pass(c, ORDER, w);
        return SPL_OK;
    }
    SPL__TRY(make_arrays(account, c, c->bound, m));
    const int64_t total = make_blocks(pass, c);
    spl_status status = spl__watch_check(c->watch);
    if (status == SPL_OK)
        status = shrink_arrays(*m, total);
    if (status != SPL_OK)
        spl_matrix_destroy(*m);
    return status;
}

/* Threads that find rows: one where so few products take no longer than waking others and waiting
 * for them. */
static int threads_for(const spl__once *once, const product *c)
{
    enum { WAKING = 2 }; /* times as many products as need no plan */
    return (double)c->work <= WAKING * spl__machine_cpu.once_products
               ? 1
               : spl__threads_unless_late(spl__threads(once->context, once->threads));
}

/* Checks operands, and counts. */
static spl_status prepare(const spl__once *once, spl__account *account, kernel_fn pass, product *c,
                          bool *done)
{
    SPL__TRY(spl__watch_check(c->watch));
    SPL__TRY(spl__view_check(c->watch, c->threads, c->a, "A"));
    SPL__TRY(spl__view_check(c->watch, c->threads, c->b, "B"));
    SPL__TRY(spl__alloc(account, c->a->rows + 1, spl__index_size(c->a->offset_type), &c->offsets));
    pass(c, LOOK, NULL);
    count_rows(pass, c);
    *done = serves_work(once, c);
    if (!*done)
        return SPL_OK;
    SPL__TRY(cut_rows(account, pass, c));
    c->threads = (int)spl__min_i64(threads_for(once, c), c->blocks);
    return make_workers(account, c);
}

spl_status spl__spgemm_once(const spl__once *once, bool *done, spl_matrix **m)
{
    spl__watched call;
    spl_matrix *made = NULL;
    product c = {
        .a = &once->a, .b = &once->sparse, .alpha = once->call.alpha, .unsorted = once->unsorted};
    *done = serves(once);
    if (!*done)
        return SPL_OK;
    const kernel_fn pass = kernel_of(&c);
    spl__account *account = &once->context->account;
    if (once->context->progress) /* a call's own account takes time, too */
        account = spl__watched_begin(&call, once->context, "multiply", 0);
    c.watch = account->watch;
    c.threads =
        is_small(once) ? 1 : spl__threads_unless_late(spl__threads(once->context, once->threads));
    spl_status status = prepare(once, account, pass, &c, done);
    if (status == SPL_OK && *done)
        status = multiply(account, pass, &c, &made);
    if (status == SPL_OK && *done) {
        spl__matrix_move(made, &once->context->account);
        *m = made;
    }
    if (!c.given)
        spl__free(c.offsets);
    spl__free(c.begin);
    spl__free(c.workers);
    return status;
}

#endif
#else

#include "spgemm/cpu/rows/sum_row.h"

#include "spgemm/cpu/rows/order_row.h"
#include "spgemm/cpu/rows/place_row.h"
#ifdef __AVX512VL__
#include "spgemm/cpu/rows/repeat_row.h"
#else
#include "spgemm/cpu/rows/forget_rows.h"
#endif
#include "structure/row_equals_previous.h"

/* Whether three eighths of some rows in the middle have the columns of the row before, as in blocks
 * of two and more, which plans multiply as such. */
static SPL__APART bool FN(repeats)(const spl_sparse *m)
{
    enum { ROWS = 32 };
    const int64_t first = spl__max_i64(0, m->rows / 2 - ROWS / 2),
                  end = spl__min_i64(first + ROWS, m->rows);
    const P *offsets = m->offsets;
    int64_t count = 0;
    for (int64_t i = first + 1; i < end; i++)
        count += offsets[i] < offsets[i + 1] && FN(row_equals_previous)(m, i);
    return 8 * count >= 3 * (end - first);
}

/* Whether most entries of some rows are near those at the same place in the row before: then rows
 * of B that they meet are consecutive, which processors foresee. */
static SPL__APART bool FN(goes_along)(const spl_sparse *m)
{
    enum { SAMPLES = 32, NEAR = 8 };
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    int64_t near = 0, all = 0;
    for (int64_t s = 0; s < SAMPLES; s++) {
        const int64_t i = 1 + s * (m->rows - 2) / SAMPLES;
        for (P p = i < 1 ? 0 : offsets[i], q = p - offsets[i - 1]; p < offsets[i + 1]; p++, all++) {
            const P before = p - q;
            near += before < offsets[i] && columns[p] - columns[before] <= NEAR &&
                    columns[before] - columns[p] <= NEAR;
        }
    }
    return 2 * near >= all;
}

/* The length of the longest row. */
static SPL__APART int64_t FN(longest)(const spl_sparse *m)
{
    const P *offsets = m->offsets;
    P longest = 0;
    for (int64_t i = 0; i < m->rows; i++)
        longest = offsets[i + 1] - offsets[i] > longest ? offsets[i + 1] - offsets[i] : longest;
    return (int64_t)longest;
}

/* Looks at A and B as a whole. */
static void FN(look)(product *c)
{
    enum {
        TIMES = 4,      /* the mean length of rows of B: what bounds may exceed products by */
        FEW_ROWS = 1024 /* do not pay for shapes that they have in common */
    };
    const int64_t of_a = FN(longest)(c->a), of_b = FN(longest)(c->b);
    const double bytes = (double)c->b->nnz * (sizeof(T) + sizeof(I));
    c->repeats = FN(repeats)(c->a);
    c->shifted = c->a->rows > FEW_ROWS && spl__is_shifted(c->a) && spl__is_shifted(c->b);
    c->ahead = bytes > spl__machine_cpu.near_bytes && c->a->rows > 1 && !FN(goes_along)(c->a);
    c->has_long_rows = !spl__sum_is_sorted(of_a * of_b, c->b->cols);
    if (!c->has_long_rows && of_b * c->b->rows <= TIMES * c->b->nnz)
        c->longest = of_b;
}

/* offsets[i+1] = the products of row i, cut off if an offset cannot hold them: then they are too
 * many for this way. */
static SPL__APART void FN(count_products)(const product *c, worker *w)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices;
    P *products = c->offsets;
    int64_t all = 0, bound = 0;
    for (int64_t i = w->begin; i < w->end; i++) {
        int64_t work = 0;
        for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++)
            work += b_offsets[a_columns[p] + 1] - b_offsets[a_columns[p]];
        products[i + 1] = (P)work;
        all += work;
        bound += spl__min_i64(work, c->b->cols);
    }
    w->work = all;
    w->bound = bound;
}

/* A bound of them instead. */
static SPL__APART void FN(bound_products)(const product *c, worker *w)
{
    const P *a_offsets = c->a->offsets, longest = (P)c->longest;
    P *products = c->offsets;
    for (int64_t i = w->begin; i < w->end; i++)
        products[i + 1] = longest * (a_offsets[i + 1] - a_offsets[i]);
    w->work = w->bound = c->longest * (int64_t)(a_offsets[w->end] - a_offsets[w->begin]);
}

/* All products, where operands have few entries: a loop without rows, whose ends are not to be
 * predicted. */
static int64_t FN(few_products)(const product *c)
{
    const P *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices;
    int64_t all = 0;
    for (int64_t p = 0; p < c->a->nnz; p++)
        all += b_offsets[a_columns[p] + 1] - b_offsets[a_columns[p]];
    return all;
}

/* In one block only long rows are told apart. */
static void FN(count)(const product *c, worker *w)
{
    const bool whole = w->begin == 0 && w->end == c->a->rows;
    if (whole && c->a->nnz < ONE_BLOCK && !c->has_long_rows && !c->shifted) {
        w->work = w->bound = FN(few_products)(c);
        if (w->bound < ONE_BLOCK)
            return;
    }
    if (c->longest)
        FN(bound_products)(c, w);
    else
        FN(count_products)(c, w);
}

/* Blocks end where their rows can have as many entries, or are that many. A block that has all is
 * not cut. */
static SPL__APART void FN(cut)(product *c)
{
    const P *work = c->offsets;
    const int64_t rows = c->a->rows, cols = c->b->cols;
    int64_t room = 0, *begin = c->begin;
    *begin = 0;
    if (c->bound < ONE_BLOCK) {
        begin[1] = rows;
        c->room = c->bound;
        c->blocks = 1;
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        room += spl__min_i64((int64_t)work[i + 1], cols);
        if (room + i - *begin < BLOCK_PRODUCTS && i + 1 < rows)
            continue;
        *++begin = i + 1;
        c->room = spl__max_i64(c->room, room);
        room = 0;
    }
    c->blocks = begin - c->begin;
}

/* Row i of C, of up to `work` products or more than can be sorted, in order; returns its length. */
static SPL__APART int64_t FN(sum_row)(const product *c, void *space, int64_t i, int64_t work,
                                      I *columns, T *values)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    FN(accumulator) sums = FN(begin_sums)(c->b->cols, work, space);
    for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++) {
        P begin = b_offsets[a_columns[p]], end = b_offsets[a_columns[p] + 1];
        FN(add_scaled)(&sums, b_columns + begin, b_values + begin, end - begin,
                       alpha * a_values[p]);
    }
    const int64_t count = FN(end_row)(&sums, columns, values);
    FN(remember_row)(c->a, c->b, i, space, &sums, count);
    return count;
}

/* A row of one term is a row of B, scaled. False if that is not in order, or not without
 * duplicates. */
static bool FN(copy_row)(const I *restrict columns, const T *restrict values, int64_t count,
                         T scale, I *restrict to_columns, T *restrict to_values)
{
    bool ascends = true;
    for (int64_t k = 0; k < count; k++) {
        ascends &= k == 0 || columns[k] > columns[k - 1];
        to_columns[k] = columns[k];
        to_values[k] = scale * values[k];
    }
    return ascends;
}

/* A new row of places, which are cleared for the first one. */
static inline void FN(clear_places)(const product *c, FN(places) *places)
{
    memset(places->positions, 0, (size_t)c->b->cols * sizeof *places->positions);
    places->next = 1;
}

/* Places row i. */
static inline int64_t FN(place)(const product *c, FN(places) *places, int64_t i, I *columns,
                                T *values)
{
    const T alpha = *(const T *)c->alpha;
    if (places->next == 0)
        FN(clear_places)(c, places);
    return c->longest == 1 ? FN(place_singles)(places, c->a, c->b, i, alpha, columns, values)
           : c->ahead      ? FN(place_row_ahead)(places, c->a, c->b, i, alpha, columns, values)
                           : FN(place_row)(places, c->a, c->b, i, alpha, columns, values);
}

/* Row i of C where rows repeat others, or some are long; returns its length. */
static SPL__APART int64_t FN(find_row)(const product *c, FN(places) *places, void *space, int64_t i,
                                       I *columns, T *values)
{
    const int64_t work = (int64_t)((const P *)c->offsets)[i + 1];
    const T alpha = *(const T *)c->alpha;
    if (c->shifted) {
        const int64_t count = FN(repeat_row)(c->a, c->b, alpha, i, space, columns, values);
        return count >= 0 ? count : FN(sum_row)(c, space, i, work, columns, values);
    }
    return spl__sum_is_sorted(work, c->b->cols) ? FN(place)(c, places, i, columns, values)
                                                : FN(sum_row)(c, space, i, work, columns, values);
}

/* Rows of C, one behind the other: those of one term copied from B, and what is not in order then,
 * and only that, placed. offsets[i+1] is then where row i ends in the block. */
static SPL__APART void FN(find)(const product *c, worker *w)
{
    const P *a_offsets = c->a->offsets, *b_offsets = c->b->offsets;
    const I *a_columns = c->a->indices, *b_columns = c->b->indices;
    const T *a_values = c->a->values, *b_values = c->b->values, alpha = *(const T *)c->alpha;
    P *offsets = c->offsets;
    I *columns = w->columns;
    T *values = w->values;
    FN(places) places = {.positions = w->positions, .next = w->next};
    const bool plain = !c->shifted && !c->has_long_rows;
    int64_t found = 0, most = 0;
    for (int64_t i = w->begin, end = w->end; i < end; i++) {
        const P p = a_offsets[i], terms = a_offsets[i + 1] - p;
        int64_t count = 0;
        bool whole = terms == 0;
        if (terms == 1) {
            const P begin = b_offsets[a_columns[p]];
            count = (int64_t)(b_offsets[a_columns[p] + 1] - begin);
            whole = count <= c->b->cols &&
                    FN(copy_row)(b_columns + begin, b_values + begin, count, alpha * a_values[p],
                                 columns + found, values + found);
        }
        if (!whole) {
            if (terms == 1 && count <= c->b->cols)
                memset(values + found, 0, (size_t)count * sizeof(T));
            count = plain ? FN(place)(c, &places, i, columns + found, values + found)
                          : FN(find_row)(c, &places, w->space, i, columns + found, values + found);
        }
        found += count;
        most = spl__max_i64(most, count);
        offsets[i + 1] = (P)found;
    }
    w->next = places.next;
    w->most = most;
    w->found = found;
}

/* Finds a block; values are zero before. */
static void FN(start_and_find)(const product *c, worker *w)
{
    if (!w->cleared)
        memset(w->values, 0, (size_t)c->room * sizeof(T));
    w->cleared = true;
    FN(find)(c, w);
}

/* Sorts rows of a block to where C has them. Those in order already come out of it as they are. */
static SPL__APART void FN(sort_rows)(const product *c, const worker *w, I *to_columns, T *to_values)
{
    const P *offsets = c->offsets;
    const int bits = spl__position_bits(c->b->cols);
    P begin = 0;
    for (int64_t i = w->begin; i < w->end; i++) {
        const I *columns = (const I *)w->columns + begin;
        const T *values = (const T *)w->values + begin;
        const int64_t count = (int64_t)(offsets[i + 1] - begin);
        if (spl__sum_is_sorted(count, c->b->cols)) {
            FN(order_row)(columns, values, count, bits, to_columns + begin, to_values + begin);
        } else {
            memcpy(to_columns + begin, columns, (size_t)count * sizeof(I));
            memcpy(to_values + begin, values, (size_t)count * sizeof(T));
        }
        begin = offsets[i + 1];
    }
}

/* Moves a block to C, in order. */
static void FN(order)(product *c, worker *w)
{
    P *offsets = c->offsets;
    I *to_columns = (I *)c->columns + w->first;
    T *to_values = (T *)c->values + w->first;
    const size_t found = (size_t)w->found;
    if (found > 0 && (c->unsorted || c->shifted || w->most <= 1)) {
        memcpy(to_columns, w->columns, found * sizeof(I));
        memcpy(to_values, w->values, found * sizeof(T));
    } else
        FN(sort_rows)(c, w, to_columns, to_values);
    memset(w->values, 0, found * sizeof(T));
    for (int64_t i = w->begin; w->first > 0 && i < w->end; i++)
        offsets[i + 1] += (P)w->first;
    if (w->begin == 0)
        offsets[0] = 0;
}

static void FN(pass)(product *c, stage next, worker *w)
{
    if (next == LOOK)
        FN(look)(c);
    else if (next == COUNT)
        FN(count)(c, w);
    else if (next == CUT)
        FN(cut)(c);
    else if (next == FIND)
        FN(start_and_find)(c, w);
    else
        FN(order)(c, w);
}

#endif
