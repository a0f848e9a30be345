/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM of matrices whose neighbouring rows have the same columns, in groups of mixed sizes,
 * and of matrices that are almost like that. On devices groups are found and used: the plan's
 * explanation says so. */
#include "lib/block_matrices.h"
#include "lib/run_products.h"

#include <stdio.h>
#include <string.h>

static const char method[] = "spgemm/numeric/gpu/identical_rows";

static bool joins(const spl_plan *plan)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    return strstr(text, "groups of rows with equal columns") != NULL;
}

/* The product is right, and its rows are joined or not; by lists of terms, too, if there are
 * several executions. */
static void expect_joined(spl_context *context, const spgemm_run *run, bool joined)
{
    spl_plan *plan = NULL;
    spgemm_run local_run = *run;
    EXPECT_OK(run_spgemm(context, &local_run));
    if (!testing_device())
        return;
    local_run.options.executions = 1;
    EXPECT_OK(run_spgemm(context, &local_run));
    EXPECT_OK(spl_spgemm_plan(context, run->a, run->b, run->d, &local_run.options, &plan));
    EXPECT(joins(plan) == joined);
    spl_plan_destroy(plan);
}

/* ---- mixtures ---- */

/* Nodes of sizes[0], [1], [2], ... unknowns; B NULL: A itself. */
typedef struct mixture {
    const char *name;
    int sizes[3];
    zoo_maker a, b;
    bool fixed, joined;
} mixture;

static const mixture mixtures[] = {
    {"one, three and six",
     {1, 3, 6},
     {"nodes", zoo_uniform, {24, 24, 5}, false},
     {NULL, NULL, {0}, false},
     false,
     true},
    {"a mesh with some unknowns fixed",
     {3, 3, 3},
     {"nodes", zoo_box, {4, 3, 3, 1}, false},
     {NULL, NULL, {0}, false},
     true,
     true},
    {"six unknowns, some fixed",
     {6, 6, 6},
     {"nodes", zoo_half_empty, {30, 30, 4}, false},
     {NULL, NULL, {0}, false},
     true,
     true},
    {"rectangular",
     {2, 5, 4},
     {"nodes", zoo_uniform, {9, 30, 12}, false},
     {"nodes", zoo_uniform, {30, 50, 21}, false},
     false,
     true},
    {"more than six",
     {7, 13, 1},
     {"nodes", zoo_uniform, {8, 8, 3}, false},
     {NULL, NULL, {0}, false},
     false,
     true},
    {"short rows of B",
     {6, 1, 5},
     {"nodes", zoo_uniform, {8, 90, 70}, false},
     {"nodes", zoo_half_empty, {90, 40, 1}, false},
     false,
     true},
    {"long rows",
     {4, 6, 1},
     {"nodes", zoo_uniform, {4, 12, 9}, false},
     {"nodes", zoo_uniform, {12, 1500, 130}, false},
     false,
     true},
    {"wide",
     {3, 1, 2},
     {"nodes", zoo_uniform, {6, 20, 14}, false},
     {"nodes", zoo_uniform, {20, 400000, 30}, false},
     false,
     true},
    {"single unknowns",
     {1, 1, 1},
     {"nodes", zoo_uniform, {50, 50, 6}, false},
     {NULL, NULL, {0}, false},
     false,
     false},
};

/* A, B and D of the mixture; D's nodes have A's rows and B's columns. */
static void make_operands(const mixture *x, int form, zoo_matrix m[3])
{
    const zoo_maker *b = x->b.make ? &x->b : &x->a;
    const zoo_maker d = {"nodes", zoo_half_empty, {x->a.args[0], b->args[1], 3}, false};
    const zoo_maker *makers[] = {&x->a, b, &d};
    for (int i = 0; i < 3; i++) {
        zoo_triples t;
        bool square = x->a.make != zoo_box && !x->b.make;
        const zoo_maker *maker = i == 2 && x->a.make == zoo_box ? &x->a : makers[i];
        block_matrix_mixed(&t, maker, x->sizes,
                           testing_seed() + (uint64_t)(i == 1 && square ? 0 : i));
        if (x->fixed)
            block_matrix_fix(&t, testing_seed());
        block_matrix_build(&m[i], &t, form);
    }
}

static void product_of(spl_context *context, const mixture *x, int setting)
{
    static const int forms[] = {0, 0, 1, 4};
    zoo_matrix m[3];
    make_operands(x, forms[setting], m);
    testing_case("%s, setting %d", x->name, setting);
    bool with_d = setting == 1;
    const spl_sparse *b = setting == 0 && !x->b.make ? &m[0].view : &m[1].view;
    spgemm_run run = {
        &m[0].view, b, with_d ? &m[2].view : NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, with_d),
        false};
    run.options.deterministic = setting == 2;
    expect_joined(context, &run, x->joined);
    for (int i = 0; i < 3; i++)
        zoo_matrix_free(&m[i]);
}

static void groups_are_found_and_used(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    const int step = testing_few() ? 4 : 1;
    for (int n = 0; n < (int)(sizeof mixtures / sizeof *mixtures); n++)
        for (int setting = testing_first(n, step); setting < 4; setting += step)
            product_of(context, &mixtures[n], setting);
    spl_context_destroy(context);
}

/* ---- what is nearly made of groups ---- */

enum { NODES = 40, SIZE = 3, ENTRIES = 6 };

/* One of A, B and D is spoilt; the method is forced, so that rows are joined even if that does
 * not pay. */
static void spoil_one(spl_context *context, int fault, int which)
{
    zoo_matrix m[3];
    for (int i = 0; i < 3; i++) {
        zoo_triples t;
        zoo_maker nodes = {"nodes", zoo_uniform, {NODES, NODES, ENTRIES}, false};
        block_matrix(&t, &nodes, SIZE, testing_seed() + (uint64_t)i);
        if (i == which)
            block_faults[fault].spoil(&t);
        block_matrix_build(&m[i], &t, 0);
    }
    testing_case("%s in %c", block_faults[fault].name, "ABD"[which]);
    spgemm_run run = {
        &m[0].view, &m[1].view, &m[2].view, SPL_OPTIONS_INIT, testing_scalars_of(2, true), false};
    run.options.method = testing_device() ? method : NULL;
    expect_joined(context, &run, true);
    for (int i = 0; i < 3; i++)
        zoo_matrix_free(&m[i]);
}

static void what_is_nearly_made_of_groups(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    const int step = testing_few() ? 3 : 1;
    for (int fault = 0; fault < block_fault_count; fault++)
        for (int which = testing_first(fault, step); which < 3; which += step)
            spoil_one(context, fault, which);
    spl_context_destroy(context);
}

/* ---- values again ---- */

static void refill(zoo_matrix *m, uint64_t seed)
{
    zoo_random random;
    zoo_random_seed(&random, seed);
    for (int64_t e = 0; e < m->view.nnz; e++)
        zoo_value_set(m->values, m->view.type, e, zoo_random_unit(&random));
}

static void new_values(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix m[3];
    make_operands(&mixtures[0], 0, m);
    spl_plan *plan = NULL;
    spgemm_run run = {
        &m[0].view, &m[1].view, &m[2].view, SPL_OPTIONS_INIT, testing_scalars_of(2, true), false};
    EXPECT_OK(spl_spgemm_plan(context, run.a, run.b, run.d, &run.options, &plan));
    for (uint64_t round = 0; round < 3; round++) {
        test_product c;
        testing_case("round %d", (int)round);
        for (int i = 0; i < 3; i++)
            refill(&m[i], testing_seed() + 10 * round + (uint64_t)i);
        EXPECT_OK(spl_plan_update_values(plan, run.a, run.b, run.d, NULL));
        EXPECT_OK(execute_spgemm(plan, plan_has_bound(plan), &run, &c));
        expect_spgemm(&run, &c.view);
        test_product_free(&c);
    }
    spl_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        zoo_matrix_free(&m[i]);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_found_and_used),
        cmocka_unit_test(what_is_nearly_made_of_groups),
        cmocka_unit_test(new_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
