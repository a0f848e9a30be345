/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of threads: which are refused, which are lowered, and the log message. */
#include "core/threads/team.h"
#include "lib/run_products.h"

#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096 };

static int most_used(void)
{
    return 8 * (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static int32_t at_most(int32_t wanted)
{
    return wanted < most_used() ? wanted : most_used();
}

/* Any number of 32 bits; special numbers and their neighbours often. */
static int32_t draw_count(zoo_random *random)
{
    const int32_t special[] = {0,     1,         -1,        MOST,        MOST + 1,       32768,
                               65536, INT32_MAX, INT32_MIN, most_used(), most_used() + 1};
    int64_t which = zoo_random_below(random, 3);
    if (which == 0)
        return special[zoo_random_below(random, (int64_t)(sizeof special / sizeof *special))];
    return which == 1 ? (int32_t)zoo_random_next(random)
                      : (int32_t)zoo_random_below(random, 2 * MOST);
}

static int32_t threads_of(const spl_context *context)
{
    spl_processor_info info = SPL_PROCESSOR_INFO_INIT;
    EXPECT_OK(spl_processor(context, 0, &info));
    return info.threads;
}

/* A message about threads, if any. */
static void note(void *user, spl_log_level level, const char *message)
{
    (void)level;
    if (strstr(message, "threads used"))
        strncpy(user, message, 255);
}

static void try_in_context(int32_t count)
{
    char said[256] = "", detail[16];
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    options.threads = count;
    options.log = note;
    options.log_user = said;
    snprintf(detail, sizeof detail, "%d", MOST);
    if (count < 0 || count > MOST) {
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_context_create(&options, &context));
        EXPECT(strstr(spl_error_detail(), detail));
        return;
    }
    EXPECT_OK(spl_context_create(&options, &context));
    int32_t wanted = count > 0 ? count : omp_get_max_threads();
    EXPECT(threads_of(context) == at_most(wanted));
    EXPECT((*said != 0) == (wanted > most_used()));
    spl_context_destroy(context);
}

/* Large enough for parallel regions. */
static void try_in_plan(spl_context *context, const spl_sparse *a, int32_t count)
{
    spl_plan *plan = NULL;
    spmv_run run = {.a = a, .scalars = testing_scalars_of(2, 0)};
    run.options = (spl_options)SPL_OPTIONS_INIT;
    run.options.threads = count;
    bool wrong = count < 0 || count > MOST;
    EXPECT_STATUS(wrong ? SPL_INVALID_ARGUMENT : SPL_OK, run_spmv(context, &run));
    EXPECT_STATUS(wrong ? SPL_INVALID_ARGUMENT : SPL_OK,
                  spl_spmv_plan(context, a, &run.options, &plan));
    spl_plan_destroy(plan);
}

static void any_number_is_refused_or_works(void **state)
{
    (void)state;
    zoo_random random;
    zoo_matrix a;
    const zoo_maker maker = {"uniform", zoo_uniform, {5000, 5000, 6}, false};
    spl_context *context = testing_context(2);
    zoo_random_seed(&random, testing_seed());
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
    for (int round = 0; round < 60; round++) {
        int32_t count = draw_count(&random);
        testing_case("round %d: %d threads", round, count);
        try_in_context(count);
        if (round % 8 == 0)
            try_in_plan(context, &a.view, count);
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* The number of OMP_NUM_THREADS or omp_set_num_threads is lowered without an error. */
static void what_openmp_says_is_lowered(void **state)
{
    (void)state;
    int before = omp_get_max_threads();
    for (int count = 1; count > 0; count = count > INT_MAX / 7 ? -1 : 7 * count) {
        testing_case("%d threads of OpenMP", count);
        omp_set_num_threads(count);
        try_in_context(0);
        EXPECT(spl__team_limited(count) == at_most(count));
    }
    EXPECT(spl__team_limited(-1) == most_used()); /* OpenMP's number, beyond an int */
    omp_set_num_threads(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_is_refused_or_works),
        cmocka_unit_test(what_openmp_says_is_lowered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
