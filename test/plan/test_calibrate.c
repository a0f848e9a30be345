/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration of a machine: coefficients are measured, stored, and used by plans. Their values
 * are not tested. */
#include "plan/sealed_files.h"

#include "lib/run_products.h"
#include "plan/plan.h"
#include "plan/signature.h"
#include "plan/tuning/tuning.h"

#include <math.h>
#include <string.h>

static const double SECONDS = 0.02;
static const char *const of_host[] = {"cpu/parallel_start", "cpu/parallel_wake",
                                      "cpu/parallel_loop",  "cpu/parallel_loop_thread",
                                      "cpu/bandwidth",      "cpu/memory_bandwidth"};
static const char *const of_device[] = {
    "gpu/bandwidth", "gpu/launch",    "gpu/launch_host",      "gpu/link_latency",
    "gpu/link_to",   "gpu/link_from", "gpu/link_to_pageable", "gpu/link_from_pageable"};
enum {
    OF_HOST = sizeof of_host / sizeof *of_host,
    OF_DEVICE = sizeof of_device / sizeof *of_device
};

static spl_context *start(const char *devices)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.devices = devices;
    options.threads = 3;
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

static double value_of(spl_context *context, const char *name)
{
    double value = NAN;
    EXPECT_OK(spl_machine_get(context, name, &value));
    return value;
}

/* All coefficients have changed, and are above 0. */
static void expect_measured(spl_context *context, const double *before, const char *const *names,
                            int count)
{
    for (int i = 0; i < count; i++) {
        double value = value_of(context, names[i]);
        testing_case("%s: %g, before %g", names[i], value, before[i]);
        EXPECT(value > 0 && isfinite(value) && value != before[i]);
    }
}

static void read_all(spl_context *context, const char *const *names, int count, double *values)
{
    for (int i = 0; i < count; i++)
        values[i] = value_of(context, names[i]);
}

static void expect_same(spl_context *context, const double *values, const char *const *names,
                        int count)
{
    for (int i = 0; i < count; i++) /* files have seven digits */
        EXPECT(fabs(value_of(context, names[i]) / values[i] - 1) < 1e-6);
}

static void a_machine_is_measured_and_remembered(void **state)
{
    (void)state;
    spl_context *context = start("cpu,emu"), *other = start("cpu,emu");
    double host[OF_HOST], device[OF_DEVICE];
    spl_import report = SPL_IMPORT_INIT;
    const char *path = io_path("measured");
    read_all(context, of_host, OF_HOST, host);
    read_all(context, of_device, OF_DEVICE, device);
    EXPECT_OK(spl_machine_measure(context, SECONDS));
    expect_measured(context, host, of_host, OF_HOST);
    expect_measured(context, device, of_device, OF_DEVICE);
    EXPECT(value_of(context, "cpu/memory_bandwidth") >= value_of(context, "cpu/bandwidth"));
    read_all(context, of_host, OF_HOST, host);
    read_all(context, of_device, OF_DEVICE, device);
    EXPECT_OK(spl_machine_export(context, path));
    EXPECT_OK(spl_machine_import(other, path, &report));
    EXPECT(report.taken == OF_HOST + OF_DEVICE && report.foreign == 0 && report.unknown == 0);
    expect_same(other, host, of_host, OF_HOST);
    expect_same(other, device, of_device, OF_DEVICE);
    spl_context_destroy(other);
    spl_context_destroy(context);
}

/* Without a device there are no coefficients of one. */
static void a_host_is_measured_alone(void **state)
{
    (void)state;
    spl_context *context = start(NULL);
    double device[OF_DEVICE];
    read_all(context, of_device, OF_DEVICE, device);
    EXPECT_OK(spl_machine_measure(context, SECONDS));
    expect_same(context, device, of_device, OF_DEVICE);
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    EXPECT_OK(spl_memory(context, (spl_place){SPL_HOST, 0}, &memory));
    EXPECT(memory.peak > 1 << 20);
    spl_context_destroy(context);
}

static void what_cannot_be_measured(void **state)
{
    (void)state;
    spl_context *context = start(NULL);
    const double bad[] = {0, -1, NAN, INFINITY};
    double value = 1;
    for (int i = 0; i < 4; i++)
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_measure(context, bad[i]));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_measure(NULL, 1));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_get(context, "cpu/nonsense", &value));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_get(context, NULL, &value));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_get(context, "cpu/bandwidth", NULL));
    EXPECT(value == 1 && !spl__tuning_of(context));
    spl_context_destroy(context);
}

static void too_little_memory_is_told(void **state)
{
    (void)state;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.memory_budget = 1 << 19; /* half of the first array */
    EXPECT_OK(spl_context_create(&options, &context));
    EXPECT_STATUS(SPL_OVER_BUDGET, spl_machine_measure(context, SECONDS));
    spl_context_destroy(context);
}

/* ---- several devices ---- */

static int table_of(const spl_context *context, const char *device)
{
    char signature[SPL__MACHINE_BYTES];
    for (int i = 0; i < context->device_count; i++) {
        spl__machine_signature(context, context->devices[i], 0, signature);
        if (strstr(signature, device))
            return i;
    }
    return -1;
}

/* Files have other values for each of the two emulated devices. */
static const char *write_both(const spl_context *context)
{
    char devices[2][SPL__MACHINE_BYTES + 16];
    for (int i = 0; i < 2; i++) {
        const int begin = snprintf(devices[i], sizeof devices[i], "machine ");
        spl__machine_signature(context, context->devices[i], 0, devices[i] + begin);
    }
    const char *const lines[] = {devices[0],
                                 "set gpu/bandwidth 2e10",
                                 devices[1],
                                 "set gpu/bandwidth 3e3",
                                 "set gpu/cache_bandwidth 3e3",
                                 NULL};
    return write_sealed("both", "machine", lines);
}

static spl_plan *plan_on(spl_context *context, const zoo_matrix *a, uint64_t processors)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.processors = processors;
    EXPECT_OK(spl_spmv_plan(context, &a->view, &options, &plan));
    return plan;
}

static void each_kind_of_device_has_its_own_values(void **state)
{
    (void)state;
    spl_context *context = start("cpu,emu,emu64"), *other = start("cpu,emu64,emu");
    spl_import report = SPL_IMPORT_INIT;
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_machine_import(context, write_both(context), &report));
    EXPECT(report.taken == 3 && report.foreign == 0 && report.unknown == 0);
    for (int device = 0; device < 2; device++) {
        spl_plan *plan = plan_on(context, &a, 2u << device);
        EXPECT(plan->gpu_machine->bandwidth == (device ? 3e3 : 2e10));
        spl_plan_destroy(plan);
    }
    spl_plan *both = plan_on(context, &a, 2 | 4);
    spl_part_info fast = SPL_PART_INFO_INIT, slow = SPL_PART_INFO_INIT;
    EXPECT_OK(spl_plan_part(both, 0, &fast));
    EXPECT_OK(spl_plan_part(both, 1, &slow));
    EXPECT(fast.rows > 100 * slow.rows);
    spl_plan_destroy(both);
    EXPECT_OK(spl_machine_set(context, "gpu/launch", 1e-3)); /* of both */
    EXPECT_OK(spl_machine_export(context, io_path("both again")));
    EXPECT_OK(spl_machine_import(other, io_path("both again"), &report));
    const spl__tuning *t = spl__tuning_of(other);
    EXPECT(report.taken == 5 && t->gpu[0].bandwidth == 3e3 && t->gpu[1].bandwidth == 2e10);
    EXPECT(t->gpu[0].launch == 1e-3 && t->gpu[1].launch == 1e-3);
    zoo_matrix_free(&a);
    spl_context_destroy(other);
    spl_context_destroy(context);
}

static void all_kinds_are_measured(void **state)
{
    (void)state;
    spl_context *context = start("cpu,emu,emu64"), *other = start("cpu,emu");
    spl_import report = SPL_IMPORT_INIT;
    EXPECT_OK(spl_machine_measure(context, SECONDS));
    const spl__tuning *t = spl__tuning_of(context);
    for (int table = 0; table < 2; table++)
        EXPECT(t->gpu[table].launch != spl__machine_gpu.launch &&
               t->gpu[table].bandwidth != spl__machine_gpu.bandwidth);
    EXPECT(t->gpu[0].launch != t->gpu[1].launch);
    EXPECT_OK(spl_machine_export(context, io_path("all kinds")));
    EXPECT_OK(spl_machine_import(other, io_path("all kinds"), &report));
    EXPECT(report.taken == OF_HOST + OF_DEVICE && report.foreign == OF_DEVICE);
    EXPECT(fabs(spl__tuning_of(other)->gpu[0].launch / t->gpu[table_of(context, "32")].launch - 1) <
           1e-6);
    spl_context_destroy(other);
    spl_context_destroy(context);
}

/* ---- how plans use them ---- */

/* Predicted seconds of a product by the CPU. */
static double predict_spmv(spl_context *context, const zoo_matrix *a, int threads,
                           int deterministic)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    spl_step step = SPL_STEP_INIT;
    options.threads = threads;
    options.processors = 1;
    options.deterministic = deterministic;
    options.method = "spmv/compute/cpu/csr_scalar";
    EXPECT_OK(spl_spmv_plan(context, &a->view, &options, &plan));
    EXPECT_OK(spl_plan_step(plan, 0, &step));
    spl_plan_destroy(plan);
    return step.seconds;
}

/* Where the memory bandwidth is the limit, more threads are not predicted to be faster. */
static void memory_limits_threads(void **state)
{
    (void)state;
    spl_context *context = start(NULL);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    /* all comes from memory */
    const char *const nothing[] = {"cpu/cache_bytes", "cpu/last_cache_bytes"};
    for (int i = 0; i < 2; i++)
        EXPECT_OK(spl_machine_set(context, nothing[i], 1));
    EXPECT_OK(spl_machine_set(context, "cpu/bandwidth", 1e6));
    EXPECT_OK(spl_machine_set(context, "cpu/parallel_start", 1e-12));
    EXPECT_OK(spl_machine_set(context, "cpu/memory_bandwidth", 4e6));
    double one = predict_spmv(context, &a, 1, 0), four = predict_spmv(context, &a, 4, 0);
    double forty = predict_spmv(context, &a, 40, 0);
    testing_case("1 thread %g s, 4 %g s, 40 %g s", one, four, forty);
    EXPECT(fabs(one / four - 4) < 0.1 && fabs(forty / four - 1) < 0.1);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

typedef struct split {
    int64_t rows_here;
    double transfer, execution; /* predicted, of the device */
} split;

static split split_of(spl_context *context, const zoo_matrix *a, int deterministic)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    spl_part_info cpu_part = SPL_PART_INFO_INIT, device_part = SPL_PART_INFO_INIT;
    options.processors = 3;
    options.threads = 4;
    options.deterministic = deterministic;
    EXPECT_OK(spl_spmm_plan(context, &a->view, 32, &options, &plan));
    EXPECT_OK(spl_plan_part(plan, 0, &cpu_part));
    EXPECT_OK(spl_plan_part(plan, 1, &device_part));
    spl_plan_destroy(plan);
    return (split){cpu_part.rows, device_part.predicted_transfer, device_part.predicted_execution};
}

/* A link that is too slow leaves all rows to the CPU, a CPU that is too slow leaves it none; a
 * deterministic plan does not care. */
static void links_and_memory_share_out_rows(void **state)
{
    (void)state;
    spl_context *context = start("cpu,emu");
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    split exact = split_of(context, &a, 1);
    EXPECT_OK(spl_machine_set(context, "gpu/link_to", 1e3));
    EXPECT_OK(spl_machine_set(context, "gpu/link_from", 1e3));
    EXPECT(split_of(context, &a, 0).rows_here == a.view.rows);
    EXPECT_OK(spl_machine_set(context, "gpu/link_to", 1e15));
    EXPECT_OK(spl_machine_set(context, "gpu/link_from", 1e15));
    EXPECT_OK(spl_machine_set(context, "gpu/link_latency", 1e-12));
    EXPECT_OK(spl_machine_set(context, "cpu/spmm_entry", 1));
    split fast = split_of(context, &a, 0);
    EXPECT(fast.rows_here == 0 && fast.transfer < 1e-6 && fast.execution > 0);
    EXPECT_OK(spl_machine_measure(context, SECONDS));
    split again = split_of(context, &a, 1);
    EXPECT(again.rows_here == exact.rows_here && again.transfer == exact.transfer &&
           again.execution == exact.execution);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_is_measured_and_remembered),
        cmocka_unit_test(a_host_is_measured_alone),
        cmocka_unit_test(each_kind_of_device_has_its_own_values),
        cmocka_unit_test(all_kinds_are_measured),
        cmocka_unit_test(what_cannot_be_measured),
        cmocka_unit_test(too_little_memory_is_told),
        cmocka_unit_test(memory_limits_threads),
        cmocka_unit_test(links_and_memory_share_out_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
