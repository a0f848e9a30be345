/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/matrix.h"

#include "core/sized.h"

#include <string.h>

spl_status spl__matrix_new(spl__account *account, const spl_sparse *header, spl_matrix **matrix)
{
    spl_matrix *m;
    *matrix = NULL;
    SPL__TRY(SPL__NEW_ZERO(account, &m, 1));
    m->view = *header;
    m->view.size = sizeof m->view;
    spl_status status =
        spl__alloc(account, spl__offsets_count(header), spl__index_size(spl__offsets_type(header)), &m->offsets);
    if (status == SPL_OK)
        status = spl__alloc(account, header->nnz, spl__index_size(header->index_type), &m->indices);
    if (status == SPL_OK)
        status = spl__alloc(account, header->nnz, spl__type_size(header->type), &m->values);
    if (status != SPL_OK) {
        spl_matrix_destroy(m);
        return status;
    }
    m->view.offsets = m->offsets;
    m->view.indices = m->indices;
    m->view.values = m->values;
    *matrix = m;
    return SPL_OK;
}

void spl__matrix_move(spl_matrix *matrix, spl__account *to)
{
    spl__memory_move(matrix->offsets, to);
    spl__memory_move(matrix->indices, to);
    spl__memory_move(matrix->values, to);
    spl__memory_move(matrix, to);
}

void spl_matrix_destroy(spl_matrix *matrix)
{
    if (!matrix)
        return;
    spl__free(matrix->offsets);
    spl__free(matrix->indices);
    spl__free(matrix->values);
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
