/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM of matrices made of dense blocks, and of matrices that look similar but are not. On
 * devices the planner finds blocks and uses them: the plan's explanation says so. On the CPU the
 * method for blocks takes any matrix; it is forced, since the planner may choose another. */
#include "lib/block_matrices.h"
#include "lib/run_products.h"

#include <stdio.h>
#include <string.h>

static const char on_the_cpu[] = "spgemm/symbolic/cpu/bitmap_windowed,spgemm/numeric/cpu/blocks";

/* The product is right, and computed with blocks of `size`, 1: without. */
static void expect_blocks(spl_context *context, const spgemm_run *run, int size)
{
    char text[16384], words[64];
    spl_plan *plan = NULL;
    spgemm_run local_run = *run;
    local_run.options.executions = 1; /* for more, a plan may list terms: test_spgemm_terms.c */
    if (!testing_device())
        local_run.options.method = on_the_cpu;
    EXPECT_OK(run_spgemm(context, &local_run));
    if (!testing_device())
        return;
    local_run.one_shot = true;
    EXPECT_OK(run_spgemm(context, &local_run));
    EXPECT_OK(spl_spgemm_plan(context, run->a, run->b, run->d, &local_run.options, &plan));
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    snprintf(words, sizeof words, "%d unknowns per node", size);
    bool as_expected =
        size > 1 ? strstr(text, words) != NULL : strstr(text, "unknowns per node") == NULL;
    if (!as_expected)
        fprintf(stderr, "expected %s%s in:\n%s\n", size > 1 ? "" : "no ", words, text);
    EXPECT(as_expected);
    spl_plan_destroy(plan);
}

/* ---- blocks ---- */

typedef struct shape {
    const char *name;
    zoo_maker a, b;
} shape;

static const shape shapes[] = {
    {"a mesh", {"nodes", zoo_box, {4, 3, 3, 1}, false}, {NULL, NULL, {0}, false}},
    {"short rows", {"nodes", zoo_half_empty, {60, 60, 3}, false}, {NULL, NULL, {0}, false}},
    {"rectangular",
     {"nodes", zoo_uniform, {9, 30, 12}, false},
     {"nodes", zoo_uniform, {30, 50, 21}, false}},
    {"wide",
     {"nodes", zoo_uniform, {5, 20, 14}, false},
     {"nodes", zoo_uniform, {20, 30000, 30}, false}},
    {"long rows",
     {"nodes", zoo_uniform, {3, 20, 19}, false},
     {"nodes", zoo_uniform, {20, 900, 200}, false}},
    {"long rows of A",
     {"nodes", zoo_uniform, {3, 90, 70}, false},
     {"nodes", zoo_half_empty, {90, 40, 3}, false}},
    {"no entries", {"nodes", zoo_empty, {7, 7}, false}, {NULL, NULL, {0}, false}},
};

static void product_of_blocks(spl_context *context, const shape *s, int size, int found,
                              int setting)
{
    static const int forms[] = {0, 0, 1, 4};
    bool with_d = setting == 1;
    zoo_triples a, b, d;
    zoo_matrix left, right, addend;
    block_matrix(&a, &s->a, size, testing_seed());
    block_matrix(&b, s->b.make ? &s->b : &s->a, size, testing_seed() + (s->b.make ? 1 : 0));
    zoo_maker of_d = {"nodes", zoo_half_empty, {a.rows / size, b.cols / size, 3}, false};
    block_matrix(&d, &of_d, size, testing_seed() + 2);
    block_matrix_build(&left, &a, forms[setting]);
    block_matrix_build(&right, &b, forms[setting]);
    block_matrix_build(&addend, &d, forms[setting]);
    testing_case("%s, blocks of %d, setting %d", s->name, size, setting);
    spgemm_run run = {&left.view,
                      &right.view,
                      with_d ? &addend.view : NULL,
                      SPL_OPTIONS_INIT,
                      testing_scalars_of(2, with_d),
                      false};
    run.options.deterministic = setting == 2;
    bool empty = left.view.nnz + right.view.nnz + (with_d ? addend.view.nnz : 0) == 0;
    expect_blocks(context, &run, empty ? 1 : found);
    zoo_matrix_free(&left);
    zoo_matrix_free(&right);
    zoo_matrix_free(&addend);
}

static void blocks_are_found_and_used(void **state)
{
    (void)state;
    static const int sizes[][2] = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 1}, {8, 4}, {10, 5}};
    spl_context *context = testing_context(2);
    for (int n = 0; n < (int)(sizeof shapes / sizeof *shapes); n++) {
        const bool empty = shapes[n].a.make == zoo_empty; /* one size says it all */
        const int step = testing_few() && !empty ? 3 : 1, settings = testing_scale() > 1 ? 4 : 1;
        for (int k = testing_first(n, step); k < (int)(sizeof sizes / sizeof *sizes); k += step)
            for (int setting = testing_first(n + k, settings); setting < (k < 5 ? 4 : 1);
                 setting += settings)
                if (!empty || k == 1)
                    product_of_blocks(context, &shapes[n], sizes[k][0], sizes[k][1], setting);
    }
    spl_context_destroy(context);
}

/* ---- what is not made of blocks ---- */

enum { NODES = 40, SIZE = 3, ENTRIES = 6 };

/* One of A, B and D is spoilt. */
static void spoil_one(spl_context *context, int number, int which)
{
    zoo_triples t[3];
    zoo_matrix m[3];
    for (int i = 0; i < 3; i++) {
        zoo_maker nodes = {"nodes", zoo_uniform, {NODES, NODES, ENTRIES}, false};
        block_matrix(&t[i], &nodes, SIZE, testing_seed() + (uint64_t)i);
        if (i == which)
            block_faults[number].spoil(&t[i]);
        block_matrix_build(&m[i], &t[i], 0);
    }
    testing_case("%s in %c", block_faults[number].name, "ABD"[which]);
    spgemm_run run = {
        &m[0].view, &m[1].view, &m[2].view, SPL_OPTIONS_INIT, testing_scalars_of(2, true), false};
    expect_blocks(context, &run, block_faults[number].blocks ? SIZE : 1);
    for (int i = 0; i < 3; i++)
        zoo_matrix_free(&m[i]);
}

static void what_is_not_made_of_blocks(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    const int step = testing_scale() > 1 ? 3 : 1;
    for (int number = 0; number < block_fault_count; number++)
        for (int which = testing_first(number, step); which < 3; which += step)
            spoil_one(context, number, which);
    spl_context_destroy(context);
}

/* Nodes with three unknowns and with six: all come in threes. One, three and six: nothing is
 * common. */
static void sizes_mixed(void **state)
{
    (void)state;
    static const struct {
        int sizes[3], found;
    } mixes[] = {{{3, 6, 3}, 3}, {{1, 3, 6}, 1}, {{2, 4, 6}, 2}, {{6, 6, 6}, 6}};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof mixes / sizeof *mixes; n++) {
        zoo_triples t;
        zoo_matrix m;
        zoo_maker maker = {"nodes", zoo_uniform, {24, 24, 5}, false};
        block_matrix_mixed(&t, &maker, mixes[n].sizes, testing_seed());
        block_matrix_build(&m, &t, 0);
        testing_case("sizes %d, %d, %d", mixes[n].sizes[0], mixes[n].sizes[1], mixes[n].sizes[2]);
        spgemm_run run = {&m.view, &m.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                          false};
        expect_blocks(context, &run, mixes[n].found);
        zoo_matrix_free(&m);
    }
    spl_context_destroy(context);
}

/* R*A*P, factor by factor, as smoothed aggregation of elasticity has it: three unknowns per node,
 * six per aggregate. */
static void nodes_and_aggregates(void **state)
{
    (void)state;
    enum { UNKNOWNS = 3, MODES = 6 };
    static const zoo_maker nodes = {"nodes", zoo_box, {6, 5, 1, 1}, false},
                           aggregates = {"P", zoo_uniform, {30, 7, 2}, false},
                           restriction = {"R", zoo_uniform, {7, 30, 9}, false};
    spl_context *context = testing_context(2);
    zoo_triples t[3];
    zoo_matrix r, a, p;
    block_matrix_rectangular(&t[0], &restriction, MODES, UNKNOWNS, testing_seed());
    block_matrix(&t[1], &nodes, UNKNOWNS, testing_seed());
    block_matrix_rectangular(&t[2], &aggregates, UNKNOWNS, MODES, testing_seed());
    block_matrix_build(&r, &t[0], 0);
    block_matrix_build(&a, &t[1], 0);
    block_matrix_build(&p, &t[2], 0);
    const spl_sparse *const pairs[][2] = {
        {&a.view, &p.view}, {&r.view, &a.view}, {&r.view, &p.view}};
    for (int n = 0; n < 3; n++) {
        testing_case("factors %d", n);
        spgemm_run run = {
            pairs[n][0], pairs[n][1], NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0), false};
        if (!testing_device())
            run.options.method = on_the_cpu;
        EXPECT_OK(run_spgemm(context, &run));
    }
    zoo_matrix_free(&r);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
    spl_context_destroy(context);
}

/* Forced methods and the rules of sources compute entry by entry. */
static void others_when_asked_for(void **state)
{
    (void)state;
    static const char *const methods[] = {"spgemm/numeric/gpu/hybrid", "spgemm/symbolic/gpu/hash",
                                          "spgemm/numeric/gpu/blocks"};
    if (!testing_device())
        return;
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof methods / sizeof *methods; n++) {
        zoo_triples t;
        zoo_matrix m;
        block_matrix(&t, &shapes[0].a, SIZE, testing_seed());
        block_matrix_build(&m, &t, 0);
        spgemm_run run = {&m.view, &m.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                          false};
        run.options.method = methods[n];
        testing_case("%s", methods[n]);
        expect_blocks(context, &run, strstr(methods[n], "blocks") ? SIZE : 1);
        zoo_matrix_free(&m);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found_and_used),
        cmocka_unit_test(what_is_not_made_of_blocks),
        cmocka_unit_test(sizes_mixed),
        cmocka_unit_test(nodes_and_aggregates),
        cmocka_unit_test(others_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
