/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/sliced_compressed: y = alpha*A*x + beta*y on a copy of A in sliced ELL with compressed columns, see
 * matrix/sliced_columns.h.
 *
 * As sliced_ell: rows of a slice advance together, a line of entries at a time. A line on a diagonal needs no columns at all, and if the
 * slice's rows follow each other, x is loaded instead of gathered and y is written as it lies. Behind the shortest row of a slice the
 * number of lanes that still have an entry is known; nothing else is touched. A copy is made in the plan and refreshed when values are
 * announced.
 *
 * Cost: nnz*value, columns of 0, 2 or index bytes, rows*(index+y) streamed; x loaded or gathered. Memory: the same without y; twice the
 * columns of sliced ELL while the plan is made.
 * Source: as sliced_ell; narrow columns: [S2].
 * Differs: kind of columns by line of a slice. */
#include "core/checked.h"
#include "core/lanes.h"
#include "core/parallel.h"
#include "core/variant.h"
#include "matrix/sliced_columns.h"
#include "spmv/row_steps.h"

#include <string.h>

typedef struct state {
    spl__sliced_ell sliced;
    spl__sliced_columns columns;
    spl__blocks parts; /* of slices */
} state;

enum { PART_ENTRIES = 16384, LANES = SPL__SLICE_LANES };

#define SELF "spmv/spmv_sliced_compressed_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, int threads, const spl__call *call);
SPL__KERNELS(spmv_sliced_compressed, kernel_fn, multiply, SPL__V4)

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
    SPL__TRY(spl__sliced_columns_make(account, &s->sliced, p->threads, &s->columns));
    spl__free(s->sliced.indices);
    s->sliced.indices = NULL;
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
    double all = (double)s->sliced.begin[s->sliced.slices], bytes = (double)s->columns.at[s->sliced.slices];
    bytes += (double)s->columns.lines * (double)spl__index_size(s->sliced.shape.index_type);
    spl__text_add(text, "  slices %s of %d rows, %.3g %% of what is stored are entries, %.3g bytes of columns for each\n",
                  spl__thousands(s->sliced.slices), LANES, all > 0 ? 100 * (double)s->sliced.shape.nnz / all : 100,
                  all > 0 ? bytes / (double)s->sliced.shape.nnz : 0);
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__sliced_ell_free(&s->sliced);
    spl__sliced_columns_free(&s->columns);
    spl__blocks_free(&s->parts);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_sliced_compressed = {
    .summary = "sliced ELL with columns as diagonals or in 16 bits where they fit",
    .source = "after M. Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014; S2",
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

enum { FN(WIDTH) = SPL__REGISTER_BYTES / sizeof(T), FN(REGISTERS) = LANES / FN(WIDTH) };

typedef T FN(lanes) __attribute__((vector_size(SPL__REGISTER_BYTES)));
typedef I FN(places) __attribute__((vector_size(SPL__REGISTER_BYTES / sizeof(T) * sizeof(I))));
typedef int16_t FN(distances) __attribute__((vector_size(SPL__REGISTER_BYTES / sizeof(T) * sizeof(int16_t))));

/* Register r of a line of values. */
static inline FN(lanes) FN(load)(const T *line, int r)
{
    FN(lanes) a;
    memcpy(&a, line + r * FN(WIDTH), sizeof a);
    return a;
}

/* x at a distance from the diagonal: next to each other where rows are. */
static inline FN(lanes) FN(diagonal)(const T *x, const I *rows, I distance, bool consecutive, int r)
{
    const T *from = (const T *)((uintptr_t)x + (uintptr_t)distance * sizeof(T));
    return consecutive ? FN(load)(from + rows[0], r) : SPL__GATHER(from, rows + r * FN(WIDTH));
}

static inline FN(lanes) FN(near)(const T *x, const I *rows, const unsigned char *listed, int r)
{
    FN(distances) narrow;
    FN(places) row;
    memcpy(&narrow, listed + r * sizeof narrow, sizeof narrow);
    memcpy(&row, rows + r * FN(WIDTH), sizeof row);
    row += __builtin_convertvector(narrow, FN(places));
    return SPL__GATHER(x, (const I *)&row);
}

/* sums += the lines in which all lanes have an entry; returns the listing behind them. */
static inline __attribute__((always_inline)) const unsigned char *
FN(add_full)(FN(lanes) * sums, const I *codes, const unsigned char *listed, const I *rows, const T *values,
             int64_t lines, const T *x, bool consecutive)
{
    for (int64_t k = 0; k < lines; k++, values += LANES) {
        I code = codes[k];
        spl__look_ahead(values);
        spl__look_ahead((const char *)values + 64);
        if (code > SPL__LINE_FAR) {
#pragma GCC unroll 8
            for (int r = 0; r < FN(REGISTERS); r++)
                sums[r] += FN(load)(values, r) * FN(diagonal)(x, rows, code, consecutive, r);
        } else if (code == SPL__LINE_NEAR) {
            spl__look_ahead(listed);
#pragma GCC unroll 8
            for (int r = 0; r < FN(REGISTERS); r++)
                sums[r] += FN(load)(values, r) * FN(near)(x, rows, listed, r);
            listed += LANES * sizeof(int16_t);
        } else {
            spl__look_ahead(listed);
#pragma GCC unroll 8
            for (int r = 0; r < FN(REGISTERS); r++)
                sums[r] += FN(load)(values, r) * SPL__GATHER(x, (const I *)listed + r * FN(WIDTH));
            listed += LANES * sizeof(I);
        }
    }
    return listed;
}

/* sums += the lines in which only the first lanes have an entry. */
static inline void FN(add_ragged)(FN(lanes) * sums, const I *codes, const unsigned char *listed, const T *values,
                                  int64_t lines, const T *x)
{
    for (int64_t k = 0; k < lines; k++, values += LANES, listed += LANES * sizeof(I)) {
#pragma GCC unroll 8
        for (int r = 0; r < FN(REGISTERS); r++) {
            const I *columns = (const I *)listed + r * FN(WIDTH);
            I count = codes[k] - r * FN(WIDTH);
            if (count >= FN(WIDTH))
                sums[r] += FN(load)(values, r) * SPL__GATHER(x, columns);
            else if (count > 0)
                sums[r] += FN(load)(values, r) * SPL__GATHER_FIRST(x, columns, count);
        }
    }
}

/* y = alpha*sums + beta*y */
static inline void FN(store)(const FN(lanes) * sums, const I *rows, const spl__call *call, bool consecutive)
{
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta, *y = call->y;
    T sum[LANES];
    if (consecutive) {
#pragma GCC unroll 8
        for (int r = 0; r < FN(REGISTERS); r++) {
            T *to = y + rows[0] + r * FN(WIDTH);
            FN(lanes) result = alpha * sums[r];
            if (beta != 0)
                result += beta * FN(load)(to, 0);
            memcpy(to, &result, sizeof result);
        }
        return;
    }
    memcpy(sum, sums, sizeof sum);
    for (int r = 0; r < LANES && rows[r] >= 0; r++)
        y[rows[r]] = alpha * sum[r] + FN(scaled)(beta, &y[rows[r]]);
}

static inline __attribute__((always_inline)) void FN(multiply_slice)(const state *s, int64_t slice,
                                                                     const spl__call *call, bool consecutive)
{
    int64_t q = s->sliced.begin[slice], full = s->sliced.full[slice], lines = (s->sliced.begin[slice + 1] - q) / LANES;
    const I *rows = (const I *)s->sliced.rows + slice * LANES, *codes = (const I *)s->columns.codes + q / LANES;
    const T *values = (const T *)s->sliced.values + q, *x = call->x;
    const unsigned char *listed = s->columns.listed + s->columns.at[slice];
    FN(lanes) sums[FN(REGISTERS)] = {{0}};
    listed = FN(add_full)(sums, codes, listed, rows, values, full, x, consecutive);
    if (!consecutive)
        FN(add_ragged)(sums, codes + full, listed, values + full * LANES, lines - full, x);
    FN(store)(sums, rows, call, consecutive);
}

/* Rows of equal length ascend. */
static inline bool FN(consecutive)(const spl__sliced_ell *s, int64_t slice)
{
    const I *rows = (const I *)s->rows + slice * LANES;
    return s->begin[slice + 1] - s->begin[slice] == s->full[slice] * LANES && rows[LANES - 1] - rows[0] == LANES - 1;
}

static void FN(multiply_part)(const state *s, int64_t part, const spl__call *call)
{
    for (int64_t slice = s->parts.begin[part]; slice < s->parts.begin[part + 1]; slice++)
        if (FN(consecutive)(&s->sliced, slice))
            FN(multiply_slice)(s, slice, call, true);
        else
            FN(multiply_slice)(s, slice, call, false);
}

static void FN(multiply)(const state *s, int threads, const spl__call *call)
{
    if (FN(beta_only)(call, s->sliced.shape.rows, threads))
        return;
#pragma omp parallel for schedule(static) num_threads(threads) if (s->parts.count > 1)
    for (int64_t b = 0; b < s->parts.count; b++)
        FN(multiply_part)(s, b, call);
}

#endif
