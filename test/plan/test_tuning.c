/* SPDX-License-Identifier: Apache-2.0 */
/* Measured values of the cost model: their effect on plans, plans that ignore them, and their
 * files. */
#include "plan/sealed_files.h"

#include "lib/run_products.h"
#include "plan/plan.h"
#include "plan/signature.h"
#include "plan/tuning/tuning.h"

#include <math.h>

typedef struct setting {
    spl_context *context;
    zoo_matrix a;
} setting;

static int start(void **state)
{
    static setting s;
    s.context = testing_context(2);
    zoo_matrix_make(&s.a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    *state = &s;
    return 0;
}

static int stop(void **state)
{
    setting *s = *state;
    zoo_matrix_free(&s->a);
    spl_context_destroy(s->context);
    return 0;
}

/* Predicted seconds of a candidate of SpMV, and whether it is chosen. */
static double predict(spl_context *context, const setting *s, const char *method, int deterministic,
                      bool *chosen)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    double seconds = NAN;
    options.deterministic = deterministic;
    EXPECT_OK(spl_spmv_plan(context, &s->a.view, &options, &plan));
    for (int32_t n = 0; n < spl_plan_candidate_count(plan); n++) {
        spl_candidate c = SPL_CANDIDATE_INIT;
        EXPECT_OK(spl_plan_candidate(plan, n, &c));
        if (strcmp(c.method, method) != 0)
            continue;
        seconds = c.seconds;
        *chosen = c.chosen;
    }
    spl_plan_destroy(plan);
    return seconds;
}

static const char slow[] = "spmv/compute/cpu/coo";

static void factors_change_predictions_and_choices(void **state)
{
    setting *s = *state;
    bool chosen;
    double before = predict(s->context, s, slow, 0, &chosen),
           exact = predict(s->context, s, slow, 1, &chosen);
    EXPECT(!chosen);
    EXPECT_OK(spl_machine_set(s->context, slow, 1e-3));
    EXPECT(fabs(predict(s->context, s, slow, 0, &chosen) / before - 1e-3) < 1e-9);
    EXPECT(chosen);
    /* deterministic plans keep the defaults */
    EXPECT(predict(s->context, s, slow, 1, &chosen) == exact && !chosen);
    EXPECT_OK(spl_machine_set(s->context, slow, 1));
    EXPECT(predict(s->context, s, slow, 0, &chosen) == before && !chosen);
}

static void coefficients_are_used(void **state)
{
    setting *s = *state;
    bool chosen;
    double before = predict(s->context, s, slow, 0, &chosen);
    EXPECT_OK(spl_machine_set(s->context, "cpu/spmv_coo_entry", 1));
    EXPECT(predict(s->context, s, slow, 0, &chosen) > 100 * before);
}

static void senseless_values_are_refused(void **state)
{
    setting *s = *state;
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_set(s->context, slow, bad[i]));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_set(s->context, "cpu/nonsense", 1));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_set(s->context, "bandwidth", 1));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_set(NULL, slow, 1));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_set(s->context, NULL, 1));
    EXPECT(!spl__tuning_of(s->context));
}

/* A plan keeps the tuning values that were set when it was made. */
static void plans_keep_their_values(void **state)
{
    setting *s = *state;
    spl_plan *plan;
    EXPECT_OK(spl_machine_set(s->context, "cpu/bandwidth", 1e9));
    EXPECT_OK(spl_spmv_plan(s->context, &s->a.view, NULL, &plan));
    EXPECT_OK(spl_machine_set(s->context, "cpu/bandwidth", 2e9));
    EXPECT(plan->machine->bandwidth == 1e9 && spl__tuning_of(s->context)->cpu.bandwidth == 2e9);
    spl_plan_destroy(plan);
}

/* ---- files ---- */

static void what_is_exported_comes_back(void **state)
{
    setting *s = *state;
    spl_import report = SPL_IMPORT_INIT;
    spl_context *other = testing_context(1);
    const char *path = io_path("machine");
    EXPECT_OK(spl_machine_export(s->context, path)); /* nothing yet */
    EXPECT_OK(spl_machine_import(other, path, &report));
    EXPECT(report.taken == 0 && report.foreign == 0 && report.unknown == 0);
    EXPECT_OK(spl_machine_set(s->context, slow, 0.125));
    EXPECT_OK(spl_machine_set(s->context, "cpu/bandwidth", 2.5e9));
    EXPECT_OK(spl_machine_export(s->context, path));
    EXPECT_OK(spl_machine_import(other, path, &report));
    EXPECT(report.taken == 2 && report.foreign == 0 && report.unknown == 0);
    EXPECT(spl__tuning_of(other)->cpu.bandwidth == 2.5e9);
    EXPECT(spl__tuning_of(other)->gpu[0].bandwidth == spl__machine_gpu.bandwidth);
    spl_context_destroy(other);
    EXPECT_STATUS(SPL_FILE_ERROR, spl_machine_export(s->context, io_path("none/machine")));
    EXPECT_STATUS(SPL_FILE_ERROR, spl_machine_import(s->context, io_path("missing"), NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_machine_import(s->context, NULL, NULL));
}

static void strangers_are_left_out(void **state)
{
    setting *s = *state;
    char signature[SPL__MACHINE_BYTES + 16] = "machine ";
    spl_import report = SPL_IMPORT_INIT;
    /* with other threads it is the same machine */
    spl__machine_signature(s->context, NULL, 64, signature + strlen(signature));
    const char *const lines[] = {"machine cpu/Another-Model/base/2",
                                 "set cpu/bandwidth 1",
                                 signature,
                                 "set cpu/bandwidth 3e9",
                                 "set cpu/nonsense 1",
                                 "factor spmv/compute/cpu/nonsense 1 2",
                                 "factor spmv/compute/cpu/coo 999 2",
                                 NULL};
    EXPECT_OK(spl_machine_import(s->context, write_sealed("sealed", "machine", lines), &report));
    EXPECT(report.taken == 1 && report.foreign == 1 && report.unknown == 3);
    EXPECT(spl__tuning_of(s->context)->cpu.bandwidth == 3e9);
}

static void bad_lines_are_refused(void **state)
{
    setting *s = *state;
    static const char *const bad[] = {"",
                                      "machine",
                                      "machine a b",
                                      "set cpu/bandwidth",
                                      "set cpu/bandwidth 0",
                                      "set cpu/bandwidth -1",
                                      "set cpu/bandwidth nan",
                                      "set cpu/bandwidth 1 2",
                                      "factor spmv/compute/cpu/coo 0.5",
                                      "factor spmv/compute/cpu/coo 0 0.5",
                                      "factor spmv/compute/cpu/coo 1 inf",
                                      "end"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const lines[] = {"machine cpu/x/base/1", bad[i], NULL};
        testing_case("\"%s\"", bad[i]);
        EXPECT_STATUS(
            SPL_FILE_INVALID,
            spl_machine_import(s->context, write_sealed("sealed", "machine", lines), NULL));
        EXPECT(!spl__tuning_of(s->context));
    }
    const char *const nobody[] = {"set cpu/bandwidth 1", NULL}, *const none[] = {NULL};
    EXPECT_STATUS(SPL_FILE_INVALID,
                  spl_machine_import(s->context, write_sealed("sealed", "machine", nobody), NULL));
    EXPECT_STATUS(SPL_FILE_INVALID,
                  spl_machine_import(s->context, write_sealed("sealed", "wisdom", none), NULL));
}

static void what_is_cut_off_is_refused(void **state)
{
    setting *s = *state;
    size_t count;
    EXPECT_OK(spl_machine_set(s->context, slow, 0.125));
    EXPECT_OK(spl_machine_export(s->context, io_path("machine")));
    char *good = io_read_bytes(io_path("machine"), &count);
    spl_context *other = testing_context(1);
    for (size_t cut = 0; cut + 1 < count; cut += 3) {
        testing_case("%zu of %zu bytes", cut, count);
        EXPECT_STATUS(SPL_FILE_INVALID,
                      spl_machine_import(other, io_write_bytes("cut", good, cut), NULL));
        EXPECT(!spl__tuning_of(other));
    }
    spl_context_destroy(other);
    free(good);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(factors_change_predictions_and_choices),
        WITH(coefficients_are_used),
        WITH(senseless_values_are_refused),
        WITH(plans_keep_their_values),
        WITH(what_is_exported_comes_back),
        WITH(strangers_are_left_out),
        WITH(bad_lines_are_refused),
        WITH(what_is_cut_off_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
