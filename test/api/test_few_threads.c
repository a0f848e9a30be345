/* SPDX-License-Identifier: Apache-2.0 */
/* Products where the system refuses threads: they are computed by fewer, and are right. Each case
 * is a child of fork() with a drawn limit of processes, as a user without privileges, since limits
 * do not bind root. */
#define _DEFAULT_SOURCE 1 /* setresuid */
#define _GNU_SOURCE     1
#include "lib/run_products.h"

#include <stdio.h>
#include <stdlib.h>
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

/* Large enough for parallel regions; run_* compare with the executable specification. */
static bool products_are_right(uint64_t seed, int threads)
{
    const zoo_maker large = {"uniform", zoo_uniform, {40000, 40000, 6}, false},
                    small = {"uniform", zoo_uniform, {4000, 4000, 6}, false};
    zoo_matrix a, b;
    spl_context *context = testing_context(threads);
    zoo_matrix_make(&a, &large, zoo_form_number(6), seed);
    zoo_matrix_make(&b, &small, zoo_form_number(0), seed);
    spmv_run spmv = {
        .a = &a.view, .scalars = testing_scalars_of(2, 0), .options = SPL_OPTIONS_INIT};
    spgemm_run spgemm = {&b.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0), false};
    bool right = run_spmv(context, &spmv) == SPL_OK && run_spgemm(context, &spgemm) == SPL_OK;
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    spl_context_destroy(context);
    return right;
}

static void fewer_threads_do(void **state)
{
    (void)state;
    zoo_random random;
    uint64_t seed = testing_fresh_seed();
    int left_out = 0;
    zoo_random_seed(&random, seed);
    for (int k = 0; k < CASES; k++) {
        int limit = 1 + (int)zoo_random_below(&random, MOST),
            threads = 2 + (int)zoo_random_below(&random, MOST), result = -1;
        testing_case("seed %llu: %d threads of %d that may be", (unsigned long long)seed, threads,
                     limit);
        fflush(stdout); /* what is buffered would appear twice */
        pid_t child = fork();
        EXPECT(child >= 0);
        if (child == 0)
            _Exit(!limit_threads(limit) ? LEFT_OUT : products_are_right(seed + k, threads) ? 0 : 1);
        EXPECT(waitpid(child, &result, 0) == child && WIFEXITED(result));
        EXPECT(WEXITSTATUS(result) == 0 || WEXITSTATUS(result) == LEFT_OUT);
        left_out += WEXITSTATUS(result) == LEFT_OUT;
    }
    if (left_out == CASES) {
        print_message("the number of processes cannot be limited here\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_threads_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
