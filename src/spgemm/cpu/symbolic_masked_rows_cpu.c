/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/masked_rows: the positions of A*B and D that a mask leaves, row by row with a
 * byte per column of C.
 *
 * The mask's columns of a row are marked. Of a mask that lists the positions of C, a product that
 * meets a mark changes it; the row is done when all are changed, and C's columns are the changed
 * ones in the mask's order. Of a complement, products without a mark are found, and sorted.
 * exact.h is the driver.
 *
 * Cost: a look at a byte per product, two per position of the mask; rows that the mask leaves empty
 * cost nothing. Memory: nnz(C) columns twice, per thread a byte per column of C.
 * Source: S. Milakovic, O. Selvitopi, I. Nisa, Z. Budimlic, A. Buluc, Parallel algorithms for
 * masked sparse matrix-matrix products, 2021 (arXiv 2111.09947), the masked sparse accumulator.
 * Differs: structure only; rows end early. */
#include "spgemm/cpu/exact.h"

enum { MARKED = 1, FOUND = 2 };

/* The bytes of all columns, to the next aligned one; behind them a row of a complement is sorted.
 */
static size_t marks_bytes(const spl__problem *p)
{
    return ((size_t)p->cols + 63) / 64 * 64;
}

#define SELF "spgemm/cpu/symbolic_masked_rows_cpu.c"
#include "core/each_type.h"

static size_t workspace_bytes(const spl_plan *plan);

static const spl__exact_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(find_rows);
static const spl__exact_method parameters = {
    .find = kernels, .workspace = workspace_bytes, .clear = true, .sorts = true};

static size_t workspace_bytes(const spl_plan *plan)
{
    const spl__product *c = spl__product_of(plan);
    const spl__problem *p = &plan->problem;
    int64_t longest = p->mask.complement ? spl__min_i64(c->longest_work, p->cols) : 0;
    return marks_bytes(p) + (size_t)longest * spl__index_size(p->a.csr.index_type);
}

static const char *applicable(const spl__task *task)
{
    const spl__mask *mask = &task->plan->problem.mask;
    if (!mask->given)
        return "there is no mask";
    return mask->full ? "the mask is full: it says what C has" : NULL;
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__machine *m = plan->machine;
    double serial = plan->features.products * m->masked_product +
                    2 * spl__product_of(plan)->mask_positions * m->masked_position;
    spl__exact_estimate(task, serial, e);
}

const spl__method spl__spgemm_symbolic_cpu_masked_rows = {
    .summary = "exact structure under a mask, a byte per column",
    .source = "S. Milakovic and others, 2021",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE | SPL__MASKS,
    .parameters = &parameters,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = spl__exact_prepare,
    .execute = spl__exact_execute,
    .explain = spl__exact_explain,
};

#else

#include "spgemm/cpu/rows/find_columns.h"

/* Changes the marks that entries of D and products of row i meet; returns when none of `left` is
 * left. */
static inline void FN(meet)(const spl__problem *p, uint8_t *marks, int64_t i, int64_t left)
{
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *a_columns = p->a.csr.indices, *b_columns = p->b.csr.indices;
    const P *d_offsets = p->d.csr.offsets;
    const I *d_columns = p->d.csr.indices;
    for (P q = p->has_d ? d_offsets[i] : 0; p->has_d && q < d_offsets[i + 1]; q++)
        if (marks[d_columns[q]] == MARKED) {
            marks[d_columns[q]] = FOUND;
            left--;
        }
    for (P q = a_offsets[i]; q < a_offsets[i + 1] && left > 0; q++)
        for (P r = b_offsets[a_columns[q]]; r < b_offsets[a_columns[q] + 1]; r++)
            if (marks[b_columns[r]] == MARKED) {
                marks[b_columns[r]] = FOUND;
                left--;
            }
}

/* Appends the columns of row i that have no mark to `out`; returns their number. */
static inline int64_t FN(avoid)(const spl__problem *p, uint8_t *marks, int64_t i, I *out)
{
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets;
    const I *a_columns = p->a.csr.indices, *b_columns = p->b.csr.indices;
    const P *d_offsets = p->d.csr.offsets;
    const I *d_columns = p->d.csr.indices;
    int64_t found = 0;
    for (P q = p->has_d ? d_offsets[i] : 0; p->has_d && q < d_offsets[i + 1]; q++)
        if (!marks[d_columns[q]]) {
            marks[d_columns[q]] = FOUND;
            out[found++] = d_columns[q];
        }
    for (P q = a_offsets[i]; q < a_offsets[i + 1]; q++)
        for (P r = b_offsets[a_columns[q]]; r < b_offsets[a_columns[q] + 1]; r++)
            if (!marks[b_columns[r]]) {
                marks[b_columns[r]] = FOUND;
                out[found++] = b_columns[r];
            }
    return found;
}

static inline int64_t FN(find_row)(const spl__exact_view *view, void *workspace, int64_t i, I *out)
{
    const spl__problem *p = view->problem;
    const I *masked = (const I *)p->mask.columns + p->mask.offsets[i];
    int64_t count = spl__mask_length(&p->mask, i), found = 0;
    uint8_t *marks = workspace;
    for (int64_t k = 0; k < count; k++)
        marks[masked[k]] = MARKED;
    if (p->mask.complement) {
        found = FN(avoid)(p, marks, i, out);
        FN(sort_columns)(out, found, (I *)(marks + marks_bytes(p)));
        for (int64_t k = 0; k < found; k++)
            marks[out[k]] = 0;
    } else {
        FN(meet)(p, marks, i, count);
    }
    for (int64_t k = 0; k < count; k++) {
        if (marks[masked[k]] == FOUND)
            out[found++] = masked[k];
        marks[masked[k]] = 0;
    }
    return found;
}

#include "spgemm/cpu/rows/exact_rows.h"

#endif
