/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/row_slice.h"

#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "matrix/arrange.h"

#include <string.h>

static int64_t row_at(const spl__row_slice *s, int64_t i)
{
    return s->order ? s->order[i] : s->begin + i;
}

static int64_t offset_at(const spl_sparse *matrix, int64_t i)
{
    return matrix->rows > 0 ? spl__index_at(matrix->offsets, matrix->offset_type, i) : 0;
}

static int64_t length_of(const spl_sparse *matrix, int64_t row)
{
    return offset_at(matrix, row + 1) - offset_at(matrix, row);
}

static void add_up(const spl_sparse *matrix, spl__row_slice *s)
{
    spl_index type = matrix->offset_type;
    int64_t sum = 0;
    spl__index_set(s->offsets, type, 0, 0);
    for (int64_t i = 0; i < s->csr.rows; i++) {
        sum += length_of(matrix, row_at(s, i));
        spl__index_set(s->offsets, type, i + 1, sum);
    }
    s->csr.nnz = sum;
}

/* Of neighbours: the matrix' own, from 0 on. */
static void move_down(int threads, const spl_sparse *matrix, spl__row_slice *s)
{
    spl_index type = matrix->offset_type;
    int64_t rows = s->csr.rows;
#pragma omp parallel for num_threads(spl__team(spl__threads_for(rows, threads))) schedule(static)
    for (int64_t i = 0; i <= rows; i++)
        spl__index_set(s->offsets, type, i, offset_at(matrix, s->begin + i) - s->first);
}

static spl_status make_offsets(spl__account *account, int threads, const spl_sparse *matrix,
                               spl__row_slice *s)
{
    if (!s->order)
        s->csr.nnz = offset_at(matrix, s->begin + s->csr.rows) - s->first;
    if (!s->order && s->begin == 0 && matrix->rows > 0)
        return SPL_OK; /* those of the matrix */
    SPL__TRY(
        spl__alloc(account, s->csr.rows + 1, spl__index_size(matrix->offset_type), &s->offsets));
    if (s->order)
        add_up(matrix, s);
    else
        move_down(threads, matrix, s);
    s->csr.offsets = s->offsets;
    return SPL_OK;
}

/* Copies the rows of an array with elements of `size` bytes. */
static void copy_rows(const spl_sparse *matrix, const spl__row_slice *s, const void *from, void *to,
                      size_t size)
{
    char *out = to;
    for (int64_t i = 0; i < s->csr.rows; i++) {
        int64_t row = row_at(s, i);
        size_t bytes = (size_t)length_of(matrix, row) * size;
        if (bytes > 0)
            memcpy(out, (const char *)from + (size_t)offset_at(matrix, row) * size, bytes);
        out += bytes;
    }
}

static const void *address_of(const void *array, int64_t element, size_t size)
{
    return array ? (const char *)array + (size_t)element * size : NULL;
}

void spl__row_slice_update(spl__row_slice *s, const spl_sparse *matrix)
{
    size_t size = spl__type_size(matrix->type);
    if (s->values)
        copy_rows(matrix, s, matrix->values, s->values, size);
    if (!s->offsets)
        s->csr.offsets = matrix->offsets;
    if (!s->order)
        s->csr.indices = address_of(matrix->indices, s->first, spl__index_size(matrix->index_type));
    s->csr.values = s->order ? s->values : address_of(matrix->values, s->first, size);
}

spl_status spl__row_slice_make(spl__account *account, int threads, const spl_sparse *matrix,
                               const int64_t *order, int64_t begin, int64_t end, spl__row_slice *s)
{
    *s = (spl__row_slice){.csr = *matrix, .order = order ? order + begin : NULL, .begin = begin};
    s->csr.rows = end - begin;
    s->first = order ? 0 : offset_at(matrix, begin);
    SPL__TRY(make_offsets(account, threads, matrix, s));
    if (order) {
        SPL__TRY(spl__alloc(account, s->csr.nnz, spl__index_size(matrix->index_type), &s->indices));
        if (matrix->values)
            SPL__TRY(spl__alloc(account, s->csr.nnz, spl__type_size(matrix->type), &s->values));
        copy_rows(matrix, s, matrix->indices, s->indices, spl__index_size(matrix->index_type));
        s->csr.indices = s->indices;
    }
    spl__row_slice_update(s, matrix);
    return SPL_OK;
}

void spl__row_slice_free(spl__row_slice *s)
{
    spl__free(s->offsets);
    spl__free(s->indices);
    spl__free(s->values);
    *s = (spl__row_slice){.begin = 0};
}
