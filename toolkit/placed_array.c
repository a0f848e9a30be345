/* SPDX-License-Identifier: Apache-2.0 */
#include "placed_array.h"

#include "typed_array.h"

spl_status tool_put(spl_context *context, spl_place place, const void *from, size_t bytes,
                    void **array)
{
    spl_place host = {SPL_HOST, 0};
    spl_status status = spl_array_alloc(context, place, bytes ? bytes : 1, array);
    if (status == SPL_OK && from && bytes)
        status = spl_array_copy(context, place, *array, host, from, bytes, NULL);
    return status;
}

void tool_drop(spl_context *context, spl_place place, const void *array, size_t bytes)
{
    spl_array_free(context, place, (void *)array, bytes ? bytes : 1);
}

spl_status tool_put_matrix(spl_context *context, spl_place place, const spl_sparse *like,
                           tool_placed_matrix *matrix)
{
    const void *const from[TOOL_ARRAYS] = {like->offsets, like->indices, like->values};
    const void **const to[TOOL_ARRAYS] = {&matrix->view.offsets, &matrix->view.indices,
                                          &matrix->view.values};
    spl_status status = SPL_OK;
    matrix->view = *like;
    matrix->view.place = place;
    matrix->view.offsets = matrix->view.indices = matrix->view.values = NULL;
    matrix->bytes[TOOL_OFFSETS] = (size_t)(like->rows + 1) * tool_index_bytes(like->offset_type);
    matrix->bytes[TOOL_INDICES] = (size_t)like->nnz * tool_index_bytes(like->index_type);
    matrix->bytes[TOOL_VALUES] = (size_t)like->nnz * tool_type_bytes(like->type);
    for (int i = 0; i < TOOL_ARRAYS && status == SPL_OK; i++) {
        void *array = NULL;
        status = tool_put(context, place, from[i], matrix->bytes[i], &array);
        *to[i] = array;
    }
    return status;
}

void tool_drop_matrix(spl_context *context, tool_placed_matrix *matrix)
{
    spl_place place = matrix->view.place;
    tool_drop(context, place, matrix->view.offsets, matrix->bytes[TOOL_OFFSETS]);
    tool_drop(context, place, matrix->view.indices, matrix->bytes[TOOL_INDICES]);
    tool_drop(context, place, matrix->view.values, matrix->bytes[TOOL_VALUES]);
    *matrix = (tool_placed_matrix){.view = SPL_SPARSE_INIT};
}
