/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom bench: ours and rivals in turn, on sets of matrices */
#include "bench_request.h"
#include "failure.h"
#include "normalised.h"
#include "output_file.h"

#include <errno.h>
#include <file_list.h>
#include <readable.h>
#include <stdio.h>
#include <string.h>
#include <typed_array.h>

/* Squares beyond this take too long to check, and their results do not fit usual machines. */
static const double most_products = 3e9;
/* Bytes per entry that a matrix needs while it is measured: ours, a copy in another type, copies of rivals. */
static const double bytes_per_entry = 64;

typedef struct bench_run_state {
    cli_session *session;
    cli_bench_request bench;
    bench_flusher flusher;
    bench_report report;
} bench_run_state;

/* Why the operation cannot be measured on the matrix; NULL if it can. */
static const char *obstacle(const spl_sparse *a, bench_operation operation, int64_t columns)
{
    double dense = (double)(a->rows + a->cols) * (double)columns * (double)tool_type_bytes(a->type);
    if (operation == BENCH_SPMV || operation == BENCH_SPMM)
        return 3 * dense < bench_free_bytes() ? NULL : "its dense operands do not fit memory";
    if (a->rows != a->cols)
        return "it is not square";
    double products = bench_products(a), all = (double)a->rows * (double)a->cols;
    if (products > most_products)
        return "its square has too many products";
    return 40 * (products < all ? products : all) < 4 * bench_free_bytes() ? NULL : "its square may not fit memory";
}

/* The first SpMV needs the bandwidth and a buffer that empties caches. */
static void measure_machine(bench_run_state *run)
{
    if (run->bench.setup.flusher)
        return;
    run->bench.setup.triad = bench_triad();
    run->flusher = bench_flusher_open();
    run->bench.setup.flusher = &run->flusher;
}

static void remark_failures(bench_run_state *run, const bench_case *item)
{
    const char *operation = bench_operation_names[item->operation];
    for (int i = 0; i < item->count; i++) {
        const bench_entry *entry = &item->entries[i];
        const char *library = run->bench.setup.rivals[i]->name;
        if (entry->verdict == BENCH_WRONG)
            cli_remark(run->session, "%s: the result of %s by %s is wrong", item->matrix, operation, library);
        if (entry->verdict == BENCH_FAILED)
            cli_remark(run->session, "%s: %s by %s failed: %s", item->matrix, operation, library,
                       entry->reason[0] ? entry->reason : "it does not say why");
    }
}

static int measure(bench_run_state *run, const spl_sparse *a, bench_case *item)
{
    const char *reason = obstacle(a, item->operation, item->columns);
    const char *operation = bench_operation_names[item->operation];
    if (reason) {
        cli_remark(run->session, "%s: %s is skipped: %s", item->matrix, operation, reason);
        return CLI_OK;
    }
    if (run->session->request->verbose)
        cli_remark(run->session, "%s: %s %s %lld", item->matrix, operation, tool_type_name(item->type),
                   (long long)item->columns);
    if (item->operation == BENCH_SPMV && !run->bench.setup.device)
        measure_machine(run);
    spl_status status = bench_run(&run->bench.setup, a, item);
    if (status == SPL_CANCELLED)
        return CLI_INTERRUPTED;
    if (status != SPL_OK)
        return cli_fail(status, "no memory to measure %s of %s", operation, item->matrix);
    remark_failures(run, item);
    return bench_report_add(&run->report, item) ? CLI_OK : cli_fail(SPL_OUT_OF_MEMORY, "no memory for the report");
}

static int measure_operation(bench_run_state *run, const spl_sparse *a, bench_case *item)
{
    if (item->operation != BENCH_SPMM)
        return measure(run, a, item);
    int code = CLI_OK;
    for (int i = 0; !code && i < run->bench.width_count; i++) {
        item->columns = run->bench.widths[i];
        code = measure(run, a, item);
    }
    return code;
}

static int measure_type(bench_run_state *run, const spl_sparse *source, spl_type type, const bench_case *names)
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

static int measure_file(bench_run_state *run, const char *set, const char *file, const char *name)
{
    bench_case names = {0};
    snprintf(names.set, sizeof names.set, "%s", set);
    snprintf(names.matrix, sizeof names.matrix, "%s", name);
    cli_input input;
    int code = cli_input_read(run->session, file, &input);
    if (!code)
        code = measure_type(run, &input.view, SPL_F64, &names);
    if (!code)
        code = measure_type(run, &input.view, SPL_F32, &names);
    cli_input_free(&input);
    return code;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The stand-ins of that set; `found` is 0 if there is no such set. */
static int measure_stand_ins(bench_run_state *run, const char *set, int *found)
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
            cli_remark(run->session, "%s is skipped: it needs %s", row->name, tool_bytes(needed).text);
            run->report.skipped++;
            continue;
        }
        snprintf(file, sizeof file, "gen:%s", row->name);
        code = measure_file(run, set, file, row->name);
    }
    return code;
}

/* One of many: what cannot be read, such as complex values, or does not fit memory by its own account, is left out. */
static int measure_if_readable(bench_run_state *run, const char *path)
{
    int code = measure_file(run, "real", path, base_name(path));
    if (code != CLI_UNSUPPORTED && code != CLI_INPUT && code != CLI_RESOURCE)
        return code;
    cli_remark(run->session, "%s is skipped: %s", base_name(path), cli_failure_forget());
    run->report.skipped++;
    return CLI_OK;
}

static int measure_folder(bench_run_state *run)
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

static int measure_operand(bench_run_state *run, const char *operand)
{
    int found = 0;
    if (!strcmp(operand, "real"))
        return measure_folder(run);
    int code = measure_stand_ins(run, operand, &found);
    return found ? code : measure_file(run, "files", operand, base_name(operand));
}

static int write_csv(const bench_run_state *run, const char *path)
{
    FILE *file = fopen(path, "w");
    int good = file && bench_write_csv(&run->report, &run->bench.setup, file);
    if (file)
        good = fclose(file) == 0 && good;
    return good ? CLI_OK : cli_fail_output("%s: %s", path, strerror(errno));
}

/* Wrong results of ours are failures; of rivals, findings. */
static int verdict(const bench_run_state *run)
{
    for (int64_t i = 0; i < run->report.count; i++) {
        const bench_case *item = &run->report.cases[i];
        const bench_entry *ours = &item->entries[0];
        if (ours->verdict != BENCH_GOOD)
            return cli_fail(SPL_INTERNAL, "%s of %s by %s: %s%s%s", bench_operation_names[item->operation],
                            item->matrix, run->bench.setup.rivals[0]->name, bench_verdict_names[ours->verdict],
                            ours->reason[0] ? ": " : "", ours->reason);
    }
    return CLI_OK;
}

static int write_report(bench_run_state *run)
{
    cli_session *session = run->session;
    bench_report_sort(&run->report);
    if (session->json)
        bench_write_json(&run->report, &run->bench.setup, session->json);
    else
        bench_write_text(&run->report, &run->bench.setup, stdout);
    int code = session->request->csv ? write_csv(run, session->request->csv) : CLI_OK;
    return code ? code : verdict(run);
}

int cli_run_bench(cli_session *session)
{
    const cli_request *request = session->request;
    bench_run_state run = {.session = session};
    int code = request->csv ? cli_output_check(request->csv) : CLI_OK;
    if (!code)
        code = cli_bench_parse(session, &run.bench);
    if (code)
        return code;
    for (int64_t i = 0; !code && i < request->operand_count; i++)
        code = measure_operand(&run, request->operands[i]);
    int report_code = run.report.count || !code ? write_report(&run) : CLI_OK;
    bench_flusher_close(&run.flusher);
    bench_report_free(&run.report);
    return code ? code : report_code;
}
