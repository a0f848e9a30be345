/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spmv/compute/cpu/rvs: y = alpha*A*x + beta*y on a copy of A in row vector sets, see format/rvs.h.
 *
 * All rows of a block have the same length, so the loop over a row is the same for the whole block:
 * no row end is mispredicted, and for short lengths the loop is completely unrolled. The price: y
 * is written, and x read, in the order of lengths instead of rows. A copy is made in the plan and
 * refreshed when values are announced.
 *
 * Cost: nnz*(value+index) + rows*(index+y) bytes streamed, x gathered, y scattered. Memory:
 * nnz*(value+index) + rows*index. Source: [S2]. Differs: blocks are divided further into parts
 * of equal entries. */
#include "core/checked.h"
#include "core/combination.h"
#include "format/rvs.h"
#include "spmv/row_steps.h"

#include <math.h>

typedef struct part {
    int64_t block, begin, end; /* positions in rvs.rows */
} part;

typedef struct state {
    spl__rvs rvs;
    int64_t count;
    part *parts;
    bool mostly_empty; /* rows */
} state;

enum { PART_ENTRIES = 8192 };

#define SELF "spmv/cpu/spmv_rvs_cpu.c"
#include "core/each_type.h"

typedef void (*kernel_fn)(const state *s, spl__sweep sweep, const spl__call *call);
static const kernel_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(multiply);

/* Making a vector of the longest rows, which have few, takes as long as converting so many entries:
 * 60 to 75 ns on an AMD EPYC, matrices with a full row. */
static const double VECTOR_CONVERTED = 12;

/* Bytes of x and y that come again where caches do not hold both: rows of other lengths than their
 * neighbours are in another set, which goes through all of x and y once more. */
static double read_again(const spl__task *task)
{
    enum { LINES = 2 * 64 }; /* of x and of y */
    const spl__features *f = &task->plan->features;
    const double filled = f->rows - f->empty_rows_a, uneven = spl__spmv_uneven(task);
    const double among_filled =
        sqrt(fmax(0, (1 + uneven * uneven) * filled / fmax(1, f->rows) - 1));
    const double vectors =
        (f->rows + f->inner) * (double)spl__type_size(task->plan->problem.a.csr.type);
    const double beyond = fmax(0, 1 - task->plan->machine->cache_bytes / fmax(1, vectors));
    return filled * among_filled * beyond * LINES;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    const spl__machine *m = task->plan->machine;
    double row_bytes = f->rows * (double)spl__index_size(task->plan->problem.a.csr.index_type);
    spl__spmv_work work = {.bytes = spl__spmv_entry_bytes(task) + row_bytes};
    work.other_bytes = work.bytes;
    work.bytes += read_again(task);
    work.seconds = f->nnz_a * m->spmv_rvs_entry;
    work.seconds += f->rows * (m->spmv_rvs_row + m->spmv_apart_row * spl__spmv_uneven(task));
    work.converted = f->nnz_a + f->rows + VECTOR_CONVERTED * f->longest_row_a;
    work.largest = f->longest_row_a * m->spmv_rvs_entry;
    spl__spmv_predict(task, &work, e);
}

/* Divides blocks into parts; only counts them if `parts` is NULL. */
static int64_t cut(const spl__rvs *rvs, part *parts)
{
    int64_t count = 0;
    for (int64_t b = 0; b < rvs->count; b++) {
        int64_t step = spl__max_i64(1, PART_ENTRIES / rvs->blocks[b].length),
                end = rvs->blocks[b + 1].first;
        for (int64_t begin = rvs->blocks[b].first; begin < end; begin += step, count++)
            if (parts)
                parts[count] = (part){b, begin, spl__min_i64(begin + step, end)};
    }
    return count;
}

static spl_status prepare(spl__step *step)
{
    const spl__problem *p = &step->task.plan->problem;
    spl__account *account = &step->task.plan->account;
    state *s;
    SPL__TRY(SPL__NEW_ZERO(account, &s, 1));
    step->state = s;
    SPL__TRY(spl__rvs_make(account, &p->a.csr, p->threads, &s->rvs));
    s->count = cut(&s->rvs, NULL);
    SPL__TRY(SPL__NEW(account, &s->parts, s->count));
    cut(&s->rvs, s->parts);
    s->mostly_empty = s->rvs.blocks[0].first > p->a.csr.rows / 2;
    return SPL_OK;
}

static void update(spl__step *step)
{
    spl__watch *watch = spl__account_watch(&step->task.plan->account);
    const spl__problem *p = &step->task.plan->problem;
    spl__rvs_fill(watch, &((state *)step->state)->rvs, &p->a.csr, p->threads);
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
    spl__text_add(text, "  row vector sets %s, in parts %s\n", spl__thousands(s->rvs.count),
                  spl__thousands(s->count));
}

static void destroy(spl__step *step)
{
    state *s = step->state;
    if (!s)
        return;
    spl__rvs_free(&s->rvs);
    spl__free(s->parts);
    spl__free(s);
}

const spl__method spl__spmv_compute_cpu_rvs = {
    .summary = "row vector sets: a copy with rows of equal length together",
    .source = "S2 (row vector sets)",
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

#else

#include "spmv/cpu/beta_only.h"

/* Computes rows begin..end of `length` entries each, stored at columns and values. `length` is a
 * compile-time constant for short rows. */
static inline __attribute__((always_inline)) void FN(rows)(const I *rows, const I *restrict columns,
                                                           const T *restrict values, int64_t count,
                                                           const int64_t length,
                                                           const spl__call *call)
{
    const T *restrict x = call->x;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta, *restrict y = call->y;
    for (int64_t r = 0; r < count; r++, columns += length, values += length) {
        ACC sum = 0;
        for (int64_t k = 0; k < length; k++)
            sum += values[k] * x[columns[k]];
        y[rows[r]] = alpha * sum + FN(scaled)(beta, &y[rows[r]]);
    }
}

static SPL__APART void FN(multiply_part)(const spl__rvs *rvs, const part *p, const spl__call *call)
{
    const spl__rvs_block *b = &rvs->blocks[p->block];
    int64_t entry = b->first_entry + (p->begin - b->first) * b->length, count = p->end - p->begin;
    const I *rows = (const I *)rvs->rows + p->begin, *columns = (const I *)rvs->indices + entry;
    const T *values = (const T *)rvs->values + entry;
    switch (b->length) {
    case 1:
        FN(rows)(rows, columns, values, count, 1, call);
        break;
    case 2:
        FN(rows)(rows, columns, values, count, 2, call);
        break;
    case 3:
        FN(rows)(rows, columns, values, count, 3, call);
        break;
    case 4:
        FN(rows)(rows, columns, values, count, 4, call);
        break;
    case 5:
        FN(rows)(rows, columns, values, count, 5, call);
        break;
    case 6:
        FN(rows)(rows, columns, values, count, 6, call);
        break;
    case 7:
        FN(rows)(rows, columns, values, count, 7, call);
        break;
    default:
        FN(rows)(rows, columns, values, count, b->length, call);
    }
}

/* Clears the rows from a part's first to the next part's, where all that are not empty are in one
 * block. */
static void FN(clear_part)(const spl__rvs *rvs, const part *p, T *y)
{
    const I *rows = rvs->rows;
    const spl__rvs_block *block = &rvs->blocks[p->block];
    FN(scale_rows)(0, p->begin == block->first ? 0 : rows[p->begin],
                   p->end == block[1].first ? rvs->shape.rows : rows[p->end], y);
}

static void FN(multiply_empty)(const spl__rvs *rvs, const spl__call *call)
{
    const I *empty = rvs->rows;
    const T beta = *(const T *)call->beta;
    T *y = call->y;
    for (int64_t r = 0; r < rvs->blocks[0].first; r++)
        y[empty[r]] = FN(scaled)(beta, &y[empty[r]]);
}

/* If most rows are empty, all of y is cleared: a row by its number takes eight times as long as one
 * in passing. By the parts themselves, where their rows are apart: threads are woken once, and find
 * these rows in their caches. */
static void FN(multiply)(const state *s, spl__sweep sweep, const spl__call *call)
{
    if (FN(beta_only)(call, s->rvs.shape.rows, sweep.threads))
        return;
    const bool clears = s->mostly_empty && *(const T *)call->beta == 0,
               apart = clears && s->rvs.count == 1;
    if (!clears)
        FN(multiply_empty)(&s->rvs, call);
    else if (!apart)
        FN(scale)(0, s->rvs.shape.rows, sweep.threads, call->y);
    SPL__SWEEP_PARTS(
        r, s->count, sweep, if (spl__watch_goes_on(call->watch)) {
            if (apart)
                FN(clear_part)(&s->rvs, &s->parts[r], call->y);
            FN(multiply_part)(&s->rvs, &s->parts[r], call);
        });
}

#endif
