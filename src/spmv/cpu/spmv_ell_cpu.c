/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/ell: y = alpha*A*x + beta*y on a copy of A in ELL, see format/ell.h.
 *
 * All rows have the same width: a row whose last column is not padding is summed without tests, any
 * other row up to its first padding. So padding is never multiplied, and only costs its bytes. A
 * copy is made in the plan and refreshed when values are announced.
 *
 * Cost: rows*width*(value+index) + rows*y bytes streamed, x gathered. Memory:
 * rows*width*(value+index). Source: R. Grimes, D. Kincaid, D. Young, ITPACK 2.0, 1979; [S2].
 * Differs: refuses matrices of which more than nine tenths would be padding. */
#include "core/checked.h"
#include "core/combination.h"
#include "format/ell.h"
#include "spmv/row_steps.h"

typedef struct state {
    spl__row_parts parts;
    spl__ell ell;
} state;

enum { MOST_STORED = 10 }; /* stored entries per entry */

#define SELF "spmv/cpu/spmv_ell_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, spl__sweep sweep, const spl__call *call);
static const kernel_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(multiply);

static double stored(const spl__features *f)
{
    return f->rows * f->longest_row_a;
}

static const char *applicable(const spl__task *task)
{
    const spl__features *f = &task->plan->features;
    return stored(f) > MOST_STORED * f->nnz_a ? "more than nine tenths would be padding" : NULL;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    double padded = f->nnz_a > 0 ? stored(f) / f->nnz_a : 1;
    spl__spmv_work work = {.bytes = spl__spmv_entry_bytes(task) * padded};
    work.other_bytes = work.bytes;
    work.seconds = stored(f) * m->spmv_ell_entry;
    work.converted = stored(f);
    spl__spmv_predict(task, &work, e);
}

static spl_status prepare(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    spl__account *account = &step->task.plan->account;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    SPL__TRY(spl__row_parts_make(account, &p->a.csr, 8192, &s->parts));
    return spl__ell_make(account, &p->a.csr, p->threads, &s->ell);
}

static void update(spl__step *step)
{
    spl__watch *watch = spl__account_watch(&step->task.plan->account);
    const spl__problem *p = &step->task.plan->problem;
    spl__ell_fill(watch, &((state *)step->state)->ell, &p->a.csr, p->threads);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernels[p->combination](step->state, spl__step_sweep(step), call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    double all = (double)s->ell.shape.rows * (double)s->ell.width;
    spl__text_add(text, "  width %s, %.3g %% of what is stored are entries\n",
                  spl__thousands(s->ell.width),
                  all > 0 ? 100 * (double)s->ell.shape.nnz / all : 100);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__row_parts_free(&s->parts);
    spl__ell_free(&s->ell);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_ell = {
    .summary = "ELL: a copy with all rows padded to the longest",
    .source = "R. Grimes, D. Kincaid, D. Young, ITPACK 2.0, 1979; S2",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .update = update,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#else

#include "spmv/cpu/beta_only.h"

/* Entries of a row before its padding. */
static inline int64_t FN(length)(const I *columns, int64_t width)
{
    int64_t length = width;
    while (length > 0 && columns[length - 1] < 0)
        length--;
    return length;
}

static SPL__APART void FN(multiply_rows)(const spl__ell *ell, const spl__call *call, int64_t first,
                                         int64_t last)
{
    const int64_t width = ell->width;
    const T *restrict x = call->x;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta, *restrict y = call->y;
    for (int64_t i = first; i < last; i++) {
        const I *columns = (const I *)ell->indices + i * width;
        const T *values = (const T *)ell->values + i * width;
        int64_t length = FN(length)(columns, width);
        ACC sum = 0;
        for (int64_t k = 0; k < length; k++)
            sum += values[k] * x[columns[k]];
        y[i] = alpha * sum + FN(scaled)(beta, &y[i]);
    }
}

static void FN(multiply)(const state *s, spl__sweep sweep, const spl__call *call)
{
    if (FN(beta_only)(call, s->ell.shape.rows, sweep.threads))
        return;
    SPL__SWEEP_PARTS(r, s->parts.count, sweep,
                     if (spl__watch_goes_on(call->watch))
                         FN(multiply_rows)(&s->ell, call, s->parts.row[r], s->parts.row[r + 1]));
}

#endif
