/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/csr_transposed: y = alpha*A*x + beta*y, where A is stored by columns: as CSR of
 * its transpose.
 *
 * Over other semirings "add" and "multiply" stand for sums and products. This is the case if op(A)
 * transposes CSR, or if A is CSC. Conversion to rows costs more than one product; a one-shot call,
 * or a plan without memory for a copy, uses the columns: entries are scattered into sums of all of
 * y, one set of sums per part of the columns, and the sets are added in the order of parts. The
 * number of parts depends on structure only, so results are bit-identical for any number of
 * threads. Rows that a mask leaves out are computed, not written.
 *
 * Cost: nnz*(value+index) + inner*(offset+x) bytes streamed, sums scattered; parts*rows*value
 * written, read and added. Memory: parts*rows values, at most 8 parts. Source: the column-oriented
 * product: Y. Saad, Iterative Methods for Sparse Linear Systems, 2003, section 3.5. Differs:
 * private sums, added in a fixed order. */
#include "core/checked.h"
#include "core/combination.h"
#include "matrix/merge_path.h"
#include "spmv/row_steps.h"

#include <math.h>

enum { PIECE_COLUMNS = 4096 }; /* between polls of the watch */
/* the least entries per sum for which a part pays */
enum { MOST_PARTS = 8, PART_MEAN = 4 };

typedef struct state {
    int64_t parts, first[MOST_PARTS + 1]; /* columns of each part */
    void *sums;                           /* parts * rows */
} state;

#define SELF "spmv/cpu/spmv_csr_transposed_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, const spl__problem *p, const spl__call *call);
static const kernel_fn kernels[SPL__COMBINATIONS] = SPL__TABLE_IN_INTEGERS(multiply);

static int64_t part_count(const spl__problem *p)
{
    return spl__max_i64(1, spl__min_i64(MOST_PARTS, p->a.csr.nnz / (PART_MEAN * (p->rows + 1))));
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__problem *p = &task->plan->problem;
    const spl__machine *m = task->plan->machine;
    spl__spmv_work work = {.bytes = spl__spmv_csr_bytes(task)};
    work.other_bytes = (double)part_count(p) * f->rows * (double)spl__type_size(p->a.csr.type);
    work.bytes += 2 * work.other_bytes;
    work.seconds = f->nnz_a * m->spmv_transposed_entry + f->inner * m->spmv_transposed_column;
    work.largest = work.seconds / (double)part_count(p);
    spl__spmv_predict(task, &work, e);
}

static spl_status prepare(spl__step *step)
{
    spl__account *account = &step->task.plan->account;
    const spl__problem *p = &step->task.plan->problem;
    int64_t entry;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    s->parts = part_count(p);
    for (int64_t r = 0; r <= s->parts; r++)
        spl__merge_path(&p->a.csr, r, s->parts, &s->first[r], &entry);
    /* < rows + nnz */
    return spl__alloc(account, s->parts * p->rows, spl__type_size(p->a.csr.type), &s->sums);
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    const spl__problem *p = &step->task.plan->problem;
    kernels[p->combination](step->state, p, call);
    return SPL_OK;
}

static void explain(const spl__step *step, spl__text *text)
{
    const state *s = step->state;
    spl__text_add(text, "  parts of columns %s\n", spl__thousands(s->parts));
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__free(s->sums);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_csr_transposed = {
    .summary = "CSR of the transpose: columns scattered into private sums",
    .source = "Y. Saad, Iterative Methods for Sparse Linear Systems, 2003",
    .revision = 1,
    .attributes =
        SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__BY_COLUMNS | SPL__ALGEBRA | SPL__INTEGERS,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .explain = explain,
    .destroy = destroy,
};

#else
#define IN_INTEGERS

#include "spmv/cpu/beta_only.h"

/* sums = "add"(sums, "multiply" of columns first..last of A and their elements of x). Elements of x
 * for empty columns are not read. */
static inline __attribute__((always_inline)) void FN(scatter_over)(const spl_sparse *transpose,
                                                                   const T *x, int64_t first,
                                                                   int64_t last, T *restrict sums,
                                                                   const int32_t semiring)
{
    const P *offsets = transpose->offsets;
    const I *restrict rows = transpose->indices;
    const T *restrict values = transpose->values;
    const bool reads_a = spl__semiring_reads_a(semiring), reads_b = spl__semiring_reads_b(semiring);
    for (int64_t j = first; j < last; j++) {
        T factor = reads_b && offsets[j] < offsets[j + 1] ? x[j] : 0;
        for (P p = offsets[j]; p < offsets[j + 1]; p++)
            SPL__SEMIRING_ADD(T, semiring, sums[rows[p]], reads_a ? values[p] : 0, factor);
    }
}

static SPL__APART void FN(scatter)(const spl_sparse *transpose, const T *x, int64_t first,
                                   int64_t last, T *restrict sums)
{
    FN(scatter_over)(transpose, x, first, last, sums, SPL_PLUS_TIMES);
}

static SPL__APART void FN(scatter_other)(const spl__problem *p, const T *x, int64_t first,
                                         int64_t last, T *restrict sums)
{
    SPL__FOR_SEMIRING(T, p->options.semiring, FN(scatter_over)(&p->a.csr, x, first, last, sums, S));
}

/* sums = part r of the columns times their elements of x, in pieces. */
static void FN(multiply_part)(const state *s, int64_t r, const spl__problem *p,
                              const spl__call *call, T *sums)
{
    const T none = SPL__SEMIRING_NONE(T, p->options.semiring);
    const int64_t stop = *(const T *)call->alpha == 0 ? s->first[r] : s->first[r + 1];
    for (int64_t i = 0; i < p->rows; i++)
        sums[i] = none;
    for (int64_t j = s->first[r]; j < stop && spl__watch_goes_on(call->watch); j += PIECE_COLUMNS) {
        const int64_t end = spl__min_i64(j + PIECE_COLUMNS, stop);
        if (p->options.semiring)
            FN(scatter_other)(p, call->x, j, end, sums);
        else
            FN(scatter)(&p->a.csr, call->x, j, end, sums);
    }
}

#ifdef INTEGER
#define IS_ODD(alpha) false
static void FN(finish_oddly)(const spl__problem *p, const spl__call *call, const T *sums)
{
    (void)p, (void)call, (void)sums; /* never called */
}
#else
#define IS_ODD(alpha) (!isfinite(alpha))
/* For alpha Inf or NaN: only rows with an entry get alpha times their sum, once; afterwards they
 * are not finite. */
static void FN(finish_oddly)(const spl__problem *p, const spl__call *call, const T *sums)
{
    const I *rows = p->a.csr.indices;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta, *y = call->y;
    for (int64_t i = 0; i < p->rows; i++)
        if (spl__row_mask_has(call->rows, i))
            y[i] = FN(scaled)(beta, &y[i]);
        else if (call->rows->clear)
            y[i] = 0;
    for (int64_t e = 0; e < p->a.csr.nnz; e++)
        if (isfinite(y[rows[e]]) && spl__row_mask_has(call->rows, rows[e]))
            y[rows[e]] += alpha * sums[rows[e]];
}
#endif

static inline void FN(join)(int32_t semiring, T *sum, T value)
{
    if (!semiring)
        *sum = SPL__PLUS(*sum, value);
    else
        SPL__SEMIRING_JOIN(semiring, *sum, value);
}

/* Writes the row's sum, or what the mask makes of the row. */
static void FN(finish_row)(const spl__problem *p, const spl__call *call, int64_t i, T sum)
{
    const int32_t semiring = p->options.semiring;
    const T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    T *y = (T *)call->y + i;
    if (!spl__row_mask_has(call->rows, i)) {
        if (call->rows->clear)
            *y = SPL__SEMIRING_NONE(T, semiring);
    } else if (semiring) {
        if (beta != 0)
            SPL__SEMIRING_JOIN(semiring, sum, *y);
        *y = sum;
    } else {
        *y = SPL__PLUS(SPL__TIMES(alpha, sum), FN(scaled)(beta, y));
    }
}

static void FN(multiply)(const state *s, const spl__problem *p, const spl__call *call)
{
    const int64_t rows = p->rows;
    const int32_t semiring = p->options.semiring;
    T *sums = s->sums;
    if (!call->rows && FN(beta_only)(call, rows, p->threads))
        return;
    const bool odd = IS_ODD(*(const T *)call->alpha);
#pragma omp parallel for num_threads(spl__team(s->parts > 1 ? p->threads : 1)) schedule(static)
    for (int64_t r = 0; r < s->parts; r++)
        FN(multiply_part)(s, r, p, call, sums + r * rows);
#pragma omp parallel for num_threads(spl__team(rows > 65536 ? p->threads : 1)) schedule(static)
    for (int64_t i = 0; i < rows; i++) {
        T sum = sums[i];
        for (int64_t r = 1; r < s->parts; r++)
            FN(join)(semiring, &sum, sums[r * rows + i]);
        if (odd)
            sums[i] = sum;
        else
            FN(finish_row)(p, call, i, sum);
    }
    if (odd)
        FN(finish_oddly)(p, call, sums);
}

#undef IS_ODD

#endif
