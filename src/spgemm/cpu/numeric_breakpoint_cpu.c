/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/breakpoint: values of C = alpha*A*B + beta*D through a dense accumulator, one
 * chunk of columns after another.
 *
 * The columns of B and D are divided into chunks. Break points store where each chunk begins in
 * every row. A row of C is computed chunk by chunk: the accumulator is cleared at the row's known
 * columns, the parts of B's rows in the chunk are added, the sums are gathered. The accumulator
 * fits the cache, however wide C is. For unsorted rows an order by chunk is stored with the break
 * points.
 *
 * Cost: one addition per product, two break points read per entry of A and chunk of C's row.
 * Memory: per thread chunk_size values; rows of B (and D) * (chunks + 1) offsets. Chunks grow
 * where there would be more break points than twice the entries of B. Source: S1, breakpoint.
 * Differs: columns are known, so chunks are not scanned; a thread takes a row, no atomics; D;
 * unsorted rows. */
#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/team_seconds.h"
#include "spgemm/cpu/rows/column_hash.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>

/* Break points of one matrix: row k's part in chunk n is begin[k * (chunks + 1) + n]
 * to the next. */
typedef struct break_points {
    void *begin; /* rows * (chunks + 1) offsets of the matrix */
    /* NULL: entries are in the order of chunks. Else break points index this list of entries. */
    void *order;
} break_points;

typedef struct cut {
    int64_t chunks;
    int shift; /* a chunk has 1 << shift columns */
    break_points b, d;
} cut;

#define SELF "spgemm/cpu/numeric_breakpoint_cpu.c"
#include "core/each_type.h"

static const spl__numeric_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(compute);
/* Whether the entries of every row are in the order of chunks. */
typedef bool (*ascend_fn)(const spl_sparse *m, const cut *cut, int threads);
static const ascend_fn ascend_kernels[SPL__COMBINATIONS] = SPL__TABLE(chunks_ascend);
typedef void (*break_fn)(const spl_sparse *m, const cut *cut, const break_points *breaks,
                         int threads);
static const break_fn break_kernels[SPL__COMBINATIONS] = SPL__TABLE(break_rows);

/* The chunk size is the machine's, or larger to keep break points below twice the entries of B. */
static void choose_chunks(const spl_plan *plan, cut *x)
{
    const spl__features *f = &plan->features;
    int64_t cols = spl__max_i64(1, plan->problem.cols),
            most = spl__max_i64(1, (int64_t)(2 * f->nnz_b / (f->inner + 1)));
    int64_t size =
        spl__ceil_pow2(spl__max_i64((int64_t)plan->machine->chunk_size, (cols - 1) / most + 1));
    x->shift = __builtin_ctzll((unsigned long long)size);
    x->chunks = ((cols - 1) >> x->shift) + 1;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__features *f = &plan->features;
    const spl__machine *m = plan->machine;
    double threads = spl__assumed_threads(&plan->problem),
           size = (double)spl__index_size(plan->problem.b.csr.offset_type);
    cut x;
    choose_chunks(plan, &x);
    double chunk = (double)((int64_t)1 << x.shift),
           row = chunk * (double)spl__type_size(plan->problem.a.csr.type);
    double visits = fmin((double)x.chunks, f->span_sampled / chunk + 1) * task->rows.nnz_a;
    e->seconds =
        spl__dense_seconds(task, fmin(chunk, f->span_sampled)) + visits * m->break_visit / threads;
    spl__estimate_scratch(row, spl__touched_slots(task), e);
    e->bytes = (double)(x.chunks + 1) * f->inner * size;
    spl__numeric_add_rows(task, e);
    spl__numeric_add_search(task, e);
}

static spl_status make_breaks(spl_plan *plan, const spl_sparse *m, const cut *x,
                              break_points *breaks)
{
    size_t size = spl__index_size(m->offset_type);
    int64_t count;
    if (!spl__mul_i64(m->rows, x->chunks + 1, &count))
        return spl__fail(SPL_OVER_BUDGET, "more than 2^63-1 break points");
    SPL__TRY(spl__alloc(&plan->account, count, size, &breaks->begin));
    if (!ascend_kernels[plan->problem.combination](m, x, plan->problem.threads))
        SPL__TRY(spl__alloc(&plan->account, m->nnz, size, &breaks->order));
    break_kernels[plan->problem.combination](m, x, breaks, plan->problem.threads);
    return SPL_OK;
}

static spl_status prepare(spl__step *step)
{
    spl_plan *plan = step->task.plan;
    cut *x, wanted;
    choose_chunks(plan, &wanted);
    size_t accumulator = ((size_t)1 << wanted.shift) * spl__type_size(plan->problem.a.csr.type);
    SPL__TRY(spl__numeric_prepare(step, accumulator, false));
    spl__numeric *n = step->state;
    SPL__TRY(SPL__NEW_ZERO(&plan->account, &x, 1));
    n->shared = x;
    x->chunks = wanted.chunks;
    x->shift = wanted.shift;
    SPL__TRY(make_breaks(plan, &plan->problem.b.csr, x, &x->b));
    return plan->problem.has_d ? make_breaks(plan, &plan->problem.d.csr, x, &x->d) : SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const cut *x = ((const spl__numeric *)step->state)->shared;
    spl__text_add(text, "  chunks of %s columns: %s\n", spl__thousands((int64_t)1 << x->shift),
                  spl__thousands(x->chunks));
}

static void destroy(spl__step *step)
{
    cut *x = step->state ? ((spl__numeric *)step->state)->shared : NULL;
    if (x) {
        spl__free(x->b.begin);
        spl__free(x->b.order);
        spl__free(x->d.begin);
        spl__free(x->d.order);
    }
    spl__free(x);
    spl__numeric_destroy(step);
}

const spl__method spl__spgemm_numeric_cpu_breakpoint = {
    .summary = "dense accumulator for one chunk of columns after another",
    .source = "S1, breakpoint",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = kernels,
    .applicable = spl__needs_sorted,
    .estimate = estimate,
    .prepare = prepare,
    .execute = spl__numeric_execute,
    .explain = explain,
    .destroy = destroy,
};

#else

static bool FN(chunks_ascend)(const spl_sparse *m, const cut *x, int threads)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    int ascend = 1;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(m->nnz, threads)))                 \
    schedule(static) reduction(&& : ascend)
    for (int64_t k = 0; k < m->rows; k++)
        for (P q = offsets[k] + 1; q < offsets[k + 1]; q++)
            ascend = columns[q - 1] >> x->shift <= columns[q] >> x->shift && ascend;
    return ascend;
}

/* Writes the row's entries to order[begin[0]..), sorted by chunk; begin[n] is the begin of chunk
 * n. */
static void FN(order_row)(const spl_sparse *m, const cut *x, int64_t k, P *begin, P *order)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
    for (P q = offsets[k]; q < offsets[k + 1]; q++)
        order[begin[columns[q] >> x->shift]++] = q;
    /* begin[n] has advanced to the begin of chunk n + 1: shift back. */
    for (int64_t n = x->chunks - 1; n > 0; n--)
        begin[n] = begin[n - 1];
    begin[0] = offsets[k];
}

static void FN(break_rows)(const spl_sparse *m, const cut *x, const break_points *breaks,
                           int threads)
{
    const P *offsets = m->offsets;
    const I *columns = m->indices;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(m->nnz, threads))) schedule(static)
    for (int64_t k = 0; k < m->rows; k++) {
        P *begin = (P *)breaks->begin + k * (x->chunks + 1);
        for (int64_t n = 0; n <= x->chunks; n++)
            begin[n] = 0;
        for (P q = offsets[k]; q < offsets[k + 1]; q++)
            begin[(columns[q] >> x->shift) + 1]++;
        begin[0] = offsets[k];
        for (int64_t n = 0; n < x->chunks; n++)
            begin[n + 1] += begin[n];
        if (breaks->order)
            FN(order_row)(m, x, k, begin, breaks->order);
    }
}

#include "spgemm/cpu/rows/numeric_rows.h"

#include "spgemm/cpu/rows/know_row.h"

/* Adds scale * (row k of m, chunk `chunk`) to the accumulator. */
static inline void FN(add_piece)(const spl_sparse *m, const cut *x, const break_points *breaks,
                                 int64_t k, int64_t chunk, ACC scale, ACC *restrict dense)
{
    const P *begin = (const P *)breaks->begin + k * (x->chunks + 1) + chunk, *restrict order =
                                                                                 breaks->order;
    const I *restrict columns = m->indices;
    const T *restrict values = m->values;
    I mask = (I)(((I)1 << x->shift) - 1);
    for (P q = begin[0]; !order && q < begin[1]; q++)
        dense[columns[q] & mask] += scale * values[q];
    for (P o = begin[0]; order && o < begin[1]; o++)
        dense[columns[order[o]] & mask] += scale * values[order[o]];
}

static inline void FN(add_chunk)(const FN(row) *row, int64_t chunk)
{
    const spl__problem *p = row->problem;
    const cut *x = row->shared;
    const P *a_offsets = p->a.csr.offsets;
    const I *a_columns = p->a.csr.indices;
    const T *a_values = p->a.csr.values;
    T alpha = *(const T *)row->call->alpha, beta = *(const T *)row->call->beta;
    for (P q = a_offsets[row->i]; alpha != 0 && q < a_offsets[row->i + 1]; q++)
        FN(add_piece)(&p->b.csr, x, &x->b, a_columns[q], chunk, (ACC)alpha * a_values[q],
                      row->workspace);
    if (p->has_d && beta != 0)
        FN(add_piece)(&p->d.csr, x, &x->d, row->i, chunk, (ACC)beta, row->workspace);
}

static inline int64_t FN(compute_row)(const FN(row) *row)
{
    const cut *x = row->shared;
    int64_t count = FN(know_row)(row);
    const I *columns = FN(columns_of)(row);
    T *values = FN(values_of)(row);
    ACC *dense = row->workspace;
    I mask = (I)(((I)1 << x->shift) - 1);
    for (int64_t first = 0, last = 0; first < count; first = last) {
        int64_t chunk = columns[first] >> x->shift;
        for (; last < count && columns[last] >> x->shift == chunk; last++)
            dense[columns[last] & mask] = 0;
        FN(add_chunk)(row, chunk);
        for (int64_t k = first; k < last; k++)
            values[k] = dense[columns[k] & mask];
    }
    return 1;
}

#endif
