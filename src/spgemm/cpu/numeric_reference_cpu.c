/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/cpu/reference: values of C by the executable specification (ref/ref.h), row by row
 * on one thread, sums in f64. The fallback for every other method; too slow for use.
 *
 * Cost: every product once, nothing parallel. Memory: one dense row with magnitudes.
 * Source: the definition. */
#include "spgemm/cpu/rows/reference_row.h"
#include "spgemm/product.h"

static void estimate(const spl__task *task, spl__estimate *e)
{
    e->seconds = (task->rows.products + 8 * task->rows.nnz_c) * task->plan->machine->reference_term;
    e->bytes = task->plan->features.cols * SPL__REF_ROW_BYTES;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, (spl__ref_row **)&step->state, 1));
    if (!spl__product_of(plan)->known)
        SPL__TRY(spl__product_leave_gaps(plan));
    return spl__reference_row_make(plan, step->state);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    spl_plan *plan = step->task.plan;
    const spl__row_set *rows = &step->task.rows;
    spl__product *c = spl__product_of(plan);
    spl__ref_row *row = step->state;
    spl_type type = plan->problem.a.csr.type;
    spl_index index_type = plan->problem.a.csr.index_type;
    double alpha = spl__scalar(call->alpha, type, 1), beta = spl__scalar(call->beta, type, 0);
    for (int64_t r = 0; r < rows->count && spl__watch_goes_on(call->watch); r++) {
        int64_t i = rows->list ? rows->list[r] : r, begin = c->offsets[i];
        spl__reference_row_compute(&plan->problem, alpha, beta, i, row);
        for (int64_t k = 0; k < row->count && !c->known; k++)
            spl__index_set(c->columns, index_type, begin + k, row->columns[k]);
        if (!c->known)
            c->lengths[i] = row->count;
        for (int64_t k = 0; k < spl__row_length(c, i); k++) {
            int64_t j = spl__index_at(c->columns, index_type, begin + k);
            spl__value_set(call->values, type, begin + k, spl__ref_value(&row->elements[j]));
        }
        spl__ref_row_clear(row);
    }
    return SPL_OK;
}

static void destroy(spl__step *step)
{
    if (step->state)
        spl__reference_row_free(step->state);
    spl__free(step->state);
}

const spl__method spl__spgemm_numeric_cpu_reference = {
    .summary = "executable specification, one thread",
    .source = "definition",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__REFERENCE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = destroy,
};
