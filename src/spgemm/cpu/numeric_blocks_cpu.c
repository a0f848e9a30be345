/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/blocks: values of C = alpha*A*B + beta*D where matrices consist of dense
 * blocks, of one size or of any mixture.
 *
 * Up to 8 consecutive rows of A with the same columns (the unknowns of a mesh node) are computed at
 * once. A column of their rows of C is one element of a tile, with one lane per row; the tile is as
 * long as the row of C, so that it stays in cache. Consecutive identical rows of B for consecutive
 * entries of A form one term: an element is loaded, accumulates the products of all of them, and is
 * stored. Terms are processed in runs of neighbouring columns of B, which are runs in C as well:
 * their position is looked up once per run, and B's columns are not read.
 *
 * Cost: per column of a term and run of rows, a vector multiplication for each of its rows and an
 * access to the tile; per run of columns a look-up; per column of C and run of rows, storing its
 * position and scattering its lanes. Memory: two indices per run of columns in B's distinct rows, 8
 * bytes per row of B; per thread cols indices and the longest row of C in as many lanes as the
 * longest run needs. Source: blocks of unknowns as in E. Im, K. Yelick, R. Vuduc, Sparsity:
 * optimization framework for sparse matrix kernels, Int. J. HPC Applications 18(1), 2004; identical
 * rows are the inodes of S. Balay et al., PETSc users manual, ANL-95/11.
 * Differs: blocks are found in plain CSR, whose values are read where they are; they need not be
 * aligned, nor of one size; a single row is a run of one lane. */
#include "core/checked.h"
#include "core/variant.h"
#include "spgemm/cpu/rows/block_terms.h"
#include "spgemm/product.h"
#include "structure/column_runs.h"
#include "structure/identical_rows.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Bytes of the positions of columns, which precede a thread's tile; the tile is aligned. */
static inline size_t position_bytes(int64_t cols, size_t size)
{
    return ((size_t)cols * size + SPL__LINE - 1) / SPL__LINE * SPL__LINE;
}

#define SELF "spgemm/cpu/numeric_blocks_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
SPL__KERNELS(spgemm_blocks, compute_fn, compute, SPL__V4)

#ifndef SPL__VARIANT

static const char *applicable(const spl__task *task)
{
    const spl__product *c = spl__product_of(task->plan);
    if (!c->known)
        return "the columns of C are not known before the first execution";
    return spl__needs_sorted(task);
}

/* The average number of rows that are computed at once. */
static double mean_run(const spl__features *f)
{
    return fmin(1 / fmax(1 - f->repeated_a, 1e-3), SPL__MOST_ROWS_AT_ONCE);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    const spl__features *f = &plan->features;
    double threads = spl__assumed_threads(&plan->problem), run = mean_run(f);
    double lanes = (double)spl__ceil_pow2((int64_t)ceil(run)), products = task->rows.products / run;
    double terms = f->fresh_sampled * task->rows.nnz_a / run;
    /* One lane is in order. */
    double column = lanes > 1 ? m->blocks_column : m->blocks_copy;
    const double index = (double)spl__index_size(plan->problem.a.csr.index_type);
    const double far = spl__miss_seconds(m, f->span_sampled * index);
    e->seconds = products * (f->fresh_sampled * m->blocks_access + m->blocks_product) +
                 products * f->runs_sampled * (m->blocks_run + far) + terms * m->blocks_term;
    e->seconds += task->rows.nnz_c * (column + (m->blocks_run_column + far) / run);
    const double share =
        spl__largest_share(plan, task->rows.products, task->rows.longest_products * run);
    e->seconds *= share;
    e->seconds += (double)task->rows.count / run * m->blocks_row / threads;
    /* Finding runs of columns: runs have their share of it, but one thread may have to do it. */
    const double find = f->nnz_b * (1 - f->repeated_a) * m->blocks_find * task->rows.products /
                        fmax(f->products, 1);
    e->between = spl__short_loops(plan, 2, find) - find / threads;
    spl__count_loops(1, share, e);
    spl__estimate_scratch(f->cols * index + f->longest_row_c * lanes *
                                                (double)spl__type_size(plan->problem.a.csr.type),
                          INFINITY, e);
    e->bytes = f->inner * 8 +
               f->runs_sampled / fmax(f->fresh_sampled, 1e-3) * f->nnz_b * (1 - f->repeated_a) * 8;
}

/* The most lanes that a run needs. */
static int64_t most_lanes(const spl_plan *plan)
{
    const uint8_t *equals_previous = spl__product_of(plan)->a_equals_previous;
    int64_t most = 1;
    for (int64_t i = 0; i < plan->problem.rows && most < SPL__MOST_ROWS_AT_ONCE; i++)
        if (!equals_previous[i])
            most = spl__max_i64(
                most, spl__identical_rows_count(equals_previous, i, SPL__MOST_ROWS_AT_ONCE));
    return spl__ceil_pow2(most);
}

static int64_t longest_row(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    int64_t longest = 0;
    for (int64_t i = 0; i < plan->problem.rows; i++)
        longest = spl__max_i64(longest, spl__row_length(c, i));
    return longest;
}

static spl_status make_runs(spl_plan *plan, spl__numeric *n)
{
    const spl__problem *p = &plan->problem;
    spl__column_runs *runs;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &runs, 1));
    n->shared = runs;
    return spl__column_runs_make(&plan->account, p->threads, &p->b.csr,
                                 spl__product_of(plan)->b_equals_previous, runs);
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    size_t tile = (size_t)(longest_row(plan) * most_lanes(plan)) * spl__type_size(a->type);
    SPL__TRY(spl__numeric_prepare(
        step, position_bytes(plan->problem.cols, spl__index_size(a->index_type)) + tile, false));
    return make_runs(plan, step->state);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return kernel(step->task.plan->problem.combination)(step, call);
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl__column_runs *runs = ((const spl__numeric *)step->state)->shared;
    const spl_plan *plan = step->task.plan;
    spl__text_add(text, "  rows at once: up to %d; runs of columns of B: %s\n",
                  (int)most_lanes(plan), spl__thousands(runs->count));
}

static void destroy(spl__step *step)
{
    spl__column_runs *runs = step->state ? ((spl__numeric *)step->state)->shared : NULL;
    if (runs)
        spl__column_runs_free(runs);
    spl__free(runs);
    spl__numeric_destroy(step);
}

const spl__method spl__spgemm_numeric_cpu_blocks = {
    .summary =
        "dense blocks of any mix of sizes: a lane for each of several rows, positions per run "
        "of columns",
    .source = "after E. Im, K. Yelick, R. Vuduc, IJHPCA 2004",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

#include "spgemm/cpu/rows/numeric_rows.h"

#include "spgemm/cpu/rows/block_factors.h"

#define RUN_LANES 1
#include "spgemm/cpu/rows/block_rows.h"
#define RUN_LANES 2
#include "spgemm/cpu/rows/block_rows.h"
#define RUN_LANES 4
#include "spgemm/cpu/rows/block_rows.h"
#define RUN_LANES 8
#include "spgemm/cpu/rows/block_rows.h"

static inline int64_t FN(compute_row)(const FN(row) *row)
{
    int64_t rows = spl__identical_rows_count(row->product->a_equals_previous, row->i, row->run);
    if (rows == 1)
        FN(compute_run_1)(row, 1);
    else if (rows == 2)
        FN(compute_run_2)(row, 2);
    else if (rows <= 4)
        FN(compute_run_4)(row, rows);
    else
        FN(compute_run_8)(row, rows);
    return rows;
}

#endif
