/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of C depends on structure alone: cancelled entries and explicit zeros stay, D is
 * united, duplicates are summed. */
#include "lib/closed_pages.h"
#include "lib/run_products.h"

#include <math.h>
#include <string.h>

static zoo_matrix make_filled(const char *name, zoo_values values, int form)
{
    zoo_triples triples;
    zoo_matrix matrix;
    zoo_make(&triples, zoo_find(name), testing_seed());
    zoo_triples_fill(&triples, values, testing_seed() + 1);
    zoo_build(&matrix, &triples, zoo_form_number(form));
    zoo_triples_free(&triples);
    return matrix;
}

static test_product square(spl_context *context, const zoo_matrix *a, test_scalars scalars)
{
    spgemm_run run = {&a->view, &a->view, NULL, SPL_OPTIONS_INIT, scalars, false};
    test_product c;
    EXPECT_OK(compute_spgemm(context, &run, &c));
    expect_spgemm(&run, &c.view);
    return c;
}

/* Values of A never change the pattern: ones, signs that cancel, zeros, NaN all give the same
 * structure. */
static void values_do_not_matter(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    static const char *const names[] = {"cancelling_14", "zeros_22", "duplicates_12", "rmat_32"};
    for (int n = 0; n < 4; n++) {
        zoo_matrix ones = make_filled(names[n], ZOO_ONES, 0),
                   signs = make_filled(names[n], ZOO_SIGNS, 0);
        zoo_matrix nan = make_filled(names[n], ZOO_NAN, 0);
        testing_case("%s", names[n]);
        test_product c[4] = {square(context, &ones, testing_scalars_of(1, 0)),
                             square(context, &signs, testing_scalars_of(1, 0)),
                             square(context, &nan, testing_scalars_of(1, 0)),
                             square(context, &nan, testing_scalars_of(0, 0))};
        for (int p = 1; p < 4; p++) {
            EXPECT(c[p].view.nnz == c[0].view.nnz);
            EXPECT(memcmp(c[p].offsets.data, c[0].offsets.data, c[0].offsets.bytes) == 0);
            EXPECT(memcmp(c[p].indices.data, c[0].indices.data, c[0].indices.bytes) == 0);
        }
        for (int64_t e = 0; e < c[3].view.nnz; e++)
            EXPECT(zoo_value_at(c[3].values.data, SPL_F64, e) ==
                   0); /* alpha = 0 makes zeros of NaN */
        for (int p = 0; p < 4; p++)
            test_product_free(&c[p]);
        zoo_matrix_free(&ones);
        zoo_matrix_free(&signs);
        zoo_matrix_free(&nan);
    }
    spl_context_destroy(context);
}

/* D on the diagonal, A*B elsewhere; beta = 0 keeps the positions of D and ignores its NaN. */
static void pattern_of_d_is_united(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a = make_filled("uniform_40", ZOO_INTEGERS, 0);
    for (int form = 0; form < 9; form++)
        for (int kind = 0; kind < 3; kind++) {
            zoo_triples t;
            zoo_matrix d;
            zoo_diagonal(&t, (const int64_t[]){40}, 1);
            zoo_triples_fill(&t, kind == 2 ? ZOO_NAN : ZOO_INTEGERS, 5);
            zoo_build(&d, &t, zoo_form_number(form));
            spgemm_run run = {&a.view,
                              &a.view,
                              &d.view,
                              SPL_OPTIONS_INIT,
                              testing_scalars_of(kind == 1 ? 0 : 2, 3),
                              0};
            if (kind == 2)
                run.scalars.beta.number = 0;
            testing_case("form %d, kind %d", form, kind);
            EXPECT_OK(run_spgemm(context, &run));
            run.one_shot = true;
            EXPECT_OK(run_spgemm(context, &run));
            zoo_matrix_free(&d);
            zoo_triples_free(&t);
        }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* Without D, beta has no effect. */
static void beta_without_d_is_ignored(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a = make_filled("box2d_d2", ZOO_REAL, 0);
    test_product plain = square(context, &a, testing_scalars_of(1, 0));
    test_product other = square(context, &a, testing_scalars_of(1, NAN));
    EXPECT(test_products_identical(&plain, &other));
    test_product_free(&plain);
    test_product_free(&other);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* Small integers: no rounding, for every method and order of summation. */
static void integers_are_exact(void **state)
{
    (void)state;
    spl_context *context = testing_context(3);
    for (int m = 0; m < zoo_tiny_count; m++) {
        zoo_matrix single = make_filled(zoo_tiny[m].name, ZOO_INTEGERS, 9 + m % 9);
        zoo_matrix twice = make_filled(zoo_tiny[m].name, ZOO_INTEGERS, m % 9);
        spgemm_run run = {
            &single.view, &single.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0), false};
        run.options.op_b = SPL_TRANSPOSE;
        test_product c, exact;
        testing_case("%s", zoo_tiny[m].name);
        EXPECT_OK(compute_spgemm(context, &run, &c));
        run.a = run.b = &twice.view;
        EXPECT_OK(compute_spgemm(context, &run, &exact));
        EXPECT(c.view.nnz == exact.view.nnz);
        for (int64_t e = 0; e < c.view.nnz; e++) {
            double v = zoo_value_at(c.values.data, SPL_F32, e);
            EXPECT(fmod(v, 2) == 0 && v == zoo_value_at(exact.values.data, SPL_F64, e));
        }
        test_product_free(&c);
        test_product_free(&exact);
        zoo_matrix_free(&single);
        zoo_matrix_free(&twice);
    }
    spl_context_destroy(context);
}

/* Values of A, B (alpha = 0) or D (beta = 0) in unreadable pages. */
static void expect_unread(spl_context *context, int form, double alpha, double beta,
                          const char *method)
{
    bool in_blocks =
        method &&
        strstr(method,
               "holed_blocks"); /* which 19 columns cannot have, nor any that do not ascend */
    const char *name = in_blocks ? "uniform_40" : "unsorted_24x19";
    zoo_matrix m[3] = {make_filled(name, ZOO_REAL, form), make_filled(name, ZOO_REAL, form)};
    const zoo_maker summand = {"summand", zoo_uniform, {m[0].view.rows, m[0].view.rows, 2}, false};
    zoo_matrix_make(&m[2], &summand, zoo_form_number(form), 3);
    closed_pages pages[3];
    for (int k = 0; k < 3; k++) {
        pages[k] = closed_pages_copy(m[k].values, (size_t)m[k].view.nnz * sizeof(double));
        m[k].view.values = pages[k].data;
    }
    spgemm_run run = {
        &m[0].view, &m[1].view, &m[2].view, SPL_OPTIONS_INIT, testing_scalars_of(alpha, beta),
        false};
    run.options.op_b = SPL_TRANSPOSE;
    run.options.method = method;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(context, run.a, run.b, run.d, &run.options, &plan));
    for (int k = 0; k < 3; k++)
        if ((k < 2 ? alpha : beta) == 0)
            closed_pages_close(&pages[k]);
    test_product c;
    EXPECT_OK(execute_spgemm(plan, plan_has_bound(plan), &run, &c));
    for (int k = 0; k < 3; k++)
        closed_pages_open(&pages[k]);
    expect_spgemm(&run, &c.view);
    test_product_free(&c);
    spl_plan_destroy(plan);
    for (int k = 0; k < 3; k++) {
        closed_pages_free(&pages[k]);
        zoo_matrix_free(&m[k]);
    }
}

static void zero_scalars_read_nothing(void **state)
{
    (void)state;
    const char *methods[16];
    int count = testing_methods("spgemm/", methods, 16);
    spl_context *context = testing_context(2);
    for (int form = 0; form < 9; form++)
        for (int m = -1; m < count; m++) {
            const char *method = m < 0 ? NULL : methods[m];
            testing_case("%s, method %s", zoo_form_name(zoo_form_number(form)),
                         method ? method : "auto");
            expect_unread(context, form, 0, 1, method);
            expect_unread(context, form, 1, 0, method);
            expect_unread(context, form, 0, 0, method);
        }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_do_not_matter),      cmocka_unit_test(pattern_of_d_is_united),
        cmocka_unit_test(beta_without_d_is_ignored), cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(zero_scalars_read_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
