/* SPDX-License-Identifier: Apache-2.0 */
/* Products where the system refuses threads: they are computed by fewer, and are right. Each case
 * is a child of fork() with a drawn limit of processes, as a user without privileges, since limits
 * do not bind root. */
#define _DEFAULT_SOURCE 1 /* setresuid */
#define _GNU_SOURCE     1
#include "core/threads/team.h"
#include "lib/run_products.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, CASES = 16, MOST = 14, LEFT_OUT = 3 };

/* Limits the number of threads; false: impossible here. */
static bool limit_threads(int count)
{
    const struct rlimit limit = {(rlim_t)count, (rlim_t)count};
    if (setrlimit(RLIMIT_NPROC, &limit) != 0)
        return false;
    return getuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0;
}

/* The log's message that threads were refused. */
static void note(void *user, spl_log_level level, const char *message)
{
    (void)level;
    if (strstr(message, "the system refuses"))
        ++*(int *)user;
}

static spl_context *context_that_tells(int threads, int *told)
{
    spl_context *context = NULL;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    *told = 0;
    options.threads = threads;
    options.log = note;
    options.log_user = told;
    EXPECT_OK(spl_context_create(&options, &context));
    return context;
}

/* Large enough for parallel regions; run_* compare with the executable specification. The log says
 * once if threads were refused. */
static bool products_are_right(uint64_t seed, int threads)
{
    const zoo_maker large = {"uniform", zoo_uniform, {40000, 40000, 6}, false},
                    small = {"uniform", zoo_uniform, {4000, 4000, 6}, false};
    zoo_matrix a, b;
    int told;
    spl_context *context = context_that_tells(threads, &told);
    zoo_matrix_make(&a, &large, zoo_form_number(6), seed);
    zoo_matrix_make(&b, &small, zoo_form_number(0), seed);
    spmv_run spmv = {
        .a = &a.view, .scalars = testing_scalars_of(2, 0), .options = SPL_OPTIONS_INIT};
    spgemm_run spgemm = {&b.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0), false};
    bool right = run_spmv(context, &spmv) == SPL_OK && run_spgemm(context, &spgemm) == SPL_OK;
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    spl_context_destroy(context);
    return right && told == (spl__team_refused() > 0);
}

/* ---- teams that shrink ---- */

enum { MOST_WAITING = 64 };
typedef struct waiting {
    pthread_t threads[MOST_WAITING];
    int count;
    pthread_mutex_t gate;
} waiting;

static void *wait_at_gate(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Starts threads that wait, until the system refuses one. */
static void use_up(waiting *w)
{
    pthread_mutex_init(&w->gate, NULL);
    pthread_mutex_lock(&w->gate);
    for (w->count = 0; w->count < MOST_WAITING; w->count++)
        if (pthread_create(&w->threads[w->count], NULL, wait_at_gate, &w->gate) != 0)
            return;
}

static void end_waiting(waiting *w)
{
    pthread_mutex_unlock(&w->gate);
    for (int k = 0; k < w->count; k++)
        pthread_join(w->threads[k], NULL);
}

/* A team of `large` threads, then one of two; then other threads take what the limit leaves. */
static bool teams_grow_again(uint64_t seed, int large)
{
    waiting others;
    bool right = products_are_right(seed, large) && products_are_right(seed + 1, 2);
    if (!right || spl__team_refused() > 0)
        return right; /* other processes of the user take threads: nothing can be shown */
    use_up(&others);
    right = products_are_right(seed + 2, large) && spl__team_refused() > 0;
    end_waiting(&others);
    return right;
}

/* ---- children ---- */

/* Runs the case in a child that may have `limit` threads; false: they cannot be limited here. */
static bool try_in_child(bool (*is_right)(uint64_t seed, int threads), uint64_t seed, int threads,
                         int limit)
{
    int result = -1;
    testing_case("seed %llu: %d threads of %d that may be", (unsigned long long)seed, threads,
                 limit);
    fflush(stdout); /* what is buffered would appear twice */
    pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0)
        _Exit(!limit_threads(limit) ? LEFT_OUT : is_right(seed, threads) ? 0 : 1);
    EXPECT(waitpid(child, &result, 0) == child && WIFEXITED(result));
    EXPECT(WEXITSTATUS(result) == 0 || WEXITSTATUS(result) == LEFT_OUT);
    return WEXITSTATUS(result) != LEFT_OUT;
}

static void leave_out(void)
{
    print_message("the number of processes cannot be limited here\n");
    skip();
}

static void fewer_threads_do(void **state)
{
    (void)state;
    zoo_random random;
    uint64_t seed = testing_fresh_seed();
    int tried = 0;
    zoo_random_seed(&random, seed);
    const int cases = testing_scale() > 1 ? CASES / 3 : CASES;
    for (int k = 0; k < cases; k++) {
        int limit = 1 + (int)zoo_random_below(&random, MOST),
            threads = 2 + (int)zoo_random_below(&random, MOST);
        tried += try_in_child(products_are_right, seed + k, threads, limit);
    }
    if (tried == 0)
        leave_out();
}

static void refused_threads_of_a_smaller_team_do_not_come_back(void **state)
{
    (void)state;
    uint64_t seed = testing_fresh_seed();
    for (int threads = 3; threads <= 8; threads += testing_scale() > 1 ? 2 : 1)
        if (!try_in_child(teams_grow_again, seed + threads, threads, 2 * MOST))
            leave_out();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_threads_do),
        cmocka_unit_test(refused_threads_of_a_smaller_team_do_not_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
