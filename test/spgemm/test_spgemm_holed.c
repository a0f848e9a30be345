/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM of matrices in dense blocks that have holes. The method for them is forced: a hole must
 * contribute no term, even next to Inf and NaN. */
#include "sparloom/measured.h"

#include "lib/block_matrices.h"
#include "lib/run_products.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Both phases by blocks, or one of them. */
static const char *const on_cpu[] = {
    "spgemm/symbolic/cpu/holed_blocks,spgemm/numeric/cpu/holed_blocks",
    "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/holed_blocks",
    "spgemm/symbolic/cpu/holed_blocks,spgemm/numeric/cpu/dense"};
static const char *const on_device[] = {"spgemm/numeric/gpu/blocks"};
enum { ON_CPU = sizeof on_cpu / sizeof *on_cpu };

static int ways(void)
{
    return testing_device() ? 1 : ON_CPU;
}

static const char *by_blocks(int way)
{
    return testing_device() ? on_device[way] : on_cpu[way];
}

static const char *by_entries(void)
{
    return testing_device() ? "spgemm/numeric/gpu/hybrid" : "spgemm/numeric/cpu/dense";
}

/* Whether a phase of the plan works on blocks of `size`. */
static bool is_by_nodes(const spl_plan *plan, int size)
{
    char text[16384], words[64];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    snprintf(words, sizeof words, "%d unknowns per node", size);
    return strstr(text, words) != NULL;
}

/* Whether the plan computes by blocks of `size` with holes. */
static bool is_holed(const spl_plan *plan, int size)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    return is_by_nodes(plan, size) && strstr(text, "% full");
}

/* The product is right, and computed by blocks of `size` with holes; 0: not so, on devices by the
 * same method, which is another on the CPU. */
static void expect_holed_by(spl_context *context, spgemm_run *run, int size, int way)
{
    spl_plan *plan = NULL;
    run->options.method = by_blocks(way);
    if (size == 0 && !testing_device()) {
        EXPECT_STATUS(SPL_UNSUPPORTED,
                      spl_spgemm_plan(context, run->a, run->b, run->d, &run->options, &plan));
        run->options.method = NULL;
        EXPECT_OK(run_spgemm(context, run));
        return;
    }
    EXPECT_OK(run_spgemm(context, run));
    EXPECT_OK(spl_spgemm_plan(context, run->a, run->b, run->d, &run->options, &plan));
    EXPECT((way < 2 ? is_holed : is_by_nodes)(plan, size) == (size > 0));
    spl_plan_destroy(plan);
}

static void expect_holed(spl_context *context, spgemm_run *run, int size)
{
    for (int way = 0; way < ways(); way++)
        expect_holed_by(context, run, size, way);
}

/* ---- holes ---- */

typedef struct shape {
    const char *name;
    zoo_maker a, b;
    uint64_t one_in;
} shape;

static const shape shapes[] = {
    {"a mesh", {"nodes", zoo_box, {4, 3, 3, 1}, false}, {NULL, NULL, {0}, false}, 10},
    {"many holes", {"nodes", zoo_box, {5, 4, 1, 1}, false}, {NULL, NULL, {0}, false}, 4},
    {"short rows", {"nodes", zoo_half_empty, {60, 60, 3}, false}, {NULL, NULL, {0}, false}, 10},
    {"rectangular",
     {"nodes", zoo_uniform, {9, 30, 12}, false},
     {"nodes", zoo_uniform, {30, 50, 21}, false},
     9},
    {"wide",
     {"nodes", zoo_uniform, {5, 20, 14}, false},
     {"nodes", zoo_uniform, {20, 30000, 30}, false},
     12},
    {"long rows",
     {"nodes", zoo_uniform, {3, 20, 19}, false},
     {"nodes", zoo_uniform, {20, 900, 200}, false},
     11},
    {"long rows of A",
     {"nodes", zoo_uniform, {3, 90, 70}, false},
     {"nodes", zoo_half_empty, {90, 40, 3}, false},
     8},
};

/* A, B, and D of A's rows and B's columns. */
static void make_operands(const shape *s, int size, int form, zoo_matrix m[3])
{
    const zoo_maker *b = s->b.make ? &s->b : &s->a;
    zoo_triples t[3];
    block_matrix(&t[0], &s->a, size, testing_seed());
    block_matrix(&t[1], b, size, testing_seed() + (s->b.make ? 1 : 0));
    zoo_maker of_d = {"nodes", zoo_half_empty, {t[0].rows / size, t[1].cols / size, 3}, false};
    block_matrix(&t[2], &of_d, size, testing_seed() + 2);
    for (int i = 0; i < 3; i++) {
        block_matrix_holes(&t[i], s->one_in,
                           testing_seed() + 5 + (uint64_t)(i == 1 && !s->b.make ? 0 : i));
        block_matrix_build(&m[i], &t[i], form);
    }
}

static void free_operands(zoo_matrix m[3])
{
    for (int i = 0; i < 3; i++)
        zoo_matrix_free(&m[i]);
}

/* Setting 1 has D, 2 is deterministic, 3 has 64-bit offsets; 0 is A*A where there is no other B. */
static void product_with_holes(spl_context *context, const shape *s, int size, int setting)
{
    static const int forms[] = {0, 0, 1, 4};
    zoo_matrix m[3];
    bool with_d = setting == 1;
    make_operands(s, size, forms[setting], m);
    testing_case("%s, blocks of %d, setting %d", s->name, size, setting);
    const spl_sparse *b = setting == 0 && !s->b.make ? &m[0].view : &m[1].view;
    spgemm_run run = {
        &m[0].view, b, with_d ? &m[2].view : NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, with_d),
        false};
    run.options.deterministic = setting == 2;
    expect_holed(context, &run, size);
    free_operands(m);
}

/* One setting for each case: emulated devices take long. */
static bool few(void)
{
    return testing_scale() > 1;
}

static void holes_are_no_entries(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    const int step = testing_few() ? 5 : 1;
    for (int n = 0; n < (int)(sizeof shapes / sizeof *shapes); n++)
        for (int size = 2 + testing_first(n, step); size <= 6; size += step)
            for (int setting = few() ? testing_first(n + size, 4) : 0; setting < 4;
                 setting += few() ? 4 : 1)
                product_with_holes(context, &shapes[n], size, setting);
    spl_context_destroy(context);
}

/* ---- what is nearly made of blocks, and what cannot be ---- */

enum { NODES = 40, SIZE = 3, ENTRIES = 6 };

static void spoil_one(spl_context *context, int fault, int which)
{
    zoo_triples t[3];
    zoo_matrix m[3];
    for (int i = 0; i < 3; i++) {
        zoo_maker nodes = {"nodes", zoo_uniform, {NODES, NODES, ENTRIES}, false};
        block_matrix(&t[i], &nodes, SIZE, testing_seed() + (uint64_t)i);
        if (i == which)
            block_faults[fault].spoil(&t[i]);
        block_matrix_build(&m[i], &t[i], 0);
    }
    testing_case("%s in %c", block_faults[fault].name, "ABD"[which]);
    spgemm_run run = {
        &m[0].view, &m[1].view, &m[2].view, SPL_OPTIONS_INIT, testing_scalars_of(2, true), false};
    bool is_read_as_stored = !testing_device() && which == 2;
    expect_holed(context, &run, block_faults[fault].in_order || is_read_as_stored ? SIZE : 0);
    free_operands(m);
}

static void what_is_nearly_made_of_blocks(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    const int step = testing_few() ? 2 : 1;
    for (int fault = testing_first(0, step); fault < block_fault_count; fault += step)
        for (int which = few() ? fault % 3 : 0; which < 3 && !block_faults[fault].blocks;
             which += few() ? 3 : 1)
            spoil_one(context, fault, which);
    spl_context_destroy(context);
}

/* The planner does not choose it; on the CPU, a caller can force it if a block size divides the
 * matrix. */
static void expect_not_chosen(spl_context *context, const spgemm_run *run)
{
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(context, run->a, run->b, run->d, NULL, &plan));
    for (int size = 2; size <= 6; size++)
        EXPECT(!is_holed(plan, size));
    spl_plan_destroy(plan);
}

/* The planner finds them on the CPU without being asked; blocks of two cost as much as entries. */
static void holes_are_found(void **state)
{
    (void)state;
    static const shape mesh = {
        "a mesh", {"nodes", zoo_box, {6, 5, 4, 1}, false}, {NULL, NULL, {0}, false}, 10};
    if (testing_device())
        return;
    spl_context *context = testing_context(2);
    for (int size = 3; size <= 6; size++) {
        zoo_matrix m[3];
        spl_plan *plan = NULL;
        testing_case("blocks of %d", size);
        make_operands(&mesh, size, 0, m);
        for (int executions = 0; executions < 2; executions++) {
            spl_options options = SPL_OPTIONS_INIT;
            options.executions = executions;
            EXPECT_OK(spl_spgemm_plan(context, &m[0].view, &m[1].view, NULL, &options, &plan));
            EXPECT(is_holed(plan, size));
            spl_plan_destroy(plan);
        }
        free_operands(m);
    }
    spl_context_destroy(context);
}

/* On devices where there is work for all of it. */
static void holes_are_found_on_devices(void **state)
{
    (void)state;
    static const shape mesh = {
        "a mesh", {"nodes", zoo_box, {6, 5, 4, 1}, false}, {NULL, NULL, {0}, false}, 10};
    enum { UNKNOWNS = 3 };
    spl_context *context = testing_context(2);
    zoo_matrix m[3];
    make_operands(&mesh, UNKNOWNS, 0, m);
    for (int few = 0; testing_device() && few < 2; few++) {
        spl_plan *plan = NULL;
        EXPECT_OK(spl_machine_set(context, "gpu/spgemm_holed_products", 1));
        EXPECT_OK(spl_machine_set(context, "gpu/spgemm_holed_rows", few ? 1e6 : 1));
        EXPECT_OK(spl_spgemm_plan(context, &m[0].view, &m[1].view, NULL, NULL, &plan));
        testing_case(few ? "few rows" : "rows enough");
        EXPECT(is_holed(plan, UNKNOWNS) == !few);
        spl_plan_destroy(plan);
    }
    free_operands(m);
    spl_context_destroy(context);
}

/* ---- memory ---- */

static size_t bytes_of(spl_context *context, const zoo_matrix m[3], const char *method)
{
    spl_memory_info before = SPL_MEMORY_INFO_INIT, after = SPL_MEMORY_INFO_INIT;
    const spl_place host = {SPL_HOST, 0};
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = method;
    EXPECT_OK(spl_memory(context, host, &before));
    EXPECT_OK(spl_spgemm_plan(context, &m[0].view, &m[1].view, NULL, &options, &plan));
    EXPECT_OK(spl_memory(context, host, &after));
    spl_plan_destroy(plan);
    return after.live - before.live;
}

/* The symbolic phase's blocks are freed if values are computed by another method, and nothing is
 * kept where memory is short. */
static void blocks_that_nobody_uses(void **state)
{
    (void)state;
    if (testing_device())
        return;
    spl_context *context = testing_context(2);
    zoo_matrix m[3];
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    make_operands(&shapes[0], SIZE, 0, m);
    EXPECT(bytes_of(context, m, on_cpu[2]) <=
           bytes_of(context, m, "spgemm/symbolic/cpu/hash,spgemm/numeric/cpu/dense"));
    options.memory_budget = (size_t)1 << 30;
    options.method = on_cpu[2];
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  spl_spgemm_plan(context, &m[0].view, &m[1].view, NULL, &options, &plan));
    free_operands(m);
    spl_context_destroy(context);
}

/* Threads have an array as wide as C: not where B has fewer entries than columns. */
static void wide_matrices(void **state)
{
    (void)state;
    static const shape wide = {"wide",
                               {"nodes", zoo_uniform, {50, 20, 14}, false},
                               {"nodes", zoo_uniform, {20, 3000, 30}, false},
                               12};
    if (testing_device())
        return;
    spl_context *context = testing_context(2);
    zoo_matrix m[3];
    make_operands(&wide, SIZE, 0, m);
    EXPECT(m[1].view.nnz < m[1].view.cols);
    spgemm_run run = {&m[0].view, &m[1].view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                      false};
    expect_not_chosen(context, &run);
    free_operands(m);
    spl_context_destroy(context);
}

/* Orders that have no divisor, and matrices without any blocks. */
static void what_has_no_blocks(void **state)
{
    (void)state;
    static const zoo_maker makers[] = {{"47 rows", zoo_uniform, {47, 47, 9}, false},
                                       {"scattered", zoo_uniform, {240, 240, 5}, false}};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof makers / sizeof *makers; n++) {
        zoo_triples t;
        zoo_matrix m;
        zoo_make(&t, &makers[n], testing_seed());
        block_matrix_build(&m, &t, 0);
        testing_case("%s", makers[n].name);
        spgemm_run run = {&m.view, &m.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                          false};
        expect_not_chosen(context, &run);
        if (testing_device() || n == 0)
            expect_holed(context, &run, 0);
        zoo_matrix_free(&m);
    }
    spl_context_destroy(context);
}

/* ---- values again ---- */

/* Random values, and `number` at a few positions. */
static void refill(zoo_matrix *m, uint64_t seed, double number)
{
    enum { ONE_IN = 37 };
    zoo_random random;
    zoo_random_seed(&random, seed);
    for (int64_t e = 0; e < m->view.nnz; e++)
        zoo_value_set(m->values, m->view.type, e,
                      e % ONE_IN == 5 ? number : zoo_random_unit(&random));
}

static void execute_again(spl_plan *plan, const spgemm_run *run)
{
    test_product c;
    EXPECT_OK(spl_plan_update_values(plan, run->a, run->b, run->d, NULL));
    EXPECT_OK(execute_spgemm(plan, plan_has_bound(plan), run, &c));
    expect_spgemm(run, &c.view);
    test_product_free(&c);
}

/* NaN in one of the operands, and none again: holes annihilate it. */
static void new_values(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix m[3];
    spl_plan *plan = NULL;
    make_operands(&shapes[0], SIZE, 0, m);
    spgemm_run run = {
        &m[0].view, &m[1].view, &m[2].view, SPL_OPTIONS_INIT, testing_scalars_of(2, true), false};
    run.options.method = by_blocks(0);
    EXPECT_OK(spl_spgemm_plan(context, run.a, run.b, run.d, &run.options, &plan));
    EXPECT(is_holed(plan, SIZE));
    for (int round = 0; round < 5; round++) {
        testing_case("round %d", round);
        for (int i = 0; i < 3; i++)
            refill(&m[i], testing_seed() + (uint64_t)(10 * round + i), round - 1 == i ? NAN : 0.5);
        execute_again(plan, &run);
    }
    spl_plan_destroy(plan);
    free_operands(m);
    spl_context_destroy(context);
}

/* The plan is made for A*A; then B gets values of its own, with A's structure. */
static void other_values_for_the_same_structure(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix m[3];
    spl_plan *plan = NULL;
    make_operands(&shapes[0], SIZE, 0, m);
    EXPECT(m[0].view.nnz == m[1].view.nnz);
    spl_sparse right = m[0].view;
    spgemm_run run = {&m[0].view, &right, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0), false};
    run.options.method = by_blocks(0);
    EXPECT_OK(spl_spgemm_plan(context, run.a, run.b, run.d, &run.options, &plan));
    execute_again(plan, &run);
    refill(&m[1], testing_seed() + 7, 0.25);
    right.values = m[1].view.values;
    execute_again(plan, &run);
    right.values = m[0].view.values;
    execute_again(plan, &run);
    spl_plan_destroy(plan);
    free_operands(m);
    spl_context_destroy(context);
}

/* ---- numbers that are not finite ---- */

/* The same numbers: equal, or both none, or as close as rounding leaves them. */
static void expect_same(const test_product *left, const test_product *right)
{
    EXPECT(left->view.nnz == right->view.nnz);
    for (int64_t p = 0; p < left->view.nnz; p++) {
        double a = zoo_value_at(left->view.values, left->view.type, p);
        double b = zoo_value_at(right->view.values, right->view.type, p);
        bool close = fabs(a - b) <= 1e-4 * (1 + fabs(a)); /* f32, some hundred terms */
        if (!(isnan(a) ? isnan(b) : isinf(a) || isinf(b) ? a == b : close))
            fail_msg("value %lld: %g by blocks, %g by entries", (long long)p, a, b);
    }
}

/* By blocks as by entries, where infinity is in an operand, or a scalar, or comes of alpha times a
 * value. */
static void infinite_numbers(void **state)
{
    (void)state;
    static const struct {
        int operand; /* 3: none */
        double alpha, beta;
        double number;
    } cases[] = {{0, 2, 1, INFINITY}, {1, 2, 1, INFINITY},  {2, 2, 1, INFINITY},
                 {3, INFINITY, 1, 0}, {3, 2, -INFINITY, 0}, {0, 0, 1, INFINITY},
                 {3, NAN, 0, 0},      {0, 1e10, 1, 1e30},   {0, 1e200, 1, 1e200}};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        zoo_matrix m[3];
        test_product c[2];
        make_operands(&shapes[1], SIZE, 0, m);
        for (int i = 0; i < 3; i++)
            refill(&m[i], testing_seed() + (uint64_t)i,
                   i == cases[n].operand ? cases[n].number : 0.5);
        testing_case("operand %d, alpha %g, beta %g", cases[n].operand, cases[n].alpha,
                     cases[n].beta);
        spgemm_run run = {&m[0].view,
                          &m[1].view,
                          &m[2].view,
                          SPL_OPTIONS_INIT,
                          testing_scalars_of(cases[n].alpha, cases[n].beta),
                          false};
        for (int k = 0; k < 2; k++) {
            run.options.method = k == 0 ? by_blocks(0) : by_entries();
            EXPECT_OK(compute_spgemm(context, &run, &c[k]));
        }
        expect_same(&c[0], &c[1]);
        test_product_free(&c[0]);
        test_product_free(&c[1]);
        free_operands(m);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_are_no_entries),
        cmocka_unit_test(what_is_nearly_made_of_blocks),
        cmocka_unit_test(holes_are_found),
        cmocka_unit_test(what_has_no_blocks),
        cmocka_unit_test(holes_are_found_on_devices),
        cmocka_unit_test(new_values),
        cmocka_unit_test(other_values_for_the_same_structure),
        cmocka_unit_test(infinite_numbers),
        cmocka_unit_test(blocks_that_nobody_uses),
        cmocka_unit_test(wide_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
