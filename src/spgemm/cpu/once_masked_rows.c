/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* One-shot SpGEMM under a mask without a plan: see spgemm_once.h. Not a method, since there is no
 * plan to choose it.
 *
 * A row of the mask is written into an array that says for each column of C where it stands in the
 * row. Products are added there, or dropped; the positions that met one are kept. So the structure
 * of C and its values come from one walk over the products, and rows where A or the mask is empty
 * cost nothing. Of A*B' a row of A is written into the array, where the entries of a row of B look
 * theirs up for each position of the mask, so that nothing is transposed. What blocks of rows find
 * is kept in pieces of memory, and copied into C at the end; a single block is written into C.
 *
 * Cost: a look at a number per product, two stores and a move per position of the mask, two copies
 * of C. Memory: C twice; per thread 2 bytes per column of C or, of A*B', of A, and the entries of a
 * block.
 * Source: S. Milakovic, O. Selvitopi, I. Nisa, Z. Budimlic, A. Buluc, Parallel algorithms for
 * masked sparse matrix-matrix products, 2021 (arXiv 2111.09947), the masked sparse accumulator in
 * one phase. Differs: sums stand in C itself. */
#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/late_threads.h"
#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "core/watch.h"
#include "machine/machine.h"
#include "matrix/ascend.h"
#include "problem/semiring.h"
#include "spgemm/cpu/once_memory.h"
#include "spgemm/cpu/once_pieces.h"
#include "spgemm/cpu/rows/meeting.h"
#include "spgemm/dots.h"
#include "spgemm/spgemm_once.h"

#include <omp.h>
#include <string.h>

/* Rows and entries of A and of the mask in a block. */
enum { BLOCK_WORK = 4096 };

/* Rows that are looked at before. */
enum { SAMPLES = 256 };

/* A thread's workspace. */
typedef struct worker {
    bool cleared;
    uint16_t *positions;    /* of columns in a row of the mask or of A, from 1 on; 0: none */
    uint8_t *met;           /* of each position of a row of the mask: a product */
    void *columns, *values; /* of a block */
    spl__pieces pieces;
    spl__meeting seen;
    int64_t own; /* blocks, and the seconds that they took */
    double worked;
} worker;

typedef struct product {
    const spl__once_masked *once;
    int threads;
    int64_t longest; /* row of the mask, and of A if it is looked up */
    bool lists;      /* rows of B are long enough */
    int64_t blocks;
    int64_t *begin, *found;  /* of each block: its first row, and entries of C */
    spl__piece_position *at; /* of each block: its entries, if there are several */
    worker *workers;
    spl__failure failure;
    void *offsets, *columns, *values; /* of C */
    spl__watch *watch;
} product;

typedef struct survey {
    int64_t longest; /* row of the mask, and of A if it is looked up */
    /* of sampled rows: their entries, those of rows of B, and steps of dot products */
    double entries, products, steps;
    int64_t *begin, *blocks; /* cuts rows, unless NULL */
} survey;

typedef spl_status (*look_fn)(const spl__once_masked *once, spl__account *account, survey *s);
typedef void (*move_fn)(const product *c, int64_t block, int64_t to);
typedef void (*find_fn)(const product *c, worker *w, int64_t block);

#define SELF "spgemm/cpu/once_masked_rows.c"
#include "core/each_type.h"

static const look_fn looks[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(look);
static const find_fn finds[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(find);
static const move_fn moves[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(move_offsets);

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
 * do; it walks over products for the structure of C first, so that half of them count. Of A*B' the
 * other way round. */
static bool serves(const spl__once_masked *once, const survey *s)
{
    const spl__machine *m = &spl__machine_cpu;
    const double here = once->transposed ? s->steps : s->products,
                 planned = once->transposed ? s->products : s->steps;
    return s->longest < UINT16_MAX &&
           (here <= m->once_planned * planned || (double)once->product.a.nnz <= m->once_products);
}

/* Whether rows are in order: of the mask, and those that are looked up or look up. */
static bool all_ascend(const spl__once_masked *once, int threads)
{
    const spl_sparse *a = &once->product.a, *b = &once->product.sparse, *mask = &once->mask;
    return spl__rows_ascend(mask, threads) &&
           (!once->transposed ||
            ((spl__view_same_structure(a, mask) || spl__rows_ascend(a, threads)) &&
             (spl__view_same_structure(b, mask) || spl__view_same_structure(b, a) ||
              spl__rows_ascend(b, threads))));
}

/* ---- memory ---- */

/* The most entries of a block. */
static int64_t block_entries(const product *c)
{
    return c->blocks == 1 ? 0 : spl__min_i64(BLOCK_WORK + c->longest, c->once->mask.nnz);
}

static spl_status make_workers(spl__account *account, product *c)
{
    const spl_sparse *a = &c->once->product.a;
    const size_t entries = (size_t)block_entries(c), index = spl__index_size(a->index_type),
                 value = spl__type_size(a->type),
                 positions = spl__in_lines((size_t)c->once->product.sparse.cols * sizeof(uint16_t)),
                 met = spl__in_lines((size_t)c->longest), columns = spl__in_lines(entries * index),
                 own = spl__in_lines(sizeof(worker)),
                 each = own + positions + met + columns + spl__in_lines(entries * value);
    char *memory;
    SPL__TRY(spl__alloc(account, c->threads, each, (void **)&memory));
    c->workers = (worker *)memory;
    memory += (size_t)c->threads * own;
    for (int t = 0; t < c->threads; t++, memory += each - own)
        c->workers[t] = (worker){.positions = (uint16_t *)memory,
                                 .met = (uint8_t *)memory + positions,
                                 .columns = memory + positions + met,
                                 .values = memory + positions + met + columns,
                                 .pieces = {.account = account, .index = index, .value = value},
                                 .seen = {.open = c->lists}};
    return SPL_OK;
}

/* C with room for so many entries. */
static spl_status make_result(spl__account *account, product *c, int64_t nnz, spl_matrix **m)
{
    spl_sparse header = c->once->product.a;
    header.cols = c->once->mask.cols;
    header.nnz = nnz;
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__matrix_new(account, &header, m));
    c->offsets = (*m)->offsets;
    c->columns = (*m)->indices;
    c->values = (*m)->values;
    spl__index_set(c->offsets, header.offset_type, 0, 0);
    return SPL_OK;
}

static void free_workers(product *c)
{
    for (int t = 0; c->workers && t < c->threads; t++)
        spl__pieces_free(&c->workers[t].pieces);
    spl__free(c->workers);
}

/* ---- blocks ---- */

static void find_block(product *c, worker *w, int64_t block)
{
    const double start = c->threads > 1 ? omp_get_wtime() : 0;
    c->found[block] = 0;
    if (spl__watch_goes_on(c->watch) && !spl__failed(&c->failure)) {
        finds[combination_of(c->once)](c, w, block);
        spl__failure_note(&c->failure, spl__pieces_append(&w->pieces, w->columns, w->values,
                                                          c->found[block], &c->at[block]));
    }
    w->own++;
    w->worked += c->threads > 1 ? omp_get_wtime() - start : 0;
}

static void find_blocks(product *c)
{
    if (c->threads == 1) {
        for (int64_t b = 0; b < c->blocks; b++)
            find_block(c, c->workers, b);
        return;
    }
    const double start = omp_get_wtime();
#pragma omp parallel for num_threads(spl__team(c->threads)) schedule(dynamic)
    for (int64_t b = 0; b < c->blocks; b++)
        find_block(c, &c->workers[omp_get_thread_num()], b);
    spl__threads_came(omp_get_wtime() - start, c->workers->worked, c->workers->own, c->blocks);
}

/* Copies what a block has found to `to` in C; its rows' offsets count from its begin. */
static void copy_block(const product *c, int64_t b, int64_t to)
{
    const spl__pieces *pieces = &c->workers->pieces; /* of any thread: its sizes */
    spl__pieces_copy(pieces, c->at[b], c->found[b], (char *)c->columns + (size_t)to * pieces->index,
                     (char *)c->values + (size_t)to * pieces->value);
    moves[combination_of(c->once)](c, b, to);
}

/* The same for all blocks; where each begins stands behind c->found. */
static void copy_blocks(product *c)
{
    int64_t *to = c->found + c->blocks + 1;
    to[0] = 0;
    for (int64_t b = 0; b < c->blocks; b++)
        to[b + 1] = to[b] + c->found[b];
    SPL__FOR_PARTS(b, c->blocks, c->threads, copy_block(c, b, to[b]));
}

/* The entries of C, of which *m has none yet. */
static spl_status fill(spl__account *account, product *c, spl_matrix *m)
{
    int64_t total = 0;
    for (int64_t b = 0; b < c->blocks; b++)
        total += c->found[b];
    SPL__TRY(spl__alloc(account, total, c->workers->pieces.index, &m->indices));
    SPL__TRY(spl__alloc(account, total, c->workers->pieces.value, &m->values));
    c->columns = m->indices;
    c->values = m->values;
    copy_blocks(c);
    return spl__once_shrink(m, total);
}

/* All rows are a block, which is written into C. */
static spl_status multiply_small(product *c, spl_matrix *m)
{
    c->workers->columns = c->columns;
    c->workers->values = c->values;
    finds[combination_of(c->once)](c, c->workers, 0);
    return spl__once_shrink(m, c->found[0]);
}

static spl_status multiply(spl__account *account, product *c, spl_matrix **m)
{
    SPL__TRY(make_workers(account, c));
    SPL__TRY(make_result(account, c, c->blocks == 1 ? c->once->mask.nnz : 0, m));
    spl__watch_stage(c->watch, "multiply", c->blocks);
    spl_status status = SPL_OK;
    if (c->blocks == 1) {
        status = multiply_small(c, *m);
    } else {
        find_blocks(c);
        status = spl__failure_raise(&c->failure);
        if (status == SPL_OK)
            status = spl__watch_check(c->watch);
        if (status == SPL_OK)
            status = fill(account, c, *m);
    }
    if (status == SPL_OK)
        status = spl__watch_check(c->watch);
    if (status != SPL_OK)
        spl_matrix_destroy(*m);
    return status;
}

/* Checks operands, and looks at them. */
static spl_status prepare(spl__account *account, product *c, bool *done)
{
    const spl__once_masked *once = c->once;
    survey s = {.blocks = &c->blocks};
    SPL__TRY(spl__watch_check(c->watch));
    SPL__TRY(spl__view_check(c->watch, c->threads, &once->product.a, "A"));
    if (!spl__view_same_structure(&once->product.sparse, &once->product.a))
        SPL__TRY(spl__view_check(c->watch, c->threads, &once->product.sparse, "B"));
    if (!spl__view_same_structure(&once->mask, &once->product.a))
        SPL__TRY(spl__view_check(c->watch, c->threads, &once->mask, "mask"));
    const int64_t most =
        (once->product.a.rows + once->product.a.nnz + once->mask.nnz) / BLOCK_WORK + 2;
    SPL__TRY(SPL__NEW(account, &c->begin, 5 * most));
    c->found = c->begin + most; /* room for twice as many: copy_blocks */
    c->at = (spl__piece_position *)(c->begin + 3 * most);
    s.begin = c->begin;
    SPL__TRY(looks[combination_of(once)](once, account, &s));
    c->longest = s.longest;
    c->lists = spl__meet_is_long(s.entries, s.products);
    *done = serves(once, &s) && all_ascend(once, c->threads);
    c->threads = spl__team_for_parts(c->threads, c->blocks);
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
    free_workers(&c);
    spl__free(c.begin);
    return status;
}

#else
#define IN_INTEGERS
#define POSITION uint16_t

#include "spgemm/cpu/rows/look_up_row.h"
#include "spgemm/cpu/rows/meet_row.h"

/* The entries of B in each of some columns, added up for rows of A: the products of A*B'. */
static double FN(products_of)(const spl__once_masked *once, const int32_t *columns, int64_t stride)
{
    const P *a_offsets = once->product.a.offsets, *mask = once->mask.offsets;
    const I *a_columns = once->product.a.indices;
    double products = 0;
    for (int64_t i = stride / 2; i < once->product.a.rows; i += stride)
        if (mask[i] < mask[i + 1])
            for (P p = a_offsets[i]; p < a_offsets[i + 1]; p++)
                products += columns[a_columns[p]];
    return products;
}

/* Steps of dot products of A*B' for some rows, and the products; of columns of mean length, unless
 * they are far fewer: then columns are counted. */
static SPL__APART spl_status FN(sample_dots)(const spl__once_masked *once, spl__account *account,
                                             survey *s)
{
    const P *a_offsets = once->product.a.offsets, *b_offsets = once->product.sparse.offsets,
            *mask = once->mask.offsets;
    const I *mask_columns = once->mask.indices, *b_columns = once->product.sparse.indices;
    const int64_t rows = once->product.a.rows, stride = rows / SAMPLES + 1;
    const double column = (double)once->product.sparse.nnz / (double)once->product.sparse.cols;
    int32_t *columns;
    for (int64_t i = stride / 2; i < rows; i += stride) {
        const P entries = a_offsets[i + 1] - a_offsets[i];
        if (entries == 0)
            continue;
        for (P p = mask[i]; p < mask[i + 1]; p++)
            s->steps += (double)(b_offsets[mask_columns[p] + 1] - b_offsets[mask_columns[p]]);
        s->products += (mask[i] < mask[i + 1]) * (double)entries * column;
    }
    if (s->steps <= spl__machine_cpu.once_planned * s->products)
        return SPL_OK;
    SPL__TRY(SPL__NEW_ZERO(account, &columns, once->product.sparse.cols));
    for (int64_t p = 0; p < once->product.sparse.nnz; p++)
        columns[b_columns[p]]++;
    s->products = FN(products_of)(once, columns, stride);
    spl__free(columns);
    return SPL_OK;
}

/* Products of some rows, and the steps that merges of rows of A and B' take. */
static SPL__APART void FN(sample)(const spl__once_masked *once, survey *s)
{
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

/* Blocks of rows with as many rows and entries; the longest row of the mask. */
static SPL__APART void FN(cut)(const spl__once_masked *once, survey *s)
{
    const P *a_offsets = once->product.a.offsets, *mask = once->mask.offsets;
    const int64_t rows = once->product.a.rows;
    int64_t count = 0, next = BLOCK_WORK;
    const bool looked_up = once->transposed;
    P longest = 0;
    s->begin[0] = 0;
    for (int64_t i = 1; i <= rows; i++) {
        const int64_t work = i + (int64_t)a_offsets[i] + (int64_t)mask[i];
        longest = mask[i] - mask[i - 1] > longest ? mask[i] - mask[i - 1] : longest;
        if (looked_up && a_offsets[i] - a_offsets[i - 1] > longest)
            longest = a_offsets[i] - a_offsets[i - 1];
        if (work < next && i < rows)
            continue;
        s->begin[++count] = i;
        next = work + BLOCK_WORK;
    }
    *s->blocks = count;
    s->longest = (int64_t)longest;
}

static spl_status FN(look)(const spl__once_masked *once, spl__account *account, survey *s)
{
    FN(cut)(once, s);
    if (once->transposed)
        return FN(sample_dots)(once, account, s);
    FN(sample)(once, s);
    return SPL_OK;
}

/* Writes what a row of the mask says into the workspace and `values`. */
static inline void FN(open_row)(worker *w, const I *mask, uint16_t count, T *values, T none)
{
    for (uint16_t k = 0; k < count; k++) {
        w->positions[mask[k]] = (uint16_t)(k + 1);
        w->met[k] = 0;
        values[k] = none;
    }
}

/* Keeps the positions that met a product; returns their number. */
static inline int64_t FN(close_row)(worker *w, const I *mask, uint16_t count, I *columns, T *values)
{
    int64_t found = 0;
    for (uint16_t k = 0; k < count; k++) {
        w->positions[mask[k]] = 0;
        columns[found] = mask[k];
        values[found] = values[k];
        found += w->met[k];
    }
    return found;
}

/* The entries of a row of A*B: returns their number. */
static inline __attribute__((always_inline)) int64_t FN(find_products)(const spl__once_masked *once,
                                                                       worker *w, int64_t i,
                                                                       I *columns, T *values,
                                                                       int32_t semiring)
{
    const P *mask_offsets = once->mask.offsets;
    const P first = mask_offsets[i];
    const I *mask = (const I *)once->mask.indices + first;
    const T none = SPL__SEMIRING_NONE(T, semiring), alpha = *(const T *)once->product.call.alpha;
    const uint16_t count = (uint16_t)(mask_offsets[i + 1] - first);
    FN(open_row)(w, mask, count, values, none);
    const FN(meet) row = {w->positions, values, w->met, &w->seen};
    FN(meet_row)(&row, &once->product.a, &once->product.sparse, i, alpha, semiring);
    return FN(close_row)(w, mask, count, columns, values);
}

/* The entries of a row of A*B': returns their number. */
static inline __attribute__((always_inline)) int64_t FN(find_dots)(const spl__once_masked *once,
                                                                   const worker *w, int64_t i,
                                                                   I *columns, T *values,
                                                                   int32_t semiring)
{
    const P *a_offsets = once->product.a.offsets, *mask_offsets = once->mask.offsets;
    const P *b_offsets = once->product.sparse.offsets;
    const P begin = a_offsets[i];
    const I *mask = once->mask.indices;
    const FN(looked_up) a = {
        w->positions, (const I *)once->product.a.indices + begin,
        spl__semiring_reads_a(semiring) ? (const T *)once->product.a.values + begin : NULL,
        a_offsets[i + 1] - begin, *(const T *)once->product.call.alpha};
    int64_t found = 0;
    for (P k = 0; k < a.length; k++)
        w->positions[a.columns[k]] = (uint16_t)(k + 1);
    for (P p = mask_offsets[i]; p < mask_offsets[i + 1]; p++) {
        const int64_t j = (int64_t)mask[p];
        bool met;
        columns[found] = mask[p];
        values[found] =
            spl__is_far_longer((int64_t)(b_offsets[j + 1] - b_offsets[j]), (int64_t)a.length)
                ? FN(search)(&a, &once->product.sparse, j, semiring, &met)
                : FN(look_up)(&a, &once->product.sparse, j, semiring, &met);
        found += met;
    }
    for (P k = 0; k < a.length; k++)
        w->positions[a.columns[k]] = 0;
    return found;
}

/* Rows of a block: their entries from the beginning of the thread's own, their offsets. */
static inline __attribute__((always_inline)) void
FN(find_rows)(const product *c, worker *w, int64_t block, bool transposed, int32_t semiring)
{
    const P *a_offsets = c->once->product.a.offsets, *mask = c->once->mask.offsets;
    P *offsets = c->offsets;
    I *columns = w->columns;
    T *values = w->values;
    int64_t found = 0;
    if (!w->cleared)
        memset(w->positions, 0, (size_t)c->once->product.sparse.cols * sizeof *w->positions);
    w->cleared = true;
    for (int64_t i = c->begin[block], end = c->begin[block + 1]; i < end; i++) {
        if (mask[i] < mask[i + 1] && a_offsets[i] < a_offsets[i + 1])
            found +=
                transposed
                    ? FN(find_dots)(c->once, w, i, columns + found, values + found, semiring)
                    : FN(find_products)(c->once, w, i, columns + found, values + found, semiring);
        offsets[i + 1] = (P)found;
    }
    c->found[block] = found;
}

static SPL__APART void FN(find_sums)(const product *c, worker *w, int64_t block)
{
    FN(find_rows)(c, w, block, false, SPL_PLUS_TIMES);
}

static SPL__APART void FN(find_transposed)(const product *c, worker *w, int64_t block)
{
    if (c->once->semiring == SPL_PLUS_TIMES)
        FN(find_rows)(c, w, block, true, SPL_PLUS_TIMES);
    else
        SPL__FOR_SEMIRING(T, c->once->semiring, FN(find_rows)(c, w, block, true, S));
}

static SPL__APART void FN(find)(const product *c, worker *w, int64_t block)
{
    const int32_t semiring = c->once->semiring;
    if (c->once->transposed)
        FN(find_transposed)(c, w, block);
    else if (semiring == SPL_PLUS_TIMES)
        FN(find_sums)(c, w, block);
    else
        SPL__FOR_SEMIRING(T, semiring, FN(find_rows)(c, w, block, false, S));
}

/* Offsets that count from the beginning of a block count from `to` on. */
static void FN(move_offsets)(const product *c, int64_t block, int64_t to)
{
    P *offsets = c->offsets;
    for (int64_t i = c->begin[block] + 1; i <= c->begin[block + 1]; i++)
        offsets[i] += (P)to;
}

#endif
