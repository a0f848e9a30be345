/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/compact.h"

#include "core/checked.h"
#include "matrix/renumber.h"

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

static spl__numbers numbers(int64_t *array, int64_t count)
{
    return (spl__numbers){array, SPL_I64, count};
}

/* Rows and columns by numbers of their own, and never as many of both. */
static spl_status renumber_each(spl__account *account, spl__coordinates *c)
{
    const spl__numbers none = {NULL, SPL_I64, 0};
    spl_sparse *v = &c->view;
    SPL__TRY(spl__renumber(account, numbers(c->rows, v->nnz), none, &v->rows));
    SPL__TRY(spl__renumber(account, numbers(c->cols, v->nnz), none, &v->cols));
    v->cols += v->cols == v->rows;
    return SPL_OK;
}

static spl_status renumber_both(spl__account *account, spl__coordinates *c)
{
    spl_sparse *v = &c->view;
    SPL__TRY(spl__renumber(account, numbers(c->rows, v->nnz), numbers(c->cols, v->nnz), &v->rows));
    v->cols = v->rows;
    return SPL_OK;
}

static void divide(const int64_t *from, int64_t count, int64_t size, int64_t *to)
{
    for (int64_t k = 0; k < count; k++)
        to[k] = from[k] / size;
}

spl_status spl__compact_make(spl__account *account, const spl__coordinates *source, int64_t size,
                             spl__coordinates *compact)
{
    int64_t count = source->view.nnz;
    bool square = source->view.rows == source->view.cols;
    SPL__TRY(allocate(account, &source->view, compact));
    divide(source->rows, count, size, compact->rows);
    divide(source->cols, count, size, compact->cols);
    spl_status status = square ? renumber_both(account, compact) : renumber_each(account, compact);
    if (status != SPL_OK)
        spl__coordinates_free(compact);
    return status;
}
