/* SPDX-License-Identifier: Apache-2.0 */
/* A call on one processor never meets src/partition: this program links without it. What the entry
 * points know of it, two tables and a function, is defined here and fails when it is used. If more
 * of it were known, the linker would find two definitions. */
#include "lib/testing.h"
#include "plan/plan.h"

static spl_status meet(spl_plan *plan, const spl_sparse *a)
{
    (void)plan, (void)a;
    return spl__fail(SPL_INTERNAL, "a call meets src/partition");
}

const spl__operation spl__spread_dense = {.place = meet}, spl__spread_product = {.place = meet};

static void multiply_with_plan(spl_context *context, const zoo_matrix *a,
                               const spl_options *options)
{
    spl_plan *plans[3];
    EXPECT_OK(spl_spmv_plan(context, &a->view, options, &plans[0]));
    EXPECT_OK(spl_spmm_plan(context, &a->view, 8, options, &plans[1]));
    EXPECT_OK(spl_spgemm_plan(context, &a->view, &a->view, NULL, options, &plans[2]));
    for (int p = 0; p < 3; p++) {
        char text[64];
        spl_counters counters = SPL_COUNTERS_INIT;
        EXPECT_OK(spl_plan_explain(plans[p], text, sizeof text, NULL));
        EXPECT_OK(spl_plan_counters(plans[p], &counters));
        EXPECT(!plans[p]->spread);
        spl_plan_destroy(plans[p]);
    }
}

static void multiply_once(spl_context *context, const zoo_matrix *a, const spl_options *options)
{
    enum { COLS = 4 };
    const size_t size = (size_t)a->view.rows * COLS;
    double *x = test_calloc(size, sizeof *x), *y = test_calloc(size, sizeof *y);
    spl_matrix *c = NULL;
    spl_dense b = SPL_DENSE_INIT, to = SPL_DENSE_INIT;
    b.type = to.type = SPL_F64;
    b.order = to.order = SPL_ROW_MAJOR;
    b.rows = to.rows = a->view.rows;
    b.cols = to.cols = b.ld = to.ld = COLS;
    b.values = x;
    to.values = y;
    EXPECT_OK(spl_spmv(context, NULL, &a->view, x, NULL, y, options));
    EXPECT_OK(spl_spmm(context, NULL, &a->view, &b, NULL, &to, options));
    EXPECT_OK(spl_spgemm(context, NULL, &a->view, &a->view, NULL, NULL, options, &c));
    spl_matrix_destroy(c);
    test_free(x);
    test_free(y);
}

/* Small ones need no plan. */
static void calls_on_one_processor(void **state)
{
    (void)state;
    static const char *const names[] = {"box2d_d3", "uniform_1200"};
    spl_context *context = testing_context(2);
    for (int n = 0; n < 2; n++)
        for (int budget = 0; budget < 2; budget++) {
            zoo_matrix a;
            spl_options options = SPL_OPTIONS_INIT;
            options.memory_budget = budget ? (size_t)1 << 30 : 0;
            zoo_matrix_make(&a, zoo_find(names[n]), zoo_form_number(0), testing_seed());
            testing_case("%s, budget %d", names[n], budget);
            multiply_with_plan(context, &a, &options);
            multiply_once(context, &a, &options);
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* Several processors do: the tables above are those that are used. */
static void distributed_operands_meet_it(void **state)
{
    (void)state;
    zoo_matrix a;
    spl_plan *plan;
    spl_options options = SPL_OPTIONS_INIT;
    spl_context *context = testing_context(2);
    options.distributed = 1;
    zoo_matrix_make(&a, zoo_find("box2d_d3"), zoo_form_number(0), testing_seed());
    testing_case("distributed");
    EXPECT_STATUS(SPL_INTERNAL, spl_spmv_plan(context, &a.view, &options, &plan));
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_on_one_processor),
                                       cmocka_unit_test(distributed_operands_meet_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
