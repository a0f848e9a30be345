/* SPDX-License-Identifier: Apache-2.0 */
/* numeric_rows.h: the driver of the numeric methods: the values of C = alpha*A*B + beta*D, row by
 * row. A template: T, ACC, I, P, FN come from core/each_type.h, and the includer, a numeric method,
 * defines afterwards
 *
 *   FN(compute_row)(row)  writes the values of row->i of C, and its columns if the method finds
 *                         them itself; returns the number of rows that it computed: from 1 to
 *                         row->run
 *
 * or includes accumulate_rows.h or collect_rows.h, which define it from smaller functions. Terms of
 * a sum are added in the order of A's and B's entries, then D's: the same for any number of
 * threads. */
#include "core/checked.h"

/* The row to be computed, and the data for it. */
typedef struct FN(row) {
    const spl__problem *problem;
    const spl__call *call;
    spl__product *product;
    const void *shared; /* of the method, shared by all threads */
    void *workspace;    /* of this thread */
    /* of this thread; NULL if columns are known or the method finds them itself */
    void *finder;
    int64_t i;
    int64_t run; /* length of the run i, i + 1, ... that may be computed at once */
} FN(row);

static inline int64_t FN(compute_row)(const FN(row) *row);

/* The begin of row i's columns in C. */
static inline I *FN(columns_of)(const FN(row) *row)
{
    return (I *)row->product->columns + row->product->offsets[row->i];
}
static inline T *FN(values_of)(const FN(row) *row)
{
    return (T *)row->call->values + row->product->offsets[row->i];
}

/* The number of consecutive rows from item k of the list to `end`, at most SPL__MOST_ROWS_AT_ONCE.
 */
static inline int64_t FN(count_run)(const int64_t *list, int64_t k, int64_t end)
{
    int64_t count = 1, most = spl__min_i64(end - k, SPL__MOST_ROWS_AT_ONCE);
    if (!list)
        return most;
    while (count < most && list[k + count] == list[k] + count)
        count++;
    return count;
}

/* The data with which a thread computes rows. */
static inline FN(row) FN(row_for)(const spl__step *step, const spl__call *call, int thread)
{
    const spl__numeric *n = step->state;
    return (FN(row)){.problem = &step->task.plan->problem,
                     .call = call,
                     .product = spl__product_of(step->task.plan),
                     .shared = n->shared,
                     .workspace = n->workspaces[thread],
                     .finder = n->finders ? n->finders[thread] : NULL};
}

static SPL__APART void FN(compute_block)(spl__step *step, const spl__call *call, int64_t block,
                                         int thread)
{
    const spl__numeric *n = step->state;
    const int64_t *list = step->task.rows.list;
    FN(row) row = FN(row_for)(step, call, thread);
    for (int64_t k = n->blocks.begin[block], end = n->blocks.begin[block + 1]; k < end;) {
        row.i = list ? list[k] : k;
        row.run = FN(count_run)(list, k, end);
        k += FN(compute_row)(&row);
    }
}

static spl_status FN(compute)(spl__step *step, const spl__call *call)
{
    const spl__numeric *n = step->state;
    if (spl__product_of(step->task.plan)->capacity == 0)
        return SPL_OK; /* C has no entries, hence no arrays */
    spl__watch_stage(call->watch, "numeric", n->blocks.count);
#pragma omp parallel for num_threads(spl__team(spl__numeric_threads(step))) schedule(dynamic)
    for (int64_t b = 0; b < n->blocks.count; b++)
        if (spl__watch_goes_on(call->watch))
            FN(compute_block)(step, call, b, omp_get_thread_num());
    return SPL_OK;
}
