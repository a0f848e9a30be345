/* SPDX-License-Identifier: Apache-2.0 */
/* Whether one thread executes a step or all do: by what waking them takes, by what executions show.
 * Results are the same bits. */
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "lib/testing.h"
#include "plan/plan.h"
#include "spgemm/product.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60000, THREADS = 4, TRIALS = 2 * SPL__TEAM_TRIALS };

/* Three entries a row. */
typedef struct band {
    int32_t offsets[ROWS + 1];
    int32_t columns[3 * ROWS];
    double values[3 * ROWS];
    spl_sparse view;
} band;

static band *make_band(int64_t rows)
{
    band *b = zoo_allocate(sizeof *b);
    int32_t count = 0;
    b->offsets[0] = 0;
    for (int64_t i = 0; i < rows; b->offsets[++i] = count)
        for (int64_t j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < rows) {
                b->columns[count] = (int32_t)j;
                b->values[count++] = 1 / (double)(i + 2 * j + 1);
            }
    b->view = zoo_csr(SPL_F64, rows, rows, b->offsets, b->columns, b->values);
    return b;
}

static spl__step *step_of(spl_plan *plan, spl__phase phase)
{
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].task.phase == phase)
            return &plan->steps[i];
    testing_fail("a step of the phase", __FILE__, __LINE__);
    return NULL;
}

static spl_plan *plan_while(spl_context *context, const band *b, double waking)
{
    spl_plan *plan = NULL;
    spl__team_seconds_assume(waking);
    EXPECT_OK(spl_spmv_plan(context, &b->view, NULL, &plan));
    return plan;
}

static void execute(spl_plan *plan, double *y)
{
    static double x[ROWS];
    for (int64_t i = 0; i < ROWS; i++)
        x[i] = sin((double)i);
    memset(y, 0xff, sizeof(double[ROWS]));
    EXPECT_OK(spl_spmv_execute(plan, NULL, x, NULL, y, NULL));
}

static void loops_are_worth_a_team(void **state)
{
    (void)state;
    spl__team_seconds_assume(0);
    EXPECT(spl__threads_worth(9e-6, 4) == 1 && spl__threads_worth(11e-6, 4) == 4);
    EXPECT(spl__threads_worth(1, 1) == 1);
    spl__team_seconds_assume(40e-6);
    EXPECT(spl__threads_worth(79e-6, 4) == 1 && spl__threads_worth(81e-6, 4) == 4);
    EXPECT(spl__threads_for(158000, 4) == 1 && spl__threads_for(162000, 4) == 4);
    spl__team_seconds_assume(1);
    EXPECT(spl__threads_worth(0.9e-3, 4) == 1 && spl__threads_worth(1.1e-3, 4) == 4);
    EXPECT(spl__team_for_parts(16, 0) == 1 && spl__team_for_parts(16, 1) == 1);
    EXPECT(spl__team_for_parts(16, 2) == 16 && spl__team_for_parts(1, 100) == 1);
}

static void waking_is_measured_once(void **state)
{
    (void)state;
    spl__team_seconds_assume(-1);
    EXPECT(spl__team_seconds(1) == 0);
    const double seconds = spl__team_seconds(2);
    EXPECT(seconds > 0 && seconds <= 0.1e-3);
    int wrong = 0;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    wrong += spl__team_seconds(2) != (omp_in_parallel() ? 0 : seconds);
    EXPECT(wrong == 0);
    for (int k = 0; k < 3; k++)
        EXPECT(spl__team_seconds(2) == seconds && spl__team_seconds(3) == seconds);
    spl__team_seconds_assume(0);
}

/* What the explanation says of the threads of the only step, and its next execution's. */
static void expect_explained(const spl_plan *plan, const char *words, int32_t threads)
{
    static char text[1 << 14];
    spl_step step = SPL_STEP_INIT;
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    EXPECT_OK(spl_plan_step(plan, 0, &step));
    testing_case("%s", text);
    EXPECT(words ? strstr(text, words) != NULL : strstr(text, "\n  threads") == NULL);
    EXPECT(step.threads == threads);
}

static void plans_are_told_what_waking_takes(void **state)
{
    (void)state;
    spl_context *context = testing_context(THREADS);
    band *b = make_band(ROWS);
    spl_plan *free_of_charge = plan_while(context, b, 0), *dear = plan_while(context, b, 1);
    const spl__step *step = step_of(free_of_charge, SPL__PHASE_compute);
    EXPECT(!step->team.alone && !step->team.in_doubt && spl__step_threads(step) == THREADS);
    step = step_of(dear, SPL__PHASE_compute);
    EXPECT(step->team.alone && !step->team.in_doubt && spl__step_threads(step) == 1);
    expect_explained(free_of_charge, NULL, THREADS);
    expect_explained(dear, "\n  threads 1 of 4: waking the others", 1);
    spl_plan_destroy(free_of_charge);
    spl_plan_destroy(dear);
    spl_context_destroy(context);
    free(b);
}

/* Predictions may be wrong by a factor of three. */
static void doubt_has_an_end(void **state)
{
    (void)state;
    spl_context *context = testing_context(THREADS);
    band *b = make_band(ROWS);
    spl_plan *plan = plan_while(context, b, 0);
    const double alone = step_of(plan, SPL__PHASE_compute)->estimate.one;
    spl_plan_destroy(plan);
    for (int times = 2; times <= 4; times += 2) {
        plan = plan_while(context, b, times * alone);
        EXPECT(step_of(plan, SPL__PHASE_compute)->team.in_doubt == (times < 3));
        spl_plan_destroy(plan);
    }
    spl_context_destroy(context);
    free(b);
}

/* `known`: what is slower than any execution, by all threads (0) or by one (1). */
static void try_both(spl_context *context, const band *b, double waking, int known)
{
    static const char doubt[] = "\n  threads 1 or 4, the first 10 executions try which";
    static double first[ROWS], y[ROWS];
    spl_plan *plan = plan_while(context, b, waking);
    spl__step *step = step_of(plan, SPL__PHASE_compute);
    EXPECT(step->team.alone && step->team.in_doubt);
    execute(plan, first);
    for (int k = 1; k < TRIALS; k++) {
        EXPECT(step->team.in_doubt && step->team.alone == (k < SPL__TEAM_TRIALS));
        expect_explained(plan, doubt, step->team.alone ? 1 : THREADS);
        for (int l = 0; l < SPL__TEAM_TRIALS; l++)
            step->team.seconds[!known][l] = 1e-12;
        execute(plan, y);
        EXPECT(memcmp(first, y, sizeof y) == 0);
    }
    for (int k = 0; k < 3; k++) {
        EXPECT(!step->team.in_doubt && step->team.alone == (known == 0));
        expect_explained(plan, doubt, known == 0 ? 1 : THREADS);
        for (int l = 0; l < SPL__TEAM_TRIALS; l++)
            EXPECT(step->team.seconds[known][l] > 0);
        execute(plan, y);
        EXPECT(memcmp(first, y, sizeof y) == 0);
    }
    spl_plan_destroy(plan);
}

static void executions_try_both(void **state)
{
    (void)state;
    spl_context *context = testing_context(THREADS);
    band *b = make_band(ROWS);
    spl_plan *plan = plan_while(context, b, 0);
    const spl__estimate *e = &step_of(plan, SPL__PHASE_compute)->estimate;
    const double gain = e->one - e->seconds;
    for (int known = 0; known < 2; known++)
        try_both(context, b, gain, known);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    free(b);
}

static void sparse_products_are_told(void **state)
{
    (void)state;
    spl_context *context = testing_context(THREADS);
    band *b = make_band(5000);
    spl_options options = SPL_OPTIONS_INIT;
    options.method = "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/dense";
    for (int dear = 0; dear < 2; dear++) {
        spl_plan *plan = NULL;
        spl__team_seconds_assume(dear);
        EXPECT_OK(spl_spgemm_plan(context, &b->view, &b->view, NULL, &options, &plan));
        EXPECT(spl__step_threads(step_of(plan, SPL__PHASE_symbolic)) == (dear ? 1 : THREADS));
        EXPECT((spl__numeric_threads(step_of(plan, SPL__PHASE_numeric)) == 1) == dear);
        spl_plan_destroy(plan);
    }
    spl_context_destroy(context);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_worth_a_team),
        cmocka_unit_test(waking_is_measured_once),
        cmocka_unit_test(plans_are_told_what_waking_takes),
        cmocka_unit_test(doubt_has_an_end),
        cmocka_unit_test(executions_try_both),
        cmocka_unit_test(sparse_products_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
