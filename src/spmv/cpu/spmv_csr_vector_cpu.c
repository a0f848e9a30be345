/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/csr_vector: y = alpha*A*x + beta*y on CSR, each row summed in four lanes.
 *
 * A row is processed in groups of four entries, the last one masked, see dot.h; at its end the
 * lanes are reduced in a tree. No branch depends on a row's length but that of its groups. Short
 * rows pay for the reduction and for masked lanes. With AVX-512, where gathers pay, groups have
 * eight entries, see gathered_rows.h. Whole rows are assigned to threads in parts of equal rows +
 * entries.
 *
 * Cost: nnz*(value+index) + rows*(offset+y) bytes streamed, x gathered; two additions per row.
 * Memory: one integer per part. Source: the CPU counterpart of "CSR vector": N. Bell, M.
 * Garland, Implementing sparse matrix-vector multiplication on throughput-oriented processors,
 * SC'09. Differs: lanes of one core instead of a warp. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/variant.h"
#include "spmv/cpu/eight_lanes.h"
#include "spmv/row_steps.h"

#include <string.h>

#define SELF "spmv/cpu/spmv_csr_vector_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const spl__row_parts *parts, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);
SPL__KERNELS(spmv_csr_vector, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    spl__spmv_work work = {.bytes = spl__spmv_csr_bytes(task),
                           .other_bytes = spl__row_steps_bytes(task)};
    double row = m->spmv_vector_row + m->spmv_grouped_mispredicted * spl__spmv_misprediction(task);
    work.seconds = f->nnz_a * m->spmv_vector_entry + f->rows * row;
    work.largest = f->longest_row_a * m->spmv_vector_entry;
    spl__spmv_predict(task, &work, e);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernel(p->combination)(step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

const spl__method spl__spmv_compute_cpu_csr_vector = {
    .summary = "CSR, each row summed in four lanes",
    .source = "after N. Bell, M. Garland, SC'09",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = spl__row_steps_prepare,
    .execute = execute,
    .explain = spl__row_steps_explain,
    .destroy = spl__row_steps_destroy,
};

#endif
#else

#include "spmv/cpu/beta_only.h"
#include "spmv/cpu/dot.h"
#include "spmv/cpu/gathered_rows.h"

/* `far` and `plain` are compile-time constants in all callers. */
static SPL__INLINED void FN(multiply_each)(const spl_sparse *a, const spl__call *call,
                                           int64_t first, int64_t last, const bool far,
                                           const bool plain)
{
    const P *offsets = a->offsets, all = (P)a->nnz;
    const I *columns = a->indices;
    const T *values = a->values, *x = call->x;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta, *restrict y = call->y;
    P p = offsets[first];
#if defined(SPL__EIGHT_LANES)
    if (spl__gathers_pay) {
        FN(gathered_rows)(a, call, first, last, far);
        return;
    }
#endif
    for (int64_t i = first; i < last; i++) {
        P end = offsets[i + 1];
        const T sum = FN(dot)(values, columns, x, p, end, all, far);
        y[i] = plain ? sum : alpha * sum + FN(scaled)(beta, &y[i]);
        p = end;
    }
}

static SPL__APART void FN(multiply_rows)(const spl_sparse *a, const spl__call *call, int64_t first,
                                         int64_t last)
{
    if (FN(is_far)(a))
        FN(multiply_each)(a, call, first, last, true, false);
    else if (FN(is_plain)(call))
        FN(multiply_each)(a, call, first, last, false, true);
    else
        FN(multiply_each)(a, call, first, last, false, false);
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
