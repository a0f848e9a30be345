/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations: text of any capacity, steps, candidates, features, counters. */
#include "lib/guarded.h"
#include "lib/testing.h"

#include <math.h>
#include <string.h>

typedef struct setting {
    spl_context *context;
    zoo_matrix a;
    spl_plan *plans[3];
} setting;

enum { PLANS = 3 };
static const char *const operations[PLANS] = {"spmv/", "spmm/", "spgemm/"};

static int start(void **state)
{
    static setting s;
    memset(&s, 0, sizeof s);
    s.context = testing_context(2);
    zoo_matrix_make(&s.a, zoo_find("box2d_d3"), zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_spmv_plan(s.context, &s.a.view, NULL, &s.plans[0]));
    EXPECT_OK(spl_spmm_plan(s.context, &s.a.view, 8, NULL, &s.plans[1]));
    EXPECT_OK(spl_spgemm_plan(s.context, &s.a.view, &s.a.view, NULL, NULL, &s.plans[2]));
    *state = &s;
    return 0;
}

static int stop(void **state)
{
    setting *s = *state;
    for (int p = 0; p < PLANS; p++)
        spl_plan_destroy(s->plans[p]);
    zoo_matrix_free(&s->a);
    spl_context_destroy(s->context);
    return 0;
}

static void text_is_cut_to_capacity(void **state)
{
    setting *s = *state;
    for (int p = 0; p < PLANS; p++) {
        size_t length = 0, again = 0;
        EXPECT_OK(spl_plan_explain(s->plans[p], NULL, 0, &length));
        EXPECT(length > 100);
        guarded full_text = guarded_new(length + 1);
        EXPECT_OK(spl_plan_explain(s->plans[p], full_text.data, length + 1, NULL));
        EXPECT(strlen(full_text.data) == length && guarded_intact(&full_text));
        for (size_t capacity = 1; capacity <= length; capacity += 97) {
            guarded part = guarded_new(capacity);
            testing_case("plan %d, capacity %zu of %zu", p, capacity, length);
            EXPECT_OK(spl_plan_explain(s->plans[p], part.data, capacity, &again));
            EXPECT(again == length && guarded_intact(&part));
            EXPECT(((char *)part.data)[capacity - 1] == 0);
            EXPECT(memcmp(part.data, full_text.data, capacity - 1) == 0);
            guarded_free(&part);
        }
        guarded_free(&full_text);
    }
}

static void text_names_what_was_chosen(void **state)
{
    setting *s = *state;
    static char text[1 << 16];
    for (int p = 0; p < PLANS; p++) {
        EXPECT_OK(spl_plan_explain(s->plans[p], text, sizeof text, NULL));
        for (int32_t n = 0; n < spl_plan_step_count(s->plans[p]); n++) {
            spl_step step = SPL_STEP_INIT;
            EXPECT_OK(spl_plan_step(s->plans[p], n, &step));
            testing_case("%s in\n%s", step.method, text);
            EXPECT(strstr(text, step.method) != NULL);
        }
    }
}

static void steps_cover_all_rows(void **state)
{
    setting *s = *state;
    for (int p = 0; p < PLANS; p++) {
        int64_t rows = 0;
        const char *phase = NULL;
        int phases = 0;
        EXPECT(spl_plan_step_count(s->plans[p]) > 0);
        for (int32_t n = 0; n < spl_plan_step_count(s->plans[p]); n++) {
            spl_step step = SPL_STEP_INIT;
            EXPECT_OK(spl_plan_step(s->plans[p], n, &step));
            testing_case("plan %d, step %d: %s", p, n, step.method);
            EXPECT(strncmp(step.method, operations[p], strlen(operations[p])) == 0);
            EXPECT(strstr(step.method, step.phase) != NULL && strlen(step.reason) > 3 &&
                   strlen(step.rows) > 0);
            EXPECT(step.seconds >= 0 && isfinite(step.seconds));
            phases += !phase || strcmp(phase, step.phase) != 0;
            phase = step.phase;
            rows += step.row_count;
        }
        testing_case("plan %d", p);
        EXPECT(rows == phases * s->a.view.rows); /* each phase handles each row once */
    }
    spl_step step = SPL_STEP_INIT;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_plan_step(s->plans[0], spl_plan_step_count(s->plans[0]), &step));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_step(s->plans[0], -1, &step));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_step(s->plans[0], 0, NULL));
}

static void every_step_has_one_chosen_candidate(void **state)
{
    setting *s = *state;
    for (int p = 0; p < PLANS; p++) {
        int chosen[16] = {0};
        int32_t count = spl_plan_candidate_count(s->plans[p]);
        EXPECT(count >= spl_plan_step_count(s->plans[p]));
        for (int32_t n = 0; n < count; n++) {
            spl_candidate c = SPL_CANDIDATE_INIT;
            spl_step step = SPL_STEP_INIT;
            EXPECT_OK(spl_plan_candidate(s->plans[p], n, &c));
            testing_case("plan %d, candidate %d: %s", p, n, c.method);
            EXPECT(c.step >= 0 && c.step < spl_plan_step_count(s->plans[p]) && c.step < 16);
            EXPECT_OK(spl_plan_step(s->plans[p], c.step, &step));
            EXPECT(c.chosen == (strcmp(c.method, step.method) == 0));
            EXPECT(c.applicable || strlen(c.reason) > 3);
            EXPECT(c.applicable || !c.chosen);
            chosen[c.step] += c.chosen;
        }
        for (int32_t n = 0; n < spl_plan_step_count(s->plans[p]); n++)
            EXPECT(chosen[n] == 1);
        spl_candidate c = SPL_CANDIDATE_INIT;
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_candidate(s->plans[p], count, &c));
    }
}

static void features_are_true(void **state)
{
    setting *s = *state;
    spl_description d = SPL_DESCRIPTION_INIT;
    spl_result result = SPL_RESULT_INIT;
    EXPECT_OK(spl_describe(s->context, &s->a.view, &d));
    EXPECT_OK(spl_spgemm_result(s->plans[2], &result));
    for (int p = 0; p < PLANS; p++) {
        testing_case("plan %d", p);
        EXPECT(testing_feature(s->plans[p], "rows") == (double)d.rows);
        EXPECT(testing_feature(s->plans[p], "nnz_a") == (double)d.nnz);
        EXPECT(testing_feature(s->plans[p], "longest_row_a") == (double)d.longest_row);
        EXPECT(fabs(testing_feature(s->plans[p], "mean_row_a") - d.mean_row) < 1e-9);
    }
    EXPECT(testing_feature(s->plans[2], "products") == (double)d.products);
    EXPECT(!result.exact || testing_feature(s->plans[2], "nnz_c") == (double)result.nnz);
    spl_feature f = SPL_FEATURE_INIT;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_feature(s->plans[0], -1, &f));
}

static void nothing_of_nothing(void **state)
{
    (void)state;
    spl_counters counters = SPL_COUNTERS_INIT;
    char text[8];
    testing_case("NULL plans");
    EXPECT(spl_plan_step_count(NULL) == 0 && spl_plan_candidate_count(NULL) == 0 &&
           spl_plan_feature_count(NULL) == 0);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_explain(NULL, text, sizeof text, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_plan_counters(NULL, &counters));
}

/* What was forced is what is chosen, and the reason says so. */
static void forced_methods_are_taken(void **state)
{
    setting *s = *state;
    const char *ids[16];
    int count = testing_methods("spgemm/", ids, 16);
    for (int m = 0; m < count; m++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        int taken = 0;
        options.method = ids[m];
        testing_case("%s", ids[m]);
        EXPECT_OK(spl_spgemm_plan(s->context, &s->a.view, &s->a.view, NULL, &options, &plan));
        for (int32_t n = 0; n < spl_plan_step_count(plan); n++) {
            spl_step step = SPL_STEP_INIT;
            EXPECT_OK(spl_plan_step(plan, n, &step));
            if (strstr(ids[m], step.phase)) {
                EXPECT(strcmp(step.method, ids[m]) == 0);
                taken++;
            }
        }
        EXPECT(taken > 0);
        spl_plan_destroy(plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_is_cut_to_capacity, start, stop),
        cmocka_unit_test_setup_teardown(text_names_what_was_chosen, start, stop),
        cmocka_unit_test_setup_teardown(steps_cover_all_rows, start, stop),
        cmocka_unit_test_setup_teardown(every_step_has_one_chosen_candidate, start, stop),
        cmocka_unit_test_setup_teardown(features_are_true, start, stop),
        cmocka_unit_test_setup_teardown(nothing_of_nothing, start, stop),
        cmocka_unit_test_setup_teardown(forced_methods_are_taken, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
