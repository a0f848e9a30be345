/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/coo: y = alpha*A*x + beta*y on coordinates: row numbers of entries; columns and
 * values in place.
 *
 * First y = beta*y; then entries are processed in chunks of equal size; empty rows cost nothing. A
 * run of entries of the same row is summed before y is accessed. The sum of a run that continues
 * from the previous chunk is stored and added afterwards, in the order of chunks, so that no two
 * threads write to one row, and sums do not depend on the number of threads. Pays where most rows
 * are empty.
 *
 * Cost: nnz*(value + 2*index) bytes streamed, x gathered, y read and written. Memory: nnz*index for
 * the rows. Source: [S2] for the format; segmented sums: G. Blelloch, M. Heroux, M. Zagha,
 * CMU-CS-93-173, 1993. Differs: chunks of a core instead of lanes of a vector computer. */
#include "core/checked.h"
#include "core/combination.h"
#include "spmv/row_steps.h"

#include <math.h>

typedef struct state {
    void *rows;  /* nnz, of the columns' type */
    void *carry; /* chunks values: sums of runs that continue from the previous chunk */
    int64_t chunks;
} state;

enum { CHUNK_ENTRIES = 8192, MANY_ROWS = 65536 };

#define SELF "spmv/cpu/spmv_coo_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);
static const kernel_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(multiply);

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    const spl_sparse *a = &task->plan->problem.a.csr;
    double row_numbers = f->nnz_a * (double)spl__index_size(a->index_type);
    spl__spmv_work work = {.bytes = spl__spmv_entry_bytes(task) + row_numbers,
                           .other_bytes = row_numbers};
    work.bytes += f->rows * (double)spl__type_size(a->type); /* y is read again */
    double row = m->spmv_coo_row + spl__spmv_row_misprediction(task),
           filled = f->rows - f->empty_rows_a;
    work.seconds =
        f->nnz_a * m->spmv_coo_entry + filled * row + f->empty_rows_a * m->spmv_coo_empty;
    /* There may be fewer chunks than threads. */
    work.largest =
        fmin(CHUNK_ENTRIES, f->nnz_a) * m->spmv_coo_entry + fmin(CHUNK_ENTRIES, filled) * row;
    work.converted = f->nnz_a / 4; /* row numbers only */
    spl__spmv_predict(task, &work, e);
    if (f->rows > MANY_ROWS && spl__assumed_threads(&task->plan->problem) > 1)
        e->seconds += m->parallel_start; /* y is scaled first, by all threads */
}

static spl_status prepare(spl__step *step)
{
    spl__account *account = &step->task.plan->account;
    const spl_sparse *a = &step->task.plan->problem.a.csr;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    s->chunks = (a->nnz + CHUNK_ENTRIES - 1) / CHUNK_ENTRIES;
    SPL__TRY(spl__alloc(account, a->nnz, spl__index_size(a->index_type), &s->rows));
    SPL__TRY(spl__alloc(account, s->chunks, spl__type_size(a->type), &s->carry));
    for (int64_t i = 0, p = 0; i < a->rows; i++)
        for (int64_t end = spl__index_at(a->offsets, a->offset_type, i + 1); p < end; p++)
            spl__index_set(s->rows, a->index_type, p, i);
    return SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernels[p->combination](step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__free(s->rows);
    spl__free(s->carry);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_coo = {
    .summary = "coordinates: a row number for each entry",
    .source = "S2; G. Blelloch, M. Heroux, M. Zagha, CMU-CS-93-173, 1993",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = spl__spmv_needs_row_numbers,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = destroy,
};

#else

#include "spmv/cpu/beta_only.h"

/* Sums the run of equal rows that begins at *p; advances *p past it. */
static inline ACC FN(sum_run)(const I *rows, const I *columns, const T *values, const T *x,
                              int64_t *p, int64_t end)
{
    int64_t k = *p;
    I row = rows[k];
    ACC sum = 0;
    for (; k < end && rows[k] == row; k++)
        sum += values[k] * x[columns[k]];
    *p = k;
    return sum;
}

static SPL__APART void FN(multiply_chunk)(const state *s, int64_t chunk, const spl_sparse *a,
                                          const spl__call *call)
{
    const I *rows = s->rows, *columns = a->indices;
    const T *values = a->values, *x = call->x;
    T alpha = *(const T *)call->alpha, *y = call->y;
    int64_t p = chunk * CHUNK_ENTRIES, end = spl__min_i64(p + CHUNK_ENTRIES, a->nnz);
    if (p > 0 && rows[p] == rows[p - 1])
        ((T *)s->carry)[chunk] = FN(sum_run)(rows, columns, values, x, &p, end);
    while (p < end) {
        I row = rows[p];
        y[row] += alpha * FN(sum_run)(rows, columns, values, x, &p, end);
    }
}

static void FN(add_carries)(const state *s, const spl__call *call)
{
    const I *rows = s->rows;
    T alpha = *(const T *)call->alpha, *y = call->y;
    for (int64_t chunk = 1; chunk < s->chunks; chunk++) {
        int64_t p = chunk * CHUNK_ENTRIES;
        if (rows[p] == rows[p - 1])
            y[rows[p]] += alpha * ((const T *)s->carry)[chunk];
    }
}

static void FN(multiply)(const state *s, spl__sweep sweep, const spl_sparse *a,
                         const spl__call *call)
{
    T beta = *(const T *)call->beta, *y = call->y;
    if (FN(beta_only)(call, a->rows, sweep.threads))
        return;
    FN(scale)(beta, a->rows, sweep.threads, y);
    SPL__SWEEP_PARTS(chunk, s->chunks, sweep,
                     if (spl__watch_goes_on(call->watch)) FN(multiply_chunk)(s, chunk, a, call));
    FN(add_carries)(s, call);
}

#endif
