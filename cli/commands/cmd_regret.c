/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom regret: times every forced method, or those that are named, and the plans of all
 * policies */
#include "bench_request.h"
#include "failure.h"
#include "method_ids.h"
#include "normalised.h"
#include "origin.h"
#include "output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <json_helpers.h>
#include <regret.h>
#include <regret_contenders.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The limit of products: larger squares take too long with the slowest methods. */
static const double most_products = 3e8;

typedef struct regret_state {
    cli_session *session;
    cli_bench_request bench;
    regret_setup setup;
    regret_report report;
    /* written case by case, so that an interrupted run leaves results; NULL: not requested */
    FILE *csv;
    int ended;   /* by a failure that other operands would have as well */
    int unknown; /* the exit code of the first operand that could not be measured */
} regret_state;

static int note(regret_state *state, const regret_case *item)
{
    state->ended = 1;
    if (!regret_add(&state->report, item))
        return cli_fail(SPL_OUT_OF_MEMORY, "no memory for the report");
    if (state->csv && !regret_write_csv(item, state->csv))
        return cli_fail_output("%s: %s", state->session->request->csv, strerror(errno));
    state->ended = 0;
    return CLI_OK;
}

static int measure(regret_state *state, const spl_sparse *a, regret_case *item)
{
    int sparse = item->operation == BENCH_SPGEMM || item->operation == BENCH_NUMERIC;
    if (sparse && (a->rows != a->cols || bench_products(a, a) > most_products)) {
        if (state->session->request->verbose)
            cli_remark(state->session, "%s: %s is skipped", item->matrix,
                       bench_operation_names[item->operation]);
        return CLI_OK;
    }
    spl_status status = regret_run(&state->setup, a, item);
    cli_progress_clear(&state->session->bar);
    if (status == SPL_CANCELLED)
        return CLI_INTERRUPTED;
    if (status != SPL_OK)
        return cli_fail(status, "%s: %s", item->matrix, spl_error_detail());
    return note(state, item);
}

static int measure_operation(regret_state *state, const spl_sparse *a, regret_case *item)
{
    int code = CLI_OK;
    if (item->operation != BENCH_SPMM)
        return measure(state, a, item);
    for (int i = 0; !code && i < state->bench.width_count; i++) {
        item->columns = state->bench.widths[i];
        code = measure(state, a, item);
    }
    return code;
}

static int measure_type(regret_state *state, const spl_sparse *source, spl_type type,
                        const char *set, const char *name)
{
    static regret_case item; /* large */
    spl_matrix *matrix = NULL;
    spl_sparse a;
    int code = CLI_OK;
    for (int i = 0; !code && i < BENCH_OPERATIONS; i++) {
        if (!cli_bench_wants(&state->bench, (bench_operation)i, type))
            continue;
        if (!matrix)
            code = cli_normalise(state->session, source, type, &matrix, &a);
        item = (regret_case){.operation = (bench_operation)i, .type = type, .columns = 1};
        snprintf(item.set, sizeof item.set, "%s", set);
        snprintf(item.matrix, sizeof item.matrix, "%s", name);
        if (!code)
            code = measure_operation(state, &a, &item);
    }
    spl_matrix_destroy(matrix);
    return code;
}

static int measure_file(regret_state *state, const char *set, const char *file, const char *name)
{
    cli_input input;
    int code = cli_input_read(state->session, file, &input);
    for (int i = 0; !code && i < CLI_BENCH_TYPES; i++)
        code = measure_type(state, &input.view, cli_bench_types[i], set, name);
    cli_input_free(&input);
    return code;
}

static int measure_made(regret_state *state, const char *set, const char *spec)
{
    char file[sizeof "gen:" + GEN_FRESH_NAME];
    snprintf(file, sizeof file, "gen:%s", spec);
    return measure_file(state, set, file, spec);
}

static int measure_fresh(regret_state *state, uint64_t seed)
{
    char spec[GEN_FRESH_NAME], set[32];
    int code = CLI_OK;
    snprintf(set, sizeof set, "fresh:%" PRIu64, seed);
    cli_remark(state->session, "the matrices of this run: %s", set);
    for (int k = 0; !code && gen_fresh(seed, k, spec, sizeof spec); k++)
        code = measure_made(state, set, spec);
    return code;
}

static int measure_operand(regret_state *state, const char *operand)
{
    const uint64_t now = (uint64_t)time(NULL);
    uint64_t seed;
    if (gen_fresh_seed(operand, "fresh", now, &seed) ||
        gen_fresh_seed(operand, "small", now, &seed))
        return measure_fresh(state, seed);
    int code = CLI_OK, found = 0;
    for (const char *const *spec = gen_unseen; !code && !strcmp(operand, "unseen") && *spec;
         spec++, found = 1)
        code = measure_made(state, operand, *spec);
    for (const gen_stand_in *row = gen_stand_ins; !code && row->name; row++)
        if (!strcmp(operand, row->set)) {
            found = 1;
            code = measure_made(state, operand, row->name);
        }
    const char *slash = strrchr(operand, '/');
    if (!code && !found)
        code = cli_bench_check_file(state->session->request, operand);
    return code || found ? code
                         : measure_file(state, "files", operand, slash ? slash + 1 : operand);
}

static int open_csv(regret_state *state)
{
    const char *path = state->session->request->csv;
    if (!path)
        return CLI_OK;
    int code = cli_output_check(path);
    if (code)
        return code;
    state->csv = fopen(path, "w");
    return state->csv && regret_write_csv_head(state->csv)
               ? CLI_OK
               : cli_fail_output("%s: %s", path, strerror(errno));
}

static int close_csv(regret_state *state)
{
    int good = !state->csv || fclose(state->csv) == 0;
    return good ? CLI_OK : cli_fail_output("%s: %s", state->session->request->csv, strerror(errno));
}

static int measure_all(regret_state *state)
{
    const cli_request *request = state->session->request;
    int code = CLI_OK;
    for (int64_t i = 0; !code && i < request->operand_count; i++) {
        code = measure_operand(state, request->operands[i]);
        cli_progress_clear(&state->session->bar);
        if (!state->ended)
            code = cli_failure_put_off(code, &state->unknown);
    }
    return code;
}

/* Also reports an interrupted run. */
static void report(regret_state *state, int code)
{
    cli_session *session = state->session;
    if (state->unknown && !state->report.count)
        return;
    if (!code && session->json) {
        cli_origin_json(session);
        tool_json_text(session->json, "device", cli_processor(session).name);
        tool_json_integer(session->json, "threads", cli_threads(session));
        regret_write_json(&state->report, session->json);
    } else if ((!code || code == CLI_INTERRUPTED) && !session->json)
        regret_write_text(&state->report, stdout);
}

/* Only operations that --method names a method of are measured; those of --op must be. */
static int choose_operations(regret_state *state)
{
    const cli_request *request = state->session->request;
    const int on_host = cli_processor(state->session).place.kind == SPL_HOST;
    int code = cli_check_methods(request->method);
    for (int i = 0; !code && i < BENCH_OPERATIONS; i++) {
        const unsigned bit = state->bench.operations & 1u << i;
        if (!bit || regret_names(request->method, (bench_operation)i, on_host ? "cpu" : "gpu"))
            continue;
        state->bench.operations -= bit;
        if (request->operations)
            code = cli_fail_usage("--method: none of these is a method of %s on %s",
                                  bench_operation_names[i], on_host ? "the CPU" : "a device");
    }
    if (!code && !state->bench.operations)
        code =
            cli_fail_usage("--method: none of these runs on %s", on_host ? "the CPU" : "a device");
    return code;
}

int cli_run_regret(cli_session *session)
{
    const cli_request *request = session->request;
    regret_state state = {.session = session};
    int code = cli_bench_parse(session, &state.bench);
    if (!code && request->method)
        code = choose_operations(&state);
    if (!code)
        code = open_csv(&state);
    state.setup = (regret_setup){session->context,
                                 request->time_limit,
                                 cli_check_interrupt,
                                 request->once,
                                 (spl_accuracy)request->accuracy,
                                 request->method};
    if (!code)
        code = measure_all(&state);
    report(&state, code);
    code = code ? code : state.unknown;
    int closed = close_csv(&state);
    regret_free(&state.report);
    return code ? code : closed;
}
