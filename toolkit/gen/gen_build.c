/* SPDX-License-Identifier: Apache-2.0 */
#include "gen_job.h"

#include "readable.h"
#include "typed_array.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gen_status gen_wrong(gen_job *job, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(job->message->text, sizeof job->message->text, format, arguments);
    va_end(arguments);
    return GEN_WRONG;
}

gen_status gen_too_many(gen_job *job, double rows)
{
    return gen_wrong(job, "%.0f rows are more than %" PRId32, rows, INT32_MAX);
}

gen_status gen_no_memory(gen_job *job, double bytes)
{
    gen_wrong(job, "no memory for %s", tool_bytes(bytes).text);
    return GEN_MEMORY;
}

int64_t gen_sum_counts(int64_t *offsets, int64_t rows)
{
    offsets[0] = 0;
    for (int64_t row = 0; row < rows; row++)
        offsets[row + 1] += offsets[row];
    return offsets[rows];
}

static int narrow_offsets(gen_matrix *matrix)
{
    const int64_t *wide = matrix->offsets;
    int64_t rows = matrix->rows;
    int32_t *narrow = tool_array(rows + 1, sizeof *narrow);
    if (!narrow)
        return 0;
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row <= rows; row++)
        narrow[row] = (int32_t)wide[row];
    free(matrix->offsets);
    matrix->offsets = narrow;
    matrix->offset_type = SPL_I32;
    return 1;
}

gen_status gen_complete(gen_job *job, int64_t rows, int64_t cols, int64_t *offsets,
                        int32_t *indices, gen_matrix *matrix)
{
    *matrix = (gen_matrix){rows, cols, offsets[rows], job->type, SPL_I64, offsets, NULL, indices};
    size_t bytes = tool_type_bytes(job->type);
    matrix->values = tool_array(matrix->nnz, bytes);
    if (!matrix->values || (matrix->nnz <= INT32_MAX && !narrow_offsets(matrix))) {
        double needed = (double)matrix->nnz * (double)bytes + (double)rows * 4;
        gen_free(matrix);
        return gen_no_memory(job, needed);
    }
    tool_fill_random(job->type, matrix->values, matrix->nnz, job->seed, 2);
    return GEN_OK;
}

gen_status gen_build(gen_job *job, const gen_rows *source, gen_matrix *matrix)
{
    int64_t rows = source->rows;
    int64_t *offsets = tool_array(rows + 1, sizeof *offsets);
    if (!offsets)
        return gen_no_memory(job, (double)rows * sizeof *offsets);
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t row = 0; row < rows; row++)
        offsets[row + 1] = source->count(source->self, row);
    int64_t nnz = gen_sum_counts(offsets, rows);
    int32_t *indices = tool_array(nnz, sizeof *indices);
    if (!indices) {
        free(offsets);
        return gen_no_memory(job, (double)nnz * sizeof *indices);
    }
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t row = 0; row < rows; row++)
        source->fill(source->self, row, indices + offsets[row]);
    return gen_complete(job, rows, source->cols, offsets, indices, matrix);
}

void gen_free(gen_matrix *matrix)
{
    free(matrix->offsets);
    free(matrix->indices);
    free(matrix->values);
    memset(matrix, 0, sizeof *matrix);
}

spl_sparse gen_view(const gen_matrix *matrix)
{
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_CSR;
    view.type = matrix->type;
    view.offset_type = matrix->offset_type;
    view.index_type = SPL_I32;
    view.rows = matrix->rows;
    view.cols = matrix->cols;
    view.nnz = matrix->nnz;
    view.offsets = matrix->offsets;
    view.indices = matrix->indices;
    view.values = matrix->values;
    return view;
}

/* -------------------------------------------------------------------------------------- sorting */

static void insertion_sort(int32_t *columns, int64_t count)
{
    for (int64_t i = 1; i < count; i++) {
        int32_t column = columns[i];
        int64_t position = i;
        for (; position > 0 && columns[position - 1] > column; position--)
            columns[position] = columns[position - 1];
        columns[position] = column;
    }
}

/* One pass of a radix sort, least significant digit first. */
static void sort_by_digit(const int32_t *from, int32_t *to, int64_t count, unsigned shift)
{
    int64_t position[257] = {0};
    for (int64_t i = 0; i < count; i++)
        position[((uint32_t)from[i] >> shift & 255) + 1]++;
    for (int digit = 0; digit < 256; digit++)
        position[digit + 1] += position[digit];
    for (int64_t i = 0; i < count; i++)
        to[position[(uint32_t)from[i] >> shift & 255]++] = from[i];
}

void gen_sort(int32_t *columns, int64_t count, int32_t *scratch)
{
    if (count <= 48) {
        insertion_sort(columns, count);
        return;
    }
    uint32_t bits = 0;
    for (int64_t i = 0; i < count; i++)
        bits |= (uint32_t)columns[i];
    int32_t *from = columns, *to = scratch;
    for (unsigned shift = 0; shift < 32 && bits >> shift; shift += 8) {
        sort_by_digit(from, to, count, shift);
        int32_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != columns)
        memcpy(columns, from, (size_t)count * sizeof *columns);
}
