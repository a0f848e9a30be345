/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/masked_rows: values of C = "add" of "multiply"(A, B) and D over any semiring,
 * where C need not have a position for every product or entry of D.
 *
 * A number per column of C says where the column stands in the row of C, 0 for nowhere. Each
 * product is dropped, or added in place. Rows of C without positions cost nothing.
 *
 * Cost: a look at a number per product; two writes per position of C. Memory per thread: an index
 * per column of C. Source: S. Milakovic, O. Selvitopi, I. Nisa, Z. Budimlic, A. Buluc, Parallel
 * algorithms for masked sparse matrix-matrix products, 2021 (arXiv 2111.09947), the masked sparse
 * accumulator. Differs: sums stand in C itself, so that only positions are scattered; the structure
 * of C is known. */
#include "core/combination.h"
#include "spgemm/cpu/rows/meeting.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define SELF "spgemm/cpu/numeric_masked_rows_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
static const compute_fn compute_kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(compute);

static size_t workspace_bytes(const spl__problem *p)
{
    return sizeof(spl__meeting) + (size_t)p->cols * spl__index_size(p->a.csr.index_type);
}

static const char *applicable(const spl__task *task)
{
    const spl__problem *p = &task->plan->problem;
    if (!spl__needs_positions(p))
        return "there is neither a mask nor a semiring, nor integers";
    return spl__product_of(task->plan)->known ? NULL : "the columns of C are not known";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    double terms = task->rows.products + plan->features.nnz_d;
    double serial = terms * m->masked_product + task->rows.nnz_c * m->masked_position;
    e->seconds =
        serial * spl__largest_share(plan, task->rows.products, task->rows.longest_products);
    spl__estimate_scratch((double)workspace_bytes(&plan->problem), INFINITY, e);
    spl__numeric_add_rows(task, e);
}

static spl_status prepare(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    SPL__TRY(spl__numeric_prepare(step, workspace_bytes(p), false));
    const spl__numeric *n = step->state;
    const bool is_long =
        spl__meet_is_long((double)p->a.csr.nnz, step->task.plan->features.products);
    for (int t = 0; t < n->threads; t++)
        if (n->workspaces[t]) {
            memset(n->workspaces[t], 0, workspace_bytes(p));
            ((spl__meeting *)n->workspaces[t])->open = is_long;
        }
    return SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return compute_kernels[step->task.plan->problem.combination](step, call);
}

const spl__method spl__spgemm_numeric_cpu_masked_rows = {
    .summary = "rows added where C has positions",
    .source = "S. Milakovic and others, 2021",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__MASKS | SPL__ALGEBRA | SPL__INTEGERS,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = spl__numeric_destroy,
};

#else
#define IN_INTEGERS
/* of I's size */
#define POSITION __typeof__(_Generic((I)0, int32_t : (uint32_t)0, int64_t : (uint64_t)0))

#include "spgemm/cpu/rows/meet_row.h"
#include "spgemm/cpu/rows/numeric_rows.h"

/* Adds the products of a row to `values`, at the positions of their columns less 1. */
static inline __attribute__((always_inline)) void
FN(add_products)(const FN(row) *row, const I *positions, T *values, int32_t semiring)
{
    const spl__problem *p = row->problem;
    const FN(meet) m = {
        .positions = (const POSITION *)positions, .values = values, .seen = row->workspace};
    FN(meet_row)(&m, &p->a.csr, &p->b.csr, row->i, *(const T *)row->call->alpha, semiring);
}

static SPL__APART void FN(add_plus_times)(const FN(row) *row, const I *positions, T *values)
{
    if (*(const T *)row->call->alpha != 0)
        FN(add_products)(row, positions, values, SPL_PLUS_TIMES);
}

static SPL__APART void FN(add_others)(const FN(row) *row, const I *positions, T *values)
{
    SPL__FOR_SEMIRING(T, row->problem->options.semiring,
                      FN(add_products)(row, positions, values, S));
}

/* Adds the entries of D, as add_products does; beta is 1 outside plus_times. */
static SPL__APART void FN(add_entries)(const FN(row) *row, const I *positions, T *values)
{
    const spl_sparse *d = &row->problem->d.csr;
    const P *offsets = d->offsets;
    const I *columns = d->indices;
    const T *entries = d->values, beta = *(const T *)row->call->beta;
    const int32_t semiring = row->problem->options.semiring;
    for (P q = offsets[row->i]; q < offsets[row->i + 1]; q++) {
        const I k = positions[columns[q]];
        const T value = SPL__TIMES(beta, entries[q]);
        if (k != 0)
            SPL__SEMIRING_JOIN(semiring, values[k - 1], value);
    }
}

static inline int64_t FN(compute_row)(const FN(row) *row)
{
    const I *columns = FN(columns_of)(row);
    const int32_t semiring = row->problem->options.semiring;
    const T none = SPL__SEMIRING_NONE(T, semiring);
    int64_t count = spl__row_length(row->product, row->i);
    I *positions = (I *)((spl__meeting *)row->workspace + 1);
    T *values = FN(values_of)(row);
    if (count == 0)
        return 1;
    for (int64_t k = 0; k < count; k++) {
        positions[columns[k]] = (I)(k + 1);
        values[k] = none;
    }
    (semiring == SPL_PLUS_TIMES ? FN(add_plus_times) : FN(add_others))(row, positions, values);
    if (row->problem->has_d && *(const T *)row->call->beta != 0)
        FN(add_entries)(row, positions, values);
    for (int64_t k = 0; k < count; k++)
        positions[columns[k]] = 0;
    return 1;
}

#endif
