/* SPDX-License-Identifier: Apache-2.0 */
/* SpMM by tensor cores: which plans use them, tiles of every kind of window, and numbers that
 * are not finite. */
#include "lib/run_products.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char tensor[] = "spmm/compute/gpu/tensor";
/* With windows of 16 and of 8 rows. */
enum { HEIGHTS = 2 };
static const char *const heights[HEIGHTS] = {tensor, "spmm/compute/gpu/tensor_short"};
static const spl_type types[] = {SPL_F32, SPL_F16, SPL_BF16};

static bool on_a_device(void)
{
    const char *methods[32];
    return testing_methods(tensor, methods, 32) == HEIGHTS;
}

static spmm_run reduced_run(const spl_sparse *a, int64_t columns, const char *method)
{
    spmm_run run = {
        a,    columns, SPL_ROW_MAJOR, SPL_ROW_MAJOR, 0, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
        false};
    run.options.accuracy = SPL_ACCURACY_REDUCED;
    run.options.method = method;
    return run;
}

static void make(zoo_matrix *m, const zoo_maker *maker, spl_type type)
{
    zoo_matrix_make(m, maker, (zoo_form){SPL_CSR, type, SPL_I32, SPL_I32}, testing_seed());
}

/* Windows: the last with few rows, without entries, with more columns than a stretch has, with gaps
 * of several stretches. */
static void every_window(void **state)
{
    static const zoo_maker makers[] = {{"dense", zoo_dense, {37, 29, 0, 0}, false},
                                       {"box", zoo_box, {5, 4, 3, 3}, false},
                                       {"long", zoo_dense, {2, 17000, 0, 0}, false},
                                       {"gaps", zoo_uniform, {50, 200000, 5, 0}, false},
                                       {"sparse", zoo_hypersparse, {90, 40, 6, 0}, false},
                                       {"none", zoo_empty, {20, 20, 0, 0}, false}};
    static const int64_t columns[] = {1, 4, 8, 30, 32, 33, 64, 68, 100, 72};
    (void)state;
    spl_context *context = testing_context(1);
    for (int m = 0; on_a_device() && m < (int)(sizeof makers / sizeof *makers); m++)
        for (int n = m % 2; n < (int)(sizeof columns / sizeof *columns);
             n += (testing_few() ? 4 : 1) + (makers[m].args[1] > 1000)) {
            zoo_matrix a;
            make(&a, &makers[m], types[(m + n) % 3]);
            spmm_run run = reduced_run(&a.view, columns[n], heights[(m / 2 + n) % HEIGHTS]);
            run.pad = n % 3;
            run.order_b = n % 5 == 3 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
            run.order_c = n % 4 == 3 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
            run.scalars = testing_scalars((m + n) % TEST_SCALARS);
            testing_case("%s, %s, %lld columns", makers[m].name,
                         n % 5 == 3 ? "by columns" : "by rows", (long long)columns[n]);
            EXPECT_OK(run_spmm(context, &run));
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* op(A) of every kind, 64-bit offsets, values that were announced. */
static void other_forms(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    for (int i = 0; on_a_device() && i < 12; i++) {
        zoo_matrix a;
        zoo_matrix_make(&a, zoo_find("box2d_d2"),
                        (zoo_form){i % 3 == 0   ? SPL_CSR
                                   : i % 3 == 1 ? SPL_CSC
                                                : SPL_COO,
                                   types[i / 2 % 3], i % 2 ? SPL_I64 : SPL_I32, SPL_I32},
                        testing_seed());
        spmm_run run = reduced_run(&a.view, 16, heights[i / 6]);
        run.options.op_a = i % 2 ? SPL_TRANSPOSE : SPL_NONE;
        run.one_shot = i % 6 == 3;
        testing_case("form %d", i);
        EXPECT_OK(run_spmm(context, &run));
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static spl_status plan_for(spl_context *context, const zoo_matrix *a, const char *method,
                           spl_accuracy accuracy, spl_plan **plan)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.accuracy = accuracy;
    options.method = method;
    return spl_spmm_plan(context, &a->view, 64, &options, plan);
}

static void only_where_it_may(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    spl_plan *plan = NULL;
    zoo_matrix f32, f64, unsorted;
    make(&f32, zoo_find("dense_90x110"), SPL_F32);
    make(&f64, zoo_find("dense_90x110"), SPL_F64);
    make(&unsorted, zoo_find("unsorted_24x19"), SPL_F32);
    if (on_a_device()) {
        EXPECT_STATUS(SPL_UNSUPPORTED,
                      plan_for(context, &f32, tensor, SPL_ACCURACY_DEFAULT, &plan));
        EXPECT_STATUS(SPL_UNSUPPORTED,
                      plan_for(context, &f64, tensor, SPL_ACCURACY_REDUCED, &plan));
        EXPECT_STATUS(SPL_UNSUPPORTED,
                      plan_for(context, &unsorted, tensor, SPL_ACCURACY_REDUCED, &plan));
        EXPECT_OK(plan_for(context, &f32, tensor, SPL_ACCURACY_REDUCED, &plan));
        spl_plan_destroy(plan);
    }
    EXPECT_OK(plan_for(context, &f64, NULL, SPL_ACCURACY_REDUCED, &plan)); /* at full accuracy */
    spl_plan_destroy(plan);
    zoo_matrix_free(&f32);
    zoo_matrix_free(&f64);
    zoo_matrix_free(&unsorted);
    spl_context_destroy(context);
}

/* Tensor cores are used where rows share their columns, and only with reduced accuracy. */
static void the_planner_knows_when(void **state)
{
    static const zoo_maker shared = {"box", zoo_box, {12, 12, 12, 6}, false},
                           apart = {"apart", zoo_uniform, {4000, 90000, 8, 0}, false};
    (void)state;
    spl_context *context = testing_context(1);
    for (int i = 0; on_a_device() && i < 3; i++) {
        const spl_accuracy accuracy = i == 1 ? SPL_ACCURACY_DEFAULT : SPL_ACCURACY_REDUCED;
        spl_plan *plan = NULL;
        spl_step step = SPL_STEP_INIT;
        zoo_matrix a;
        make(&a, i == 2 ? &apart : &shared, SPL_F16);
        EXPECT_OK(plan_for(context, &a, NULL, accuracy, &plan));
        EXPECT_OK(spl_plan_step(plan, 0, &step));
        testing_case("problem %d: %s", i, step.method);
        EXPECT((strncmp(step.method, tensor, strlen(tensor)) == 0) == (i == 0));
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* Rows of a window share tiles with rows of B which they do not use: the elements of these must
 * not reach their results. */
static void infinities_stay_where_they_belong(void **state)
{
    enum { COLUMNS = 40 };
    static const double odd[] = {INFINITY, -INFINITY, NAN, FLT_MAX};
    (void)state;
    spl_context *context = testing_context(1);
    for (int i = 0; on_a_device() && i < 8; i++) {
        const double number = odd[i % 4];
        zoo_matrix a;
        make(&a, zoo_find("banded_18"), SPL_F32);
        test_dense b = test_dense_new(18, COLUMNS, SPL_F32, SPL_ROW_MAJOR, 0);
        test_dense c = test_dense_new(18, COLUMNS, SPL_F32, SPL_ROW_MAJOR, 0);
        test_dense_fill(&b, ZOO_REAL, testing_seed());
        test_dense_set(&b, 3, i, number);
        test_dense_set(&b, 17, COLUMNS - 1, number);
        spl_options options = SPL_OPTIONS_INIT;
        options.accuracy = SPL_ACCURACY_REDUCED;
        options.method = heights[i / 4];
        spl_check check = SPL_CHECK_INIT;
        EXPECT_OK(spl_spmm(context, NULL, &a.view, &b.view, NULL, &c.view, &options));
        EXPECT_OK(spl_check_spmm(NULL, &a.view, &b.view, NULL, NULL, &c.view, &options, &check));
        testing_case("number %g: worst ratio %g at (%lld,%lld)", number, check.worst_ratio,
                     (long long)check.worst_row, (long long)check.worst_col);
        EXPECT(check.ok == 1);
        EXPECT(isfinite(test_dense_at(&c, 17, i)) &&
               (i % 4 == 3 || !isfinite(test_dense_at(&c, 3, i))));
        test_dense_free(&b);
        test_dense_free(&c);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* Inf, NaN or a number that TF32 may round to Inf in one entry of every row, or of most. B is
 * finite, or has Inf, such a number or zeros where entries and where slots without entries meet
 * them. */
static void values_of_a_that_are_not_finite(void **state)
{
    enum { COLUMNS = 72, KINDS = 24 };
    static const zoo_maker makers[] = {{"box", zoo_box, {5, 4, 3, 1}, false},
                                       {"shared by teams", zoo_uniform, {9, 700, 250, 0}, false}};
    static const double odd[] = {INFINITY, NAN, FLT_MAX, -INFINITY};
    (void)state;
    spl_context *context = testing_context(1);
    for (int i = 0; on_a_device() && i < KINDS; i++) {
        zoo_matrix a;
        make(&a, &makers[i / 2 % 2], i % 3 == 2 ? types[i / 3 % 3] : SPL_F32);
        const int32_t *const offsets = a.offsets;
        test_dense b = test_dense_new(a.view.cols, COLUMNS, a.view.type, SPL_ROW_MAJOR, 0);
        test_dense c = test_dense_new(a.view.rows, COLUMNS, a.view.type, SPL_ROW_MAJOR, 0);
        test_dense_fill(&b, ZOO_REAL, testing_seed() + (uint64_t)i);
        for (int64_t r = i % 3; r < a.view.rows; r += 1 + i % 2) {
            const int64_t length = offsets[r + 1] - offsets[r];
            if (length > 0)
                zoo_value_set(a.values, a.view.type, offsets[r] + r * 7 % length, odd[r / 2 % 4]);
            if (length > 1 && i % 5 == 0)
                zoo_value_set(a.values, a.view.type, offsets[r] + (r * 7 + 1) % length, FLT_MAX);
        }
        for (int64_t k = 0; i >= KINDS / 3 && k < a.view.cols; k++)
            test_dense_set(&b, k, k * 5 % COLUMNS, k % 7 ? odd[k % 4] : 0);
        spl_options options = SPL_OPTIONS_INIT;
        options.accuracy = SPL_ACCURACY_REDUCED;
        options.method = heights[i / 4 % HEIGHTS];
        spl_check check = SPL_CHECK_INIT;
        EXPECT_OK(spl_spmm(context, NULL, &a.view, &b.view, NULL, &c.view, &options));
        EXPECT_OK(spl_check_spmm(NULL, &a.view, &b.view, NULL, NULL, &c.view, &options, &check));
        testing_case("case %d: worst ratio %g at (%lld,%lld)", i, check.worst_ratio,
                     (long long)check.worst_row, (long long)check.worst_col);
        EXPECT(check.ok == 1);
        test_dense_free(&b);
        test_dense_free(&c);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* A sum that has Inf from A and meets no Inf of B is not computed again: entry by entry it would
 * overflow before it comes to -Inf, and be NaN. */
static void what_is_rightly_infinite_stands(void **state)
{
    enum { COLUMNS = 40 };
    const int32_t offsets[] = {0, 5, 7}, columns[] = {0, 1, 2, 3, 4, 0, 1};
    const float values[] = {2e38F, 2e38F, 1, 1, -INFINITY, 2e38F, -2e38F};
    (void)state;
    spl_context *context = testing_context(1);
    for (int i = 0; on_a_device() && i < HEIGHTS; i++) {
        const spl_sparse a = zoo_csr(SPL_F32, 2, 5, offsets, columns, values);
        test_dense b = test_dense_new(5, COLUMNS, SPL_F32, SPL_ROW_MAJOR, 0);
        test_dense c = test_dense_new(2, COLUMNS, SPL_F32, SPL_ROW_MAJOR, 0);
        for (int k = 0; k < 5 * COLUMNS; k++)
            test_dense_set(&b, k / COLUMNS, k % COLUMNS, 1);
        test_dense_set(&b, 4, 3, 0);
        spl_options options = SPL_OPTIONS_INIT;
        options.accuracy = SPL_ACCURACY_REDUCED;
        options.method = heights[i];
        EXPECT_OK(spl_spmm(context, NULL, &a, &b.view, NULL, &c.view, &options));
        for (int k = 0; k < COLUMNS; k++) {
            testing_case("case %d, column %d: %g, %g", i, k, test_dense_at(&c, 0, k),
                         test_dense_at(&c, 1, k));
            EXPECT(k == 3 ? isnan(test_dense_at(&c, 0, k)) : test_dense_at(&c, 0, k) == -INFINITY);
            EXPECT(test_dense_at(&c, 1, k) == 0);
        }
        test_dense_free(&b);
        test_dense_free(&c);
    }
    spl_context_destroy(context);
}

/* The check accepts a rounding to TF32 at reduced accuracy only, and a wrong eighth bit never. */
static void verdicts_know_the_accuracy(void **state)
{
    (void)state;
    const int32_t offsets[] = {0, 1}, column = 0;
    const float one = 1, b = 1;
    const spl_sparse a = zoo_csr(SPL_F32, 1, 1, offsets, &column, &one);
    for (int i = 0; i < 4; i++) {
        float value = i % 2 ? 1 + 0x1p-8f : 1 + 0x1p-11f;
        spl_dense x = SPL_DENSE_INIT, y;
        x.type = SPL_F32;
        x.rows = x.cols = x.ld = 1;
        x.order = SPL_ROW_MAJOR;
        x.values = (void *)(uintptr_t)&b;
        y = x;
        y.values = &value;
        spl_options options = SPL_OPTIONS_INIT;
        options.accuracy = i / 2 ? SPL_ACCURACY_REDUCED : SPL_ACCURACY_DEFAULT;
        spl_check check = SPL_CHECK_INIT;
        EXPECT_OK(spl_check_spmm(NULL, &a, &x, NULL, NULL, &y, &options, &check));
        EXPECT(check.ok == (i == 2));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window),
        cmocka_unit_test(other_forms),
        cmocka_unit_test(only_where_it_may),
        cmocka_unit_test(the_planner_knows_when),
        cmocka_unit_test(infinities_stay_where_they_belong),
        cmocka_unit_test(values_of_a_that_are_not_finite),
        cmocka_unit_test(what_is_rightly_infinite_stands),
        cmocka_unit_test(verdicts_know_the_accuracy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
