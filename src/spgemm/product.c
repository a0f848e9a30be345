/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/product.h"

#include "core/checked.h"
#include "spgemm/column_hash.h"

#include <omp.h>

spl__product *spl__product_of(const spl_plan *plan)
{
    return plan->state;
}

int64_t spl__product_nnz(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    int64_t rows = plan->problem.rows, nnz = 0;
    if (!c->lengths || !c->known)
        return c->offsets[rows];
    for (int64_t i = 0; i < rows; i++)
        nnz += c->lengths[i];
    return nnz;
}

spl_status spl__check_result_width(const spl_plan *plan, int64_t nnz)
{
    if (plan->problem.options.result_offset_type == SPL_I32 && nnz > INT32_MAX)
        return spl__fail(SPL_INDEX_OVERFLOW, "C has %s entries or more, which do not fit 32-bit offsets",
                         spl__thousands(nnz));
    return SPL_OK;
}

spl_index spl__result_offset_type(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    if (plan->problem.options.result_offset_type)
        return plan->problem.options.result_offset_type;
    return c->offsets[plan->problem.rows] > INT32_MAX ? SPL_I64 : plan->problem.a.csr.offset_type;
}

/* ---- finders ---- */

static int64_t longest_bound(const spl_plan *plan)
{
    return spl__min_i64(spl__product_of(plan)->longest_work, plan->problem.cols);
}

static int64_t table_slots(const spl_plan *plan)
{
    return spl__slots_for(longest_bound(plan));
}

double spl__finder_bytes(const spl_plan *plan)
{
    return (double)(table_slots(plan) + longest_bound(plan)) * (double)spl__index_size(plan->problem.a.csr.index_type);
}

spl_status spl__finders_make(spl_plan *plan, int threads, spl__finder **finders)
{
    size_t size = spl__index_size(plan->problem.a.csr.index_type);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, finders, threads));
    for (int t = 0; t < threads; t++) {
        SPL__TRY(spl__alloc(&plan->account, table_slots(plan), size, &(*finders)[t].table));
        SPL__TRY(spl__alloc(&plan->account, longest_bound(plan), size, &(*finders)[t].scratch));
    }
    return SPL_OK;
}

void spl__finders_free(spl__finder *finders, int threads)
{
    for (int t = 0; finders && t < threads; t++) {
        spl__free(finders[t].table);
        spl__free(finders[t].scratch);
    }
    spl__free(finders);
}

/* ---- numeric state ---- */

enum { BLOCK_WORK = 32768 };

static spl_status make_numeric(spl__step *step, spl__numeric *n, int64_t count, size_t size)
{
    spl_plan *plan = step->task.plan;
    const spl__row_set *rows = &step->task.rows;
    const spl__product *c = spl__product_of(plan);
    SPL__TRY(spl__blocks_make(&plan->account, c->work, rows->list, rows->count, BLOCK_WORK, &n->blocks));
    n->threads = (int)spl__min_i64(plan->problem.threads, spl__max_i64(1, n->blocks.count));
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &n->workspaces, n->threads));
    for (int t = 0; t < n->threads; t++)
        SPL__TRY(spl__alloc(&plan->account, count, size, &n->workspaces[t]));
    return c->known ? SPL_OK : spl__finders_make(plan, n->threads, &n->finders);
}

spl_status spl__numeric_prepare(spl__step *step, int64_t count, size_t size)
{
    spl__numeric *n;
    SPL__TRY(SPL__NEW_ZERO(&step->task.plan->account, &n, 1));
    step->state = n;
    return make_numeric(step, n, count, size);
}

spl_status spl__numeric_progress(const spl__step *step, int64_t block)
{
    const spl__numeric *n = step->state;
    if (omp_get_thread_num() != 0)
        return SPL_OK;
    return spl__progress(step->task.plan->problem.context, "numeric", block, n->blocks.count);
}

void spl__numeric_destroy(spl__step *step)
{
    spl__numeric *n = step->state;
    if (!n)
        return;
    for (int t = 0; n->workspaces && t < n->threads; t++)
        spl__free(n->workspaces[t]);
    spl__free(n->workspaces);
    spl__finders_free(n->finders, n->threads);
    spl__blocks_free(&n->blocks);
    spl__free(n);
}
