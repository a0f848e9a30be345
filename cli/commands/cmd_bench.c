/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom bench: ours and rivals in turn, on sets of matrices */
#include "bench_files.h"
#include "bench_measure.h"
#include "failure.h"
#include "normalised.h"
#include "origin.h"
#include "output_file.h"

#include <errno.h>
#include <file_list.h>
#include <inttypes.h>
#include <json_helpers.h>
#include <readable.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <typed_array.h>

/* Bytes per entry of a matrix while it is measured: its arrays, a copy in another type, copies
 * of rivals. */
static const double bytes_per_entry = 64;

static int measure_operation(cli_bench_run *run, const spl_sparse *a, bench_case *item)
{
    if (item->operation != BENCH_SPMM)
        return cli_bench_measure(run, a, NULL, item);
    int code = CLI_OK;
    for (int i = 0; !code && i < run->bench.width_count; i++) {
        item->columns = run->bench.widths[i];
        code = cli_bench_measure(run, a, NULL, item);
    }
    return code;
}

static int measure_type(cli_bench_run *run, const spl_sparse *source, spl_type type,
                        const bench_case *names)
{
    unsigned any = 0;
    for (int i = 0; i < BENCH_OPERATIONS; i++)
        any |= (unsigned)cli_bench_wants(&run->bench, (bench_operation)i, type);
    if (!any)
        return CLI_OK;
    spl_matrix *matrix = NULL;
    spl_sparse a;
    int code = cli_normalise(run->session, source, type, &matrix, &a);
    for (int i = 0; !code && i < BENCH_OPERATIONS; i++) {
        bench_case item = *names;
        item.operation = (bench_operation)i;
        item.type = type;
        item.columns = 1;
        if (cli_bench_wants(&run->bench, item.operation, type))
            code = measure_operation(run, &a, &item);
    }
    spl_matrix_destroy(matrix);
    return code;
}

static int measure_file(cli_bench_run *run, const char *set, const char *file, const char *name)
{
    bench_case names = {0};
    snprintf(names.set, sizeof names.set, "%s", set);
    snprintf(names.matrix, sizeof names.matrix, "%s", name);
    cli_input input;
    int code = cli_input_read(run->session, file, &input);
    for (int i = 0; !code && i < CLI_BENCH_TYPES; i++)
        code = measure_type(run, &input.view, cli_bench_types[i], &names);
    cli_input_free(&input);
    return code;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The stand-ins of that set; `found` is 0 if there is no such set. */
static int measure_stand_ins(cli_bench_run *run, const char *set, int *found)
{
    int code = CLI_OK;
    *found = 0;
    for (const gen_stand_in *row = gen_stand_ins; !code && row->name; row++) {
        char file[80];
        if (strcmp(row->set, set) != 0)
            continue;
        *found = 1;
        double needed = row->nnz * bytes_per_entry;
        if (needed > bench_free_bytes()) {
            cli_remark(run->session, "%s is skipped: it needs %s", row->name,
                       tool_bytes(needed).text);
            run->report.skipped++;
            continue;
        }
        snprintf(file, sizeof file, "gen:%s", row->name);
        code = measure_file(run, set, file, row->name);
    }
    return code;
}

/* One matrix of many: it is skipped if it cannot be read, such as complex values, or does not
 * fit memory. */
static int measure_if_readable(cli_bench_run *run, const char *path)
{
    int code = measure_file(run, "real", path, base_name(path));
    if (code != CLI_UNSUPPORTED && code != CLI_INPUT && code != CLI_RESOURCE)
        return code;
    cli_remark(run->session, "%s is skipped: %s", base_name(path), cli_failure_forget());
    run->report.skipped++;
    return CLI_OK;
}

static int measure_folder(cli_bench_run *run)
{
    static const char *const endings[] = {".mtx", ".mtx.gz", NULL};
    const char *folder = run->session->request->data;
    tool_files files = {0};
    int code = CLI_OK;
    if (!folder)
        return cli_fail_usage("the set \"real\" needs --data DIR");
    if (!tool_files_below(&files, folder, endings))
        code = cli_fail(SPL_FILE_ERROR, "%s: %s", folder, strerror(errno));
    for (size_t i = 0; !code && i < files.count; i++)
        code = measure_if_readable(run, files.paths[i]);
    if (!code && !files.count)
        code = cli_fail(SPL_FILE_ERROR, "%s: there are no .mtx and .mtx.gz files", folder);
    tool_files_free(&files);
    return code;
}

static int measure_small(cli_bench_run *run, uint64_t seed)
{
    char file[sizeof "gen:" + GEN_FRESH_NAME] = "gen:", *name = file + strlen(file), set[32];
    int code = CLI_OK;
    snprintf(set, sizeof set, "small:%" PRIu64, seed);
    cli_remark(run->session, "the matrices of this run: %s", set);
    for (int k = 0; !code && gen_fresh(seed, k, name, GEN_FRESH_NAME); k++)
        code = measure_file(run, set, file, name);
    return code;
}

static int measure_named(cli_bench_run *run, const char *operand)
{
    int found = 0;
    uint64_t seed;
    if (gen_fresh_seed(operand, "small", (uint64_t)time(NULL), &seed))
        return measure_small(run, seed);
    if (!strcmp(operand, "real"))
        return measure_folder(run);
    if (!strcmp(operand, "multigrid"))
        return cli_bench_multigrid(run);
    int code = measure_stand_ins(run, operand, &found);
    if (!found && !code)
        code = cli_bench_check_file(run->session->request, operand);
    return found || code ? code : measure_file(run, "files", operand, base_name(operand));
}

/* *first: the exit code of the first operand that could not be measured. */
static int measure_operand(cli_bench_run *run, const char *operand, int *first)
{
    const int code = measure_named(run, operand);
    cli_progress_clear(&run->session->bar);
    const int end = cli_failure_put_off(code, first);
    run->report.skipped += code && !end;
    return end;
}

static int write_csv(const cli_bench_run *run, const char *path)
{
    char *text = NULL;
    size_t count = 0;
    FILE *stream = open_memstream(&text, &count);
    int good = stream && bench_write_csv(&run->report, &run->bench.setup, stream);
    good = stream && fclose(stream) == 0 && good;
    tool_buffer bytes = {.bytes = text, .count = count, .failed = !good};
    int code = cli_output_write(path, &bytes);
    free(text);
    return code;
}

/* Pictures are drawn from what --json says. */
static int write_picture(cli_bench_run *run, const char *path)
{
    cJSON *object = cJSON_CreateObject();
    tool_json_text(object, "sparloom", spl_version());
    bench_write_json(&run->report, &run->bench.setup, object);
    int code = cli_bench_plot(object, path);
    cJSON_Delete(object);
    return code;
}

/* Wrong results of Sparloom are failures; those of rivals are findings. */
static int verdict(const cli_bench_run *run)
{
    for (int64_t i = 0; i < run->report.count; i++) {
        const bench_case *item = &run->report.cases[i];
        const bench_entry *own_entry = &item->entries[0];
        if (own_entry->verdict != BENCH_GOOD)
            return cli_fail(SPL_INTERNAL, "%s of %s by %s: %s%s%s",
                            bench_operation_names[item->operation], item->matrix,
                            run->bench.setup.rivals[0]->name,
                            bench_verdict_names[own_entry->verdict],
                            own_entry->reason[0] ? ": " : "", own_entry->reason);
    }
    return CLI_OK;
}

static int write_report(cli_bench_run *run)
{
    cli_session *session = run->session;
    bench_report_sort(&run->report);
    if (session->json) {
        cli_origin_json(session);
        bench_write_json(&run->report, &run->bench.setup, session->json);
    } else
        bench_write_text(&run->report, &run->bench.setup, stdout);
    int code = session->request->csv ? write_csv(run, session->request->csv) : CLI_OK;
    if (!code && session->request->plot)
        code = write_picture(run, session->request->plot);
    return code ? code : verdict(run);
}

/* Checks for failures that are known before anything is measured. */
static int check_outputs(const cli_request *request)
{
    int code = request->csv ? cli_output_check(request->csv) : CLI_OK;
    if (!code && request->plot)
        code = cli_bench_plot_check(request->plot);
    if (!code && (request->output || request->fail))
        code = cli_fail_usage("--%s belongs to \"bench %s\"", request->output ? "output" : "fail",
                              request->output ? "page" : "compare");
    return code;
}

static int run_sets(cli_session *session)
{
    const cli_request *request = session->request;
    cli_bench_run run = {.session = session};
    int first = CLI_OK, code = check_outputs(request);
    if (!code)
        code = cli_bench_parse(session, &run.bench);
    if (code)
        return code;
    for (int64_t i = 0; !code && i < request->operand_count; i++)
        code = measure_operand(&run, request->operands[i], &first);
    code = code ? code : first;
    int report_code = run.report.count || !code ? write_report(&run) : CLI_OK;
    bench_flusher_close(&run.flusher);
    bench_report_free(&run.report);
    return code ? code : report_code;
}

int cli_run_bench(cli_session *session)
{
    const char *first = session->request->operands[0];
    if (!strcmp(first, "page"))
        return cli_bench_page(session);
    return !strcmp(first, "compare") ? cli_bench_compare(session) : run_sets(session);
}
