/* SPDX-License-Identifier: Apache-2.0 */
/* Forced methods: whether one is supported depends on the matrices alone, not on threads,
 * executions or the policy. */
#include "lib/run_products.h"

#include <stdio.h>
#include <string.h>

enum { METHODS = 48, DRAWS = 6, MOST_THREADS = 5 };

/* A few entries in a tall A, as where the free choice of the symbolic phase was a bound of C for
 * some numbers of threads. */
static void draw(zoo_random *random, zoo_matrix *a, zoo_matrix *b)
{
    int64_t rows = 1 + zoo_random_below(random, 150), inner = 1 + zoo_random_below(random, 6);
    int64_t entries = zoo_random_below(random, 2 * inner + 1);
    zoo_maker left = {"left", zoo_hypersparse, {rows, inner, entries}, false},
              right = {"right", zoo_uniform, {inner, inner, inner}, false};
    zoo_matrix_make(a, &left, zoo_form_number(0), zoo_random_next(random));
    zoo_matrix_make(b, &right, zoo_form_number(0), zoo_random_next(random));
}

/* Options that must not decide, in their n-th combination. */
static spl_options mixture(const char *method, int n)
{
    static const int32_t executions[] = {0, 1, 2, 100000};
    spl_options o = SPL_OPTIONS_INIT;
    o.method = method;
    o.threads = 1 + n % MOST_THREADS;
    o.executions = executions[n / MOST_THREADS % 4];
    o.unsorted = n / (MOST_THREADS * 4) % 2;
    o.policy = n % 3 == 2 ? SPL_POLICY_RULES : SPL_POLICY_COST;
    return o;
}
enum { MIXTURES = MOST_THREADS * 4 * 2 };

/* Reasons to refuse: properties of the matrices, and methods that do not go together. */
static bool may_be_refused(const char *method)
{
    return strstr(method, "holed_blocks") || strstr(method, "bitmap") || strstr(method, "mask") ||
           strstr(method, "cpu/dots") ||
           (strstr(method, "upper_bound") && strstr(method, "numeric/cpu/blocks"));
}

static void expect_same(spl_context *context, spgemm_run *run, const char *method, int stride)
{
    spl_status first = SPL_OK;
    for (int n = 0; n < MIXTURES; n += stride) {
        run->options = mixture(method, n);
        run->one_shot = n % 7 == 3;
        testing_case("%s, %lld x %lld x %lld, mixture %d", method, (long long)run->a->rows,
                     (long long)run->a->cols, (long long)run->b->cols, n);
        spl_status status = run_spgemm(context, run);
        EXPECT(status == SPL_OK || (status == SPL_UNSUPPORTED && may_be_refused(method)));
        if (n == 0)
            first = status;
        EXPECT(status == first);
    }
}

/* Calls expect_same with each method by itself, or with each of both phases. */
static void try_methods(spl_context *context, spgemm_run *run, bool pairs)
{
    const char *symbolic[METHODS], *numeric[METHODS];
    char both[128];
    int symbolics = testing_methods("spgemm/symbolic/", symbolic, METHODS),
        numerics = testing_methods("spgemm/numeric/", numeric, METHODS);
    for (int m = 0; !pairs && m < symbolics; m++)
        expect_same(context, run, symbolic[m], 1);
    for (int m = 0; !pairs && m < numerics; m++)
        expect_same(context, run, numeric[m], 1);
    for (int m = 0; pairs && m < symbolics * numerics; m += testing_scale()) {
        snprintf(both, sizeof both, "%s,%s", symbolic[m / numerics], numeric[m % numerics]);
        expect_same(context, run, both, 3);
    }
}

static void on_drawn_matrices(bool pairs)
{
    zoo_random random;
    spl_context *context = testing_context(2);
    zoo_random_seed(&random, testing_seed());
    for (int n = 0; n < (pairs ? 1 : DRAWS); n += testing_scale()) {
        zoo_matrix a, b;
        draw(&random, &a, &b);
        spgemm_run run = {&a.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                          false};
        try_methods(context, &run, pairs);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    spl_context_destroy(context);
}

static void every_method(void **state)
{
    (void)state;
    on_drawn_matrices(false);
}

static void every_pair(void **state)
{
    (void)state;
    on_drawn_matrices(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method),
        cmocka_unit_test(every_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
