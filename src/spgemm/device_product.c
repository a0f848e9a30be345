/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/device_product.h"

#include "core/checked.h"
#include "matrix/device_widths.h"

struct spgemm_structures spl__device_structures(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    struct spgemm_structures s = {.rows = p->rows,
                                  .cols = p->cols,
                                  .a_offsets = p->a.csr.offsets,
                                  .a_columns = p->a.csr.indices,
                                  .b_offsets = p->b.csr.offsets,
                                  .b_columns = p->b.csr.indices};
    if (p->has_d) {
        s.d_offsets = p->d.csr.offsets;
        s.d_columns = p->d.csr.indices;
    }
    return s;
}

/* ---- the plan ---- */

static spl_status launch_count(spl_plan *plan, int64_t *work, struct spgemm_work *sums)
{
    spl__queue *queue = &plan->problem.queue;
    const spl_sparse *a = &plan->problem.a.csr;
    const spl__kernel *kernel;
    struct spgemm_count_work_args args = {spl__device_structures(plan), work, sums};
    SPL__TRY(spl__queue_kernel(queue, "spgemm_count_work", a->type, a->offset_type, &kernel));
    SPL__TRY(spl__queue_fill(queue, sums, 0, sizeof *sums));
    int64_t blocks = spl__blocks_for(queue, a->rows * SPGEMM_WORK_LANES, SPGEMM_ROWS_THREADS);
    return SPL__LAUNCH(queue, &args, kernel, blocks, SPGEMM_ROWS_THREADS);
}

static spl_status fetch_count(spl_plan *plan, int64_t *work)
{
    spl__queue *queue = &plan->problem.queue;
    spl__features *f = &plan->features;
    struct spgemm_work found = {0};
    spl__device_array sums;
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof found, &sums));
    spl_status status = launch_count(plan, work, sums.data);
    if (status == SPL_OK)
        status = spl__queue_fetch(queue, &found, sums.data, sizeof found);
    spl__queue_free(queue, &sums);
    f->products = (double)found.products - f->nnz_d;
    f->longest_products = (double)found.longest;
    f->bound_c = (double)found.bound;
    spl__product_of(plan)->longest_work = (int64_t)found.longest;
    return status;
}

/* Fills the features of work; the work of rows stays for the symbolic phase. */
static spl_status count_work(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    SPL__TRY(spl__queue_alloc(&plan->problem.queue, plan->problem.rows, sizeof(int64_t), &c->work_there));
    return fetch_count(plan, c->work_there.data);
}

static void features_of_result(spl_plan *plan)
{
    spl__features *f = &plan->features;
    f->nnz_c = (double)spl__product_of(plan)->there->nnz;
    f->density_c = f->nnz_c > 0 ? f->nnz_c / f->rows / f->cols : 0;
    f->compression = f->nnz_c > 0 ? f->products / f->nnz_c : 0;
}

static spl_status make_narrow(spl_plan *plan)
{
    spl__device_array *narrow = &spl__product_of(plan)->there->narrow;
    if (spl__result_offset_type(plan) != SPL_I32)
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, plan->problem.rows + 1, sizeof(int32_t), narrow);
}

static spl_status make_values(spl_plan *plan)
{
    struct spl__device_product *there = spl__product_of(plan)->there;
    if (plan->problem.staged)
        SPL__TRY(make_narrow(plan));
    if (!plan->problem.options.keep_result && !plan->problem.staged)
        return SPL_OK;
    return spl__queue_alloc(&plan->problem.queue, there->nnz, spl__type_size(plan->problem.a.csr.type), &there->values);
}

spl_status spl__device_product_plan(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &c->there, 1));
    SPL__TRY(count_work(plan));
    spl__row_set all = spl__all_rows(plan);
    SPL__TRY(spl__plan_step(plan, SPL__PHASE_symbolic, &all));
    spl__queue_free(&plan->problem.queue, &c->work_there);
    c->capacity = c->there->nnz;
    c->known = true;
    SPL__TRY(spl__check_result_width(plan, c->capacity));
    features_of_result(plan);
    SPL__TRY(make_values(plan));
    all = spl__all_rows(plan);
    return spl__plan_step(plan, SPL__PHASE_numeric, &all);
}

void spl__device_product_free(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    spl__queue *queue = &plan->problem.queue;
    struct spl__device_product *there = c->there;
    if (!there)
        return;
    spl__queue_free(queue, &c->work_there);
    spl__queue_free(queue, &there->offsets);
    spl__queue_free(queue, &there->columns);
    spl__queue_free(queue, &there->values);
    spl__queue_free(queue, &there->narrow);
    spl__device_groups_free(plan, &there->groups);
    spl__free(there);
}

/* ---- export ---- */

/* C's offsets in 32 bits. */
static spl_status narrow(spl_plan *plan, int32_t *offsets)
{
    return spl__device_narrow(&plan->problem.queue, spl__product_of(plan)->there->offsets.data, plan->problem.rows + 1,
                              offsets);
}

/* To the caller's array, where its matrices are. */
static spl_status export_array(spl_plan *plan, void *to, const spl__device_array *from)
{
    spl__queue *queue = &plan->problem.queue;
    return (plan->problem.staged ? spl__queue_bring : spl__queue_copy)(queue, to, from->data, from->bytes);
}

static spl_status export_offsets(spl_plan *plan, void *offsets)
{
    const struct spl__device_product *there = spl__product_of(plan)->there;
    if (spl__result_offset_type(plan) == SPL_I64)
        return export_array(plan, offsets, &there->offsets);
    if (!plan->problem.staged)
        return narrow(plan, offsets);
    SPL__TRY(narrow(plan, there->narrow.data));
    return export_array(plan, offsets, &there->narrow);
}

spl_status spl__device_product_export(spl_plan *plan, void *offsets, void *indices, void *values)
{
    const struct spl__device_product *there = spl__product_of(plan)->there;
    if (offsets)
        SPL__TRY(export_offsets(plan, offsets));
    if (indices)
        SPL__TRY(export_array(plan, indices, &there->columns));
    if (values)
        SPL__TRY(export_array(plan, values, &there->values));
    return plan->problem.staged ? spl__queue_wait(&plan->problem.queue) : SPL_OK;
}

static spl_status give(spl_plan *plan, const spl_sparse *header, spl_matrix **c)
{
    struct spl__device_product *there = spl__product_of(plan)->there;
    bool narrowed = header->offset_type == SPL_I32;
    spl__device_array *const arrays[] = {narrowed ? &there->narrow : &there->offsets, &there->columns, &there->values};
    SPL__TRY(make_narrow(plan));
    if (narrowed)
        SPL__TRY(narrow(plan, there->narrow.data));
    SPL__TRY(spl__device_matrix_around(&plan->account, &plan->problem.queue, header, arrays, c));
    spl_status status = spl__device_matrix_settle(*c, &plan->problem.queue);
    if (status != SPL_OK)
        spl_matrix_destroy(*c);
    return status;
}

/* If that fails, the plan frees what it made on the way, behind the mark. */
spl_status spl__device_product_give(spl_plan *plan, const spl_sparse *header, spl_matrix **c)
{
    spl_status status = give(plan, header, c);
    spl__plan_mark(plan);
    return status;
}
