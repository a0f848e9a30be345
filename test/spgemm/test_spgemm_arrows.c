/* SPDX-License-Identifier: Apache-2.0 */
/* Arrows: one row of A has many entries, which meet short rows of B, among rows of two, of which
 * one meets a long row; all rows of C are full. Teams of a device have parts of the width that the
 * other rows ask for. */
#include "lib/run_products.h"

#include <string.h>

/* The first row, the first column, and a band. */
static void make(zoo_matrix *a, int64_t n, int64_t band)
{
    zoo_triples triples;
    zoo_triples_start(&triples, n, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (i == 0 || j == 0 || (j >= i && j <= i + band))
                zoo_triples_add(&triples, i, j, (double)(1 + (3 * i + 5 * j) % 7));
    zoo_build(a, &triples, zoo_form_number(0));
    zoo_triples_free(&triples);
}

static void products_of_arrows(void **state)
{
    (void)state;
    enum { N = 301, BANDS = 3 };
    static const int64_t bands[BANDS] = {0, 5, 13};
    static const char *const methods[] = {
        NULL,
        "spgemm/symbolic/gpu/bitmap",
        "spgemm/symbolic/gpu/hybrid",
        "spgemm/symbolic/gpu/hash",
        "spgemm/symbolic/gpu/hash_compressed",
        "spgemm/numeric/gpu/hash_chained",
        "spgemm/numeric/gpu/hash",
        "spgemm/numeric/gpu/hybrid",
    };
    spl_context *context = testing_context(2);
    for (int k = 0; k < BANDS; k++) {
        zoo_matrix a;
        make(&a, N, bands[k]);
        for (size_t m = 0; m < (testing_device() ? sizeof methods / sizeof *methods : 1); m++) {
            spgemm_run run = {&a.view, &a.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                              false};
            run.options.method = methods[m];
            testing_case("band %lld, %s", (long long)bands[k], methods[m] ? methods[m] : "chosen");
            EXPECT_OK(run_spgemm(context, &run));
        }
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* Several warps add to one sum of a long row one after the other, which costs tables of any kind
 * more than the products themselves. */
static void long_rows_are_not_hashed(void **state)
{
    (void)state;
    static const zoo_maker maker = {"rows of 60", zoo_uniform, {1200, 1200, 60}, false};
    spl_context *context = testing_context(2);
    zoo_matrix a;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), 1);
    for (int64_t executions = 1; testing_device() && executions <= 100; executions *= 100) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_step step = SPL_STEP_INIT;
        spl_plan *plan = NULL;
        options.executions = executions;
        EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
        EXPECT_OK(spl_plan_step(plan, spl_plan_step_count(plan) - 1, &step));
        testing_case("%lld executions: %s", (long long)executions, step.method);
        EXPECT(strncmp(step.method, "spgemm/numeric/gpu/", 19) == 0 &&
               !strstr(step.method, "hash"));
        spl_plan_destroy(plan);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_arrows),
        cmocka_unit_test(long_rows_are_not_hashed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
