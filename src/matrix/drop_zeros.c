/* SPDX-License-Identifier: Apache-2.0 */
/* drop_zeros.c: a matrix without its entries of value zero. */
#include "core/context.h"
#include "core/watch.h"
#include "matrix/matrix.h"

#include <string.h>

static int64_t count_nonzeros(spl__watch *watch, const spl_sparse *m)
{
    int64_t count = 0;
    for (int64_t p = 0; p < m->nnz && spl__watch_goes_on_at(watch, p); p++)
        count += spl__value_at(m->values, m->type, p) != 0;
    return count;
}

/* Entry `from` of the source becomes entry `to`. Values of one type are not changed. */
static void copy_entry(const spl_sparse *source, int64_t from, spl_matrix *m, int64_t to)
{
    const spl_sparse *view = &m->view;
    spl__index_set(m->indices, view->index_type, to,
                   spl__index_at(source->indices, source->index_type, from));
    const size_t size = spl__type_size(view->type);
    memcpy((char *)m->values + (size_t)to * size,
           (const char *)source->values + (size_t)from * size, size);
    if (view->format == SPL_COO)
        spl__index_set(m->offsets, view->index_type, to,
                       spl__index_at(source->offsets, source->index_type, from));
}

/* Appends the non-zero entries from `begin` to `end` of the source to the first `count`. Returns
 * the new count. */
static int64_t copy_nonzeros(const spl_sparse *source, int64_t begin, int64_t end, spl_matrix *m,
                             int64_t count)
{
    for (int64_t p = begin; p < end; p++)
        if (spl__value_at(source->values, source->type, p) != 0)
            copy_entry(source, p, m, count++);
    return count;
}

static void write_nonzeros(spl__watch *watch, const spl_sparse *source, spl_matrix *m)
{
    if (m->view.format == SPL_COO) {
        copy_nonzeros(source, 0, source->nnz, m, 0);
        return;
    }
    int64_t lines = source->format == SPL_CSR ? source->rows : source->cols, count = 0;
    spl__index_set(m->offsets, m->view.offset_type, 0, 0);
    for (int64_t line = 0, p = 0; line < lines && spl__watch_goes_on_at(watch, line); line++) {
        int64_t end = spl__index_at(source->offsets, source->offset_type, line + 1);
        count = copy_nonzeros(source, p, end, m, count);
        spl__index_set(m->offsets, m->view.offset_type, line + 1, count);
        p = end;
    }
}

spl_status spl__matrix_drop_zeros(spl__account *account, spl_matrix **matrix)
{
    spl_matrix *without;
    spl_sparse source = (*matrix)->view, header = source;
    spl__watch *watch = spl__account_watch(account);
    header.nnz = count_nonzeros(watch, &source);
    if (header.nnz == source.nnz)
        return SPL_OK;
    SPL__TRY(spl__watch_check(watch));
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(spl__matrix_new(account, &header, &without));
    write_nonzeros(watch, &source, without);
    spl_matrix_destroy(*matrix);
    *matrix = without;
    return SPL_OK;
}
