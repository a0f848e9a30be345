/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/ordered: the values of C = alpha*A*B + beta*D, one thread per row, in the
 * order of the entries.
 *
 * The thread walks the products of its row as they are stored, finds the column in C's row by
 * binary search, and adds to the value in memory. This is the reference for the other methods on
 * devices, and the method for deterministic plans.
 *
 * Cost: products * log2(columns of the row), scattered. Memory: none.
 * Source: F. Gustavson, ACM TOMS 4(3), 1978. Differs: searches, because the columns are known. */
#include "spgemm/gpu/device_product.h"
#include "spgemm/kernels/spgemm_values.k.h"

typedef struct state {
    const spl__kernel *kernel;
} state;

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    spl__device_work work = {.gathered = 32 * 4 * f->products,
                             .reach = 12 * f->nnz_c,
                             .steps = 16 * f->products,
                             .longest = 16 * f->longest_products,
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
    return spl__queue_kernel(&plan->problem.queue, "spgemm_ordered_values", a->type, a->offset_type,
                             &s->kernel);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    struct spgemm_ordered_values_args args = {spl__form_operands(plan, call),
                                              plan->problem.options.unsorted};
    int64_t blocks = spl__blocks_for(&plan->problem.queue, plan->problem.rows, SPGEMM_ROWS_THREADS);
    return SPL__LAUNCH(&plan->problem.queue, &args, s->kernel, blocks, SPGEMM_ROWS_THREADS);
}

const spl__method spl__spgemm_numeric_gpu_ordered = {
    .summary = "a thread per row, in the order of the entries",
    .source = "F. Gustavson, ACM TOMS 4(3), 1978",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__REFERENCE,
    .applicable = spl__form_refuses_entries,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
};
