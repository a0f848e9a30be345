/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom spgemm: C = alpha*op(A)*op(B) + beta*D, all sparse */
#include "failure.h"
#include "product_command.h"

#include <math.h>
#include <readable.h>
#include <stdio.h>

static const spl_sparse *addend(const cli_job *job)
{
    return job->d_file.matrix ? &job->d_file.view : NULL;
}

static spl_status plan(cli_job *job)
{
    return spl_spgemm_plan(job->session->context, &job->a.view, &job->b->view, addend(job),
                           &job->options, &job->plan);
}

/* With an exact plan the values are written to the tool's array; with a bound the plan keeps
 * them until they are exported. */
static spl_status execute(cli_job *job)
{
    return spl_spgemm_execute(job->plan, &job->alpha, &job->beta, job->result.values, NULL);
}

static int take_shape(cli_job *job, int *exact)
{
    spl_result shape = SPL_RESULT_INIT;
    int code = cli_check(spl_spgemm_result(job->plan, &shape));
    cli_result *result = &job->result;
    result->rows = shape.rows;
    result->cols = shape.cols;
    result->nnz = shape.nnz;
    result->offset_type = shape.offset_type;
    result->index_type = shape.index_type;
    *exact = shape.exact;
    return code;
}

static int allocate_values(cli_result *result, spl_type type)
{
    result->values = tool_array(result->nnz, tool_type_bytes(type));
    if (!result->values)
        return cli_fail(SPL_OUT_OF_MEMORY, "the values of C need %s entries",
                        tool_thousands(result->nnz).text);
    result->count = result->nnz;
    return CLI_OK;
}

static int prepare(cli_job *job)
{
    int exact = 0;
    int code = take_shape(job, &exact);
    job->result.bounded = !exact;
    return code || !exact ? code : allocate_values(&job->result, job->type);
}

static void reset(cli_job *job)
{
    tool_fill_nan(job->type, job->result.values, job->result.count);
}

static int collect(cli_job *job)
{
    cli_result *result = &job->result;
    int exact = 1;
    int code = result->bounded ? take_shape(job, &exact) : CLI_OK;
    if (!code && !exact)
        code = cli_fail(SPL_INTERNAL, "the number of entries is still a bound after the execution");
    if (!code && result->bounded)
        code = allocate_values(result, job->type);
    if (code)
        return code;
    result->offsets = tool_array(result->rows + 1, tool_index_bytes(result->offset_type));
    result->indices = tool_array(result->nnz, tool_index_bytes(result->index_type));
    if (!result->offsets || !result->indices)
        return cli_fail(SPL_OUT_OF_MEMORY, "the structure of C has %s rows and %s entries",
                        tool_thousands(result->rows).text, tool_thousands(result->nnz).text);
    return cli_check(spl_spgemm_export(job->plan, result->offsets, result->indices,
                                       result->bounded ? result->values : NULL, NULL));
}

static spl_status check(cli_job *job, spl_check *check)
{
    spl_sparse c = cli_sparse_result(job);
    return spl_check_spgemm(&job->alpha, &job->a.view, &job->b->view, &job->beta, addend(job), &c,
                            &job->options, check);
}

/* The number of loads of an entry of B into a cache is unknown, so there is no figure. */
static double traffic(const cli_job *job)
{
    (void)job;
    return NAN;
}

static void formula(const cli_job *job, char *text, size_t capacity)
{
    const char *b = job->b == &job->a ? "A" : "B";
    char right[4];
    snprintf(right, sizeof right, "%s%s", b, job->options.op_b == SPL_NONE ? "" : "'");
    cli_formula(job, "C", job->options.op_a == SPL_NONE ? "A" : "A'", right, "D", text, capacity);
}

const cli_operation cli_spgemm = {
    .name = "spgemm",
    .plan = plan,
    .execute = execute,
    .check = check,
    .prepare = prepare,
    .reset = reset,
    .collect = collect,
    .traffic = traffic,
    .formula = formula,
};

int cli_run_spgemm(cli_session *session)
{
    return cli_sparse_job_run(session, &cli_spgemm);
}
