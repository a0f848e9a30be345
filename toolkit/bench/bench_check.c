/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_check.h"

#include "sparse_rows.h"
#include "typed_array.h"

#include <stdlib.h>

/* Blocks for each thread: rows are not equally long. */
enum { BLOCKS_PER_THREAD = 4 };

static int is_sparse(const bench_problem *problem)
{
    return problem->operation == BENCH_SPGEMM || problem->operation == BENCH_NUMERIC;
}

/* Rows [first, first + count) as a matrix: offsets of its own, which *offsets holds, the other
 * arrays shared. */
static spl_status take_rows(const spl_sparse *matrix, int64_t first, int64_t count,
                            spl_sparse *rows, int64_t **offsets)
{
    int64_t start = tool_offset(matrix, first);
    *offsets = tool_array(count + 1, sizeof **offsets);
    if (!*offsets)
        return SPL_OUT_OF_MEMORY;
    for (int64_t i = 0; i <= count; i++)
        (*offsets)[i] = tool_offset(matrix, first + i) - start;
    *rows = *matrix;
    rows->rows = count;
    rows->nnz = (*offsets)[count];
    rows->offset_type = SPL_I64;
    rows->offsets = *offsets;
    rows->indices =
        (const char *)matrix->indices + (size_t)start * tool_index_bytes(matrix->index_type);
    rows->values = (const char *)matrix->values + (size_t)start * tool_type_bytes(matrix->type);
    return SPL_OK;
}

static spl_status check_sparse(const bench_problem *p, const spl_sparse *a, const spl_sparse *c,
                               int64_t first, spl_check *check)
{
    spl_sparse rows = SPL_SPARSE_INIT;
    int64_t *offsets = NULL;
    spl_status status = take_rows(c, first, a->rows, &rows, &offsets);
    if (status == SPL_OK)
        status = spl_check_spgemm(NULL, a, bench_right(p), NULL, NULL, &rows, NULL, check);
    free(offsets);
    return status;
}

static spl_status check_dense(const bench_problem *p, const spl_sparse *a, int64_t first,
                              spl_check *check)
{
    size_t size = tool_type_bytes(p->type);
    if (p->operation == BENCH_SPMV)
        return spl_check_spmv(NULL, a, p->x, NULL, NULL, (const char *)p->y + (size_t)first * size,
                              NULL, check);
    spl_dense b = bench_dense(p, p->a.cols, p->x), y = bench_dense(p, p->a.rows, p->y);
    y.rows = a->rows;
    y.values = (char *)y.values + (size_t)(p->order == SPL_ROW_MAJOR ? first * y.ld : first) * size;
    spl_options options = SPL_OPTIONS_INIT;
    options.accuracy = p->accuracy;
    return spl_check_spmm(NULL, a, &b, NULL, NULL, &y, &options, check);
}

static spl_status check_rows(const bench_problem *p, const spl_sparse *c, int64_t first,
                             int64_t count, spl_check *check)
{
    spl_sparse a = SPL_SPARSE_INIT;
    int64_t *offsets = NULL;
    spl_status status = take_rows(&p->a, first, count, &a, &offsets);
    if (status == SPL_OK)
        status =
            is_sparse(p) ? check_sparse(p, &a, c, first, check) : check_dense(p, &a, first, check);
    free(offsets);
    return status;
}

static void merge(spl_check *sum, const spl_check *part, int64_t first)
{
    sum->ok = sum->ok && part->ok;
    sum->compared += part->compared;
    sum->failed += part->failed;
    sum->undecided += part->undecided;
    if (part->worst_row >= 0 && (sum->worst_row < 0 || part->worst_ratio > sum->worst_ratio)) {
        sum->worst_ratio = part->worst_ratio;
        sum->worst_row = first + part->worst_row;
        sum->worst_col = part->worst_col;
    }
}

/* Results that cannot be divided: a wrong structure, or another number of rows. */
static int is_whole(const bench_problem *p, const spl_sparse *c)
{
    return is_sparse(p) && (c->rows != p->a.rows || spl_validate(c) != SPL_OK);
}

spl_status bench_check(const bench_problem *problem, const spl_sparse *c, spl_check *check)
{
    int64_t rows = problem->a.rows, blocks = BLOCKS_PER_THREAD * (int64_t)problem->threads;
    spl_check sum = {.size = sizeof sum, .ok = 1, .worst_row = -1, .worst_col = -1};
    spl_status worst = SPL_OK;
    if (is_whole(problem, c))
        return spl_check_spgemm(NULL, &problem->a, bench_right(problem), NULL, NULL, c, NULL,
                                check);
    blocks = blocks < rows ? blocks : rows > 0 ? rows : 1;
#pragma omp parallel for schedule(dynamic) num_threads(problem->threads)
    for (int64_t k = 0; k < blocks; k++) {
        spl_check part = SPL_CHECK_INIT;
        int64_t first = rows * k / blocks;
        spl_status status = check_rows(problem, c, first, rows * (k + 1) / blocks - first, &part);
#pragma omp critical(bench_check)
        if (status != SPL_OK)
            worst = status;
        else
            merge(&sum, &part, first);
    }
    if (worst == SPL_OK)
        *check = sum;
    return worst;
}
