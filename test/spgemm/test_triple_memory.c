/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of P'*A*P: the same bits with any number of threads, memory, budgets, failures and cancels.
 * On a device: operands on the host. */
#include "lib/triple_products.h"

#include "core/watch.h"
#include "lib/cancelling.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

static void same_bits(void **state)
{
    (void)state;
    for (int coarse = 1; coarse <= 2; coarse++) {
        zoo_matrix a, p;
        double *first = NULL;
        triple_make_mesh(&a, &p, testing_device() ? 6 : 12, coarse, coarse);
        for (int threads = 1; threads <= 4; threads += testing_device() ? 3 : 1) {
            spl_context *context = testing_context(threads);
            spl_result r = SPL_RESULT_INIT;
            spl_plan *plan;
            triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
            x.options.deterministic = testing_device() != NULL;
            EXPECT_OK(spl_triple_plan(context, x.a, x.p, &x.options, &plan));
            EXPECT_OK(spl_spgemm_result(plan, &r));
            double *values = triple_execute(&x, plan);
            if (first)
                EXPECT(memcmp(first, values, (size_t)r.nnz * sizeof *first) == 0);
            else
                first = triple_execute(&x, plan);
            free(values);
            spl_plan_destroy(plan);
            spl_context_destroy(context);
        }
        free(first);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
}

/* Of nodes nothing of the size of A*P is ever there, nor of a copy of A or P, and indices are
 * saved, too. Of entries A*P may be stored, with twice the operands' bytes, and up to 48 bytes for
 * each four entries of P and A*P while it is found. */
static void memory_of_plans(void **state)
{
    (void)state;
    if (testing_device())
        skip();
    for (int size = 1; size <= 3; size += 2) {
        zoo_matrix a, p;
        spl_plan *plan;
        spl_result r = SPL_RESULT_INIT;
        spl_counters before = SPL_COUNTERS_INIT, after = SPL_COUNTERS_INIT;
        spl_context *context = testing_context(1);
        triple_make_mesh(&a, &p, 12, size, size);
        triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        EXPECT_OK(spl_triple_plan(context, x.a, x.p, NULL, &plan));
        EXPECT_OK(spl_spgemm_result(plan, &r));
        EXPECT_OK(spl_plan_counters(plan, &before));
        const double blocks = (double)size * size, rows = (double)a.view.rows,
                     kept = size > 1 ? 0 : 24 * (double)(a.view.nnz + p.view.nnz),
                     found = size > 1 ? 0 : 12 * (double)p.view.nnz + 200 * rows,
                     notes =
                         8 * (double)p.view.nnz / blocks + 12 * rows + 24 * (double)r.rows + kept;
        EXPECT((double)before.live < notes + 4 * (double)r.nnz / blocks + 65536);
        EXPECT((double)before.peak < notes + found + 8 * (double)r.nnz / blocks + 65536);
        free(triple_execute(&x, plan));
        EXPECT_OK(spl_plan_counters(plan, &after));
        EXPECT(after.allocations == before.allocations && after.executions == 1);
        spl_plan_destroy(plan);
        spl_context_destroy(context);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
}

/* Whatever allocation fails: a status, and nothing is left. */
static void failing_allocations(void **state)
{
    (void)state;
    zoo_matrix a, p;
    hook_allocator hook;
    triple_planning x = {.a = &a.view, .p = &p.view};
    triple_make_nodes(&a, &p, 2, 1, 0, testing_fresh_seed());
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &x.context));
    EXPECT(hook_fail_each(&hook, triple_make_plan, &x).refused > 5);
    spl_context_destroy(x.context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* Under any budget: never more than that, and one that is asked for suffices soon. */
static void small_budgets(void **state)
{
    (void)state;
    zoo_matrix a, p;
    hook_allocator hook;
    spl_context *context;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    if (testing_device()) /* has a budget of its own */
        skip();
    triple_make_nodes(&a, &p, 2, 1, 0, testing_fresh_seed());
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    const size_t live = hook.live;
    options.memory_budget = 1;
    int tries = 0;
    for (spl_status status = SPL_OVER_BUDGET; status != SPL_OK; tries++) {
        hook.peak = hook.live;
        status = spl_triple_plan(context, &a.view, &p.view, &options, &plan);
        EXPECT(hook.peak - live <= options.memory_budget);
        if (status != SPL_OK) {
            EXPECT(status == SPL_OVER_BUDGET && hook.live == live);
            EXPECT(spl_error_bytes() > options.memory_budget);
            options.memory_budget = spl_error_bytes();
        }
    }
    EXPECT(tries <= 4);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* A cancel at any report leaves nothing of a plan; an execution can be repeated. */
static void cancelled(void **state)
{
    (void)state;
    zoo_matrix a, p;
    hook_allocator hook;
    cancel_observer observer = {.caller = pthread_self(), .cancel_at = -1};
    spl_plan *plan = NULL;
    const double seconds = spl__watch_seconds;
    triple_make_mesh(&a, &p, 12, 1, 1);
    hook_start(&hook);
    spl_context *context = cancel_context(&hook, &observer);
    triple_product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
    double *values = zoo_allocate((size_t)p.view.cols * (size_t)p.view.cols * sizeof *values);
    const size_t live = hook.live;
    int cancels = 0;
    spl__watch_seconds = 0;
    for (spl_status status = SPL_CANCELLED; status != SPL_OK; cancels++) {
        observer.calls = 0;
        observer.cancel_at = cancels;
        status = spl_triple_plan(context, x.a, x.p, NULL, &plan);
        EXPECT(status == SPL_OK || (status == SPL_CANCELLED && hook.live == live));
    }
    EXPECT(cancels > 4);
    observer.calls = 0;
    observer.cancel_at = 1;
    EXPECT_STATUS(SPL_CANCELLED, spl_spgemm_execute(plan, NULL, NULL, values, NULL));
    observer.cancel_at = -1;
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, values, NULL));
    spl__watch_seconds = seconds;
    double *again = triple_execute(&x, plan);
    spl_result r = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &r));
    EXPECT(!observer.bad && memcmp(values, again, (size_t)r.nnz * sizeof *again) == 0);
    free(again);
    free(values);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* A device's memory is budgeted, too; blocks of rows are not built. */
static void no_room_on_a_device(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    if (!testing_device())
        skip();
    triple_make_mesh(&a, &p, 12, 1, 1);
    spl_context *context = testing_context(1);
    for (options.memory_budget = 5000; options.memory_budget < 500000; options.memory_budget *= 3)
        EXPECT_STATUS(SPL_OVER_BUDGET, spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    EXPECT(!plan);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits),           cmocka_unit_test(memory_of_plans),
        cmocka_unit_test(failing_allocations), cmocka_unit_test(small_budgets),
        cmocka_unit_test(cancelled),           cmocka_unit_test(no_room_on_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
