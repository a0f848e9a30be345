/* SPDX-License-Identifier: Apache-2.0 */
/* What SpMV must not read, and what it must keep. */
#include "lib/closed_pages.h"
#include "lib/run_products.h"

#include <math.h>
#include <stdlib.h>

static zoo_matrix make(const char *name, int form)
{
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find(name), zoo_form_number(form), testing_seed());
    return a;
}

static size_t value_bytes(const zoo_matrix *a)
{
    return (size_t)a->view.nnz * zoo_type_bytes(a->view.type);
}

/* With alpha = 0 the values of A and x lie in unreadable pages. */
static void expect_nothing_read(spl_context *context, int form, spl_operator op)
{
    zoo_matrix a = make("unsorted_24x19", form);
    closed_pages values = closed_pages_copy(a.values, value_bytes(&a));
    int64_t m = op_rows(&a.view, op), n = op_cols(&a.view, op);
    double *ones = zoo_allocate((size_t)n * sizeof *ones);
    for (int64_t j = 0; j < n; j++)
        ones[j] = 1;
    closed_pages x = closed_pages_copy(ones, (size_t)n * sizeof *ones);
    test_dense y = test_dense_new(m, 1, SPL_F64, SPL_COLUMN_MAJOR, 0);
    test_dense_fill(&y, ZOO_INTEGERS, 3);
    test_dense before = test_dense_copy(&y);
    spl_sparse view = a.view;
    view.values = values.data;
    spl_options options = SPL_OPTIONS_INIT;
    options.op_a = op;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(context, &view, &options, &plan));
    closed_pages_close(&values);
    closed_pages_close(&x);
    const double zero = 0, half = 0.5;
    EXPECT_OK(spl_spmv_execute(plan, &zero, x.data, &half, y.view.values, NULL));
    for (int64_t i = 0; i < m; i++)
        EXPECT(test_dense_at(&y, i, 0) == 0.5 * test_dense_at(&before, i, 0));
    spl_plan_destroy(plan);
    closed_pages_free(&values);
    closed_pages_free(&x);
    test_dense_free(&y);
    test_dense_free(&before);
    free(ones);
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

static void alpha_zero_ignores_nan(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form++) {
        zoo_triples triples;
        zoo_matrix a;
        zoo_make(&triples, zoo_find("uniform_40"), 1);
        zoo_triples_fill(&triples, ZOO_NAN, 1);
        zoo_build(&a, &triples, zoo_form_number(form));
        for (int one_shot = 0; one_shot < 2; one_shot++) {
            spmv_run run = {&a.view, SPL_OPTIONS_INIT, testing_scalars_of(0, 0.5), one_shot};
            testing_case("%s, one-shot %d", zoo_form_name(zoo_form_number(form)), one_shot);
            EXPECT_OK(run_spmv(context, &run));
            run.scalars = testing_scalars_of(0, 0);
            EXPECT_OK(run_spmv(context, &run));
        }
        zoo_matrix_free(&a);
        zoo_triples_free(&triples);
    }
    spl_context_destroy(context);
}

/* x ends where its page ends: no byte after it may be read, not even by a vector load. */
static void x_is_not_read_beyond_its_end(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int m = 0; m < zoo_tiny_count; m++) {
        zoo_matrix a;
        zoo_matrix_make(&a, &zoo_tiny[m], zoo_form_number(0), 1);
        size_t bytes = (size_t)a.view.cols * sizeof(double);
        double *zeros = calloc((size_t)a.view.cols + 1, sizeof *zeros);
        closed_pages x = closed_pages_copy(zeros, bytes),
                     values = closed_pages_copy(a.values, value_bytes(&a));
        test_dense y = test_dense_new(a.view.rows, 1, SPL_F64, SPL_COLUMN_MAJOR, 0);
        spl_sparse view = a.view;
        view.values = values.data;
        testing_case("%s", zoo_tiny[m].name);
        EXPECT_OK(spl_spmv(context, NULL, &view, x.data, NULL, y.view.values, NULL));
        EXPECT(guarded_intact(&y.memory));
        closed_pages_free(&x);
        closed_pages_free(&values);
        test_dense_free(&y);
        free(zeros);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* NaN and Inf times a stored zero is NaN; times a zero that is not stored is nothing. */
static void structural_zeros_annihilate(void **state)
{
    (void)state;
    const int32_t offsets[] = {0, 1, 2, 2}, columns[] = {1, 0};
    const double values[] = {0, 3}, x[] = {2, NAN, INFINITY};
    double y[] = {7, 7, 7};
    spl_sparse a = zoo_csr(SPL_F64, 3, 3, offsets, columns, values);
    spl_context *context = testing_context(1);
    const double half = 0.5;
    EXPECT_OK(spl_spmv(context, NULL, &a, x, &half, y, NULL));
    EXPECT(isnan(y[0]));
    EXPECT(y[1] == 9.5);
    EXPECT(y[2] == 3.5); /* an empty row still gets beta*y */
    spl_context_destroy(context);
}

/* Rows without entries are beta times what they were, whatever alpha is; others are Inf or NaN
 * where it is. By every method, by rows and by columns. */
static void alpha_need_not_be_finite(void **state)
{
    (void)state;
    static const char *const names[] = {"half_empty_30",   "empty_7x4", "hypersparse_45",
                                        "dense_column_11", "zeros_22",  "box2d_d2"};
    const char *ids[32];
    const int count = testing_methods("spmv/compute", ids, 32);
    spl_context *context = testing_context(2);
    for (int n = 0; n < 6 * (count + 1); n++)
        for (int scalars = 25; scalars < TEST_SCALARS; scalars++) {
            zoo_matrix a = make(names[n % 6], (n + scalars) % ZOO_FORMS);
            spmv_run run = {&a.view, SPL_OPTIONS_INIT, testing_scalars(scalars), n % 2};
            run.options.method = n / 6 < count ? ids[n / 6] : NULL;
            run.options.op_a = scalars % 2 ? SPL_TRANSPOSE : SPL_NONE;
            testing_case("%s, %s, scalars %d, form %d", run.options.method, names[n % 6], scalars,
                         (n + scalars) % ZOO_FORMS);
            spl_status status = run_spmv(context, &run);
            EXPECT(status == SPL_OK || (status == SPL_UNSUPPORTED && run.options.method));
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

static void arrays_without_elements_may_be_null(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    const int64_t zero_offsets[] = {0, 0, 0, 0};
    spl_sparse a = SPL_SPARSE_INIT;
    a.format = SPL_CSR;
    a.type = SPL_F64;
    a.offset_type = a.index_type = SPL_I64;
    a.rows = 3;
    a.offsets = zero_offsets;
    double y[] = {NAN, NAN, NAN};
    EXPECT_OK(spl_spmv(context, NULL, &a, NULL, NULL, y, NULL));
    EXPECT(y[0] == 0 && y[1] == 0 && y[2] == 0);
    a.format = SPL_COO;
    a.offsets = NULL;
    a.rows = 0;
    a.cols = 4;
    EXPECT_OK(spl_spmv(context, NULL, &a, zero_offsets, NULL, NULL, NULL));
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_zero_reads_nothing),
        cmocka_unit_test(alpha_zero_ignores_nan),
        cmocka_unit_test(x_is_not_read_beyond_its_end),
        cmocka_unit_test(structural_zeros_annihilate),
        cmocka_unit_test(alpha_need_not_be_finite),
        cmocka_unit_test(arrays_without_elements_may_be_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
