/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over parts in alternating directions: each part once, a thread's share first. */
#include "lib/testing.h"
#include "plan/sweep.h"

enum { MOST = 37, EXECUTIONS = 3, LARGEST = 100 };

/* Each part is visited once, by however many threads, of which some may not come. */
static void parts_are_swept_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++)
        for (int64_t count = 0; count <= MOST; count++)
            for (int backwards = 0; backwards < 2; backwards++) {
                testing_case("%lld parts, %d threads", (long long)count, threads);
                const spl__sweep sweep = {threads, backwards};
                atomic_int visits[MOST] = {0};
                SPL__SWEEP_PARTS(part, count, sweep, { atomic_fetch_add(&visits[part], 1); });
                for (int64_t p = 0; p < count; p++)
                    EXPECT(visits[p] == 1);
            }
}

/* Threads of a team of `asked`, of which `come`, take parts in a drawn order. Each part once; a
 * thread's own share first, in the order of the sweep. */
static void take_all(zoo_random *random, int asked, int come, bool backwards)
{
    const int64_t most = 1 + zoo_random_below(random, SPL__SWEEP_SHARES);
    static spl__sweep_share shares[SPL__SWEEP_SHARES];
    spl__sweep_taking thread[LARGEST];
    int visits[MOST] = {0}, left = come;
    int64_t before[LARGEST];
    const spl__sweep_taking all =
        spl__sweep_shares((spl__sweep){asked, backwards}, MOST, asked, most, shares);
    for (int t = 0; t < come; t++) {
        thread[t] = spl__sweep_begin(all, t, come);
        before[t] = -1;
    }
    while (left > 0) {
        const int t = (int)zoo_random_below(random, left);
        const int64_t share = thread[t].share, part = spl__sweep_take(&thread[t]);
        if (part >= 0) {
            visits[part]++;
            if (before[t] >= 0 && thread[t].share == share && come <= asked)
                EXPECT((part > before[t]) == !backwards);
            before[t] = thread[t].share == share ? part : -1;
        } else {
            thread[t] = thread[--left];
            before[t] = before[left];
        }
    }
    for (int64_t p = 0; p < MOST; p++)
        EXPECT(visits[p] == 1);
}

static void threads_take_what_others_leave(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_fresh_seed());
    for (int number = 0; number < 300; number++) {
        const int asked = 1 + (int)zoo_random_below(&random, LARGEST),
                  come = 1 + (int)zoo_random_below(&random, asked);
        testing_case("number %d: %d asked, %d come", number, asked, come);
        take_all(&random, asked, number % 3 ? come : asked, number % 2 != 0);
    }
}

/* One thread of two takes its share, then the other one's. */
static void shares_have_an_order(void **state)
{
    (void)state;
    static const int64_t there[] = {3, 4, 5, 0, 1, 2, -1}, back[] = {5, 4, 3, 2, 1, 0, -1};
    for (int backwards = 0; backwards < 2; backwards++) {
        spl__sweep_share shares[SPL__SWEEP_SHARES];
        spl__sweep_taking all = spl__sweep_shares((spl__sweep){2, backwards}, 6, 2, 4, shares),
                          second = spl__sweep_begin(all, 1, 2);
        for (int k = 0; k < 7; k++)
            EXPECT(spl__sweep_take(&second) == (backwards ? back : there)[k]);
    }
}

static void tasks_are_swept_both_ways(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++)
        for (int64_t count = 0; count <= MOST; count++)
            for (int backwards = 0; backwards < 2; backwards++) {
                testing_case("%lld tasks, %d threads", (long long)count, threads);
                const spl__sweep sweep = {threads, backwards};
                int64_t visits[MOST] = {0}, last = -1;
                SPL__SWEEP_TASKS(task, count, sweep, {
                    visits[task]++;
                    if (threads == 1) {
                        EXPECT(last < 0 || task == last + (backwards ? -1 : 1));
                        last = task;
                    }
                });
                for (int64_t t = 0; t < count; t++)
                    EXPECT(visits[t] == 1);
            }
}

static void executions_alternate(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    const int64_t offsets[] = {0, 1};
    const int32_t index = 0;
    const double one = 1, x = 2;
    const spl_sparse a = {.size = sizeof a,
                          .format = SPL_CSR,
                          .rows = 1,
                          .cols = 1,
                          .nnz = 1,
                          .type = SPL_F64,
                          .offset_type = SPL_I64,
                          .index_type = SPL_I32,
                          .offsets = offsets,
                          .indices = &index,
                          .values = &one};
    spl_plan *plan;
    EXPECT_OK(spl_spmv_plan(context, &a, NULL, &plan));
    for (int k = 0; k < EXECUTIONS; k++) {
        double y;
        EXPECT(spl__step_sweep(&plan->steps[0]).backwards == (k % 2 != 0));
        EXPECT_OK(spl_spmv_execute(plan, NULL, &x, NULL, &y, NULL));
        EXPECT(y == 2);
    }
    spl_plan_destroy(plan);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_swept_once), cmocka_unit_test(threads_take_what_others_leave),
        cmocka_unit_test(shares_have_an_order), cmocka_unit_test(tasks_are_swept_both_ways),
        cmocka_unit_test(executions_alternate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
