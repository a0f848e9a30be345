/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/esc: expand, sort, compress: values (and columns, if they are not known) of C
 * = alpha*A*B + beta*D.
 *
 * A row's products are written with their columns to an array, sorted by column, and neighbours of
 * equal column are added up. The sort is stable, so a sum's terms keep the order of A's and B's
 * entries, then D's. After an upper bound this finds columns and values at once; where columns are
 * known it only writes values.
 *
 * Cost: per product, writing it, and one move per radix digit of the row's span. Memory per thread:
 * twice the products of the longest row. Source: S1, numeric phase for sparse B; S. Dalton, L.
 * Olson, N. Bell, Optimizing sparse matrix-matrix multiplication for the GPU, ACM TOMS 41(4), 2015.
 * Differs: per row, in the cache of a thread; D is expanded too. */
#include "core/checked.h"
#include "core/combination.h"
#include "spgemm/cpu/rows/column_hash.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>

#define SELF "spgemm/cpu/numeric_esc_cpu.c"
#include "core/each_type.h"

static const spl__numeric_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(collect);

/* A product and its column. */
static size_t term_size(const spl_plan *plan)
{
    const spl_sparse *a = &plan->problem.a.csr;
    return a->type == SPL_F32 && a->index_type == SPL_I32 ? 8 : 16;
}

static size_t workspace(const spl__task *task)
{
    return 2 * (size_t)task->rows.longest_products * term_size(task->plan);
}

/* Seconds per product of a row with `products` products whose columns lie within `span`. */
static double product_seconds(const spl__task *task, double products, double span)
{
    const spl__machine *m = task->plan->machine;
    double passes = ceil(log2(span + 1) / SPL__DIGIT_BITS);
    double sort = products < SPL__SHORT_ROW
                      ? m->esc_pass + m->esc_short * products
                      : passes * (m->esc_pass + SPL__DIGITS * m->esc_digit / products);
    bool misses = 2 * products * (double)term_size(task->plan) > m->cache_bytes;
    return m->esc_expand + sort * (misses ? 2 : 1);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    double threads = spl__assumed_threads(&task->plan->problem);
    const spl__features *f = &task->plan->features;
    double mean = task->rows.products / ((double)task->rows.count + 1),
           longest = task->rows.longest_products;
    e->seconds = fmax(task->rows.products * product_seconds(task, mean, f->span_sampled) / threads,
                      longest * product_seconds(task, longest, f->cols));
    spl__estimate_scratch((double)workspace(task), INFINITY, e);
    spl__numeric_add_rows(task, e);
}

static spl_status prepare(spl__step *step)
{
    return spl__numeric_prepare(step, workspace(&step->task), true);
}

const spl__method spl__spgemm_numeric_cpu_esc = {
    .summary = "expand, sort, compress: columns and values at once",
    .source = "S1, numeric phase for sparse B; S. Dalton, L. Olson, N. Bell, ACM TOMS 2015",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = kernels,
    .applicable = spl__needs_sorted,
    .estimate = estimate,
    .prepare = prepare,
    .execute = spl__numeric_execute,
    .destroy = spl__numeric_destroy,
};

#else

typedef struct FN(term) {
    I column;
    T value;
} FN(term);
_Static_assert(sizeof(FN(term)) == (sizeof(T) == 4 && sizeof(I) == 4 ? 8 : 16), "see term_size");

#define ELEMENT    FN(term)
#define COLUMN(e)  ((e).column)
#define SORT(name) FN(name##_terms)
#include "spgemm/cpu/rows/stable_sort.h"

typedef struct FN(accumulator) {
    FN(term) *terms;
    int64_t count;
} FN(accumulator);

static inline FN(accumulator) FN(begin_row)(const spl__problem *p, int64_t work, void *workspace)
{
    (void)p, (void)work;
    return (FN(accumulator)){workspace, 0};
}

/* Expand. */
static inline void FN(add_scaled)(FN(accumulator) *sums, const I *restrict columns,
                                  const T *restrict values, int64_t count, ACC scale)
{
    FN(term) *restrict terms = sums->terms + sums->count;
    for (int64_t k = 0; k < count; k++)
        terms[k] = (FN(term)){columns[k], values ? scale * values[k] : 0};
    sums->count += count;
}

/* Sort, compress. */
static inline int64_t FN(end_row)(const FN(accumulator) *sums, I *columns, T *values)
{
    FN(term) *terms = sums->terms;
    int64_t found = 0;
    FN(sort_terms)(terms, sums->count, terms + sums->count);
    for (int64_t k = 0; k < sums->count; found++) {
        I column = terms[k].column;
        ACC sum = terms[k].value;
        for (k++; k < sums->count && terms[k].column == column; k++)
            sum += terms[k].value;
        values[found] = sum;
        if (columns)
            columns[found] = column;
    }
    return found;
}

#include "spgemm/cpu/rows/forget_rows.h"

#include "spgemm/cpu/rows/collect_rows.h"

#endif
