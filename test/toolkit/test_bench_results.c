/* SPDX-License-Identifier: Apache-2.0 */
/* Results checked block by block; what benchmark figures mean together, and how they are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bench_check.h>
#include <bench_summary.h>
#include <gen.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *version(void)
{
    return "0.0";
}

/* ------------------------------------------------------------------------------------- checking */

/* The check of a result, one of whose elements is made wrong: only that one may be found. */
static void expect_found(const bench_problem *problem, const spl_sparse *c, double *element,
                         int64_t row, int64_t compared)
{
    spl_check check = SPL_CHECK_INIT;
    assert_int_equal(bench_check(problem, c, &check), SPL_OK);
    assert_true(check.ok && check.failed == 0 && check.compared == compared);
    double right = *element;
    *element += 1e-3;
    assert_int_equal(bench_check(problem, c, &check), SPL_OK);
    assert_true(!check.ok && check.failed == 1 && check.compared == compared);
    assert_int_equal(check.worst_row, row);
    *element = right;
}

static void check_square(spl_context *context, bench_problem *problem)
{
    spl_matrix *square = NULL;
    spl_sparse c = SPL_SPARSE_INIT;
    void *values = NULL;
    assert_int_equal(spl_spgemm(context, NULL, &problem->a, &problem->a, NULL, NULL, NULL, &square),
                     SPL_OK);
    assert_int_equal(spl_matrix_view(square, &c), SPL_OK);
    assert_int_equal(spl_matrix_arrays(square, NULL, NULL, &values), SPL_OK);
    problem->operation = BENCH_SPGEMM;
    const int32_t *offsets = c.offsets;
    for (int64_t row = 0; row < c.rows; row++)
        if (offsets[row] < offsets[row + 1])
            expect_found(problem, &c, (double *)values + offsets[row], row, c.nnz);
    spl_check check = SPL_CHECK_INIT;
    spl_sparse cut = c, short_by_one = c;
    cut.rows--;
    cut.nnz = offsets[cut.rows];
    assert_int_equal(bench_check(problem, &cut, &check), SPL_SHAPE_MISMATCH);
    short_by_one.nnz--;
    assert_int_equal(bench_check(problem, &short_by_one, &check), SPL_INVALID_MATRIX);
    spl_matrix_destroy(square);
}

enum { ROWS = 31, WIDTH = 4 };

static void check_dense(spl_context *context, bench_problem *problem, bench_operation operation,
                        spl_order order)
{
    double x[ROWS * WIDTH], y[ROWS * WIDTH];
    for (int i = 0; i < ROWS * WIDTH; i++)
        x[i] = sin(i);
    problem->operation = operation;
    problem->order = order;
    problem->columns = operation == BENCH_SPMV ? 1 : WIDTH;
    problem->x = x;
    problem->y = y;
    spl_dense b = bench_dense(problem, ROWS, x), c = bench_dense(problem, ROWS, y);
    assert_int_equal(spl_spmm(context, NULL, &problem->a, &b, NULL, &c, NULL), SPL_OK);
    for (int64_t row = 0; row < ROWS; row++) {
        int64_t last = problem->columns - 1;
        expect_found(problem, NULL,
                     &y[order == SPL_ROW_MAJOR ? row * c.ld + last : row + last * c.ld], row,
                     ROWS * problem->columns);
    }
}

static void test_check_by_blocks(void **state)
{
    (void)state;
    gen_matrix matrix;
    gen_message message;
    spl_context *context = NULL;
    assert_int_equal(gen_make("random:31,31,4", 1, SPL_F64, &matrix, &message), GEN_OK);
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    for (int threads = 1; threads <= 9; threads += 4) { /* 36 blocks are more than there are rows */
        bench_problem problem = {
            .type = SPL_F64, .threads = threads, .columns = 1, .a = gen_view(&matrix)};
        check_square(context, &problem);
        check_dense(context, &problem, BENCH_SPMV, SPL_ROW_MAJOR);
        check_dense(context, &problem, BENCH_SPMM, SPL_ROW_MAJOR);
        check_dense(context, &problem, BENCH_SPMM, SPL_COLUMN_MAJOR);
    }
    spl_context_destroy(context);
    gen_free(&matrix);
}

/* -------------------------------------------------------------------------------------- figures */

static bench_case timed(const char *name, double own_seconds, double prepare, double first_rival,
                        double second_rival)
{
    bench_case item = {
        .set = "s", .operation = BENCH_SPMV, .type = SPL_F64, .columns = 1, .flop = 1, .count = 3};
    snprintf(item.matrix, sizeof item.matrix, "%s", name);
    const double medians[] = {own_seconds, first_rival, second_rival};
    for (int i = 0; i < 3; i++) {
        item.entries[i].warm = (tool_quantiles){medians[i], medians[i], medians[i], medians[i], 1};
        item.entries[i].cold = tool_quantiles_of(NULL, 0);
        item.entries[i].check = (spl_check)SPL_CHECK_INIT;
    }
    item.entries[0].prepare = prepare;
    return item;
}

static const bench_rival first_rival = {.name = "first", .version = version};
static const bench_rival second_rival = {.name = "second", .version = version};

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
    assert_true(bench_best_ratio(&report.cases[0]) == 0.5 &&
                bench_best_ratio(&report.cases[1]) == 4);
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
    bench_setup setup = {.rivals = {&bench_own, &first_rival, &second_rival},
                         .count = 3,
                         .threads = 2,
                         .triad = 1e9};
    char text[4000] = "";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    bench_write_text(&report, &setup, stream);
    rewind(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    fclose(stream);
    assert_non_null(strstr(text, "0.50 LOSS"));
    assert_true(strstr(text, "\nloss ") < strstr(text, "\nwin "));
    assert_non_null(strstr(text, "geometric mean over 2: best rival/ours 1.41, first 2.00 (2)"));

    stream = tmpfile();
    assert_non_null(stream);
    assert_true(bench_write_csv(&report, &setup, stream));
    rewind(stream);
    int lines = 0, commas = 0;
    for (int letter; (letter = fgetc(stream)) != EOF; lines += letter == '\n')
        commas += letter == ',';
    fclose(stream);
    assert_int_equal(lines, 1 + 3 * 3);
    assert_int_equal(commas, 23 * (1 + 3 * 3));
    bench_report_free(&report);
}

/* On a device: its name, memory of ours and of the fastest rival, no triad. */
static void test_text_of_a_device(void **state)
{
    (void)state;
    bench_report report = three_cases();
    bench_setup setup = {.rivals = {&bench_own, &first_rival, &second_rival},
                         .count = 3,
                         .threads = 2,
                         .device = "Abacus 3000"};
    report.cases[0].bytes = 4e9;
    report.cases[0].entries[0].peak = 1e6;
    report.cases[0].entries[1].peak = 2e9;
    report.skipped = 4;
    char text[4000] = "";
    FILE *stream = tmpfile();
    assert_non_null(stream);
    bench_write_text(&report, &setup, stream);
    rewind(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    fclose(stream);
    bench_report_free(&report);
    assert_non_null(strstr(text, "device Abacus 3000, threads 2, libraries"));
    assert_non_null(strstr(text, "GB/s"));
    assert_null(strstr(text, "warm/T"));
    assert_non_null(strstr(text, "1.00 MB  2.00 GB   0.50 LOSS"));
    assert_non_null(strstr(text, "\nskipped: 4\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check_by_blocks),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_writers),
        cmocka_unit_test(test_text_of_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
