/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of masked products: memory, new values, and what is refused. Results over all semirings:
 * test_spgemm_masks.c. */
#include "lib/run_products.h"
#include "sparloom/algebra.h"

#include <string.h>

/* A column times a row has 4,000,000 entries; the mask leaves 2,000, which fit a budget of 1 MB. */
static void memory_follows_the_mask(void **state)
{
    enum { N = 2000, BUDGET = 1000000 };
    const zoo_maker column = {"column", zoo_dense, {N, 1}, false},
                    row = {"row", zoo_dense, {1, N}, false},
                    diagonal = {"diagonal", zoo_diagonal, {N}, false};
    spl_context *context = testing_context(2);
    zoo_matrix a, b, mask;
    spl_options options = SPL_OPTIONS_INIT;
    (void)state;
    zoo_matrix_make(&a, &column, zoo_form_number(0), 1);
    zoo_matrix_make(&b, &row, zoo_form_number(0), 2);
    zoo_matrix_make(&mask, &diagonal, zoo_form_number(0), 3);
    options.memory_budget = BUDGET;
    spl_matrix *c = NULL;
    EXPECT_STATUS(SPL_OVER_BUDGET,
                  spl_spgemm(context, NULL, &a.view, &b.view, NULL, NULL, &options, &c));
    options.mask = &mask.view;
    for (int full = 0; full < 2; full++) {
        spl_sparse view = SPL_SPARSE_INIT;
        options.mask_pattern = full;
        EXPECT_OK(spl_spgemm(context, NULL, &a.view, &b.view, NULL, NULL, &options, &c));
        EXPECT_OK(spl_matrix_view(c, &view));
        EXPECT(view.nnz == N);
        spl_matrix_destroy(c);
    }
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    zoo_matrix_free(&mask);
    spl_context_destroy(context);
}

/* New values reach methods that keep copies of them. */
static void new_values(void **state)
{
    static const char *const methods[] = {"spgemm/numeric/cpu/masked_rows",
                                          "spgemm/numeric/cpu/dots"};
    const zoo_maker maker = {"uniform", zoo_uniform, {30, 30, 5}, false};
    (void)state;
    for (int n = 0; n < 8; n++) {
        zoo_matrix a, b;
        spl_context *context = testing_context(2);
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        double before[900], after[900];
        zoo_matrix_make(&a, &maker, zoo_form_number(n / 2 % 2), testing_seed());
        zoo_matrix_make(&b, &maker, zoo_form_number(n / 4), testing_seed() + 1);
        options.mask = &a.view;
        options.mask_pattern = SPL_MASK_FULL;
        options.method = methods[n % 2];
        testing_case("%s, form %d", methods[n % 2], n / 2 % 2);
        EXPECT_OK(spl_spgemm_plan(context, &a.view, &b.view, NULL, &options, &plan));
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, before, NULL));
        zoo_matrix moved; /* the old arrays are freed */
        zoo_matrix_make(&moved, &maker, zoo_form_number(n / 4), testing_seed() + 1);
        for (int64_t e = 0; e < b.view.nnz; e++)
            ((double *)moved.values)[e] *= -2;
        memset(b.indices, 0xff, (size_t)b.view.nnz * sizeof(int32_t));
        EXPECT_OK(spl_plan_update_values(plan, NULL, &moved.view, NULL, NULL));
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, after, NULL));
        for (int64_t e = 0; e < a.view.nnz; e++)
            EXPECT(after[e] == -2 * before[e]);
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
        zoo_matrix_free(&moved);
        spl_context_destroy(context);
    }
}

static void refusals(void **state)
{
    const zoo_maker square = {"square", zoo_diagonal, {4}, false},
                    other = {"other", zoo_dense, {4, 5}, false};
    spl_context *context = testing_context(1);
    zoo_matrix a, wrong;
    spl_options options = SPL_OPTIONS_INIT, semiring = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    const double two = 2;
    double x[4] = {0}, y[4] = {0};
    (void)state;
    zoo_matrix_make(&a, &square, zoo_form_number(0), 1);
    zoo_matrix_make(&wrong, &other, zoo_form_number(0), 1);
    const spl_sparse *v = &a.view;
    spl_sparse bad = a.view, pattern = a.view;
    options.mask = v;
    semiring.semiring = SPL_MIN_PLUS;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv(context, NULL, v, x, NULL, y, &options));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmm_plan(context, v, 3, &options, &plan));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spgemm(context, NULL, v, v, &two, v, &semiring, &c));
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spgemm(context, &two, v, v, NULL, NULL, &semiring, &c));
    pattern.values = NULL;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_plan(context, &pattern, v, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spgemm_plan(context, &pattern, v, NULL, &semiring, &plan));
    options.mask_complement = options.mask_pattern = 1;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_plan(context, v, v, NULL, &options, &plan));
    options.mask_complement = options.mask_pattern = 0;
    options.mask = &wrong.view;
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_spgemm_plan(context, v, v, NULL, &options, &plan));
    bad.indices = NULL;
    options.mask = &bad;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_plan(context, v, v, NULL, &options, &plan));
    bad = a.view;
    bad.cols = 3; /* column 3 is too large */
    bad.rows = 4;
    options.mask = &bad;
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_spgemm_plan(context, v, v, NULL, &options, &plan));
    EXPECT(!plan && !c);
    zoo_matrix_free(&a);
    zoo_matrix_free(&wrong);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_follows_the_mask),
        cmocka_unit_test(new_values),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
