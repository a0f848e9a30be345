/* SPDX-License-Identifier: Apache-2.0 */
/* Every leaf of S1's tree is reached, and by the method that S1 names, on the CPU
 * and on devices. */
#include "lib/run_products.h"

#include <string.h>

typedef struct leaf {
    zoo_maker a, b;
    const char *symbolic, *numeric;
} leaf;

static const leaf leaves[] = {
    /* density(B) < 0.005 */
    {{"a", zoo_uniform, {1000, 1000, 3}, false},
     {"b", zoo_uniform, {1000, 1000, 3}, false},
     "upper_bound",
     "esc"},
    /* the same, and a row with a bound above 2048 */
    {{"a", zoo_dense_row, {3000, 3000, 5, 1}, false},
     {"b", zoo_uniform, {3000, 3000, 2}, false},
     "upper_bound",
     "breakpoint"},
    /* density(B) >= 0.005, n <= 65536, density(C) <= 0.05 */
    {{"a", zoo_uniform, {500, 500, 3}, false},
     {"b", zoo_uniform, {500, 500, 3}, false},
     "bitmap",
     "hash_chained"},
    /* the same, but C is dense */
    {{"a", zoo_dense, {30, 30}, false}, {"b", zoo_dense, {30, 30}, false}, "bitmap", "breakpoint"},
    /* density(B) >= 0.005, n > 65536 */
    {{"a", zoo_diagonal, {4}, false},
     {"b", zoo_uniform, {4, 70000, 400}, false},
     "hash_compressed",
     "hash_chained"},
};
enum { LEAVES = sizeof leaves / sizeof *leaves };

static void expect_method(const spl_plan *plan, int32_t number, const char *phase, const char *name)
{
    spl_step step = SPL_STEP_INIT;
    const char *wanted = testing_method(phase, name);
    EXPECT_OK(spl_plan_step(plan, number, &step));
    testing_case("wanted %s, chosen %s: %s", name, step.method, step.reason);
    EXPECT(wanted && strcmp(step.method, wanted) == 0);
    EXPECT(strncmp(step.reason, "rule of S1", 10) == 0 &&
           strstr(step.reason, "cannot serve") == NULL);
}

static void every_leaf_is_reached(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int l = 0; l < LEAVES; l++) {
        zoo_matrix a, b;
        spl_plan *plan = NULL;
        spgemm_run run = {&a.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                          false};
        run.options.policy = SPL_POLICY_RULES;
        zoo_matrix_make(&a, &leaves[l].a, zoo_form_number(0), testing_seed());
        zoo_matrix_make(&b, &leaves[l].b, zoo_form_number(0), testing_seed());
        EXPECT_OK(spl_spgemm_plan(context, &a.view, &b.view, NULL, &run.options, &plan));
        const int form = testing_device() ? 1 : 0; /* a step of its own: entries */
        EXPECT(spl_plan_step_count(plan) == form + 2);
        expect_method(plan, form, "spgemm/symbolic/", leaves[l].symbolic);
        expect_method(plan, form + 1, "spgemm/numeric/", leaves[l].numeric);
        spl_plan_destroy(plan);
        EXPECT_OK(run_spgemm(context, &run));
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_leaf_is_reached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
