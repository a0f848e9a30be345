/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom frontier: Y = X*op(A)', each row of X a sparse vector */
#include "failure.h"
#include "product_command.h"

#include <math.h>
#include <readable.h>
#include <stdio.h>
#include <stdlib.h>

static spl_options options_of(const cli_job *job)
{
    spl_options options = job->options;
    options.mask = NULL; /* comes with the execution */
    options.mask_complement = 0;
    return options;
}

static spl_status plan(cli_job *job)
{
    const spl_options options = options_of(job);
    const int64_t vectors = job->b->view.rows > 0 ? job->b->view.rows : 1;
    return spl_frontier_plan(job->session->context, &job->a.view, vectors, &options, &job->plan);
}

static int is_transposed(const cli_job *job)
{
    return job->options.op_a != SPL_NONE;
}

static int64_t rows_of_op(const cli_job *job)
{
    return is_transposed(job) ? job->a.view.cols : job->a.view.rows;
}

/* Replaces what was read by CSR whose rows ascend, with indices like those of A. */
static int arrange(cli_job *job, cli_input *input)
{
    spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
    spl_matrix *arranged = NULL;
    o.format = SPL_CSR;
    o.type = job->type;
    o.offset_type = SPL_I64;
    o.index_type = job->a.view.index_type;
    o.sum_duplicates = 1;
    int code = cli_check(spl_convert(job->session->context, &input->view, &o, &arranged));
    if (code)
        return code;
    spl_matrix_destroy(input->matrix);
    input->matrix = arranged;
    return cli_check(spl_matrix_view(arranged, &input->view));
}

static int check_shape(const char *name, const spl_sparse *m, int64_t rows, int64_t cols)
{
    if (m->rows == rows && m->cols == cols)
        return CLI_OK;
    return cli_fail(SPL_SHAPE_MISMATCH, "%s is %s x %s, expected %s x %s", name,
                    tool_thousands(m->rows).text, tool_thousands(m->cols).text,
                    tool_thousands(rows).text, tool_thousands(cols).text);
}

static int64_t at(const void *array, spl_index type, int64_t i)
{
    return type == SPL_I64 ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

/* Column or row of entry p, whose line (row of CSR, column of CSC) is `line`. */
static int64_t place_of(const spl_sparse *m, int64_t line, int64_t p, int column)
{
    if (m->format == SPL_COO)
        return at(column ? m->indices : m->offsets, m->index_type, p);
    return (m->format == SPL_CSR) == (column != 0) ? at(m->indices, m->index_type, p) : line;
}

/* *products = those of Y: the entries of the column of op(A) that each entry of X meets. */
static int count_products(const cli_job *job, int64_t *products)
{
    const spl_sparse *a = &job->a.view, *x = &job->b->view;
    const int column = !is_transposed(job), compressed = a->format != SPL_COO;
    int64_t *lengths = calloc((size_t)x->cols + 1, sizeof *lengths);
    if (!lengths)
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for the lengths of %s columns",
                        tool_thousands(x->cols).text);
    for (int64_t p = 0, line = 0; p < a->nnz; p++) {
        while (compressed && at(a->offsets, a->offset_type, line + 1) <= p)
            line++;
        lengths[place_of(a, line, p, column)]++;
    }
    *products = 0;
    for (int64_t q = 0; q < x->nnz; q++)
        *products += lengths[at(x->indices, x->index_type, q)];
    free(lengths);
    return CLI_OK;
}

/* The mask as a byte for each element of Y. */
static int make_mask(cli_job *job)
{
    const spl_sparse *mask = &job->mask_file.view;
    const int64_t cols = job->result.cols;
    unsigned char *bytes = calloc((size_t)(job->result.rows * cols) + 1, 1);
    job->before = bytes;
    if (!bytes)
        return cli_fail(SPL_OUT_OF_MEMORY, "the mask needs a byte for each of %s x %s elements",
                        tool_thousands(job->result.rows).text, tool_thousands(cols).text);
    for (int64_t i = 0; i < mask->rows; i++)
        for (int64_t p = at(mask->offsets, mask->offset_type, i);
             p < at(mask->offsets, mask->offset_type, i + 1); p++)
            bytes[i * cols + at(mask->indices, mask->index_type, p)] = 1;
    return CLI_OK;
}

static int take_mask(cli_job *job)
{
    if (!job->mask_file.matrix)
        return CLI_OK;
    int code = check_shape("the mask", &job->mask_file.view, job->result.rows, job->result.cols);
    if (!code)
        code = arrange(job, &job->mask_file);
    return code ? code : make_mask(job);
}

/* Room for an entry of each product, or for each element if they are fewer. */
static int allocate_result(cli_job *job)
{
    cli_result *r = &job->result;
    const double elements = (double)r->rows * (double)r->cols;
    r->count = elements < (double)job->products ? (int64_t)elements : job->products;
    r->offset_type = SPL_I64;
    r->index_type = job->a.view.index_type;
    r->offsets = tool_array(r->rows + 1, sizeof(int64_t));
    r->indices = tool_array(r->count, tool_index_bytes(r->index_type));
    r->values = tool_array(r->count, tool_type_bytes(job->type));
    if (r->offsets && r->indices && r->values)
        return CLI_OK;
    return cli_fail(SPL_OUT_OF_MEMORY, "the result may have %s entries",
                    tool_thousands(r->count).text);
}

static int prepare(cli_job *job)
{
    const spl_sparse *a = &job->a.view;
    job->result.rows = job->b->view.rows;
    job->result.cols = rows_of_op(job);
    int code =
        check_shape("X", &job->b->view, job->b->view.rows, is_transposed(job) ? a->rows : a->cols);
    if (!code)
        code = arrange(job, &job->b_file);
    if (!code)
        code = count_products(job, &job->products);
    if (!code)
        code = take_mask(job);
    return code ? code : allocate_result(job);
}

static spl_frontier frontier_of(const spl_sparse *csr)
{
    spl_frontier f = SPL_FRONTIER_INIT;
    f.count = csr->nnz;
    f.indices = (void *)csr->indices;
    f.values = (void *)csr->values;
    f.vectors = csr->rows;
    f.offsets = (void *)csr->offsets;
    return f;
}

static spl_row_mask mask_of(const cli_job *job)
{
    spl_row_mask mask = SPL_ROW_MASK_INIT;
    mask.bytes = job->before;
    mask.complement = job->options.mask_complement;
    return mask;
}

static spl_status execute(cli_job *job)
{
    const spl_row_mask mask = mask_of(job);
    const spl_sparse result = cli_sparse_result(job);
    const spl_frontier x = frontier_of(&job->b->view);
    spl_frontier y = frontier_of(&result);
    y.capacity = job->result.count;
    const spl_status status =
        spl_frontier_execute(job->plan, &x, NULL, job->before ? &mask : NULL, &y);
    job->result.nnz = y.count;
    return status;
}

static void reset(cli_job *job)
{
    tool_fill_nan(job->type, job->result.values, job->result.count);
}

static int collect(cli_job *job)
{
    job->result.count = job->result.nnz;
    return CLI_OK;
}

static spl_status check(cli_job *job, spl_check *check)
{
    const spl_row_mask mask = mask_of(job);
    const spl_sparse result = cli_sparse_result(job);
    const spl_options options = options_of(job);
    const spl_frontier x = frontier_of(&job->b->view), y = frontier_of(&result);
    return spl_check_frontier(&job->a.view, &x, NULL, NULL, job->before ? &mask : NULL, &y,
                              &options, check);
}

static double traffic(const cli_job *job)
{
    (void)job;
    return NAN;
}

static void formula(const cli_job *job, char *text, size_t capacity)
{
    snprintf(text, capacity, "Y = X*%s", is_transposed(job) ? "A" : "A'");
}

const cli_operation cli_frontier = {
    .name = "frontier",
    .plan = plan,
    .execute = execute,
    .check = check,
    .prepare = prepare,
    .reset = reset,
    .collect = collect,
    .traffic = traffic,
    .formula = formula,
};

int cli_run_frontier(cli_session *session)
{
    return cli_sparse_job_run(session, &cli_frontier);
}
