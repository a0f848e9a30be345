/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM in plans that are executed several times: devices list the terms of each entry of C.
 * Short sums, sums as long as a block of threads holds, and longer ones; rows of B of every
 * length, entries of A that meet an empty row of B, entries of C from D alone. */
#include "lib/block_matrices.h"
#include "lib/run_products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char method[] = "spgemm/numeric/gpu/term_lists";

static bool explains(const spl_plan *plan, const char *words)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    return strstr(text, words) != NULL;
}

/* ---- operands ---- */

/* rows, cols; row i has i % 41 entries that follow each other. */
static void every_length(zoo_triples *t, const int64_t *args, uint64_t seed)
{
    zoo_triples_start(t, args[0], args[1]);
    for (int64_t i = 0; i < args[0]; i++)
        for (int64_t j = 0; j < i % 41; j++)
            zoo_triples_add(t, i, (7 * i + j) % args[1], 1);
    zoo_triples_fill(t, ZOO_REAL, seed);
}

typedef struct operands {
    const char *name;
    zoo_maker a, b, d;
} operands;

static const operands cases[] = {
    {"short sums",
     {"a", zoo_uniform, {900, 300, 4}, false},
     {"b", zoo_uniform, {300, 400, 5}, false},
     {NULL, NULL, {0}, false}},
    {"rows of B of every length",
     {"a", zoo_uniform, {60, 300, 9}, false},
     {"b", every_length, {300, 900}, false},
     {"d", zoo_half_empty, {60, 900, 30}, false}},
    {"long sums",
     {"a", zoo_dense, {3, 5000}, false},
     {"b", zoo_dense, {5000, 3}, false},
     {"d", zoo_dense, {3, 3}, false}},
    {"a long sum in no row's end",
     {"a", zoo_dense_row, {5, 4000, 2, 1}, false},
     {"b", zoo_dense_column, {4000, 60, 30}, false},
     {"d", zoo_half_empty, {5, 60, 9}, false}},
    {"entries of A that lead nowhere",
     {"a", zoo_dense, {2, 3000}, false},
     {"b", zoo_hypersparse, {3000, 50, 60}, false},
     {NULL, NULL, {0}, false}},
    {"few entries in many rows",
     {"a", zoo_hypersparse, {5000, 400, 300}, false},
     {"b", zoo_uniform, {400, 90, 3}, false},
     {"d", zoo_hypersparse, {5000, 90, 200}, false}},
    {"D and a few products",
     {"a", zoo_dense, {3, 8}, false},
     {"b", zoo_uniform, {8, 3000, 4}, false},
     {"d", zoo_dense, {3, 3000}, false}},
    {"D alone",
     {"a", zoo_empty, {3, 8}, false},
     {"b", zoo_uniform, {8, 3000, 4}, false},
     {"d", zoo_dense, {3, 3000}, false}},
    {"columns that come again",
     {"a", zoo_uniform, {300, 60, 5}, false},
     {"b", zoo_duplicates, {60, 90, 900}, false},
     {"d", zoo_duplicates, {300, 90, 2000}, false}},
    {"columns in no order",
     {"a", zoo_uniform, {200, 60, 9}, false},
     {"b", zoo_unsorted, {60, 500, 40}, false},
     {"d", zoo_unsorted, {200, 500, 4}, false}},
};

/* A setting of the call: how operands are stored, the scalars. */
typedef struct setting {
    int form;
    double alpha, beta;
} setting;

static void product_of(spl_context *context, const operands *x, setting s)
{
    zoo_matrix m[3];
    const zoo_maker *const makers[] = {&x->a, &x->b, &x->d};
    int count = x->d.make ? 3 : 2;
    for (int i = 0; i < count; i++)
        zoo_matrix_make(&m[i], makers[i], zoo_form_number(s.form), testing_seed() + (uint64_t)i);
    testing_case("%s, %s, alpha %g, beta %g", x->name, zoo_form_name(zoo_form_number(s.form)),
                 s.alpha, s.beta);
    spgemm_run run = {&m[0].view,
                      &m[1].view,
                      count > 2 ? &m[2].view : NULL,
                      SPL_OPTIONS_INIT,
                      testing_scalars_of(s.alpha, s.beta),
                      false};
    run.options.method = testing_device() ? method : NULL;
    EXPECT_OK(run_spgemm(context, &run));
    for (int i = 0; i < count; i++)
        zoo_matrix_free(&m[i]);
}

static void sums_of_every_length(void **state)
{
    (void)state;
    static const setting settings[] = {{0, 2, 3}, {1, -1, 0}, {4, 0, 2}, {3, 1, 1}};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s += testing_few() ? 3 : 1)
            product_of(context, &cases[n], settings[s]);
    spl_context_destroy(context);
}

/* One sum of the given number of terms, between two sums of one term. */
static void sums_as_long_as_blocks(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1,    31,   32,   33,   1919, 1920,
                                      1921, 2047, 2048, 2049, 3841, 4097};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n += testing_few() ? 3 : 1) {
        const zoo_maker left = {"a", zoo_dense, {1, lengths[n]}, 0};
        zoo_matrix a, b;
        zoo_triples t;
        zoo_triples_start(&t, lengths[n], 3);
        zoo_triples_add(&t, 0, 0, 1);
        for (int64_t i = 0; i < lengths[n]; i++)
            zoo_triples_add(&t, i, 1, 1);
        zoo_triples_add(&t, lengths[n] - 1, 2, 1);
        zoo_triples_fill(&t, ZOO_REAL, testing_seed());
        zoo_build(&b, &t, zoo_form_number(0));
        zoo_triples_free(&t);
        zoo_matrix_make(&a, &left, zoo_form_number(0), testing_seed() + 1);
        testing_case("a sum of %lld terms", (long long)lengths[n]);
        spgemm_run run = {&a.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                          false};
        run.options.method = testing_device() ? method : NULL;
        EXPECT_OK(run_spgemm(context, &run));
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    spl_context_destroy(context);
}

/* ---- the same bits ---- */

/* Blocks and threads of the emulator in order, backwards, and drawn at random, also where a row of
 * B has a column several times. */
static void the_same_bits_under_any_schedule(void **state)
{
    (void)state;
    static const char *const seeds[] = {"5", "-1", "0"};
    enum { SEEDS = sizeof seeds / sizeof *seeds };
    const int count = testing_few() ? 1 : SEEDS;
    for (size_t n = 0; testing_device() && n < sizeof cases / sizeof *cases; n++) {
        zoo_matrix m[3];
        test_product c[SEEDS];
        const zoo_maker *const makers[] = {&cases[n].a, &cases[n].b, &cases[n].d};
        int number = cases[n].d.make ? 3 : 2;
        for (int i = 0; i < number; i++)
            zoo_matrix_make(&m[i], makers[i], zoo_form_number(0), testing_seed() + (uint64_t)i);
        spgemm_run run = {&m[0].view,
                          &m[1].view,
                          number > 2 ? &m[2].view : NULL,
                          SPL_OPTIONS_INIT,
                          testing_scalars_of(2, 3),
                          false};
        run.options.method = method;
        for (int k = 0; k < count; k++) {
            setenv("SPARLOOM_EMU_SEED", seeds[k], 1);
            spl_context *context = testing_context(2);
            testing_case("%s, schedule %s", cases[n].name, seeds[k]);
            EXPECT_OK(compute_spgemm(context, &run, &c[k]));
            EXPECT(test_products_identical(&c[0], &c[k]));
            spl_context_destroy(context);
        }
        unsetenv("SPARLOOM_EMU_SEED");
        for (int k = 0; k < count; k++)
            test_product_free(&c[k]);
        for (int i = 0; i < number; i++)
            zoo_matrix_free(&m[i]);
    }
}

/* ---- the choice ---- */

static spl_plan *plan_of(spl_context *context, const spgemm_run *run)
{
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(context, run->a, run->b, run->d, &run->options, &plan));
    return plan;
}

/* Where terms are listed, and why not: a single execution; sums so long that lists would be much
 * larger than C; columns that do not ascend. */
static void lists_are_made_where_they_pay(void **state)
{
    (void)state;
    static const struct {
        zoo_maker a, b;
        int executions;
        const char *words;
    } choices[] = {
        {{"a", zoo_uniform, {900, 300, 4}, false},
         {"b", zoo_uniform, {300, 4000, 5}, 0},
         0,
         "terms in"},
        {{"a", zoo_uniform, {900, 300, 4}, false},
         {"b", zoo_uniform, {300, 4000, 5}, 0},
         1,
         "chosen spgemm/numeric/gpu/hybrid"},
        {{"a", zoo_uniform, {40, 60, 50}, false},
         {"b", zoo_dense, {60, 40}, 0},
         0,
         "lists would take many times the memory of C"},
        {{"a", zoo_uniform, {90, 30, 4}, false},
         {"b", zoo_unsorted, {30, 400, 5}, 0},
         0,
         "rows of B or D do not ascend"},
    };
    spl_context *context = testing_context(2);
    for (size_t n = 0; testing_device() && n < sizeof choices / sizeof *choices; n++) {
        zoo_matrix a, b;
        zoo_matrix_make(&a, &choices[n].a, zoo_form_number(0), testing_seed());
        zoo_matrix_make(&b, &choices[n].b, zoo_form_number(0), testing_seed() + 1);
        spgemm_run run = {&a.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                          false};
        run.options.executions = choices[n].executions;
        testing_case("choice %zu", n);
        spl_plan *plan = plan_of(context, &run);
        EXPECT(explains(plan, choices[n].words));
        spl_plan_destroy(plan);
        EXPECT_OK(run_spgemm(context, &run));
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    spl_context_destroy(context);
}

/* Two unknowns per node in two dimensions: C's structure is found by blocks, its values come from
 * lists. Four: both by blocks. */
static void blocks_may_have_lists(void **state)
{
    (void)state;
    const zoo_maker nodes = {"nodes", zoo_box, {18, 17, 1, 1}, false};
    bool emulated = testing_device() && strncmp(testing_device(), "emu", 3) == 0;
    char words[64];
    spl_context *context = testing_context(2);
    for (int size = 2; size <= 4; size += 2)
        for (int with_d = 0; with_d < 2; with_d++) {
            zoo_triples t;
            zoo_matrix a;
            block_matrix(&t, &nodes, size, testing_seed());
            block_matrix_build(&a, &t, 0);
            testing_case("%d unknowns per node, %s D", size, with_d ? "with" : "no");
            spgemm_run run = {&a.view,
                              &a.view,
                              with_d ? &a.view : NULL,
                              SPL_OPTIONS_INIT,
                              testing_scalars_of(2, with_d),
                              false};
            run.options.executions = 1 << 20;
            EXPECT_OK(run_spgemm(context, &run));
            spl_plan *plan = plan_of(context, &run);
            snprintf(words, sizeof words, "%d unknowns per node", size);
            EXPECT(!testing_device() || explains(plan, words));
            /* predictions differ on other devices */
            EXPECT(!emulated || explains(plan, "terms in") == (size == 2));
            spl_plan_destroy(plan);
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* A budget that shrinks until lists do not fit any more: then the plan has another method. */
static void lists_leave_room(void **state)
{
    (void)state;
    const zoo_maker left = {"a", zoo_uniform, {900, 300, 9}, 0},
                    right = {"b", zoo_uniform, {300, 4000, 9}, 0};
    spl_context *context = testing_context(2);
    zoo_matrix a, b;
    bool did_without = false;
    zoo_matrix_make(&a, &left, zoo_form_number(0), testing_seed());
    zoo_matrix_make(&b, &right, zoo_form_number(0), testing_seed() + 1);
    spgemm_run run = {&a.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0), false};
    for (size_t budget = 1 << 22; testing_device() && !did_without; budget -= budget / 6) {
        spl_plan *plan = NULL;
        run.options.memory_budget = budget;
        testing_case("budget %zu", budget);
        EXPECT_OK(spl_spgemm_plan(context, run.a, run.b, NULL, &run.options, &plan));
        did_without = explains(plan, "term_lists    no: did not fit the memory budget");
        spl_plan_destroy(plan);
        EXPECT_OK(run_spgemm(context, &run));
    }
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_every_length),
        cmocka_unit_test(sums_as_long_as_blocks),
        cmocka_unit_test(the_same_bits_under_any_schedule),
        cmocka_unit_test(lists_are_made_where_they_pay),
        cmocka_unit_test(lists_leave_room),
        cmocka_unit_test(blocks_may_have_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
