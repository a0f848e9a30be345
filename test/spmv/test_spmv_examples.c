/* SPDX-License-Identifier: Apache-2.0 */
/* Worked examples and exact cases of SpMV. Source: [S2], example 1, whose CSR arrays are offsets 0
 * 2 4 7 9, columns 0 1 1 2 0 2 3 1 2. */
#include "lib/formats.h"
#include "lib/run_products.h"

#include <math.h>
#include <stdlib.h>

static void expect_y(spl_operator op, const double *alpha, const double *x, const double *beta,
                     const double *before, const double *expected)
{
    spl_context *context = testing_context(2);
    spl_options options = SPL_OPTIONS_INIT;
    spl_sparse a = test_formats_example();
    options.op_a = op;
    double y[4], storage[4];
    for (int i = 0; i < 4; i++)
        y[i] = storage[i] = before ? before[i] : NAN;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(context, &a, &options, &plan));
    EXPECT_OK(spl_spmv_execute(plan, alpha, x, beta, y, NULL));
    EXPECT_OK(spl_spmv(context, alpha, &a, x, beta, storage, &options));
    for (int i = 0; i < 4; i++) {
        testing_case("op %d, element %d is %g and %g, expected %g", op, i, y[i], storage[i],
                     expected[i]);
        EXPECT(y[i] == expected[i] && storage[i] == expected[i]);
    }
    spl_plan_destroy(plan);
    spl_context_destroy(context);
}

static void example_1(void **state)
{
    (void)state;
    expect_y(SPL_NONE, NULL, (const double[]){1, 2, 3, 4}, NULL, NULL,
             (const double[]){15, 28, 50, 24});
}

static void example_1_transposed(void **state)
{
    (void)state;
    expect_y(SPL_TRANSPOSE, NULL, (const double[]){1, 2, 3, 4}, NULL, NULL,
             (const double[]){16, 35, 41, 27});
}

static void example_1_with_scalars(void **state)
{
    (void)state;
    const double alpha = 2, beta = -3;
    expect_y(SPL_NONE, &alpha, (const double[]){1, 2, 3, 4}, &beta, (const double[]){1, 0, -1, 10},
             (const double[]){27, 56, 103, 18});
    expect_y(SPL_CONJUGATE_TRANSPOSE, &alpha, (const double[]){1, 2, 3, 4}, &beta,
             (const double[]){1, 0, -1, 10}, (const double[]){29, 70, 85, 24});
}

/* Sums of small integers have no rounding: every method must be exact. */
static void integers_are_exact(void **state)
{
    (void)state;
    spl_context *context = testing_context(3);
    for (int m = 0; m < zoo_tiny_count; m++) {
        zoo_triples triples;
        zoo_matrix a;
        zoo_make(&triples, &zoo_tiny[m], testing_seed());
        zoo_triples_fill(&triples, ZOO_INTEGERS, testing_seed() + 5);
        zoo_build(&a, &triples, zoo_form_number(9 + m % 9));
        test_dense x = test_dense_new(a.view.cols, 1, SPL_F32, SPL_COLUMN_MAJOR, 0);
        test_dense y = test_dense_new(a.view.rows, 1, SPL_F32, SPL_COLUMN_MAJOR, 0);
        test_dense_fill(&x, ZOO_INTEGERS, testing_seed() + 6);
        oracle_sum *sums = zoo_allocate((size_t)a.view.rows * sizeof *sums);
        oracle_spmv(sums, &a.view, SPL_NONE, 1, x.view.values, 0, NULL);
        EXPECT_OK(spl_spmv(context, NULL, &a.view, x.view.values, NULL, y.view.values, NULL));
        for (int64_t i = 0; i < a.view.rows; i++) {
            testing_case("%s, row %lld", zoo_tiny[m].name, (long long)i);
            EXPECT((long double)test_dense_at(&y, i, 0) == sums[i].value);
        }
        free(sums);
        test_dense_free(&x);
        test_dense_free(&y);
        zoo_matrix_free(&a);
        zoo_triples_free(&triples);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_1),
        cmocka_unit_test(example_1_transposed),
        cmocka_unit_test(example_1_with_scalars),
        cmocka_unit_test(integers_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
