/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom graph: algorithms on the graph of a matrix */
#include "failure.h"
#include "graph_picture.h"
#include "graph_runs.h"
#include "output_file.h"

#include <json_helpers.h>
#include <readable.h>
#include <shown_text.h>
#include <stdio.h>
#include <string.h>
#include <text_table.h>

static const cli_graph_run *run_named(const char *name)
{
    const cli_graph_run *run = cli_graph_runs;
    while (run->name && strcmp(run->name, name))
        run++;
    return run->name ? run : NULL;
}

static int fail_name(const char *name)
{
    char names[300] = "";
    for (const cli_graph_run *run = cli_graph_runs; run->name; run++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", run->name);
    }
    return cli_fail_usage("graph: \"%s\" is none of %s", name, names);
}

static void print_text(const cli_input *input, const cli_graph_run *run,
                       const cli_graph_result *result)
{
    tool_table table = {.right = 1 << 1};
    printf("%s of %s: %s vertices, %s entries\n", run->name, tool_shown(input->file).text,
           tool_thousands(input->view.rows).text, tool_thousands(input->view.nnz).text);
    for (int k = 0; k < result->fact_count; k++) {
        const cli_graph_fact *fact = &result->facts[k];
        char text[40];
        snprintf(text, sizeof text, "%.10g", fact->real);
        tool_table_row(&table, fact->key, fact->is_real ? text : tool_thousands(fact->whole).text,
                       fact->note, NULL);
    }
    tool_table_row(&table, "time", tool_duration(result->seconds).text, NULL, NULL);
    tool_table_print(&table, stdout);
}

static void fill_json(const cli_input *input, const cli_graph_run *run,
                      const cli_graph_result *result, cJSON *json)
{
    cli_input_json(input, "A", cJSON_AddArrayToObject(json, "inputs"));
    cJSON *object = cJSON_AddObjectToObject(json, "graph");
    tool_json_text(object, "algorithm", run->name);
    tool_json_real(object, "seconds", result->seconds);
    for (int k = 0; k < result->fact_count; k++) {
        const cli_graph_fact *fact = &result->facts[k];
        if (fact->is_real)
            tool_json_real(object, fact->key, fact->real);
        else
            tool_json_integer(object, fact->key, fact->whole);
    }
}

static void add_value(tool_buffer *text, const cli_graph_column *column, int64_t v, char end)
{
    if (column->values == CLI_GRAPH_F64)
        tool_buffer_text(text, "%.17g%c", ((const double *)column->array)[v], end);
    else if (column->values == CLI_GRAPH_I64)
        tool_buffer_text(text, "%lld%c", (long long)((const int64_t *)column->array)[v], end);
    else
        tool_buffer_text(text, "%d%c", (int)((const int32_t *)column->array)[v], end);
}

/* A line for each vertex, or a matrix. */
static int write_file(cli_session *session, const cli_graph_result *result)
{
    const char *path = session->request->output;
    tool_buffer text = {0};
    if (result->matrix) {
        spl_sparse view = SPL_SPARSE_INIT;
        spl_matrix_view(result->matrix, &view);
        return cli_check_written(spl_write(session->context, &view, path), path);
    }
    for (int64_t v = 0; v < result->vertices; v++)
        for (int k = 0; k < result->column_count; k++)
            add_value(&text, &result->columns[k], v, k + 1 < result->column_count ? ' ' : '\n');
    int code = cli_output_write(path, &text);
    tool_buffer_free(&text);
    return code;
}

/* Adds the transpose; where an edge has a value each way, the lesser one stays. */
static int make_undirected(cli_session *session, cli_input *input)
{
    spl_matrix *transposed = NULL, *united = NULL;
    spl_sparse back = SPL_SPARSE_INIT;
    spl_convert_options options = SPL_CONVERT_OPTIONS_INIT;
    options.transpose = 1;
    int code = cli_check_of(spl_convert(session->context, &input->view, &options, &transposed),
                            input->file);
    if (!code)
        code = cli_check(spl_matrix_view(transposed, &back));
    if (!code)
        code = cli_check_of(
            spl_elementwise(session->context, &input->view, &back, SPL_UNION, SPL_OP_MIN, &united),
            input->file);
    spl_matrix_destroy(transposed);
    if (code)
        return code;
    spl_matrix_destroy(input->matrix);
    input->matrix = united;
    return cli_check(spl_matrix_view(united, &input->view));
}

static int run_on(cli_session *session, const cli_graph_run *run, const cli_input *input,
                  cli_graph_result *result)
{
    spl_graph *graph = NULL;
    int code = cli_check_of(spl_graph_create(session->context, &input->view, &graph), input->file);
    result->vertices = input->view.rows;
    if (!code)
        code = run->run(session, graph, result);
    spl_graph_destroy(graph);
    if (!code && session->request->output)
        code = write_file(session, result);
    if (!code && session->request->plot)
        code = cli_graph_picture(session, input, result->columns[0].array);
    return code;
}

static int has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strcspn(words, " ") == length && !strncmp(words, word, length))
            return 1;
    return 0;
}

/* Options of other algorithms are errors. */
static int check_options(const cli_request *request, const cli_graph_run *run)
{
    for (const cli_graph_run *other = cli_graph_runs; other->name; other++)
        for (int i = 0; cli_options[i].name; i++)
            if (request->given >> i & 1 && has_word(other->options, cli_options[i].name) &&
                !has_word(run->options, cli_options[i].name))
                return cli_fail_usage("--%s does not apply to \"graph %s\"", cli_options[i].name,
                                      run->name);
    return request->plot ? cli_graph_picture_check(request->plot) : CLI_OK;
}

void cli_print_algorithms(void)
{
    tool_table table = {0};
    puts("\nAlgorithms:");
    for (const cli_graph_run *run = cli_graph_runs; run->name; run++) {
        char name[40];
        snprintf(name, sizeof name, "  %s", run->name);
        tool_table_row(&table, name, run->summary, NULL, NULL);
    }
    tool_table_print(&table, stdout);
}

int cli_run_graph(cli_session *session)
{
    const cli_request *request = session->request;
    const cli_graph_run *run = run_named(request->operands[0]);
    cli_graph_result result = {0};
    cli_input input = {0};
    int code = run ? CLI_OK : fail_name(request->operands[0]);
    if (!code)
        code = check_options(request, run);
    if (!code && request->output)
        code = cli_output_check(request->output);
    if (!code)
        code = cli_input_read(session, request->operands[1], &input);
    if (!code && request->undirected && input.view.rows == input.view.cols)
        code = make_undirected(session, &input);
    if (!code)
        code = run_on(session, run, &input, &result);
    if (!code && session->json)
        fill_json(&input, run, &result, session->json);
    else if (!code)
        print_text(&input, run, &result);
    cli_graph_result_free(&result);
    cli_input_free(&input);
    return code;
}
