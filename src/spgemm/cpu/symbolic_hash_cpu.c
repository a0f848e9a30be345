/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/hash: the exact structure of C = A*B + D, each row's columns found with a
 * hash set and sorted.
 *
 * exact.h is the driver, find_columns.h the search.
 *
 * Cost: one hash insertion per product, one sort per row; identical rows are copied. Memory: nnz(C)
 * columns twice, and per thread a table of twice the longest row's bound. Source: Y. Nagasaka, A.
 * Nukada, S. Matsuoka, Memory-saving hash SpGEMM [S3]. Differs: for CPU threads, rows found and
 * sorted in one pass instead of being counted first. S3's groups, and why rows need none here:
 *          numeric_hash_cpu.c. */
#include "spgemm/cpu/exact.h"

#define SELF "spgemm/cpu/symbolic_hash_cpu.c"
#include "core/each_type.h"

static const spl__exact_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(find_rows);
static const spl__exact_method parameters = {.find = kernels, .workspace = spl__finder_bytes};

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__exact_work work = spl__exact_predict(task->plan);
    double serial =
        spl__finding_seconds(task->plan->machine, work.rows, work.products, work.columns);
    spl__exact_estimate(task, serial, e);
}

const spl__method spl__spgemm_symbolic_cpu_hash = {
    .summary = "exact structure by a hash set per row",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, 2016 [S3]",
    .revision = 2,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &parameters,
    .estimate = estimate,
    .prepare = spl__exact_prepare,
    .execute = spl__exact_execute,
    .explain = spl__exact_explain,
};

#else

#include "spgemm/cpu/rows/find_columns.h"

static inline int64_t FN(find_row)(const spl__exact_view *view, void *workspace, int64_t i, I *out)
{
    return FN(find_columns)(view->problem, view->product, workspace, i, out);
}

#include "spgemm/cpu/rows/exact_rows.h"

#endif
