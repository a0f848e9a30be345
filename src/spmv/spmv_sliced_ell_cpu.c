/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/sliced_ell: y = alpha*A*x + beta*y on a copy of A in sliced ELL, see matrix/sliced_ell.h.
 *
 * A slice's rows advance together, one vector instruction for all lanes: rows need not be long, and nothing is summed across lanes.
 * Where all rows of the slice have an entry, lanes are not asked; behind that place, each column stops at its first padding, because
 * lanes descend in length. Padding is never multiplied. A copy is made in the plan and refreshed when values are announced.
 *
 * Cost: stored*(value+index) + rows*(index+y) bytes streamed, x gathered. Memory: the same without y.
 * Source: M. Kreutzer, G. Hager, G. Wellein, H. Fehske, A. Bishop, SIAM J. Sci. Comput. 36(5), 2014.
 * Differs: padding is skipped instead of multiplied by zero, so that NaN and Inf in x do no harm. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/parallel.h"
#include "core/variant.h"
#include "matrix/sliced_ell.h"
#include "spmv/row_steps.h"

#include <string.h>

typedef struct state {
    spl__sliced_ell sliced;
    spl__blocks parts; /* of slices */
} state;

enum { PART_ENTRIES = 16384, LANES = SPL__SLICE_LANES };

#define SELF "spmv/spmv_sliced_ell_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, int threads, const spl__call *call);
SPL__KERNELS(spmv_sliced_ell, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    double row_bytes = f->rows * (double)spl__index_size(task->plan->problem.a.csr.index_type);
    spl__spmv_work work = {.bytes = spl__spmv_entry_bytes(task) + row_bytes};
    double uneven = f->nnz_a * spl__spmv_uneven(task);
    work.other_bytes = work.bytes;
    work.seconds = f->nnz_a * m->spmv_sliced_entry + uneven * m->spmv_sliced_uneven + f->rows * m->spmv_sliced_row;
    work.converted = f->nnz_a;
    work.largest = f->longest_row_a * (m->spmv_sliced_entry + m->spmv_sliced_uneven);
    spl__spmv_predict(task, &work, e);
}

static spl_status prepare(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    spl__account *account = &step->task.plan->account;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    SPL__TRY(spl__sliced_ell_make(account, &p->a.csr, LANES, SPL__SLICE_WINDOW, p->threads, &s->sliced));
    return spl__blocks_make(account, s->sliced.begin, NULL, s->sliced.slices, PART_ENTRIES, &s->parts);
}

static void update(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    spl__sliced_ell_fill(&((state *)step->state)->sliced, &p->a.csr, p->threads);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernel(p->combination)(step->state, p->threads, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    double all = (double)s->sliced.begin[s->sliced.slices];
    spl__text_add(text, "  slices %s of %d rows, %.3g %% of what is stored are entries\n",
                  spl__thousands(s->sliced.slices), LANES, all > 0 ? 100 * (double)s->sliced.shape.nnz / all : 100);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__sliced_ell_free(&s->sliced);
    spl__blocks_free(&s->parts);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_sliced_ell = {
    .summary = "sliced ELL: a copy in slices of rows, lanes in step",
    .source = "M. Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC,
    .applicable = spl__spmv_needs_row_numbers,
    .estimate = estimate,
    .prepare = prepare,
    .update = update,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

#include "spmv/beta_only.h"

/* sum[r] = what lane r has in the `count` columns that are full. */
static inline void FN(sum_full)(const I *restrict columns, const T *restrict values, const T *restrict x, int64_t count,
                                ACC *sum)
{
    typedef T lanes __attribute__((vector_size(SPL__REGISTER_BYTES)));
    enum { WIDTH = SPL__REGISTER_BYTES / sizeof(T), REGISTERS = LANES / WIDTH };
    lanes sums[REGISTERS] = {{0}}, a;
    for (int64_t k = 0; k < count; k++, columns += LANES, values += LANES)
        for (int r = 0; r < REGISTERS; r++) {
            memcpy(&a, values + r * WIDTH, sizeof a);
            spl__look_ahead(values + r * WIDTH);
            spl__look_ahead(columns + r * WIDTH);
            sums[r] += a * SPL__GATHER(x, columns + r * WIDTH);
        }
    memcpy(sum, sums, sizeof sums);
}

static void FN(multiply_slice)(const spl__sliced_ell *s, int64_t slice, const spl__call *call)
{
    const I *columns = s->indices, *rows = (const I *)s->rows + slice * LANES;
    const T *restrict values = s->values, *restrict x = call->x;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta, *restrict y = call->y;
    int64_t q = s->begin[slice], end = s->begin[slice + 1];
    ACC sum[LANES];
    FN(sum_full)(columns + q, values + q, x, s->full[slice], sum);
    for (q += s->full[slice] * LANES; q < end; q += LANES)
        for (int r = 0; r < LANES && columns[q + r] >= 0; r++)
            sum[r] += values[q + r] * x[columns[q + r]];
    for (int r = 0; r < LANES && rows[r] >= 0; r++)
        y[rows[r]] = alpha * sum[r] + FN(scaled)(beta, &y[rows[r]]);
}

static void FN(multiply)(const state *s, int threads, const spl__call *call)
{
    if (FN(beta_only)(call, s->sliced.shape.rows, threads))
        return;
#pragma omp parallel for schedule(static) num_threads(threads) if (s->parts.count > 1)
    for (int64_t b = 0; b < s->parts.count; b++)
        for (int64_t slice = s->parts.begin[b]; slice < s->parts.begin[b + 1]; slice++)
            FN(multiply_slice)(&s->sliced, slice, call);
}

#endif
