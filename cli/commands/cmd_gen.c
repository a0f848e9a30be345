/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom gen: writes a generated matrix; without operands lists the names */
#include "failure.h"
#include "output_file.h"
#include "session.h"

#include <json_helpers.h>
#include <math.h>
#include <readable.h>
#include <shown_text.h>
#include <stdio.h>
#include <stopwatch.h>
#include <string.h>
#include <text_table.h>

enum { LONGEST_NAME = 1024 };

/* "NAME:VALUE,VALUE" of the operands; a name that brings its own values may stand alone. */
static int join_operands(const cli_request *request, char *name)
{
    size_t used = 0;
    name[0] = 0;
    for (int64_t i = 0; i < request->operand_count; i++) {
        const char *separator = i == 0 ? "" : i == 1 && !strchr(name, ':') ? ":" : ",";
        int written =
            snprintf(name + used, LONGEST_NAME - used, "%s%s", separator, request->operands[i]);
        used += (size_t)written;
        if (used >= LONGEST_NAME)
            return cli_fail_usage("gen: the values are too long");
    }
    return CLI_OK;
}

/* "nx,ny[,d=1]": required and optional parameters. */
static void describe_parameters(const gen_family *family, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = 0;
    for (const gen_parameter *p = family->parameters; p->name && used < capacity; p++) {
        const char *comma = p == family->parameters ? "" : ",";
        int written =
            isnan(p->value)
                ? snprintf(text + used, capacity - used, "%s%s", comma, p->name)
                : snprintf(text + used, capacity - used, "[%s%s=%g]", comma, p->name, p->value);
        used += (size_t)written;
    }
}

static void list_as_text(void)
{
    char parameters[160];
    puts("Families:");
    for (const gen_family *family = gen_families; family->name; family++) {
        describe_parameters(family, parameters, sizeof parameters);
        printf("  %s:%s\n      %s\n", family->name, parameters, family->summary);
    }
    puts("\nStand-ins:");
    tool_table table = {0};
    for (const gen_stand_in *row = gen_stand_ins; row->name; row++) {
        char name[64];
        snprintf(name, sizeof name, "  %s", row->name);
        tool_table_row(&table, name, row->set, row->spec, NULL);
    }
    tool_table_print(&table, stdout);
    puts("\nEvery name takes seed=N, too, and values=N (whole numbers from 1 to N); square ones "
         "nodes=D (nodes\n"
         "of D unknowns in random order), fixed=SHARE (so many unknowns have nothing but the "
         "diagonal left), and\n"
         "holes=SHARE (so many entries are left out, on both sides of the diagonal).\n"
         "Wherever the tool reads a FILE, gen:NAME stands for a generated matrix.");
}

static void list_as_json(cJSON *json)
{
    char parameters[160];
    cJSON *families = cJSON_AddArrayToObject(json, "families");
    for (const gen_family *family = gen_families; family->name; family++) {
        cJSON *object = tool_json_object(families);
        describe_parameters(family, parameters, sizeof parameters);
        tool_json_text(object, "name", family->name);
        tool_json_text(object, "parameters", parameters);
        tool_json_text(object, "summary", family->summary);
    }
    cJSON *stand_ins = cJSON_AddArrayToObject(json, "stand_ins");
    for (const gen_stand_in *row = gen_stand_ins; row->name; row++) {
        cJSON *object = tool_json_object(stand_ins);
        tool_json_text(object, "name", row->name);
        tool_json_text(object, "set", row->set);
        tool_json_text(object, "made_as", row->spec);
    }
}

static void report(cli_session *session, const char *name, const gen_matrix *matrix, double made,
                   double written)
{
    cJSON *json = session->json;
    if (!json) {
        printf("%s: %s x %s, %s entries (generated in %s, written in %s)\n", tool_shown(name).text,
               tool_thousands(matrix->rows).text, tool_thousands(matrix->cols).text,
               tool_thousands(matrix->nnz).text, tool_duration(made).text,
               tool_duration(written).text);
        return;
    }
    tool_json_text(json, "name", name);
    tool_json_text(json, "output", session->request->output);
    tool_json_integer(json, "rows", matrix->rows);
    tool_json_integer(json, "cols", matrix->cols);
    tool_json_integer(json, "nnz", matrix->nnz);
    cJSON *seconds = cJSON_AddObjectToObject(json, "seconds");
    tool_json_real(seconds, "generate", made);
    tool_json_real(seconds, "write", written);
}

static int generate_and_write(cli_session *session, const char *name)
{
    const cli_request *request = session->request;
    gen_matrix matrix;
    double start = tool_now();
    int code = cli_generate(name, (uint64_t)request->seed, (spl_type)request->type, &matrix);
    if (code)
        return code;
    double made = tool_now() - start;
    spl_sparse view = gen_view(&matrix);
    code = cli_check_written(spl_write(session->context, &view, request->output), request->output);
    cli_progress_clear(&session->bar);
    if (!code)
        report(session, name, &matrix, made, tool_now() - start - made);
    gen_free(&matrix);
    return code;
}

int cli_run_gen(cli_session *session)
{
    char name[LONGEST_NAME];
    if (session->request->operand_count == 0) {
        if (session->json)
            list_as_json(session->json);
        else
            list_as_text();
        return CLI_OK;
    }
    int code = cli_output_check_matrix(session->request->output);
    if (!code)
        code = join_operands(session->request, name);
    return code ? code : generate_and_write(session, name);
}
