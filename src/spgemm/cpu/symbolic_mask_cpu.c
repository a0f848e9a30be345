/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/cpu/mask: C has the positions of the mask (SPL_MASK_FULL), which are copied.
 *
 * Cost: a copy. Memory: nnz(M) columns. Source: the definition; as the sampled products of torch
 * and GraphBLAS' masks of structure do. */
#include "core/threads/parallel.h"
#include "spgemm/product.h"

static const char *applicable(const spl__task *task)
{
    const spl__mask *mask = &task->plan->problem.mask;
    return mask->full ? NULL : "the positions of C are not known beforehand: no mask is full";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    double columns = plan->features.bound_c,
           size = (double)spl__index_size(plan->problem.a.csr.index_type);
    e->bytes = columns * size + plan->features.rows * (double)sizeof(int64_t);
    e->seconds = 2 * e->bytes / plan->machine->bandwidth;
}

static spl_status prepare(spl__step *step)
{
    (void)step;
    return SPL_OK;
}

static spl_status copy_positions(spl_plan *plan, spl__product *c)
{
    const spl__problem *p = &plan->problem;
    spl__watch *watch = spl__account_watch(&plan->account);
    int64_t count = p->mask.offsets[p->rows];
    size_t size = spl__index_size(p->a.csr.index_type);
    SPL__TRY(spl__check_result_width(plan, count));
    SPL__TRY(SPL__NEW(&plan->account, &c->offsets, p->rows + 1));
    spl__copy_watched(watch, p->threads, c->offsets, p->mask.offsets,
                      (size_t)(p->rows + 1) * sizeof(int64_t));
    SPL__TRY(spl__alloc(&plan->account, count, size, &c->columns));
    if (count > 0)
        spl__copy_watched(watch, p->threads, c->columns, p->mask.columns, (size_t)count * size);
    return spl__watch_check(watch);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    spl__product *c = spl__product_of(step->task.plan);
    (void)call;
    spl_status status = copy_positions(step->task.plan, c);
    c->known = status == SPL_OK;
    if (status != SPL_OK)
        spl__product_forget(step->task.plan);
    return status;
}

static void destroy(spl__step *step)
{
    (void)step;
}

const spl__method spl__spgemm_symbolic_cpu_mask = {
    .summary = "the positions of a full mask",
    .source = "definition",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__MASKS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = destroy,
};
