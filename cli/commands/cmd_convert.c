/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom convert: reads a matrix, changes its order or type, writes it */
#include "failure.h"
#include "output_file.h"
#include "session.h"

#include <json_helpers.h>
#include <readable.h>
#include <shown_text.h>
#include <stdio.h>
#include <stopwatch.h>

/* What was written. */
typedef struct written {
    const char *file;
    spl_sparse view;
    double convert_seconds, write_seconds;
} written;

static int changes(const cli_request *request)
{
    return request->transpose || request->sort || request->sum_duplicates || request->drop_zeros;
}

/* *result stays NULL if nothing changes. */
static int change(cli_session *session, const cli_input *input, spl_matrix **result)
{
    const cli_request *request = session->request;
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    options.transpose = request->transpose;
    options.sort = request->sort;
    options.sum_duplicates = request->sum_duplicates;
    options.drop_zeros = request->drop_zeros;
    /* Rows and columns are exchanged, so the source's width of indices may be too narrow. */
    if (request->transpose && (input->view.rows > INT32_MAX || input->view.cols > INT32_MAX))
        options.offset_type = options.index_type = SPL_I64;
    return changes(request)
               ? cli_check_of(spl_convert(session->context, &input->view, &options, result),
                              input->file)
               : CLI_OK;
}

static void report(const cli_session *session, const cli_input *input, const written *out)
{
    if (!session->json) {
        printf("%s: %s x %s, %s entries, read in %s\n", tool_shown(input->file).text,
               tool_thousands(input->view.rows).text, tool_thousands(input->view.cols).text,
               tool_thousands(input->view.nnz).text, tool_duration(input->seconds).text);
        printf("%s: %s x %s, %s entries, written in %s\n", tool_shown(out->file).text,
               tool_thousands(out->view.rows).text, tool_thousands(out->view.cols).text,
               tool_thousands(out->view.nnz).text, tool_duration(out->write_seconds).text);
        return;
    }
    cli_input_json(input, "A", cJSON_AddArrayToObject(session->json, "inputs"));
    cJSON *output = cJSON_AddObjectToObject(session->json, "output");
    tool_json_text(output, "file", out->file);
    tool_json_integer(output, "rows", out->view.rows);
    tool_json_integer(output, "cols", out->view.cols);
    tool_json_integer(output, "nnz", out->view.nnz);
    tool_json_real(output, "convert_seconds", out->convert_seconds);
    tool_json_real(output, "write_seconds", out->write_seconds);
}

static int convert(cli_session *session, const cli_input *input)
{
    spl_matrix *changed = NULL;
    written out = {.file = session->request->operands[1], .view = input->view};
    double start = tool_now();
    int code = change(session, input, &changed);
    out.convert_seconds = tool_now() - start;
    if (!code && changed)
        code = cli_check(spl_matrix_view(changed, &out.view));
    start = tool_now();
    if (!code)
        code = cli_check_written(spl_write(session->context, &out.view, out.file), out.file);
    out.write_seconds = tool_now() - start;
    cli_progress_clear(&session->bar);
    if (!code)
        report(session, input, &out);
    spl_matrix_destroy(changed);
    return code;
}

int cli_run_convert(cli_session *session)
{
    cli_input input = {0};
    int code = cli_output_check_matrix(session->request->operands[1]);
    if (!code)
        code = cli_input_read(session, session->request->operands[0], &input);
    if (!code)
        code = convert(session, &input);
    cli_input_free(&input);
    return code;
}
