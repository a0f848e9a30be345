/* SPDX-License-Identifier: Apache-2.0 */
#include "zoo/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t zoo_index_bytes(spl_index type)
{
    return type == SPL_I32 ? 4 : 8;
}

size_t zoo_type_bytes(spl_type type)
{
    return type == SPL_F32 || type == SPL_INT32 ? 4 : type == SPL_F16 || type == SPL_BF16 ? 2 : 8;
}

int64_t zoo_index_at(const void *array, spl_index type, int64_t position)
{
    return type == SPL_I32 ? ((const int32_t *)array)[position]
                           : ((const int64_t *)array)[position];
}

void zoo_index_set(void *array, spl_index type, int64_t position, int64_t value)
{
    if (type == SPL_I32)
        ((int32_t *)array)[position] = (int32_t)value;
    else
        ((int64_t *)array)[position] = value;
}

double zoo_value_at(const void *array, spl_type type, int64_t position)
{
    if (type == SPL_F32)
        return (double)((const float *)array)[position];
    if (type == SPL_INT32 || type == SPL_INT64)
        return (double)zoo_index_at(array, type == SPL_INT32 ? SPL_I32 : SPL_I64, position);
    return type == SPL_F64 ? ((const double *)array)[position]
                           : zoo_half_value(((const uint16_t *)array)[position], type);
}

void zoo_value_set(void *array, spl_type type, int64_t position, double value)
{
    if (type == SPL_F32)
        ((float *)array)[position] = (float)value;
    else if (type == SPL_F64)
        ((double *)array)[position] = value;
    else if (type == SPL_INT32 || type == SPL_INT64)
        zoo_index_set(array, type == SPL_INT32 ? SPL_I32 : SPL_I64, position, (int64_t)value);
    else
        ((uint16_t *)array)[position] = zoo_half_bits(value, type);
}

zoo_form zoo_form_number(int number)
{
    static const spl_index widths[3][2] = {
        {SPL_I32, SPL_I32}, {SPL_I64, SPL_I32}, {SPL_I64, SPL_I64}};
    int width = number / 3 % 3;
    return (zoo_form){(spl_format)(SPL_CSR + number % 3), number < 9 ? SPL_F64 : SPL_F32,
                      widths[width][0], widths[width][1]};
}

const char *zoo_form_name(zoo_form form)
{
    static _Thread_local char names[8][32];
    static _Thread_local unsigned next;
    static const char *const formats[] = {"?", "csr", "csc", "coo"}, *const types[] = {"?", "f32",
                                                                                       "f64", "f16",
                                                                                       "bf16"};
    char *name = names[next++ % 8];
    snprintf(name, sizeof names[0], "%s %s %d/%d", formats[form.format], types[form.type],
             form.offset_type == SPL_I32 ? 32 : 64, form.index_type == SPL_I32 ? 32 : 64);
    return name;
}

static void start_matrix(zoo_matrix *matrix, const zoo_triples *t, zoo_form form)
{
    int64_t lines = form.format == SPL_CSR   ? t->rows + 1
                    : form.format == SPL_CSC ? t->cols + 1
                                             : t->nnz;
    spl_index first = form.format == SPL_COO ? form.index_type : form.offset_type;
    matrix->offsets = zoo_allocate((size_t)lines * zoo_index_bytes(first));
    matrix->indices = zoo_allocate((size_t)t->nnz * zoo_index_bytes(form.index_type));
    matrix->values = zoo_allocate((size_t)t->nnz * zoo_type_bytes(form.type));
    matrix->view = (spl_sparse)SPL_SPARSE_INIT;
    matrix->view.format = form.format;
    matrix->view.type = form.type;
    matrix->view.offset_type = form.offset_type;
    matrix->view.index_type = form.index_type;
    matrix->view.rows = t->rows;
    matrix->view.cols = t->cols;
    matrix->view.nnz = t->nnz;
    matrix->view.offsets = matrix->offsets;
    matrix->view.indices = matrix->indices;
    matrix->view.values = matrix->values;
}

/* Stable counting sort of the entries by `line` (rows for CSR, columns for CSC). */
static void fill_lines(zoo_matrix *m, const zoo_triples *t, const int64_t *line,
                       const int64_t *other, int64_t lines)
{
    int64_t *next = zoo_allocate((size_t)(lines + 1) * sizeof *next);
    memset(next, 0, (size_t)(lines + 1) * sizeof *next);
    for (int64_t e = 0; e < t->nnz; e++)
        next[line[e] + 1]++;
    for (int64_t l = 0; l < lines; l++)
        next[l + 1] += next[l];
    for (int64_t l = 0; l <= lines; l++)
        zoo_index_set(m->offsets, m->view.offset_type, l, next[l]);
    for (int64_t e = 0; e < t->nnz; e++) {
        int64_t position = next[line[e]]++;
        zoo_index_set(m->indices, m->view.index_type, position, other[e]);
        zoo_value_set(m->values, m->view.type, position, t->v[e]);
    }
    free(next);
}

void zoo_build(zoo_matrix *matrix, const zoo_triples *triples, zoo_form form)
{
    start_matrix(matrix, triples, form);
    if (form.format == SPL_CSR)
        fill_lines(matrix, triples, triples->i, triples->j, triples->rows);
    else if (form.format == SPL_CSC)
        fill_lines(matrix, triples, triples->j, triples->i, triples->cols);
    else
        for (int64_t e = 0; e < triples->nnz; e++) {
            zoo_index_set(matrix->offsets, form.index_type, e, triples->i[e]);
            zoo_index_set(matrix->indices, form.index_type, e, triples->j[e]);
            zoo_value_set(matrix->values, form.type, e, triples->v[e]);
        }
}

void zoo_matrix_free(zoo_matrix *matrix)
{
    free(matrix->offsets);
    free(matrix->indices);
    free(matrix->values);
    *matrix = (zoo_matrix){.view = SPL_SPARSE_INIT};
}

void zoo_matrix_make(zoo_matrix *matrix, const zoo_maker *maker, zoo_form form, uint64_t seed)
{
    zoo_triples triples;
    zoo_make(&triples, maker, seed);
    zoo_build(matrix, &triples, form);
    zoo_triples_free(&triples);
}

spl_sparse zoo_csr(spl_type type, int64_t rows, int64_t cols, const int32_t *offsets,
                   const int32_t *columns, const void *values)
{
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_CSR;
    view.type = type;
    view.offset_type = view.index_type = SPL_I32;
    view.rows = rows;
    view.cols = cols;
    view.nnz = offsets[rows];
    view.offsets = offsets;
    view.indices = columns;
    view.values = values;
    return view;
}
