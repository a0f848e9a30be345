/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/bitmap: the exact structure of C = A*B + D, each row a bitmap as wide as C.
 *
 * B is compressed to words of 64 columns (compress.h). The words of the rows of B for a row of A
 * are OR-ed into the bitmap; scanning it gives the sorted columns. exact.h is the driver.
 *
 * Cost: one OR per pair of compressed B, and per row of C a scan of cols / 64 words; identical
 * rows are copied. Memory: nnz(C) columns twice, compressed B, and per thread cols bits. Source:
 * S1, symbolic phase for dense B and n <= 65536. Differs: columns are written at once, not only
 * counted by popcount. */
#include "spgemm/cpu/exact.h"

#define SELF "spgemm/cpu/symbolic_bitmap_cpu.c"
#include "core/each_type.h"

static size_t workspace(const spl_plan *plan)
{
    return (size_t)spl__words_of(plan->problem.cols) * sizeof(uint64_t);
}

static const spl__exact_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(find_rows);
static const spl__exact_method parameters = {
    .find = kernels, .workspace = workspace, .clear = true, .compresses = true, .sorts = true};

static const char *applicable(const spl__task *task)
{
    const spl_plan *plan = task->plan;
    return plan->features.cols > plan->machine->bitmap_columns ? "C is wider than 65,536 columns"
                                                               : NULL;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    spl__exact_work work = spl__exact_predict(plan);
    double scans = work.rows * (double)spl__words_of(plan->problem.cols);
    double serial = work.pairs * m->bitmap_pair + scans * m->bitmap_scan +
                    work.words * m->bitmap_word + work.columns * m->bitmap_column +
                    work.rows_b * m->compressed_row_b;
    spl__exact_estimate(task, serial, e);
}

const spl__method spl__spgemm_symbolic_cpu_bitmap = {
    .summary = "exact structure by a bitmap per row, from compressed B",
    .source = "S1, symbolic phase for dense B, n <= 65536",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .parameters = &parameters,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = spl__exact_prepare,
    .execute = spl__exact_execute,
    .explain = spl__exact_explain,
};

#else

#include "spgemm/cpu/rows/compressed_rows.h"

static inline int64_t FN(find_row)(const spl__exact_view *view, void *workspace, int64_t i, I *out)
{
    FN(fill_bitmap)(view, i, workspace);
    return FN(empty_bitmap)(workspace, 0, spl__words_of(view->problem->cols) - 1, out) - out;
}

#include "spgemm/cpu/rows/exact_rows.h"

#endif
