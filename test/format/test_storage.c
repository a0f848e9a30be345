/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution function and storage formulas of [S2], with its worked examples, to the byte. */
#include "format/storage.h"
#include "lib/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix whose row i has lengths[i] entries, in columns 0, 1, ... */
static void make_rows(zoo_matrix *a, const int64_t *lengths, int64_t rows, int64_t cols,
                      zoo_form form)
{
    zoo_triples t;
    zoo_triples_start(&t, rows, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < lengths[i]; j++)
            zoo_triples_add(&t, i, j, 1);
    zoo_build(a, &t, form);
    zoo_triples_free(&t);
}

static const int64_t example_1[] = {2, 2, 3, 2}, example_2[] = {2, 3, 1, 2, 7, 1, 3, 4, 6, 2};

/* [S2], example 1: 4 x 4, 9 entries, the longest row has 3. */
static void bytes_of_example_1(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    zoo_matrix a;
    spl_storage s = SPL_STORAGE_INIT;
    make_rows(&a, example_1, 4, 4, zoo_form_number(0));
    EXPECT_OK(spl_measure_storage(context, &a.view, &s));
    EXPECT(s.coo == 9 * (8 + 2 * 4));
    EXPECT(s.csr == 9 * (8 + 4) + 5 * 4);
    EXPECT(s.ell == 4 * 3 * (8 + 4));
    EXPECT(s.rvs == 9 * (8 + 4) + 4 * 4);
    EXPECT(s.sliced_ell == 3 * 16 * (8 + 4) + 16 * 4 + 3 * 8); /* one slice of 16 lanes */
    EXPECT(s.ell_density == 9.0 / 12 && s.rvs_density == 1 && s.sliced_ell_density == 9.0 / 48);
    EXPECT(fabs(s.ell_compute_density - 9.0 / ((2 * 12 + 2 * 4) * 8)) < 1e-15);
    EXPECT(fabs(s.rvs_compute_density - 9.0 / ((2 * 9 + 2 * 4) * 8)) < 1e-15);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* [S2], example 2: b_1=2, b_2=3, b_3=2, b_4=1, b_6=1, b_7=1; plain ELL has density 31/70, the six
 * sets have 1. */
static void example_2_in_every_form(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 2, 3, 4, 6, 7}, counts[] = {2, 3, 2, 1, 1, 1};
    spl_context *context = testing_context(1);
    for (int form = 0; form < ZOO_FORMS; form++) {
        zoo_matrix a;
        spl_storage s = SPL_STORAGE_INIT;
        int64_t got[8], got_counts[8], count = -1;
        make_rows(&a, example_2, 10, 10, zoo_form_number(form));
        size_t value = zoo_type_bytes(a.view.type), index = zoo_index_bytes(a.view.index_type);
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        EXPECT_OK(spl_distribution(context, &a.view, 0, NULL, NULL, &count));
        EXPECT(count == 6);
        EXPECT_OK(spl_distribution(context, &a.view, 8, got, got_counts, &count));
        EXPECT(count == 6 && memcmp(got, lengths, sizeof lengths) == 0 &&
               memcmp(got_counts, counts, sizeof counts) == 0);
        EXPECT_OK(spl_measure_storage(context, &a.view, &s));
        EXPECT(s.size == sizeof s && s.ell_density == 31.0 / 70 && s.rvs_density == 1);
        EXPECT(s.coo == 31 * (value + 2 * index) && s.ell == 70 * (value + index));
        EXPECT(s.rvs == 31 * (value + index) + 10 * index);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* Fewer positions than lengths: the first ones are written, the full number is told. Empty rows
 * count as length 0. */
static void distribution_is_cut(void **state)
{
    (void)state;
    static const int64_t rows[] = {0, 5, 0, 5, 1};
    spl_context *context = testing_context(1);
    zoo_matrix a;
    int64_t lengths[3] = {-7, -7, -7}, counts[3] = {-7, -7, -7}, count;
    make_rows(&a, rows, 5, 9, zoo_form_number(0));
    EXPECT_OK(spl_distribution(context, &a.view, 2, lengths, counts, &count));
    EXPECT(count == 3 && lengths[0] == 0 && counts[0] == 2 && lengths[1] == 1 && counts[1] == 1);
    EXPECT(lengths[2] == -7 && counts[2] == -7);
    spl_storage s = SPL_STORAGE_INIT;
    EXPECT_OK(spl_measure_storage(context, &a.view, &s));
    EXPECT(s.rvs == 11 * 12 + 3 * 4); /* empty rows are in no set */
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

static void matrices_without_entries(void **state)
{
    (void)state;
    static const int64_t none[3] = {0, 0, 0};
    spl_context *context = testing_context(1);
    for (int64_t rows = 0; rows <= 3; rows += 3) {
        zoo_matrix a;
        int64_t lengths[1], counts[1], count;
        spl_storage s = SPL_STORAGE_INIT;
        make_rows(&a, none, rows, 2, zoo_form_number(0));
        testing_case("%lld rows", (long long)rows);
        EXPECT_OK(spl_distribution(context, &a.view, 1, lengths, counts, &count));
        EXPECT(count == (rows > 0) && (rows == 0 || (lengths[0] == 0 && counts[0] == 3)));
        EXPECT_OK(spl_measure_storage(context, &a.view, &s));
        EXPECT(s.coo == 0 && s.ell == 0 && s.rvs == 0 && s.csr == (size_t)(rows + 1) * 4);
        EXPECT(s.ell_density == 0 && s.rvs_density == 0 && s.ell_compute_density == 0);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static void formulas_saturate(void **state)
{
    (void)state;
    const int64_t many = (int64_t)1 << 40, lengths[] = {many}, counts[] = {many};
    EXPECT(spl__bytes_ell(many, many, 8, 4) == SIZE_MAX);
    EXPECT(spl__bytes_rvs(lengths, counts, 1, 8, 4) == SIZE_MAX);
    EXPECT(spl__bytes_coo(INT64_MAX, 8, 8) == SIZE_MAX &&
           spl__bytes_csr(1, INT64_MAX, 8, 8, 8) == SIZE_MAX);
}

static void wrong_arguments(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    zoo_matrix a;
    int64_t one, count;
    spl_storage s = SPL_STORAGE_INIT;
    make_rows(&a, example_1, 4, 4, zoo_form_number(0));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_distribution(NULL, &a.view, 0, NULL, NULL, &count));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_distribution(context, NULL, 0, NULL, NULL, &count));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_distribution(context, &a.view, 0, NULL, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_distribution(context, &a.view, 1, NULL, &one, &count));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_distribution(context, &a.view, 1, &one, NULL, &count));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_measure_storage(NULL, &a.view, &s));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_measure_storage(context, NULL, &s));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_measure_storage(context, &a.view, NULL));
    ((int32_t *)a.indices)[3] = 4;
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_measure_storage(context, &a.view, &s));
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_example_1),  cmocka_unit_test(example_2_in_every_form),
        cmocka_unit_test(distribution_is_cut), cmocka_unit_test(matrices_without_entries),
        cmocka_unit_test(formulas_saturate),   cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
