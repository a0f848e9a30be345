/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of products with sparse vectors: new values, small budgets, wrong calls, other places. */
#include "lib/testing.h"
#include "spmv/frontier/frontier.h"

#include <string.h>

static const int32_t offsets[] = {0, 2, 3, 3}, columns[] = {0, 2, 1};
static double weights[] = {1, 2, 3};

static spl_sparse small(void)
{
    return zoo_csr(SPL_F64, 3, 3, offsets, columns, weights);
}

static void new_values(void **state)
{
    spl_context *context = testing_context(1);
    spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT;
    int32_t from[] = {0, 1}, to[3];
    double ones[] = {1, 1}, sums[3], others[] = {5, 6, 7};
    char text[8192];
    size_t length;
    spl_plan *plan;
    (void)state;
    x.count = 2, x.indices = from, x.values = ones;
    y.capacity = 3, y.indices = to, y.values = sums;
    for (int32_t executions = 0; executions < 2; executions++) { /* pulled, pushed */
        spl_options options = SPL_OPTIONS_INIT;
        spl_sparse a = small();
        options.executions = executions;
        EXPECT_OK(spl_frontier_plan(context, &a, 1, &options, &plan));
        EXPECT_OK(spl_frontier_execute(plan, &x, NULL, NULL, &y));
        EXPECT(y.count == 2 && to[0] == 0 && to[1] == 1 && sums[0] == 1 && sums[1] == 3);
        a.values = others;
        EXPECT_OK(spl_plan_update_values(plan, &a, NULL, NULL, NULL));
        EXPECT_OK(spl_frontier_execute(plan, &x, NULL, NULL, &y));
        EXPECT(y.count == 2 && sums[0] == 5 && sums[1] == 7);
        EXPECT_OK(spl_plan_explain(plan, text, sizeof text, &length));
        EXPECT(strstr(text, executions ? "executed so: 2 few, 0 many, 0 pulled"
                                       : "executed so: 0 few, 0 many, 2 pulled"));
        spl_plan_destroy(plan);
    }
    spl_context_destroy(context);
}

/* Without room for A in both orders nothing is pulled. */
static void small_budget(void **state)
{
    const zoo_maker maker = {"square", zoo_uniform, {2000, 2000, 40}, false};
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    spl_counters counters = SPL_COUNTERS_INIT;
    spl_plan *plan;
    zoo_matrix a;
    (void)state;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
    options.op_a = SPL_TRANSPOSE;
    EXPECT_OK(spl_frontier_plan(context, &a.view, 1, &options, &plan));
    EXPECT(spl__frontier_of(plan)->pulls);
    EXPECT_OK(spl_plan_counters(plan, &counters));
    options.memory_budget = (size_t)counters.live / 2;
    spl_plan_destroy(plan);
    EXPECT_OK(spl_frontier_plan(context, &a.view, 1, &options, &plan));
    EXPECT(!spl__frontier_of(plan)->pulls);
    EXPECT_OK(spl_plan_counters(plan, &counters));
    EXPECT((size_t)counters.peak <= options.memory_budget);
    spl_plan_destroy(plan);
    options.memory_budget = 10000;
    plan = NULL;
    EXPECT_STATUS(SPL_OVER_BUDGET, spl_frontier_plan(context, &a.view, 1, &options, &plan));
    EXPECT(!plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

static void refuse(spl_plan *plan, spl_frontier x, void *into, const spl_row_mask *mask,
                   spl_frontier y)
{
    int32_t *to = y.indices;
    y.count = -7;
    if (to)
        to[0] = -5;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(plan, &x, into, mask, &y));
    EXPECT(y.count == -7 && (!to || to[0] == -5));
}

static void wrong_calls(void **state)
{
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    spl_row_mask mask = SPL_ROW_MASK_INIT;
    spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT, other;
    spl_sparse a = small();
    int32_t from[] = {0, 1}, to[3], down[] = {1, 0}, twice[] = {1, 1}, beyond[] = {1, 3},
            negative[] = {-1, 1};
    int32_t *const wrong[] = {down, twice, beyond, negative};
    double ones[] = {1, 1}, sums[3];
    const uint8_t bytes[] = {1, 1, 1};
    spl_plan *plan, *dense;
    (void)state;
    x.count = 2, x.indices = from, x.values = ones;
    y.capacity = 3, y.indices = to, y.values = sums;
    EXPECT_OK(spl_frontier_plan(context, &a, 1, &options, &plan));
    EXPECT_OK(spl_spmv_plan(context, &a, &options, &dense));
    for (int k = 0; k < 4; k++) {
        other = x, other.indices = wrong[k];
        refuse(plan, other, NULL, NULL, y);
    }
    other = x, other.values = NULL, refuse(plan, other, NULL, NULL, y);
    other = x, other.count = -1, refuse(plan, other, NULL, NULL, y);
    other = x, other.indices = NULL, refuse(plan, other, NULL, NULL, y);
    other = y, other.values = ones, refuse(plan, x, NULL, NULL, other);
    other = y, other.values = weights, refuse(plan, x, NULL, NULL, other);
    other = y, other.capacity = -1, refuse(plan, x, NULL, NULL, other);
    refuse(plan, x, sums, NULL, y);
    refuse(plan, x, NULL, &mask, y); /* neither bits nor bytes */
    mask.bytes = bytes, mask.clear = 1, refuse(plan, x, NULL, &mask, y);
    refuse(dense, x, NULL, NULL, y);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(NULL, &x, NULL, NULL, &y));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(plan, NULL, NULL, NULL, &y));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(plan, &x, NULL, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, NULL, sums, NULL, sums + 3, NULL));
    spl_plan_destroy(plan);
    spl_plan_destroy(dense);
    options.method = "spmv/compute/cpu/csr_scalar";
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_plan(context, &a, 1, &options, &plan));
    options.method = NULL;
    a.type = SPL_F16;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_frontier_plan(context, &a, 1, &options, &plan));
    spl_context_destroy(context);
}

/* Devices, and several processors. */
static void elsewhere(void **state)
{
    spl_context_options where = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    spl_sparse a = small();
    (void)state;
    where.devices = "cpu,emu";
    if (spl_context_create(&where, &context) != SPL_OK) {
        print_message("no emulator: skipped\n");
        return;
    }
    for (uint64_t processors = 0; processors < 4; processors++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        options.processors = processors;
        testing_case("processors %d", (int)processors);
        EXPECT_STATUS(processors < 2 ? SPL_OK : SPL_UNSUPPORTED,
                      spl_frontier_plan(context, &a, 1, &options, &plan));
        EXPECT((processors < 2) == (plan != NULL));
        spl_plan_destroy(plan);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_values),
        cmocka_unit_test(small_budget),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
