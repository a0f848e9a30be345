/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/tiny: values of C = alpha*A*B + beta*D for rows of few columns: no table, a walk along the row.
 *
 * The row's columns are known. Rows of B are sorted as a rule, and so is the row of C: the place of a column is found by walking on from the
 * place of the column before it. What is not sorted is found too, by walking on from the beginning.
 *
 * Cost: one addition per product, and per row of B at most one walk along the row of C. Memory per thread: none.
 * Source: merging of sorted rows, as in F. Gustavson, ACM TOMS 4(3), 1978.
 * Differs: structure is known from the symbolic phase, so a merge is a walk. S3 leaves rows with few products open. */
#include "core/combination.h"
#include "spgemm/column_hash.h"
#include "spgemm/product.h"

#include <omp.h>

#define SELF "spgemm/numeric_tiny_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
static const compute_fn compute_kernels[SPL__COMBINATIONS] = SPL__TABLE(compute);

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__features *f = &plan->features;
    const spl__machine *m = plan->machine;
    double row_b = f->nnz_b / (f->inner + 1), row_c = task->rows.nnz_c / ((double)task->rows.count + 1);
    double walks = task->rows.products / (row_b + 1);
    double steps = task->rows.products + walks * row_c;
    e->seconds = (steps * m->tiny_step + task->rows.products * m->tiny_product) / spl__assumed_threads(&plan->problem);
    e->bytes = 0;
    spl__numeric_add_search(task, e);
}

static spl_status prepare(spl__step *step)
{
    return spl__numeric_prepare(step, 0, 0);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return compute_kernels[step->task.plan->problem.combination](step, call);
}

const spl__method spl__spgemm_numeric_cpu_tiny = {
    .summary = "rows of few columns: a walk along the row, no table",
    .source = "F. Gustavson, ACM TOMS 1978 (merging)",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = spl__numeric_destroy,
};

#else

typedef struct FN(accumulator) {
    const I *columns;
    T *values;
    int64_t count;
} FN(accumulator);

static inline FN(accumulator) FN(begin_row)(void *workspace, const I *columns, int64_t count, T *values)
{
    (void)workspace;
    for (int64_t k = 0; k < count; k++)
        values[k] = 0;
    return (FN(accumulator)){columns, values, count};
}

static inline void FN(add_scaled)(const FN(accumulator) * sums, const I *restrict columns, const T *restrict values,
                                  int64_t count, ACC scale)
{
    const FN(accumulator) s = *sums; /* a copy that no store can change */
    int64_t place = 0;
    for (int64_t k = 0; k < count; k++) {
        while (s.columns[place] != columns[k])
            place = place + 1 < s.count ? place + 1 : 0;
        s.values[place] += scale * values[k];
    }
}

static inline void FN(end_row)(const FN(accumulator) * sums)
{
    (void)sums; /* the sums are in place */
}

#include "spgemm/accumulate_rows.h"

#endif
