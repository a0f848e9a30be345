/* SPDX-License-Identifier: Apache-2.0 */
/* The checks: right results pass, every planted fault is found and located. */
#include "lib/run_products.h"

#include <math.h>

static zoo_matrix make(int form)
{
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_40"), zoo_form_number(form), testing_seed());
    return a;
}

/* A change of one value that is well beyond / well within the error bound, relative. */
static double far_of(spl_type type)
{
    return type == SPL_F32 ? 1e-4 : 1e-12;
}

static spl_check check_y(const zoo_matrix *a, const test_dense *x, const test_dense *y)
{
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(
        spl_check_spmv(NULL, &a->view, x->view.values, NULL, NULL, y->view.values, NULL, &check));
    return check;
}

static void spmv_faults_are_found(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    for (int form = 0; form < ZOO_FORMS; form++) {
        zoo_matrix a = make(form);
        const double wrong[] = {NAN, INFINITY, -INFINITY, 1e30};
        test_dense x = test_dense_new(40, 1, a.view.type, SPL_COLUMN_MAJOR, 0);
        test_dense y = test_dense_new(40, 1, a.view.type, SPL_COLUMN_MAJOR, 0);
        test_dense_fill(&x, ZOO_REAL, 4);
        EXPECT_OK(spl_spmv(context, NULL, &a.view, x.view.values, NULL, y.view.values, NULL));
        spl_check check = check_y(&a, &x, &y);
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        EXPECT(check.ok == 1 && check.compared == 40 && check.failed == 0 &&
               check.worst_ratio <= 1);
        for (int row = 0; row < 40; row += 13)
            for (int w = 0; w < 5; w++) {
                double right = test_dense_at(&y, row, 0);
                test_dense_set(&y, row, 0,
                               w < 4 ? wrong[w]
                                     : right + (fabs(right) + 0.1) * far_of(a.view.type));
                check = check_y(&a, &x, &y);
                testing_case("form %d, row %d, fault %d: ratio %g", form, row, w,
                             check.worst_ratio);
                EXPECT(check.ok == 0 && check.failed == 1 && check.worst_row == row &&
                       !(check.worst_ratio <= 1));
                test_dense_set(&y, row, 0, right);
            }
        test_dense_free(&x);
        test_dense_free(&y);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static void beta_and_operator_count(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    zoo_matrix a = make(0);
    double x[40], y[40], before[40];
    for (int i = 0; i < 40; i++)
        x[i] = y[i] = before[i] = i + 1;
    const double alpha = 2, beta = 3, other = 2.5;
    EXPECT_OK(spl_spmv(context, &alpha, &a.view, x, &beta, y, NULL));
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_spmv(&alpha, &a.view, x, &beta, before, y, NULL, &check));
    EXPECT(check.ok == 1);
    EXPECT_OK(spl_check_spmv(&alpha, &a.view, x, &other, before, y, NULL, &check));
    EXPECT(check.ok == 0);
    EXPECT_OK(spl_check_spmv(&other, &a.view, x, &beta, before, y, NULL, &check));
    EXPECT(check.ok == 0);
    spl_options options = SPL_OPTIONS_INIT;
    options.op_a = SPL_TRANSPOSE;
    EXPECT_OK(spl_check_spmv(&alpha, &a.view, x, &beta, before, y, &options, &check));
    EXPECT(check.ok == 0);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

static void spmm_faults_are_found(void **state)
{
    (void)state;
    enum { COLUMNS = 5 };
    spl_context *context = testing_context(1);
    zoo_matrix a = make(2);
    test_dense b = test_dense_new(40, COLUMNS, SPL_F64, SPL_ROW_MAJOR, 1);
    test_dense c = test_dense_new(40, COLUMNS, SPL_F64, SPL_COLUMN_MAJOR, 2);
    test_dense_fill(&b, ZOO_REAL, 4);
    EXPECT_OK(spl_spmm(context, NULL, &a.view, &b.view, NULL, &c.view, NULL));
    for (int fault = 0; fault < 3; fault++) {
        spl_check check = SPL_CHECK_INIT;
        double right = test_dense_at(&c, 39, fault);
        test_dense_set(&c, 39, fault, fault == 0 ? NAN : fault == 1 ? right + 1e-9 : right - 1e30);
        EXPECT_OK(spl_check_spmm(NULL, &a.view, &b.view, NULL, NULL, &c.view, NULL, &check));
        testing_case("fault %d", fault);
        EXPECT(check.ok == 0 && check.compared == 40 * COLUMNS && check.failed == 1);
        EXPECT(check.worst_row == 39 && check.worst_col == fault);
        test_dense_set(&c, 39, fault, right);
        EXPECT_OK(spl_check_spmm(NULL, &a.view, &b.view, NULL, NULL, &c.view, NULL, &check));
        EXPECT(check.ok == 1 && check.failed == 0);
    }
    test_dense_free(&b);
    test_dense_free(&c);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

typedef struct square {
    zoo_matrix a;
    test_product c;
    int32_t *offsets, *columns;
    double *values;
    spgemm_run run;
} square;

static void make_square(square *s, spl_context *context)
{
    s->a = make(0);
    s->run = (spgemm_run){&s->a.view, &s->a.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                          false};
    EXPECT_OK(compute_spgemm(context, &s->run, &s->c));
    s->offsets = s->c.offsets.data;
    s->columns = s->c.indices.data;
    s->values = s->c.values.data;
}

static void free_square(square *s)
{
    test_product_free(&s->c);
    zoo_matrix_free(&s->a);
}

static spl_check check_c(const square *s)
{
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_spgemm(NULL, s->run.a, s->run.b, NULL, NULL, &s->c.view, &s->run.options,
                               &check));
    return check;
}

static void swap_first_two_of_row(square *s, int row)
{
    int32_t e = s->offsets[row], column = s->columns[e];
    double value = s->values[e];
    EXPECT(s->offsets[row + 1] - e >= 2);
    s->columns[e] = s->columns[e + 1];
    s->values[e] = s->values[e + 1];
    s->columns[e + 1] = column;
    s->values[e + 1] = value;
}

static void drop_last_entry(square *s)
{
    for (int row = 40; row > 0 && s->offsets[row] == s->c.view.nnz; row--)
        s->offsets[row]--;
    s->c.view.nnz--;
}

static void wrong_value(square *s)
{
    s->values[3] += 1e-9;
}
static void nan_value(square *s)
{
    s->values[s->c.view.nnz - 1] = NAN;
}
static void unsorted(square *s)
{
    swap_first_two_of_row(s, 7);
}
static void duplicate(square *s)
{
    s->columns[s->offsets[7] + 1] = s->columns[s->offsets[7]];
}
static void entry_moved_to_the_next_row(square *s)
{
    s->offsets[20]--;
}

static void spgemm_faults_are_found(void **state)
{
    (void)state;
    void (*const faults[])(square *) = {
        wrong_value, nan_value, unsorted, duplicate, entry_moved_to_the_next_row, drop_last_entry};
    spl_context *context = testing_context(1);
    for (int f = 0; f < 6; f++) {
        square s;
        make_square(&s, context);
        spl_check check = check_c(&s);
        testing_case("fault %d", f);
        EXPECT(check.ok == 1 && check.compared == s.c.view.nnz);
        faults[f](&s);
        check = check_c(&s);
        EXPECT(check.ok == 0);
        EXPECT(check.worst_row >= 0 && check.worst_row < 40);
        EXPECT(f < 2 || isinf(check.worst_ratio)); /* structural */
        if (f == 2) {
            s.run.options.unsorted = 1;
            check = check_c(&s);
            EXPECT(check.ok == 1);
        }
        free_square(&s);
    }
    spl_context_destroy(context);
}

/* Replaces a column of C by one that C does not have. */
static void wrong_columns_are_found(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    square s;
    make_square(&s, context);
    int found = 0;
    for (int row = 0; row < 40; row++) {
        int32_t last = s.offsets[row + 1] - 1;
        if (last < s.offsets[row] || s.columns[last] == 39)
            continue;
        s.columns[last]++;
        spl_check check = check_c(&s);
        testing_case("row %d", row);
        EXPECT(check.ok == 0 && check.worst_row == row);
        s.columns[last]--;
        found++;
    }
    EXPECT(found > 5);
    free_square(&s);
    spl_context_destroy(context);
}

/* The pattern must contain D's, also where beta is 0. */
static void missing_entries_of_d_are_found(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    square s;
    make_square(&s, context);
    const zoo_maker maker = {"d", zoo_dense, {40, 40}, false};
    zoo_matrix d;
    zoo_matrix_make(&d, &maker, zoo_form_number(0), 1);
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_spgemm(NULL, s.run.a, s.run.b, NULL, &d.view, &s.c.view, NULL, &check));
    EXPECT(check.ok == 0);
    zoo_matrix_free(&d);
    free_square(&s);
    spl_context_destroy(context);
}

static void wrong_shape_is_refused(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    square s;
    make_square(&s, context);
    spl_check check = SPL_CHECK_INIT;
    s.c.view.cols = 41;
    spl_status status =
        spl_check_spgemm(NULL, s.run.a, s.run.b, NULL, NULL, &s.c.view, NULL, &check);
    EXPECT(status == SPL_SHAPE_MISMATCH || (status == SPL_OK && !check.ok));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_check_spgemm(NULL, s.run.a, s.run.b, NULL, NULL, NULL, NULL, &check));
    s.c.view.cols = 40;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_check_spgemm(NULL, s.run.a, s.run.b, NULL, NULL, &s.c.view, NULL, NULL));
    free_square(&s);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmv_faults_are_found),   cmocka_unit_test(beta_and_operator_count),
        cmocka_unit_test(spmm_faults_are_found),   cmocka_unit_test(spgemm_faults_are_found),
        cmocka_unit_test(wrong_columns_are_found), cmocka_unit_test(missing_entries_of_d_are_found),
        cmocka_unit_test(wrong_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
