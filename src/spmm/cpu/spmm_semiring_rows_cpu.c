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
#include "core/variant.h"
#include "plan/row_ranges.h"
#include "spmm/cpu/tile_rows.h"
#include "spmm/masked_rows_of_c.h"

enum { WIDE = 32, NARROW_TILE = 8, RANGE_ROWS = 512 };
/* Elements of B under a mask from which on other threads are woken: 10 us of one. */
enum { ALONE_WORK = 32768 };

#define SELF "spmm/cpu/spmm_semiring_rows_cpu.c"
#include "core/each_type.h"

SPL__KERNELS_IN_ALL(spmm_semiring_rows, spl__row_range_fn, multiply_rows, SPL__V4)

#ifndef SPL__VARIANT

static void multiply(const spl__problem *p, const spl__row_parts *parts, int threads,
                     const spl__call *call)
{
    const spl__row_ranges ranges = {.parts = parts,
                                    .rows = RANGE_ROWS,
                                    .alone = ALONE_WORK / (p->cols + 1),
                                    .compute = kernel(p->combination)};
    spl__row_ranges_multiply(&ranges, p, threads, call);
}

spl_status spl__spmm_masked_rows(spl_plan *plan, const spl__call *call)
{
    if (call->winners)
        spl__spmm_winners(plan, call);
    else
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

/* A row of A and of C, and what all rows share. Strides in elements. */
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

static inline __attribute__((always_inline)) void FN(tiles)(const FN(row) *r, int64_t cols,
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

typedef struct FN(rows) {
    const spl_sparse *a;
    FN(row) row;
    int64_t cols;
    T *c;
    int64_t c_row;
} FN(rows);

static inline FN(rows) FN(rows_of)(const spl__row_range *range)
{
    const spl_dense *b = range->call->b, *c = range->call->c;
    const bool b_rows = b->order == SPL_ROW_MAJOR, c_rows = c->order == SPL_ROW_MAJOR;
    return (FN(rows)){.a = &range->problem->a.csr,
                      .row = {.b = b->values,
                              .b_row = b_rows ? b->ld : 1,
                              .b_column = b_rows ? 1 : b->ld,
                              .c_column = c_rows ? 1 : c->ld,
                              .alpha = *(const ACC *)range->call->alpha,
                              .beta = *(const ACC *)range->call->beta},
                      .cols = c->cols,
                      .c = c->values,
                      .c_row = c_rows ? c->ld : 1};
}

static void FN(clear_row)(const FN(rows) *rows, int64_t i, int32_t semiring)
{
    for (int64_t j = 0; j < rows->cols; j++)
        rows->c[i * rows->c_row + j * rows->row.c_column] =
            NARROW(SPL__SEMIRING_NONE(ACC, semiring));
}

/* Row i of C; returns the number of entries of A that were read for it. */
static inline __attribute__((always_inline)) int64_t FN(compute_row)(FN(rows) *rows, int64_t i,
                                                                     const int32_t semiring)
{
    const P *offsets = (const P *)rows->a->offsets + i;
    FN(row) *r = &rows->row;
    r->c = rows->c + i * rows->c_row;
    r->entries = r->alpha == 0 ? 0 : offsets[1] - offsets[0];
    r->columns = (const I *)rows->a->indices + offsets[0];
    r->values = spl__semiring_reads_a(semiring) ? (const T *)rows->a->values + offsets[0] : NULL;
    FN(tiles)(r, rows->cols, semiring);
    return r->entries;
}

#include "plan/semiring_rows.h"

#endif
