/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha*op(P)'*op(A)*op(P): structure, values within the bound of triple.h, nodes of several
 * unknowns, new values, and what is refused. On a device: operands on the host. */
#include "lib/triple_products.h"

#include "lib/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- matrices of any kind ---- */

static void make_p(zoo_matrix *p, int64_t rows, int number, bool transposed, spl_type type)
{
    zoo_triples t;
    zoo_form form = zoo_form_number(number % 9);
    form.type = type;
    const int64_t cols = 1 + number % 23, args[] = {rows, cols, number % 2 ? 2 : 2 * rows};
    (number % 2 ? zoo_unsorted : zoo_duplicates)(&t, args, testing_seed() + (uint64_t)number);
    if (transposed)
        zoo_triples_transpose(&t);
    zoo_build(p, &t, form);
    zoo_triples_free(&t);
}

static void matrices_of_the_zoo(void **state)
{
    (void)state;
    int tried = 0;
    spl_context *context = testing_context(3);
    for (int m = 0; m < zoo_tiny_count; m++) {
        zoo_triples t;
        zoo_make(&t, &zoo_tiny[m], testing_seed());
        for (int f = m % 3;
             f < ZOO_FORMS && t.rows == t.cols && t.rows > 0 && !zoo_tiny[m].nonfinite;
             f += 3, tried++) {
            zoo_matrix a, p;
            triple_product x = {.options = SPL_OPTIONS_INIT, .alpha = tried % 4 ? 1 : -0.5};
            testing_case("%s, form %d, number %d", zoo_tiny[m].name, f, tried);
            x.options.op_a = tried % 3 == 1 ? SPL_TRANSPOSE : SPL_NONE;
            x.options.op_b = tried % 5 == 2 ? SPL_TRANSPOSE : SPL_NONE;
            zoo_build(&a, &t, zoo_form_number(f));
            make_p(&p, t.rows, tried, x.options.op_b != SPL_NONE, a.view.type);
            x.a = &a.view;
            x.p = &p.view;
            triple_try(context, &x);
            zoo_matrix_free(&a);
            zoo_matrix_free(&p);
        }
        zoo_triples_free(&t);
    }
    EXPECT(tried > 60);
    spl_context_destroy(context);
}

/* ---- nodes ---- */

static void expect_nodes(const spl_plan *plan, int fine, int coarse)
{
    char text[32768], words[64];
    snprintf(words, sizeof words, "by nodes: %d unknowns in A, %d in C", fine, coarse);
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    EXPECT(strstr(text, testing_device() ? "then P'*(A*P)" : coarse > 1 ? words : "by entries"));
}

static void nodes_of_all_sizes(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int fine = 1; fine <= 6; fine++)
        for (int coarse = 1; coarse <= 6; coarse++) {
            zoo_matrix a, p;
            spl_plan *plan;
            int form = (fine + coarse) % 2 * 9 + (fine * coarse) % 3; /* CSR */
            testing_case("%d unknowns, %d coarse ones, form %d", fine, coarse, form);
            triple_make_nodes(&a, &p, fine, coarse, form, testing_fresh_seed());
            triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
            EXPECT_OK(spl_triple_plan(context, x.a, x.p, NULL, &plan));
            expect_nodes(plan, fine, coarse);
            triple_expect_execution(&x, plan);
            spl_plan_destroy(plan);
            zoo_matrix_free(&a);
            zoo_matrix_free(&p);
        }
    spl_context_destroy(context);
}

/* Columns of P'*A are kept unless there are many: values are right either way, in each execution.
 */
static void kept_columns(void **state)
{
    (void)state;
    if (testing_device())
        skip();
    spl_context *context = testing_context(2);
    for (int many = 0; many < 2; many++) {
        const zoo_maker makers[2] = {
            {.name = "a", .make = zoo_uniform, .args = {90, 90, 7}},
            {.name = "p", .make = zoo_uniform, .args = {90, many ? 90 : 8, many ? 7 : 2}}};
        char text[32768];
        zoo_matrix a, p;
        spl_plan *plan;
        testing_case("%s columns", many ? "many" : "few");
        triple_make(&a, &p, makers, 1, 1, 9, testing_fresh_seed()); /* f32: A*P is not stored */
        triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        EXPECT_OK(spl_triple_plan(context, x.a, x.p, NULL, &plan));
        EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
        EXPECT(strstr(text, many ? "P'*A: searched" : "P'*A: kept"));
        for (int k = 0; k < 3; k++)
            triple_expect_execution(&x, plan);
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
    spl_context_destroy(context);
}

/* C has few columns for its entries: rows are found as bits, of which registers hold 1 to 8 words.
 */
static void few_columns(void **state)
{
    (void)state;
    if (testing_device())
        skip();
    spl_context *context = testing_context(2);
    for (int64_t cols = 40; cols < 1000; cols *= 2) {
        const zoo_maker makers[2] = {{.name = "a", .make = zoo_uniform, .args = {200, 200, 20}},
                                     {.name = "p", .make = zoo_uniform, .args = {200, cols, 6}}};
        zoo_matrix a, p;
        testing_case("%d columns", (int)cols);
        triple_make(&a, &p, makers, 1, 1, 0, testing_fresh_seed());
        triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        triple_try(context, &x);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
    spl_context_destroy(context);
}

/* What only looks like nodes: an entry is missing, or two columns change places. */
static void spoilt_nodes(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_context *context = testing_context(2);
    triple_make_nodes(&a, &p, 3, 6, 0, testing_fresh_seed());
    for (int k = 0; k < 2; k++) {
        int32_t *columns = k ? p.indices : a.indices, first = columns[0];
        triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        testing_case("two columns of %s change places", k ? "P" : "A");
        columns[0] = columns[1];
        columns[1] = first;
        triple_try(context, &x);
        columns[1] = columns[0];
        columns[0] = first;
    }
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* Far more rows than entries, which products of two leave out. */
static void few_entries(void **state)
{
    (void)state;
    if (testing_device())
        skip();
    const int64_t rows = 4300000;
    zoo_triples t;
    zoo_matrix a, p;
    zoo_form form = zoo_form_number(0);
    spl_plan *plan;
    spl_context *context = testing_context(1);
    zoo_triples_start(&t, rows, rows);
    zoo_triples_add(&t, 5, 7, 2);
    zoo_triples_add(&t, 7, 5, 3);
    zoo_build(&a, &t, form);
    zoo_triples_free(&t);
    zoo_triples_start(&t, rows, 2);
    zoo_triples_add(&t, 5, 0, 1);
    zoo_triples_add(&t, 7, 1, 4);
    form.format = SPL_COO;
    zoo_build(&p, &t, form);
    zoo_triples_free(&t);
    triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
    EXPECT_OK(spl_triple_plan(context, x.a, x.p, NULL, &plan));
    double *values = triple_execute(&x, plan);
    EXPECT(values[0] == 8 && values[1] == 12);
    free(values);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* ---- plans ---- */

static void new_values(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_plan *plan;
    spl_context *context = testing_context(2);
    for (int coarse = 1; coarse <= 3; coarse += 2) {
        triple_make_nodes(&a, &p, 3, coarse, 0, testing_fresh_seed());
        triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        x.options.check_inputs = 1;
        EXPECT_OK(spl_triple_plan(context, x.a, x.p, &x.options, &plan));
        void *values = triple_execute(&x, plan);
        free(values);
        ((double *)p.values)[0] += 1;
        values = zoo_allocate((size_t)p.view.cols * (size_t)p.view.cols * sizeof(double));
        EXPECT_STATUS(SPL_STALE, spl_spgemm_execute(plan, NULL, NULL, values, NULL));
        free(values);
        EXPECT_OK(spl_plan_update_values(plan, NULL, &p.view, NULL, NULL));
        spl_sparse moved = *x.a;
        double *fresh = zoo_allocate((size_t)moved.nnz * sizeof *fresh);
        for (int64_t k = 0; k < moved.nnz; k++)
            fresh[k] = (double)(k % 7) - 3;
        moved.values = fresh;
        EXPECT_OK(spl_plan_update_values(plan, &moved, NULL, NULL, NULL));
        x.a = &moved;
        values = triple_execute(&x, plan);
        triple_expect(&x, plan, values);
        free(values);
        spl_plan_destroy(plan);
        free(fresh);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
    spl_context_destroy(context);
}

/* alpha = 0 reads no values; the plan's own values are those that a caller gets. */
static void kept_values(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_plan *plan;
    spl_matrix *taken;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_context *context = testing_context(2);
    triple_make_nodes(&a, &p, 2, 2, 0, testing_fresh_seed());
    triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
    x.options.keep_result = 1;
    EXPECT_OK(spl_triple_plan(context, x.a, x.p, &x.options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_take(plan, &taken));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    double *values = triple_execute(&x, plan);
    EXPECT_OK(spl_spgemm_take(plan, &taken));
    EXPECT_OK(spl_matrix_view(taken, &view));
    EXPECT(view.nnz > 0 && memcmp(view.values, values, (size_t)view.nnz * sizeof *values) == 0);
    for (int64_t k = 0; k < a.view.nnz; k++)
        ((double *)a.values)[k] = NAN;
    x.alpha = 0;
    free(values);
    values = triple_execute(&x, plan);
    for (int64_t k = 0; k < view.nnz; k++)
        EXPECT(values[k] == 0);
    free(values);
    spl_matrix_destroy(taken);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
    spl_context_destroy(context);
}

/* ---- what is refused ---- */

static void refusals(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    spl_context *context = testing_context(2);
    triple_make_nodes(&a, &p, 2, 3, 0, 7);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_triple_plan(context, &a.view, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_triple_plan(context, &p.view, &p.view, NULL, &plan));
    options.op_b = SPL_TRANSPOSE;
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_triple_plan(context, &p.view, &p.view, &options, &plan));
    options = (spl_options)SPL_OPTIONS_INIT;
    options.semiring = 4; /* SPL_MIN_PLUS */
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    options = (spl_options)SPL_OPTIONS_INIT;
    options.method = "spgemm/numeric/cpu/dense";
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    options = (spl_options)SPL_OPTIONS_INIT;
    options.distributed = 1;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    const spl_type type = a.view.type;
    for (size_t k = 0; k < 2; k++) {
        a.view.type = p.view.type = (spl_type[]){SPL_INT32, SPL_F16}[k];
        EXPECT_STATUS(SPL_UNSUPPORTED, spl_triple_plan(context, &a.view, &p.view, NULL, &plan));
    }
    a.view.type = p.view.type = type;
    EXPECT(plan == NULL);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_of_the_zoo),
        cmocka_unit_test(nodes_of_all_sizes),
        cmocka_unit_test(spoilt_nodes),
        cmocka_unit_test(kept_columns),
        cmocka_unit_test(few_columns),
        cmocka_unit_test(few_entries),
        cmocka_unit_test(new_values),
        cmocka_unit_test(kept_values),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
