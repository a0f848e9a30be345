/* SPDX-License-Identifier: Apache-2.0 */
#ifndef T
/* spgemm/symbolic/cpu/dots: the positions of a mask at which a row of A meets a column of B.
 *
 * The columns of a row of A are marked; at each position of the mask's row the entries of a column
 * of B are looked at until one has a mark. Where a column is far longer than the row, the entries
 * of the row are searched in it. Columns of B are rows of B', which is made, or borrowed where the
 * caller has it. exact.h is the driver.
 *
 * Cost: a look at a byte per entry of those columns, or fewer; two per entry of A. Products of A*B
 * do not count. Memory: nnz(C) columns twice, B', per thread a byte per column of A.
 * Source: A. Azad, A. Buluc, J. Gilbert, Parallel triangle counting and enumeration using matrix
 * algebra, IPDPS workshops 2015. Differs: structure only; marks in place of merges. */
#include "spgemm/cpu/exact.h"
#include "spgemm/dots.h"

#define SELF "spgemm/cpu/symbolic_dots_cpu.c"
#include "core/each_type.h"

static size_t workspace_bytes(const spl_plan *plan)
{
    return (size_t)plan->problem.inner;
}

static const spl__exact_fn kernels[SPL__COMBINATIONS] = SPL__TABLE(find_rows);
static const spl__exact_method parameters = {.find = kernels,
                                             .workspace = workspace_bytes,
                                             .clear = true,
                                             .transposes = true,
                                             .sorts = true};

static const char *applicable(const spl__task *task)
{
    const spl__problem *p = &task->plan->problem;
    if (!spl__mask_lists(&p->mask))
        return p->mask.given ? "the mask is a complement" : "there is no mask";
    if (p->mask.full)
        return "the mask is full: it says what C has";
    if (p->has_d)
        return "D is added by rows";
    return spl__product_of(task->plan)->ascending
               ? NULL
               : "a row of A or B is not in order, or repeats a column";
}

/* Half of a merge's steps are those of columns of B. */
static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl_plan *plan = task->plan;
    const spl__product *c = spl__product_of(plan);
    const spl__machine *m = plan->machine;
    const spl_sparse *b = &plan->problem.b.csr;
    const bool makes = !spl__dots_have_rows(&plan->problem);
    const double entries = makes ? (double)b->nnz : 0;
    spl__exact_estimate(task,
                        c->dot_steps / 2 * m->dot_step + c->mask_positions * m->dot_position +
                            entries * m->dot_transpose,
                        e);
    e->bytes += entries * ((double)spl__index_size(b->index_type) + (double)sizeof(int64_t)) +
                (makes ? plan->features.cols * (double)sizeof(int64_t) : 0);
}

const spl__method spl__spgemm_symbolic_cpu_dots = {
    .summary = "exact structure under a mask, columns of B looked through",
    .source = "A. Azad, A. Buluc, J. Gilbert, IPDPSW 2015",
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

#include "spgemm/cpu/rows/gallop.h"

/* Whether one of the entries of row i of A is in the column. */
static inline bool FN(is_searched)(const I *a, int64_t count, const I *column, int64_t length)
{
    int64_t at = 0;
    for (int64_t k = 0; k < count && at < length; k++) {
        at = FN(gallop)(column, at, length, a[k]);
        if (at < length && column[at] == a[k])
            return true;
    }
    return false;
}

static inline bool FN(is_marked)(const uint8_t *marks, const I *column, int64_t length)
{
    for (int64_t k = 0; k < length; k++)
        if (marks[column[k]])
            return true;
    return false;
}

static inline int64_t FN(find_row)(const spl__exact_view *view, void *workspace, int64_t i, I *out)
{
    const spl__problem *p = view->problem;
    const P *a_offsets = p->a.csr.offsets, *b_offsets = view->columns_of_b->offsets;
    const I *a = (const I *)p->a.csr.indices + a_offsets[i], *b = view->columns_of_b->indices,
            *masked = (const I *)p->mask.columns + p->mask.offsets[i];
    const int64_t count = (int64_t)(a_offsets[i + 1] - a_offsets[i]),
                  places = count > 0 ? spl__mask_length(&p->mask, i) : 0;
    uint8_t *marks = workspace;
    int64_t found = 0;
    for (int64_t k = 0; places > 0 && k < count; k++)
        marks[a[k]] = 1;
    for (int64_t k = 0; k < places; k++) {
        const I *column = b + b_offsets[masked[k]];
        const int64_t length = (int64_t)(b_offsets[masked[k] + 1] - b_offsets[masked[k]]);
        if (spl__is_far_longer(length, count) ? FN(is_searched)(a, count, column, length)
                                              : FN(is_marked)(marks, column, length))
            out[found++] = masked[k];
    }
    for (int64_t k = 0; places > 0 && k < count; k++)
        marks[a[k]] = 0;
    return found;
}

#include "spgemm/cpu/rows/exact_rows.h"

#endif
