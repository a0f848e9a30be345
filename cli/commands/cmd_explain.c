/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom explain: plans and says why, without computing */
#include "failure.h"
#include "job.h"
#include "replay.h"
#include "report/report_json.h"
#include "report/report_text.h"

#include <json_helpers.h>
#include <stdio.h>
#include <stdlib.h>

static int print_text(const cli_job *job)
{
    size_t length = 0;
    int code = cli_check(spl_plan_explain(job->plan, NULL, 0, &length));
    if (code)
        return code;
    char *text = malloc(length + 1);
    if (!text)
        return cli_fail(SPL_OUT_OF_MEMORY, "the explanation needs %zu bytes", length + 1);
    code = cli_check(spl_plan_explain(job->plan, text, length + 1, NULL));
    if (!code) {
        cli_inputs_text(job);
        printf("%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
    }
    free(text);
    return code;
}

/* For spgemm the plan knows the size of C. */
static int add_result(const cli_job *job, cJSON *json)
{
    spl_result shape = SPL_RESULT_INIT;
    if (job->operation != &cli_spgemm) {
        tool_json_null(json, "result");
        return CLI_OK;
    }
    int code = cli_check(spl_spgemm_result(job->plan, &shape));
    if (code)
        return code;
    cJSON *result = cJSON_AddObjectToObject(json, "result");
    tool_json_integer(result, "rows", shape.rows);
    tool_json_integer(result, "cols", shape.cols);
    tool_json_integer(result, "nnz", shape.nnz);
    tool_json_truth(result, "exact", shape.exact);
    return CLI_OK;
}

static int print_replay(const cli_job *job)
{
    tool_buffer line = {0};
    cli_replay(job, &line);
    int code = line.failed ? cli_fail(SPL_OUT_OF_MEMORY, "no memory for the command line") : CLI_OK;
    if (!code)
        printf("%.*s\n", (int)line.count, line.bytes);
    tool_buffer_free(&line);
    return code;
}

static void add_replay(const cli_job *job, cJSON *json)
{
    tool_buffer line = {0};
    cli_replay(job, &line);
    tool_buffer_add(&line, "", 1);
    tool_json_text(json, "replay", line.failed ? NULL : line.bytes);
    tool_buffer_free(&line);
}

static int fill_json(const cli_job *job)
{
    cJSON *json = job->session->json;
    cli_plan_json(job);
    cJSON *seconds = cJSON_AddObjectToObject(json, "seconds");
    tool_json_real(seconds, "plan", job->plan_seconds);
    add_replay(job, json);
    return add_result(job, json);
}

int cli_run_explain(cli_session *session)
{
    const cli_request *request = session->request;
    const cli_operation *operation = cli_operation_named(request->operands[0]);
    cli_job job;
    int code =
        cli_job_open(&job, session, operation, request->operands + 1, request->operand_count - 1);
    if (!code)
        code = cli_job_plan(&job);
    if (!code)
        code = session->json     ? fill_json(&job)
               : request->replay ? print_replay(&job)
                                 : print_text(&job);
    cli_job_close(&job);
    return code;
}
