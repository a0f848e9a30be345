/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom partition: divides the rows of a matrix among processors */
#include "failure.h"
#include "output_file.h"
#include "shares.h"

#include <readable.h>
#include <shown_text.h>
#include <stdio.h>
#include <stdlib.h>
#include <typed_array.h>
#include <whole_file.h>

static double total_capability(const cli_shares *shares)
{
    double sum = 0;
    for (int32_t i = 0; i < shares->count; i++)
        sum += shares->capabilities[i];
    return sum;
}

/* 0 of nothing. */
static double percent(double part, double total)
{
    return total > 0 ? 100 * part / total : 0;
}

static void print_part(const cli_shares *shares, int32_t i, int64_t nnz)
{
    const spl_part *part = &shares->parts[i];
    printf("%4d  %11.6g  %6.2f %%  %15s", (int)i + 1, shares->capabilities[i],
           percent(shares->capabilities[i], total_capability(shares)),
           tool_thousands(part->rows).text);
    printf("  %15s  %6.2f %%  %11s  %6.2f %%  %6.2f %%\n", tool_thousands(part->nnz).text,
           percent((double)part->nnz, (double)nnz), tool_thousands(part->width).text,
           100 * part->density, percent(part->seconds, cli_shares_seconds(shares)));
}

static void print_text(const cli_input *input, const cli_shares *shares)
{
    const spl_sparse *a = &input->view;
    printf("%s: %s x %s, %s entries\n\n", tool_shown(input->file).text,
           tool_thousands(a->rows).text, tool_thousands(a->cols).text, tool_thousands(a->nnz).text);
    printf("%4s  %11s  %8s  %15s  %15s  %8s  %11s  %8s  %s\n", "part", "capability", "of all",
           "rows", "entries", "of all", "width", "density", "of slowest time");
    for (int32_t i = 0; i < shares->count; i++)
        print_part(shares, i, a->nnz);
    printf("\ndensity of all parts as ELL: %.2f %%\n", 100 * cli_shares_density(shares));
    printf(
        "predicted time of the slowest part: %s, if capabilities are multiplications per second\n",
        tool_duration(cli_shares_seconds(shares)).text);
}

/* METIS' format of partitions: line i has the part, from 0, of row i. */
static void write_parts(const cli_shares *shares, int64_t rows, tool_buffer *text)
{
    int32_t *part_of_row = tool_array(rows, sizeof *part_of_row);
    text->failed |= !part_of_row;
    for (int32_t p = 0; part_of_row && p < shares->count; p++)
        for (int64_t i = 0; i < shares->parts[p].rows; i++)
            part_of_row[shares->order[shares->parts[p].begin + i]] = p;
    for (int64_t row = 0; part_of_row && row < rows; row++)
        tool_buffer_text(text, "%d\n", (int)part_of_row[row]);
    free(part_of_row);
}

static int write_file(const char *path, const cli_shares *shares, int64_t rows)
{
    tool_buffer text = {0};
    write_parts(shares, rows, &text);
    int code = cli_output_write(path, &text);
    tool_buffer_free(&text);
    return code;
}

static int run(cli_session *session, cli_shares *shares)
{
    const cli_request *request = session->request;
    cli_input input;
    int code = cli_input_read(session, request->operands[0], &input);
    if (!code)
        code = cli_shares_cut(session, &input.view, shares);
    if (!code && request->output)
        code = write_file(request->output, shares, input.view.rows);
    if (!code && session->json) {
        cli_input_json(&input, "A", cJSON_AddArrayToObject(session->json, "inputs"));
        cli_shares_json(shares, session->json);
    } else if (!code) {
        print_text(&input, shares);
    }
    cli_input_free(&input);
    return code;
}

int cli_run_partition(cli_session *session)
{
    const cli_request *request = session->request;
    int64_t kind = SPL_PARTITION_DENSITY;
    cli_shares shares = {0};
    int code =
        request->capabilities ? CLI_OK : cli_fail_usage("partition needs --capabilities C,C...");
    if (!code && request->kind)
        code = cli_choose("kind", cli_partition_kinds, request->kind, &kind);
    if (!code)
        code = cli_shares_parse(request, (spl_partition_kind)kind, &shares);
    if (!code && request->output)
        code = cli_output_check(request->output);
    if (!code)
        code = run(session, &shares);
    cli_shares_free(&shares);
    return code;
}
