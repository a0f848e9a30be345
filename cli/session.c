/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "chosen_device.h"
#include "failure.h"

#include <gen.h>
#include <json_helpers.h>
#include <readable.h>
#include <shown_text.h>
#include <stdarg.h>
#include <stdio.h>
#include <stopwatch.h>
#include <string.h>
#include <thread_count.h>
#include <typed_array.h>

static void show_message(void *user, spl_log_level level, const char *message)
{
    cli_session *session = user;
    if (!session->context && session->remark_count < CLI_MOST_REMARKS)
        snprintf(session->remarks[session->remark_count++], sizeof session->remarks[0], "%s",
                 message);
    if (level == SPL_LOG_ERROR ? !session->request->quiet : session->request->verbose)
        fprintf(stderr, "sparloom: %s\n", tool_shown(message).text);
}

int cli_session_open(cli_session *session, const cli_request *request)
{
    *session = (cli_session){.request = request};
    cli_progress_open(&session->bar, request->quiet);
    if (request->json) {
        session->json = cJSON_CreateObject();
        tool_json_text(session->json, "sparloom", spl_version());
        tool_json_text(session->json, "command", request->command->name);
    }
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    options.threads = (int32_t)request->threads;
    options.memory_budget = request->budget;
    options.log = show_message;
    options.log_user = session;
    options.progress = cli_progress_show;
    options.progress_user = &session->bar;
    int code = cli_device_open(request, &options, &session->context);
    if (!code)
        tool_use_threads(cli_threads(session));
    return code;
}

void cli_session_close(cli_session *session)
{
    cli_progress_clear(&session->bar);
    spl_context_destroy(session->context);
    cJSON_Delete(session->json);
}

int32_t cli_threads(const cli_session *session)
{
    spl_processor_info cpu = SPL_PROCESSOR_INFO_INIT;
    return spl_processor(session->context, 0, &cpu) == SPL_OK ? cpu.threads : 0;
}

spl_processor_info cli_processor(const cli_session *session)
{
    spl_processor_info last = SPL_PROCESSOR_INFO_INIT;
    if (spl_processor(session->context, spl_processor_count(session->context) - 1, &last) !=
            SPL_OK ||
        last.place.kind == SPL_HOST)
        last.name = "cpu";
    return last;
}

void cli_remark(cli_session *session, const char *format, ...)
{
    if (session->request->quiet)
        return;
    cli_progress_clear(&session->bar);
    char remark[1024];
    va_list arguments;
    va_start(arguments, format);
    tool_show_format(remark, sizeof remark, format, arguments);
    va_end(arguments);
    fprintf(stderr, "sparloom: %s\n", remark);
}

int cli_generate(const char *name, uint64_t seed, spl_type type, gen_matrix *matrix)
{
    gen_message message;
    gen_status status = gen_make(name, seed, type, matrix, &message);
    if (status == GEN_WRONG)
        return cli_fail_usage("%s", message.text);
    return status == GEN_MEMORY ? cli_fail(SPL_OUT_OF_MEMORY, "%s: %s", name, message.text)
                                : CLI_OK;
}

/* A copy in the library's memory, so that a budget and the report see generated matrices like
 * files. */
static int generate(cli_session *session, const char *name, cli_input *input)
{
    gen_matrix made;
    int code = cli_generate(name, 1, (spl_type)session->request->type, &made);
    if (code)
        return code;
    spl_sparse view = gen_view(&made);
    code = cli_check_of(spl_convert(session->context, &view, NULL, &input->matrix), input->file);
    gen_free(&made);
    return code;
}

static int read_file(cli_session *session, const char *file, cli_input *input)
{
    spl_read_options options = SPL_READ_OPTIONS_INIT;
    options.type = (spl_type)session->request->type;
    return cli_check_of(spl_read(session->context, file, &options, &input->matrix), file);
}

int cli_input_read(cli_session *session, const char *file, cli_input *input)
{
    static const char prefix[] = "gen:";
    *input = (cli_input){.file = file, .view = SPL_SPARSE_INIT};
    int generated = !strncmp(file, prefix, sizeof prefix - 1);
    double start = tool_now();
    int code = generated ? generate(session, file + sizeof prefix - 1, input)
                         : read_file(session, file, input);
    cli_progress_clear(&session->bar);
    if (code)
        return code;
    input->seconds = tool_now() - start;
    code = cli_check(spl_matrix_view(input->matrix, &input->view));
    if (!code && session->request->verbose)
        cli_remark(session, "read %s: %s entries in %s", file, tool_thousands(input->view.nnz).text,
                   tool_duration(input->seconds).text);
    return code;
}

void cli_input_free(cli_input *input)
{
    spl_matrix_destroy(input->matrix);
    input->matrix = NULL;
}

void cli_input_json(const cli_input *input, const char *name, cJSON *array)
{
    cJSON *object = tool_json_object(array);
    tool_json_text(object, "name", name);
    tool_json_text(object, "file", input->file);
    tool_json_integer(object, "rows", input->view.rows);
    tool_json_integer(object, "cols", input->view.cols);
    tool_json_integer(object, "nnz", input->view.nnz);
    tool_json_integer(object, "offset_bits",
                      8 * (int64_t)tool_index_bytes(input->view.offset_type));
    tool_json_integer(object, "index_bits", 8 * (int64_t)tool_index_bytes(input->view.index_type));
    tool_json_real(object, "read_seconds", input->seconds);
}
