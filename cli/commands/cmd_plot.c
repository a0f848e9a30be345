/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom plot: draws a matrix */
#include "failure.h"
#include "output_file.h"
#include "row_lengths.h"
#include "shares.h"

#include <json_helpers.h>
#include <plot_matrix.h>
#include <shown_text.h>
#include <stdio.h>
#include <string.h>

static const cli_choice kinds[] = {{"spy", PLOT_SPY},
                                   {"rows", PLOT_ROWS},
                                   {"partition", PLOT_PARTITION},
                                   {"all", PLOT_SPY | PLOT_ROWS},
                                   {0}};

/* The request, checked before anything is read. */
typedef struct plot_request {
    int64_t panels; /* bits of plot_matrix.h */
    plot_format format;
    cli_shares shares; /* with PLOT_PARTITION */
} plot_request;

/* Options that belong to a partition, without one or beside a picture of something else. */
static int wrong_kind(const cli_request *request, int64_t kind)
{
    const char *option = request->capabilities ? "capabilities"
                         : request->partition  ? "partition"
                                               : "links";
    if (!request->capabilities && (kind == PLOT_PARTITION || request->partition || request->links))
        return cli_fail_usage("a partition needs --capabilities C,C...");
    if (request->capabilities && (kind == PLOT_SPY || kind == PLOT_ROWS))
        return cli_fail_usage("--%s does not go with --kind %s", option, request->kind);
    return CLI_OK;
}

static int parse(const cli_request *request, plot_request *wanted)
{
    spl_partition_kind kind =
        request->partition ? (spl_partition_kind)request->partition : SPL_PARTITION_DENSITY;
    wanted->panels = PLOT_SPY | PLOT_ROWS;
    wanted->format = plot_format_of(request->output);
    if (wanted->format == PLOT_UNKNOWN)
        return cli_fail_usage("%s: pictures are .svg or .png", request->output);
    int code = request->kind ? cli_choose("kind", kinds, request->kind, &wanted->panels) : CLI_OK;
    if (!code)
        code = wrong_kind(request, wanted->panels);
    if (code || !request->capabilities)
        return code;
    wanted->panels |= PLOT_PARTITION;
    return cli_shares_parse(request, kind, &wanted->shares);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int draw(const cli_session *session, const plot_scene *scene, plot_format format)
{
    tool_buffer picture = {0};
    const char *problem = plot_draw(scene, format, &picture);
    int code = problem ? cli_fail(SPL_OUT_OF_MEMORY, "%s: %s", session->request->output, problem)
                       : cli_output_write(session->request->output, &picture);
    tool_buffer_free(&picture);
    return code;
}

static void report(const cli_session *session, const cli_input *input, const plot_request *wanted,
                   const plot_scene *scene)
{
    cJSON *json = session->json;
    if (!json) {
        printf("%s: %.0f x %.0f points\n", tool_shown(session->request->output).text, scene->width,
               scene->height);
        return;
    }
    cli_input_json(input, "A", cJSON_AddArrayToObject(json, "inputs"));
    cJSON *output = cJSON_AddObjectToObject(json, "output");
    tool_json_text(output, "file", session->request->output);
    tool_json_real(output, "width", scene->width);
    tool_json_real(output, "height", scene->height);
    if (wanted->panels & PLOT_PARTITION)
        cli_shares_json(&wanted->shares, json);
    else
        tool_json_null(json, "partition");
}

static int draw_matrix(cli_session *session, const cli_input *input, const cli_row_lengths *rows,
                       plot_request *wanted)
{
    const cli_shares *shares = &wanted->shares;
    plot_scene scene = {0};
    plot_subject subject = {.name = base_name(input->file),
                            .matrix = input->view,
                            .lengths = rows->count,
                            .row_lengths = rows->lengths,
                            .row_counts = rows->row_counts};
    if (wanted->panels & PLOT_PARTITION)
        subject.partition = (plot_partition){cli_shares_kind(shares), shares->count,
                                             shares->capabilities, shares->parts, shares->order};
    plot_matrix(&scene, &subject, (unsigned)wanted->panels);
    int code = draw(session, &scene, wanted->format);
    if (!code)
        report(session, input, wanted, &scene);
    plot_scene_free(&scene);
    return code;
}

static int run(cli_session *session, plot_request *wanted)
{
    cli_input input;
    cli_row_lengths rows = {0};
    int code = cli_input_read(session, session->request->operands[0], &input);
    if (!code)
        code = cli_row_lengths_read(session, &input.view, &rows);
    if (!code && wanted->panels & PLOT_PARTITION)
        code = cli_shares_cut(session, &input.view, &wanted->shares);
    if (!code)
        code = draw_matrix(session, &input, &rows, wanted);
    cli_row_lengths_free(&rows);
    cli_input_free(&input);
    return code;
}

int cli_run_plot(cli_session *session)
{
    plot_request wanted = {0};
    int code = parse(session->request, &wanted);
    if (!code && !plot_available())
        code =
            cli_fail(SPL_UNSUPPORTED, "pictures need libcairo, which this tool was built without");
    if (!code)
        code = cli_output_check(session->request->output);
    if (!code)
        code = run(session, &wanted);
    cli_shares_free(&wanted.shares);
    return code;
}
