/* SPDX-License-Identifier: Apache-2.0 */
/* Contenders of a case of regret: pairs around a centre, those that may beat it, and none that
 * has no chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <regret_contenders.h>
#include <stdbool.h>
#include <string.h>

static const regret_predictions predictions = {.count = 7,
                                               .list = {{"spgemm/symbolic/cpu/upper_bound", 900, 1},
                                                        {"spgemm/symbolic/cpu/hash", 2, 1},
                                                        {"spgemm/symbolic/cpu/bitmap", 1, 1},
                                                        {"spgemm/symbolic/cpu/reference", 0.5, 1},
                                                        {"spgemm/numeric/cpu/dense", 1, 1},
                                                        {"spgemm/numeric/cpu/hash", 3, 1},
                                                        {"spgemm/numeric/cpu/esc", 50, 1}}};

static regret_case a_case(bench_operation operation)
{
    regret_case item = {.operation = operation, .type = SPL_F64, .columns = 1};
    regret_add_contenders(&item, &predictions, "cpu");
    return item;
}

static regret_contender *find(regret_case *item, const char *methods)
{
    for (int i = 0; i < item->count; i++)
        if (item->contenders[i].policy < 0 && !strcmp(item->contenders[i].methods, methods))
            return &item->contenders[i];
    return NULL;
}

static void pairs_are_a_star(void **state)
{
    (void)state;
    static regret_case item;
    item = a_case(BENCH_SPGEMM);
    assert_string_equal(regret_centre(&predictions, "spgemm/symbolic/"),
                        "spgemm/symbolic/cpu/bitmap");
    /* the centre's, the other symbolic one, the bound's */
    assert_int_equal(item.count, REGRET_POLICIES + 3 + 1 + 3);
    assert_true(find(&item, "spgemm/symbolic/cpu/bitmap,spgemm/numeric/cpu/hash")->predicted == 4);
    assert_non_null(find(&item, "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/dense"));
    assert_null(find(&item, "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/hash"));
    assert_true(
        isnan(find(&item, "spgemm/symbolic/cpu/upper_bound,spgemm/numeric/cpu/esc")->predicted));
    item = a_case(BENCH_NUMERIC);
    assert_int_equal(item.count, REGRET_POLICIES + 3);
}

static void the_hopeless_are_left_out(void **state)
{
    (void)state;
    static regret_case item;
    item = a_case(BENCH_SPGEMM);
    for (int i = 0; i < item.count; i++) {
        bool slow = !strcmp(item.contenders[i].methods,
                            "spgemm/symbolic/cpu/bitmap,spgemm/numeric/cpu/esc");
        assert_true(item.contenders[i].hopeless == slow);
    }
}

/* Pairs beside the centre are tried if both of their parts came close to the best. */
static void what_may_win_is_crossed(void **state)
{
    (void)state;
    static regret_case item;
    for (int near = 0; near < 2; near++) {
        item = a_case(BENCH_SPGEMM);
        find(&item, "spgemm/symbolic/cpu/bitmap,spgemm/numeric/cpu/dense")->run = 2;
        find(&item, "spgemm/symbolic/cpu/bitmap,spgemm/numeric/cpu/hash")->run = 2.1;
        find(&item, "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/dense")->run = near ? 2.1 : 2.9;
        regret_add_crossed(&item, &predictions);
        assert_true((find(&item, "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/hash") != NULL) ==
                    near);
        assert_null(find(&item, "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/esc"));
    }
}

/* On devices the chosen plan may work on blocks. Methods that cannot are predicted by another
 * plan, and take part. */
static void those_that_serve_elsewhere_take_part(void **state)
{
    (void)state;
    regret_predictions first = {.count = 3,
                                .list = {{"spgemm/symbolic/gpu/hybrid", 1, 1},
                                         {"spgemm/numeric/gpu/blocks", 1, 1},
                                         {"spgemm/numeric/gpu/hybrid", 9, 0}}};
    const regret_predictions second = {
        .count = 2,
        .list = {{"spgemm/numeric/gpu/blocks", 7, 1}, {"spgemm/numeric/gpu/hybrid", 2, 1}}};
    static regret_case item = {.operation = BENCH_SPGEMM, .type = SPL_F64, .columns = 1};
    assert_string_equal(regret_misfit(&first, "spgemm/numeric/gpu/h"), "spgemm/numeric/gpu/hybrid");
    regret_predict_others(&first, &second);
    assert_null(regret_misfit(&first, "spgemm/numeric/"));
    regret_add_contenders(&item, &first, "gpu");
    assert_true(find(&item, "spgemm/symbolic/gpu/hybrid,spgemm/numeric/gpu/hybrid")->predicted ==
                3);
    assert_true(find(&item, "spgemm/symbolic/gpu/hybrid,spgemm/numeric/gpu/blocks")->predicted ==
                2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_a_star),
        cmocka_unit_test(those_that_serve_elsewhere_take_part),
        cmocka_unit_test(the_hopeless_are_left_out),
        cmocka_unit_test(what_may_win_is_crossed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
