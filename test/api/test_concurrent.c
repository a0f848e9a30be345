/* SPDX-License-Identifier: Apache-2.0 */
/* Independent contexts, different plans and one plan in several threads at once; error details
 * belong to threads. */
#include "lib/api_calls.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 4, COLUMNS = 8 };

/* cmocka's checks must not fail in a worker: workers note what went wrong, the test looks at it
 * afterwards. */
typedef struct worker {
    pthread_t thread;
    int number, rounds;
    spl_context *context; /* shared, or NULL: its own */
    spl_plan *plan;       /* shared, or NULL: its own */
    const zoo_matrix *a;
    const double *expected_y, *x;
    int wrong, busy, good;
    char detail[512];
} worker;

static void run_workers(worker *workers, void *(*work)(void *))
{
    for (int w = 0; w < WORKERS; w++)
        EXPECT(pthread_create(&workers[w].thread, NULL, work, &workers[w]) == 0);
    for (int w = 0; w < WORKERS; w++)
        EXPECT(pthread_join(workers[w].thread, NULL) == 0);
    for (int w = 0; w < WORKERS; w++) {
        testing_case("worker %d: %d wrong, %d busy, %d good; %s", w, workers[w].wrong,
                     workers[w].busy, workers[w].good, workers[w].detail);
        EXPECT(workers[w].wrong == 0);
    }
}

static void note(worker *w, bool good)
{
    if (good) {
        w->good++;
        return;
    }
    w->wrong++;
    strncpy(w->detail, spl_error_detail(), sizeof w->detail - 1);
}

static void *square_and_multiply(void *argument)
{
    worker *w = argument;
    spl_context *context = w->context;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_options product = SPL_OPTIONS_INIT;
    options.threads = 1 + w->number % 2;
    options.devices = testing_device();
    product.processors = testing_processors("spgemm/");
    if (!context)
        note(w, spl_context_create(&options, &context) == SPL_OK);
    double *y = zoo_allocate((size_t)w->a->view.rows * sizeof *y);
    for (int round = 0; round < w->rounds; round++) {
        spl_matrix *c = NULL;
        spl_check check = SPL_CHECK_INIT;
        spl_sparse view = SPL_SPARSE_INIT;
        note(w, spl_spgemm(context, NULL, &w->a->view, &w->a->view, NULL, NULL, &product, &c) ==
                        SPL_OK &&
                    spl_matrix_view(c, &view) == SPL_OK &&
                    spl_check_spgemm(NULL, &w->a->view, &w->a->view, NULL, NULL, &view, NULL,
                                     &check) == SPL_OK &&
                    check.ok);
        spl_matrix_destroy(c);
        note(w, spl_spmv(context, NULL, &w->a->view, w->x, NULL, y, NULL) == SPL_OK &&
                    memcmp(y, w->expected_y, (size_t)w->a->view.rows * sizeof *y) == 0);
    }
    free(y);
    if (!w->context)
        spl_context_destroy(context);
    return NULL;
}

typedef struct setting {
    zoo_matrix a;
    double *x, *y;
    spl_context *context;
    worker workers[WORKERS];
} setting;

static void start(setting *s, int rounds)
{
    memset(s, 0, sizeof *s);
    s->context = testing_context(2);
    zoo_matrix_make(&s->a, zoo_find("rmat_1024"), zoo_form_number(0), testing_seed());
    s->x = zoo_allocate((size_t)s->a.view.cols * sizeof *s->x);
    s->y = zoo_allocate((size_t)s->a.view.rows * sizeof *s->y);
    for (int64_t j = 0; j < s->a.view.cols; j++)
        s->x[j] = 1.0 / (double)(1 + j);
    EXPECT_OK(spl_spmv(s->context, NULL, &s->a.view, s->x, NULL, s->y, NULL));
    for (int w = 0; w < WORKERS; w++)
        s->workers[w] =
            (worker){.number = w, .rounds = rounds, .a = &s->a, .x = s->x, .expected_y = s->y};
}

/* A plan may choose another method than a one-shot call, with other last bits. */
static void expect_bits_of_a_plan(setting *s)
{
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(s->context, &s->a.view, NULL, &plan));
    EXPECT_OK(spl_spmv_execute(plan, NULL, s->x, NULL, s->y, NULL));
    spl_plan_destroy(plan);
}

static void stop(setting *s)
{
    free(s->x);
    free(s->y);
    zoo_matrix_free(&s->a);
    spl_context_destroy(s->context);
}

static void independent_contexts(void **state)
{
    (void)state;
    setting s;
    start(&s, testing_few() ? 1 : testing_scale() > 1 ? 2 : 6);
    run_workers(s.workers, square_and_multiply);
    stop(&s);
}

static void one_context(void **state)
{
    (void)state;
    setting s;
    start(&s, testing_few() ? 1 : testing_scale() > 1 ? 2 : 6);
    for (int w = 0; w < WORKERS; w++)
        s.workers[w].context = s.context;
    run_workers(s.workers, square_and_multiply);
    stop(&s);
}

/* After SPL_BUSY: yields. Returns the number of rounds to be repeated. */
static int wait_for_turn(worker *w)
{
    w->busy++;
    sched_yield();
    return 1;
}

static void *execute_shared_plan(void *argument)
{
    worker *w = argument;
    double *y = zoo_allocate((size_t)w->a->view.rows * sizeof *y);
    for (int round = 0; round < w->rounds; round++) {
        memset(y, 0xFF, (size_t)w->a->view.rows * sizeof *y);
        spl_status status = spl_spmv_execute(w->plan, NULL, w->x, NULL, y, NULL);
        if (status == SPL_BUSY)
            round -= wait_for_turn(w);
        else
            note(w, status == SPL_OK &&
                        memcmp(y, w->expected_y, (size_t)w->a->view.rows * sizeof *y) == 0);
    }
    free(y);
    return NULL;
}

/* One plan, several threads: each execute either works or says that the plan is busy. */
static void one_plan(void **state)
{
    (void)state;
    setting s;
    start(&s, testing_few() ? 12 : testing_scale() > 1 ? 30 : 300);
    expect_bits_of_a_plan(&s);
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(s.context, &s.a.view, NULL, &plan));
    int good = 0, busy = 0;
    for (int w = 0; w < WORKERS; w++)
        s.workers[w].plan = plan;
    run_workers(s.workers, execute_shared_plan);
    for (int w = 0; w < WORKERS; w++) {
        good += s.workers[w].good;
        busy += s.workers[w].busy;
    }
    print_message("%d executions, %d times busy\n", good, busy);
    EXPECT(good == WORKERS * s.workers[0].rounds);
    EXPECT_OK(spl_spmv_execute(plan, NULL, s.x, NULL, s.y, NULL)); /* the plan is no longer busy */
    spl_plan_destroy(plan);
    stop(&s);
}

static void *execute_own_plan(void *argument)
{
    worker *w = argument;
    spl_plan *plan = NULL;
    note(w, spl_spmv_plan(w->context, &w->a->view, NULL, &plan) == SPL_OK);
    w->plan = plan;
    execute_shared_plan(w);
    spl_plan_destroy(plan);
    if (w->busy > 0)
        w->wrong++;
    return NULL;
}

static void *execute_shared_product(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < w->rounds; round++) {
        spl_status status = spl_spgemm_execute(w->plan, NULL, NULL, NULL, NULL);
        if (status == SPL_BUSY)
            round -= wait_for_turn(w);
        else
            note(w, status == SPL_OK);
    }
    return NULL;
}

/* The same with a plan that finds the structure of C when it is executed for the first time. */
static void one_plan_with_a_bound(void **state)
{
    (void)state;
    setting s;
    start(&s, testing_few() ? 4 : testing_scale() > 1 ? 10 : 30);
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_options options = SPL_OPTIONS_INIT;
    spgemm_run run = {&s.a.view, &s.a.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                      false};
    options.method = testing_method("spgemm/symbolic/", "upper_bound");
    options.keep_result = 1;
    options.processors = testing_processors("spgemm/");
    EXPECT_OK(spl_spgemm_plan(s.context, &s.a.view, &s.a.view, NULL, &options, &plan));
    for (int w = 0; w < WORKERS; w++)
        s.workers[w].plan = plan;
    run_workers(s.workers, execute_shared_product);
    EXPECT_OK(spl_spgemm_take(plan, &c));
    EXPECT_OK(spl_matrix_view(c, &view));
    expect_spgemm(&run, &view);
    spl_matrix_destroy(c);
    spl_plan_destroy(plan);
    stop(&s);
}

/* Different plans of one context never disturb each other. */
static void plans_of_one_context(void **state)
{
    (void)state;
    setting s;
    start(&s, testing_few() ? 6 : testing_scale() > 1 ? 20 : 200);
    expect_bits_of_a_plan(&s);
    for (int w = 0; w < WORKERS; w++)
        s.workers[w].context = s.context;
    run_workers(s.workers, execute_own_plan);
    stop(&s);
}

/* Each thread causes another error and must find its own number in the detail. */
static void *fail_in_an_own_way(void *argument)
{
    worker *w = argument;
    char number[16];
    const int64_t offsets[2] = {0, 1}, columns[1] = {7000 + w->number};
    const double values[1] = {1};
    snprintf(number, sizeof number, "700%d", w->number);
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_CSR;
    view.type = SPL_F64;
    view.offset_type = view.index_type = SPL_I64;
    view.rows = view.nnz = 1;
    view.cols = 10;
    view.offsets = offsets;
    view.indices = columns;
    view.values = values;
    for (int round = 0; round < w->rounds; round++)
        note(w, spl_validate(&view) == SPL_INVALID_MATRIX &&
                    strstr(spl_error_detail(), number) != NULL);
    return NULL;
}

static void details_belong_to_threads(void **state)
{
    (void)state;
    worker workers[WORKERS];
    memset(workers, 0, sizeof workers);
    for (int w = 0; w < WORKERS; w++) {
        workers[w].number = w;
        workers[w].rounds = 2000;
    }
    run_workers(workers, fail_in_an_own_way);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_contexts),
        cmocka_unit_test(one_context),
        cmocka_unit_test(one_plan),
        cmocka_unit_test(one_plan_with_a_bound),
        cmocka_unit_test(plans_of_one_context),
        cmocka_unit_test(details_belong_to_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
