/* SPDX-License-Identifier: Apache-2.0 */
/* What tune makes of measured cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gen.h>
#include <math.h>
#include <stdio.h>
#include <tune.h>

static const char *first_method(void)
{
    static spl_method_info info = SPL_METHOD_INFO_INIT;
    assert_int_equal(spl_method(0, &info), SPL_OK);
    return info.id;
}

/* A case in which the first method took `run` seconds, `predicted` was predicted, and the best took
 * `best`. */
static void add(tune_fit *fit, double run, double predicted, double best)
{
    static regret_case item;
    item = (regret_case){.operation = BENCH_SPMV, .count = 3};
    item.contenders[0] = (regret_contender){.policy = 0, .run = best, .predicted = 1};
    item.contenders[1] = (regret_contender){.policy = -1, .run = run, .predicted = predicted};
    item.contenders[2] =
        (regret_contender){.policy = -1, .run = 100, .predicted = 1, .methods = "two,methods"};
    snprintf(item.contenders[1].methods, REGRET_METHODS, "%s", first_method());
    tune_add(fit, &item);
}

static void factors_are_weighted_geometric_means(void **state)
{
    (void)state;
    tune_fit fit = {0};
    add(&fit, 2, 1, 2);
    add(&fit, 2, 1, 2);
    assert_int_equal(fit.count, 1);
    assert_true(isnan(tune_factor(&fit.methods[0]))); /* too few */
    /* half as fast as the best: counts a quarter */
    add(&fit, 8, 1, 4);
    assert_true(fabs(log(tune_factor(&fit.methods[0])) - (2 * log(2) + 0.25 * log(8)) / 2.25) <
                1e-12);
    add(&fit, INFINITY, 1, 1);
    add(&fit, 1, 0, 1);
    assert_int_equal(fit.methods[0].cases, 3);
}

/* A symbolic method is compared with the fastest one of its phase, independent of the time of
 * the numeric phase. */
static void symbolic_methods_are_fitted(void **state)
{
    (void)state;
    static regret_case item;
    tune_fit fit = {0};
    item = (regret_case){.operation = BENCH_NUMERIC, .count = 1, .trial_count = 3};
    item.contenders[0] = (regret_contender){.policy = 0, .run = 1e-9, .predicted = 1};
    item.trials[0] = (regret_trial){"spgemm/symbolic/cpu/hash", 1, 3};
    item.trials[1] = (regret_trial){"spgemm/symbolic/cpu/bitmap", 1, 6};
    item.trials[2] = (regret_trial){"spmv/compute/cpu/coo", 1, 1}; /* it is a contender, too */
    for (int i = 0; i < TUNE_LEAST_CASES; i++)
        tune_add(&fit, &item);
    assert_int_equal(fit.count, 2);
    assert_true(fabs(tune_factor(&fit.methods[0]) - 3) < 1e-12 &&
                fabs(tune_factor(&fit.methods[1]) - 6) < 1e-12);
    assert_true(fabs(fit.methods[0].weights - 4 * fit.methods[1].weights) < 1e-12);
}

static void nothing_is_fitted_to_what_is_judged(void **state)
{
    (void)state;
    for (int i = 0; tune_matrices[i]; i++)
        for (int k = 0; gen_unseen[k]; k++)
            assert_string_not_equal(tune_matrices[i], gen_unseen[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_weighted_geometric_means),
        cmocka_unit_test(symbolic_methods_are_fitted),
        cmocka_unit_test(nothing_is_fitted_to_what_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
