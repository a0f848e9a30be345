/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products by several processors: the CPU and both widths of the emulator. */
#include "lib/run_products.h"

#include <string.h>

static const double even[3] = {1, 1, 1}, uneven[3] = {0, 2, 1};

static spl_context *start(void)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.threads = 2;
    options.devices = "cpu,emu,emu64";
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

static spl_options options_of(int number)
{
    static const uint64_t mixes[] = {7, 3, 6, 5};
    spl_options options = SPL_OPTIONS_INIT;
    options.processors = mixes[number % 4];
    options.partition = (spl_partition_kind)(number % 3); /* cost, rows, products */
    options.capabilities = number % 5 == 1 ? NULL : number % 2 ? even : uneven;
    options.unsorted = number % 7 == 3;
    options.keep_result = number % 3 == 1;
    return options;
}

/* A*A^T of all shapes, in all forms, with D in every other case: into arrays of the caller, and
 * kept, and at once. */
static void products_are_right(void **state)
{
    (void)state;
    spl_context *context = start();
    for (int i = 0; i < zoo_tiny_count; i += testing_scale()) {
        zoo_matrix a, d;
        zoo_matrix_make(&a, &zoo_tiny[i], zoo_form_number(i % ZOO_FORMS), testing_seed());
        const zoo_maker square = {"d", zoo_uniform, {a.view.rows, a.view.rows, 2}, false};
        zoo_form form = zoo_form_number(i % 2 * 3);
        form.type = a.view.type;
        zoo_matrix_make(&d, &square, form, testing_seed() + 5);
        bool with_d = i % 2 && a.view.rows >= 2;
        spgemm_run run = {
            &a.view,   &a.view, with_d ? &d.view : NULL, options_of(i), testing_scalars_of(2, -0.5),
            i % 6 == 5};
        run.options.op_b = SPL_TRANSPOSE;
        testing_case("%s, number %d", zoo_tiny[i].name, i);
        EXPECT_OK(run_spgemm(context, &run));
        zoo_matrix_free(&a);
        zoo_matrix_free(&d);
    }
    spl_context_destroy(context);
}

/* The CPU begins with a bound: then all parts keep their values until they are exported. */
static void a_bound_makes_all_keep(void **state)
{
    (void)state;
    spl_context *context = start();
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("rmat_32"), zoo_form_number(0), testing_seed());
    spgemm_run run = {&a.view, &a.view, NULL, options_of(0), testing_scalars_of(1, 0), false};
    run.options.capabilities = even;
    run.options.method = "spgemm/symbolic/cpu/upper_bound";
    EXPECT_OK(run_spgemm(context, &run));
    run.one_shot = true;
    EXPECT_OK(run_spgemm(context, &run));
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* All three have computed, and the devices' values were copied to the host. */
static void expect_seconds(spl_plan *plan)
{
    for (int32_t k = 0; k < 3; k++) {
        spl_part_info part = SPL_PART_INFO_INIT;
        EXPECT_OK(spl_plan_part(plan, k, &part));
        EXPECT(part.execution > 0 && (k == 0 ? part.transfer == 0 : part.transfer > 0));
    }
}

/* New values of A, and of B, then C = A*B again. */
static void new_values(void **state)
{
    (void)state;
    spl_context *context = start();
    zoo_matrix a, b;
    zoo_matrix_make(&a, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    zoo_matrix_make(&b, zoo_find("uniform_40"), zoo_form_number(1), testing_seed() + 1);
    spgemm_run run = {&a.view, &b.view, NULL, options_of(0), testing_scalars_of(1, 0), false};
    spl_plan *plan = NULL;
    run.options.capabilities = even;
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &b.view, NULL, &run.options, &plan));
    for (int round = 0; round < 3; round++) {
        test_product c;
        zoo_value_set(a.values, SPL_F64, round, 5 + round);
        zoo_value_set(b.values, SPL_F64, 2 * round, 7 + round);
        EXPECT_OK(spl_plan_update_values(plan, round == 1 ? NULL : &a.view, &b.view, NULL, NULL));
        if (round == 1)
            EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
        EXPECT_OK(execute_spgemm(plan, false, &run, &c));
        expect_spgemm(&run, &c.view);
        test_product_free(&c);
        expect_seconds(plan);
    }
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    spl_context_destroy(context);
}

/* Rows are cut where half of the products are, not where half of the rows are. */
static void shares_follow_products(void **state)
{
    (void)state;
    spl_context *context = start();
    zoo_matrix a;
    spl_plan *plan = NULL;
    spl_part_info parts[2] = {SPL_PART_INFO_INIT, SPL_PART_INFO_INIT};
    spl_options options = options_of(1);
    zoo_matrix_make(&a, zoo_find("arrow_20"), zoo_form_number(0), testing_seed());
    options.partition = SPL_PARTITION_NNZ;
    options.capabilities = even;
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    EXPECT_OK(spl_plan_part(plan, 0, &parts[0]));
    EXPECT_OK(spl_plan_part(plan, 1, &parts[1]));
    int64_t products = 0;
    for (int64_t p = 0; p < a.view.nnz; p++) {
        int64_t k = zoo_index_at(a.indices, SPL_I32, p);
        products += zoo_index_at(a.offsets, SPL_I32, k + 1) - zoo_index_at(a.offsets, SPL_I32, k);
    }
    EXPECT(parts[0].work + parts[1].work == products);
    /* a row has less than 60 */
    EXPECT(2 * parts[0].work >= products && 2 * (parts[0].work - 60) < products);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* Predicted seconds to copy the values of a device's part of C = A*A^T to the host, for each of
 * its entries. */
static double seconds_of_entry(spl_context *context, const char *name, double products_of_entry)
{
    zoo_matrix a;
    spl_plan *plan = NULL;
    spl_part_info part = SPL_PART_INFO_INIT;
    spl_options options = options_of(1);
    zoo_matrix_make(&a, zoo_find(name), zoo_form_number(0), testing_seed());
    options.capabilities = even;
    options.op_b = SPL_TRANSPOSE;
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    EXPECT_OK(spl_plan_part(plan, 1, &part));
    EXPECT(part.rows > 0);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    return part.predicted_transfer / ((double)part.work / products_of_entry);
}

/* The predicted copy depends on the entries of C, not on the products. */
static void transfers_follow_entries(void **state)
{
    (void)state;
    spl_context *context = start();
    double dense = seconds_of_entry(context, "dense_5x40", 40),
           diagonal = seconds_of_entry(context, "diagonal_17", 1);
    EXPECT(diagonal > 0 && dense > 0.99 * diagonal && dense < 1.01 * diagonal);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(a_bound_makes_all_keep),
        cmocka_unit_test(new_values),
        cmocka_unit_test(shares_follow_products),
        cmocka_unit_test(transfers_follow_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
