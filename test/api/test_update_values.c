/* SPDX-License-Identifier: Apache-2.0 */
/* New values for an old structure: other contents, other pointers, for operands read in place and
 * for copied ones. */
#include "lib/run_products.h"

#include <stdlib.h>
#include <string.h>

static zoo_matrix make(const char *name, int form)
{
    zoo_matrix matrix;
    zoo_matrix_make(&matrix, zoo_find(name), zoo_form_number(form), testing_seed());
    return matrix;
}

/* Overwrites the values of the matrix. */
static void renew(zoo_matrix *matrix, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    for (int64_t e = 0; e < matrix->view.nnz; e++)
        zoo_value_set(matrix->values, matrix->view.type, e, zoo_random_unit(&random));
}

/* Puts other values in a new array. */
static void renew_elsewhere(zoo_matrix *matrix, uint64_t seed)
{
    void *old = matrix->values;
    matrix->values = zoo_allocate((size_t)matrix->view.nnz * zoo_type_bytes(matrix->view.type));
    renew(matrix, seed);
    matrix->view.values = matrix->values;
    free(old);
}

static void change(zoo_matrix *matrix, int round)
{
    if (round % 2)
        renew(matrix, (uint64_t)round);
    else
        renew_elsewhere(matrix, (uint64_t)round);
}

static int64_t allocations_of(const spl_plan *plan)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    return counters.allocations;
}

static void expect_y(spl_plan *plan, const zoo_matrix *a, spl_operator op)
{
    int64_t m = op_rows(&a->view, op);
    test_dense x = test_dense_new(op_cols(&a->view, op), 1, a->view.type, SPL_COLUMN_MAJOR, 0);
    test_dense y = test_dense_new(m, 1, a->view.type, SPL_COLUMN_MAJOR, 0);
    oracle_sum *sums = zoo_allocate((size_t)m * sizeof *sums);
    test_dense_fill(&x, ZOO_REAL, 77);
    EXPECT_OK(spl_spmv_execute(plan, NULL, x.view.values, NULL, y.view.values, NULL));
    oracle_spmv(sums, &a->view, op, 1, x.view.values, 0, NULL);
    for (int64_t i = 0; i < m; i++)
        EXPECT(oracle_accepts(&sums[i], test_dense_at(&y, i, 0), a->view.type));
    free(sums);
    test_dense_free(&x);
    test_dense_free(&y);
}

static void spmv(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form++)
        for (spl_operator op = SPL_NONE; op <= SPL_TRANSPOSE; op++) {
            zoo_matrix a = make("unsorted_24x19", form);
            spl_options options = SPL_OPTIONS_INIT;
            options.op_a = op;
            spl_plan *plan = NULL;
            EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
            int64_t allocations = allocations_of(plan);
            for (int round = 0; round < 4; round++) {
                testing_case("%s, op %d, round %d", zoo_form_name(zoo_form_number(form)), op,
                             round);
                expect_y(plan, &a, op);
                change(&a, round);
                EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
            }
            expect_y(plan, &a, op);
            EXPECT(allocations_of(plan) == allocations);
            spl_plan_destroy(plan);
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

static void expect_columns(spl_plan *plan, const zoo_matrix *a)
{
    enum { COLUMNS = 3 };
    spl_check check = SPL_CHECK_INIT;
    test_dense b = test_dense_new(a->view.cols, COLUMNS, a->view.type, SPL_ROW_MAJOR, 0);
    test_dense c = test_dense_new(a->view.rows, COLUMNS, a->view.type, SPL_ROW_MAJOR, 0);
    test_dense_fill(&b, ZOO_REAL, 78);
    EXPECT_OK(spl_spmm_execute(plan, NULL, &b.view, NULL, &c.view, NULL));
    EXPECT_OK(spl_check_spmm(NULL, &a->view, &b.view, NULL, NULL, &c.view, NULL, &check));
    EXPECT(check.ok && check.compared == a->view.rows * COLUMNS);
    test_dense_free(&b);
    test_dense_free(&c);
}

static void spmm(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form++) {
        zoo_matrix a = make("duplicates_12", form);
        spl_plan *plan = NULL;
        EXPECT_OK(spl_spmm_plan(context, &a.view, 3, NULL, &plan));
        for (int round = 0; round < 3; round++) {
            testing_case("%s, round %d", zoo_form_name(zoo_form_number(form)), round);
            change(&a, round);
            EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
            expect_columns(plan, &a);
        }
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* Rounds announce A, B, D, pairs of them, all. */
static void spgemm_rounds(spl_context *context, spgemm_run *run, zoo_matrix *m)
{
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(context, run->a, run->b, run->d, &run->options, &plan));
    int64_t allocations = allocations_of(plan);
    bool bound = plan_has_bound(plan);
    for (int which = 0; which < 8; which++) {
        test_product c;
        for (int k = 0; k < 3; k++)
            if (which >> k & 1)
                change(&m[k], which + k);
        EXPECT_OK(spl_plan_update_values(plan, which & 1 ? &m[0].view : NULL,
                                         which & 2 ? &m[1].view : NULL,
                                         which & 4 ? &m[2].view : NULL, NULL));
        EXPECT(allocations_of(plan) == allocations);
        EXPECT_OK(execute_spgemm(plan, bound, run, &c));
        expect_spgemm(run, &c.view);
        test_product_free(&c);
    }
    spl_plan_destroy(plan);
}

static void spgemm(void **state)
{
    (void)state;
    const char *const methods[] = {NULL, testing_method("spgemm/symbolic/", "upper_bound")};
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form++)
        for (int ops = 0; ops < 8; ops++) {
            zoo_matrix m[3] = {make("duplicates_12", form),
                               make("duplicates_12", (form / 9) * 9 + (form + 4) % 9),
                               make("duplicates_12", (form / 9) * 9 + (form + 7) % 9)};
            spgemm_run run = {
                &m[0].view, &m[1].view, &m[2].view, SPL_OPTIONS_INIT, testing_scalars_of(2, 3),
                false};
            run.options.op_a = ops & 1 ? SPL_TRANSPOSE : SPL_NONE;
            run.options.op_b = ops & 2 ? SPL_TRANSPOSE : SPL_NONE;
            run.options.method = methods[ops >> 2];
            run.options.processors = testing_processors("spgemm/");
            testing_case("%s, ops %d", zoo_form_name(zoo_form_number(form)), ops);
            spgemm_rounds(context, &run, m);
            for (int k = 0; k < 3; k++)
                zoo_matrix_free(&m[k]);
        }
    spl_context_destroy(context);
}

/* Operands that do not fit the plan are refused, and the plan keeps its values. */
static void other_structures_are_refused(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a = make("uniform_40", 1), other = make("box2d_d2", 1),
               narrow = make("uniform_40", 10);
    zoo_matrix format = make("uniform_40", 0);
    spl_plan *plan = NULL;
    testing_case("refused updates");
    EXPECT_OK(spl_spmv_plan(context, &a.view, NULL, &plan));
    const zoo_matrix *wrong[] = {&other, &narrow, &format};
    static const char *const said[] = {"entries, in the plan", "another format, type, place or",
                                       "another format, type, place or"};
    for (int w = 0; w < 3; w++) {
        EXPECT(spl_plan_update_values(plan, &wrong[w]->view, NULL, NULL, NULL) != SPL_OK);
        EXPECT(strstr(spl_error_detail(), said[w]) != NULL);
    }
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_update_values(NULL, &a.view, NULL, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_update_values(plan, &a.view, &a.view, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_update_values(plan, &a.view, NULL, &a.view, NULL));
    EXPECT(strcmp(spl_error_detail(), "D is given, but the plan has none") == 0);
    spl_sparse without = a.view;
    without.values = NULL;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_update_values(plan, &without, NULL, NULL, NULL));
    EXPECT_OK(spl_plan_update_values(plan, NULL, NULL, NULL, NULL));
    expect_y(plan, &a, SPL_NONE);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    zoo_matrix_free(&other);
    zoo_matrix_free(&narrow);
    zoo_matrix_free(&format);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmv),
        cmocka_unit_test(spmm),
        cmocka_unit_test(spgemm),
        cmocka_unit_test(other_structures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
