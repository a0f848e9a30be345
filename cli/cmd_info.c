/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom info: describes a matrix */
#include "failure.h"
#include "session.h"

#include <json_helpers.h>
#include <readable.h>
#include <stdio.h>
#include <text_table.h>
#include <typed_array.h>

static void add_count(tool_table *table, const char *label, int64_t count, const char *note)
{
    tool_table_row(table, label, tool_thousands(count).text, note, NULL);
}

static void add_real(tool_table *table, const char *label, double value, const char *note)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    tool_table_row(table, label, text, note, NULL);
}

static const char *symmetry_of(const spl_description *about)
{
    if (about->value_symmetric)
        return "symmetric";
    return about->pattern_symmetric ? "pattern" : "no";
}

static void print_text(const cli_input *input, const spl_description *about)
{
    int square = about->rows == about->cols;
    tool_table table = {.right = 1 << 1};
    add_count(&table, "rows", about->rows, NULL);
    add_count(&table, "columns", about->cols, NULL);
    add_count(&table, "entries", about->nnz, "stored, symmetric halves and duplicates included");
    add_real(&table, "density", about->density, "entries/(rows*columns)");
    add_real(&table, "mean row", about->mean_row, "entries per row");
    add_real(&table, "deviation", about->row_deviation, "standard deviation of entries per row");
    add_count(&table, "longest row", about->longest_row, "entries");
    add_count(&table, "empty rows", about->empty_rows, NULL);
    add_count(&table, "duplicates", about->duplicates, "entries beyond the first at their position");
    add_count(&table, "unsorted rows", about->unsorted_rows, "columns do not ascend");
    tool_table_row(&table, "symmetry", symmetry_of(about), about->value_symmetric ? "of values and pattern" : NULL,
                   NULL);
    add_count(&table, "bandwidth", about->bandwidth, "largest |row - column| of an entry; -1 without entries");
    add_count(&table, "products", about->products,
              square ? "of A*A; its FLOP are twice as many" : "of A*A'; its FLOP are twice as many");
    tool_table_row(&table, "read in", tool_duration(input->seconds).text, NULL, NULL);
    printf("%s\n", input->file);
    tool_table_print(&table, stdout);
}

static void fill_json(const cli_input *input, const spl_description *about, cJSON *json)
{
    cli_input_json(input, "A", cJSON_AddArrayToObject(json, "inputs"));
    cJSON *object = cJSON_AddObjectToObject(json, "description");
    tool_json_integer(object, "rows", about->rows);
    tool_json_integer(object, "cols", about->cols);
    tool_json_integer(object, "nnz", about->nnz);
    tool_json_real(object, "density", about->density);
    tool_json_real(object, "mean_row", about->mean_row);
    tool_json_real(object, "row_deviation", about->row_deviation);
    tool_json_integer(object, "longest_row", about->longest_row);
    tool_json_integer(object, "empty_rows", about->empty_rows);
    tool_json_integer(object, "duplicates", about->duplicates);
    tool_json_integer(object, "unsorted_rows", about->unsorted_rows);
    tool_json_truth(object, "pattern_symmetric", about->pattern_symmetric);
    tool_json_truth(object, "value_symmetric", about->value_symmetric);
    tool_json_integer(object, "bandwidth", about->bandwidth);
    tool_json_integer(object, "products", about->products);
}

int cli_run_info(cli_session *session)
{
    cli_input input;
    spl_description about = SPL_DESCRIPTION_INIT;
    int code = cli_input_read(session, session->request->operands[0], &input);
    if (!code)
        code = cli_check(spl_describe(session->context, &input.view, &about));
    if (!code && session->json)
        fill_json(&input, &about, session->json);
    else if (!code)
        print_text(&input, &about);
    cli_input_free(&input);
    return code;
}
