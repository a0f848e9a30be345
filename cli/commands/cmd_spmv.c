/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom spmv: y = alpha*op(A)*x + beta*y */
#include "product_command.h"

static spl_status plan(cli_job *job)
{
    return spl_spmv_plan(job->session->context, &job->a.view, &job->options, &job->plan);
}

static spl_status execute(cli_job *job)
{
    return spl_spmv_execute(job->plan, &job->alpha, job->x, &job->beta, job->result.values, NULL);
}

static spl_status check(cli_job *job, spl_check *check)
{
    return spl_check_spmv(&job->alpha, &job->a.view, job->x, &job->beta, job->before,
                          job->result.values, &job->options, check);
}

static void formula(const cli_job *job, char *text, size_t capacity)
{
    cli_formula(job, "y", job->options.op_a == SPL_NONE ? "A" : "A'", "x", "y", text, capacity);
}

const cli_operation cli_spmv = {
    .name = "spmv",
    .plan = plan,
    .execute = execute,
    .check = check,
    .prepare = cli_dense_prepare,
    .reset = cli_dense_reset,
    .collect = cli_dense_collect,
    .traffic = cli_dense_traffic,
    .formula = formula,
};

int cli_run_spmv(cli_session *session)
{
    return cli_job_run(session, &cli_spmv, NULL);
}
