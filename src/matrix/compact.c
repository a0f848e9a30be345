/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/compact.h"

#include "core/checked.h"

#include <stdlib.h>

bool spl__is_far(const spl_sparse *view)
{
    enum { NEAR = 1024, TIMES = 4 };
    int64_t lines = view->format == SPL_CSR ? view->rows : view->format == SPL_CSC ? view->cols : 0;
    return spl__max_i64(view->rows, view->cols) / TIMES > view->nnz + lines + NEAR;
}

/* ---- coordinates ---- */

static void write_lines(const spl_sparse *view, int64_t *lines)
{
    int64_t count = view->format == SPL_CSR ? view->rows : view->cols;
    for (int64_t line = 0, p = 0; line < count; line++)
        for (int64_t end = spl__index_at(view->offsets, view->offset_type, line + 1); p < end; p++)
            lines[p] = line;
}

static void write_indices(const void *indices, const spl_sparse *view, int64_t *to)
{
    for (int64_t p = 0; p < view->nnz; p++)
        to[p] = spl__index_at(indices, view->index_type, p);
}

static spl_status allocate(spl__account *account, const spl_sparse *view, spl__coordinates *all)
{
    *all = (spl__coordinates){.view = *view};
    all->view.format = SPL_COO;
    all->view.offset_type = all->view.index_type = SPL_I64;
    spl_status status = SPL__NEW(account, &all->rows, view->nnz);
    if (status == SPL_OK)
        status = SPL__NEW(account, &all->cols, view->nnz);
    if (status != SPL_OK)
        spl__coordinates_free(all);
    all->view.offsets = all->rows;
    all->view.indices = all->cols;
    return status;
}

spl_status spl__coordinates_make(spl__account *account, const spl_sparse *view,
                                 spl__coordinates *all)
{
    SPL__TRY(allocate(account, view, all));
    if (view->format == SPL_COO)
        write_indices(view->offsets, view, all->rows);
    else
        write_lines(view, view->format == SPL_CSR ? all->rows : all->cols);
    write_indices(view->indices, view, view->format == SPL_CSC ? all->rows : all->cols);
    return SPL_OK;
}

void spl__coordinates_free(spl__coordinates *all)
{
    spl__free(all->rows);
    spl__free(all->cols);
    all->rows = all->cols = NULL;
}

/* ---- numbers among those that occur ---- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts and removes duplicates; returns the number of distinct ones. */
static int64_t sort_distinct(int64_t *numbers, int64_t count)
{
    int64_t distinct = 0;
    if (count > 0)
        qsort(numbers, (size_t)count, sizeof *numbers, compare);
    for (int64_t k = 0; k < count; k++)
        if (k == 0 || numbers[k] != numbers[k - 1])
            numbers[distinct++] = numbers[k];
    return distinct;
}

static int64_t position_of(const int64_t *numbers, int64_t count, int64_t number)
{
    int64_t low = 0;
    for (int64_t high = count; high - low > 1;) {
        int64_t middle = low + (high - low) / 2;
        *(numbers[middle] <= number ? &low : &high) = middle;
    }
    return low;
}

static void divide(const int64_t *from, int64_t count, int64_t size, int64_t *to)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = from[k] / size;
}

/* Replaces `count` numbers by their ranks among the distinct ones, in place; returns the number
 * of these. `distinct` has the same length. */
static int64_t renumber(int64_t *numbers, int64_t count, int64_t *distinct)
{
    divide(numbers, count, 1, distinct);
    int64_t distinct_count = sort_distinct(distinct, count);
    for (int64_t k = 0; k < count; k++)
        numbers[k] = position_of(distinct, distinct_count, numbers[k]);
    return distinct_count;
}

/* Rows and columns by one numbering: `distinct` has room for both. */
static int64_t renumber_both(spl__coordinates *c, int64_t *distinct)
{
    int64_t count = c->view.nnz;
    divide(c->rows, count, 1, distinct);
    divide(c->cols, count, 1, distinct + count);
    int64_t distinct_count = sort_distinct(distinct, 2 * count);
    for (int64_t k = 0; k < count; k++) {
        c->rows[k] = position_of(distinct, distinct_count, c->rows[k]);
        c->cols[k] = position_of(distinct, distinct_count, c->cols[k]);
    }
    return distinct_count;
}

spl_status spl__compact_make(spl__account *account, const spl__coordinates *source, int64_t size,
                             spl__coordinates *compact)
{
    int64_t count = source->view.nnz, *distinct;
    bool square = source->view.rows == source->view.cols;
    SPL__TRY(SPL__NEW(account, &distinct, 2 * count));
    spl_status status = allocate(account, &source->view, compact);
    if (status != SPL_OK) {
        spl__free(distinct);
        return status;
    }
    divide(source->rows, count, size, compact->rows);
    divide(source->cols, count, size, compact->cols);
    spl_sparse *v = &compact->view;
    if (square) {
        v->rows = v->cols = renumber_both(compact, distinct);
    } else {
        v->rows = renumber(compact->rows, count, distinct);
        v->cols = renumber(compact->cols, count, distinct);
        v->cols += v->cols == v->rows;
    }
    spl__free(distinct);
    return SPL_OK;
}
