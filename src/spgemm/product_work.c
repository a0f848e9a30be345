/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm_work.c: which rows equal the previous one, and the work of each row of C = A*B + D: its
 * products and its entries of D. Counting is O(nnz(A)), reads no values, and processes one row
 * of each run of identical rows. */
#include "core/checked.h"
#include "core/combination.h"
#include "core/threads/parallel.h"
#include "core/threads/team_seconds.h"
#include "matrix/view.h"
#include "spgemm/product.h"
#include "structure/identical_rows.h"

#define SELF "spgemm/product_work.c"
#include "core/each_type.h"

typedef bool (*count_fn)(spl__watch *watch, const spl__problem *p, const uint8_t *equals_previous,
                         bool whole, int64_t *work);
static const count_fn counters[SPL__COMBINATIONS] = SPL__TABLE(count);
typedef bool (*single_fn)(const spl_sparse *m);
static const single_fn single_table[SPL__COMBINATIONS] = SPL__TABLE(has_single_rows);

/* Identical rows of A give identical rows of C only if those of D are identical as well. */
static spl_status agree_with_d(spl_plan *plan, uint8_t *equals_previous)
{
    const spl__problem *p = &plan->problem;
    uint8_t *of_d;
    SPL__TRY(spl__identical_rows_mark(&plan->account, p->threads, &p->d.csr, &of_d));
    for (int64_t i = 0; i < p->rows; i++)
        equals_previous[i] &= of_d[i];
    spl__free(of_d);
    return SPL_OK;
}

spl_status spl__find_repeated_rows(spl_plan *plan)
{
    const spl__problem *p = &plan->problem;
    spl__product *c = spl__product_of(plan);
    if (p->mask.given) { /* equal rows may have different positions */
        SPL__TRY(SPL__NEW_ZERO(&plan->account, &c->a_equals_previous, p->rows + 1));
        return SPL__NEW_ZERO(&plan->account, &c->b_equals_previous, p->inner + 1);
    }
    SPL__TRY(
        spl__identical_rows_mark(&plan->account, p->threads, &p->a.csr, &c->a_equals_previous));
    if (!p->has_d && spl__view_same_structure(&p->a.csr, &p->b.csr))
        c->b_equals_previous = c->a_equals_previous;
    else
        SPL__TRY(
            spl__identical_rows_mark(&plan->account, p->threads, &p->b.csr, &c->b_equals_previous));
    return p->has_d ? agree_with_d(plan, c->a_equals_previous) : SPL_OK;
}

/* Turns work[i+1], the work of row i, into prefix sums, and finds the extremes. */
static spl_status sum_up(spl_plan *plan, spl__product *c)
{
    spl__features *f = &plan->features;
    const spl__mask *mask = spl__mask_lists(&plan->problem.mask) ? &plan->problem.mask : NULL;
    int64_t bound = 0;
    for (int64_t i = 0; i < plan->problem.rows; i++) {
        int64_t most = mask ? spl__mask_length(mask, i) : plan->problem.cols,
                work = most > 0 ? c->work[i + 1] : 0; /* no work where C has no positions */
        c->longest_work = spl__max_i64(c->longest_work, work);
        if (!spl__add_i64(c->work[i], work, &c->work[i + 1]))
            return spl__fail(SPL_INDEX_OVERFLOW,
                             "op(A)*op(B) has more than 2^63-1 intermediate products");
        /* cannot overflow: at most the sum of work, which has been checked */
        bound += mask && mask->full ? most : spl__min_i64(work, most);
    }
    f->products = (double)c->work[plan->problem.rows] - f->nnz_d;
    f->longest_products = (double)c->longest_work;
    f->bound_c = (double)bound;
    return SPL_OK;
}

spl_status spl__count_work(spl_plan *plan)
{
    spl__product *c = spl__product_of(plan);
    spl__watch *watch = spl__account_watch(&plan->account);
    SPL__TRY(SPL__NEW(&plan->account, &c->work, plan->problem.rows + 1));
    c->work[0] = 0;
    const spl_sparse *b = &plan->problem.b.csr;
    const int combination = spl__combination_of_structure(&plan->problem.a.csr);
    c->single_b = single_table[combination](b);
    if (!counters[combination](watch, &plan->problem, c->a_equals_previous,
                               c->single_b && b->nnz == b->rows, c->work))
        return spl__fail(SPL_INDEX_OVERFLOW,
                         "a row of op(A)*op(B) has more than 2^63-1 intermediate products");
    SPL__TRY(spl__watch_check(watch));
    return sum_up(plan, c);
}

#else

static bool FN(has_single_rows)(const spl_sparse *m)
{
    const P *offsets = m->offsets;
    int64_t k = 0;
    if (m->nnz > m->rows)
        return false;
    while (k < m->rows && offsets[k + 1] - offsets[k] <= 1)
        k++;
    return k == m->rows;
}

/* Products of row i of A; `whole`: each row of B has one entry. False on overflow. */
static inline bool FN(add_products)(const spl__problem *p, int64_t i, bool whole, int64_t *sum)
{
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *a_columns = p->a.csr.indices;
    bool fits = true;
    if (whole)
        return spl__add_i64(*sum, a_offsets[i + 1] - a_offsets[i], sum);
    for (P q = a_offsets[i]; q < a_offsets[i + 1]; q++)
        fits =
            spl__add_i64(*sum, b_offsets[a_columns[q] + 1] - b_offsets[a_columns[q]], sum) && fits;
    return fits;
}

/* work[i+1] = products of row i + entries of D in row i; false on overflow. The thread that
 * counts a row also writes the work of the identical rows after it. */
static bool FN(count)(spl__watch *watch, const spl__problem *p, const uint8_t *equals_previous,
                      bool whole, int64_t *work)
{
    const P *d_offsets = p->has_d ? p->d.csr.offsets : NULL;
    int fits = 1;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(2 * p->a.csr.nnz, p->threads)))    \
    schedule(static) reduction(&& : fits)
    for (int64_t i = 0; i < p->rows; i++) {
        if (equals_previous[i] || !spl__watch_goes_on_at(watch, i))
            continue;
        int64_t sum = d_offsets ? d_offsets[i + 1] - d_offsets[i] : 0;
        fits = FN(add_products)(p, i, whole, &sum) && fits;
        work[i + 1] = sum;
        for (int64_t k = i + 1; equals_previous[k]; k++)
            work[k + 1] = sum;
    }
    return fits;
}

#endif
