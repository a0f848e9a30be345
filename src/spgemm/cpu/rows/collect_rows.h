/* SPDX-License-Identifier: Apache-2.0 */
/* collect_rows.h: rows of C by methods that find columns and values at once. A template: T, ACC, I,
 * P, FN come from core/each_type.h, and the includer, a numeric method, has defined
 *
 *   FN(accumulator)                                              what a row needs
 *   FN(begin_row)(problem, work, workspace)                      -> an empty accumulator for up to
 * `work` products FN(add_scaled)(accumulator, columns, values, count, scale)   adds scale *
 * values[k] to columns[k], zeros if values is NULL FN(end_row)(accumulator, columns, values) writes
 * both in ascending order (columns only unless NULL); returns their number
 *   FN(shortcut)(row, columns, values)    the whole row, by a shorter way; returns their number, or
 * -1: there is none. Declared here, defined afterwards
 *   FN(remember_row)(A, B, i, workspace, accumulator, count)     sees it after end_row, where
 * there is no D
 *
 * FN(collect) is the method's kernel. Where columns are not known yet and the step has all rows
 * of C, the rows are written consecutively, without gaps: a single thread writes them directly
 * to C; several threads fill one buffer per block, and the buffers are copied in the order of
 * blocks. */
#include "spgemm/cpu/rows/numeric_rows.h"

#include "spgemm/cpu/rows/add_row.h"

#include <string.h>

static inline int64_t FN(shortcut)(const FN(row) *row, I *columns, T *values);

static inline int64_t FN(collect_row)(const FN(row) *row, I *columns, T *values)
{
    const int64_t *work = row->product->work + row->i;
    int64_t count = FN(shortcut)(row, columns, values);
    if (count >= 0)
        return count;
    FN(accumulator) sums = FN(begin_row)(row->problem, work[1] - work[0], row->workspace);
    FN(add_row)(row, &sums, true);
    count = FN(end_row)(&sums, columns, values);
    if (!row->problem->has_d)
        FN(remember_row)(&row->problem->a.csr, &row->problem->b.csr, row->i, row->workspace, &sums,
                         count);
    return count;
}

static inline int64_t FN(compute_row)(const FN(row) *row)
{
    spl__product *c = row->product;
    int64_t count = FN(collect_row)(row, c->known ? NULL : FN(columns_of)(row), FN(values_of)(row));
    if (!c->known)
        c->lengths[row->i] = count;
    return 1;
}

/* Writes the rows of a block consecutively, and offsets[i+1] as if the block began at 0; returns
 * their length. */
static SPL__APART int64_t FN(collect_block)(FN(row) *row, int64_t begin, int64_t end, I *columns,
                                            T *values)
{
    int64_t found = 0;
    for (row->i = begin; row->i < end; row->i++) {
        found += FN(collect_row)(row, columns + found, values + found);
        row->product->offsets[row->i + 1] = found;
    }
    return found;
}

/* Moves the block's offsets and its buffered rows to where the block begins in C. */
static void FN(store_block)(const FN(row) *row, int64_t begin, int64_t end, int64_t first,
                            const I *columns, const T *values)
{
    spl__product *c = row->product;
    size_t count = (size_t)c->offsets[end];
    for (int64_t i = begin; i < end; i++)
        c->offsets[i + 1] += first;
    if (!columns || count == 0)
        return;
    memcpy((I *)c->columns + first, columns, count * sizeof(I));
    memcpy((T *)row->call->values + first, values, count * sizeof(T));
}

static spl_status FN(collect_all)(spl__step *step, const spl__call *call)
{
    const spl__numeric *n = step->state;
    spl__product *c = spl__product_of(step->task.plan);
    spl__turns turns = {0};
    int64_t total = 0;
    c->offsets[0] = 0;
    spl__watch_stage(call->watch, "numeric", n->blocks.count);
#pragma omp parallel for num_threads(spl__team(spl__numeric_threads(step))) schedule(dynamic)
    for (int64_t b = 0; b < n->blocks.count; b++) {
        int64_t begin = n->blocks.begin[b], end = n->blocks.begin[b + 1];
        if (!spl__watch_goes_on(call->watch)) {
            spl__turn_await(&turns, b);
            spl__turn_pass(&turns, b);
            continue;
        }
        FN(row) row = FN(row_for)(step, call, omp_get_thread_num());
        T *values = n->buffers ? n->buffers[omp_get_thread_num()] : NULL;
        I *columns = n->buffers ? (I *)(values + n->room) : NULL;
        int64_t count =
            FN(collect_block)(&row, begin, end, columns ? columns : (I *)c->columns + total,
                              values ? values : (T *)call->values + total);
        spl__turn_await(&turns, b);
        const int64_t first = total;
        total += count;
        spl__turn_pass(&turns, b);
        FN(store_block)(&row, begin, end, first, columns, values);
    }
    return SPL_OK;
}

static spl_status FN(collect)(spl__step *step, const spl__call *call)
{
    const spl__product *c = spl__product_of(step->task.plan);
    return c->known || c->lengths || c->capacity == 0 ? FN(compute)(step, call)
                                                      : FN(collect_all)(step, call);
}
