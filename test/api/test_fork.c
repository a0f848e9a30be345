/* SPDX-License-Identifier: Apache-2.0 */
/* fork(): children go on with contexts and plans of their parent, or with their own, and get the
 * same bits. */
#define _POSIX_C_SOURCE 200809L /* alarm */
#include "lib/run_products.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, COLUMNS = 3, SPMV = 0, SPMM, SPGEMM, OPERATIONS, WORKERS = 2, SECONDS = 60 };

/* A product, by a plan of the parent and without one. */
typedef struct job {
    int operation;
    const char *devices;
    uint64_t processors;
    zoo_matrix a;
    int64_t count; /* values of the result */
    double *x, *planned, *at_once, *got;
    spl_context *context;
    spl_plan *plan;
} job;

static spl_options options_of(const job *j)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.deterministic = 1;
    options.processors = j->processors;
    return options;
}

static spl_dense dense_of(int64_t rows, double *values)
{
    spl_dense dense = SPL_DENSE_INIT;
    dense.type = SPL_F64;
    dense.order = SPL_ROW_MAJOR;
    dense.rows = rows;
    dense.cols = dense.ld = COLUMNS;
    dense.values = values;
    return dense;
}

static spl_status make_context(const job *j, spl_context **context)
{
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    options.threads = THREADS;
    options.devices = j->devices;
    return spl_context_create(&options, context);
}

static spl_status make_plan(const job *j, spl_context *context, spl_plan **plan)
{
    const spl_options options = options_of(j);
    const spl_sparse *a = &j->a.view;
    switch (j->operation) {
    case SPMV:
        return spl_spmv_plan(context, a, &options, plan);
    case SPMM:
        return spl_spmm_plan(context, a, COLUMNS, &options, plan);
    default:
        return spl_spgemm_plan(context, a, a, NULL, &options, plan);
    }
}

static spl_status execute(const job *j, spl_plan *plan, double *to)
{
    const spl_dense b = dense_of(j->a.view.cols, j->x), c = dense_of(j->a.view.rows, to);
    switch (j->operation) {
    case SPMV:
        return spl_spmv_execute(plan, NULL, j->x, NULL, to, NULL);
    case SPMM:
        return spl_spmm_execute(plan, NULL, &b, NULL, &c, NULL);
    default:
        return spl_spgemm_execute(plan, NULL, NULL, to, NULL);
    }
}

static spl_status product_at_once(const job *j, spl_context *context, double *to)
{
    spl_matrix *c = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    const spl_options options = options_of(j);
    spl_status status = spl_spgemm(context, NULL, &j->a.view, &j->a.view, NULL, NULL, &options, &c);
    if (status == SPL_OK && spl_matrix_view(c, &view) == SPL_OK && view.nnz == j->count)
        memcpy(to, view.values, (size_t)j->count * sizeof *to);
    spl_matrix_destroy(c);
    return status;
}

static spl_status compute_at_once(const job *j, spl_context *context, double *to)
{
    const spl_options options = options_of(j);
    const spl_dense b = dense_of(j->a.view.cols, j->x), c = dense_of(j->a.view.rows, to);
    switch (j->operation) {
    case SPMV:
        return spl_spmv(context, NULL, &j->a.view, j->x, NULL, to, &options);
    case SPMM:
        return spl_spmm(context, NULL, &j->a.view, &b, NULL, &c, &options);
    default:
        return product_at_once(j, context, to);
    }
}

static int64_t count_results(const job *j)
{
    spl_result result = SPL_RESULT_INIT;
    if (j->operation < SPGEMM)
        return j->a.view.rows * (j->operation == SPMM ? COLUMNS : 1);
    EXPECT_OK(spl_spgemm_result(j->plan, &result));
    return result.nnz;
}

static double *numbers(int64_t count)
{
    return zoo_allocate((size_t)count * sizeof(double));
}

/* The parent's products, after which it has teams of threads. */
static job start(int operation, const char *devices, uint64_t processors, int64_t rows)
{
    job j = {.operation = operation, .devices = devices, .processors = processors};
    const zoo_maker maker = {"uniform", zoo_uniform, {rows, rows, 6}, false};
    zoo_matrix_make(&j.a, &maker, zoo_form_number(0), testing_seed());
    j.x = numbers(rows * COLUMNS);
    for (int64_t i = 0; i < rows * COLUMNS; i++)
        j.x[i] = 1.0 / (double)(1 + i);
    EXPECT_OK(make_context(&j, &j.context));
    EXPECT_OK(make_plan(&j, j.context, &j.plan));
    j.count = count_results(&j);
    j.planned = numbers(j.count);
    j.at_once = numbers(j.count);
    j.got = numbers(j.count);
    EXPECT_OK(execute(&j, j.plan, j.planned));
    EXPECT_OK(compute_at_once(&j, j.context, j.at_once));
    return j;
}

static void stop(job *j)
{
    spl_plan_destroy(j->plan);
    spl_context_destroy(j->context);
    zoo_matrix_free(&j->a);
    free(j->x);
    free(j->planned);
    free(j->at_once);
    free(j->got);
}

static bool same(const job *j, const double *expected)
{
    bool equal = memcmp(j->got, expected, (size_t)j->count * sizeof *expected) == 0;
    memset(j->got, 0xFF, (size_t)j->count * sizeof *j->got);
    return equal;
}

/* What a child does, as its exit status: 0, or what went wrong. cmocka's checks belong to the
 * parent. */
static int go_on(job *j, bool with_plan)
{
    spl_context *context = NULL;
    spl_plan *plan = NULL;
    spl_processor_info cpu = SPL_PROCESSOR_INFO_INIT;
    if (with_plan && (execute(j, j->plan, j->got) != SPL_OK || !same(j, j->planned)))
        return 1;
    if (compute_at_once(j, j->context, j->got) != SPL_OK || !same(j, j->at_once))
        return 2;
    if (make_context(j, &context) != SPL_OK || spl_processor(context, 0, &cpu) != SPL_OK ||
        cpu.threads != 1)
        return 3;
    if (compute_at_once(j, context, j->got) != SPL_OK || !same(j, j->at_once))
        return 4;
    if (make_plan(j, context, &plan) != SPL_OK || execute(j, plan, j->got) != SPL_OK ||
        !same(j, j->planned))
        return 5;
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    if (with_plan)
        spl_plan_destroy(j->plan);
    return 0;
}

/* The exit status of a child that does this; one that hangs is killed. */
static int in_a_child(job *j, bool with_plan, int (*act)(job *j, bool with_plan))
{
    int status;
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        _exit(act(j, with_plan));
    }
    EXPECT(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void expect_child(job *j, bool with_plan)
{
    int status = in_a_child(j, with_plan, go_on);
    testing_case("operation %d on %s: the child ended with %d", j->operation,
                 j->devices ? j->devices : "cpu", status);
    EXPECT(status == 0);
}

static bool sanitized_by(const char *name)
{
    const char *sanitizers = getenv("SPARLOOM_SANITIZE");
    return sanitizers && strstr(sanitizers, name);
}

/* TSan does not follow children of processes with threads. */
static bool cannot_follow(void)
{
    return sanitized_by("thread");
}

/* ASan's allocator does not take its locks before fork (GCC 12): a child inherits the one that a
 * worker holds. */
static bool cannot_allocate(void)
{
    return sanitized_by("address");
}

/* ---- a parent without threads ---- */

static int count_threads(job *j, bool with_plan)
{
    spl_context *context = NULL;
    spl_processor_info cpu = SPL_PROCESSOR_INFO_INIT;
    (void)with_plan;
    if (make_context(j, &context) != SPL_OK || spl_processor(context, 0, &cpu) != SPL_OK ||
        cpu.threads != THREADS)
        return 1;
    *j = start(SPMV, NULL, 0, 8000);
    return 0;
}

/* Must come first: there are no threads yet. */
static void a_child_of_one_thread_has_all(void **state)
{
    job j = {0};
    (void)state;
    if (cannot_follow())
        skip();
    EXPECT(in_a_child(&j, false, count_threads) == 0);
}

/* ---- a parent at rest ---- */

static void children_go_on(void **state)
{
    (void)state;
    if (cannot_follow())
        skip();
    for (int operation = 0; operation < OPERATIONS; operation++) {
        job j = start(operation, NULL, 0, 8000);
        expect_child(&j, true);
        EXPECT_OK(execute(&j, j.plan, j.got)); /* the parent, too */
        EXPECT(same(&j, j.planned));
        stop(&j);
    }
}

static void children_go_on_with_devices(void **state)
{
    const char *devices = *state;
    if (cannot_follow())
        skip();
    for (int operation = 0; operation < OPERATIONS; operation++) {
        job j = start(operation, devices, strchr(devices, ',') ? 3 : 0, 200);
        expect_child(&j, true);
        stop(&j);
    }
}

/* ---- a parent at work ---- */

typedef struct worker {
    pthread_t thread;
    job job;
    atomic_int *ended;
    int wrong;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    job *j = &w->job;
    while (!atomic_load(w->ended)) {
        spl_context *context = NULL;
        if (make_context(j, &context) != SPL_OK || compute_at_once(j, context, j->got) != SPL_OK ||
            !same(j, j->at_once) || execute(j, j->plan, j->got) != SPL_OK || !same(j, j->planned))
            w->wrong++;
        spl_context_destroy(context);
    }
    return NULL;
}

/* Contexts of workers are used by children, too; their plans are busy. */
static void children_go_on_beside_workers(void **state)
{
    const char *devices = *state;
    worker workers[WORKERS];
    atomic_int ended = 0;
    const int rounds = testing_few() ? 2 : 8;
    int statuses = 0;
    zoo_random random;
    if (cannot_follow() || cannot_allocate())
        skip();
    zoo_random_seed(&random, testing_seed());
    for (int w = 0; w < WORKERS; w++) {
        workers[w] =
            (worker){.job = start(w == 0 ? SPGEMM : SPMV, devices, 0, devices ? 100 : 2000),
                     .ended = &ended};
        EXPECT(pthread_create(&workers[w].thread, NULL, work, &workers[w]) == 0);
    }
    for (int round = 0; round < rounds; round++) {
        job mine = workers[zoo_random_below(&random, WORKERS)].job;
        mine.got = numbers(mine.count);
        int status = in_a_child(&mine, false, go_on);
        statuses = status ? status : statuses;
        free(mine.got);
    }
    /* join before any check: the workers use this stack frame */
    atomic_store(&ended, 1);
    for (int w = 0; w < WORKERS; w++) {
        EXPECT(pthread_join(workers[w].thread, NULL) == 0);
        EXPECT(workers[w].wrong == 0);
        stop(&workers[w].job);
    }
    testing_case("a child ended with %d", statuses);
    EXPECT(statuses == 0);
}

#define WITH(test, devices) cmocka_unit_test_prestate(test, devices)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_of_one_thread_has_all), cmocka_unit_test(children_go_on),
        cmocka_unit_test(children_go_on_beside_workers), WITH(children_go_on_with_devices, "emu"),
        WITH(children_go_on_with_devices, "cpu,emu64"),  WITH(children_go_on_beside_workers, "emu"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
