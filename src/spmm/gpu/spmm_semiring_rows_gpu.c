/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/semiring_rows: C = "add" of "multiply"(A, B) over any semiring, B and C dense,
 * each row and tile of columns by a team of lanes; and the rows of any plan that a mask names.
 *
 * A team has as many lanes as C has columns, rounded up to a power of two, at most a warp. It loads
 * an entry per lane into shared memory, then each lane walks them for its column of B. Long rows
 * get a block each, whose teams take chunks of entries in turn and join their sums in order. One
 * kernel serves a type of values: it branches on the semiring before its loop, of which each
 * semiring has its own. Rows that the mask leaves out cost a bit or a byte per tile. Another kernel
 * also writes the rows of B that win, over min_ and max_ semirings: of equal products the one of
 * the least row, so that results are those of the CPU.
 *
 * Cost: ceil(K/team) times A, nnz*K elements of B gathered row by row, C once. Memory: 4 bytes per
 * long row. Source: S4, optimisation D (row_staged); semirings and masks: J. Kepner, J. Gilbert
 * (eds.), Graph Algorithms in the Language of Linear Algebra, 2011. Differs: teams of fewer lanes
 * than a warp; blocks for long rows. */
#include "plan/long_rows.h"
#include "spmm/gpu/device_masked_rows_of_c.h"
#include "spmm/gpu/device_teams.h"
#include "spmm/kernels/spmm_semiring_args.h"

#include <math.h>

/* Longer rows have a block. */
enum { LONG_ROW = 1024 };

extern const spl__method spl__spmm_compute_gpu_semiring_rows;

static int32_t choose_team(const spl_plan *plan, int64_t columns)
{
    int32_t team = 1, most = plan->problem.queue.device->properties.lanes;
    while (team < columns && team < most)
        team *= 2;
    return team;
}

/* With the winners that the call asks for, or with its scalars. */
static spl_status launch(spl_plan *plan, const spl__listed_rows *long_rows, const spl__call *call)
{
    static const spl_row_mask all;
    const spl_row_mask *mask = call->rows ? call->rows : &all;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    const spl_dense *b = call->b, *c = call->c;
    const bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    const char *const name = call->winners ? "spmm_winners" : "spmm_semiring_rows";
    const spl__kernel *kernel;
    struct spmm_semiring_args args = {
        .rows = a->rows,
        .width = c->cols,
        .offsets = a->offsets,
        .columns = a->indices,
        .values = a->values,
        .b = b->values,
        .b_row = b_rows ? b->ld : 1,
        .b_column = b_rows ? 1 : b->ld,
        .c = c->values,
        .c_row = c_rows ? c->ld : 1,
        .c_column = c_rows ? 1 : c->ld,
        .scalars = spl__plan_scalars(plan, call),
        .winners = call->winners,
        .winners_ld = call->winners_ld,
        .choice = {mask->bits, mask->bytes, mask->complement, mask->clear},
        .long_rows = {long_rows->limit, long_rows->count, long_rows->list.data},
        .semiring = plan->problem.options.semiring,
        .team = choose_team(plan, c->cols)};
    const int64_t tiles = c->cols / args.team + (c->cols % args.team != 0);
    SPL__TRY(spl__queue_kernel(queue, name, a->type, a->offset_type, &kernel));
    if (tiles == 0)
        return SPL_OK;
    int64_t blocks = spl__blocks_for(queue, a->rows * tiles * args.team, SPMM_SEMIRING_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, args.long_rows.count + blocks, SPMM_SEMIRING_THREADS);
}

spl_status spl__spmm_device_masked_rows(spl_plan *plan, const spl__call *call)
{
    return launch(plan, spl__long_rows_of(plan, &spl__spmm_compute_gpu_semiring_rows), call);
}

/* As row_staged, whose coefficients these are. */
static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const double value = (double)spl__type_size(task->plan->problem.a.csr.type),
                 team = choose_team(task->plan, (int64_t)f->cols),
                 lanes = task->plan->problem.queue.device->properties.lanes;
    const double tiles = ceil(f->cols / team);
    const bool by_columns = task->plan->problem.options.dense_order == SPL_COLUMN_MAJOR;
    spl__device_work work = {
        .streamed = tiles * f->nnz_a * (value + 4) + f->rows * f->cols * value,
        .gathered = spl__device_teams_gathered(
            f->nnz_a * tiles * team * (by_columns ? m->gather_bytes : value), value),
        .reach = f->inner * f->cols * value,
        .steps = tiles * team / lanes *
                 (m->spmm_staged_entry * f->nnz_a + m->spmm_staged_start * f->rows),
        .longest = m->spmm_staged_chain * fmin(f->longest_row_a, LONG_ROW),
        .launches = 1};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 0;
}

static spl_status prepare(spl__step *step)
{
    return spl__long_rows_prepare(step, LONG_ROW);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return launch(step->task.plan, step->state, call);
}

static void explain(const spl__step *step, spl__text *text)
{
    spl__long_rows_explain(step, (int)choose_team(step->task.plan, step->task.plan->problem.cols),
                           text);
}

const spl__method spl__spmm_compute_gpu_semiring_rows = {
    .summary = "over any semiring, a team of lanes per row and tile of columns",
    .source = "J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES | SPL__ALGEBRA | SPL__INTEGERS,
    .applicable = spl__long_rows_applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = spl__long_rows_destroy,
};
