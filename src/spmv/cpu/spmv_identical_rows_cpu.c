/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/identical_rows: y = alpha*A*x + beta*y on CSR, identical rows together.
 *
 * Where a mesh node has several unknowns, their rows have the same columns in the same order. Such
 * a run of rows is walked once: columns are read and x is gathered for its first row only, and
 * every row of the run multiplies its own values, in place, in separate lanes. Runs are found when
 * the plan is made. Their lengths may differ, long ones are divided; a row without equal neighbour
 * is a run of one.
 *
 * Cost: nnz*(value + index/r) + rows*(offset+y) bytes streamed for runs of r rows, nnz/r elements
 * of x gathered; log2(LANES) additions per row. Memory: a byte per run. Source: blocks of rows
 * without fill: A. Pinar, M. Heath, Improving performance of sparse matrix-vector multiplication,
 * SC'99; equal rows as "i-nodes": S. Balay et al., PETSc users manual, ANL-95/11. Differs: values
 * stay in CSR, so nothing is copied and new values need no announcement. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/variant.h"
#include "spmv/row_steps.h"

#include <math.h>
#include <string.h>

typedef struct state {
    spl__row_parts parts; /* of whole runs */
    int64_t count;
    int64_t *first;  /* parts.count + 1: the first run of each part */
    uint8_t *length; /* count: rows of each run */
} state;

enum {
    PART_WORK = 8192,
    MOST_ROWS = 6,
    LEAST_AHEAD = 2560,
    FEW_PARTS = 8,
    PASSES = 2
}; /* passes of the search: counting and listing runs */

#define SELF "spmv/cpu/spmv_identical_rows_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, spl__sweep sweep, const spl_sparse *a,
                          const spl__call *call);
SPL__KERNELS(spmv_identical_rows, kernel_fn, multiply, SPL__V4)

#ifndef SPL__VARIANT

typedef int64_t (*list_fn)(const spl_sparse *a, int64_t begin, int64_t end, uint8_t *length);
static const list_fn list_kernels[SPL__COMBINATIONS] = SPL__TABLE(list_runs);

/* Columns are read in each pass, by all threads if there are enough parts. */
static double seconds_of_search(const spl__task *task)
{
    const spl__problem *p = &task->plan->problem;
    const spl__machine *m = task->plan->machine;
    bool parallel = task->plan->features.nnz_a > FEW_PARTS * PART_WORK;
    double threads = parallel ? spl__assumed_threads(p) : 1;
    double bytes = task->plan->features.nnz_a * (double)spl__index_size(p->a.csr.index_type);
    return PASSES *
           (bytes / threads / spl__memory_rate(m, threads) + (threads > 1 ? m->parallel_start : 0));
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    double fresh = fmax(1 - f->repeated_sampled, 1.0 / MOST_ROWS), columns = f->nnz_a * fresh;
    double saved =
        (f->nnz_a - columns) * (double)spl__index_size(task->plan->problem.a.csr.index_type);
    spl__spmv_work work = {.bytes = (spl__spmv_csr_bytes(task) - saved) * m->spmv_runs_traffic,
                           .other_bytes = f->rows + 3 * spl__row_steps_bytes(task)};
    double run = m->spmv_runs_run + spl__spmv_row_misprediction(task);
    work.seconds = f->nnz_a * m->spmv_runs_entry + columns * m->spmv_runs_column;
    work.seconds += f->rows * (m->spmv_runs_row + fresh * run);
    work.largest = MOST_ROWS * f->longest_row_a * m->spmv_runs_entry;
    spl__spmv_predict(task, &work, e);
    e->setup = seconds_of_search(task);
}

/* Runs end at the ends of parts, so that parts are independent. */
static spl_status prepare(spl__step *step)
{
    spl__account *account = &step->task.plan->account;
    const spl__problem *p = &step->task.plan->problem;
    spl__watch *watch = spl__account_watch(account);
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    SPL__TRY(spl__row_parts_make(account, &p->a.csr, PART_WORK, &s->parts));
    SPL__TRY(SPL__NEW(account, &s->first, s->parts.count + 1));
    s->first[0] = 0;
#pragma omp parallel for num_threads(spl__team(s->parts.count > FEW_PARTS ? p->threads : 1))
    for (int64_t r = 0; r < s->parts.count; r++)
        s->first[r + 1] = spl__watch_goes_on(watch)
                              ? list_kernels[p->combination](&p->a.csr, s->parts.row[r],
                                                             s->parts.row[r + 1], NULL)
                              : 0;
    for (int64_t r = 0; r < s->parts.count; r++)
        s->first[r + 1] += s->first[r];
    s->count = s->first[s->parts.count];
    SPL__TRY(SPL__NEW(account, &s->length, s->count));
#pragma omp parallel for num_threads(spl__team(s->parts.count > FEW_PARTS ? p->threads : 1))
    for (int64_t r = 0; r < s->parts.count; r++)
        if (spl__watch_goes_on(watch))
            list_kernels[p->combination](&p->a.csr, s->parts.row[r], s->parts.row[r + 1],
                                         s->length + s->first[r]);
    return spl__watch_check(watch);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernel(p->combination)(step->state, spl__step_sweep(step), &p->a.csr, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    double rows = (double)step->task.plan->problem.rows;
    spl__text_add(text, "  runs of equal rows %s, %.3g rows on average\n", spl__thousands(s->count),
                  s->count > 0 ? rows / (double)s->count : 0);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__row_parts_free(&s->parts);
    spl__free(s->first);
    spl__free(s->length);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_identical_rows = {
    .summary = "CSR, consecutive rows with the same columns together",
    .source = "after A. Pinar, M. Heath, SC'99",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#endif
#else

#ifndef SPL__VARIANT

#include "structure/row_equals_previous.h"

/* Divides rows begin..end into runs; returns their number, and writes their lengths unless
 * `length` is NULL. */
static int64_t FN(list_runs)(const spl_sparse *a, int64_t begin, int64_t end, uint8_t *length)
{
    int64_t count = 0, rows;
    for (int64_t i = begin; i < end; i += rows, count++) {
        for (rows = 1; rows < MOST_ROWS && i + rows < end && FN(row_equals_previous)(a, i + rows);)
            rows++;
        if (length)
            length[count] = (uint8_t)rows;
    }
    return count;
}

#endif

#include "spmv/cpu/beta_only.h"
#include "spmv/cpu/dot.h"

typedef T FN(lanes) __attribute__((vector_size(SPL__REGISTER_BYTES)));

/* The sum of the lanes, as a tree. */
static inline ACC FN(sum_lanes)(FN(lanes) lanes)
{
    T part[sizeof lanes / sizeof(T)];
    memcpy(part, &lanes, sizeof lanes);
    for (unsigned half = sizeof lanes / sizeof(T) / 2; half > 0; half /= 2)
        for (unsigned l = 0; l < half; l++)
            part[l] += part[l + half];
    return part[0];
}

/* The distance in bytes to the columns of a later run, about 4 KiB ahead. The columns between
 * belong to repeated rows and are not read; prefetching them instead took a tenth of the
 * bandwidth. */
static inline uintptr_t FN(later_columns)(P entries)
{
    uintptr_t bytes = (uintptr_t)entries * sizeof(I);
    while (bytes - 1 < LEAST_AHEAD - 1) /* none for empty rows */
        bytes *= 2;
    return bytes;
}

/* Computes `rows` identical rows of `length` entries. `rows` is a compile-time constant in all
 * callers. */
static SPL__INLINED void FN(multiply_run)(const T *values, const I *columns, P length,
                                          const int rows, const spl__call *call, T *y)
{
    enum { WIDTH = SPL__REGISTER_BYTES / sizeof(T) };
    const T *x = call->x;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    FN(lanes) sum[MOST_ROWS] = {{0}}, a;
    const uintptr_t later = FN(later_columns)(rows * length);
    P k = 0;
    for (; length - k >= WIDTH; k += WIDTH) {
        FN(lanes) gathered = SPL__GATHER(x, columns + k);
        __builtin_prefetch((const void *)((uintptr_t)(columns + k) + later));
#pragma GCC unroll 6
        for (int r = 0; r < rows; r++) {
            memcpy(&a, values + r * length + k, sizeof a);
            spl__prefetch(values + r * length + k);
            sum[r] += a * gathered;
        }
    }
    if (k < length) {
        FN(lanes) gathered = SPL__GATHER_FIRST(x, columns + k, length - k);
#pragma GCC unroll 6
        for (int r = 0; r < rows; r++)
            sum[r] += SPL__LOAD_SOME(values + r * length + k, length - k) * gathered;
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
        y[r] = alpha * FN(sum_lanes)(sum[r]) + FN(scaled)(beta, &y[r]);
}

static SPL__APART void FN(multiply_runs)(const state *s, int64_t part, const spl_sparse *a,
                                         const spl__call *call)
{
    const P *offsets = a->offsets;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta, *y = call->y;
    int64_t i = s->parts.row[part];
    for (int64_t run = s->first[part]; run < s->first[part + 1]; i += s->length[run++]) {
        const I *columns = (const I *)a->indices + offsets[i];
        const T *values = (const T *)a->values + offsets[i];
        P length = offsets[i + 1] - offsets[i];
        switch (s->length[run]) {
        case 1:
            y[i] = alpha *
                       FN(dot)(values, columns, call->x, 0, length, (P)a->nnz - offsets[i], false) +
                   FN(scaled)(beta, &y[i]);
            break;
        case 2:
            FN(multiply_run)(values, columns, length, 2, call, y + i);
            break;
        case 3:
            FN(multiply_run)(values, columns, length, 3, call, y + i);
            break;
        case 4:
            FN(multiply_run)(values, columns, length, 4, call, y + i);
            break;
        case 5:
            FN(multiply_run)(values, columns, length, 5, call, y + i);
            break;
        default:
            FN(multiply_run)(values, columns, length, 6, call, y + i);
        }
    }
}

static void FN(multiply)(const state *s, spl__sweep sweep, const spl_sparse *a,
                         const spl__call *call)
{
    if (FN(beta_only)(call, a->rows, sweep.threads))
        return;
    SPL__SWEEP_PARTS(r, s->parts.count, sweep,
                     if (spl__watch_goes_on(call->watch)) FN(multiply_runs)(s, r, a, call));
}

#endif
