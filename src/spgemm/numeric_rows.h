/* SPDX-License-Identifier: Apache-2.0 */
/* numeric_rows.h: the values of C = alpha*A*B + beta*D, row by row. A template: T, ACC, I, P, FN come from core/each_type.h, and the
 * includer, a numeric method, defines how one row is accumulated:
 *
 *   FN(accumulator)                               what a row needs
 *   FN(begin_row)(workspace, columns, count, values)  -> accumulator with a zero for each of the row's known columns
 *   FN(add_scaled)(accumulator, columns, values, count, scale)  adds scale * values[k] to columns[k], all of them known
 *   FN(end_row)(accumulator)                      the sums are in `values` afterwards, in the order of `columns`
 *
 * Terms are added in the order of A's and B's entries, then D's: the same for any number of threads. */

#include "spgemm/find_columns.h"

/* Columns of row i: finds them first if nobody has yet. */
static inline int64_t FN(know_row)(const spl__problem *p, spl__product *c, const spl__finder *finder, int64_t i)
{
    if (finder && !c->known)
        c->lengths[i] = FN(find_columns)(p, c, finder, i, (I *)c->columns + c->offsets[i]);
    return spl__row_length(c, i);
}

static inline void FN(add_row)(const spl__problem *p, const spl__call *call, int64_t i, const FN(accumulator) * sums)
{
    const P *a_offsets = p->a.csr.offsets, *b_offsets = p->b.csr.offsets, *d_offsets = p->d.csr.offsets;
    const I *a_columns = p->a.csr.indices, *b_columns = p->b.csr.indices, *d_columns = p->d.csr.indices;
    const T *a_values = p->a.csr.values, *b_values = p->b.csr.values, *d_values = p->d.csr.values;
    T alpha = *(const T *)call->alpha, beta = *(const T *)call->beta;
    if (alpha != 0) /* else no values of A and B are read */
        for (P q = a_offsets[i]; q < a_offsets[i + 1]; q++) {
            P begin = b_offsets[a_columns[q]], end = b_offsets[a_columns[q] + 1];
            FN(add_scaled)(sums, b_columns + begin, b_values + begin, end - begin, (ACC)alpha * a_values[q]);
        }
    if (p->has_d && beta != 0) {
        P begin = d_offsets[i], end = d_offsets[i + 1];
        FN(add_scaled)(sums, d_columns + begin, d_values + begin, end - begin, (ACC)beta);
    }
}

static void FN(compute_block)(spl__step *step, const spl__call *call, int64_t block, int thread)
{
    const spl__numeric *n = step->state;
    const spl__problem *p = &step->task.plan->problem;
    const int64_t *list = step->task.rows.list;
    spl__product *c = spl__product_of(step->task.plan);
    for (int64_t k = n->blocks.begin[block]; k < n->blocks.begin[block + 1]; k++) {
        int64_t i = list ? list[k] : k;
        int64_t count = FN(know_row)(p, c, n->finders ? &n->finders[thread] : NULL, i);
        FN(accumulator)
        sums = FN(begin_row)(n->workspaces[thread], (const I *)c->columns + c->offsets[i], count,
                             (T *)call->values + c->offsets[i]);
        FN(add_row)(p, call, i, &sums);
        FN(end_row)(&sums);
    }
}

static spl_status FN(compute)(spl__step *step, const spl__call *call)
{
    const spl__numeric *n = step->state;
    spl__failure cancelled = {0};
#pragma omp parallel for schedule(dynamic) num_threads(n->threads) if (n->threads > 1)
    for (int64_t b = 0; b < n->blocks.count; b++) {
        if (spl__failed(&cancelled))
            continue;
        spl__failure_note(&cancelled, spl__numeric_progress(step, b));
        FN(compute_block)(step, call, b, omp_get_thread_num());
    }
    return spl__failure_raise(&cancelled);
}
