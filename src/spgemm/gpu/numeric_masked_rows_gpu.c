/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/masked_rows: values of C = "add" of "multiply"(A, B) and D over any semiring,
 * where C need not have a position for every product or entry of D.
 *
 * The columns of a row of C stand in a hash table in shared memory, or are searched in rows of
 * more than 4096. Each product's column is looked up: the product is dropped, or added to C's value
 * in memory; values are read then. Rows with few columns and products have a warp, others a block;
 * its parts of a few lanes walk a row of B each. Integers are added atomically, in any order: sums,
 * least and largest ones are exact. Floating-point numbers are added in the order of A's entries:
 * by one warp that walks one row of B at a time, with no column twice, or by one lane.
 *
 * Cost: a look at the table per product, an addition in memory per product that is kept. Memory: 4
 * bytes per row. Source: S. Milakovic, O. Selvitopi, I. Nisa, Z. Budimlic, A. Buluc, Parallel
 * algorithms for masked sparse matrix-matrix products, 2021 (arXiv 2111.09947), the masked hash
 * accumulator. Differs: on a device; sums stand in C itself. */
#include "spgemm/gpu/device_product.h"
#include "spgemm/gpu/masked_bins.h"

#include <math.h>

typedef struct state {
    const spl__kernel *kernel;
    spl__masked_bins bins;
} state;

static const char *applicable(const spl__task *task)
{
    return spl__needs_positions(&task->plan->problem)
               ? NULL
               : "there is neither a mask nor a semiring, nor integers";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__gpu_machine *m = task->plan->gpu_machine;
    const spl_type type = task->plan->problem.a.csr.type;
    const double value = (double)spl__type_size(type),
                 lanes = task->plan->problem.queue.device->properties.lanes,
                 of_entry = f->nnz_a > 0 ? f->products / f->nnz_a : 0,
                 busy = spl__type_is_integer(type) ? lanes : fmin(lanes, fmax(1, of_entry));
    spl__device_work work = {.streamed = (4 + value) * (f->nnz_a + 3 * f->nnz_c) + 16 * f->rows,
                             .gathered = 4 * f->products,
                             .reach = 4 * f->nnz_b,
                             .steps = m->spgemm_masked_product * f->products / busy,
                             .longest = spl__type_is_integer(type)
                                            ? 0
                                            : m->spgemm_masked_chain * f->longest_products / busy,
                             .launches = SPGEMM_MASKED_BINS};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 4 * f->rows;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl_sparse *a = &plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &s, 1));
    step->state = s;
    SPL__TRY(spl__queue_kernel(&plan->problem.queue, "spgemm_masked_values", a->type,
                               a->offset_type, &s->kernel));
    return spl__masked_bins_make(plan, spl__device_product_of(plan)->offsets.data, &s->bins);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const state *s = step->state;
    spl_plan *plan = step->task.plan;
    struct spgemm_masked args = {.o = spl__form_operands(plan, call),
                                 .in_order = !spl__type_is_integer(plan->problem.a.csr.type)};
    return spl__masked_bins_launch(plan, &s->bins, s->kernel, &args);
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__masked_bins_explain(&s->bins, text);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__masked_bins_free(step->task.plan, &s->bins);
    spl__free(s);
}

const spl__method spl__spgemm_numeric_gpu_masked_rows = {
    .summary = "products looked up among C's positions, in hash tables",
    .source = "S. Milakovic and others, 2021",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__MASKS | SPL__ALGEBRA | SPL__INTEGERS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};
