/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over parts in alternating directions: each part once, a thread's parts the same in both. */
#include "lib/testing.h"
#include "plan/sweep.h"

enum { MOST = 37, EXECUTIONS = 3 };

typedef struct record {
    int visits[MOST], thread[MOST], turn[MOST]; /* of the thread: its how manyth part */
} record;

static record sweep_parts(int64_t count, spl__sweep sweep)
{
    record r = {{0}, {0}, {0}};
    int turns[MOST] = {0};
    SPL__SWEEP_PARTS(part, count, sweep, {
        const int thread = omp_get_thread_num();
        r.visits[part]++;
        r.thread[part] = thread;
        r.turn[part] = turns[thread]++;
    });
    return r;
}

static void expect_parts(int64_t count, int threads)
{
    testing_case("%lld parts, %d threads", (long long)count, threads);
    const record to = sweep_parts(count, (spl__sweep){threads, false}),
                 fro = sweep_parts(count, (spl__sweep){threads, true});
    for (int64_t p = 0; p < count; p++) {
        EXPECT(to.visits[p] == 1 && fro.visits[p] == 1);
        EXPECT(to.thread[p] == fro.thread[p]);
        if (p > 0 && to.thread[p] == to.thread[p - 1]) {
            EXPECT(to.turn[p] == to.turn[p - 1] + 1);
            EXPECT(fro.turn[p] == fro.turn[p - 1] - 1);
        }
    }
}

static void parts_are_swept_both_ways(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++)
        for (int64_t count = 0; count <= MOST; count++)
            expect_parts(count, threads);
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
        cmocka_unit_test(parts_are_swept_both_ways),
        cmocka_unit_test(tasks_are_swept_both_ways),
        cmocka_unit_test(executions_alternate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
