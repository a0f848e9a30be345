/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of several processors and memory: budgets, blocks that pass through a device,
 * allocations that fail. On the emulator, with memory from the hook. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "lib/hook_allocator.h"
#include "lib/run_products.h"

#include <stdlib.h>

static const double shares[2] = {1, 4};

static spl_options options_of(uint64_t processors)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.processors = processors;
    options.partition = SPL_PARTITION_NNZ;
    options.capabilities = shares;
    return options;
}

static zoo_matrix make(const char *name)
{
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find(name), zoo_form_number(0), testing_seed());
    return a;
}

static spl_memory_info device_memory(spl_context *context)
{
    spl_memory_info info = SPL_MEMORY_INFO_INIT;
    EXPECT_OK(spl_memory(context, (spl_place){SPL_EMULATOR, 0}, &info));
    return info;
}

static int64_t blocks_of(spl_plan *plan, int32_t number)
{
    spl_part_info info = SPL_PART_INFO_INIT;
    EXPECT_OK(spl_plan_part(plan, number, &info));
    return info.blocks;
}

/* y = A*x, twice, the second time with new values. Returns the blocks of the last part; 0 if there
 * are no parts. */
static int64_t run_twice(spl_context *context, zoo_matrix *a, const spl_options *options,
                         spl_status *status)
{
    test_dense x = test_dense_new(a->view.cols, 1, SPL_F64, SPL_COLUMN_MAJOR, 0);
    test_dense y = test_dense_new(a->view.rows, 1, SPL_F64, SPL_COLUMN_MAJOR, 0);
    spl_plan *plan = NULL;
    int64_t blocks = 0;
    test_dense_fill(&x, ZOO_REAL, 9);
    *status = spl_spmv_plan(context, &a->view, options, &plan);
    for (int round = 0; *status == SPL_OK && round < 2; round++) {
        spl_check check = SPL_CHECK_INIT;
        EXPECT_OK(spl_spmv_execute(plan, NULL, x.view.values, NULL, y.view.values, NULL));
        EXPECT_OK(
            spl_check_spmv(NULL, &a->view, x.view.values, NULL, NULL, y.view.values, NULL, &check));
        EXPECT(check.ok);
        for (int64_t p = 0; p < a->view.nnz; p++)
            zoo_value_set(a->values, SPL_F64, p, zoo_value_at(a->values, SPL_F64, p) + 0.25);
        EXPECT_OK(spl_plan_update_values(plan, &a->view, NULL, NULL, NULL));
    }
    if (*status == SPL_OK && spl_plan_part_count(plan) > 0)
        blocks = blocks_of(plan, spl_plan_part_count(plan) - 1);
    spl_plan_destroy(plan);
    test_dense_free(&x);
    test_dense_free(&y);
    return blocks;
}

/* With less and less memory on the device: all rows at once, in blocks, then a refusal; never
 * more than the budget. */
static void expect_blocks(uint64_t processors)
{
    hook_allocator hook;
    spl_context *context = NULL;
    zoo_matrix a = make("uniform_1200");
    int64_t most = 0;
    bool refused = false;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    for (size_t limit = 200000; limit > 1000; limit = limit * 3 / 4) {
        spl_status status;
        spl_options options = options_of(processors);
        spl_memory_info before = device_memory(context);
        testing_case("processors %d, %zu bytes there", (int)processors, limit);
        hook.limit = SIZE_MAX;
        hook.device_limit = limit;
        int64_t blocks = run_twice(context, &a, &options, &status);
        EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY);
        EXPECT(device_memory(context).live == before.live);
        EXPECT(blocks >= most || status != SPL_OK);
        EXPECT(!refused || status != SPL_OK);
        most = blocks > most ? blocks : most;
        refused = refused || status != SPL_OK;
    }
    EXPECT(most >= 4 && refused);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
}

static void what_does_not_fit_passes(void **state)
{
    (void)state;
    expect_blocks(2); /* the device alone */
    expect_blocks(3);
}

/* C = A*A + 2*D with ever less memory on the device. Returns the blocks of the last part. */
static int64_t run_product(spl_context *context, const zoo_matrix *a, const char *method,
                           uint64_t processors, bool keep, spl_status *status)
{
    spgemm_run run = {
        &a->view, &a->view, &a->view, options_of(processors), testing_scalars_of(1, 2), false};
    spl_plan *plan = NULL;
    int64_t blocks = 0;
    run.options.keep_result = keep;
    run.options.method = method;
    *status = spl_spgemm_plan(context, &a->view, &a->view, &a->view, &run.options, &plan);
    for (int round = 0; *status == SPL_OK && round < 2; round++) {
        test_product c;
        zoo_value_set(a->values, SPL_F64, round, 3 + round);
        EXPECT_OK(spl_plan_update_values(plan, &a->view, &a->view, &a->view, NULL));
        EXPECT_OK(execute_spgemm(plan, keep, &run, &c));
        expect_spgemm(&run, &c.view);
        test_product_free(&c);
    }
    if (*status == SPL_OK && spl_plan_part_count(plan) > 0)
        blocks = blocks_of(plan, spl_plan_part_count(plan) - 1);
    spl_plan_destroy(plan);
    return blocks;
}

/* A form that is forced may not serve what passes at once. */
static void expect_products_pass(const char *name, const char *form, size_t limit)
{
    hook_allocator hook;
    spl_context *context = NULL;
    zoo_matrix a = make(name);
    int64_t most = 0;
    spl_status status = SPL_OK;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    for (; status != SPL_OUT_OF_MEMORY; limit = form ? limit * 49 / 50 : limit * 4 / 5) {
        testing_case("%s, %zu bytes there", name, limit);
        hook.device_limit = limit;
        int64_t blocks = run_product(context, &a, form, limit % 2 ? 2 : 3, limit % 3 == 0, &status);
        EXPECT(status == SPL_OK || status == SPL_OUT_OF_MEMORY ||
               (form && status == SPL_UNSUPPORTED));
        EXPECT(hook.device_live == 0);
        most = blocks > most ? blocks : most;
    }
    EXPECT(most >= (form ? 2 : 4));
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
}

/* Rows in any order, and rows of one dense block, whose parts are blocks of unknowns, too. */
static void products_that_do_not_fit_pass(void **state)
{
    (void)state;
    expect_products_pass("uniform_40", NULL, 60000);
    expect_products_pass("dense_8x8", NULL, 20000);
    expect_products_pass("dense_8x8", "spgemm/form/gpu/node_blocks", 20000);
}

/* The budget of a plan holds for each place. */
static void budgets_hold(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a = make("box2d_d3");
    int64_t most = 0;
    spl_status status = SPL_OK;
    for (size_t budget = 400000; status == SPL_OK; budget = budget * 4 / 5) {
        spl_options options = options_of(3);
        options.memory_budget = budget;
        testing_case("budget %zu", budget);
        int64_t blocks = run_twice(context, &a, &options, &status);
        EXPECT(status == SPL_OK || status == SPL_OVER_BUDGET);
        most = blocks > most ? blocks : most;
    }
    EXPECT(most >= 2);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
}

/* ---- allocations that fail ---- */

typedef struct performance {
    spl_context *context;
    zoo_matrix a;
} performance;

static spl_status perform_spmv(void *data)
{
    performance *p = data;
    spmv_run run = {&p->a.view, options_of(3), testing_scalars_of(2, -1), false};
    run.options.partition = SPL_PARTITION_DENSITY;
    return run_spmv(p->context, &run);
}

static spl_status perform_spmm(void *data)
{
    performance *p = data;
    spmm_run run = {
        &p->a.view, 3, SPL_ROW_MAJOR, SPL_COLUMN_MAJOR, 1, options_of(3), testing_scalars_of(2, -1),
        false};
    return run_spmm(p->context, &run);
}

static spl_status perform_spgemm(void *data)
{
    performance *p = data;
    const spl_sparse *a = &p->a.view;
    spgemm_run run = {a, a, a, options_of(3), testing_scalars_of(2, -1), false};
    return run_spgemm(p->context, &run);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        hook_call perform;
    } all[] = {{"spmv", perform_spmv}, {"spmm", perform_spmm}, {"spgemm", perform_spgemm}};
    hook_allocator hook;
    performance p = {.a = make("uniform_40")};
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &p.context));
    for (int k = 0; k < 3; k++) {
        hook.what = all[k].name;
        EXPECT(hook_fail_some(&hook, 0, testing_scale(), all[k].perform, &p).refused > 0);
    }
    spl_context_destroy(p.context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&p.a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_passes),
        cmocka_unit_test(products_that_do_not_fit_pass),
        cmocka_unit_test(budgets_hold),
        cmocka_unit_test(every_allocation_fails_once),
    };
    setenv("SPARLOOM_TEST_DEVICE", "emu", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
