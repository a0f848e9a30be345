/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/csr_scalar: y = alpha*A*x + beta*y on CSR, row by row, entry by entry.
 *
 * The textbook loop: each row is one chain of additions. There is no setup or reduction per row,
 * which makes it hard to beat for short rows; on long rows each addition waits for the previous
 * one. Whole rows are assigned to threads in parts of equal rows + entries, so a long row is
 * computed by one thread.
 *
 * Cost: nnz*(value+index) + rows*(offset+y) bytes streamed, x gathered; one addition's latency per
 * entry. Memory: one integer per part. Source: Y. Saad, SPARSKIT, RIACS TR 90-20, 1990; parts of
 * equal entries: [S2]. Differs: parts come from the merge path, so that empty rows count too. */
#include "core/checked.h"
#include "core/combination.h"
#include "core/lanes.h"
#include "spmv/row_steps.h"

#define SELF "spmv/cpu/spmv_csr_scalar_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const spl__row_parts *parts, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);
static const kernel_fn kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_HALVES(multiply);

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    spl__spmv_work work = {.bytes = spl__spmv_csr_bytes(task),
                           .other_bytes = spl__row_steps_bytes(task)};
    double row = m->spmv_scalar_row + spl__spmv_misprediction(task);
    work.seconds = f->nnz_a * m->spmv_scalar_entry + f->rows * row;
    work.largest = f->longest_row_a * m->spmv_scalar_entry;
    spl__spmv_predict(task, &work, e);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernels[p->combination](step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

const spl__method spl__spmv_compute_cpu_csr_scalar = {
    .summary = "CSR, one row and one entry after the other",
    .source = "Y. Saad, SPARSKIT, RIACS TR 90-20, 1990",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .estimate = estimate,
    .prepare = spl__row_steps_prepare,
    .execute = execute,
    .explain = spl__row_steps_explain,
    .destroy = spl__row_steps_destroy,
};

#else
#define IN_HALVES

#include "spmv/cpu/beta_only.h"

/* `plain` is a compile-time constant in both callers. */
static SPL__INLINED void FN(multiply_each)(const spl_sparse *a, const spl__call *call,
                                           int64_t first, int64_t last, const bool plain)
{
    const P *offsets = a->offsets;
    const I *columns = a->indices;
    const T *restrict values = a->values, *restrict x = call->x;
    const ACC alpha = *(const ACC *)call->alpha, beta = *(const ACC *)call->beta;
    T *restrict y = call->y;
    for (int64_t i = first; i < last; i++) {
        ACC sum = 0;
        for (P p = offsets[i]; p < offsets[i + 1]; p++)
            sum += WIDEN(values[p]) * WIDEN(x[columns[p]]);
        y[i] = NARROW(plain ? sum : alpha * sum + FN(scaled)(beta, &y[i]));
    }
}

static SPL__APART void FN(multiply_rows)(const spl_sparse *a, const spl__call *call, int64_t first,
                                         int64_t last)
{
    if (FN(is_plain)(call))
        FN(multiply_each)(a, call, first, last, true);
    else
        FN(multiply_each)(a, call, first, last, false);
}

static void FN(multiply)(const spl__row_parts *parts, spl__sweep sweep, const spl_sparse *a,
                         const spl__call *call)
{
    if (FN(beta_only)(call, a->rows, sweep.threads))
        return;
    SPL__SWEEP_PARTS(r, parts->count, sweep,
                     if (spl__watch_goes_on(call->watch))
                         FN(multiply_rows)(a, call, parts->row[r], parts->row[r + 1]));
}

#endif
