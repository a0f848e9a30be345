/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* One-shot SpGEMM under a mask without a plan: see spgemm_once.h. Not a method, since there is no
 * plan to choose it.
 *
 * A row of the mask is written into an array that says for each column of C where it stands in the
 * row. Products are added there, or dropped; the positions that met one are kept. So the structure
 * of C and its values come from one walk over the products, and rows where A or the mask is empty
 * cost nothing. Positions only grow from row to row: nothing is cleared. Blocks of rows are written
 * to where the mask has them, and moved together at the end.
 *
 * Cost: a look at a number per product, a store and a move per position of the mask. Memory: as
 * many entries as the mask has, of which C keeps its own; per thread 4 bytes per column of C, and a
 * byte per position of the longest row of the mask.
 * Source: S. Milakovic, O. Selvitopi, I. Nisa, Z. Budimlic, A. Buluc, Parallel algorithms for
 * masked sparse matrix-matrix products, 2021 (arXiv 2111.09947), the masked sparse accumulator in
 * one phase. Differs: positions that grow; sums stand in C itself. */
#include "core/checked.h"
#include "core/combination.h"
#include "core/late_threads.h"
#include "core/parallel.h"
#include "core/team.h"
#include "core/watch.h"
#include "machine/machine.h"
#include "problem/semiring.h"
#include "spgemm/cpu/once_memory.h"
#include "spgemm/cpu/rows/meeting.h"
#include "spgemm/spgemm_once.h"

#include <omp.h>
#include <string.h>

/* Rows and entries of A and of the mask in a block. */
enum { BLOCK_WORK = 8192 };

/* A thread's workspace. */
typedef struct worker {
    uint32_t *positions, next; /* next: the first position that is not in use; 0: not cleared */
    uint8_t *met;              /* of each position of a row of the mask: a product */
    spl__meeting seen;
    int64_t own; /* blocks, and the seconds that they took */
    double worked;
} worker;

typedef struct product {
    const spl__once_masked *once;
    int threads;
    int64_t longest; /* row of the mask */
    bool lists;      /* rows of B are long enough */
    int64_t blocks;
    int64_t *begin, *found; /* of each block: its first row, and entries of C */
    worker *workers;
    void *offsets, *columns, *values; /* of C */
    spl__watch *watch;
} product;

typedef struct survey {
    bool ascends;    /* rows of the mask, without repeated columns */
    int64_t longest; /* of them */
    /* of sampled rows: their entries, those of rows of B, and steps of products of A and B' */
    double entries, products, steps;
    int64_t *begin, *blocks; /* cuts rows, unless NULL */
} survey;

typedef void (*look_fn)(const spl__once_masked *once, survey *s);
typedef void (*find_fn)(const product *c, worker *w, int64_t block, int64_t to);

#define SELF "spgemm/cpu/once_masked_rows.c"
#include "core/each_type.h"

static const look_fn looks[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(look);
static const find_fn finds[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(find);

static int combination_of(const spl__once_masked *once)
{
    return spl__combination(once->product.a.type, once->product.a.offset_type,
                            once->product.a.index_type);
}

/* Whether C is no wider than operands are large, since threads have arrays as wide. */
static bool is_narrow(const spl__once_masked *once)
{
    enum { WIDER = 8 };
    const spl_sparse *a = &once->product.a, *b = &once->product.sparse;
    return b->cols <= INT32_MAX &&
           (double)b->cols <= WIDER * ((double)a->rows + (double)a->nnz + (double)b->nnz);
}

/* Whether rows of B are walked in no more time than rows of A and B' are merged, which a plan can
 * do; it walks over products for the structure of C first, so that half of them count. */
static bool serves(const spl__once_masked *once, const survey *s)
{
    const spl__machine *m = &spl__machine_cpu;
    return s->ascends && ((double)s->products <= m->once_planned * (double)s->steps ||
                          (double)once->product.a.nnz <= m->once_products);
}

/* ---- memory ---- */

static spl_status make_workers(spl__account *account, product *c)
{
    const int64_t cols = c->once->product.sparse.cols;
    const size_t positions = spl__in_lines((size_t)cols * sizeof(uint32_t)),
                 each =
                     spl__in_lines(sizeof(worker)) + positions + spl__in_lines((size_t)c->longest);
    char *memory;
    SPL__TRY(spl__alloc(account, c->threads, each, (void **)&memory));
    c->workers = (worker *)memory;
    memory += spl__in_lines((size_t)c->threads * sizeof(worker));
    for (int t = 0; t < c->threads; t++) {
        c->workers[t] = (worker){.positions = (uint32_t *)memory,
                                 .met = (uint8_t *)memory + positions,
                                 .seen = {.open = c->lists}};
        memory += each - spl__in_lines(sizeof(worker));
    }
    return SPL_OK;
}

static spl_status make_result(spl__account *account, product *c, spl_matrix **m)
{
    spl_sparse header = c->once->product.a;
    header.cols = c->once->product.sparse.cols;
    header.nnz = c->once->mask.nnz;
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__matrix_new(account, &header, m));
    c->offsets = (*m)->offsets;
    c->columns = (*m)->indices;
    c->values = (*m)->values;
    return SPL_OK;
}

/* ---- blocks ---- */

/* Where a row of the mask begins, and rows of C that are found from there on. */
static int64_t mask_begin(const product *c, int64_t row)
{
    return spl__index_at(c->once->mask.offsets, c->once->mask.offset_type, row);
}

static void find_block(const product *c, worker *w, int64_t block, int64_t to)
{
    const double start = c->threads > 1 ? omp_get_wtime() : 0;
    if (spl__watch_goes_on(c->watch))
        finds[combination_of(c->once)](c, w, block, to);
    else
        c->found[block] = 0;
    w->own++;
    w->worked += c->threads > 1 ? omp_get_wtime() - start : 0;
}

/* Moves what block b has found to `to`, and its rows' offsets, which count from its begin. */
static void move_block(const product *c, int64_t b, int64_t to)
{
    const spl_sparse *a = &c->once->product.a;
    const int64_t from = mask_begin(c, c->begin[b]), count = c->found[b];
    const size_t index = spl__index_size(a->index_type), value = spl__type_size(a->type);
    char *columns = c->columns, *values = c->values;
    if (count > 0 && from != to) {
        memmove(columns + (size_t)to * index, columns + (size_t)from * index,
                (size_t)count * index);
        memmove(values + (size_t)to * value, values + (size_t)from * value, (size_t)count * value);
    }
    for (int64_t i = c->begin[b] + 1; to > 0 && i <= c->begin[b + 1]; i++)
        spl__index_set(c->offsets, a->offset_type, i,
                       spl__index_at(c->offsets, a->offset_type, i) + to);
}

/* Returns the number of entries of C. */
static int64_t find_all(product *c)
{
    int64_t total = 0;
    spl__watch_stage(c->watch, "multiply", c->blocks);
    spl__index_set(c->offsets, c->once->product.a.offset_type, 0, 0);
    if (c->threads == 1) {
        for (int64_t b = 0; b < c->blocks; total += c->found[b++])
            find_block(c, c->workers, b, total);
        return total;
    }
    const double start = omp_get_wtime();
#pragma omp parallel for num_threads(spl__team(c->threads)) schedule(dynamic)
    for (int64_t b = 0; b < c->blocks; b++)
        find_block(c, &c->workers[omp_get_thread_num()], b, -1);
    spl__threads_came(omp_get_wtime() - start, c->workers->worked, c->workers->own, c->blocks);
    for (int64_t b = 0; b < c->blocks; total += c->found[b++])
        move_block(c, b, total);
    return total;
}

static spl_status multiply(spl__account *account, product *c, spl_matrix **m)
{
    SPL__TRY(make_workers(account, c));
    SPL__TRY(make_result(account, c, m));
    const int64_t total = find_all(c);
    spl_status status = spl__watch_check(c->watch);
    if (status == SPL_OK)
        status = spl__once_shrink(*m, total);
    if (status != SPL_OK)
        spl_matrix_destroy(*m);
    return status;
}

/* Checks operands, and looks at them. */
static spl_status prepare(spl__account *account, product *c, bool *done)
{
    const spl__once_masked *once = c->once;
    survey s = {.ascends = true, .blocks = &c->blocks};
    SPL__TRY(spl__watch_check(c->watch));
    SPL__TRY(spl__view_check(c->watch, c->threads, &once->product.a, "A"));
    if (!spl__view_same_structure(&once->product.sparse, &once->product.a))
        SPL__TRY(spl__view_check(c->watch, c->threads, &once->product.sparse, "B"));
    if (!spl__view_same_structure(&once->mask, &once->product.a))
        SPL__TRY(spl__view_check(c->watch, c->threads, &once->mask, "mask"));
    const int64_t most =
        (once->product.a.rows + once->product.a.nnz + once->mask.nnz) / BLOCK_WORK + 2;
    SPL__TRY(SPL__NEW(account, &c->begin, 2 * most));
    c->found = c->begin + most;
    s.begin = c->begin;
    looks[combination_of(once)](once, &s);
    c->longest = s.longest;
    c->lists = spl__meet_is_long(s.entries, s.products);
    c->threads = (int)spl__min_i64(c->threads, c->blocks);
    *done = serves(once, &s);
    return SPL_OK;
}

/* One thread where waking others takes as long as all rows. */
static int threads_for(const spl__once_masked *once)
{
    const double work =
        (double)once->product.a.rows + (double)once->product.a.nnz + (double)once->mask.nnz;
    return work <= spl__machine_cpu.once_products
               ? 1
               : spl__threads_unless_late(
                     spl__threads(once->product.context, once->product.threads));
}

spl_status spl__spgemm_once_masked(const spl__once_masked *once, bool *done, spl_matrix **m)
{
    spl__watched call;
    spl_matrix *made = NULL;
    *done = once->product.budget == 0 &&
            spl__account_room(&once->product.context->account) == SIZE_MAX && is_narrow(once);
    if (!*done)
        return SPL_OK;
    product c = {.once = once, .threads = threads_for(once)};
    spl__account *account = &once->product.context->account;
    if (once->product.context->progress) /* a call's own account takes time, too */
        account = spl__watched_begin(&call, once->product.context, "multiply", 0);
    c.watch = account->watch;
    spl_status status = prepare(account, &c, done);
    if (status == SPL_OK && *done)
        status = multiply(account, &c, &made);
    if (status == SPL_OK && *done) {
        spl__matrix_move(made, &once->product.context->account);
        *m = made;
    }
    spl__free(c.begin);
    spl__free(c.workers);
    return status;
}

#else
#define IN_INTEGERS
#define POSITION uint32_t

#include "spgemm/cpu/rows/meet_row.h"

/* Whether rows of the mask are in order, each column once; their longest. */
static SPL__APART bool FN(survey_rows)(const spl_sparse *mask, int64_t *longest)
{
    const P *offsets = mask->offsets;
    const I *columns = mask->indices;
    bool ascends = true;
    P most = 0;
    for (int64_t i = 0; i < mask->rows; i++) {
        const P begin = offsets[i], end = offsets[i + 1];
        most = end - begin > most ? end - begin : most;
        for (P p = begin + 1; p < end; p++)
            ascends &= columns[p - 1] < columns[p];
    }
    *longest = (int64_t)most;
    return ascends;
}

/* Products of some rows, and the steps that merges of rows of A and B' take. */
static SPL__APART void FN(sample)(const spl__once_masked *once, survey *s)
{
    enum { SAMPLES = 256 };
    const P *a_offsets = once->product.a.offsets, *b_offsets = once->product.sparse.offsets,
            *mask = once->mask.offsets;
    const I *a_columns = once->product.a.indices;
    const int64_t rows = once->product.a.rows, stride = rows / SAMPLES + 1;
    const double column = (double)once->product.sparse.nnz / (double)once->product.sparse.cols;
    for (int64_t i = stride / 2; i < rows; i += stride) {
        const P begin = a_offsets[i], end = a_offsets[i + 1];
        if (mask[i] == mask[i + 1] || begin == end)
            continue;
        for (P p = begin; p < end; p++)
            s->products += (double)(b_offsets[a_columns[p] + 1] - b_offsets[a_columns[p]]);
        s->entries += (double)(end - begin);
        s->steps += (double)(mask[i + 1] - mask[i]) * ((double)(end - begin) + column);
    }
}

/* Blocks of rows with as many rows and entries. */
static SPL__APART void FN(cut)(const spl__once_masked *once, survey *s)
{
    const P *a_offsets = once->product.a.offsets, *mask = once->mask.offsets;
    const int64_t rows = once->product.a.rows;
    int64_t count = 0, next = BLOCK_WORK;
    s->begin[0] = 0;
    for (int64_t i = 1; i <= rows; i++) {
        const int64_t work = i + (int64_t)a_offsets[i] + (int64_t)mask[i];
        if (work < next && i < rows)
            continue;
        s->begin[++count] = i;
        next = work + BLOCK_WORK;
    }
    *s->blocks = count;
}

static void FN(look)(const spl__once_masked *once, survey *s)
{
    s->ascends = FN(survey_rows)(&once->mask, &s->longest);
    if (!s->ascends)
        return;
    FN(sample)(once, s);
    FN(cut)(once, s);
}

/* Writes what a row of the mask says into the workspace and `values`. */
static inline void FN(open_row)(const product *c, worker *w, const I *mask, uint32_t count,
                                T *values, T none)
{
    const size_t cols = (size_t)c->once->product.sparse.cols;
    if (w->next == 0 || w->next > UINT32_MAX - count) {
        memset(w->positions, 0, cols * sizeof *w->positions);
        w->next = 1;
    }
    for (uint32_t k = 0; k < count; k++) {
        w->positions[mask[k]] = w->next + k;
        w->met[k] = 0;
        values[k] = none;
    }
}

/* Keeps the positions that met a product; returns their number. */
static inline int64_t FN(close_row)(worker *w, const I *mask, uint32_t count, I *columns, T *values)
{
    int64_t found = 0;
    w->next += count;
    for (uint32_t k = 0; k < count; k++) {
        columns[found] = mask[k];
        values[found] = values[k];
        found += w->met[k];
    }
    return found;
}

/* Rows of a block, written from position `to` of C on. */
static inline __attribute__((always_inline)) void
FN(find_rows)(const product *c, worker *w, int64_t block, int64_t to, int32_t semiring)
{
    const P *a_offsets = c->once->product.a.offsets, *mask_offsets = c->once->mask.offsets;
    const I *mask = c->once->mask.indices;
    const bool moved = to < 0; /* later, by move_block */
    const int64_t begin = c->begin[block], from = moved ? (int64_t)mask_offsets[begin] : to;
    const T none = SPL__SEMIRING_NONE(T, semiring), alpha = *(const T *)c->once->product.call.alpha;
    P *offsets = c->offsets;
    I *columns = (I *)c->columns + from;
    T *values = (T *)c->values + from;
    int64_t found = 0;
    for (int64_t i = begin, end = c->begin[block + 1]; i < end; i++) {
        const P first = mask_offsets[i];
        const uint32_t count = (uint32_t)(mask_offsets[i + 1] - first);
        if (count > 0 && a_offsets[i] < a_offsets[i + 1]) {
            FN(open_row)(c, w, mask + first, count, values + found, none);
            const FN(meet) row = {w->positions, w->next, count, values + found, w->met, &w->seen};
            FN(meet_row)(&row, &c->once->product.a, &c->once->product.sparse, i, alpha, semiring);
            found += FN(close_row)(w, mask + first, count, columns + found, values + found);
        }
        offsets[i + 1] = (P)(moved ? found : from + found);
    }
    c->found[block] = found;
}

static SPL__APART void FN(find_sums)(const product *c, worker *w, int64_t block, int64_t to)
{
    FN(find_rows)(c, w, block, to, SPL_PLUS_TIMES);
}

static SPL__APART void FN(find)(const product *c, worker *w, int64_t block, int64_t to)
{
    const int32_t semiring = c->once->semiring;
    if (semiring == SPL_PLUS_TIMES)
        FN(find_sums)(c, w, block, to);
    else
        SPL__FOR_SEMIRING(T, semiring, FN(find_rows)(c, w, block, to, S));
}

#endif
