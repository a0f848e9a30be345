/* SPDX-License-Identifier: Apache-2.0 */
/* Regret: what is measured, what is compared with what, and the arithmetic of the summary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gen.h>
#include <math.h>
#include <regret.h>
#include <regret_product.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static gen_matrix make(const char *spec)
{
    gen_matrix matrix;
    gen_message message;
    assert_int_equal(gen_make(spec, 1, SPL_F64, &matrix, &message), GEN_OK);
    return matrix;
}

/* Every method but references takes part, every policy has a plan, and none beats the best. */
static void every_method_takes_part(void **state)
{
    (void)state;
    static regret_case item;
    spl_context *context = NULL;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    assert_int_equal(spl_context_create(&options, &context), SPL_OK);
    regret_setup setup = {.context = context};
    gen_matrix made = make("stencil5:12,9");
    spl_sparse a = gen_view(&made);
    for (int operation = 0; operation < BENCH_OPERATIONS; operation++) {
        item =
            (regret_case){.operation = (bench_operation)operation, .type = SPL_F64, .columns = 3};
        if (operation != BENCH_SPMM)
            item.columns = 1;
        assert_int_equal(regret_run(&setup, &a, &item), SPL_OK);
        int forced = 0;
        for (int i = 0; i < item.count; i++) {
            assert_null(strstr(item.contenders[i].methods, "/reference"));
            assert_true(regret_seconds(&item, &item.contenders[i]) > 0);
            forced += item.contenders[i].policy < 0 && item.contenders[i].run < INFINITY;
        }
        assert_true(forced >= (operation == BENCH_SPMM ? 2 : 4));
        assert_true(item.contenders[regret_best(&item)].run > 0);
        for (int policy = 0; policy < REGRET_POLICIES; policy++)
            assert_true(regret_of(&item, policy) >= 1);
    }
    gen_free(&made);
    spl_context_destroy(context);
}

/* Where methods are named, these and no others are forced; of a phase without a name all are. */
static void named_methods_are_forced_alone(void **state)
{
    (void)state;
    static regret_case item;
    static const struct {
        bench_operation operation;
        const char *methods, *one;
        int least, most; /* that are forced */
    } cases[] = {
        {BENCH_SPMV, "spmv/compute/cpu/csr_scalar,spmv/compute/cpu/ell", "spmv/compute/cpu/", 2, 2},
        {BENCH_SPGEMM, "spgemm/numeric/cpu/hash", "/numeric/cpu/hash", 2, REGRET_CONTENDERS},
        {BENCH_SPGEMM, "spgemm/symbolic/cpu/upper_bound,spgemm/numeric/cpu/esc",
         "spgemm/symbolic/cpu/upper_bound,spgemm/numeric/cpu/esc", 1, 1},
        {BENCH_NUMERIC, "spgemm/numeric/cpu/hash,spgemm/symbolic/cpu/bitmap",
         "spgemm/numeric/cpu/hash", 1, 1}, /* the phase that is timed */
    };
    spl_context *context = NULL;
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    gen_matrix made = make("stencil5:12,9");
    spl_sparse a = gen_view(&made);
    for (int k = 0; k < 4; k++) {
        regret_setup setup = {.context = context, .methods = cases[k].methods};
        item = (regret_case){.operation = cases[k].operation, .type = SPL_F64, .columns = 1};
        assert_int_equal(regret_run(&setup, &a, &item), SPL_OK);
        int forced = 0;
        for (int i = 0; i < item.count; i++) {
            const regret_contender *c = &item.contenders[i];
            assert_true(c->policy >= 0 || strstr(c->methods, cases[k].one));
            assert_false(c->policy < 0 && strstr(c->methods, "/hash_chained"));
            forced += c->policy < 0;
        }
        assert_in_range(forced, cases[k].least, cases[k].most);
    }
    gen_free(&made);
    spl_context_destroy(context);
}

/* One-shot calls against plans by name: policies that calls have, and every method. */
static void calls_are_compared_with_plans(void **state)
{
    (void)state;
    static regret_case item;
    spl_context *context = NULL;
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    regret_setup setup = {.context = context, .once = 1};
    gen_matrix made = make("stencil5:7,9");
    spl_sparse a = gen_view(&made);
    for (int operation = 0; operation < BENCH_NUMERIC; operation++) {
        item =
            (regret_case){.operation = (bench_operation)operation, .type = SPL_F64, .columns = 1};
        assert_int_equal(regret_run(&setup, &a, &item), SPL_OK);
        assert_true(regret_of(&item, SPL_POLICY_COST) >= 1 &&
                    regret_of(&item, SPL_POLICY_RULES) >= 1);
        assert_true(isnan(regret_of(&item, SPL_POLICY_MEASURE)));
        int forced = 0;
        for (int i = 0; i < item.count; i++)
            forced += item.contenders[i].policy < 0 && item.contenders[i].run > 0 &&
                      item.contenders[i].run < INFINITY;
        assert_true(forced >= 1);
    }
    item.contenders[0].plan = 1; /* the time includes making the plan */
    assert_true(regret_seconds(&item, &item.contenders[0]) == item.contenders[0].run);
    gen_free(&made);
    spl_context_destroy(context);
}

/* Takes the place of regret_batch, by the linker: executions whose times are made up. After another
 * plan's the first one finds cold caches; of `slow` every one takes long. */
static bool times_are_made_up;
static const spl_plan *last, *slow;
static int times_slow;
enum { WARM = 100, COLD = 900, LONG = 50000 }; /* microseconds */

spl_status __real_regret_batch(const regret_running *r, spl_plan *plan, int count, double *seconds);
spl_status __wrap_regret_batch(const regret_running *r, spl_plan *plan, int count, double *seconds);

spl_status __wrap_regret_batch(const regret_running *r, spl_plan *plan, int count, double *seconds)
{
    if (!times_are_made_up)
        return __real_regret_batch(r, plan, count, seconds);
    if (!slow && last)
        slow = plan; /* the second one */
    times_slow += plan == slow;
    *seconds = 1e-6 * (plan == slow ? LONG : plan == last ? WARM : COLD);
    last = plan;
    return SPL_OK;
}

/* Who finds cold caches is executed again, who takes long is not. */
static void cold_caches_exclude_nobody(void **state)
{
    (void)state;
    static regret_case item;
    int excluded = 0;
    spl_context *context = NULL;
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    regret_setup setup = {.context = context};
    gen_matrix made = make("stencil5:12,9");
    spl_sparse a = gen_view(&made);
    item = (regret_case){.operation = BENCH_SPMV, .type = SPL_F64, .columns = 1};
    times_are_made_up = true;
    assert_int_equal(regret_run(&setup, &a, &item), SPL_OK);
    times_are_made_up = false;
    for (int i = 0; i < item.count; i++) {
        excluded += item.contenders[i].run == 1e-6 * LONG;
        assert_true(item.contenders[i].run == 1e-6 * WARM || item.contenders[i].run == 1e-6 * LONG);
    }
    assert_true(item.count > 4 && excluded <= 1 && times_slow <= item.turns);
    gen_free(&made);
    spl_context_destroy(context);
}

static int stop_at_once(void)
{
    return 1;
}

static void interrupts_are_obeyed(void **state)
{
    (void)state;
    static regret_case item = {.operation = BENCH_SPMV, .type = SPL_F64, .columns = 1};
    spl_context *context = NULL;
    assert_int_equal(spl_context_create(NULL, &context), SPL_OK);
    regret_setup setup = {.context = context, .time_limit = 1, .interrupted = stop_at_once};
    gen_matrix made = make("stencil5:12,9");
    spl_sparse a = gen_view(&made);
    assert_int_equal(regret_run(&setup, &a, &item), SPL_CANCELLED);
    gen_free(&made);
    spl_context_destroy(context);
}

/* A case with the plan of policy 0 at `run` and the best at 1. */
static regret_case made_up(bench_operation operation, double run)
{
    regret_case item = {.operation = operation, .type = SPL_F64, .columns = 1, .count = 2};
    item.contenders[0] =
        (regret_contender){.policy = 0, .run = run, .methods = "spmv/compute/cpu/a"};
    item.contenders[1] =
        (regret_contender){.policy = -1, .run = 1, .methods = "spmv/compute/cpu/b"};
    return item;
}

static void summaries_are_geometric(void **state)
{
    (void)state;
    regret_report report = {0};
    const double runs[] = {1, 4, 1, 1.05};
    for (int i = 0; i < 4; i++) {
        regret_case item = made_up(i == 2 ? BENCH_SPMM : BENCH_SPMV, runs[i]);
        assert_true(regret_add(&report, &item));
    }
    regret_case none = made_up(BENCH_SPMV, INFINITY);
    assert_true(regret_add(&report, &none));
    regret_summary s = regret_summarise(&report, BENCH_SPMV, 0);
    assert_int_equal(s.cases, 3);
    assert_int_equal(s.within, 2);
    assert_true(s.worst == 4 && s.worst_case == &report.cases[1]);
    assert_true(fabs(s.mean - cbrt(1 * 4 * 1.05)) < 1e-12);
    assert_int_equal(regret_summarise(&report, BENCH_SPGEMM, 0).cases, 0);
    regret_case first = made_up(BENCH_SPMV, 1);
    first.contenders[1].plan = 100; /* a hundredth of it counts */
    assert_true(regret_seconds(&first, &first.contenders[1]) == 2 && regret_best(&first) == 0);
    first.operation = BENCH_SPGEMM;
    assert_true(regret_seconds(&first, &first.contenders[1]) == 1);
    regret_free(&report);
}

/* At least sixty matrices, all different, all makeable by name. */
static void the_unseen_set_is_large(void **state)
{
    (void)state;
    int count = 0;
    for (; gen_unseen[count]; count++)
        for (int i = 0; i < count; i++)
            assert_string_not_equal(gen_unseen[i], gen_unseen[count]);
    assert_true(count >= 60);
    for (const gen_stand_in *row = gen_stand_ins; row->name; row++)
        for (int i = 0; i < count; i++)
            assert_string_not_equal(row->spec, gen_unseen[i]);
}

/* Every matrix of a seed can be made and is of a middling size; another seed draws others. */
static void fresh_matrices_depend_on_the_seed(void **state)
{
    (void)state;
    char name[GEN_FRESH_NAME], other[GEN_FRESH_NAME];
    gen_message message;
    gen_matrix matrix;
    int number = 0;
    uint64_t seed;
    for (; gen_fresh(5, number, name, sizeof name); number++) {
        assert_int_equal(gen_make(name, 1, SPL_F64, &matrix, &message), GEN_OK);
        assert_true(matrix.nnz > 30 && matrix.nnz < 2000000);
        gen_free(&matrix);
        assert_true(gen_fresh(5, number, other, sizeof other));
        assert_string_equal(name, other);
        assert_true(gen_fresh(6, number, other, sizeof other));
        assert_string_not_equal(name, other);
    }
    assert_true(number >= 60);
    assert_true(gen_fresh_seed("fresh:12", "fresh", 3, &seed) && seed == 12);
    assert_true(gen_fresh_seed("fresh", "fresh", 3, &seed) && seed == 3);
    assert_false(gen_fresh_seed("fresh:", "fresh", 3, &seed));
    assert_false(gen_fresh_seed("freshly", "fresh", 3, &seed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_takes_part),
        cmocka_unit_test(named_methods_are_forced_alone),
        cmocka_unit_test(calls_are_compared_with_plans),
        cmocka_unit_test(cold_caches_exclude_nobody),
        cmocka_unit_test(interrupts_are_obeyed),
        cmocka_unit_test(summaries_are_geometric),
        cmocka_unit_test(the_unseen_set_is_large),
        cmocka_unit_test(fresh_matrices_depend_on_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
