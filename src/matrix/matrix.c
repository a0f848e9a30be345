/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/matrix.h"

#include "core/sized.h"

#include <string.h>

/* *array = what is given, or a new one. */
static spl_status take_or_make(spl__account *account, void *given, int64_t count, size_t size,
                               void **array)
{
    *array = given;
    return given ? SPL_OK : spl__alloc(account, count, size, array);
}

spl_status spl__matrix_around(spl__account *account, const spl_sparse *header, void *offsets,
                              void *indices, void *values, spl_matrix **matrix)
{
    spl_matrix *m;
    int64_t lines = spl__offsets_count(header);
    *matrix = NULL;
    SPL__TRY(SPL__NEW_ZERO(account, &m, 1));
    spl_status status = take_or_make(account, offsets, lines,
                                     spl__index_size(spl__offsets_type(header)), &m->offsets);
    if (status == SPL_OK)
        status = take_or_make(account, indices, header->nnz, spl__index_size(header->index_type),
                              &m->indices);
    if (status == SPL_OK)
        status =
            take_or_make(account, values, header->nnz, spl__type_size(header->type), &m->values);
    if (status != SPL_OK) {
        m->offsets = offsets ? NULL : m->offsets;
        m->indices = indices ? NULL : m->indices;
        m->values = values ? NULL : m->values;
        spl_matrix_destroy(m);
        return status;
    }
    m->view = *header;
    m->view.size = sizeof m->view;
    m->view.offsets = m->offsets;
    m->view.indices = m->indices;
    m->view.values = m->values;
    *matrix = m;
    return SPL_OK;
}

spl_status spl__matrix_new(spl__account *account, const spl_sparse *header, spl_matrix **matrix)
{
    return spl__matrix_around(account, header, NULL, NULL, NULL, matrix);
}

void spl__matrix_move(spl_matrix *matrix, spl__account *to)
{
    if (!matrix->queue.device) {
        spl__memory_move(matrix->offsets, to);
        spl__memory_move(matrix->indices, to);
        spl__memory_move(matrix->values, to);
    }
    spl__memory_move(matrix, to);
}

static void free_arrays(spl_matrix *matrix)
{
    spl__free(matrix->offsets);
    spl__free(matrix->indices);
    spl__free(matrix->values);
}

void spl_matrix_destroy(spl_matrix *matrix)
{
    if (!matrix)
        return;
    if (matrix->queue.device)
        spl__device_matrix_free_arrays(matrix);
    else
        free_arrays(matrix);
    spl__free(matrix);
}

spl_status spl_matrix_view(const spl_matrix *matrix, spl_sparse *view)
{
    if (!matrix)
        return spl__fail(SPL_INVALID_ARGUMENT, "matrix is NULL");
    return spl__sized_write(view, &matrix->view, sizeof matrix->view, "view");
}

spl_status spl_matrix_arrays(spl_matrix *matrix, void **offsets, void **indices, void **values)
{
    if (!matrix)
        return spl__fail(SPL_INVALID_ARGUMENT, "matrix is NULL");
    if (offsets)
        *offsets = matrix->offsets;
    if (indices)
        *indices = matrix->indices;
    if (values)
        *values = matrix->values;
    return SPL_OK;
}
