/* SPDX-License-Identifier: Apache-2.0 */
/* The policy `measure` in plans for one product on the CPU: the model decides whether to begin
 * with an upper bound, trials choose the numeric method that follows. Bounds on devices defer
 * nothing. */
#include "lib/api_calls.h"
#include "lib/trials.h"
#include "plan/policy/wisdom.h"
#include "spgemm/product.h"

#include <math.h>
#include <string.h>

static spl_options measuring(void)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.policy = SPL_POLICY_MEASURE;
    return options;
}

/* Whether a step or a candidate of the numeric phase was measured. */
static bool numeric_is_measured(const spl_plan *plan)
{
    for (int i = 0; i < plan->candidate_count; i++)
        if (strstr(plan->candidates[i].entry->id, "/numeric/") &&
            !isnan(plan->candidates[i].measured.seconds))
            return true;
    return false;
}

/* Trials of symbolic methods do not measure the time that a bound saves: if the model expects a
 * bound to be best for a single execution, trials do not replace it. The numeric methods that
 * follow it are measured. These trials do not change the plan's results, and the next plan knows
 * their times. */
static void a_bound_is_the_models_choice(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    test_trials trials;
    zoo_matrix a;
    spl_plan *plan = NULL;
    spl_options options = measuring();
    trials_watch(&trials, context);
    zoo_matrix_make(&a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    options.keep_result = options.executions = 1;
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    EXPECT(strcmp(plan->steps[0].entry->id, "spgemm/symbolic/cpu/upper_bound") == 0);
    EXPECT(trials.tried > 1 && trials.checked == trials.tried && numeric_is_measured(plan));
    EXPECT(spl_wisdom_count(context) == 1);
    spl_plan_destroy(plan);
    spgemm_run g = {
        .a = &a.view, .b = &a.view, .options = options, .scalars = testing_scalars_of(1, 0)};
    long long tried = trials.tried;
    EXPECT_OK(run_spgemm(context, &g));
    EXPECT(trials.tried == tried);
    options.executions = 100;
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    EXPECT(trials.tried > tried);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* Methods that need gaps between rows and methods that do not are tried in turn; the plan is as if
 * only the chosen one had been prepared. */
static void trials_behind_a_bound_leave_no_trace(void **state)
{
    (void)state;
    static const char *const methods[] = {
        "spgemm/symbolic/cpu/upper_bound,spgemm/numeric/cpu/dense,spgemm/numeric/cpu/one_pass",
        "spgemm/symbolic/cpu/upper_bound,spgemm/numeric/cpu/esc,spgemm/numeric/cpu/hash"};
    test_trials trials;
    zoo_matrix a;
    zoo_matrix_make(&a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        spl_context *context = testing_context(2);
        spl_plan *plan = NULL;
        spgemm_run g = {.a = &a.view,
                        .b = &a.view,
                        .options = measuring(),
                        .scalars = testing_scalars_of(1, 0)};
        trials_watch(&trials, context);
        g.options.executions = g.options.keep_result = 1;
        g.options.method = methods[m];
        EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &g.options, &plan));
        const spl__product *c = spl__product_of(plan);
        const char *chosen = plan->steps[1].entry->id;
        testing_case("%s: %s", methods[m], chosen);
        EXPECT(trials.checked == 2 && c->offsets[a.view.rows] == c->capacity);
        EXPECT((c->lengths == NULL) == (strstr(chosen, "one_pass") || strstr(chosen, "esc")));
        spl_plan_destroy(plan);
        EXPECT_OK(run_spgemm(context, &g));
        EXPECT(trials.checked == 2);
        spl_context_destroy(context);
    }
    zoo_matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_bound_is_the_models_choice),
                                       cmocka_unit_test(trials_behind_a_bound_leave_no_trace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
