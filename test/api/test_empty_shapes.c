/* SPDX-License-Identifier: Apache-2.0 */
/* Operands without rows, columns or entries, drawn anew in every run: their arrays may be NULL.
 * Sanitizers find code that computes with such addresses. */
#include "lib/run_products.h"

#include <stdio.h>

enum { CASES = 300, METHODS = 64, METHODS_ROOM = 128 };

/* 0 often, else a few blocks. */
static int64_t extent(zoo_random *random)
{
    return zoo_random_below(random, 3) == 0 ? 0 : 2 * zoo_random_below(random, 6);
}

/* Blocks of 2 x 2, so that block formats are found: full blocks, blocks with holes, or none. The
 * columns of A and the rows of B have them alternately, or never at the same index. */
static void draw_triples(zoo_triples *t, zoo_random *random, int64_t rows, int64_t cols)
{
    const int64_t density = zoo_random_below(random, 3), first = zoo_random_below(random, 2);
    const bool by_rows = zoo_random_below(random, 2) == 0;
    zoo_triples_start(t, rows, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            if (((by_rows ? i : j) / 2 + first) % 2 == 0 &&
                zoo_random_below(random, 9) < 4 * density + 1)
                zoo_triples_add(t, i, j, 1 + (double)(i + j));
}

/* op(matrix) has rows x cols. */
static void draw_matrix(zoo_matrix *matrix, zoo_random *random, int64_t rows, int64_t cols,
                        spl_operator op)
{
    zoo_triples t;
    const bool turned = op == SPL_TRANSPOSE;
    draw_triples(&t, random, turned ? cols : rows, turned ? rows : cols);
    zoo_form form = zoo_form_number((int)zoo_random_below(random, ZOO_FORMS));
    form.type = SPL_F64;
    zoo_build(matrix, &t, form);
    if (t.nnz == 0)
        matrix->view.indices = matrix->view.values = NULL;
    zoo_triples_free(&t);
}

/* Now and then two methods by name, or several processors. */
static void draw_options(spl_options *options, zoo_random *random, const char *operation,
                         char *methods)
{
    *methods = 0;
    const char *ids[METHODS];
    int count = testing_methods(operation, ids, METHODS);
    options->op_a = zoo_random_below(random, 3) == 0 ? SPL_TRANSPOSE : SPL_NONE;
    options->processors = testing_processors(operation);
    if (options->processors == 0 && zoo_random_below(random, 2) == 0)
        snprintf(methods, METHODS_ROOM, "%s,%s", ids[zoo_random_below(random, count)],
                 ids[zoo_random_below(random, count)]);
    else if (testing_device() && zoo_random_below(random, 2) == 0)
        options->processors = 3;
    options->method = *methods ? methods : NULL;
}

/* A method that is forced by name may be unsupported. */
static void expect_served(spl_status status, const spl_options *options)
{
    if (status != SPL_UNSUPPORTED || (!options->method && options->processors != 3))
        EXPECT_OK(status);
}

static void dense_product(spl_context *context, zoo_random *random)
{
    zoo_matrix a;
    spl_options options = SPL_OPTIONS_INIT;
    const bool vector = zoo_random_below(random, 2) == 0,
               one_shot = zoo_random_below(random, 2) == 0;
    char methods[METHODS_ROOM];
    draw_options(&options, random, vector ? "spmv/" : "spmm/", methods);
    draw_matrix(&a, random, extent(random), extent(random), options.op_a);
    const test_scalars scalars = testing_scalars((int)zoo_random_below(random, TEST_SCALARS));
    if (vector)
        expect_served(run_spmv(context, &(spmv_run){&a.view, options, scalars, one_shot}),
                      &options);
    else
        expect_served(
            run_spmm(context, &(spmm_run){.a = &a.view,
                                          .columns = extent(random),
                                          .order_b = 1 + (spl_order)zoo_random_below(random, 2),
                                          .order_c = 1 + (spl_order)zoo_random_below(random, 2),
                                          .pad = extent(random),
                                          .options = options,
                                          .scalars = scalars,
                                          .one_shot = one_shot}),
            &options);
    zoo_matrix_free(&a);
}

static void sparse_product(spl_context *context, zoo_random *random)
{
    zoo_matrix a, b, d;
    const int64_t rows = extent(random), inner = extent(random), cols = extent(random);
    const bool with_d = zoo_random_below(random, 2) == 0;
    spgemm_run run = {&a.view,
                      &b.view,
                      with_d ? &d.view : NULL,
                      SPL_OPTIONS_INIT,
                      testing_scalars((int)zoo_random_below(random, TEST_SCALARS)),
                      zoo_random_below(random, 2) == 0};
    char methods[METHODS_ROOM];
    draw_options(&run.options, random, "spgemm/", methods);
    run.options.op_b = zoo_random_below(random, 3) == 0 ? SPL_TRANSPOSE : SPL_NONE;
    draw_matrix(&a, random, rows, inner, run.options.op_a);
    draw_matrix(&b, random, inner, cols, run.options.op_b);
    draw_matrix(&d, random, rows, cols, SPL_NONE);
    expect_served(run_spgemm(context, &run), &run.options);
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    zoo_matrix_free(&d);
}

static void products_of_almost_nothing(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (uint64_t n = 0; n < CASES; n++) {
        zoo_random random;
        zoo_random_seed(&random, testing_fresh_seed() + n);
        testing_case("SPARLOOM_RANDOM_SEED=%llu", (unsigned long long)(testing_fresh_seed() + n));
        if (n % 3 == 0)
            sparse_product(context, &random);
        else
            dense_product(context, &random);
    }
    spl_context_destroy(context);
}

/* Full blocks of `size` in one column of blocks, or in one row of blocks. */
static void make_blocks(zoo_matrix *matrix, int size, int64_t row, int64_t column)
{
    enum { NODES = 5 };
    zoo_triples t;
    zoo_triples_start(&t, NODES * size, NODES * size);
    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = 0; j < t.cols; j++)
            if (i / size == row || j / size == column)
                zoo_triples_add(&t, i, j, 1);
    zoo_build(matrix, &t, zoo_form_number(0));
    zoo_triples_free(&t);
}

/* A and B have entries, C has none: by each method, since formats of the operands are searched
 * in any case. */
static void blocks_that_do_not_meet(void **state)
{
    (void)state;
    const char *ids[METHODS];
    const int count = testing_methods("spgemm/", ids, METHODS);
    spl_context *context = testing_context(2);
    for (int size = 1; size <= 6; size++) {
        zoo_matrix a, b;
        make_blocks(&a, size, -1, 1);
        make_blocks(&b, size, 2, -1);
        spgemm_run run = {&a.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                          false};
        for (int m = 0; m < count; m++) {
            run.options.method = ids[m];
            testing_case("blocks of %d, %s", size, ids[m]);
            expect_served(run_spgemm(context, &run), &run.options);
        }
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_of_almost_nothing),
                                       cmocka_unit_test(blocks_that_do_not_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
