/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmm/compute/cpu/semiring_rows: C = "add" of "multiply"(A, B) over any semiring, B and C dense,
 * row by row; and the rows of any plan that a mask names.
 *
 * The entries of a row of A are walked once for each tile of columns, whose results are kept in
 * registers: tiles of 32 and 8 columns where rows of B are stored consecutively, of at most 8 for
 * other strides and what is left. "add" is in the order of the entries. Rows are divided into parts
 * of equal rows + entries, or of equal rows for other methods' plans, which parts threads take as
 * they are ready. Rows that the mask leaves out cost a bit or a byte.
 *
 * Cost: A once per tile; nnz*K elements of B from wherever they are cached. Memory: one integer
 * per part. Source: the row-wise product, with semirings and masks: J. Kepner, J. Gilbert (eds.),
 * Graph Algorithms in the Language of Linear Algebra, 2011. Differs: tiles; masks are bits or bytes
 * per row. */
#include "core/checked.h"
#include "core/team.h"
#include "core/variant.h"
#include "spmm/cpu/tile_rows.h"
#include "spmm/masked_rows_of_c.h"

enum { WIDE = 32, NARROW_TILE = 8, PART_ROWS = 512, MOST_PARTS = 1024 };
/* Elements of B under a mask from which on other threads are woken: 10 us of one. */
enum { ALONE_WORK = 32768 };

/* Rows from first to last - 1. */
typedef struct row_range {
    const spl__problem *problem;
    const spl__call *call;
    int64_t first, last;
} row_range;

typedef int64_t (*kernel_fn)(const row_range *range);

#define SELF "spmm/cpu/spmm_semiring_rows_cpu.c"
#include "core/each_type.h"

SPL__KERNELS_IN_ALL(spmm_semiring_rows, kernel_fn, multiply_rows, SPL__V4)

#ifndef SPL__VARIANT

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
    return spl__watch_goes_on(call->watch) ? kernel(p->combination)(&part) : 0;
}

static void multiply(const spl__problem *p, const spl__row_parts *parts, int threads,
                     const spl__call *call)
{
    const int64_t most = spl__min_i64(MOST_PARTS, p->rows / PART_ROWS + 1),
                  count = parts ? parts->count : most;
    int64_t first = 0, work = 0;
    while (call->rows && first < count && work < ALONE_WORK / (p->cols + 1))
        work += multiply_part(p, parts, first++, count, call);
    if (first == count)
        return;
#pragma omp parallel for num_threads(spl__team(count > 1 ? threads : 1)) schedule(dynamic)
    for (int64_t r = first; r < count; r++)
        (void)multiply_part(p, parts, r, count, call);
}

spl_status spl__spmm_masked_rows(spl_plan *plan, const spl__call *call)
{
    multiply(&plan->problem, NULL, plan->problem.threads, call);
    return SPL_OK;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__tile_rows_estimate(task, 1, 0, e);
    e->seconds *= task->plan->machine->spmm_semiring_factor;
}

static spl_status prepare(spl__step *step)
{
    return spl__tile_rows_prepare(step, 1);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__tile_rows *rows = step->state;
    multiply(&step->task.plan->problem, &rows->parts, spl__step_threads(step), call);
    return SPL_OK;
}

const spl__method spl__spmm_compute_cpu_semiring_rows = {
    .summary = "over any semiring, row by row, a tile of columns at a time",
    .source = "J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES | SPL__ALGEBRA | SPL__INTEGERS,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = spl__tile_rows_destroy,
};

#endif
#else
#define IN_HALVES
#define IN_INTEGERS

/* A row of A and of C. Strides in elements. */
typedef struct FN(row) {
    const I *columns;
    const T *values; /* NULL: the semiring does not use them */
    int64_t entries;
    const T *b;
    int64_t b_row, b_column;
    T *c;
    int64_t c_column;
    ACC alpha, beta;
} FN(row);

/* Writes a tile's results; over other semirings beta is 0 or 1: old values are left out or
 * added. */
static inline __attribute__((always_inline)) void FN(store)(const FN(row) *r, T *c, int64_t stride,
                                                            ACC *sums, const int count,
                                                            const int32_t semiring)
{
    for (int t = 0; t < count; t++) {
        T *to = &c[t * stride];
        if (semiring == SPL_PLUS_TIMES) {
            const ACC scaled = r->entries > 0 ? SPL__TIMES(r->alpha, sums[t]) : 0,
                      old = r->beta == 0 ? 0 : SPL__TIMES(r->beta, WIDEN(*to));
            sums[t] = SPL__PLUS(scaled, old);
        } else if (r->beta != 0)
            SPL__SEMIRING_JOIN(semiring, sums[t], WIDEN(*to));
        *to = NARROW(sums[t]);
    }
}

/* Columns j to j + count - 1; strides are parameters, as they may be constant. */
static inline __attribute__((always_inline)) void FN(tile)(const FN(row) *r, int64_t j,
                                                           const int count, const int64_t b_column,
                                                           const int64_t c_column,
                                                           const int32_t semiring)
{
    const bool reads_a = spl__semiring_reads_a(semiring), reads_b = spl__semiring_reads_b(semiring);
    const T *b = r->b + j * b_column;
    ACC sums[WIDE];
    for (int t = 0; t < count; t++)
        sums[t] = SPL__SEMIRING_NONE(ACC, semiring);
    for (int64_t p = 0; p < r->entries; p++) {
        const ACC a = reads_a ? WIDEN(r->values[p]) : 0;
        const T *from = b + (int64_t)r->columns[p] * r->b_row;
        for (int t = 0; t < count; t++)
            SPL__SEMIRING_ADD(ACC, semiring, sums[t], a, reads_b ? WIDEN(from[t * b_column]) : 0);
    }
    FN(store)(r, r->c + j * c_column, c_column, sums, count, semiring);
}

static inline __attribute__((always_inline)) void FN(compute_row)(const FN(row) *r, int64_t cols,
                                                                  const int32_t semiring)
{
    int64_t j = 0;
    if (r->b_column == 1 && r->c_column == 1) {
        for (; j + WIDE <= cols; j += WIDE)
            FN(tile)(r, j, WIDE, 1, 1, semiring);
        for (; j + NARROW_TILE <= cols; j += NARROW_TILE)
            FN(tile)(r, j, NARROW_TILE, 1, 1, semiring);
    }
    for (; j < cols; j += NARROW_TILE)
        FN(tile)(r, j, (int)spl__min_i64(NARROW_TILE, cols - j), r->b_column, r->c_column,
                 semiring);
}

static void FN(clear_row)(T *c, int64_t stride, int64_t cols, ACC none)
{
    for (int64_t j = 0; j < cols; j++)
        c[j * stride] = NARROW(none);
}

static inline __attribute__((always_inline)) int64_t FN(multiply_over)(const row_range *range,
                                                                       const int32_t semiring)
{
    const spl__problem *p = range->problem;
    const spl_dense *b = range->call->b, *c = range->call->c;
    const bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    const spl_row_mask *mask = range->call->rows;
    const P *offsets = p->a.csr.offsets;
    int64_t work = 0;
    FN(row) r = {.b = b->values,
                 .b_row = b_rows ? b->ld : 1,
                 .b_column = b_rows ? 1 : b->ld,
                 .c_column = c_rows ? 1 : c->ld,
                 .alpha = *(const ACC *)range->call->alpha,
                 .beta = *(const ACC *)range->call->beta};
    for (int64_t i = range->first; i < range->last; i++) {
        const int64_t next = spl__row_mask_next(mask, i, range->last);
        T *c_row = c->values;
        for (; mask && mask->clear && i < next; i++)
            FN(clear_row)(c_row + i * (c_rows ? c->ld : 1), r.c_column, c->cols,
                          SPL__SEMIRING_NONE(ACC, semiring));
        i = next;
        if (i == range->last)
            break;
        r.c = c_row + i * (c_rows ? c->ld : 1);
        r.entries = r.alpha == 0 ? 0 : offsets[i + 1] - offsets[i];
        r.columns = (const I *)p->a.csr.indices + offsets[i];
        r.values = spl__semiring_reads_a(semiring) ? (const T *)p->a.csr.values + offsets[i] : NULL;
        FN(compute_row)(&r, c->cols, semiring);
        work += 1 + r.entries;
    }
    return work;
}

static int64_t FN(multiply_rows)(const row_range *range)
{
    const int32_t semiring = range->problem->options.semiring;
    int64_t work = 0;
    if (semiring == SPL_PLUS_TIMES)
        work = FN(multiply_over)(range, SPL_PLUS_TIMES);
    else
#ifdef HALF /* one loop for all: they are rare in 16 bits, and code is not free */
        work = FN(multiply_over)(range, semiring);
#else
        SPL__FOR_SEMIRING(ACC, semiring, work = FN(multiply_over)(range, S));
#endif
    return work;
}

#endif
