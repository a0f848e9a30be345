/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/blocks: y = alpha*A*x + beta*y for identical rows, as with several unknowns per
 * node.
 *
 * A group of up to six such rows has its values in as many stretches of A's array, all with the
 * same columns. A team of lanes walks these columns once: a lane reads a column, loads its element
 * of x once, and multiplies it into one sum per row. In a matrix of node blocks the groups are the
 * rows of blocks, and one column per block is read, from the block structure; otherwise groups of
 * one to six rows, in any mixture, are listed, and the columns are those of a group's first row. At
 * the end lanes exchange halves of their sums, so that the sum of each row is completed in a
 * separate lane. Very long rows are computed by warps, in pieces (device_long_rows.h). Values are
 * read in place.
 *
 * Cost: nnz*value + columns + rows*y bytes streamed, where columns are 4*nnz/d^2 in blocks of d,
 * or 4*nnz/r + 16*rows/r in groups of r rows; nnz/r values of x gathered. Memory: the structure
 * of blocks, or the list; 9*rows while the plan is made. Source: R. Vuduc, A. Buttari, J.
 * Dongarra et al., OSKI, J. Phys. Conf. Ser. 16, 2005 (blocks found in the matrix); S. Balay et
 * al., PETSc's inodes. Differs: blocks are read from CSR's own values; sizes are found, not
 * given; one team of lanes per group. */
#include "core/types.h"
#include "spmv/gpu/device_block_teams.h"
#include "spmv/gpu/device_long_rows.h"
#include "spmv/gpu/device_work.h"
#include "spmv/row_steps.h"
#include "structure/device_blocks.h"
#include "structure/device_identical_rows.h"

#include <math.h>
#include <stdint.h>

typedef struct state {
    spl__block_teams teams;
    /* lanes load two neighbours at once, if values and x are aligned; NULL: not available */
    const spl__kernel *pairs;
    spl__device_blocks blocks;         /* of size `size` */
    spl__device_identical_rows groups; /* for size 1 */
    spl__device_long_rows long_rows;
    int64_t longest;
    int32_t size;
} state;

/* The least average rows per group for which the method pays. */
static const double LEAST_ROWS = 1.5;

/* Columns read per entry, with groups of rows and with blocks. */
static double columns_by_groups(const spl__features *f)
{
    return fmax(1 - f->repeated_sampled, 1.0 / DEVICE_GROUP_ROWS);
}

static double columns_by_blocks(const spl__features *f)
{
    return f->block_size > 1 ? 1 / (f->block_size * f->block_size) : 1;
}

static bool by_blocks(const spl__features *f)
{
    return f->block_size > 1 && columns_by_blocks(f) <= columns_by_groups(f);
}

static const char *applicable(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    if (isnan(f->block_size))
        return "rows with the same columns were not looked for";
    if (f->block_size <= 1 && columns_by_groups(f) * LEAST_ROWS > 1)
        return "too few neighbouring rows have the same columns";
    return spl__spmv_needs_row_numbers(task);
}

/* The average rows per group. */
static double group_rows(const spl__features *f)
{
    return by_blocks(f) ? f->block_size : 1 / columns_by_groups(f);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double rows = group_rows(f), groups = f->rows / rows;
    double columns =
        f->nnz_a * (by_blocks(f) ? columns_by_blocks(f) : columns_by_groups(f)) * sizeof(int32_t);
    double list = by_blocks(f) ? spl__spmv_device_offsets(task) / rows
                               : groups * sizeof(struct device_identical_run);
    spl__device_work work = spl__spmv_device_work(
        task, spl__spmv_device_entries(task, 0) + columns + list + groups * SPL__GROUP_BYTES);
    work.gathered /= rows;
    if (!by_blocks(f)) /* the group must be loaded before its columns: bcsstk17 */
        work.launches += task->plan->gpu_machine->spmv_balanced_blocks;
    spl__spmv_device_predict(task, &work, by_blocks(f) ? columns + list : list, 0, e);
    e->setup = task->plan->gpu_machine->structure_setup;
}

/* Loads should have 8 bytes: for f32 two numbers of one block. */
static spl_status prepare_blocks(spl__queue *queue, const spl_sparse *a, state *s)
{
    bool once = spl__block_teams_once(queue, a, (double)a->nnz);
    SPL__TRY(spl__block_teams_kernel(queue, a, once ? "spmv_blocks_%d_once" : "spmv_blocks_%d",
                                     s->size, &s->teams.kernel));
    if (s->size % 2 == 0 && a->type == SPL_F32)
        SPL__TRY(spl__block_teams_kernel(queue, a, "spmv_block_pairs_%d", s->size, &s->pairs));
    SPL__TRY(spl__device_blocks_make(queue, a, s->size, &s->blocks));
    s->teams.most = s->size;
    s->teams.groups = s->blocks.csr.rows;
    return SPL_OK;
}

static spl_status prepare_groups(spl__queue *queue, const spl_sparse *a, state *s)
{
    bool once = spl__block_teams_once(queue, a, (double)a->nnz);
    SPL__TRY(spl__block_teams_kernel(
        queue, a, once ? "spmv_identical_rows_once" : "spmv_identical_rows", 0, &s->teams.kernel));
    SPL__TRY(spl__device_identical_rows_make(queue, a, s->longest, &s->groups));
    s->teams.most = DEVICE_GROUP_ROWS;
    s->teams.groups = s->groups.count;
    return SPL_OK;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl__features *f = &plan->features;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    s->size = by_blocks(f) ? (int32_t)f->block_size : 1;
    s->longest = spl__block_teams_longest(f);
    SPL__TRY(s->size > 1 ? prepare_blocks(queue, a, s) : prepare_groups(queue, a, s));
    spl__block_teams_shape(plan, f->mean_row_a / (s->pairs ? 2 : 1), &s->teams);
    if (f->longest_row_a <= (double)s->longest)
        return SPL_OK;
    return spl__device_long_rows_make(queue, a, s->longest, 0, &s->long_rows);
}

/* Whether the arrays are aligned for loads of two neighbours. */
static bool aligned(const spl_sparse *a, const void *x)
{
    return ((uintptr_t)a->values | (uintptr_t)x) % (2 * spl__type_size(a->type)) == 0;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    struct spmv_blocks_args args = {.a = spl__csr_for_kernel(plan, call),
                                    .long_rows = spl__long_rows_for_kernel(&s->long_rows),
                                    .longest = s->longest,
                                    .block_offsets = s->blocks.offsets.data,
                                    .block_columns = s->blocks.columns.data,
                                    .list = s->groups.list.data};
    const spl__kernel *kernel =
        s->pairs && aligned(&plan->problem.a.csr, call->x) ? s->pairs : s->teams.kernel;
    return spl__block_teams_launch(plan, &s->teams, kernel,
                                   spl__long_row_blocks(queue, &s->long_rows, SPMV_BLOCKS_THREADS),
                                   &args);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    if (s->size > 1)
        spl__text_add(text, "  %d unknowns per node, %s nodes, blocks 100 %% full", (int)s->size,
                      spl__thousands(s->teams.groups));
    else
        spl__text_add(text, "  groups of rows with the same columns %s, of %.3g rows on average",
                      spl__thousands(s->teams.groups),
                      s->groups.count > 0 ? (double)s->groups.rows / (double)s->groups.count : 0);
    spl__text_add(text, "; %d lanes each; rows of more than %s in pieces", (int)s->teams.width,
                  spl__thousands(s->longest));
    spl__text_add(text, " %s\n", spl__thousands(s->long_rows.pieces));
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    spl__queue *queue = &step->task.plan->problem.queue;
    if (!s)
        return;
    spl__device_blocks_free(queue, &s->blocks);
    spl__device_identical_rows_free(queue, &s->groups);
    spl__device_long_rows_free(queue, &s->long_rows);
    spl__free(s);
}

const spl__method spl__spmv_compute_gpu_blocks = {
    .summary =
        "CSR, rows with the same columns at once, by a team of lanes; blocks have one column",
    .source = "R. Vuduc et al., OSKI, 2005; inodes of PETSc",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
