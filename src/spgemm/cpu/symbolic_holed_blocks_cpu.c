/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/holed_blocks: the exact structure of C = A*B + D where matrices consist of
 * holed blocks.
 *
 * Operands are structures of blocks with masks of their entries (format/bsr.h). The product of two
 * masks takes one step per row: if A's block has an entry in column k, that row of C's block gets
 * row k of B's block, for all rows at once. The masks of a row of C's blocks are collected in an
 * array with one slot per column of blocks, and a bitmap of the used slots, which is read in order.
 * C's masks are kept for the numeric method.
 *
 * Cost: size steps per pair of blocks; per row of blocks of C a scan of its window (/ 64); per
 * slot of C's blocks writing a column. Memory: a mask and a column per block of A, B and C, C's
 * temporarily twice; per thread a mask per column of blocks, and a chunk's blocks. Source: own;
 * a bitmap per row as S1 has it for dense B. */
#include "core/bump_arena.h"
#include "core/checked.h"
#include "core/lanes.h"
#include "core/threads/team_seconds.h"
#include "spgemm/cpu/exact.h"
#include "spgemm/cpu/holed_operands.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { CHUNK_PAIRS = 4096 }; /* approximate size of a chunk of rows of blocks: 15 us */

/* The blocks of C of one chunk. */
typedef struct found {
    void *columns;
    uint64_t *masks;
} found;

typedef struct search {
    const spl__holed *m;
    const spl_sparse *d; /* NULL: none */
    int64_t block_cols;
    spl__blocks chunks; /* of rows of blocks */
    int64_t most;       /* the most blocks of a chunk */
    found *found;       /* by chunk */
    spl__arena *arenas; /* by thread: memory of what was found */
    int64_t *counts;    /* rows of blocks + 1: blocks of C per row, then their prefix sums */
    int threads;
    void **workspaces;
    spl__watch *watch;
    spl__failure failure;
} search;

/* A workspace: a mask per column of blocks, a bitmap of these, and the blocks found in a chunk. */
static uint64_t *listed_masks(const search *s, void *workspace)
{
    return (uint64_t *)workspace + s->block_cols + spl__words_of(s->block_cols);
}

static void *listed_columns(const search *s, void *workspace)
{
    return listed_masks(s, workspace) + s->most;
}

#define SELF "spgemm/cpu/symbolic_holed_blocks_cpu.c"
#include "core/each_type.h"

typedef int64_t (*count_fn)(const search *s, int64_t row);
typedef int64_t (*find_fn)(const search *s, int64_t begin, int64_t end, void *workspace);
static const count_fn count_pairs[SPL__COMBINATIONS] = SPL__TABLE(count_pairs);
static const find_fn find_chunk[SPL__COMBINATIONS] = SPL__TABLE(find_chunk);

static const char *applicable(const spl__task *task)
{
    if (!(task->plan->features.holed_block_size > 1))
        return "A and B are not made of blocks with few holes, or their columns do not ascend";
    return spl__plan_has_budget(task->plan) ? "keeps A and B in blocks, and memory has a budget"
                                            : NULL;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    const spl__features *f = &plan->features;
    double size = f->holed_block_size, area = size * size;
    double columns = spl__predicted_nnz(plan),
           index = (double)spl__index_size(plan->problem.a.csr.index_type);
    double pairs = f->products / (f->block_fill_a * f->block_fill_b * area * size);
    double words = f->rows / size * (f->span_sampled / size / SPL__WORD_BITS + 1);
    double serial = pairs * (m->holed_meet + size * m->holed_step) + words * m->bitmap_scan;
    double blocks = (f->nnz_a / f->block_fill_a + f->nnz_b / f->block_fill_b + 2 * columns) / area;
    const double share = spl__largest_share(plan, f->products, f->longest_products * size);
    e->seconds = serial * share;
    e->between = spl__short_loops(plan, 2, spl__holed_operands_seconds(plan)) +
                 spl__short_loops(plan, 1, columns * m->holed_found);
    spl__count_loops(1, share, e);
    e->bytes = f->rows * 8 + columns * index + blocks * (index + 8);
    spl__estimate_scratch(f->cols / size * 8, INFINITY, e);
}

/* ---- chunks of rows of blocks ---- */

/* The upper bound of the blocks of C in a chunk. */
static int64_t largest_chunk(const search *s, const int64_t *pairs, int64_t chunk)
{
    int64_t most = 0;
    for (int64_t r = s->chunks.begin[chunk]; r < s->chunks.begin[chunk + 1]; r++)
        most += spl__min_i64(pairs[r + 1] - pairs[r], s->block_cols);
    return most;
}

static spl_status make_chunks(spl_plan *plan, search *s)
{
    int64_t rows = s->m->a.block_rows, *pairs;
    SPL__TRY(SPL__NEW(&plan->account, &pairs, rows + 1));
    pairs[0] = 0;
    const int threads = spl__threads_for(s->m->a.blocks, plan->problem.threads);
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static)
    for (int64_t r = 0; r < rows; r++)
        pairs[r + 1] = count_pairs[plan->problem.combination](s, r);
    for (int64_t r = 0; r < rows; r++)
        pairs[r + 1] += pairs[r];
    spl_status status =
        spl__blocks_make(&plan->account, pairs, NULL, rows, CHUNK_PAIRS, &s->chunks);
    for (int64_t k = 0; status == SPL_OK && k < s->chunks.count; k++)
        s->most = spl__max_i64(s->most, largest_chunk(s, pairs, k));
    spl__free(pairs);
    return status;
}

static spl_status make_workspace(spl_plan *plan, search *s, int threads)
{
    const spl__problem *p = &plan->problem;
    size_t words = (size_t)(s->block_cols + spl__words_of(s->block_cols)) * sizeof(uint64_t);
    size_t list = (size_t)s->most * (sizeof(uint64_t) + spl__index_size(p->a.csr.index_type));
    s->threads = spl__team_for_parts(threads, s->chunks.count);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->arenas, s->threads));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s->found, s->chunks.count));
    SPL__TRY(SPL__NEW(&plan->account, &s->counts, s->m->a.block_rows + 1));
    return spl__workspaces_make(plan, &s->threads, words + list, true, &s->workspaces);
}

/* Copies `count` found blocks out of a workspace. */
static spl_status keep(spl_plan *plan, search *s, int64_t chunk, void *workspace, int64_t count)
{
    found *f = &s->found[chunk];
    spl__arena *arena = &s->arenas[omp_get_thread_num()];
    size_t index = spl__index_size(plan->problem.a.csr.index_type);
    SPL__TRY(spl__arena_alloc(arena, &plan->account, (size_t)count * index, &f->columns));
    SPL__TRY(spl__arena_alloc(arena, &plan->account, (size_t)count * sizeof *f->masks,
                              (void **)&f->masks));
    if (count > 0) {
        memcpy(f->columns, listed_columns(s, workspace), (size_t)count * index);
        memcpy(f->masks, listed_masks(s, workspace), (size_t)count * sizeof *f->masks);
    }
    return SPL_OK;
}

static spl_status find_one(spl_plan *plan, search *s, int64_t chunk)
{
    int thread = omp_get_thread_num();
    if (!spl__watch_goes_on(s->watch))
        return spl__watch_check(s->watch);
    const int64_t *begin = s->chunks.begin + chunk;
    int64_t count =
        find_chunk[plan->problem.combination](s, begin[0], begin[1], s->workspaces[thread]);
    return keep(plan, s, chunk, s->workspaces[thread], count);
}

static spl_status find_all(spl_plan *plan, search *s)
{
    s->watch = spl__account_watch(&plan->account);
    spl__watch_stage(s->watch, "symbolic", s->chunks.count);
#pragma omp parallel for num_threads(spl__team(s->threads)) schedule(dynamic)
    for (int64_t k = 0; k < s->chunks.count; k++)
        if (!spl__failed(&s->failure))
            spl__failure_note(&s->failure, find_one(plan, s, k));
    return spl__failure_raise(&s->failure);
}

/* ---- C ---- */

/* Concatenates the chunks. */
static spl_status make_blocks(spl_plan *plan, search *s, spl__bsr *c)
{
    const spl__problem *p = &plan->problem;
    int64_t rows = s->m->a.block_rows, blocks = 0;
    size_t index = spl__index_size(p->a.csr.index_type);
    for (int64_t r = 0; r < rows; r++) {
        int64_t count = s->counts[r];
        s->counts[r] = blocks;
        blocks += count;
    }
    s->counts[rows] = blocks;
    *c = (spl__bsr){.shape = {.rows = p->rows, .cols = p->cols},
                    .size = s->m->a.size,
                    .block_rows = rows,
                    .blocks = blocks};
    c->offsets = s->counts;
    s->counts = NULL;
    SPL__TRY(spl__alloc(&plan->account, blocks, index, &c->indices));
    SPL__TRY(SPL__NEW(&plan->account, &c->masks, blocks));
#pragma omp parallel for num_threads(spl__team(spl__threads_for(blocks, s->threads)))              \
    schedule(static)
    for (int64_t k = 0; k < s->chunks.count; k++) {
        const int64_t *offsets = c->offsets;
        int64_t begin = offsets[s->chunks.begin[k]],
                count = offsets[s->chunks.begin[k + 1]] - begin;
        if (count == 0)
            continue;
        memcpy((char *)c->indices + (size_t)begin * index, s->found[k].columns,
               (size_t)count * index);
        memcpy(c->masks + begin, s->found[k].masks, (size_t)count * sizeof *c->masks);
    }
    return SPL_OK;
}

static void free_search(const spl_plan *plan, search *s)
{
    for (int t = 0; s->arenas && t < s->threads; t++)
        spl__arena_free(&s->arenas[t]);
    spl__free(s->arenas);
    spl__free(s->found);
    spl__free(s->counts);
    spl__workspaces_free(plan, s->workspaces);
    spl__blocks_free(&s->chunks);
}

static spl_status find_blocks(spl_plan *plan, search *s, spl__holed *m, int threads)
{
    const spl__problem *p = &plan->problem;
    s->m = m;
    s->block_cols = p->cols / m->a.size;
    s->d = p->has_d ? &p->d.csr : NULL;
    SPL__TRY(make_chunks(plan, s));
    SPL__TRY(make_workspace(plan, s, threads));
    SPL__TRY(find_all(plan, s));
    return make_blocks(plan, s, &m->c);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    (void)call;
    spl_plan *plan = step->task.plan;
    spl__product *c = spl__product_of(plan);
    search s = {0};
    spl_status status = find_blocks(plan, &s, c->holed, spl__step_threads(step));
    free_search(plan, &s);
    if (status == SPL_OK)
        status = spl__holed_expand(plan);
    if (status != SPL_OK) {
        spl__holed_drop(plan);
        spl__product_forget(plan);
    }
    return status;
}

static spl_status prepare(spl__step *step)
{
    return spl__holed_operands(step->task.plan);
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl__features *f = &step->task.plan->features;
    spl__text_add(text, "  %d unknowns per node: %s rows of blocks\n", (int)f->holed_block_size,
                  spl__thousands((int64_t)(f->rows / f->holed_block_size)));
}

static void destroy(spl__step *step)
{
    (void)step; /* the plan owns the result */
}

const spl__method spl__spgemm_symbolic_cpu_holed_blocks = {
    .summary = "exact structure by masks of dense blocks that have holes",
    .source = "own; bitmaps as in S1, symbolic phase for dense B",
    .revision = 1,
    .attributes =
        SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__OF_BLOCKS, /* the symbolic phase has no values */
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#else

#include "spgemm/cpu/rows/compressed_rows.h"

/* The pairs of blocks that are multiplied for a row of blocks of C, plus entries of D. */
static int64_t FN(count_pairs)(const search *s, int64_t row)
{
    const P *a = s->m->a.offsets, *b = s->m->b.offsets, *d = s->d ? s->d->offsets : NULL;
    int64_t size = s->m->a.size, pairs = d ? d[(row + 1) * size] - d[row * size] : 0;
    for (P q = a[row]; q < a[row + 1]; q++) {
        I k = ((const I *)s->m->a.indices)[q];
        pairs += b[k + 1] - b[k];
    }
    return pairs;
}

/* The masks of the current row of blocks of C (all zero before and after), a bitmap of the
 * non-zero ones, and the first and last word of the bitmap. */
typedef struct FN(row_masks) {
    uint64_t *masks, *bitmap;
    I first, last;
} FN(row_masks);

static SPL__INLINED void FN(add_mask)(FN(row_masks) *row, I column, uint64_t mask)
{
    if (row->masks[column] == 0 && mask != 0) {
        I word = column >> SPL__WORD_SHIFT;
        row->bitmap[word] |= FN(bit_of)(column);
        row->first = word < row->first ? word : row->first;
        row->last = word > row->last ? word : row->last;
    }
    row->masks[column] |= mask;
}

/* `size` is a compile-time constant in all callers. Row r of the product's mask is the OR of the
 * rows k of B's block for which A's block has an entry (r, k): column k of A, one bit every
 * `size` bits, times row k of B puts that row into all rows at once. */
static SPL__INLINED void FN(add_products)(const search *s, int64_t node, FN(row_masks) *row,
                                          int size)
{
    const spl__bsr *a = &s->m->a, *b = &s->m->b;
    const P *a_offsets = a->offsets, *b_offsets = b->offsets;
    const I *columns = b->indices;
    uint64_t first_column = 0, line = ((uint64_t)1 << size) - 1;
    for (int r = 0; r < size; r++)
        first_column |= (uint64_t)1 << (r * size);
    for (P q = a_offsets[node]; q < a_offsets[node + 1]; q++) {
        I k = ((const I *)a->indices)[q];
        uint64_t of_a[SPL__LARGEST_BLOCK];
        for (int l = 0; l < size; l++)
            of_a[l] = a->masks[q] >> l & first_column;
        for (P t = b_offsets[k]; t < b_offsets[k + 1]; t++) {
            uint64_t mask = 0;
            for (int l = 0; l < size; l++)
                mask |= of_a[l] * (b->masks[t] >> (l * size) & line);
            FN(add_mask)(row, columns[t], mask);
        }
    }
}

static void FN(add_products_of)(const search *s, int64_t node, FN(row_masks) *row)
{
    switch (s->m->a.size) {
    case 2:
        FN(add_products)(s, node, row, 2);
        break;
    case 3:
        FN(add_products)(s, node, row, 3);
        break;
    case 4:
        FN(add_products)(s, node, row, 4);
        break;
    case 5:
        FN(add_products)(s, node, row, 5);
        break;
    default:
        FN(add_products)(s, node, row, 6);
    }
}

static void FN(add_entries)(const search *s, int64_t node, FN(row_masks) *row)
{
    const P *offsets = s->d->offsets;
    const I *columns = s->d->indices, size = (I)s->m->a.size;
    for (I l = 0; l < size; l++)
        for (P q = offsets[node * size + l]; q < offsets[node * size + l + 1]; q++)
            FN(add_mask)(row, columns[q] / size, (uint64_t)1 << (l * size + columns[q] % size));
}

/* Lists the blocks of C of rows begin..end-1 in the workspace; returns their number. */
static int64_t FN(find_chunk)(const search *s, int64_t begin, int64_t end, void *workspace)
{
    uint64_t *masks = listed_masks(s, workspace);
    I *columns = listed_columns(s, workspace), *cursor = columns;
    for (int64_t node = begin; node < end; node++) {
        FN(row_masks) row = {workspace, (uint64_t *)workspace + s->block_cols,
                             (I)spl__words_of(s->block_cols), -1};
        I *from = cursor;
        FN(add_products_of)(s, node, &row);
        if (s->d)
            FN(add_entries)(s, node, &row);
        cursor = FN(empty_bitmap)(row.bitmap, row.first, row.last, cursor);
        s->counts[node] = cursor - from;
        for (; from < cursor; from++) {
            masks[from - columns] = row.masks[*from];
            row.masks[*from] = 0;
        }
    }
    return cursor - columns;
}

#endif
