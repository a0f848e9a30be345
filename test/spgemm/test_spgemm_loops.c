/* SPDX-License-Identifier: Apache-2.0 */
/* What loops of a sparse product cost that all threads share: predictions count waking them, and
 * what one thread does in between; blocks of rows are so small that each thread has some. */
#include "lib/testing.h"
#include "plan/plan.h"
#include "spgemm/product.h"

#include <sparloom/measured.h>
#include <stdlib.h>

enum { ROWS = 3000, REACH = 12, RUN = 3, MOST = 2 * REACH + RUN, THREADS = 4 };

typedef struct band {
    int32_t offsets[ROWS + 1];
    int32_t columns[ROWS * MOST];
    double values[ROWS * MOST];
    spl_sparse view;
} band;

/* Rows come in runs of equal ones, RUN each, of which some are empty; `rows` of them. */
static band *make_band(int64_t rows)
{
    band *b = zoo_allocate(sizeof *b);
    int32_t count = 0;
    b->offsets[0] = 0;
    for (int64_t i = 0; i < rows; b->offsets[++i] = count)
        for (int64_t first = i - i % RUN, j = first - REACH; j < first + REACH; j++)
            if (j >= 0 && j < rows && first % 7 != 0) {
                b->columns[count] = (int32_t)j;
                b->values[count++] = 1 / (double)(i + 2 * j + 1);
            }
    b->view = zoo_csr(SPL_F64, rows, rows, b->offsets, b->columns, b->values);
    return b;
}

static spl_plan *plan_for(spl_context *context, const band *b, const char *method)
{
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    options.method = method;
    options.executions = 1;
    EXPECT_OK(spl_spgemm_plan(context, &b->view, &b->view, NULL, &options, &plan));
    return plan;
}

static const spl__estimate *estimate_of(const spl_plan *plan, spl__phase phase)
{
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].task.phase == phase)
            return &plan->steps[i].estimate;
    testing_fail("a step of the phase", __FILE__, __LINE__);
    return NULL;
}

static void price_loops(spl_context *context, double seconds)
{
    EXPECT_OK(spl_machine_set(context, "cpu/parallel_loop", seconds));
    EXPECT_OK(spl_machine_set(context, "cpu/parallel_loop_thread", seconds));
}

static const char exact[] = "spgemm/symbolic/cpu/bitmap,spgemm/numeric/cpu/dense";

/* One thread works where waking the others would take longer. What one thread does between loops is
 * not shared. */
static void predictions_count_waking(void **state)
{
    (void)state;
    static const spl__phase phases[] = {SPL__PHASE_symbolic, SPL__PHASE_numeric};
    spl_context *context = testing_context(THREADS);
    band *b = make_band(ROWS);
    for (int dear = 0; dear < 2; dear++) {
        price_loops(context, dear ? 1 : 1e-12);
        spl_plan *plan = plan_for(context, b, exact);
        for (int k = 0; k < 2; k++) {
            const spl__estimate *e = estimate_of(plan, phases[k]);
            testing_case("phase %d, dear %d: %g s, alone %g, together %g", k, dear, e->seconds,
                         e->one, e->together);
            EXPECT(e->loops == 1 && e->together < e->one);
            if (phases[k] == SPL__PHASE_symbolic) /* one thread sums up lengths of rows */
                EXPECT(e->together > e->one / THREADS + (1 - 1.0 / THREADS) * 0.999 * e->between);
            EXPECT(dear ? e->seconds == e->one : e->seconds < 1.001 * e->together);
        }
        spl_plan_destroy(plan);
    }
    spl_context_destroy(context);
    free(b);
}

/* A bound has no loop of its own: an exact symbolic phase costs one more. */
static void loops_count(void **state)
{
    (void)state;
    spl_context *context = testing_context(THREADS);
    band *b = make_band(300);
    double exact_seconds[2], bound_seconds[2];
    for (int dear = 0; dear < 2; dear++) {
        price_loops(context, dear ? 20e-6 : 1e-12);
        spl_plan *plan = plan_for(context, b, exact);
        exact_seconds[dear] = estimate_of(plan, SPL__PHASE_symbolic)->seconds;
        spl_plan_destroy(plan);
        plan = plan_for(context, b, "spgemm/symbolic/cpu/upper_bound,spgemm/numeric/cpu/one_pass");
        bound_seconds[dear] = estimate_of(plan, SPL__PHASE_symbolic)->seconds;
        spl_plan_destroy(plan);
    }
    testing_case("exact %g s and %g s, a bound %g s and %g s", exact_seconds[0], exact_seconds[1],
                 bound_seconds[0], bound_seconds[1]);
    EXPECT(exact_seconds[1] > exact_seconds[0] + 20e-6);
    EXPECT(bound_seconds[1] <= bound_seconds[0] + 1e-9);
    spl_context_destroy(context);
    free(b);
}

/* Alone, nothing is waited for. */
static void one_thread_wakes_none(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    band *b = make_band(ROWS);
    double seconds[2];
    for (int dear = 0; dear < 2; dear++) {
        price_loops(context, dear ? 1 : 1e-12);
        spl_plan *plan = plan_for(context, b, exact);
        seconds[dear] = estimate_of(plan, SPL__PHASE_symbolic)->seconds +
                        estimate_of(plan, SPL__PHASE_numeric)->seconds;
        spl_plan_destroy(plan);
    }
    EXPECT(seconds[0] == seconds[1]);
    spl_context_destroy(context);
    free(b);
}

static int64_t blocks_for(int threads, const band *b)
{
    spl_context *context = testing_context(threads);
    spl_plan *plan = plan_for(context, b, exact);
    int64_t count = 0;
    for (int i = 0; i < plan->step_count; i++)
        if (plan->steps[i].task.phase == SPL__PHASE_numeric)
            count = ((const spl__numeric *)plan->steps[i].state)->blocks.count;
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    return count;
}

/* 52,000 products. */
static void threads_have_blocks(void **state)
{
    (void)state;
    band *b = make_band(150);
    const int64_t alone = blocks_for(1, b), shared = blocks_for(THREADS, b);
    testing_case("%lld blocks, %lld for %d threads", (long long)alone, (long long)shared, THREADS);
    EXPECT(alone <= 2 && shared >= 2 * THREADS);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_count_waking),
        cmocka_unit_test(loops_count),
        cmocka_unit_test(one_thread_wakes_none),
        cmocka_unit_test(threads_have_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
