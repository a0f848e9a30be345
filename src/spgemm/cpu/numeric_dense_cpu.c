/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/dense: values of C = alpha*A*B + beta*D through a dense accumulator as wide as
 * C.
 *
 * The row's columns are known (or found just before, after an upper bound): products are added by
 * column number, and the sums are gathered in the order of the columns, and set to zero again. The
 * accumulator is all zero between rows, so it needs no stamps. Where C has fewer entries than the
 * accumulators, these are not cleared: each row's columns are, before it.
 *
 * Cost: one addition per product; an access per column of C. Memory per thread: cols values.
 * Source: F. Gustavson, Two fast algorithms for sparse matrices, ACM TOMS 4(3), 1978; J. Gilbert,
 * C. Moler, R. Schreiber, Sparse matrices in MATLAB, SIAM J. Matrix Anal. Appl. 13(1), 1992 (the
 * "SPA"). Differs: structure is known from the symbolic phase. */
#include "core/combination.h"
#include "spgemm/cpu/rows/column_hash.h"
#include "spgemm/product.h"

#include <omp.h>
#include <string.h>

/* A thread's workspace; behind it the accumulator. */
typedef struct dense_head {
    size_t bytes; /* of the accumulator, which its thread clears once; 0: each row clears */
    bool cleared;
} dense_head;

#define SELF "spgemm/cpu/numeric_dense_cpu.c"
#include "core/each_type.h"

static const spl__numeric_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(compute);

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    double row = sizeof(dense_head) +
                 (double)plan->problem.cols * (double)spl__type_size(plan->problem.a.csr.type);
    e->seconds = spl__dense_seconds(task, plan->features.span_sampled);
    spl__estimate_scratch(row, spl__touched_slots(task), e);
    spl__numeric_add_rows(task, e);
    spl__numeric_add_search(task, e);
}

static spl_status prepare(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    const size_t bytes = (size_t)p->cols * spl__type_size(p->a.csr.type);
    SPL__TRY(spl__numeric_prepare(step, sizeof(dense_head) + bytes, false));
    const spl__numeric *n = step->state;
    const bool pays = (double)p->cols * n->threads <= step->task.rows.nnz_c;
    for (int t = 0; t < n->threads; t++)
        *(dense_head *)n->workspaces[t] = (dense_head){.bytes = pays ? bytes : 0};
    return SPL_OK;
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

/* Clears the accumulator, or the row's columns. */
static SPL__APART void FN(clear)(dense_head *head, const I *columns, int64_t count)
{
    ACC *dense = (ACC *)(head + 1);
    if (head->bytes) {
        memset(dense, 0, head->bytes);
        head->cleared = true;
        return;
    }
    for (int64_t k = 0; k < count; k++)
        dense[columns[k]] = 0;
}

static inline FN(accumulator) FN(begin_row)(void *workspace, const I *columns, int64_t count,
                                            T *values)
{
    dense_head *head = workspace;
    if (!head->cleared)
        FN(clear)(head, columns, count);
    return (FN(accumulator)){(ACC *)(head + 1), columns, count, values};
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
    for (int64_t k = 0; k < sums->count; k++) {
        ACC *const sum = &sums->dense[sums->columns[k]];
        sums->values[k] = *sum;
        *sum = 0;
    }
}

#include "spgemm/cpu/rows/accumulate_rows.h"

#endif
