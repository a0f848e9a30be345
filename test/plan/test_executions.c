/* SPDX-License-Identifier: Apache-2.0 */
/* options.executions, options.updates: the cost of making a plan is divided by their number, and
 * that of new values is part of it; a plan for one execution chooses like a one-shot call. */
#include "core/lanes.h"
#include "lib/testing.h"
#include "plan/policy/policy.h"

#include <string.h>

typedef struct setting {
    spl_context *context;
    zoo_matrix a;
} setting;

static int start(void **state)
{
    static setting s;
    spl__gathers_pay = true; /* so that a copy in slices does, for many executions */
    s.context = testing_context(2);
    zoo_matrix_make(&s.a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    *state = &s;
    return 0;
}

static int stop(void **state)
{
    setting *s = *state;
    zoo_matrix_free(&s->a);
    spl_context_destroy(s->context);
    return 0;
}

static spl_plan *plan_for(const setting *s, int32_t executions)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.executions = executions;
    options.keep_result = 1;
    EXPECT_OK(spl_spmv_plan(s->context, &s->a.view, &options, &plan));
    return plan;
}

static void setup_is_shared_among_executions(void **state)
{
    const setting *s = *state;
    const spl__estimate estimate = {.seconds = 1, .setup = 60};
    const int32_t told[] = {1, 2, 60};
    for (int i = 0; i < 3; i++) {
        spl_plan *plan = plan_for(s, told[i]);
        EXPECT(spl__cost(&plan->steps[0].task, &estimate) == 1 + 60.0 / told[i]);
        spl_plan_destroy(plan);
    }
    spl_plan *plan = plan_for(s, 0);
    EXPECT(spl__cost(&plan->steps[0].task, &estimate) == 1 + 60 / plan->machine->plan_executions);
    spl_plan_destroy(plan);
}

/* Each time values are new, methods that copy them copy again: of the setup, a share. */
static void updates_are_charged(void **state)
{
    const setting *s = *state;
    const spl__estimate estimate = {.seconds = 1, .setup = 60, .update = 20};
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    int copying = 0;
    options.executions = options.updates = 10;
    EXPECT_OK(spl_spmv_plan(s->context, &s->a.view, &options, &plan));
    EXPECT(spl__cost(&plan->steps[0].task, &estimate) == 1 + (60 + 10 * 20.0) / 10);
    for (int i = 0; i < plan->candidate_count; i++) {
        const spl__candidate *c = &plan->candidates[i];
        if (c->why_not)
            continue;
        copying += c->estimate.update > 0;
        EXPECT(c->entry->method->update || c->estimate.update == 0);
        EXPECT(c->estimate.update < c->estimate.setup || c->estimate.setup == 0);
    }
    EXPECT(copying > 0);
    spl_plan_destroy(plan);
}

/* Many executions with the same values pay for a copy; with new ones in each they do not. */
static void new_values_each_time_need_no_copy(void **state)
{
    const setting *s = *state;
    bool in_place[2];
    for (int k = 0; k < 2; k++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        options.executions = 100000;
        options.updates = k * options.executions;
        EXPECT_OK(spl_spmv_plan(s->context, &s->a.view, &options, &plan));
        in_place[k] = plan->steps[0].entry->method->attributes & SPL__IN_PLACE;
        spl_plan_destroy(plan);
    }
    EXPECT(!in_place[0] && in_place[1]);
}

/* A plan searches identical rows; reading all columns twice costs time. */
static void a_search_is_charged(void **state)
{
    const setting *s = *state;
    spl_plan *plan = plan_for(s, 1);
    double bytes = (double)s->a.view.nnz * 4;
    bool seen = false;
    for (int i = 0; i < plan->candidate_count; i++) {
        const spl__candidate *c = &plan->candidates[i];
        if (strcmp(c->entry->id, "spmv/compute/cpu/identical_rows") != 0)
            continue;
        seen = true;
        EXPECT(c->estimate.setup >= bytes / plan->machine->memory_bandwidth);
    }
    EXPECT(seen);
    spl_plan_destroy(plan);
}

/* Copies of values pay back in many executions, and are no choice for one. */
static void one_execution_copies_no_values(void **state)
{
    const setting *s = *state;
    spl_plan *one = plan_for(s, 1), *many = plan_for(s, INT32_MAX);
    int refused = 0;
    for (int i = 0; i < one->candidate_count; i++) {
        bool copies = !(one->candidates[i].entry->method->attributes & SPL__IN_PLACE);
        refused += copies && one->candidates[i].why_not && !many->candidates[i].why_not;
        EXPECT(!copies || one->candidates[i].why_not);
    }
    EXPECT(refused > 0);
    spl_plan_destroy(one);
    spl_plan_destroy(many);
}

/* A bound of nnz(C) leaves gaps between rows, which do not matter to a plan for one execution. */
static void a_bound_is_charged_by_executions(void **state)
{
    const setting *s = *state;
    double seconds[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        options.executions = k == 0 ? 1 : 1000;
        EXPECT_OK(spl_spgemm_plan(s->context, &s->a.view, &s->a.view, NULL, &options, &plan));
        for (int i = 0; i < plan->candidate_count; i++)
            if (!strcmp(plan->candidates[i].entry->id, "spgemm/symbolic/cpu/upper_bound"))
                seconds[k] = plan->candidates[i].estimate.seconds;
        spl_plan_destroy(plan);
    }
    EXPECT(seconds[0] > 0 && seconds[1] > 10 * seconds[0]);
}

static void negative_numbers_are_refused(void **state)
{
    const setting *s = *state;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.executions = -1;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(s->context, &s->a.view, &options, &plan));
    EXPECT(strstr(spl_error_detail(), "executions is -1"));
    options.executions = 0;
    options.updates = -1;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_plan(s->context, &s->a.view, &options, &plan));
    EXPECT(strstr(spl_error_detail(), "updates is -1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setup_is_shared_among_executions),
        cmocka_unit_test(updates_are_charged),
        cmocka_unit_test(new_values_each_time_need_no_copy),
        cmocka_unit_test(a_search_is_charged),
        cmocka_unit_test(one_execution_copies_no_values),
        cmocka_unit_test(a_bound_is_charged_by_executions),
        cmocka_unit_test(negative_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
