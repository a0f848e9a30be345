/* SPDX-License-Identifier: Apache-2.0 */
/* What SpMM must not read, and which shapes it must take. */
#include "lib/closed_pages.h"
#include "lib/run_products.h"

#include <stdlib.h>

/* With alpha = 0 the values of A and all of B lie in unreadable pages. */
static void expect_nothing_read(spl_context *context, int form, spl_operator op)
{
    enum { COLUMNS = 6 };
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("unsorted_24x19"), zoo_form_number(form), 1);
    closed_pages values = closed_pages_copy(a.values, (size_t)a.view.nnz * sizeof(double));
    test_dense b = test_dense_new(op_cols(&a.view, op), COLUMNS, SPL_F64, SPL_ROW_MAJOR, 2);
    closed_pages b_pages = closed_pages_copy(b.memory.data, b.memory.bytes);
    test_dense c = test_dense_new(op_rows(&a.view, op), COLUMNS, SPL_F64, SPL_ROW_MAJOR, 1);
    test_dense_fill(&c, ZOO_INTEGERS, 5);
    test_dense before = test_dense_copy(&c);
    spl_sparse view = a.view;
    view.values = values.data;
    b.view.values = b_pages.data;
    spl_options options = SPL_OPTIONS_INIT;
    options.op_a = op;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmm_plan(context, &view, COLUMNS, &options, &plan));
    closed_pages_close(&values);
    closed_pages_close(&b_pages);
    const double zero = 0, minus = -1;
    EXPECT_OK(spl_spmm_execute(plan, &zero, &b.view, &minus, &c.view, NULL));
    for (int64_t i = 0; i < c.view.rows; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            EXPECT(test_dense_at(&c, i, j) == -test_dense_at(&before, i, j));
    EXPECT(test_dense_padding_intact(&c));
    spl_plan_destroy(plan);
    closed_pages_free(&values);
    closed_pages_free(&b_pages);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&before);
    zoo_matrix_free(&a);
}

static void alpha_zero_reads_nothing(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < 9; form++)
        for (spl_operator op = SPL_NONE; op <= SPL_TRANSPOSE; op++) {
            testing_case("%s, op %d", zoo_form_name(zoo_form_number(form)), op);
            expect_nothing_read(context, form, op);
        }
    spl_context_destroy(context);
}

/* The last row of B ends where its page ends. */
static void b_is_not_read_beyond_its_end(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int64_t columns = 1; columns < 20; columns += 3) {
        zoo_matrix a;
        zoo_matrix_make(&a, zoo_find("uniform_40"), zoo_form_number(0), 1);
        test_dense b = test_dense_new(a.view.cols, columns, SPL_F64, SPL_ROW_MAJOR, 3);
        test_dense c = test_dense_new(a.view.rows, columns, SPL_F64, SPL_COLUMN_MAJOR, 3);
        test_dense_fill(&b, ZOO_REAL, 4);
        closed_pages pages = closed_pages_copy(b.memory.data, b.memory.bytes);
        spl_dense view = b.view;
        view.values = pages.data;
        testing_case("%lld columns", (long long)columns);
        EXPECT_OK(spl_spmm(context, NULL, &a.view, &view, NULL, &c.view, NULL));
        EXPECT(test_dense_padding_intact(&c));
        closed_pages_free(&pages);
        test_dense_free(&b);
        test_dense_free(&c);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* Rows without entries are beta times what they were, whatever alpha is; others are Inf or NaN
 * where it is. By every method, in every order. */
static void alpha_need_not_be_finite(void **state)
{
    (void)state;
    static const char *const names[] = {"half_empty_30", "empty_7x4", "hypersparse_45", "zeros_22",
                                        "box2d_d2"};
    const char *ids[32];
    const int count = testing_methods("spmm/compute", ids, 32);
    spl_context *context = testing_context(2);
    for (int n = 0; n < 5 * (count + 1); n++)
        for (int scalars = 25; scalars < TEST_SCALARS; scalars++) {
            zoo_matrix a;
            zoo_matrix_make(&a, zoo_find(names[n % 5]), zoo_form_number((n + scalars) % ZOO_FORMS),
                            testing_seed());
            spmm_run run = {&a.view,
                            1 + (n + scalars) % 23,
                            scalars % 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR,
                            scalars % 4 < 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR,
                            n % 2,
                            SPL_OPTIONS_INIT,
                            testing_scalars(scalars),
                            n % 3 == 0};
            run.options.method = n / 5 < count ? ids[n / 5] : NULL;
            testing_case("%s, %s, scalars %d, form %d", run.options.method, names[n % 5], scalars,
                         (n + scalars) % ZOO_FORMS);
            spl_status status = run_spmm(context, &run);
            EXPECT(status == SPL_OK || (status == SPL_UNSUPPORTED && run.options.method));
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* A plan is for a number of columns; orders and leading dimensions may change from execute to
 * execute. */
static void one_plan_takes_any_layout(void **state)
{
    (void)state;
    enum { COLUMNS = 5 };
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("wide_10x48"), zoo_form_number(1), 1);
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmm_plan(context, &a.view, COLUMNS, NULL, &plan));
    double first[10][COLUMNS];
    for (int n = 0; n < 8; n++) {
        test_dense b =
            test_dense_new(48, COLUMNS, SPL_F64, n % 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR, n);
        test_dense c = test_dense_new(10, COLUMNS, SPL_F64,
                                      n / 2 % 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR, 2 * n);
        test_dense_fill(&b, ZOO_INTEGERS, 8);
        EXPECT_OK(spl_spmm_execute(plan, NULL, &b.view, NULL, &c.view, NULL));
        double error = 0;
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < COLUMNS; j++) {
                double v = test_dense_at(&c, i, j);
                first[i][j] = n == 0 ? v : first[i][j];
                double difference = v > first[i][j] ? v - first[i][j] : first[i][j] - v;
                error = difference > error ? difference : error;
            }
        EXPECT(error < 1e-13);
        EXPECT(test_dense_padding_intact(&c));
        test_dense_free(&b);
        test_dense_free(&c);
    }
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_zero_reads_nothing),
        cmocka_unit_test(b_is_not_read_beyond_its_end),
        cmocka_unit_test(alpha_need_not_be_finite),
        cmocka_unit_test(one_plan_takes_any_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
