/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/numeric/cpu/one_pass: values (and columns, if they are not known) of C = alpha*A*B +
 * beta*D in one pass.
 *
 * sum_row.h has the algorithm; repeat_row.h spares it to rows that repeat others, shifted. Where
 * columns of C are few for their products, list_row.h has another.
 *
 * Cost: listed rows: per product an addition and stores of stamp and list; per column of C its
 * share of the sort. Short rows: per product, writing it, its share of the sort, and adding it up.
 * Long rows: per product an addition and an OR to memory and a store; per row a scan of the touched
 * stretches of marks; per word and column of C, unpacking it; clearing the accumulator once per
 * thread that meets a long row. Memory per thread: cols values, and cols * (1/8 + 1/64) bytes;
 * almost nothing where no row is long. Source: S1, upper bound and ESC, for the short rows; J.
 * Gilbert, C. Moler, R. Schreiber, Sparse matrices in MATLAB, SIAM J. Matrix Anal. Appl. 13(1),
 * 1992 (the "SPA"), for the long ones. Differs: a sorting network; a hierarchy of marks takes
 * the place of the SPA's list of columns and of its sort. */
#include "core/variant.h"
#include "spgemm/cpu/compress.h"
#include "spgemm/cpu/rows/shifted_rows.h"
#include "spgemm/cpu/rows/sum_space.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#define SELF "spgemm/cpu/numeric_one_pass_cpu.c"
#include "core/each_type.h"

typedef spl_status (*compute_fn)(spl__step *step, const spl__call *call);
SPL__KERNELS(spgemm_one_pass, compute_fn, collect, SPL__V4)

#ifndef SPL__VARIANT

/* A short row's keys and terms. */
static size_t short_workspace(const spl__problem *p)
{
    return spl__sum_space(spl__type_size(p->a.csr.type));
}

static size_t long_workspace(const spl__problem *p)
{
    return spl__long_sum_space(p->cols, spl__type_size(p->a.csr.type));
}

/* Whether any row is long. */
static bool some_are_long(const spl_plan *plan)
{
    return !spl__sum_is_short(spl__product_of(plan)->longest_work, plan->problem.cols);
}

/* Whether columns may stay as they are listed: in a one-shot call, whose plan executes once. */
static bool in_any_order(const spl__problem *p)
{
    return p->once && p->options.unsorted;
}

/* Whether rows repeat the one before, shifted, in the way that repeat_row.h knows. */
static bool repeats(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const spl__features *f = &plan->features;
    return spl__variant_of_cpu() >= SPL__V4 && !p->has_d && p->a.csr.index_type == SPL_I32 &&
           f->products >= SPL__SHAPE_PRODUCTS * f->rows && f->nnz_a <= SPL__SHAPE_TERMS * f->rows &&
           f->nnz_c <= SPL__SHAPE_COLUMNS * f->rows && spl__is_shifted_throughout(&p->a.csr) &&
           spl__is_shifted_throughout(&p->b.csr);
}

/* Whether columns of C are listed: few for their products, near each other, and few enough to be
 * sorted. An accumulator as wide as C must not take longer to clear than products to add. D's rows
 * are not listed; nor are those of a product of grids, where repeat_row.h neither lists nor sorts.
 */
static bool lists(const spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    const spl__features *f = &plan->features;
    const spl__machine *m = plan->machine;
    const double once = in_any_order(p) ? m->listed_from_unsorted : m->listed_from_once,
                 from = p->once ? once : m->listed_from,
                 columns = p->once ? m->listed_columns_once : m->listed_columns,
                 entry = (double)(spl__type_size(p->a.csr.type) + sizeof(uint32_t));
    return !p->has_d && !spl__plan_has_budget(plan) && p->cols < UINT32_MAX &&
           (double)p->cols <= f->products && f->compression_sampled >= from &&
           f->products <= columns * f->compression_sampled * f->rows &&
           f->span_sampled * entry <= m->cache_bytes &&
           !(spl__is_shifted(&p->a.csr) && spl__is_shifted(&p->b.csr));
}

/* Bytes of a thread's workspace. */
static size_t workspace(const spl_plan *plan, bool listed)
{
    const spl__problem *p = &plan->problem;
    return short_workspace(p) + (listed || some_are_long(plan) ? long_workspace(p) : 0) +
           (listed ? (size_t)p->cols * sizeof(uint32_t) : 0);
}

/* The expected share of threads that meet a long row, from evenly spaced samples. */
static double threads_with_long_rows(const spl_plan *plan)
{
    enum { LOOKS = 1024 };
    const spl__product *c = spl__product_of(plan);
    int64_t rows = plan->problem.rows, stride = rows / LOOKS + 1, found = 0;
    for (int64_t i = 0; i < rows; i += stride)
        found += !spl__sum_is_short(c->work[i + 1] - c->work[i], plan->problem.cols);
    double expected = some_are_long(plan) ? fmax(1, (double)(found * stride)) : 0;
    return fmin(1, expected / spl__assumed_threads(&plan->problem));
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    const spl__features *f = &plan->features;
    double threads = spl__assumed_threads(&plan->problem);
    double mean = task->rows.products / ((double)task->rows.count + 1),
           stretches = fmin(mean, SPL__WORD_BITS);
    double stretch = ldexp(1, spl__top_shift(plan->problem.cols) - 2 * SPL__WORD_SHIFT);
    double scans = fmin(stretches * stretch, f->span_sampled / (8 * SPL__WORD_BITS) + 1);
    double columns = task->rows.nnz_c * (m->marked_column + f->words_sampled * m->marked_word);
    const bool listed = lists(plan);
    double near = f->span_sampled * (double)(spl__type_size(plan->problem.a.csr.type) +
                                             (listed ? sizeof(uint32_t) : 0));
    /* Rows that are sorted have no accumulator to miss, and no marks to wait for; coefficients are
     * those of AVX-512. */
    bool marks = mean > SPL__MOST_KEYS;
    double miss = marks || listed ? spl__miss_seconds(m, near) : 0;
    double product = m->marked_product + (marks ? (1 - f->pairs_sampled) * m->marked_again : 0);
    if (listed) {
        product = m->listed_product;
        columns = task->rows.nnz_c * m->listed_column;
        scans = 0;
    } else if (repeats(plan)) {
        product = m->repeated_product;
        columns = scans = miss = 0;
    }
    e->seconds = (task->rows.products * product + columns + task->rows.nnz_c * miss) *
                     spl__largest_share(plan, task->rows.products, task->rows.longest_products) +
                 (double)task->rows.count * scans * m->marked_scan / threads;
    spl__estimate_scratch((double)workspace(plan, listed), INFINITY, e);
    e->touched *= listed ? 1 : threads_with_long_rows(plan);
    spl__numeric_add_rows(task, e);
}

static spl_status prepare(spl__step *step)
{
    const spl_plan *plan = step->task.plan;
    const spl__problem *p = &plan->problem;
    const size_t before = short_workspace(p) + long_workspace(p); /* stamps */
    const bool listed = lists(plan);
    SPL__TRY(spl__numeric_prepare(step, workspace(plan, listed), true));
    const spl__numeric *n = step->state;
    for (int t = 0; t < n->threads; t++) {
        spl__sum_head *head = n->workspaces[t];
        spl__sum_space_start(head);
        head->stamps = listed ? (uint32_t *)((char *)head + before) : NULL;
        head->sorts = !in_any_order(p);
    }
    return SPL_OK;
}

static spl_status execute(spl__step *step, const spl__call *call)
{
    return kernel(step->task.plan->problem.combination)(step, call);
}

const spl__method spl__spgemm_numeric_cpu_one_pass = {
    .summary = "columns and values at once: short rows sorted in registers, long ones accumulated "
               "and marked",
    .source = "S1, upper bound and ESC; J. Gilbert, C. Moler, R. Schreiber, SIMAX 1992",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = spl__needs_sorted,
    .estimate = estimate,
    .prepare = prepare,
    .execute = execute,
    .destroy = spl__numeric_destroy,
};

#endif
#else

#include "spgemm/cpu/rows/sum_row.h"

static inline FN(accumulator) FN(begin_row)(const spl__problem *p, int64_t work, void *workspace)
{
    return FN(begin_sums)(p->cols, work, workspace);
}

#ifdef __AVX512VL__
#include "spgemm/cpu/rows/repeat_row.h"
#else
#include "spgemm/cpu/rows/forget_rows.h"
#endif

#include "spgemm/cpu/rows/collect_rows.h"

#include "spgemm/cpu/rows/list_row.h"

static inline int64_t FN(shortcut)(const FN(row) *row, I *columns, T *values)
{
    const spl__problem *p = row->problem;
    const T alpha = *(const T *)row->call->alpha;
    if (((const spl__sum_head *)row->workspace)->stamps && alpha != 0)
        return FN(list_row)(&p->a.csr, &p->b.csr, row->i, alpha, row->workspace, columns, values);
    if (alpha == 0 || p->has_d)
        return -1;
    return FN(repeat_row)(&p->a.csr, &p->b.csr, alpha, row->i, row->workspace, columns, values);
}

#endif
