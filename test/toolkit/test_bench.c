/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark harness: which libraries are timed, and which wrong ones are detected, on the
 * host and on devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bench_summary.h>
#include <gen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---------------------------------------------------------------------------------- fake rivals */

static int runs, prepared, released;

static const char *start(const bench_target *target)
{
    return target->threads > 0 ? NULL : "no threads";
}

static const char *version(void)
{
    return "0.0";
}

static void *prepare(const bench_problem *problem)
{
    bench_problem *state = malloc(sizeof *state);
    assert_non_null(state);
    *state = *problem;
    if (problem->operation == BENCH_SPMV || problem->operation == BENCH_SPMM)
        for (int64_t i = 0; i < problem->a.rows * problem->columns; i++)
            assert_true(isnan(((const double *)problem->y)[i]));
    prepared++;
    return state;
}

static void *refuse(const bench_problem *problem)
{
    (void)problem;
    return NULL;
}

static void release(void *state)
{
    released++;
    free(state);
}

/* Nearly right: one element is off by a millionth. */
static int run_wrong(void *state)
{
    bench_problem *p = state;
    runs++;
    spl_context *context = NULL;
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    assert_int_equal(spl_spmv(context, NULL, &p->a, p->x, NULL, p->y, NULL), SPL_OK);
    spl_context_destroy(context);
    ((double *)p->y)[p->a.rows / 2] += 1e-6;
    return 1;
}

/* Leaves y as it was. */
static int run_idle(void *state)
{
    (void)state;
    return 1;
}

static int run_failing(void *state)
{
    (void)state;
    return 0;
}

static const char *reason(void)
{
    return "somebody's call: out of luck";
}

/* C = A is not C = A*A. */
static int result_operand(void *state, spl_sparse *c)
{
    *c = ((bench_problem *)state)->a;
    return 1;
}

static const bench_rival wrong = {
    .name = "wrong",
    .start = start,
    .version = version,
    .kernels = {[BENCH_SPMV] = {.prepare = prepare, .run = run_wrong, .release = release},
                [BENCH_SPMM] = {.prepare = prepare, .run = run_idle, .release = release},
                [BENCH_SPGEMM] = {.prepare = prepare,
                                  .run = run_idle,
                                  .result = result_operand,
                                  .release = release}},
};
static const bench_rival failing = {
    .name = "failing",
    .start = start,
    .version = version,
    .failure = reason,
    .kernels = {[BENCH_SPMV] = {.prepare = prepare, .run = run_failing, .release = release},
                [BENCH_SPMM] = {.prepare = refuse, .run = run_idle, .release = release}},
};

static bench_setup setup_with(bench_flusher *flusher)
{
    const bench_target target = {.threads = 2};
    assert_null(bench_own.start(&target));
    return (bench_setup){.rivals = {&bench_own, &wrong, &failing, &bench_own},
                         .count = 4,
                         .threads = 2,
                         .triad = 1e9,
                         .flusher = flusher};
}

static bench_case run_one(bench_setup *setup, bench_operation operation, int64_t columns)
{
    gen_matrix matrix;
    gen_message message;
    assert_int_equal(gen_make("box2d:12,11,2", 1, SPL_F64, &matrix, &message), GEN_OK);
    spl_sparse a = gen_view(&matrix);
    bench_case item = {.set = "tiny",
                       .matrix = "box",
                       .operation = operation,
                       .type = SPL_F64,
                       .columns = columns};
    prepared = released = runs = 0;
    assert_int_equal(bench_run(setup, &a, NULL, &item), SPL_OK);
    assert_int_equal(prepared, released);
    gen_free(&matrix);
    return item;
}

static void check_good(const bench_entry *entry)
{
    assert_int_equal(entry->verdict, BENCH_GOOD);
    assert_true(entry->check.ok && entry->check.compared > 0);
    assert_true(entry->warm.runs >= 1 && entry->warm.q1 <= entry->warm.median &&
                entry->warm.median <= entry->warm.q3);
    assert_true(entry->prepare >= 0 && entry->first > 0);
}

static void test_wrong_results_are_not_timed(void **state)
{
    (void)state;
    bench_flusher flusher = {NULL, 0};
    bench_setup setup = setup_with(&flusher);
    bench_case item = run_one(&setup, BENCH_SPMV, 1);
    check_good(&item.entries[0]);
    check_good(&item.entries[3]);
    assert_int_equal(item.entries[1].verdict, BENCH_WRONG);
    assert_int_equal(item.entries[2].verdict, BENCH_FAILED);
    assert_string_equal(item.entries[2].reason, "somebody's call: out of luck");
    assert_string_equal(item.entries[0].reason, "");
    assert_int_equal(runs, 1);
    assert_int_equal(item.batch, 1);
    assert_true(item.entries[1].warm.runs == 0 && isnan(item.entries[1].warm.median));
    assert_true(item.flop == 2.0 * (double)item.nnz);
    assert_true(item.bytes ==
                12.0 * (double)item.nnz + 4.0 * (double)(item.rows + 1) + 16.0 * (double)item.rows);
    assert_true(isnan(bench_ratio(&item, 1)) && !isnan(bench_ratio(&item, 3)));
}

static void test_other_operations(void **state)
{
    (void)state;
    bench_flusher flusher = {NULL, 0};
    bench_setup setup = setup_with(&flusher);
    bench_case item = run_one(&setup, BENCH_SPMM, 5);
    check_good(&item.entries[0]);
    assert_int_equal(item.entries[1].verdict, BENCH_WRONG); /* NaN where nothing was written */
    assert_int_equal(item.entries[2].verdict, BENCH_FAILED);
    item = run_one(&setup, BENCH_SPGEMM, 1);
    check_good(&item.entries[0]);
    assert_int_equal(item.entries[1].verdict, BENCH_WRONG);
    assert_int_equal(item.entries[2].verdict, BENCH_ABSENT);
    item = run_one(&setup, BENCH_NUMERIC, 1);
    check_good(&item.entries[0]);
    assert_int_equal(item.entries[1].verdict, BENCH_ABSENT);
}

static void test_cold_runs(void **state)
{
    (void)state;
    double values[64] = {0};
    bench_flusher flusher = {values, 64};
    bench_setup setup = setup_with(&flusher);
    bench_case item = run_one(&setup, BENCH_SPMV, 1);
    assert_true(item.entries[0].cold.runs == 5 && item.entries[1].cold.runs == 0);
    /* before each of five runs of two libraries */
    assert_true(values[0] == 10 && values[63] == 10);
}

static int stop(void)
{
    return 1;
}

static void test_interrupt(void **state)
{
    (void)state;
    bench_flusher flusher = {NULL, 0};
    bench_setup setup = setup_with(&flusher);
    setup.interrupted = stop;
    gen_matrix matrix;
    gen_message message;
    assert_int_equal(gen_make("diagonal:5", 1, SPL_F64, &matrix, &message), GEN_OK);
    spl_sparse a = gen_view(&matrix);
    bench_case item = {.operation = BENCH_SPMV, .type = SPL_F64, .columns = 1};
    assert_int_equal(bench_run(&setup, &a, NULL, &item), SPL_CANCELLED);
    gen_free(&matrix);
}

/* -------------------------------------------------------------------------------------- devices */

/* A library with a queue: runs are enqueued, and done when somebody waits, a millisecond after
 * that. The result is computed once. */
static struct {
    int planned, enqueued, computed, longest, fail_wait;
} queue;

static int plan_queue(void *state)
{
    assert_int_equal(((bench_problem *)state)->variant, 7);
    return ++queue.planned;
}

static int enqueue(void *state)
{
    (void)state;
    return ++queue.enqueued;
}

static int wait_queue(void *state)
{
    bench_problem *p = state;
    struct timespec millisecond = {0, 1000000};
    queue.longest = queue.enqueued > queue.longest ? queue.enqueued : queue.longest;
    if (queue.enqueued)
        nanosleep(&millisecond, NULL);
    if (queue.enqueued && !queue.computed) {
        spl_context *context = NULL;
        assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
        assert_int_equal(spl_spmv(context, NULL, &p->a, p->x, NULL, p->y, NULL), SPL_OK);
        spl_context_destroy(context);
        queue.computed = 1;
    }
    queue.enqueued = 0;
    return !queue.fail_wait;
}

static double peak_of_queue(void *state)
{
    (void)state;
    return 12345;
}

static const bench_rival queued = {
    .name = "queued",
    .start = start,
    .version = version,
    .failure = reason,
    .kernels = {[BENCH_SPMV] = {.prepare = prepare,
                                .plan = plan_queue,
                                .run = enqueue,
                                .wait = wait_queue,
                                .release = release,
                                .peak = peak_of_queue,
                                .variant = 7}},
};

static void test_runs_between_two_waits(void **state)
{
    (void)state;
    bench_setup setup = {
        .rivals = {&queued, &failing}, .count = 2, .threads = 2, .device = "queue"};
    memset(&queue, 0, sizeof queue);
    bench_case item = run_one(&setup, BENCH_SPMV, 1);
    check_good(&item.entries[0]);
    assert_int_equal(queue.planned, 1);
    assert_true(item.batch >= 2 && item.batch <= 20); /* 20 ms of runs that take at least one */
    assert_int_equal(queue.longest, item.batch);
    assert_true(item.entries[0].warm.median * item.batch >= 1e-3 && item.entries[0].first >= 1e-3);
    assert_true(item.entries[0].peak == 12345 && isnan(item.entries[1].peak));
    assert_int_equal(item.entries[0].cold.runs, 0);

    queue.computed = 0;
    queue.fail_wait = 1;
    item = run_one(&setup, BENCH_SPMV, 1);
    assert_int_equal(item.entries[0].verdict, BENCH_FAILED);
    assert_string_equal(item.entries[0].reason, "somebody's call: out of luck");
    assert_int_equal(item.entries[0].warm.runs, 0);
}

static bench_target emulator(const char *name, int32_t first_ordinal)
{
    int32_t devices = 0;
    if (spl_driver_devices(name, &devices) != SPL_OK)
        skip();
    return (bench_target){.threads = 2, .devices = name, .place = {SPL_EMULATOR, first_ordinal}};
}

/* Entries of C = A*A of the matrix of run_one, which has two unknowns on each of 12 x 11 points of
 * a box. */
static double entries_of_square(void)
{
    double points = 0;
    for (int x = 0; x < 12; x++)
        for (int y = 0; y < 11; y++)
            for (int i = -2; i <= 2; i++)
                for (int j = -2; j <= 2; j++)
                    points += x + i >= 0 && x + i < 12 && y + j >= 0 && y + j < 11;
    return 4 * points;
}

static void check_on_device(const char *name, int32_t first_ordinal)
{
    const bench_target target = emulator(name, first_ordinal);
    bench_setup setup = {
        .rivals = {&bench_own_device, &bench_own_device}, .count = 2, .threads = 2, .device = name};
    assert_null(bench_own_device.start(&target));
    for (int operation = 0; operation < BENCH_OPERATIONS; operation++)
        for (int order = SPL_ROW_MAJOR; order <= SPL_COLUMN_MAJOR; order++) {
            setup.order = (spl_order)order;
            bench_case item =
                run_one(&setup, (bench_operation)operation, operation == BENCH_SPMM ? 5 : 1);
            for (int i = 0; i < 2; i++) {
                check_good(&item.entries[i]);
                double least = operation >= BENCH_SPGEMM ? 12 * entries_of_square() : 0;
                assert_true(item.entries[i].peak >= least && item.entries[i].peak < 1e6);
            }
        }
}

static void test_own_with_32_lanes(void **state)
{
    (void)state;
    check_on_device("emu", 0);
}

static void test_own_with_64_lanes(void **state)
{
    (void)state;
    check_on_device("emu64", 64);
}

/* A device that cannot be opened is a failure with a reason, not the end. */
static void test_own_without_a_device(void **state)
{
    (void)state;
    const bench_target target = {.threads = 2, .devices = "emu:99", .place = {SPL_EMULATOR, 99}};
    bench_setup setup = {.rivals = {&bench_own_device}, .count = 1, .threads = 2, .device = "none"};
    assert_null(bench_own_device.start(&target));
    for (int operation = 0; operation < BENCH_OPERATIONS; operation++) {
        bench_case item = run_one(&setup, (bench_operation)operation, 1);
        assert_int_equal(item.entries[0].verdict, BENCH_FAILED);
        assert_true(strlen(item.entries[0].reason) > 0);
    }
}

static void test_column_major(void **state)
{
    (void)state;
    bench_setup setup = setup_with(NULL);
    setup.count = 1;
    setup.order = SPL_COLUMN_MAJOR;
    bench_case item = run_one(&setup, BENCH_SPMM, 5);
    check_good(&item.entries[0]);
}

/* -------------------------------------------------------------------------------------- machine */

static void test_machine(void **state)
{
    (void)state;
    assert_true(bench_cache_bytes() > 0 && bench_free_bytes() > 0);
    bench_flusher flusher = bench_flusher_open();
    if (flusher.values) {
        bench_flush(&flusher);
        assert_true(flusher.values[0] == 1 && flusher.values[flusher.count - 1] == 1);
    }
    bench_flusher_close(&flusher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_results_are_not_timed),
        cmocka_unit_test(test_other_operations),
        cmocka_unit_test(test_cold_runs),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_runs_between_two_waits),
        cmocka_unit_test(test_own_with_32_lanes),
        cmocka_unit_test(test_own_with_64_lanes),
        cmocka_unit_test(test_own_without_a_device),
        cmocka_unit_test(test_column_major),
        cmocka_unit_test(test_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
