/* SPDX-License-Identifier: Apache-2.0 */
#include "product_command.h"

#include "failure.h"
#include "output_file.h"
#include "report/report.h"

#include <readable.h>
#include <stdio.h>

/* "2*", "" for 1. */
static void factor(double value, char *text, size_t capacity)
{
    if (value == 1)
        text[0] = 0;
    else
        snprintf(text, capacity, "%g*", value);
}

void cli_formula(const cli_job *job, const char *result, const char *left, const char *right,
                 const char *old, char *text, size_t capacity)
{
    const cli_request *request = job->session->request;
    char alpha[32], beta[32];
    factor(request->alpha, alpha, sizeof alpha);
    factor(request->beta, beta, sizeof beta);
    if (request->beta == 0)
        snprintf(text, capacity, "%s = %s%s*%s", result, alpha, left, right);
    else
        snprintf(text, capacity, "%s = %s%s*%s + %s%s", result, alpha, left, right, beta, old);
}

/* Fails if the check fails or is impossible; both are still reported. */
static int verify(cli_job *job)
{
    job->checked = job->operation->check(job, &job->check);
    if (job->checked != SPL_OK) {
        job->check.worst_row = job->check.worst_col = -1;
        snprintf(job->unchecked, sizeof job->unchecked, "%s", spl_error_detail());
        return cli_fail(job->checked, "not verified: %s", job->unchecked);
    }
    if (job->check.ok)
        return CLI_OK;
    return cli_fail(SPL_INTERNAL,
                    "the result is wrong: %lld of %lld elements, worst at row %lld, column %lld: "
                    "%g times the error bound",
                    (long long)job->check.failed, (long long)job->check.compared,
                    (long long)job->check.worst_row, (long long)job->check.worst_col,
                    job->check.worst_ratio);
}

int cli_job_run(cli_session *session, const cli_operation *operation, int (*finish)(cli_job *job))
{
    cli_job job;
    int code = cli_job_open(&job, session, operation, session->request->operands,
                            session->request->operand_count);
    if (!code)
        code = cli_job_plan(&job);
    if (!code)
        code = cli_job_execute(&job);
    if (!code) {
        code = session->request->verify ? verify(&job) : CLI_OK;
        cli_report(&job);
    }
    int finish_code = finish && (!code || job.checked != SPL_OK) ? finish(&job) : CLI_OK;
    cli_job_close(&job);
    return code ? code : finish_code;
}

spl_sparse cli_sparse_result(const cli_job *job)
{
    const cli_result *result = &job->result;
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_CSR;
    view.type = job->type;
    view.offset_type = result->offset_type;
    view.index_type = result->index_type;
    view.rows = result->rows;
    view.cols = result->cols;
    view.nnz = result->nnz;
    view.offsets = result->offsets;
    view.indices = result->indices;
    view.values = result->values;
    return view;
}

static int write_result(cli_job *job)
{
    const char *path = job->session->request->output;
    if (!path)
        return CLI_OK;
    spl_sparse c = cli_sparse_result(job);
    int code = cli_check_written(spl_write(job->session->context, &c, path), path);
    cli_progress_clear(&job->session->bar);
    if (!code)
        cli_remark(job->session, "wrote %s: %s entries", path, tool_thousands(c.nnz).text);
    return code;
}

int cli_sparse_job_run(cli_session *session, const cli_operation *operation)
{
    const char *path = session->request->output;
    int code = path ? cli_output_check_matrix(path) : CLI_OK;
    return code ? code : cli_job_run(session, operation, write_result);
}
