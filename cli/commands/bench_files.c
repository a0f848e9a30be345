/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_files.h"

#include "failure.h"
#include "output_file.h"

#include <bench_page.h>
#include <errno.h>
#include <plot_bench.h>
#include <stdlib.h>
#include <string.h>

int cli_bench_only(const cli_request *request, const char *allowed)
{
    static const char *const common[] = {"json", "quiet", "verbose", "threads", "budget"};
    for (int i = 0; cli_options[i].name; i++) {
        const char *name = cli_options[i].name;
        int known = !strcmp(name, allowed);
        for (size_t k = 0; k < sizeof common / sizeof common[0]; k++)
            known |= !strcmp(name, common[k]);
        if (!known && request->given >> i & 1)
            return cli_fail_usage("--%s does not apply to \"bench %s\"", name,
                                  request->operands[0]);
    }
    return CLI_OK;
}

/* NULL, or an error message for the text. */
static const char *parse(const char *text, bench_results *results)
{
    cJSON *object = cJSON_Parse(text);
    const char *problem =
        object ? bench_results_read(object, results) : "not JSON, as \"bench --json\" writes it";
    cJSON_Delete(object);
    return problem;
}

int cli_bench_read(const char *path, bench_results *results)
{
    *results = (bench_results){0};
    char *text = tool_read_file(path);
    if (!text)
        return cli_fail(SPL_FILE_ERROR, "%s: %s", path, strerror(errno));
    const char *problem = parse(text, results);
    free(text);
    return problem ? cli_fail(SPL_FILE_INVALID, "%s: %s", path, problem) : CLI_OK;
}

/* ----------------------------------------------------------------------------------------- page */

static int add_section(tool_buffer *page, const char *path)
{
    bench_results results;
    int code = cli_bench_read(path, &results);
    if (!code)
        bench_page_section(page, path, &results);
    bench_results_free(&results);
    return code;
}

/* The page itself. */
static int write_page(const cli_request *request)
{
    tool_buffer page = {0};
    int code = cli_output_check(request->output);
    bench_page_begin(&page);
    for (int64_t i = 1; !code && i < request->operand_count; i++)
        code = add_section(&page, request->operands[i]);
    bench_page_end(&page);
    if (!code)
        code = cli_output_write(request->output, &page);
    tool_buffer_free(&page);
    return code;
}

/* Draws what there is; `problem` is what is wrong with it, NULL if nothing is. */
static int write_scene(const char *path, const plot_scene *scene, const char *problem)
{
    tool_buffer picture = {0};
    if (!problem)
        problem = plot_draw(scene, plot_format_of(path), &picture);
    int code =
        problem ? cli_fail_output("%s: %s", path, problem) : cli_output_write(path, &picture);
    tool_buffer_free(&picture);
    return code;
}

/* One picture of all files. */
static int write_ratios(const cli_request *request)
{
    int64_t count = request->operand_count - 1;
    bench_results *results = calloc((size_t)count, sizeof *results);
    plot_scene scene = {0};
    int code = results ? cli_bench_plot_check(request->output)
                       : cli_fail(SPL_OUT_OF_MEMORY, "no memory for the results");
    for (int64_t i = 0; !code && i < count; i++)
        code = cli_bench_read(request->operands[i + 1], &results[i]);
    if (!code)
        code = write_scene(request->output, &scene,
                           plot_ratios(&scene, results, count)
                               ? NULL
                               : "no rival's time is known: nothing to draw");
    for (int64_t i = 0; results && i < count; i++)
        bench_results_free(&results[i]);
    plot_scene_free(&scene);
    free(results);
    return code;
}

int cli_bench_page(cli_session *session)
{
    const cli_request *request = session->request;
    int code = cli_bench_only(request, "output");
    if (!code && (request->operand_count < 2 || !request->output))
        code = cli_fail_usage(
            "usage: sparloom bench page RESULTS.json... -o FILE.html|FILE.svg|FILE.png");
    if (code)
        return code;
    return plot_format_of(request->output) == PLOT_UNKNOWN ? write_page(request)
                                                           : write_ratios(request);
}

/* -------------------------------------------------------------------------------------- picture */

int cli_bench_plot_check(const char *path)
{
    if (plot_format_of(path) == PLOT_UNKNOWN)
        return cli_fail_usage("--plot: %s: pictures are .svg or .png", path);
    return cli_output_check_picture(path);
}

/* The object's text is used, since integers are stored as text until they are read. */
int cli_bench_plot(const cJSON *object, const char *path)
{
    bench_results results = {0};
    char *text = cJSON_PrintUnformatted(object);
    plot_scene scene = {0};
    const char *problem = text ? parse(text, &results) : "no memory";
    if (!problem && !plot_bench(&scene, &results))
        problem = "neither a rival's time nor traffic is known: nothing to draw";
    int code = write_scene(path, &scene, problem);
    cJSON_free(text);
    plot_scene_free(&scene);
    bench_results_free(&results);
    return code;
}
