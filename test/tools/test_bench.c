/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark harness: who is timed, who is caught, and what the figures mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bench_summary.h>
#include <gen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------------- fake rivals */

static int runs, prepared, released;

static int start(int threads)
{
    return threads > 0;
}

static const char *version(void)
{
    return "0.0";
}

static void *prepare(const bench_problem *problem)
{
    bench_problem *state = malloc(sizeof *state);
    assert_non_null(state);
    *state = *problem;
    prepared++;
    return state;
}

static void *refuse(const bench_problem *problem)
{
    (void)problem;
    return NULL;
}

static void release(void *state)
{
    released++;
    free(state);
}

/* Nearly right: one element is off by a millionth. */
static int run_wrong(void *state)
{
    bench_problem *p = state;
    runs++;
    spl_context *context = NULL;
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    assert_int_equal(spl_spmv(context, NULL, &p->a, p->x, NULL, p->y, NULL), SPL_OK);
    spl_context_destroy(context);
    ((double *)p->y)[p->a.rows / 2] += 1e-6;
    return 1;
}

/* Leaves y as it was. */
static int run_idle(void *state)
{
    (void)state;
    return 1;
}

static int run_failing(void *state)
{
    (void)state;
    return 0;
}

/* C = A is not C = A*A. */
static int result_operand(void *state, spl_sparse *c)
{
    *c = ((bench_problem *)state)->a;
    return 1;
}

static const bench_rival wrong = {
    "wrong",
    start,
    version,
    {[BENCH_SPMV] = {prepare, run_wrong, NULL, NULL, release},
     [BENCH_SPMM] = {prepare, run_idle, NULL, NULL, release},
     [BENCH_SPGEMM] = {prepare, run_idle, result_operand, NULL, release}},
};
static const bench_rival failing = {
    "failing",
    start,
    version,
    {[BENCH_SPMV] = {prepare, run_failing, NULL, NULL, release},
     [BENCH_SPMM] = {refuse, run_idle, NULL, NULL, release}},
};

static bench_setup setup_with(bench_flusher *flusher)
{
    assert_true(bench_own.start(2));
    return (bench_setup){.rivals = {&bench_own, &wrong, &failing, &bench_own},
                         .count = 4,
                         .threads = 2,
                         .triad = 1e9,
                         .flusher = flusher};
}

static bench_case run_one(bench_setup *setup, bench_operation operation, int64_t columns)
{
    gen_matrix matrix;
    gen_message message;
    assert_int_equal(gen_make("box2d:12,11,2", 1, SPL_F64, &matrix, &message), GEN_OK);
    spl_sparse a = gen_view(&matrix);
    bench_case item = {.set = "tiny", .matrix = "box", .operation = operation, .type = SPL_F64, .columns = columns};
    prepared = released = runs = 0;
    assert_int_equal(bench_run(setup, &a, &item), SPL_OK);
    assert_int_equal(prepared, released);
    gen_free(&matrix);
    return item;
}

static void check_good(const bench_entry *entry)
{
    assert_int_equal(entry->verdict, BENCH_GOOD);
    assert_true(entry->check.ok && entry->check.compared > 0);
    assert_true(entry->warm.runs >= 1 && entry->warm.q1 <= entry->warm.median && entry->warm.median <= entry->warm.q3);
    assert_true(entry->prepare >= 0 && entry->first > 0);
}

static void test_wrong_results_are_not_timed(void **state)
{
    (void)state;
    bench_flusher flusher = {NULL, 0};
    bench_setup setup = setup_with(&flusher);
    bench_case item = run_one(&setup, BENCH_SPMV, 1);
    check_good(&item.entries[0]);
    check_good(&item.entries[3]);
    assert_int_equal(item.entries[1].verdict, BENCH_WRONG);
    assert_int_equal(item.entries[2].verdict, BENCH_FAILED);
    assert_int_equal(runs, 1);
    assert_true(item.entries[1].warm.runs == 0 && isnan(item.entries[1].warm.median));
    assert_true(item.flop == 2.0 * (double)item.nnz);
    assert_true(item.bytes == 12.0 * (double)item.nnz + 4.0 * (double)(item.rows + 1) + 16.0 * (double)item.rows);
    assert_true(isnan(bench_ratio(&item, 1)) && !isnan(bench_ratio(&item, 3)));
}

static void test_other_operations(void **state)
{
    (void)state;
    bench_flusher flusher = {NULL, 0};
    bench_setup setup = setup_with(&flusher);
    bench_case item = run_one(&setup, BENCH_SPMM, 5);
    check_good(&item.entries[0]);
    assert_int_equal(item.entries[1].verdict, BENCH_WRONG); /* NaN where nothing was written */
    assert_int_equal(item.entries[2].verdict, BENCH_FAILED);
    item = run_one(&setup, BENCH_SPGEMM, 1);
    check_good(&item.entries[0]);
    assert_int_equal(item.entries[1].verdict, BENCH_WRONG);
    assert_int_equal(item.entries[2].verdict, BENCH_ABSENT);
    item = run_one(&setup, BENCH_NUMERIC, 1);
    check_good(&item.entries[0]);
    assert_int_equal(item.entries[1].verdict, BENCH_ABSENT);
}

static void test_cold_runs(void **state)
{
    (void)state;
    double values[64] = {0};
    bench_flusher flusher = {values, 64};
    bench_setup setup = setup_with(&flusher);
    bench_case item = run_one(&setup, BENCH_SPMV, 1);
    assert_true(item.entries[0].cold.runs == 5 && item.entries[1].cold.runs == 0);
    assert_true(values[0] == 10 && values[63] == 10); /* before each of five runs of two libraries */
}

static int stop(void)
{
    return 1;
}

static void test_interrupt(void **state)
{
    (void)state;
    bench_flusher flusher = {NULL, 0};
    bench_setup setup = setup_with(&flusher);
    setup.interrupted = stop;
    gen_matrix matrix;
    gen_message message;
    assert_int_equal(gen_make("diagonal:5", 1, SPL_F64, &matrix, &message), GEN_OK);
    spl_sparse a = gen_view(&matrix);
    bench_case item = {.operation = BENCH_SPMV, .type = SPL_F64, .columns = 1};
    assert_int_equal(bench_run(&setup, &a, &item), SPL_CANCELLED);
    gen_free(&matrix);
}

/* ------------------------------------------------------------------------------------------------------------------- figures */

static bench_case timed(const char *name, double ours, double prepare, double first_rival, double second_rival)
{
    bench_case item = {.set = "s", .operation = BENCH_SPMV, .type = SPL_F64, .columns = 1, .flop = 1, .count = 3};
    snprintf(item.matrix, sizeof item.matrix, "%s", name);
    const double medians[] = {ours, first_rival, second_rival};
    for (int i = 0; i < 3; i++) {
        item.entries[i].warm = (tool_quantiles){medians[i], medians[i], medians[i], medians[i], 1};
        item.entries[i].cold = tool_quantiles_of(NULL, 0);
        item.entries[i].check = (spl_check)SPL_CHECK_INIT;
    }
    item.entries[0].prepare = prepare;
    return item;
}

static bench_report three_cases(void)
{
    bench_report report = {0};
    const bench_case items[] = {timed("win", 1, 0, 8, 4), timed("loss", 2, 0, 1, 9),
                                timed("alone", 1, 0, (double)NAN, (double)NAN)};
    for (int i = 0; i < 3; i++)
        assert_true(bench_report_add(&report, &items[i]));
    bench_report_sort(&report);
    return report;
}

static void test_figures(void **state)
{
    (void)state;
    bench_report report = three_cases();
    assert_string_equal(report.cases[0].matrix, "loss");
    assert_string_equal(report.cases[2].matrix, "alone");
    assert_true(bench_best_ratio(&report.cases[0]) == 0.5 && bench_best_ratio(&report.cases[1]) == 4);
    assert_true(isnan(bench_best_ratio(&report.cases[2])));
    bench_group group = bench_group_at(&report, 0);
    assert_int_equal(group.count, 3);
    int cases = 0;
    assert_true(fabs(bench_mean_ratio(&group, -1, &cases) - sqrt(0.5 * 4)) < 1e-12);
    assert_int_equal(cases, 2);
    assert_true(fabs(bench_mean_ratio(&group, 1, &cases) - sqrt(0.5 * 8)) < 1e-12);
    bench_report_free(&report);

    bench_case item = timed("a", 1, 10, 3, 4);
    assert_true(bench_break_even(&item) == 5); /* 10 + 5*1 <= 5*3 */
    item = timed("a", 1, 1, 3, 4);
    assert_true(bench_break_even(&item) == 1);
    item = timed("a", 3, 1, 3, 4);
    assert_true(isnan(bench_break_even(&item)));
}

static void test_writers(void **state)
{
    (void)state;
    bench_report report = three_cases();
    bench_setup setup = {.rivals = {&bench_own, &wrong, &failing}, .count = 3, .threads = 2, .triad = 1e9};
    char text[4000] = "";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    bench_write_text(&report, &setup, stream);
    rewind(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    fclose(stream);
    assert_non_null(strstr(text, "0.50 LOSS"));
    assert_true(strstr(text, "\nloss ") < strstr(text, "\nwin "));
    assert_non_null(strstr(text, "geometric mean over 2: best rival/ours 1.41, wrong 2.00 (2)"));

    stream = tmpfile();
    assert_non_null(stream);
    assert_true(bench_write_csv(&report, &setup, stream));
    rewind(stream);
    int lines = 0, commas = 0;
    for (int letter; (letter = fgetc(stream)) != EOF; lines += letter == '\n')
        commas += letter == ',';
    fclose(stream);
    assert_int_equal(lines, 1 + 3 * 3);
    assert_int_equal(commas, 21 * (1 + 3 * 3));
    bench_report_free(&report);
}

static void test_machine(void **state)
{
    (void)state;
    assert_true(bench_cache_bytes() > 0 && bench_free_bytes() > 0);
    bench_flusher flusher = bench_flusher_open();
    if (flusher.values) {
        bench_flush(&flusher);
        assert_true(flusher.values[0] == 1 && flusher.values[flusher.count - 1] == 1);
    }
    bench_flusher_close(&flusher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_results_are_not_timed),
        cmocka_unit_test(test_other_operations),
        cmocka_unit_test(test_cold_runs),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_writers),
        cmocka_unit_test(test_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
