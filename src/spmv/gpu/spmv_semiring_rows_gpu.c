/* SPDX-License-Identifier: Apache-2.0 */
/* spmv/compute/gpu/semiring_rows: y = "add" of "multiply"(A, x) over any semiring on CSR, each row
 * by a group of lanes; and the rows of any plan that a mask names.
 *
 * The lanes of a group walk a row together and join their sums in a tree; the width of groups
 * follows the mean row length. Long rows, which graphs have, get a block each, whose warps' sums
 * are joined in order. One kernel serves a type of values: it branches on the semiring before its
 * loop, of which each semiring has its own. Rows that the mask leaves out cost a bit or a byte.
 *
 * Cost: nnz*(value+column) + rows*(offset+y) bytes streamed, nnz values of x gathered; less what
 * the semiring does not read. Memory: 4 bytes per long row. Source: N. Bell, M. Garland, SC'09,
 * section 4.3; semirings and masks: J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language
 * of Linear Algebra, 2011. Differs: blocks for long rows; masks are bits or bytes per row. */
#include "plan/long_rows.h"
#include "spmv/gpu/device_masked_rows.h"
#include "spmv/gpu/device_work.h"
#include "spmv/kernels/spmv_semiring_rows.k.h"

#include <math.h>

/* Longer rows have a block: 8 rounds of its threads with all loads under way. */
enum { LONG_ROW = 2048 };

extern const spl__method spl__spmv_compute_gpu_semiring_rows;

/* Lanes per group, with about three entries each: four are in flight at once. */
static int32_t choose_width(const spl_plan *plan)
{
    enum { ENTRIES_PER_LANE = 3 };
    int32_t width = 2, most = plan->problem.queue.device->properties.lanes;
    while (ENTRIES_PER_LANE * width < plan->features.mean_row_a && width < most)
        width *= 2;
    return width;
}

static spl_status launch(spl_plan *plan, const spl__listed_rows *long_rows, const spl__call *call)
{
    static const spl_row_mask all;
    const spl_row_mask *mask = call->rows ? call->rows : &all;
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    const spl__kernel *kernel;
    struct spmv_semiring_rows_args args = {
        .rows = a->rows,
        .offsets = a->offsets,
        .columns = a->indices,
        .values = a->values,
        .x = call->x,
        .y = call->y,
        .scalars = spl__plan_scalars(plan, call),
        .choice = {mask->bits, mask->bytes, mask->complement, mask->clear},
        .long_rows = {long_rows->limit, long_rows->count, long_rows->list.data},
        .semiring = plan->problem.options.semiring,
        .width = choose_width(plan)};
    SPL__TRY(spl__queue_kernel(queue, "spmv_semiring_rows", a->type, a->offset_type, &kernel));
    int64_t blocks = spl__blocks_for(queue, a->rows * args.width, SPMV_SEMIRING_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, args.long_rows.count + blocks, SPMV_SEMIRING_THREADS);
}

spl_status spl__spmv_device_masked_rows(spl_plan *plan, const spl__call *call)
{
    return launch(plan, spl__long_rows_of(plan, &spl__spmv_compute_gpu_semiring_rows), call);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const int32_t width = choose_width(task->plan);
    spl__device_work work = spl__spmv_device_work(
        task, spl__spmv_device_entries(task, sizeof(int32_t)) + spl__spmv_device_offsets(task));
    work.busy =
        f->rows * width / task->plan->problem.queue.device->properties.lanes * m->spmv_vector_warp;
    work.longest = m->spmv_vector_chain * fmin(f->longest_row_a, LONG_ROW) / width;
    spl__spmv_device_predict(task, &work, 0, 0, e);
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
    spl__long_rows_explain(step, (int)choose_width(step->task.plan), text);
}

const spl__method spl__spmv_compute_gpu_semiring_rows = {
    .summary = "CSR over any semiring, a group of lanes per row",
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
