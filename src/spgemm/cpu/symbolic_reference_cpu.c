/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/symbolic/cpu/reference: the exact structure of C by the executable specification
 * (ref/ref.h), row by row on one thread. The fallback for every other method; too slow for use.
 *
 * Cost: every product twice (once to count, once to write), rows by qsort. Memory: nnz(C) columns
 * and one dense row. Source: the definition. */
#include "spgemm/cpu/rows/reference_row.h"
#include "spgemm/product.h"

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__features *f = &plan->features;
    double terms = 2 * (f->products + f->nnz_d) + 8 * f->bound_c;
    e->seconds = terms * plan->machine->reference_term;
    e->bytes = f->bound_c * (double)spl__index_size(plan->problem.a.csr.index_type) + f->rows * 8 +
               f->cols * SPL__REF_ROW_BYTES;
}

static spl_status count_rows(spl_plan *plan, spl__ref_row *row)
{
    spl__product *c = spl__product_of(plan);
    SPL__TRY(SPL__NEW(&plan->account, &c->offsets, plan->problem.rows + 1));
    c->offsets[0] = 0;
    for (int64_t i = 0; i < plan->problem.rows; i++) {
        spl__reference_row_compute(&plan->problem, 0, 0, i, row);
        c->offsets[i + 1] = c->offsets[i] + row->count;
        spl__ref_row_clear(row);
        SPL__TRY(spl__check_result_width(plan, c->offsets[i + 1]));
    }
    return SPL_OK;
}

static spl_status write_rows(spl_plan *plan, spl__ref_row *row)
{
    spl__product *c = spl__product_of(plan);
    spl_index type = plan->problem.a.csr.index_type;
    SPL__TRY(spl__alloc(&plan->account, c->offsets[plan->problem.rows], spl__index_size(type),
                        &c->columns));
    for (int64_t i = 0; i < plan->problem.rows; i++) {
        spl__reference_row_compute(&plan->problem, 0, 0, i, row);
        for (int64_t k = 0; k < row->count; k++)
            spl__index_set(c->columns, type, c->offsets[i] + k, row->columns[k]);
        spl__ref_row_clear(row);
    }
    c->known = true;
    c->unsorted = plan->problem.options.unsorted != 0;
    return SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    (void)call;
    spl_plan *plan = step->task.plan;
    spl__ref_row row;
    spl_status status = spl__reference_row_make(plan, &row);
    if (status == SPL_OK)
        status = count_rows(plan, &row);
    if (status == SPL_OK)
        status = write_rows(plan, &row);
    spl__reference_row_free(&row);
    if (status != SPL_OK)
        spl__product_forget(plan);
    return status;
}

const spl__method spl__spgemm_symbolic_cpu_reference = {
    .summary = "executable specification, one thread",
    .source = "definition",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__REFERENCE,
    .estimate = estimate,
    .execute = execute,
};
