/* SPDX-License-Identifier: Apache-2.0 */
/* spmm/compute/gpu/row_staged: C = alpha*A*B + beta*C, one warp per row and tile of columns.
 *
 * Each lane owns one column of the tile. The warp loads as many consecutive entries of the row as
 * it has lanes into shared memory, then every lane walks them: a_ik times its element of B's row k,
 * which the warp reads coalesced if B is row major. Long rows finish last; a wide B has several
 * tiles, each of which reads A again.
 *
 * Cost: ceil(K/LANES) times A, nnz*K elements of B gathered row by row, C once. Memory: none.
 * Source: S4's warp per row with staging in shared memory (optimisation D).
 * Differs: any storage of B and C, any number of columns, beta. */
#include "spmm/gpu/device_teams.h"
#include "spmm/kernels/spmm_row_staged.k.h"

#include <math.h>

typedef struct state {
    const spl__kernel *kernel;
} state;

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const spl_sparse *a = &task->plan->problem.a.csr;
    const double empty = 0.4; /* of the start of a row: the cost of an empty row */
    double value = (double)spl__type_size(a->type),
           lanes = task->plan->problem.queue.device->properties.lanes;
    double tiles =
        f->cols > 0 ? (double)(((int64_t)f->cols + (int64_t)lanes - 1) / (int64_t)lanes) : 0;
    bool by_columns = task->plan->problem.options.dense_order == SPL_COLUMN_MAJOR;
    double element = by_columns ? m->gather_bytes : value;
    spl__device_work work = {
        .streamed = tiles * f->nnz_a * (value + 4) + f->rows * f->cols * value,
        .gathered = spl__device_teams_gathered(f->nnz_a * tiles * lanes * element, value),
        .reach = f->inner * f->cols * value,
        .steps = tiles *
                 (m->spmm_staged_entry * f->nnz_a +
                  m->spmm_staged_start * (f->rows - empty * f->empty_rows_a)) *
                 (1 + m->spmm_staged_uneven * fmin(1, f->variation_row_a)),
        .longest = m->spmm_staged_chain * f->longest_row_a,
        .launches = 1};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 0;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    return spl__queue_kernel(&plan->problem.queue, "spmm_row_staged", a->type, a->offset_type,
                             &s->kernel);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    const spl_dense *b = call->b, *c = call->c;
    bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    int64_t lanes = queue->device->properties.lanes,
            tiles = c->cols / lanes + (c->cols % lanes != 0);
    struct spmm_row_staged_args args = {.rows = a->rows,
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
                                        .scalars = spl__plan_scalars(plan, call)};
    int64_t blocks = spl__blocks_for(queue, a->rows * tiles * lanes, SPMM_STAGED_THREADS);
    return SPL__LAUNCH(queue, &args, s->kernel, blocks, SPMM_STAGED_THREADS);
}

const spl__method spl__spmm_compute_gpu_row_staged = {
    .summary = "a warp per row, entries staged in shared memory",
    .source = "S4, optimisation D",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
};
