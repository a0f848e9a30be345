/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/cpu/upper_bound: a row of C has at most as many columns as products plus entries
 * of D, and at most cols(C). The bound replaces the structure; the first numeric execution finds
 * the columns, row by row while they are in cache, and export removes the gaps.
 *
 * Cost: one pass over rows; the search for columns is part of the first execution. Memory:
 * bound_c columns, and as many values. Source: S1, symbolic phase for sparse B. Differs: the
 * bound is capped by the number of columns; entries of D are counted. */
#include "core/checked.h"
#include "spgemm/product.h"

#include <math.h>

static const char *applicable(const spl__task *task)
{
    return spl__product_of(task->plan)->no_bound;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__features *f = &plan->features;
    const spl__machine *m = plan->machine;
    const spl_sparse *a = &plan->problem.a.csr;
    double size = (double)(spl__index_size(a->index_type) + spl__type_size(a->type));
    double columns = spl__predicted_nnz(plan), threads = spl__assumed_threads(&plan->problem);
    /* With one thread other methods have a start as well, with several only those that wake them.
     */
    e->seconds = spl__product_of(plan)->bound_costs + (threads > 1 ? 0 : m->parallel_start);
    if (spl__problem_is_single(&plan->problem))
        e->seconds +=
            fmax(0, columns - m->cache_bytes / size) * m->bound_append * (1 - 1 / threads);
    else /* the caller provides the array of values */
        e->seconds += spl__executions(plan) * columns * m->bound_column / threads;
    e->bytes = f->bound_c * size + f->rows * 8;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    spl__product *c = spl__product_of(plan);
    int64_t rows = plan->problem.rows;
    size_t size = spl__index_size(plan->problem.a.csr.index_type);
    SPL__TRY(spl__check_result_width(plan, (int64_t)plan->features.bound_c));
    c->bounded = true;
    SPL__TRY(SPL__NEW(&plan->account, &c->offsets, rows + 1));
    spl__product_set_bounds(plan);
    SPL__TRY(spl__alloc(&plan->account, c->offsets[rows], size, &c->columns));
    return spl__alloc(&plan->account, c->offsets[rows], spl__type_size(plan->problem.a.csr.type),
                      &c->values);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    (void)step, (void)call; /* nothing else to do */
    return SPL_OK;
}

static void destroy(spl__step *step)
{
    spl__product *c = spl__product_of(step->task.plan);
    if (c->known || c->capacity > 0)
        return;                           /* the product owns the result of a finished phase */
    spl__product_forget(step->task.plan); /* the bound exceeded memory */
}

const spl__method spl__spgemm_symbolic_cpu_upper_bound = {
    .summary = "a bound of every row; columns are found by the first execute",
    .source = "S1, symbolic phase for sparse B",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__DEFERS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = destroy,
};
