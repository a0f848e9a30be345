/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/dense: values of C = alpha*A*B + beta*D through a dense accumulator as wide as
 * C.
 *
 * The row's columns are known (or found just before, after an upper bound): they are set to zero,
 * products are added by column number, and the sums are gathered in the order of the columns. The
 * rest of the accumulator is not touched, so it needs no stamps and no clearing.
 *
 * Cost: one addition per product; two accesses per column of C. Memory per thread: cols values.
 * Source: F. Gustavson, Two fast algorithms for sparse matrices, ACM TOMS 4(3), 1978; J. Gilbert,
 * C. Moler, R. Schreiber, Sparse matrices in MATLAB, SIAM J. Matrix Anal. Appl. 13(1), 1992 (the
 * "SPA"). Differs: structure is known from the symbolic phase. */
#include "core/combination.h"
#include "spgemm/cpu/rows/column_hash.h"
#include "spgemm/product.h"

#include <omp.h>

#define SELF "spgemm/cpu/numeric_dense_cpu.c"
#include "core/each_type.h"

static const spl__numeric_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(compute);

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    double row = (double)plan->problem.cols * (double)spl__type_size(plan->problem.a.csr.type);
    e->seconds = spl__dense_seconds(task, plan->features.span_sampled);
    spl__estimate_scratch(row, spl__touched_slots(task), e);
    spl__numeric_add_rows(task, e);
    spl__numeric_add_search(task, e);
}

static spl_status prepare(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    return spl__numeric_prepare(step, (size_t)p->cols * spl__type_size(p->a.csr.type), false);
}

const spl__method spl__spgemm_numeric_cpu_dense = {
    .summary = "dense accumulator as wide as C",
    .source = "F. Gustavson, ACM TOMS 1978; J. Gilbert, C. Moler, R. Schreiber, SIMAX 1992",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = kernels,
    .estimate = estimate,
    .prepare = prepare,
    .execute = spl__numeric_execute,
    .destroy = spl__numeric_destroy,
};

#else

typedef struct FN(accumulator) {
    ACC *dense;
    const I *columns;
    int64_t count;
    T *values;
} FN(accumulator);

static inline FN(accumulator) FN(begin_row)(void *workspace, const I *columns, int64_t count,
                                            T *values)
{
    FN(accumulator) sums = {workspace, columns, count, values};
    for (int64_t k = 0; k < count; k++)
        sums.dense[columns[k]] = 0;
    return sums;
}

static inline void FN(add_scaled)(const FN(accumulator) *sums, const I *restrict columns,
                                  const T *restrict values, int64_t count, ACC scale)
{
    ACC *restrict dense = sums->dense;
    for (int64_t k = 0; k < count; k++)
        dense[columns[k]] += scale * values[k];
}

static inline void FN(end_row)(const FN(accumulator) *sums)
{
    for (int64_t k = 0; k < sums->count; k++)
        sums->values[k] = sums->dense[sums->columns[k]];
}

#include "spgemm/cpu/rows/accumulate_rows.h"

#endif
