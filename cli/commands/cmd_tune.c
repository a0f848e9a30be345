/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom tune: measures coefficients of the cost model on this machine, and writes them */
#include "failure.h"
#include "normalised.h"
#include "output_file.h"
#include "session.h"

#include <json_helpers.h>
#include <math.h>
#include <sparloom/measured.h>
#include <stdio.h>
#include <tune.h>

static const double quick_seconds = 0.02, full_seconds = 0.3; /* of a case */
/* of memory, links and launches */
static const double quick_machine_seconds = 1, full_machine_seconds = 4;

/* The operations with measured factors, and their usual types and columns. */
static const struct measured_case {
    bench_operation operation;
    spl_type type;
    int64_t columns;
} measured_cases[] = {
    {BENCH_SPMV, SPL_F64, 1}, {BENCH_SPMM, SPL_F32, 32}, {BENCH_NUMERIC, SPL_F64, 1}};
enum { CASES = sizeof measured_cases / sizeof *measured_cases };

/* Factors are relative to imported ones. */
static int reset(cli_session *session)
{
    int code = CLI_OK;
    for (int32_t i = 0; !code && i < spl_method_count(); i++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        code = cli_check(spl_method(i, &info));
        if (!code)
            code = cli_check(spl_machine_set(session->context, info.id, 1));
    }
    return code;
}

/* Coefficients that are common to all methods, in the order of reports; those of a GPU come
 * last. */
static const struct {
    const char *name, *unit;
} coefficients[] = {{"cpu/parallel_start", "s"},
                    {"cpu/parallel_wake", "s"},
                    {"cpu/parallel_loop", "s"},
                    {"cpu/parallel_loop_thread", "s"},
                    {"cpu/bandwidth", "bytes/s"},
                    {"cpu/memory_bandwidth", "bytes/s"},
                    {"gpu/bandwidth", "bytes/s"},
                    {"gpu/launch", "s"},
                    {"gpu/launch_host", "s"},
                    {"gpu/link_latency", "s"},
                    {"gpu/link_to", "bytes/s"},
                    {"gpu/link_from", "bytes/s"},
                    {"gpu/link_to_pageable", "bytes/s"},
                    {"gpu/link_from_pageable", "bytes/s"}};
enum { COEFFICIENTS = sizeof coefficients / sizeof *coefficients, OF_CPU = 6 };

static int measure_machine(cli_session *session)
{
    double seconds = session->request->full ? full_machine_seconds : quick_machine_seconds;
    return cli_check(spl_machine_measure(session->context, seconds));
}

static int measure_case(cli_session *session, const spl_sparse *source,
                        const struct measured_case *wanted, tune_fit *fit)
{
    static regret_case item; /* large */
    regret_setup setup = {
        session->context,     session->request->full ? full_seconds : quick_seconds,
        cli_check_interrupt,  0,
        SPL_ACCURACY_DEFAULT, NULL};
    spl_matrix *matrix = NULL;
    spl_sparse a;
    int code = cli_normalise(session, source, wanted->type, &matrix, &a);
    item = (regret_case){
        .operation = wanted->operation, .type = wanted->type, .columns = wanted->columns};
    spl_status status = code ? SPL_OK : regret_run(&setup, &a, &item);
    if (status == SPL_CANCELLED)
        code = CLI_INTERRUPTED;
    else if (status != SPL_OK)
        code = cli_check(status);
    if (!code)
        tune_add(fit, &item);
    spl_matrix_destroy(matrix);
    return code;
}

static int measure_matrix(cli_session *session, const char *spec, tune_fit *fit)
{
    char file[160];
    cli_input input;
    snprintf(file, sizeof file, "gen:%s", spec);
    int code = cli_input_read(session, file, &input);
    for (int i = 0; !code && i < CASES; i++)
        if (measured_cases[i].operation != BENCH_NUMERIC || input.view.rows == input.view.cols)
            code = measure_case(session, &input.view, &measured_cases[i], fit);
    cli_input_free(&input);
    return code;
}

static int set_factors(cli_session *session, const tune_fit *fit)
{
    int code = CLI_OK;
    for (int i = 0; !code && i < fit->count; i++) {
        double factor = tune_factor(&fit->methods[i]);
        if (!isnan(factor))
            code = cli_check(spl_machine_set(session->context, fit->methods[i].id, factor));
    }
    return code;
}

static int report_coefficients(cli_session *session)
{
    cJSON *json = session->json,
          *values = json ? cJSON_AddObjectToObject(json, "coefficients") : NULL;
    int count = spl_processor_count(session->context) > 1 ? COEFFICIENTS : OF_CPU, code = CLI_OK;
    for (int i = 0; !code && i < count; i++) {
        double value = NAN;
        code = cli_check(spl_machine_get(session->context, coefficients[i].name, &value));
        if (json)
            tool_json_real(values, coefficients[i].name, value);
        else if (!code)
            printf("%-40s %.3g %s\n", coefficients[i].name, value, coefficients[i].unit);
    }
    return code;
}

static void report_factors(const cli_session *session, const tune_fit *fit)
{
    cJSON *json = session->json, *factors = json ? cJSON_AddObjectToObject(json, "factors") : NULL;
    for (int i = 0; i < fit->count; i++) {
        const tune_method *method = &fit->methods[i];
        if (json)
            tool_json_real(factors, method->id, tune_factor(method));
        else
            printf("%-40s %.3f times its prediction, %d cases\n", method->id, tune_factor(method),
                   method->cases);
    }
}

int cli_run_tune(cli_session *session)
{
    const char *output = session->request->output;
    tune_fit fit = {0};
    int code = cli_output_check(output);
    if (!code)
        code = reset(session);
    if (!code)
        code = measure_machine(session);
    for (const char *const *spec = tune_matrices; !code && *spec; spec++)
        code = measure_matrix(session, *spec, &fit);
    if (!code)
        code = set_factors(session, &fit);
    if (!code)
        code = cli_check_written(spl_machine_export(session->context, output), output);
    if (!code)
        code = report_coefficients(session);
    if (!code)
        report_factors(session, &fit);
    return code;
}
