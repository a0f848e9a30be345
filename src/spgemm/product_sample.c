/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm_sample.c: predicts properties of C from the exact columns of a few evenly spaced rows: the
 * compression ratio, the width of rows, the compression of B. From all rows of A: the products in
 * rows that equal the previous one. Structure only, the same for any number of threads.
 *
 * Cost: a row in 128 at most, and no row with more than 1/64 of all products; one pass over A's
 * columns. */
#include "core/checked.h"
#include "core/combination.h"
#include "spgemm/cpu/compress.h"
#include "spgemm/product.h"

/* Sums over the sampled rows. */
typedef struct sums {
    int64_t work, products, fresh, pairs, runs, columns, words, spans, rows;
} sums;

#define SELF "spgemm/product_sample.c"
#include "core/each_type.h"

enum { MOST_SAMPLES = 64, ROWS_PER_SAMPLE = 128, WORK_SHARE = 64, LITTLE_WORK = 1024 };

typedef void (*sample_fn)(const spl__problem *p, const spl__product *c, void *workspace, int64_t i,
                          sums *s);
static const sample_fn sample_kernels[SPL__COMBINATIONS] = SPL__TABLE(sample_row);

static int64_t largest_sample(const spl__product *c, int64_t rows)
{
    return spl__max_i64(LITTLE_WORK, c->work[rows] / WORK_SHARE);
}

/* Sampled row `k` of `samples`, or -1 if it is too long, or has no work, as under a mask that
 * leaves it empty: then nothing is prepared for its products. */
static int64_t sampled_row(const spl_plan *plan, int64_t k, int64_t samples)
{
    const spl__product *c = spl__product_of(plan);
    int64_t stride = plan->problem.rows / samples, i = k * stride + stride / 2;
    int64_t work = c->work[i + 1] - c->work[i];
    return work > 0 && work <= largest_sample(c, plan->problem.rows) ? i : -1;
}

static spl_status sample(spl_plan *plan, int64_t samples, sums *s)
{
    const spl__product *c = spl__product_of(plan);
    int64_t bound = spl__min_i64(
        plan->problem.cols, spl__min_i64(c->longest_work, largest_sample(c, plan->problem.rows)));
    void *workspace;
    /* The columns of a row, and the finder's workspace. */
    size_t bytes = spl__finder_bytes_for(plan, bound) + (size_t)bound * sizeof(int64_t);
    spl_status status = spl__alloc(&plan->account, 1, bytes, &workspace);
    if (status == SPL_OVER_BUDGET)
        return SPL_OK; /* not fatal: predictions are less accurate */
    for (int64_t k = 0; status == SPL_OK && k < samples; k++) {
        int64_t i = sampled_row(plan, k, samples);
        if (i >= 0)
            sample_kernels[plan->problem.combination](&plan->problem, c, workspace, i, s);
    }
    spl__free(workspace);
    return status;
}

/* The work of rows of A that equal the previous one. */
static int64_t repeated_work(const spl__product *c, int64_t rows)
{
    int64_t work = 0;
    for (int64_t i = 0; i < rows; i++)
        work += c->a_equals_previous[i] ? c->work[i + 1] - c->work[i] : 0;
    return work;
}

static double ratio(int64_t a, int64_t b, double otherwise)
{
    return b > 0 ? (double)a / (double)b : otherwise;
}

spl_status spl__sample_rows(spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    spl__features *f = &plan->features;
    int64_t rows = plan->problem.rows;
    int64_t samples = spl__min_i64(MOST_SAMPLES, rows / ROWS_PER_SAMPLE + (rows > 0));
    sums s = {0};
    SPL__TRY(sample(plan, samples, &s));
    f->compression_sampled =
        ratio(s.work, s.columns, f->bound_c > 0 ? (double)c->work[rows] / f->bound_c : 1);
    f->pairs_sampled = ratio(s.pairs, s.products, 1);
    f->fresh_sampled = ratio(s.fresh, s.products, 1);
    f->runs_sampled = ratio(s.runs, s.products, 1);
    f->words_sampled = ratio(s.words, s.columns, 1);
    f->span_sampled = ratio(s.spans, s.rows, f->cols);
    f->repeated_a = ratio(repeated_work(c, rows), c->work[rows], 0);
    return SPL_OK;
}

double spl__predicted_nnz(const spl_plan *plan)
{
    const spl__features *f = &plan->features;
    double columns = (f->products + f->nnz_d) / f->compression_sampled;
    return columns < f->bound_c ? columns : f->bound_c;
}

#else

#include "spgemm/cpu/rows/find_columns.h"

/* The number of words of 64 columns; neighbours in the same word count once. */
static inline int64_t FN(words_of)(const I *columns, int64_t count)
{
    int64_t words = 0;
    I last = -1;
    for (int64_t k = 0; k < count; k++) {
        words += columns[k] >> SPL__WORD_SHIFT != last;
        last = columns[k] >> SPL__WORD_SHIFT;
    }
    return words;
}

static inline int64_t FN(runs_of)(const I *columns, int64_t count)
{
    int64_t runs = count > 0;
    for (int64_t k = 1; k < count; k++)
        runs += columns[k] != columns[k - 1] + 1;
    return runs;
}

/* Surveys the rows of B for row i of A. A row equal to the previous selected one shares its
 * pairs and runs. */
static inline void FN(sample_rows_of_b)(const spl__problem *p, const spl__product *c, int64_t i,
                                        sums *s)
{
    const P *offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *inner = p->a.csr.indices, *b_columns = p->b.csr.indices;
    for (P q = offsets[i]; q < offsets[i + 1]; q++) {
        const I *columns = b_columns + b_offsets[inner[q]];
        int64_t count = b_offsets[inner[q] + 1] - b_offsets[inner[q]];
        s->products += count;
        if (q > offsets[i] && inner[q - 1] == inner[q] - 1 && c->b_equals_previous[inner[q]])
            continue;
        s->fresh += count;
        s->pairs += FN(words_of)(columns, count);
        s->runs += FN(runs_of)(columns, count);
    }
}

static void FN(sample_row)(const spl__problem *p, const spl__product *c, void *workspace, int64_t i,
                           sums *s)
{
    int64_t bound = spl__row_bound(c, p->cols, i);
    I *columns = workspace, lowest, highest;
    int64_t found = FN(find_columns)(p, c, columns + bound, i, columns);
    s->work += c->work[i + 1] - c->work[i];
    s->columns += found;
    s->words += FN(words_of)(columns, found);
    s->rows += found > 0;
    FN(sample_rows_of_b)(p, c, i, s);
    if (found == 0)
        return;
    lowest = highest = columns[0];
    for (int64_t k = 1; k < found; k++) {
        lowest = columns[k] < lowest ? columns[k] : lowest;
        highest = columns[k] > highest ? columns[k] : highest;
    }
    s->spans += (int64_t)highest - lowest + 1;
}

#endif
