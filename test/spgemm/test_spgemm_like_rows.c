/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM of rows that are like others: shifted by one, or of the columns of many. The CPU finds
 * what they have in common; devices compute them as they do all rows. */
#include "lib/run_products.h"

static const char hybrid[] = "spgemm/symbolic/gpu/hybrid,spgemm/numeric/gpu/hybrid";

/* A grid of nx * ny * nz nodes, each with its neighbours; entry e of row i is missing, or
 * elsewhere, where a draw says so. */
static void make_grid(zoo_matrix *m, const int64_t n[3], int64_t disturbed, zoo_form form)
{
    const int64_t rows = n[0] * n[1] * n[2],
                  apart[7] = {0, 1, -1, n[0], -n[0], n[0] * n[1], -n[0] * n[1]};
    zoo_random random;
    zoo_triples t;
    zoo_random_seed(&random, testing_seed());
    zoo_triples_start(&t, rows, rows);
    for (int64_t i = 0; i < rows; i++)
        for (int e = 0; e < 7; e++) {
            const bool other = zoo_random_below(&random, 1000) < disturbed;
            const int64_t j = other ? zoo_random_below(&random, rows) : i + apart[e];
            if (j >= 0 && j < rows && (!other || e % 2 == 0))
                zoo_triples_add(&t, i, j, 1 + (double)((i + e) % 9));
        }
    zoo_build(m, &t, form);
    zoo_triples_free(&t);
}

/* The product is right; on the CPU the number of threads does not change its bits. */
static void square_of_grid(const zoo_matrix *a)
{
    spgemm_run run = {&a->view, &a->view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(-1.5, 0),
                      false};
    test_product c[2];
    run.options.method = testing_device() ? hybrid : "spgemm/numeric/cpu/one_pass";
    for (int k = 0; k < (testing_device() ? 1 : 2); k++) {
        spl_context *context = testing_context(1 + 2 * k);
        EXPECT_OK(run_spgemm(context, &run));
        if (!testing_device())
            EXPECT_OK(compute_spgemm(context, &run, &c[k]));
        spl_context_destroy(context);
    }
    if (testing_device())
        return;
    EXPECT(test_products_identical(&c[0], &c[1]));
    test_product_free(&c[0]);
    test_product_free(&c[1]);
}

/* On a grid a row repeats the one before, shifted, but for its ends and where a row of A or one of
 * B is disturbed. Which thread has computed which row before is not seen in the result. */
static void rows_that_repeat_others_shifted(void **state)
{
    (void)state;
    static const int64_t sizes[][3] = {{60, 50, 1}, {17, 16, 15}, {2000, 1, 1}};
    const int step = testing_few() ? 2 : 1;
    for (int n = 0; n < 3; n++)
        for (int64_t disturbed = 0; disturbed < 20; disturbed += 9)
            for (int form = testing_first((int)disturbed + n, step); form < 2; form += step) {
                zoo_matrix a;
                make_grid(&a, sizes[n], disturbed, zoo_form_number(form));
                testing_case("grid %d, %lld of 1000 entries disturbed, %s", n, (long long)disturbed,
                             zoo_form_name(zoo_form_number(form)));
                square_of_grid(&a);
                zoo_matrix_free(&a);
            }
}

/* Rows of C with few columns for their products, as where unknowns are aggregated, among them rows
 * with more columns than can be listed. */
static void make_aggregates(zoo_matrix *a, zoo_matrix *b, int64_t entries_b, zoo_form form)
{
    enum { ROWS = 600, INNER = 500, FEW = 480, ENTRIES = 24, COLS = 9000, MANY = 150 };
    zoo_random random;
    zoo_triples t;
    zoo_random_seed(&random, testing_seed() + (uint64_t)entries_b);
    zoo_triples_start(&t, ROWS, INNER);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < ENTRIES; k++)
            zoo_triples_add(&t, i,
                            k % 2 == 0 && i % 50 == 13 ? FEW + k / 2 : (i / 4 + 11 * k) % FEW,
                            (double)(zoo_random_below(&random, 64) - 20) / 8);
    zoo_build(a, &t, form);
    zoo_triples_free(&t);
    zoo_triples_start(&t, INNER, COLS);
    for (int64_t k = 0; k < INNER; k++)
        for (int64_t n = 0; n < (k < FEW ? entries_b : MANY); n++)
            zoo_triples_add(&t, k,
                            k < FEW ? (k % 11 + 3 * n) % 15 : zoo_random_below(&random, COLS),
                            1 + (double)zoo_random_below(&random, 9));
    zoo_build(b, &t, form);
    zoo_triples_free(&t);
}

static void rows_of_few_columns_and_many_products(void **state)
{
    (void)state;
    static const char *const methods[] = {
        "spgemm/symbolic/cpu/upper_bound,spgemm/numeric/cpu/one_pass",
        "spgemm/numeric/cpu/one_pass"};
    for (int n = 0; n < 16; n++) {
        const int64_t entries_b = 1 + n % 2 * 3;
        spl_context *context = testing_context(1 + n / 8);
        zoo_matrix a, b;
        make_aggregates(&a, &b, entries_b, zoo_form_number(n));
        spgemm_run run = {&a.view,       &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                          n / 4 % 2 == 1};
        run.options.method = testing_device() ? hybrid : methods[n / 2 % 2];
        run.options.unsorted = n / 8;
        testing_case("%lld entries in a row of B, %s, %s", (long long)entries_b, run.options.method,
                     zoo_form_name(zoo_form_number(n)));
        EXPECT_OK(run_spgemm(context, &run));
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
        spl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_repeat_others_shifted),
        cmocka_unit_test(rows_of_few_columns_and_many_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
