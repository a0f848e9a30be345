/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom spmm: C = alpha*op(A)*B + beta*C, B and C dense */
#include "product_command.h"

static spl_status plan(cli_job *job)
{
    return spl_spmm_plan(job->session->context, &job->a.view, job->columns, &job->options,
                         &job->plan);
}

static spl_dense dense_b(const cli_job *job)
{
    return cli_dense(job, job->x_rows, job->columns, job->x);
}

static spl_dense dense_c(const cli_job *job, void *values)
{
    return cli_dense(job, job->result.rows, job->columns, values);
}

static spl_status execute(cli_job *job)
{
    spl_dense b = dense_b(job), c = dense_c(job, job->result.values);
    return spl_spmm_execute(job->plan, &job->alpha, &b, &job->beta, &c, NULL);
}

static spl_status check(cli_job *job, spl_check *check)
{
    spl_dense b = dense_b(job), before = dense_c(job, job->before),
              c = dense_c(job, job->result.values);
    return spl_check_spmm(&job->alpha, &job->a.view, &b, &job->beta, &before, &c, &job->options,
                          check);
}

static void formula(const cli_job *job, char *text, size_t capacity)
{
    cli_formula(job, "C", job->options.op_a == SPL_NONE ? "A" : "A'", "B", "C", text, capacity);
}

const cli_operation cli_spmm = {
    .name = "spmm",
    .plan = plan,
    .execute = execute,
    .check = check,
    .prepare = cli_dense_prepare,
    .reset = cli_dense_reset,
    .collect = cli_dense_collect,
    .traffic = cli_dense_traffic,
    .formula = formula,
};

int cli_run_spmm(cli_session *session)
{
    return cli_job_run(session, &cli_spmm, NULL);
}
