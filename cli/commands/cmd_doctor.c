/* SPDX-License-Identifier: Apache-2.0 */
/* sparloom doctor: tests all processors */
#include "driver_survey.h"
#include "failure.h"
#include "self_test.h"
#include "session.h"

#include <json_helpers.h>
#include <plot_scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <text_table.h>
#include <typed_array.h>
#include <unistd.h>

/* Environment variables that change how threads behave. */
static const char *const settings[] = {"OMP_NUM_THREADS", "OMP_PROC_BIND",   "OMP_PLACES",
                                       "OMP_DYNAMIC",     "OMP_WAIT_POLICY", "OMP_THREAD_LIMIT"};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

#if defined(__clang__)
static const char compiler[] = "clang " __clang_version__;
#elif defined(__GNUC__)
static const char compiler[] = "gcc " __VERSION__;
#else
static const char compiler[] = "unknown";
#endif

/* What the self-test found. */
typedef struct findings {
    int run, failed;
    spl_status status; /* of the first failure, of a wrong one before others; SPL_OK: none */
    char first[640];   /* that failure in words */
} findings;

/* Failures that are not faults of the library: no memory, a lost device. */
static int is_circumstance(spl_status status)
{
    return status == SPL_OVER_BUDGET || status == SPL_OUT_OF_MEMORY ||
           status == SPL_DEVICE_FAILURE || status == SPL_CANCELLED;
}

static void note_failure(findings *found, spl_status status, const char *test)
{
    spl_status counts = is_circumstance(status) ? status : SPL_INTERNAL;
    found->failed++;
    if (found->status == SPL_INTERNAL || (found->status != SPL_OK && counts != SPL_INTERNAL))
        return;
    found->status = counts;
    snprintf(found->first, sizeof found->first, "%s: %s%s%s", test,
             counts == status ? "" : spl_status_message(status), counts == status ? "" : ": ",
             spl_error_detail());
}

static void run_test(spl_context *context, int32_t processor, const cli_self_test *test,
                     spl_type type, findings *found)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.processors = UINT64_C(1) << processor;
    spl_status status = test->run(context, &options, type);
    char name[64];
    found->run++;
    snprintf(name, sizeof name, "processor %d: %s %s", (int)processor, test->name,
             tool_type_name(type));
    if (status != SPL_OK)
        note_failure(found, status, name);
}

/* Every test on every processor. */
static findings self_test(spl_context *context)
{
    findings found = {0};
    for (int32_t i = 0; i < spl_processor_count(context); i++)
        for (const cli_self_test *test = cli_self_tests; test->name; test++) {
            run_test(context, i, test, SPL_F32, &found);
            run_test(context, i, test, SPL_F64, &found);
            for (spl_type type = SPL_F16; test->halves && type <= SPL_BF16; type++)
                run_test(context, i, test, type, &found);
        }
    return found;
}

static void add_processors(tool_table *table, const spl_context *context)
{
    for (int32_t i = 0; i < spl_processor_count(context); i++) {
        spl_processor_info processor = SPL_PROCESSOR_INFO_INIT;
        char label[32], threads[32] = "";
        if (spl_processor(context, i, &processor) != SPL_OK)
            continue;
        snprintf(label, sizeof label, "processor %d", (int)i);
        if (processor.place.kind == SPL_HOST)
            snprintf(threads, sizeof threads, "%d of %ld threads", (int)processor.threads,
                     sysconf(_SC_NPROCESSORS_ONLN));
        tool_table_row(table, label, processor.name, threads, NULL);
    }
}

static void add_drivers(tool_table *table)
{
    for (int i = 0; i < CLI_DRIVERS; i++) {
        cli_driver driver;
        char text[640];
        cli_driver_survey(cli_driver_names[i], &driver);
        cli_driver_text(&driver, text, sizeof text);
        tool_table_row(table, cli_driver_names[i], text, NULL, NULL);
    }
}

/* Optional parts of the build. */
typedef struct optional_library {
    const char *name, *purpose;
    int available;
} optional_library;
enum { LIBRARIES = 2 };

static void survey_libraries(optional_library libraries[LIBRARIES])
{
    libraries[0] =
        (optional_library){"libzip", ".npz files", spl_write_check("any.npz") != SPL_UNSUPPORTED};
    libraries[1] = (optional_library){"libcairo", "pictures as PNG", plot_available(PLOT_PNG)};
}

static void add_libraries(tool_table *table)
{
    optional_library libraries[LIBRARIES];
    survey_libraries(libraries);
    for (int i = 0; i < LIBRARIES; i++) {
        char text[128];
        snprintf(text, sizeof text,
                 libraries[i].available ? "there: %s" : "missing when this was built: no %s",
                 libraries[i].purpose);
        tool_table_row(table, libraries[i].name, text, NULL, NULL);
    }
}

static void print_text(const cli_session *session, const findings *found)
{
    tool_table table = {0};
    char text[64];
    tool_table_row(&table, "sparloom", spl_version(), NULL, NULL);
    tool_table_row(&table, "compiler", compiler, NULL, NULL);
    tool_table_row(&table, "cJSON", cJSON_Version(), NULL, NULL);
    add_libraries(&table);
    add_processors(&table, session->context);
    add_drivers(&table);
    for (int i = 0; i < SETTINGS; i++)
        tool_table_row(&table, settings[i], getenv(settings[i]) ? getenv(settings[i]) : "not set",
                       NULL, NULL);
    snprintf(text, sizeof text, "%d", (int)spl_method_count());
    tool_table_row(&table, "methods", text, NULL, NULL);
    snprintf(text, sizeof text, "%d of %d passed", found->run - found->failed, found->run);
    tool_table_row(&table, "self-test", text, NULL, NULL);
    for (int i = 0; i < session->remark_count; i++)
        tool_table_row(&table, "remark", session->remarks[i], NULL, NULL);
    tool_table_print(&table, stdout);
}

static void fill_processors(const spl_context *context, cJSON *array)
{
    static const char *const kinds[] = {
        [SPL_HOST] = "cpu", [SPL_CUDA] = "cuda", [SPL_HIP] = "hip", [SPL_EMULATOR] = "emulator"};
    for (int32_t i = 0; i < spl_processor_count(context); i++) {
        spl_processor_info processor = SPL_PROCESSOR_INFO_INIT;
        if (spl_processor(context, i, &processor) != SPL_OK)
            continue;
        cJSON *object = tool_json_object(array);
        tool_json_text(object, "name", processor.name);
        tool_json_text(object, "kind", kinds[processor.place.kind]);
        if (processor.place.kind == SPL_HOST)
            tool_json_integer(object, "threads", processor.threads);
        else
            tool_json_null(object, "threads");
    }
}

static void fill_drivers(cJSON *array)
{
    for (int i = 0; i < CLI_DRIVERS; i++) {
        cli_driver driver;
        cJSON *object = tool_json_object(array);
        cli_driver_survey(cli_driver_names[i], &driver);
        tool_json_text(object, "name", cli_driver_names[i]);
        cJSON *devices = cJSON_AddArrayToObject(object, "devices");
        for (int k = 0; k < driver.count; k++)
            tool_json_element(devices, driver.devices[k]);
        tool_json_text(object, "problem", *driver.problem ? driver.problem : NULL);
    }
}

static void fill_libraries(cJSON *array)
{
    optional_library libraries[LIBRARIES];
    survey_libraries(libraries);
    for (int i = 0; i < LIBRARIES; i++) {
        cJSON *object = tool_json_object(array);
        tool_json_text(object, "name", libraries[i].name);
        tool_json_text(object, "purpose", libraries[i].purpose);
        tool_json_truth(object, "available", libraries[i].available);
    }
}

static void fill_json(const cli_session *session, const findings *found)
{
    cJSON *json = session->json;
    tool_json_text(json, "compiler", compiler);
    fill_libraries(cJSON_AddArrayToObject(json, "libraries"));
    fill_processors(session->context, cJSON_AddArrayToObject(json, "processors"));
    tool_json_integer(json, "processors_online", sysconf(_SC_NPROCESSORS_ONLN));
    fill_drivers(cJSON_AddArrayToObject(json, "drivers"));
    cJSON *environment = cJSON_AddObjectToObject(json, "environment");
    for (int i = 0; i < SETTINGS; i++)
        tool_json_text(environment, settings[i], getenv(settings[i]));
    tool_json_integer(json, "methods", spl_method_count());
    cJSON *test = cJSON_AddObjectToObject(json, "self_test");
    tool_json_integer(test, "run", found->run);
    tool_json_integer(test, "failed", found->failed);
    cJSON *remarks = cJSON_AddArrayToObject(json, "remarks");
    for (int i = 0; i < session->remark_count; i++)
        tool_json_element(remarks, session->remarks[i]);
}

int cli_run_doctor(cli_session *session)
{
    findings found = self_test(session->context);
    if (session->json)
        fill_json(session, &found);
    else
        print_text(session, &found);
    return found.failed ? cli_fail(found.status, "self-test: %s", found.first) : CLI_OK;
}
