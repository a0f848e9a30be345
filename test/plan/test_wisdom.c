/* SPDX-License-Identifier: Apache-2.0 */
/* Wisdom files: measured choices are read back. Files that are cut off, changed, or of other
 * machines are not taken, and do no harm. */
#include "plan/sealed_files.h"

#include "lib/run_products.h"
#include "lib/trials.h"
#include "plan/policy/wisdom.h"

#include <pthread.h>
#include <sys/stat.h>

enum { MATRICES = 3 };
static const char *const names[MATRICES] = {"box2d_d3", "uniform_1200", "diagonal_3000"};

typedef struct setting {
    spl_context *context;
    test_trials trials;
    zoo_matrix a[MATRICES];
} setting;

static int start(void **state)
{
    static setting s;
    s.context = testing_context(2);
    trials_watch(&s.trials, s.context);
    for (int m = 0; m < MATRICES; m++)
        zoo_matrix_make(&s.a[m], zoo_find(names[m]), zoo_form_number(0), testing_seed());
    *state = &s;
    return 0;
}

static int stop(void **state)
{
    setting *s = *state;
    for (int m = 0; m < MATRICES; m++)
        zoo_matrix_free(&s->a[m]);
    spl_context_destroy(s->context);
    return 0;
}

/* Plans an SpMV of every matrix; the method of the last one. */
static const char *plan_all(spl_context *context, const setting *s)
{
    spl_options options = SPL_OPTIONS_INIT;
    static char method[128];
    options.policy = SPL_POLICY_MEASURE;
    for (int m = 0; m < MATRICES; m++) {
        spl_plan *plan;
        spl_step step = SPL_STEP_INIT;
        EXPECT_OK(spl_spmv_plan(context, &s->a[m].view, &options, &plan));
        EXPECT_OK(spl_plan_step(plan, 0, &step));
        snprintf(method, sizeof method, "%s", step.method);
        spl_plan_destroy(plan);
    }
    return method;
}

static const char *export(setting *s, const char *name)
{
    const char *path = io_path(name);
    plan_all(s->context, s);
    EXPECT_OK(spl_wisdom_export(s->context, path));
    return path;
}

/* Another context of the same kind. */
static spl_context *open_other(test_trials *trials)
{
    spl_context *context = testing_context(2);
    trials_watch(trials, context);
    return context;
}

static void what_is_exported_comes_back(void **state)
{
    setting *s = *state;
    test_trials trials;
    spl_import report = SPL_IMPORT_INIT;
    const char *path = export(s, "wisdom");
    spl_context *other = open_other(&trials);
    EXPECT_OK(spl_wisdom_import(other, path, &report));
    EXPECT(report.taken == MATRICES && report.foreign == 0 && report.unknown == 0);
    EXPECT(spl_wisdom_count(other) == MATRICES);
    for (int64_t i = 0; i < MATRICES; i++) {
        spl_wisdom mine = SPL_WISDOM_INIT, theirs = SPL_WISDOM_INIT;
        EXPECT_OK(spl_wisdom_get(s->context, i, &mine));
        EXPECT_OK(spl_wisdom_get(other, i, &theirs));
        EXPECT(mine.measured_here && !theirs.measured_here &&
               strcmp(mine.problem, theirs.problem) == 0);
        EXPECT(strcmp(mine.machine, theirs.machine) == 0 &&
               strcmp(mine.method, theirs.method) == 0);
    }
    spl_wisdom none = SPL_WISDOM_INIT;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_wisdom_get(other, MATRICES, &none));
    char before[128];
    snprintf(before, sizeof before, "%s", plan_all(s->context, s));
    EXPECT(strcmp(plan_all(other, s), before) == 0 && trials.tried == 0);
    EXPECT_OK(spl_wisdom_import(other, path, NULL));
    EXPECT(spl_wisdom_count(other) == MATRICES);
    spl_context_destroy(other);
}

/* ---- files that are not taken ---- */

static void expect_refused(setting *s, const char *name, const char *bytes, size_t count)
{
    (void)s;
    test_trials trials;
    spl_context *other = open_other(&trials);
    spl_import report = SPL_IMPORT_INIT;
    testing_case("%s, %zu bytes", name, count);
    EXPECT_STATUS(SPL_FILE_INVALID,
                  spl_wisdom_import(other, io_write_bytes("bad", bytes, count), &report));
    EXPECT(spl_wisdom_count(other) == 0 && report.taken == 0);
    EXPECT(strstr(spl_error_detail(), "bad:") != NULL);
    spl_context_destroy(other);
}

static void what_is_cut_off_is_refused(void **state)
{
    setting *s = *state;
    size_t count;
    char *good = io_read_bytes(export(s, "wisdom"), &count);
    for (size_t cut = 0; cut + 1 < count; cut += cut < 40 || cut + 40 > count ? 1 : 23)
        expect_refused(s, "cut off", good, cut);
    free(good);
}

static void what_is_changed_is_refused(void **state)
{
    setting *s = *state;
    size_t count;
    char *good = io_read_bytes(export(s, "wisdom"), &count);
    for (size_t offset = 0; offset + 1 < count; offset += 7) {
        char before = good[offset];
        good[offset] = before == '1' ? '2' : '1';
        if (good[offset] != before)
            expect_refused(s, "one byte changed", good, count);
        good[offset] = 0;
        expect_refused(s, "one byte lost", good, count);
        good[offset] = before;
    }
    char *longer = zoo_allocate(count + 2);
    memcpy(longer, good, count);
    memcpy(longer + count, "x\n", 2);
    expect_refused(s, "something after the end", longer, count + 2);
    free(longer);
    free(good);
}

static void lines_that_say_nothing_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "cpu/x",
        "cpu/x spmv/compute spmv/compute/cpu/coo 1",
        "cpu/x spmv/compute spmv/compute/cpu/coo one 1e-3",
        "cpu/x spmv/compute spmv/compute/cpu/coo 1 0",
        "cpu/x spmv/compute spmv/compute/cpu/coo 1 -1e-3",
        "cpu/x spmv/compute spmv/compute/cpu/coo 1 nan",
        "cpu/x spmv/compute spmv/compute/cpu/coo 1 inf",
        "cpu/x spmv/compute spmv/compute/cpu/coo 1 1e-3 more",
    };
    test_trials trials;
    spl_context *other = open_other(&trials);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *const lines[] = {bad[i], NULL};
        testing_case("\"%s\"", bad[i]);
        EXPECT_STATUS(SPL_FILE_INVALID,
                      spl_wisdom_import(other, write_sealed("sealed", "wisdom", lines), NULL));
        EXPECT(strstr(spl_error_detail(), "sealed:2:") != NULL);
    }
    const char *const none[] = {NULL};
    EXPECT_STATUS(SPL_FILE_INVALID,
                  spl_wisdom_import(other, write_sealed("sealed", "machine", none), NULL));
    EXPECT_OK(spl_wisdom_import(other, write_sealed("sealed", "wisdom", none), NULL));
    EXPECT(spl_wisdom_count(other) == 0);
    spl_context_destroy(other);
}

static void other_versions_are_refused(void **state)
{
    setting *s = *state;
    static const char *const headings[] = {"sparloom-wisdom 2 0\nend 0 0\n",
                                           "sparloom-wisdom 1 7\nend 0 0\n",
                                           "sparloom-wisdom 1\nend 0 0\n",
                                           "%%MatrixMarket matrix\n",
                                           "\n",
                                           "sparloom-wisdom 1 0 x\nend 0 0\n"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        expect_refused(s, headings[i], headings[i], strlen(headings[i]));
}

/* ---- lines of other machines, methods, revisions ---- */

static int revision_of(const char *method)
{
    for (int32_t n = 0; n < spl_method_count(); n++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method(n, &info));
        if (strcmp(info.id, method) == 0)
            return info.revision;
    }
    return 1;
}

/* The line that `s` would write for its first matrix, with the given words in place of its own;
 * NULL: its own. */
static void line_of(const setting *s, const char *machine, const char *method, int newer,
                    char line[1024])
{
    spl__wisdom_entry e;
    EXPECT(spl__wisdom_get(s->context, 0, &e));
    method = method ? method : e.method->id;
    snprintf(line, 1024, "%s %s %s %d 1e-3", machine ? machine : e.machine, e.problem, method,
             revision_of(method) + newer);
}

static void strangers_have_no_say(void **state)
{
    setting *s = *state;
    test_trials trials;
    static char lines[5][1024];
    spl_import report = SPL_IMPORT_INIT;
    plan_all(s->context, s);
    line_of(s, "cpu/Another-Model/base/2", NULL, 0, lines[0]);
    line_of(s, NULL, "spmv/compute/cpu/nonsense", 0, lines[1]);
    line_of(s, NULL, NULL, -1, lines[2]);
    line_of(s, NULL, NULL, 1, lines[3]);
    line_of(s, NULL, NULL, 0, lines[4]);
    const char *const all[] = {lines[0], lines[1], lines[2], lines[3], lines[4], NULL};
    spl_context *other = open_other(&trials);
    EXPECT_OK(spl_wisdom_import(other, write_sealed("sealed", "wisdom", all), &report));
    EXPECT(report.taken == 1 && report.foreign == 1 && report.unknown == 3 &&
           spl_wisdom_count(other) == 2);
    spl_context_destroy(other);
}

/* Wisdom that names a method of another operation, or one that cannot serve, is passed over. */
static void senseless_wisdom_does_no_harm(void **state)
{
    setting *s = *state;
    test_trials trials;
    static char line[1024];
    plan_all(s->context, s);
    static const char *const methods[] = {
        "spgemm/numeric/cpu/dense", "spmv/compute/cpu/csr_transposed", "spmm/compute/gpu/teams"};
    for (int m = 0; m < 3; m++) {
        line_of(s, NULL, methods[m], 0, line);
        const char *const all[] = {line, NULL};
        spl_context *other = open_other(&trials);
        spl_options options = SPL_OPTIONS_INIT;
        options.policy = SPL_POLICY_MEASURE;
        spmv_run run = {
            .a = &s->a[0].view, .options = options, .scalars = testing_scalars_of(1, 0)};
        EXPECT_OK(spl_wisdom_import(other, write_sealed("sealed", "wisdom", all), NULL));
        EXPECT_OK(run_spmv(other, &run));
        EXPECT(trials.tried > 1);
        spl_context_destroy(other);
    }
}

/* What was measured here stays; of what was imported the last one counts. */
static void the_best_informed_wins(void **state)
{
    setting *s = *state;
    test_trials trials;
    static char line[1024];
    spl_wisdom w = SPL_WISDOM_INIT;
    plan_all(s->context, s);
    static const char *const methods[] = {"spmv/compute/cpu/coo", "spmv/compute/cpu/csr_scalar"};
    spl_context *other = open_other(&trials);
    spl__wisdom_entry mine;
    EXPECT(spl__wisdom_get(s->context, 0, &mine));
    for (int m = 0; m < 2; m++) {
        line_of(s, NULL, methods[m], 0, line);
        const char *const all[] = {line, NULL};
        const char *path = write_sealed("sealed", "wisdom", all);
        EXPECT_OK(spl_wisdom_import(other, path, NULL));
        EXPECT_OK(spl_wisdom_get(other, 0, &w));
        EXPECT(strcmp(w.method, methods[m]) == 0 && spl_wisdom_count(other) == 1);
        EXPECT_OK(spl_wisdom_import(s->context, path, NULL));
        EXPECT_OK(spl_wisdom_get(s->context, 0, &w));
        EXPECT(w.measured_here && strcmp(w.method, mine.method->id) == 0);
    }
    spl_context_destroy(other);
}

/* ---- files that are not there ---- */

static void paths_fail_cleanly(void **state)
{
    setting *s = *state;
    size_t count, again;
    const char *path = export(s, "wisdom");
    char *before = io_read_bytes(path, &count);
    EXPECT_STATUS(SPL_FILE_ERROR, spl_wisdom_import(s->context, io_path("missing"), NULL));
    EXPECT_STATUS(SPL_FILE_ERROR, spl_wisdom_import(s->context, io_folder, NULL));
    EXPECT_STATUS(SPL_FILE_ERROR, spl_wisdom_export(s->context, io_path("missing/wisdom")));
    EXPECT_STATUS(SPL_FILE_ERROR, spl_wisdom_export(s->context, io_folder));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_wisdom_export(s->context, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_wisdom_import(NULL, path, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_wisdom_forget(NULL));
    EXPECT(spl_wisdom_count(NULL) == 0);
    char *after = io_read_bytes(path, &again);
    EXPECT(count == again && memcmp(before, after, count) == 0);
    free(before);
    free(after);
}

/* ---- threads ---- */

static void *trade(void *state)
{
    setting *s = state;
    for (int i = 0; i < 20; i++) {
        char name[320];
        snprintf(name, sizeof name, "%s/traded-%p", io_folder, (void *)&name);
        EXPECT_OK(spl_wisdom_export(s->context, name));
        EXPECT_OK(spl_wisdom_import(s->context, name, NULL));
        if (i % 5 == 0)
            EXPECT_OK(spl_wisdom_forget(s->context));
    }
    return NULL;
}

static void others_may_plan_meanwhile(void **state)
{
    setting *s = *state;
    pthread_t traders[2];
    export(s, "wisdom"); /* the folder exists */
    for (int t = 0; t < 2; t++)
        EXPECT(pthread_create(&traders[t], NULL, trade, s) == 0);
    for (int i = 0; i < 4; i++)
        plan_all(s->context, s);
    for (int t = 0; t < 2; t++)
        EXPECT(pthread_join(traders[t], NULL) == 0);
    plan_all(s->context, s);
    EXPECT(spl_wisdom_count(s->context) == MATRICES);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(what_is_exported_comes_back),
        WITH(what_is_cut_off_is_refused),
        WITH(what_is_changed_is_refused),
        WITH(other_versions_are_refused),
        WITH(lines_that_say_nothing_are_refused),
        WITH(strangers_have_no_say),
        WITH(senseless_wisdom_does_no_harm),
        WITH(the_best_informed_wins),
        WITH(paths_fail_cleanly),
        WITH(others_may_plan_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
