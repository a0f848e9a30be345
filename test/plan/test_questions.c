/* SPDX-License-Identifier: Apache-2.0 */
/* Questions change nothing: those of the planner are put to a plan and a state of C in read-only
 * memory; those of callers have the same answers in any order. */
#include "lib/closed_pages.h"
#include "lib/testing.h"
#include "plan/forced.h"
#include "spgemm/product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct frozen {
    closed_pages pages, state;
    const spl_plan *plan;
} frozen;

static frozen freeze(const spl_plan *plan)
{
    frozen f = {.pages = closed_pages_copy(plan, sizeof *plan), .state = {0}};
    spl_plan *copy = f.pages.data;
    if (plan->state && !plan->problem.queue.device) {
        f.state = closed_pages_copy(plan->state, sizeof(spl__product));
        copy->state = f.state.data;
        closed_pages_freeze(&f.state);
    }
    closed_pages_freeze(&f.pages);
    f.plan = copy;
    return f;
}

static void thaw(frozen *f)
{
    closed_pages_free(&f->pages);
    if (f->state.map)
        closed_pages_free(&f->state);
}

/* Asks about every phase and every method; returns how many methods could serve. */
static int ask_all(const spl_plan *plan)
{
    const struct spl__registry *registry = plan->problem.context->registry;
    spl__row_set all = spl__all_rows(plan);
    int served = 0;
    for (int i = 0; i < registry->count; i++) {
        const spl__registry_entry *e = &registry->entries[i];
        if (e->kind != plan->problem.kind || e->processor != spl__processor_of(plan))
            continue;
        const spl__registry_entry *best = spl__plan_preview(plan, e->phase, &all);
        double seconds = spl__plan_predict(plan, e->phase, &all, e).seconds;
        served += isfinite(seconds);
        EXPECT(best && spl__plan_serves(plan, e->phase, &all));
        EXPECT(spl__plan_predict(plan, e->phase, &all, NULL).seconds ==
               spl__plan_predict(plan, e->phase, &all, best).seconds);
    }
    return served;
}

static void about_all_operations(void **state)
{
    (void)state;
    zoo_matrix a;
    spl_plan *plans[3];
    spl_options options = SPL_OPTIONS_INIT;
    spl_context *context = testing_context(2);
    zoo_matrix_make(&a, zoo_find("uniform_1200"), zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plans[0]));
    EXPECT_OK(spl_spmm_plan(context, &a.view, 8, &options, &plans[1]));
    EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plans[2]));
    for (int k = 0; k < 3; k++) {
        frozen f = freeze(plans[k]);
        EXPECT(ask_all(f.plan) > 1);
        EXPECT(plans[k]->problem.kind != SPL__KIND_spgemm || plans[k]->problem.queue.device ||
               isfinite(spl__product_predict(f.plan)));
        thaw(&f);
        spl_plan_destroy(plans[k]);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* ---- in any order ---- */

enum { ANSWER = 1 << 15, QUESTIONS = 5 };

/* The answer to question `number` of a kind, as text; false: there is no such question. */
static bool answer(const spl_plan *plan, int kind, int32_t number, char *text)
{
    spl_step step = SPL_STEP_INIT;
    spl_candidate c = SPL_CANDIDATE_INIT;
    spl_feature f = SPL_FEATURE_INIT;
    const int32_t counts[QUESTIONS] = {1, spl_plan_step_count(plan), spl_plan_candidate_count(plan),
                                       spl_plan_feature_count(plan), spl_method_count()};
    spl_method_info m = SPL_METHOD_INFO_INIT;
    if (number >= counts[kind])
        return false;
    switch (kind) {
    case 0:
        EXPECT_OK(spl_plan_explain(plan, text, ANSWER, NULL));
        break;
    case 1:
        EXPECT_OK(spl_plan_step(plan, number, &step));
        snprintf(text, ANSWER, "%s %s %s %g %zu", step.method, step.rows, step.reason, step.seconds,
                 step.bytes);
        EXPECT(strlen(step.reason) > 10);
        break;
    case 2:
        EXPECT_OK(spl_plan_candidate(plan, number, &c));
        snprintf(text, ANSWER, "%d %s %d %g %s", c.step, c.method, c.chosen, c.seconds, c.reason);
        break;
    case 3:
        EXPECT_OK(spl_plan_feature(plan, number, &f));
        snprintf(text, ANSWER, "%s %g", f.name, f.value);
        break;
    default:
        EXPECT_OK(spl_method(number, &m));
        snprintf(text, ANSWER, "%s %s", m.id, m.summary);
    }
    return true;
}

/* Answers of one plan in the order of questions. */
static char *all_answers(const spl_plan *plan)
{
    char *all = calloc(1, 8 * ANSWER), *end = all;
    for (int kind = 0; kind < QUESTIONS; kind++)
        for (int32_t n = 0; end < all + 7 * ANSWER && answer(plan, kind, n, end); n++)
            end += strlen(end) + 1;
    EXPECT(end < all + 7 * ANSWER);
    return all;
}

/* Asks some questions, of which the last ones first or in between. */
static void ask_some(const spl_plan *plan, zoo_random *random, const char *expected)
{
    char *text = malloc(ANSWER);
    for (int i = 0; i < 40; i++) {
        const int kind = (int)zoo_random_below(random, QUESTIONS);
        const int32_t number = (int32_t)zoo_random_below(random, 12);
        const char *known = expected;
        if (!answer(plan, kind, number, text))
            continue;
        testing_case("question %d of kind %d: %s", (int)number, kind, text);
        while (*known && strcmp(known, text) != 0)
            known += strlen(known) + 1;
        EXPECT(*known);
    }
    free(text);
}

static void make_plan(spl_context *context, const zoo_matrix *a, int operation, spl_policy policy,
                      spl_plan **plan)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.policy = policy;
    if (operation == 0)
        EXPECT_OK(spl_spmv_plan(context, &a->view, &options, plan));
    else if (operation == 1)
        EXPECT_OK(spl_spmm_plan(context, &a->view, 8, &options, plan));
    else
        EXPECT_OK(spl_spgemm_plan(context, &a->view, &a->view, NULL, &options, plan));
}

/* A plan that is asked in order, and one like it that is asked in another. */
static void have_the_same_answers_in_any_order(void **state)
{
    (void)state;
    zoo_matrix a;
    zoo_random random;
    spl_context *context = testing_context(2);
    zoo_random_seed(&random, testing_fresh_seed());
    zoo_matrix_make(&a, zoo_find("box2d_d3"), zoo_form_number(0), testing_seed());
    for (int operation = 0; operation < 3; operation++)
        for (spl_policy policy = SPL_POLICY_COST; policy <= SPL_POLICY_RULES; policy++) {
            spl_plan *plans[2];
            for (int p = 0; p < 2; p++)
                make_plan(context, &a, operation, policy, &plans[p]);
            char *expected = all_answers(plans[0]);
            ask_some(plans[1], &random, expected);
            char *after = all_answers(plans[1]);
            testing_case("operation %d, policy %d, seed %llu:\n%s\nis not\n%s", operation, policy,
                         (unsigned long long)testing_fresh_seed(), expected, after);
            EXPECT(memcmp(expected, after, 8 * ANSWER) == 0);
            free(expected);
            free(after);
            for (int p = 0; p < 2; p++)
                spl_plan_destroy(plans[p]);
        }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* The first question for a reason makes its text. */
static void of_several_threads_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    zoo_matrix a;
    spl_plan *plan;
    spl_step steps[THREADS];
    spl_context *context = testing_context(2);
    zoo_matrix_make(&a, zoo_find("box2d_d3"), zoo_form_number(0), testing_seed());
    make_plan(context, &a, 2, SPL_POLICY_COST, &plan);
#pragma omp parallel for num_threads(THREADS) schedule(static)
    for (int t = 0; t < THREADS; t++) {
        steps[t] = (spl_step)SPL_STEP_INIT;
        if (spl_plan_step(plan, 0, &steps[t]) != SPL_OK)
            steps[t].reason = "";
    }
    for (int t = 0; t < THREADS; t++)
        EXPECT(strncmp(steps[t].reason, "least predicted time", 20) == 0);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(about_all_operations),
                                       cmocka_unit_test(have_the_same_answers_in_any_order),
                                       cmocka_unit_test(of_several_threads_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
