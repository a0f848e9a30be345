/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/dense_runs: values of C = alpha*A*B + beta*D where consecutive rows of A name the same columns.
 *
 * A run of up to 8 such rows (the unknowns of a mesh node) is computed at once. The dense accumulator has a lane for each row of the run: an
 * entry of B is loaded once and multiplied with a whole column of the run. Where rows of B repeat as well, up to 4 of them are added
 * before the accumulator is stored again: then the loads and stores that a product costs elsewhere are shared by up to 32 products.
 *
 * Cost: per entry of B and run, a vector multiplication; per 4 of them an access to the accumulator; two accesses per column of C and run.
 * Memory: a byte per row of A and of B; per thread cols values in as many lanes as the longest run needs.
 * Source: F. Gustavson, Two fast algorithms for sparse matrices, ACM TOMS 4(3), 1978 (the accumulator); blocks of unknowns as in E. Im,
 *         K. Yelick, R. Vuduc, Sparsity: optimization framework for sparse matrix kernels, Int. J. HPC Applications 18(1), 2004.
 * Differs: blocks are found in plain CSR, whose arrays are read where they are; a row alone is a run of one lane. */
#include "core/checked.h"
#include "core/variant.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>

enum { MOST_TERMS = 4 };

/* n->shared: how many rows from row k on have the same columns as row k, at most 8. Of A only where D agrees. */
typedef struct alike {
    uint8_t *a, *b;
    int most_a;
} alike;

#ifndef SPL__VARIANT
typedef void (*count_fn)(const spl_sparse *m, const spl_sparse *d, uint8_t *alike_rows);
#endif

#define SELF "spgemm/numeric_dense_runs_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
SPL__KERNELS(spgemm_dense_runs, compute_fn, compute, SPL__V4)

#ifndef SPL__VARIANT

static const count_fn count_kernels[SPL__COMBINATIONS] = SPL__TABLE(count_alike);

static const char *applicable(const spl__task *task)
{
    return spl__product_of(task->plan)->known ? NULL : "the columns of C are not known before the first execution";
}

/* Lanes that an average product is computed in. */
static double mean_run(const spl__features *f)
{
    double fresh = 1 - f->repeated_a;
    return fmin(1 / fmax(fresh, 1e-3), SPL__MOST_TOGETHER);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    const spl__features *f = &plan->features;
    double threads = spl__assumed_threads(&plan->problem), run = mean_run(f);
    double lanes = run > 1 ? (double)spl__ceil_pow2((int64_t)ceil(run)) : 1;
    double row = lanes * (double)spl__type_size(plan->problem.a.csr.type);
    double far = f->span_sampled * row > m->near_bytes ? m->dense_near_miss : 0;
    e->seconds = (task->rows.products / run * (m->runs_access / fmin(run, MOST_TERMS) + m->runs_term) +
                  task->rows.nnz_c * (m->runs_column + far / run)) /
                 threads;
    e->bytes = threads * f->cols * row + f->rows + f->inner;
    spl__numeric_add_rows(task, e);
}

static spl_status count_all(spl_plan *plan, alike *r)
{
    const spl__problem *p = &plan->problem;
    SPL__TRY(SPL__NEW(&plan->account, &r->a, p->rows));
    SPL__TRY(SPL__NEW(&plan->account, &r->b, p->inner));
    count_kernels[p->combination](&p->a.csr, p->has_d ? &p->d.csr : NULL, r->a);
    count_kernels[p->combination](&p->b.csr, NULL, r->b);
    r->most_a = 1;
    for (int64_t i = 0; i < p->rows; i++)
        r->most_a = r->a[i] > r->most_a ? r->a[i] : r->most_a;
    return SPL_OK;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    const spl__problem *p = &plan->problem;
    alike *r;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &r, 1));
    spl_status status = count_all(plan, r);
    size_t lanes = (size_t)spl__ceil_pow2(r->most_a);
    if (status == SPL_OK)
        status = spl__numeric_prepare(step, (size_t)p->cols * lanes * spl__type_size(p->a.csr.type), 0);
    if (step->state) {
        ((spl__numeric *)step->state)->shared = r;
        return status;
    }
    spl__free(r->a);
    spl__free(r->b);
    spl__free(r);
    return status;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return kernel(step->task.plan->problem.combination)(step, call);
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl__numeric *n = step->state;
    spl__text_add(text, "  rows at once: up to %d\n", ((const alike *)n->shared)->most_a);
}

static void destroy(spl__step *step)
{
    spl__numeric *n = step->state;
    alike *r = n ? n->shared : NULL;
    if (r) {
        spl__free(r->a);
        spl__free(r->b);
        spl__free(r);
    }
    spl__numeric_destroy(step);
}

const spl__method spl__spgemm_numeric_cpu_dense_runs = {
    .summary = "dense accumulator with a lane for each of several rows with the same columns",
    .source = "F. Gustavson, ACM TOMS 1978; E. Im, K. Yelick, R. Vuduc, IJHPCA 2004",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

#include "spgemm/numeric_rows.h"

#include "matrix/row_repeats.h"

#ifndef SPL__VARIANT
static void FN(count_alike)(const spl_sparse *m, const spl_sparse *d, uint8_t *alike_rows)
{
    for (int64_t k = m->rows - 1; k >= 0; k--) {
        bool more = k + 1 < m->rows && FN(row_repeats)(m, k + 1) && !(d && !FN(row_repeats)(d, k + 1));
        alike_rows[k] = (uint8_t)(more ? spl__min_i64(alike_rows[k + 1] + 1, SPL__MOST_TOGETHER) : 1);
    }
}
#endif

#define RUN_LANES 1
#include "spgemm/dense_run.h"
#define RUN_LANES 2
#include "spgemm/dense_run.h"
#define RUN_LANES 4
#include "spgemm/dense_run.h"
#define RUN_LANES 8
#include "spgemm/dense_run.h"

static inline int64_t FN(compute_row)(const FN(row) * row)
{
    const alike *r = row->shared;
    int64_t rows = spl__min_i64(r->a[row->i], row->together);
    if (rows == 1)
        FN(compute_run_1)(row, 1);
    else if (rows == 2)
        FN(compute_run_2)(row, 2);
    else if (rows <= 4)
        FN(compute_run_4)(row, rows);
    else
        FN(compute_run_8)(row, rows);
    return rows;
}

#endif
