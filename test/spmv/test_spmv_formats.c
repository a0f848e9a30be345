/* SPDX-License-Identifier: Apache-2.0 */
/* Every method of SpMV, with each format that it copies A into: announced new values are used,
 * unannounced ones detected, padding is never multiplied, bits do not depend on threads, and no
 * copy is made for a single execution. */
#include "lib/closed_pages.h"
#include "lib/run_products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_METHODS = 32 };

static const char *ids[MAX_METHODS];
static int id_count;

static int list_methods(void **state)
{
    (void)state;
    id_count = testing_methods("spmv/", ids, MAX_METHODS);
    return 0;
}

/* NULL where the method is not applicable. */
static spl_plan *plan_with(spl_context *context, const spl_sparse *a, const char *method,
                           bool check)
{
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    options.method = method;
    options.check_inputs = check;
    spl_status status = spl_spmv_plan(context, a, &options, &plan);
    if (status != SPL_UNSUPPORTED)
        testing_status(SPL_OK, status, method, __FILE__, __LINE__);
    return plan;
}

static void expect_right(spl_plan *plan, const spl_sparse *a)
{
    spl_check check = SPL_CHECK_INIT;
    test_dense x = test_dense_new(a->cols, 1, a->type, SPL_COLUMN_MAJOR, 0);
    test_dense y = test_dense_new(a->rows, 1, a->type, SPL_COLUMN_MAJOR, 0);
    test_dense_fill(&x, ZOO_REAL, 5);
    EXPECT_OK(spl_spmv_execute(plan, NULL, x.view.values, NULL, y.view.values, NULL));
    EXPECT_OK(spl_check_spmv(NULL, a, x.view.values, NULL, NULL, y.view.values, NULL, &check));
    EXPECT(check.ok);
    test_dense_free(&x);
    test_dense_free(&y);
}

static void renew(zoo_matrix *a, double from)
{
    for (int64_t p = 0; p < a->view.nnz; p++)
        zoo_value_set(a->values, a->view.type, p, from + 0.25 * (double)(p % 13));
}

static void announced_values_are_used(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form++)
        for (int m = 0; m < id_count; m++) {
            zoo_matrix a;
            zoo_matrix_make(&a, zoo_find("unsorted_24x19"), zoo_form_number(form), testing_seed());
            testing_case("%s, %s", zoo_form_name(zoo_form_number(form)), ids[m]);
            spl_plan *plan = plan_with(context, &a.view, ids[m], false);
            if (plan) {
                renew(&a, 1);
                EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
                expect_right(plan, &a.view);
                void *old = a.values; /* another array */
                a.values = zoo_allocate((size_t)a.view.nnz * zoo_type_bytes(a.view.type));
                a.view.values = a.values;
                renew(&a, -2);
                memset(old, 0xff, (size_t)a.view.nnz * zoo_type_bytes(a.view.type));
                EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
                expect_right(plan, &a.view);
                free(old);
            }
            spl_plan_destroy(plan);
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

static void unannounced_values_are_stale(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int m = 0; m < id_count; m++) {
        zoo_matrix a;
        double y[24], x[24] = {0};
        zoo_matrix_make(&a, zoo_find("unsorted_24x19"), zoo_form_number(0), testing_seed());
        testing_case("%s", ids[m]);
        spl_plan *plan = plan_with(context, &a.view, ids[m], true);
        if (plan) {
            EXPECT_OK(spl_spmv_execute(plan, NULL, x, NULL, y, NULL));
            ((double *)a.values)[3] += 1;
            EXPECT_STATUS(SPL_STALE, spl_spmv_execute(plan, NULL, x, NULL, y, NULL));
            EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
            EXPECT_OK(spl_spmv_execute(plan, NULL, x, NULL, y, NULL));
        }
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* x is NaN in columns without entries and beside its ends, and rows have all lengths: the padding
 * of formats must not reach results. Values are no narrower than their type. */
static void padding_is_not_multiplied(void **state)
{
    (void)state;
    enum { ROWS = 40, COLS = 60 };
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form += 3)
        for (int m = 0; m < id_count; m++) {
            zoo_triples t;
            zoo_matrix a;
            const spl_type type = zoo_form_number(form).type;
            const double last_bits = type == SPL_F64 ? 0x1p-40 : 0x1p-20;
            zoo_triples_start(&t, ROWS, COLS);
            for (int64_t i = 0; i < ROWS; i++)
                for (int64_t k = 0; k < 1 + i % 11; k++)
                    zoo_triples_add(&t, i, 20 + k, 1 + last_bits * (double)(i % 3));
            zoo_build(&a, &t, zoo_form_number(form));
            testing_case("%s, %s", zoo_form_name(zoo_form_number(form)), ids[m]);
            spl_plan *plan = plan_with(context, &a.view, ids[m], false);
            test_dense x = test_dense_new(COLS + 2, 1, type, SPL_COLUMN_MAJOR, 0); /* all NaN */
            test_dense y = test_dense_new(ROWS, 1, a.view.type, SPL_COLUMN_MAJOR, 0);
            for (int64_t j = 20; j < 31; j++)
                test_dense_set(&x, j + 1, 0, 1);
            if (plan) {
                const void *second = (const char *)x.view.values + zoo_type_bytes(type);
                EXPECT_OK(spl_spmv_execute(plan, NULL, second, NULL, y.view.values, NULL));
                for (int64_t i = 0; i < ROWS; i++)
                    EXPECT(test_dense_at(&y, i, 0) ==
                           (double)(1 + i % 11) * (1 + last_bits * (double)(i % 3)));
            }
            test_dense_free(&x);
            test_dense_free(&y);
            spl_plan_destroy(plan);
            zoo_matrix_free(&a);
            zoo_triples_free(&t);
        }
    spl_context_destroy(context);
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"rmat_1024", "dense_row_2000", "box3d_d2", "rmat_1024"};
    static const int forms[] = {0, 9, 0, 1}; /* the last one by columns */
    for (int n = 0; n < (testing_few() ? 1 : 4); n++)
        for (int m = 0; m < id_count; m++) {
            zoo_matrix a;
            void *first = NULL;
            zoo_matrix_make(&a, zoo_find(names[n]), zoo_form_number(forms[n]), testing_seed());
            size_t bytes = (size_t)a.view.rows * zoo_type_bytes(a.view.type);
            testing_case("%s, %s", names[n], ids[m]);
            for (int threads = 1; threads <= 5; threads += 2) {
                spl_context *context = testing_context(threads);
                spl_plan *plan = plan_with(context, &a.view, ids[m], false);
                test_dense x = test_dense_new(a.view.cols, 1, a.view.type, SPL_COLUMN_MAJOR, 0);
                void *y = zoo_allocate(bytes);
                test_dense_fill(&x, ZOO_REAL, 9);
                if (plan)
                    EXPECT_OK(spl_spmv_execute(plan, NULL, x.view.values, NULL, y, NULL));
                EXPECT(!plan || !first || memcmp(first, y, bytes) == 0);
                if (plan && !first)
                    first = y;
                else
                    free(y);
                test_dense_free(&x);
                spl_plan_destroy(plan);
                spl_context_destroy(context);
            }
            free(first);
            zoo_matrix_free(&a);
        }
}

/* alpha = 0: neither values nor x are read, by any method. */
static void alpha_zero_reads_nothing(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int m = 0; m < id_count; m++) {
        zoo_matrix a;
        zoo_matrix_make(&a, zoo_find("unsorted_24x19"), zoo_form_number(0), testing_seed());
        closed_pages values = closed_pages_copy(a.values, (size_t)a.view.nnz * sizeof(double));
        closed_pages x = closed_pages_copy(a.values, (size_t)a.view.cols * sizeof(double));
        spl_sparse view = a.view;
        view.values = values.data;
        testing_case("%s", ids[m]);
        spl_plan *plan = plan_with(context, &view, ids[m], false);
        const double zero = 0, half = 0.5;
        double y[24];
        for (int i = 0; i < 24; i++)
            y[i] = i;
        closed_pages_close(&values);
        closed_pages_close(&x);
        if (plan)
            EXPECT_OK(spl_spmv_execute(plan, &zero, x.data, &half, y, NULL));
        for (int i = 0; i < a.view.rows; i++)
            EXPECT(!plan || y[i] == 0.5 * i);
        spl_plan_destroy(plan);
        closed_pages_free(&values);
        closed_pages_free(&x);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* Larger than the caches, so that all optimisations for such matrices apply: entries on
 * diagonals, near the row and anywhere, a row in 50 longer than its neighbours, and runs of
 * three equal rows. */
static void make_large(zoo_matrix *a)
{
    const int64_t rows = 3 * (testing_few() ? 4000 : 40000);
    zoo_random random;
    zoo_triples t;
    zoo_random_seed(&random, testing_seed());
    zoo_triples_start(&t, rows, rows);
    for (int64_t i = 0; i < rows; i += 3) {
        int64_t near = zoo_random_below(&random, rows > i + 900 ? 900 : rows - i),
                far = zoo_random_below(&random, rows);
        for (int64_t r = i; r < i + 3; r++) {
            for (int64_t k = 0; k < (i % 150 ? 7 : 9); k++)
                zoo_triples_add(&t, r, ((i < rows / 2 ? r : i) + 37 * k) % rows,
                                zoo_random_unit(&random));
            zoo_triples_add(&t, r, i + near, zoo_random_unit(&random));
            zoo_triples_add(&t, r, far, zoo_random_unit(&random));
        }
    }
    zoo_build(a, &t, zoo_form_number(0));
    zoo_triples_free(&t);
}

static void large_matrices_are_right(void **state)
{
    (void)state;
    static const double alpha = -2, beta = 0.5;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    make_large(&a);
    test_dense x = test_dense_new(a.view.cols, 1, a.view.type, SPL_COLUMN_MAJOR, 0);
    test_dense y = test_dense_new(a.view.rows, 1, a.view.type, SPL_COLUMN_MAJOR, 0);
    test_dense_fill(&x, ZOO_REAL, 5);
    test_dense_fill(&y, ZOO_REAL, 6);
    for (int m = 0; m < id_count; m++) {
        spl_check check = SPL_CHECK_INIT;
        testing_case("%s", ids[m]);
        spl_plan *plan = plan_with(context, &a.view, ids[m], false);
        test_dense result = test_dense_copy(&y);
        if (plan) {
            EXPECT_OK(
                spl_spmv_execute(plan, &alpha, x.view.values, &beta, result.view.values, NULL));
            EXPECT_OK(spl_check_spmv(&alpha, &a.view, x.view.values, &beta, y.view.values,
                                     result.view.values, NULL, &check));
            EXPECT(check.ok);
            expect_right(plan, &a.view);
        }
        test_dense_free(&result);
        spl_plan_destroy(plan);
    }
    test_dense_free(&x);
    test_dense_free(&y);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* Of each slice of rows two lines are diagonals and two have columns anywhere; in cache. */
static void lines_of_a_slice_differ(void **state)
{
    (void)state;
    enum { ROWS = 600, LENGTH = 4, ON_DIAGONALS = 2 };
    static int32_t offsets[ROWS + 1], columns[ROWS * LENGTH];
    static double values[ROWS * LENGTH];
    spl_context *context = testing_context(2);
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int i = 0; i < ROWS; i++) {
        offsets[i + 1] = offsets[i] + LENGTH;
        for (int k = 0; k < LENGTH; k++) {
            columns[offsets[i] + k] =
                k < ON_DIAGONALS ? (i + 7 * k) % ROWS : (int32_t)zoo_random_below(&random, ROWS);
            values[offsets[i] + k] = zoo_random_unit(&random);
        }
    }
    const spl_sparse a = zoo_csr(SPL_F64, ROWS, ROWS, offsets, columns, values);
    for (int m = 0; m < id_count; m++) {
        testing_case("%s", ids[m]);
        spl_plan *plan = plan_with(context, &a, ids[m], false);
        if (plan)
            expect_right(plan, &a);
        spl_plan_destroy(plan);
    }
    spl_context_destroy(context);
}

/* The least budget for y = A^T x has no room for a transpose: A is used by columns, and the
 * result is right. Devices sort a copy or refuse. */
static void columns_serve_where_rows_do_not_fit(void **state)
{
    (void)state;
    if (testing_device())
        return;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("rmat_1024"), zoo_form_number(0), testing_seed());
    test_dense x = test_dense_new(a.view.rows, 1, a.view.type, SPL_COLUMN_MAJOR, 0);
    test_dense y = test_dense_new(a.view.cols, 1, a.view.type, SPL_COLUMN_MAJOR, 0);
    test_dense_fill(&x, ZOO_REAL, 5);
    spl_options options = SPL_OPTIONS_INIT;
    options.op_a = SPL_TRANSPOSE;
    spl_plan *plan = NULL;
    spl_status status = SPL_OVER_BUDGET;
    for (options.memory_budget = 1024; status == SPL_OVER_BUDGET; options.memory_budget += 1024)
        status = spl_spmv_plan(context, &a.view, &options, &plan);
    EXPECT_OK(status);
    EXPECT(options.memory_budget < (size_t)a.view.nnz * (sizeof(double) + sizeof(int32_t)));
    spl_step step = SPL_STEP_INIT;
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_plan_step(plan, 0, &step));
    EXPECT(strcmp(step.method, "spmv/compute/cpu/csr_transposed") == 0);
    EXPECT_OK(spl_spmv_execute(plan, NULL, x.view.values, NULL, y.view.values, NULL));
    EXPECT_OK(
        spl_check_spmv(NULL, &a.view, x.view.values, NULL, NULL, y.view.values, &options, &check));
    EXPECT(check.ok);
    spl_plan_destroy(plan);
    test_dense_free(&x);
    test_dense_free(&y);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* Longer than any share of a row that a method gives a thread, a warp or a block. */
static void a_row_longer_than_all_shares(void **state)
{
    (void)state;
    static const zoo_maker maker = {"a long row", zoo_dense_row, {200, 9000, 2, 3}, false};
    spl_context *context = testing_context(3);
    for (int m = 0; m < id_count; m++) {
        zoo_matrix a;
        zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
        testing_case("%s", ids[m]);
        spl_plan *plan = plan_with(context, &a.view, ids[m], false);
        if (plan) {
            expect_right(plan, &a.view);
            renew(&a, 1); /* so that the first result is not taken for the second */
            EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
            expect_right(plan, &a.view);
        }
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(announced_values_are_used),
        cmocka_unit_test(unannounced_values_are_stale),
        cmocka_unit_test(padding_is_not_multiplied),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(alpha_zero_reads_nothing),
        cmocka_unit_test(large_matrices_are_right),
        cmocka_unit_test(lines_of_a_slice_differ),
        cmocka_unit_test(columns_serve_where_rows_do_not_fit),
        cmocka_unit_test(a_row_longer_than_all_shares),
    };
    return cmocka_run_group_tests(tests, list_methods, NULL);
}
