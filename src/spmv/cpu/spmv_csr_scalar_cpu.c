/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/csr_scalar: y = alpha*A*x + beta*y on CSR, row by row, entry by entry.
 *
 * The textbook loop: a row is one chain of additions. There is no setup or reduction per row, which
 * makes it hard to beat for short rows. Consecutive rows of equal length, up to eight entries, have
 * a loop without branches within a row. On long rows each addition would wait for the previous one:
 * they have four chains, see dot.h. Whole rows are assigned to threads in parts of equal rows +
 * entries, so a long row is computed by one thread.
 *
 * Cost: nnz*(value+index) + rows*(offset+y) bytes streamed, x gathered; one addition's latency per
 * entry. Memory: one integer per part, two per stretch of rows. Source: Y. Saad, SPARSKIT, RIACS TR
 * 90-20, 1990; parts of equal entries: [S2]. Differs: parts come from the merge path, so that empty
 * rows count too; stretches. */
#include "core/checked.h"
#include "core/combination.h"
#include "core/lanes.h"
#include "core/variant.h"
#include "spmv/row_steps.h"
#include "spmv/stretches.h"

#include <math.h>
#include <string.h>

#define SELF "spmv/cpu/spmv_csr_scalar_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const spl__stretches *stretches, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);
static const kernel_fn kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_HALVES(multiply);

enum { PART_WORK = 8192 };

/* The share of the time of a long row that three more chains save. */
static const double LONG_SAVES = 0.6;

/* The share of rows in stretches of equal length, as far as lengths vary: they are short, and
 * neighbours mostly alike. */
static double equal_rows(const spl__task *task)
{
    const double uneven_at_most = 0.25;
    const spl__features *f = &task->plan->features;
    if (f->nnz_a - f->longest_row_a > SPL__MOST_EQUAL * f->rows)
        return 0;
    return fmax(0, 1 - spl__spmv_uneven(task) / uneven_at_most);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    spl__spmv_work work = {.bytes = spl__spmv_csr_bytes(task),
                           .other_bytes = spl__stretches_bytes(f->rows, f->nnz_a, PART_WORK)};
    const double equal = equal_rows(task),
                 entry = equal * m->spmv_equal_entry + (1 - equal) * m->spmv_scalar_entry,
                 row = equal * m->spmv_equal_row + (1 - equal) * m->spmv_scalar_row,
                 longest = f->longest_row_a * m->spmv_scalar_entry,
                 saved = f->longest_row_a > SPL__LONG_ROW ? longest * LONG_SAVES : 0;
    work.seconds = (f->nnz_a - f->longest_row_a) * entry + longest - saved +
                   f->rows * (row + spl__spmv_misprediction(task));
    work.largest = longest - saved;
    spl__spmv_predict(task, &work, e);
}

static spl_status prepare(spl__step *step)
{
    spl__account *account = &step->task.plan->account;
    spl__stretches *stretches;
    SPL__TRY(SPL__NEW_ZERO(account, &stretches, 1));
    step->state = stretches;
    return spl__stretches_make(account, &step->task.plan->problem.a.csr, PART_WORK, stretches);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernels[p->combination](step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const spl__stretches *s = step->state;
    spl__text_add(text, "  parts of rows %s, stretches of equal or any length %s\n",
                  spl__thousands(s->parts.count), spl__thousands(s->first[s->parts.count]));
}

static void destroy(spl__step *step)
{
    spl__stretches *stretches = step->state;
    if (!stretches)
        return;
    spl__stretches_free(stretches);
    spl__free(stretches);
}

const spl__method spl__spmv_compute_cpu_csr_scalar = {
    .summary = "CSR, one row and one entry after the other",
    .source = "Y. Saad, SPARSKIT, RIACS TR 90-20, 1990",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__HALVES,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#else
#define IN_HALVES

#include "spmv/cpu/beta_only.h"
#ifndef HALF
#include "spmv/cpu/dot.h"
#endif

/* y = alpha*A*x + beta*y. */
typedef struct FN(operands) {
    const P *offsets;
    const I *columns;
    const T *values, *x;
    T *y;
    ACC alpha, beta;
    P entries;
} FN(operands);

/* `plain` is a compile-time constant in all callers. */
static SPL__INLINED void FN(store)(const FN(operands) *o, T *y, ACC sum, const bool plain)
{
    *y = NARROW(plain ? sum : o->alpha * sum + FN(scaled)(o->beta, y));
}

static SPL__INLINED void FN(rows_of_any)(const FN(operands) *o, int64_t first, int64_t last,
                                         const bool plain)
{
    const P *offsets = o->offsets;
    const I *columns = o->columns;
    const T *restrict values = o->values, *restrict x = o->x;
    const ACC alpha = o->alpha, beta = o->beta;
    T *restrict y = o->y;
    for (int64_t i = first; i < last; i++) {
        ACC sum = 0;
        for (P p = offsets[i]; p < offsets[i + 1]; p++)
            sum += WIDEN(values[p]) * WIDEN(x[columns[p]]);
        y[i] = NARROW(plain ? sum : alpha * sum + FN(scaled)(beta, &y[i]));
    }
}

/* Apart, so that it has the registers of the processor for itself. */
static SPL__APART void FN(plain_rows_of_any)(const FN(operands) *o, int64_t first, int64_t last)
{
    FN(rows_of_any)(o, first, last, true);
}

static SPL__APART void FN(scaled_rows_of_any)(const FN(operands) *o, int64_t first, int64_t last)
{
    FN(rows_of_any)(o, first, last, false);
}

/* Rows of `length` entries each, a compile-time constant in all callers. */
static SPL__INLINED void FN(rows_of)(const int length, const FN(operands) *o, int64_t first,
                                     int64_t last, const bool plain)
{
    const I *columns = o->columns + o->offsets[first];
    const T *restrict values = o->values + o->offsets[first], *restrict x = o->x;
    T *restrict y = o->y;
    for (int64_t i = first; i < last; i++, columns += length, values += length) {
        ACC sum = 0;
#pragma GCC unroll 8
        for (int k = 0; k < length; k++)
            sum += WIDEN(values[k]) * WIDEN(x[columns[k]]);
        FN(store)(o, &y[i], sum, plain);
    }
}

static SPL__APART void FN(long_rows)(const FN(operands) *o, int64_t first, int64_t last)
{
#ifdef HALF
    FN(rows_of_any)(o, first, last, false);
#else
    for (int64_t i = first; i < last; i++)
        FN(store)(o, &o->y[i],
                  FN(dot)(o->values, o->columns, o->x, o->offsets[i], o->offsets[i + 1], o->entries,
                          false),
                  false);
#endif
}

static SPL__INLINED void FN(multiply_stretch)(const FN(operands) *o, int64_t first,
                                              spl__stretch stretch, const bool plain)
{
    const int64_t last = stretch.end;
    switch (stretch.length) {
    case SPL__LONG_ROWS:
        FN(long_rows)(o, first, last);
        break;
    case SPL__ANY_LENGTH:
        (plain ? FN(plain_rows_of_any) : FN(scaled_rows_of_any))(o, first, last);
        break;
    case 0:
        FN(rows_of)(0, o, first, last, plain);
        break;
    case 1:
        FN(rows_of)(1, o, first, last, plain);
        break;
    case 2:
        FN(rows_of)(2, o, first, last, plain);
        break;
    case 3:
        FN(rows_of)(3, o, first, last, plain);
        break;
    case 4:
        FN(rows_of)(4, o, first, last, plain);
        break;
    case 5:
        FN(rows_of)(5, o, first, last, plain);
        break;
    case 6:
        FN(rows_of)(6, o, first, last, plain);
        break;
    case 7:
        FN(rows_of)(7, o, first, last, plain);
        break;
    default:
        FN(rows_of)(8, o, first, last, plain);
    }
}

static SPL__APART void FN(multiply_part)(const spl__stretches *s, int64_t part, const spl_sparse *a,
                                         const spl__call *call)
{
    const FN(operands) o = {.offsets = a->offsets,
                            .columns = a->indices,
                            .values = a->values,
                            .x = call->x,
                            .y = call->y,
                            .alpha = *(const ACC *)call->alpha,
                            .beta = *(const ACC *)call->beta,
                            .entries = (P)a->nnz};
    const spl__stretch *end = s->list + s->first[part + 1];
    int64_t row = s->parts.row[part];
    if (FN(is_plain)(call))
        for (const spl__stretch *k = s->list + s->first[part]; k < end; row = k++->end)
            FN(multiply_stretch)(&o, row, *k, true);
    else
        for (const spl__stretch *k = s->list + s->first[part]; k < end; row = k++->end)
            FN(multiply_stretch)(&o, row, *k, false);
}

static void FN(multiply)(const spl__stretches *s, spl__sweep sweep, const spl_sparse *a,
                         const spl__call *call)
{
    if (FN(beta_only)(call, a->rows, sweep.threads))
        return;
    SPL__SWEEP_PARTS(r, s->parts.count, sweep,
                     if (spl__watch_goes_on(call->watch)) FN(multiply_part)(s, r, a, call));
}

#endif
