/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by spmv and spmm: dense operands, row major, `columns` wide. */
#include "failure.h"
#include "job.h"

#include <readable.h>
#include <string.h>

spl_dense cli_dense(const cli_job *job, int64_t rows, int64_t cols, void *values)
{
    spl_dense dense = SPL_DENSE_INIT;
    dense.type = job->type;
    dense.order = SPL_ROW_MAJOR;
    dense.rows = rows;
    dense.cols = cols;
    dense.ld = cols;
    dense.values = values;
    return dense;
}

/* rows x columns values, NULL with a recorded failure if there is no memory. */
static void *allocate(const cli_job *job, const char *name, int64_t rows)
{
    size_t row_bytes = (size_t)job->columns * tool_type_bytes(job->type);
    void *array = tool_array(rows, row_bytes);
    if (!array)
        cli_fail(SPL_OUT_OF_MEMORY, "%s needs %s", name,
                 tool_bytes((double)rows * (double)row_bytes).text);
    return array;
}

int cli_dense_prepare(cli_job *job)
{
    const spl_sparse *a = &job->a.view;
    int transposed = job->options.op_a != SPL_NONE;
    cli_result *result = &job->result;
    job->x_rows = transposed ? a->rows : a->cols;
    result->rows = transposed ? a->cols : a->rows;
    result->cols = job->columns;
    result->nnz = -1;
    if (!(job->x = allocate(job, "the dense operand", job->x_rows)) ||
        !(job->before = allocate(job, "the old result", result->rows)) ||
        !(result->values = allocate(job, "the result", result->rows)))
        return CLI_RESOURCE;
    result->count = result->rows * job->columns;
    uint64_t seed = (uint64_t)job->session->request->seed;
    tool_fill_random(job->type, job->x, job->x_rows * job->columns, seed, 0);
    if (job->session->request->beta != 0)
        tool_fill_random(job->type, job->before, result->count, seed, 1);
    else
        tool_fill_nan(job->type, job->before, result->count);
    return CLI_OK;
}

void cli_dense_reset(cli_job *job)
{
    memcpy(job->result.values, job->before, (size_t)job->result.count * tool_type_bytes(job->type));
}

int cli_dense_collect(cli_job *job)
{
    (void)job;
    return CLI_OK;
}

/* Each array of the CSR matrix and the dense operand read once, the result written once, and read
 * if beta is not 0. */
double cli_dense_traffic(const cli_job *job)
{
    const spl_sparse *a = &job->a.view;
    double value = (double)tool_type_bytes(job->type);
    double matrix = (double)a->nnz * (value + (double)tool_index_bytes(a->index_type)) +
                    (double)(a->rows + 1) * (double)tool_index_bytes(a->offset_type);
    double results = job->session->request->beta != 0 ? 2 : 1;
    return matrix + value * (double)job->columns *
                        ((double)job->x_rows + results * (double)job->result.rows);
}
