/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM of matrices made of dense blocks, and of matrices that look as if they were. On devices blocks are found and used: the plan's explanation says
 * so. */
#include "lib/run_products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every entry of `nodes` becomes a dense block. */
static void expand(zoo_triples *t, const zoo_triples *nodes, int64_t size)
{
    zoo_triples_start(t, nodes->rows * size, nodes->cols * size);
    for (int64_t e = 0; e < nodes->nnz; e++)
        for (int64_t r = 0; r < size * size; r++)
            zoo_triples_add(t, nodes->i[e] * size + r / size, nodes->j[e] * size + r % size, 0);
}

/* By rows, columns ascending: the structure of CSR in canonical order. */
static int by_position(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    int rows = (x[0] > y[0]) - (x[0] < y[0]);
    return rows ? rows : (x[1] > y[1]) - (x[1] < y[1]);
}

static void sort(zoo_triples *t)
{
    int64_t(*at)[2] = zoo_allocate((size_t)t->nnz * sizeof *at);
    for (int64_t e = 0; e < t->nnz; e++)
        at[e][0] = t->i[e], at[e][1] = t->j[e];
    qsort(at, (size_t)t->nnz, sizeof *at, by_position);
    for (int64_t e = 0; e < t->nnz; e++)
        t->i[e] = at[e][0], t->j[e] = at[e][1];
    free(at);
}

static void blocks_of(zoo_triples *t, const zoo_maker *nodes, int64_t size, uint64_t seed)
{
    zoo_triples pattern;
    zoo_make(&pattern, nodes, seed);
    expand(t, &pattern, size);
    zoo_triples_free(&pattern);
    sort(t);
}

static void fill_and_build(zoo_matrix *m, zoo_triples *t, int form)
{
    zoo_triples_fill(t, ZOO_REAL, testing_seed());
    zoo_build(m, t, zoo_form_number(form));
    zoo_triples_free(t);
}

/* The product is right, and computed with blocks of `size`, 1: without. */
static void expect_blocks(spl_context *context, const spgemm_run *run, int size)
{
    char text[16384], words[64];
    spl_plan *plan = NULL;
    EXPECT_OK(run_spgemm(context, run));
    if (!testing_device())
        return;
    EXPECT_OK(spl_spgemm_plan(context, run->a, run->b, run->d, &run->options, &plan));
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    snprintf(words, sizeof words, "%d unknowns per node", size);
    bool as_expected = size > 1 ? strstr(text, words) != NULL : strstr(text, "unknowns per node") == NULL;
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
    {"rectangular", {"nodes", zoo_uniform, {9, 30, 12}, false}, {"nodes", zoo_uniform, {30, 50, 21}, false}},
    {"wide", {"nodes", zoo_uniform, {5, 20, 14}, false}, {"nodes", zoo_uniform, {20, 30000, 30}, false}},
    {"long rows", {"nodes", zoo_uniform, {3, 20, 19}, false}, {"nodes", zoo_uniform, {20, 900, 200}, false}},
    {"long rows of A", {"nodes", zoo_uniform, {3, 90, 70}, false}, {"nodes", zoo_half_empty, {90, 40, 3}, false}},
    {"no entries", {"nodes", zoo_empty, {7, 7}, false}, {NULL, NULL, {0}, false}},
};

static void product_of_blocks(spl_context *context, const shape *s, int size, int found, int setting)
{
    static const int forms[] = {0, 0, 1, 4};
    bool with_d = setting == 1;
    zoo_triples a, b, d;
    zoo_matrix left, right, addend;
    blocks_of(&a, &s->a, size, testing_seed());
    blocks_of(&b, s->b.make ? &s->b : &s->a, size, testing_seed() + (s->b.make ? 1 : 0));
    zoo_maker of_d = {"nodes", zoo_half_empty, {a.rows / size, b.cols / size, 3}, false};
    blocks_of(&d, &of_d, size, testing_seed() + 2);
    fill_and_build(&left, &a, forms[setting]);
    fill_and_build(&right, &b, forms[setting]);
    fill_and_build(&addend, &d, forms[setting]);
    testing_case("%s, blocks of %d, setting %d", s->name, size, setting);
    spgemm_run run = {
        &left.view, &right.view, with_d ? &addend.view : NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, with_d), false};
    run.options.deterministic = setting == 2;
    expect_blocks(context, &run, found);
    zoo_matrix_free(&left);
    zoo_matrix_free(&right);
    zoo_matrix_free(&addend);
}

static void blocks_are_found_and_used(void **state)
{
    (void)state;
    static const int sizes[][2] = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 1}, {8, 4}, {10, 5}};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (int setting = 0; setting < (k < 5 ? 4 : 1); setting++)
                if (shapes[n].a.make != zoo_empty || k == 1)
                    product_of_blocks(context, &shapes[n], sizes[k][0], sizes[k][1], setting);
    spl_context_destroy(context);
}

/* ---- what is not made of blocks ---- */

enum { NODES = 40, SIZE = 3, ENTRIES = 6 };

static void drop_entry(zoo_triples *t, int64_t at)
{
    t->nnz--;
    for (int64_t e = at; e < t->nnz; e++)
        t->i[e] = t->i[e + 1], t->j[e] = t->j[e + 1];
}

static void without_one_entry(zoo_triples *t)
{
    drop_entry(t, t->nnz / 2);
}

/* The last entry of a row, so that columns of all rows still come in runs of three. */
static void without_the_last(zoo_triples *t)
{
    drop_entry(t, t->nnz - 1);
}

static void with_one_entry_more(zoo_triples *t)
{
    for (int64_t j = 0;; j++) {
        bool there = false;
        for (int64_t e = 0; e < t->nnz; e++)
            there = there || (t->i[e] == 0 && t->j[e] == j);
        if (!there) {
            zoo_triples_add(t, 0, j, 0);
            break;
        }
    }
    sort(t);
}

static void with_shifted_rows(zoo_triples *t)
{
    for (int64_t e = 0; e < t->nnz; e++)
        t->i[e] = (t->i[e] + 1) % t->rows;
    sort(t);
}

static void with_shifted_columns(zoo_triples *t)
{
    for (int64_t e = 0; e < t->nnz; e++)
        t->j[e] = (t->j[e] + 1) % t->cols;
    sort(t);
}

static void with_an_empty_row(zoo_triples *t)
{
    int64_t kept = 0;
    for (int64_t e = 0; e < t->nnz; e++)
        if (t->i[e] != 4) {
            t->i[kept] = t->i[e];
            t->j[kept++] = t->j[e];
        }
    t->nnz = kept;
}

/* In its row, so that only the order of columns is wrong. */
static void with_two_columns_swapped(zoo_triples *t)
{
    for (int64_t e = 0; e + 1 < t->nnz; e++)
        if (t->i[e] == t->rows / 2 && t->i[e + 1] == t->i[e]) {
            int64_t j = t->j[e];
            t->j[e] = t->j[e + 1];
            t->j[e + 1] = j;
            return;
        }
}

static void with_a_repeated_column(zoo_triples *t)
{
    t->j[1] = t->j[0];
}

static void as_it_is(zoo_triples *t)
{
    (void)t;
}

static const struct {
    const char *name;
    void (*spoil)(zoo_triples *t);
    int found;
} spoilt[] = {
    {"as it is", as_it_is, SIZE},
    {"one entry of a block missing", without_one_entry, 1},
    {"the very last entry missing", without_the_last, 1},
    {"one entry more", with_one_entry_more, 1},
    {"rows shifted by one", with_shifted_rows, 1},
    {"columns shifted by one", with_shifted_columns, 1},
    {"one row empty", with_an_empty_row, 1},
    {"two columns swapped", with_two_columns_swapped, 1},
    {"a column twice", with_a_repeated_column, 1},
};

/* One of A, B and D is spoilt. */
static void spoil_one(spl_context *context, size_t how, int which)
{
    zoo_triples t[3];
    zoo_matrix m[3];
    for (int i = 0; i < 3; i++) {
        zoo_maker nodes = {"nodes", zoo_uniform, {NODES, NODES, ENTRIES}, false};
        blocks_of(&t[i], &nodes, SIZE, testing_seed() + (uint64_t)i);
        if (i == which)
            spoilt[how].spoil(&t[i]);
        fill_and_build(&m[i], &t[i], 0);
    }
    testing_case("%s in %c", spoilt[how].name, "ABD"[which]);
    spgemm_run run = {&m[0].view, &m[1].view, &m[2].view, SPL_OPTIONS_INIT, testing_scalars_of(2, true), false};
    expect_blocks(context, &run, spoilt[how].found);
    for (int i = 0; i < 3; i++)
        zoo_matrix_free(&m[i]);
}

static void what_is_not_made_of_blocks(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (size_t how = 0; how < sizeof spoilt / sizeof *spoilt; how++)
        for (int which = 0; which < 3; which++)
            spoil_one(context, how, which);
    spl_context_destroy(context);
}

/* Nodes with three unknowns and with six: all come in threes. One, three and six: nothing is common. */
static void sizes_mixed(void **state)
{
    (void)state;
    static const struct {
        int sizes[3], found;
    } mixes[] = {{{3, 6, 3}, 3}, {{1, 3, 6}, 1}, {{2, 4, 6}, 2}, {{6, 6, 6}, 6}};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof mixes / sizeof *mixes; n++) {
        enum { COUNT = 24 };
        int64_t first[COUNT + 1] = {0};
        zoo_triples nodes, t;
        zoo_matrix m;
        zoo_maker maker = {"nodes", zoo_uniform, {COUNT, COUNT, 5}, false};
        for (int i = 0; i < COUNT; i++)
            first[i + 1] = first[i] + mixes[n].sizes[i % 3];
        zoo_make(&nodes, &maker, testing_seed());
        zoo_triples_start(&t, first[COUNT], first[COUNT]);
        for (int64_t e = 0; e < nodes.nnz; e++)
            for (int64_t i = first[nodes.i[e]]; i < first[nodes.i[e] + 1]; i++)
                for (int64_t j = first[nodes.j[e]]; j < first[nodes.j[e] + 1]; j++)
                    zoo_triples_add(&t, i, j, 0);
        zoo_triples_free(&nodes);
        sort(&t);
        fill_and_build(&m, &t, 0);
        testing_case("sizes %d, %d, %d", mixes[n].sizes[0], mixes[n].sizes[1], mixes[n].sizes[2]);
        spgemm_run run = {&m.view, &m.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0), false};
        expect_blocks(context, &run, mixes[n].found);
        zoo_matrix_free(&m);
    }
    spl_context_destroy(context);
}

/* Methods that are asked for, and the sources' rules, compute entry by entry. */
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
        blocks_of(&t, &shapes[0].a, SIZE, testing_seed());
        fill_and_build(&m, &t, 0);
        spgemm_run run = {&m.view, &m.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0), false};
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
        cmocka_unit_test(others_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
