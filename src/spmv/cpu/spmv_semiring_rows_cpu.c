/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/semiring_rows: y = "add" of "multiply"(A, x) over any semiring on CSR, row by
 * row; and the rows of any plan by rows that a mask names.
 *
 * A row is four chains of "add", for entries whose numbers in the row leave the same remainder, so
 * that no chain waits for the other; the chains are joined in order. Rows are divided into parts
 * of equal rows + entries, or of equal rows for other methods' plans, which parts threads take as
 * they are ready: a mask may leave work in few of them. A row's value depends on the row alone.
 * Rows that the mask leaves out cost a bit or a byte.
 *
 * Cost: nnz*(value+index) + rows*(offset+y) bytes streamed, x gathered. Memory: one integer per
 * part. Source: the row-wise product: Y. Saad, SPARSKIT, RIACS TR 90-20, 1990; semirings and masks:
 * J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra, 2011. Differs:
 * chains; masks are bits or bytes per row. */
#include "core/combination.h"
#include "plan/row_ranges.h"
#include "spmv/masked_rows.h"
#include "spmv/row_steps.h"

enum { CHAINS = 4, RANGE_ROWS = 2048 };
/* Rows + entries under a mask from which on other threads are woken: 10 us of one. */
enum { ALONE_WORK = 16384 };

#define SELF "spmv/cpu/spmv_semiring_rows_cpu.c"
#include "core/each_type.h"

static const spl__row_range_fn kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(multiply_rows);

static void multiply(const spl__problem *p, const spl__row_parts *parts, int threads,
                     const spl__call *call)
{
    const spl__row_ranges ranges = {.parts = parts,
                                    .rows = RANGE_ROWS,
                                    .alone = ALONE_WORK,
                                    .compute = kernels[p->combination]};
    spl__row_ranges_multiply(&ranges, p, threads, call);
}

spl_status spl__spmv_masked_rows(spl_plan *plan, const spl__call *call)
{
    multiply(&plan->problem, NULL, spl__step_threads(&plan->steps[0]), call);
    return SPL_OK;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    spl__spmv_work work = {.bytes = spl__spmv_csr_bytes(task),
                           .other_bytes = spl__row_steps_bytes(task)};
    work.seconds = f->nnz_a * m->spmv_semiring_entry +
                   f->rows * (m->spmv_semiring_row + spl__spmv_misprediction(task));
    work.largest = f->longest_row_a * m->spmv_semiring_entry;
    spl__spmv_predict(task, &work, e);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    multiply(&step->task.plan->problem, step->state, spl__step_threads(step), call);
    return SPL_OK;
}

const spl__method spl__spmv_compute_cpu_semiring_rows = {
    .summary = "CSR over any semiring, row by row",
    .source = "J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES | SPL__ALGEBRA | SPL__INTEGERS,
    .estimate = estimate,
    .prepare = spl__row_steps_prepare,
    .execute = execute,
    .explain = spl__row_steps_explain,
    .destroy = spl__row_steps_destroy,
};

#else
#define IN_HALVES
#define IN_INTEGERS

#include "spmv/cpu/beta_only.h"

/* "add" of "multiply" of `count` entries and the elements of x in their columns. */
static inline __attribute__((always_inline)) ACC
FN(row_sum)(const I *columns, const T *values, const T *x, int64_t count, const int32_t semiring)
{
    const bool reads_a = spl__semiring_reads_a(semiring), reads_b = spl__semiring_reads_b(semiring);
    ACC sums[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        sums[k] = SPL__SEMIRING_NONE(ACC, semiring);
    int64_t p = 0;
    for (; p + CHAINS <= count; p += CHAINS)
        for (int k = 0; k < CHAINS; k++)
            SPL__SEMIRING_ADD(ACC, semiring, sums[k], reads_a ? WIDEN(values[p + k]) : 0,
                              reads_b ? WIDEN(x[columns[p + k]]) : 0);
    for (; p < count; p++)
        SPL__SEMIRING_ADD(ACC, semiring, sums[p % CHAINS], reads_a ? WIDEN(values[p]) : 0,
                          reads_b ? WIDEN(x[columns[p]]) : 0);
    for (int k = 1; k < CHAINS; k++)
        SPL__SEMIRING_JOIN(semiring, sums[0], sums[k]);
    return sums[0];
}

typedef spl__row_range FN(rows);

static inline FN(rows) FN(rows_of)(const spl__row_range *range)
{
    return *range;
}

static inline void FN(clear_row)(const FN(rows) *r, int64_t i, int32_t semiring)
{
    ((T *)r->call->y)[i] = NARROW(SPL__SEMIRING_NONE(ACC, semiring));
}

/* Row i of y; returns the number of its entries. Over other semirings beta is 0 or 1: the old value
 * is left out or added. */
static inline __attribute__((always_inline)) int64_t FN(compute_row)(const FN(rows) *r, int64_t i,
                                                                     const int32_t semiring)
{
    const spl_sparse *a = &r->problem->a.csr;
    const ACC alpha = *(const ACC *)r->call->alpha, beta = *(const ACC *)r->call->beta;
    const P begin = ((const P *)a->offsets)[i];
    const int64_t entries = ((const P *)a->offsets)[i + 1] - begin;
    const T *values = spl__semiring_reads_a(semiring) ? (const T *)a->values + begin : NULL;
    const bool products = semiring != SPL_PLUS_TIMES || (alpha != 0 && entries > 0);
    T *y = (T *)r->call->y + i;
    ACC sum = 0;
    if (products)
        sum = FN(row_sum)((const I *)a->indices + begin, values, r->call->x, entries, semiring);
    if (semiring == SPL_PLUS_TIMES) {
        const ACC scaled = products ? SPL__TIMES(alpha, sum) : 0;
        *y = NARROW(SPL__PLUS(scaled, FN(scaled)(beta, y)));
        return entries;
    }
    if (beta != 0)
        SPL__SEMIRING_JOIN(semiring, sum, WIDEN(*y));
    *y = NARROW(sum);
    return entries;
}

#include "plan/semiring_rows.h"

#endif
