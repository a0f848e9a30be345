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
#include "core/checked.h"
#include "core/combination.h"
#include "spmv/masked_rows.h"
#include "spmv/row_steps.h"

enum { CHAINS = 4, PART_ROWS = 2048, MOST_PARTS = 1024 };
/* Rows + entries under a mask from which on other threads are woken: 10 us of one. */
enum { ALONE_WORK = 16384 };

/* Rows from first to last - 1. */
typedef struct row_range {
    const spl__problem *problem;
    const spl__call *call;
    int64_t first, last;
} row_range;

#define SELF "spmv/cpu/spmv_semiring_rows_cpu.c"
#include "core/each_type.h"

typedef int64_t (*kernel_fn)(const row_range *range);
static const kernel_fn kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_ALL(multiply_rows);

/* The first row of part r of count. */
static int64_t begin_of(const spl__problem *p, const spl__row_parts *parts, int64_t r,
                        int64_t count)
{
    return parts ? parts->row[r] : spl__min_i64(p->rows, r * (p->rows / count + 1));
}

/* Returns the rows + entries that were computed. */
static int64_t multiply_part(const spl__problem *p, const spl__row_parts *parts, int64_t r,
                             int64_t count, const spl__call *call)
{
    const row_range part = {p, call, begin_of(p, parts, r, count),
                            begin_of(p, parts, r + 1, count)};
    return spl__watch_goes_on(call->watch) ? kernels[p->combination](&part) : 0;
}

static void multiply(const spl__problem *p, const spl__row_parts *parts, int threads,
                     const spl__call *call)
{
    const int64_t most = spl__min_i64(MOST_PARTS, p->rows / PART_ROWS + 1),
                  count = parts ? parts->count : most;
    int64_t first = 0, work = 0;
    while (first < count && (threads == 1 || count == 1 || (call->rows && work < ALONE_WORK)))
        work += multiply_part(p, parts, first++, count, call);
    if (first == count)
        return;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic)
    for (int64_t r = first; r < count; r++)
        (void)multiply_part(p, parts, r, count, call);
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

/* Row i of y; returns the number of its entries. Over other semirings beta is 0 or 1: the old value
 * is left out or added. */
static inline __attribute__((always_inline)) int64_t FN(compute_row)(const row_range *r, int64_t i,
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

static inline __attribute__((always_inline)) int64_t FN(multiply_over)(const row_range *r,
                                                                       const int32_t semiring)
{
    const spl_row_mask *mask = r->call->rows;
    const bool clears = mask && mask->clear;
    T *y = r->call->y;
    int64_t work = 0;
    for (int64_t i = r->first; i < r->last; i++) {
        const int64_t next = spl__row_mask_next(mask, i, r->last);
        for (; clears && i < next; i++)
            y[i] = NARROW(SPL__SEMIRING_NONE(ACC, semiring));
        i = next;
        if (i < r->last)
            work += 1 + FN(compute_row)(r, i, semiring);
    }
    return work;
}

static int64_t FN(multiply_rows)(const row_range *r)
{
    const int32_t semiring = r->problem->options.semiring;
    int64_t work = 0;
    if (semiring == SPL_PLUS_TIMES)
        work = FN(multiply_over)(r, SPL_PLUS_TIMES);
    else
#ifdef HALF /* one loop for all: they are rare in 16 bits, and code is not free */
        work = FN(multiply_over)(r, semiring);
#else
        SPL__FOR_SEMIRING(ACC, semiring, work = FN(multiply_over)(r, S));
#endif
    return work;
}

#endif
