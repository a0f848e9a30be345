/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM of rows that differ: short, long, wide, close together and scattered. On devices each kind
 * of row is computed in a way of its own, which the plan's explanation names. */
#include "lib/run_products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A has `rows` rows of `entries` entries, B `inner` rows of `entries_b`, all at random positions.
 */
typedef struct row_kind {
    const char *name;
    int64_t rows, inner, entries, cols, entries_b;
    const char *on_devices; /* what the explanation says there: sizes of teams go by the device */
} row_kind;

static const row_kind kinds[] = {
    {"few products", 300, 100, 3, 5000, 4, "at kept positions"},
    {"32 to 128 products", 100, 80, 8, 90000, 12, "at kept positions"},
    {"close together", 60, 100, 30, 400, 40, "in windows"},
    {"a window of a thousand words", 40, 60, 40, 30000, 40, "in windows"},
    {"a window of three thousand words", 40, 60, 40, 100000, 50, "in windows"},
    {"scattered", 40, 60, 6, 300000, 60, "in chains"},
    {"scattered, a thousand products", 12, 40, 11, 1200000, 100, "hashed"},
    {"long and wide", 3, 40, 38, 2000000, 300, "hashed"},
    {"long and close", 3, 3, 3, 30000, 3000, "spread by 512 threads"},
    {"full", 2, 9, 9, 6000, 1500, NULL},
    {"scattered, few words per product", 40, 60, 24, 60000, 24, "in windows"},
    {"scattered, many words per product", 30, 60, 24, 700000, 24, "hashed"},
    {"short rows of B", 3, 9000, 6000, 20000, 2, "spread by 512 threads"},
    {"one entry in a row of B", 40, 900, 150, 3000, 1, NULL},
    {"one entry in a row of B, wide", 5, 9000, 3000, 200000, 1, NULL},
    {"scattered in a window of five thousand words", 9, 60, 24, 160000, 24, "in windows"},
    {"scattered in a window of twenty thousand words", 5, 60, 50, 640000, 30, "in windows"},
    {"64 products and some more", 100, 80, 7, 900, 10, NULL},
    {"128 to 256 products", 90, 80, 12, 90000, 18, "at kept positions"},
    {"128 to 256 products, close together", 90, 80, 12, 120, 17, "in windows"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char hybrid[] = "spgemm/symbolic/gpu/hybrid,spgemm/numeric/gpu/hybrid";
static const char hashed[] = "spgemm/symbolic/gpu/hash,spgemm/numeric/gpu/hash";
/* Those of S1. */
static const char sorted_terms[] = "spgemm/symbolic/gpu/upper_bound,spgemm/numeric/gpu/esc";
static const char in_chunks[] = "spgemm/symbolic/gpu/hash_compressed,spgemm/numeric/gpu/breakpoint";
static const char in_chains[] = "spgemm/symbolic/gpu/bitmap,spgemm/numeric/gpu/hash_chained";
static const char *const pairs[] = {hybrid, hashed, sorted_terms, in_chunks, in_chains};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* The rows' numbers in the first column of D make rows with entries of D only, of A only, and of
 * neither. */
static void make_addend(zoo_matrix *d, const row_kind *k, zoo_form form)
{
    zoo_triples t;
    zoo_triples_start(&t, k->rows, k->cols);
    for (int64_t i = 0; i < k->rows; i += 2)
        for (int64_t j = i; j < k->cols; j += k->cols / 7 + 1)
            zoo_triples_add(&t, i, j, 1 + (double)(i % 5));
    zoo_build(d, &t, form);
    zoo_triples_free(&t);
}

static void expect_kind(spl_context *context, const spgemm_run *run, const char *words)
{
    char text[16384];
    spl_plan *plan = NULL;
    if (!testing_device() || !words)
        return;
    EXPECT_OK(spl_spgemm_plan(context, run->a, run->b, run->d, &run->options, &plan));
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    if (!strstr(text, words))
        fprintf(stderr, "not \"%s\" in:\n%s\n", words, text);
    EXPECT(strstr(text, words));
    spl_plan_destroy(plan);
}

typedef struct setting {
    int form;
    bool shuffled, with_d; /* rows of B in no order; a D */
} setting;

/* With every pair of methods; bitmaps leave wide rows to the method of choice. */
static void try_pairs(spl_context *context, spgemm_run *run, const row_kind *k)
{
    static const char chains[] = "spgemm/numeric/gpu/hash_chained";
    for (int p = 1; p < PAIRS; p++) {
        run->options.method = pairs[p] == in_chains && k->cols > 65536 ? chains : pairs[p];
        testing_case("%s, %s", k->name, run->options.method);
        EXPECT_OK(run_spgemm(context, run));
    }
}

static void rows_of_one_kind(spl_context *context, const row_kind *k, setting s)
{
    zoo_form form = zoo_form_number(s.form);
    zoo_maker make_a = {"a", zoo_uniform, {k->rows, k->inner, k->entries}, false};
    zoo_maker make_b = {
        "b", s.shuffled ? zoo_unsorted : zoo_uniform, {k->inner, k->cols, k->entries_b}, false};
    zoo_matrix a, b, d;
    zoo_matrix_make(&a, &make_a, form, testing_seed());
    zoo_matrix_make(&b, &make_b, form, testing_seed() + 1);
    make_addend(&d, k, form);
    spgemm_run run = {&a.view,
                      &b.view,
                      s.with_d ? &d.view : NULL,
                      SPL_OPTIONS_INIT,
                      testing_scalars_of(2, s.with_d),
                      false};
    testing_case("%s, %s, B %s, %s D", k->name, zoo_form_name(form),
                 s.shuffled ? "unsorted" : "sorted", s.with_d ? "with" : "no");
    if (testing_device())
        run.options.method = hybrid;
    EXPECT_OK(run_spgemm(context, &run));
    if (s.form == 0 && !s.shuffled && !s.with_d)
        expect_kind(context, &run, k->on_devices);
    int64_t number = 2 * (k - kinds) + s.shuffled;
    if (testing_device() && s.with_d && number % testing_scale() == 0)
        try_pairs(context, &run, k);
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    zoo_matrix_free(&d);
}

static void every_kind_of_row(void **state)
{
    (void)state;
    static const setting settings[] = {
        {0, false, false}, {0, false, true}, {0, true, true}, {4, false, false}};
    spl_context *context = testing_context(2);
    const int count = sizeof settings / sizeof *settings, step = testing_few() ? count : 1;
    for (int n = 0; n < KINDS; n++)
        for (int s = testing_first(n, step); s < count; s += step)
            rows_of_one_kind(context, &kinds[n], settings[s]);
    spl_context_destroy(context);
}

/* Columns that leave no bits for the numbers of terms, and a budget, which positions must not use
 * up: then they are hashed, or, where rows of B have one entry each, met by lanes in any order. */
static void rows_whose_positions_are_not_kept(void **state)
{
    (void)state;
    static const struct {
        int64_t inner, entries, cols, entries_b;
        size_t budget;
        const char *on_devices;
    } cases[] = {{40, 5, (1 << 23) - 1, 9, 0, "at kept positions"},
                 {40, 5, 1 << 23, 9, 0, "hashed"},
                 {40, 5, 5000, 9, 1 << 30, "hashed"},
                 {900, 150, 400, 1, 1 << 30, "in windows"}};
    spl_context *context = testing_context(2);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        zoo_maker make_a = {"a", zoo_uniform, {60, cases[n].inner, cases[n].entries}, false};
        zoo_maker make_b = {
            "b", zoo_uniform, {cases[n].inner, cases[n].cols, cases[n].entries_b}, false};
        zoo_matrix a, b;
        zoo_matrix_make(&a, &make_a, zoo_form_number(0), testing_seed());
        zoo_matrix_make(&b, &make_b, zoo_form_number(0), testing_seed() + 1);
        spgemm_run run = {&a.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                          false};
        run.options.memory_budget = cases[n].budget;
        run.options.method = testing_device() ? hybrid : NULL;
        testing_case("%lld columns, budget %zu", (long long)cases[n].cols, cases[n].budget);
        EXPECT_OK(run_spgemm(context, &run));
        expect_kind(context, &run, cases[n].on_devices);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
    }
    spl_context_destroy(context);
}

/* The table in shared memory is attempted, and overflows: S3's second attempt. Each row of C gets
 * all of B, whose length varies little: 30,000 entries, five deviations less are 18,800. */
static void rows_that_outgrow_tables(void **state)
{
    (void)state;
    static const row_kind wide = {"wider than tables", 2, 60, 60, 3000000, 500, NULL};
    static const char *const methods[] = {"spgemm/symbolic/gpu/hash",
                                          "spgemm/symbolic/gpu/upper_bound",
                                          "spgemm/symbolic/gpu/hash_compressed"};
    zoo_maker make_a = {"a", zoo_dense, {wide.rows, wide.inner}, false};
    zoo_maker make_b = {"b", zoo_uniform, {wide.inner, wide.cols, wide.entries_b}, false};
    spl_context *context = testing_context(2);
    zoo_matrix a, b;
    zoo_matrix_make(&a, &make_a, zoo_form_number(0), testing_seed());
    zoo_matrix_make(&b, &make_b, zoo_form_number(0), testing_seed() + 1);
    spgemm_run run = {&a.view, &b.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0), false};
    for (size_t m = 0; testing_device() && m < sizeof methods / sizeof *methods; m++) {
        run.options.method = methods[m];
        testing_case("%s, %s", wide.name, methods[m]);
        EXPECT_OK(run_spgemm(context, &run));
        expect_kind(context, &run, "2 rows outgrew their table, 2 the largest");
    }
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    spl_context_destroy(context);
}

/* Block n of A reads block n of B. */
static void stack_kinds(zoo_matrix *left, zoo_matrix *right)
{
    static const row_kind *const chosen[] = {&kinds[0], &kinds[1], &kinds[2], &kinds[4],
                                             &kinds[5], &kinds[8], &kinds[9]};
    zoo_triples a, b;
    zoo_triples_start(&a, 0, 0);
    zoo_triples_start(&b, 0, 300000);
    for (size_t n = 0; n < sizeof chosen / sizeof *chosen; n++) {
        const row_kind *k = chosen[n];
        zoo_maker makers[2] = {{"a", zoo_uniform, {k->rows, k->inner, k->entries}, false},
                               {"b", zoo_uniform, {k->inner, k->cols, k->entries_b}, false}};
        zoo_triples block[2];
        for (int m = 0; m < 2; m++) {
            zoo_make(&block[m], &makers[m], testing_seed() + n);
            for (int64_t e = 0; e < block[m].nnz; e++)
                zoo_triples_add(m ? &b : &a, block[m].i[e] + (m ? b.rows : a.rows),
                                block[m].j[e] + (m ? 0 : a.cols), block[m].v[e]);
        }
        a.rows += k->rows;
        a.cols += k->inner;
        b.rows += k->inner;
        for (int m = 0; m < 2; m++)
            zoo_triples_free(&block[m]);
    }
    zoo_build(left, &a, zoo_form_number(0));
    zoo_build(right, &b, zoo_form_number(0));
    zoo_triples_free(&a);
    zoo_triples_free(&b);
}

static void all_kinds_together(void **state)
{
    (void)state;
    zoo_matrix left, right;
    spl_context *context = testing_context(2);
    stack_kinds(&left, &right);
    spgemm_run run = {&left.view, &right.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                      false};
    testing_case("all kinds, methods of choice");
    EXPECT_OK(run_spgemm(context, &run));
    const int step = testing_few() ? 2 : 1;
    for (int p = 0; testing_device() && p < PAIRS && pairs[p] != in_chains; p += step) {
        run.options.method = pairs[p];
        testing_case("all kinds, %s", pairs[p]);
        EXPECT_OK(run_spgemm(context, &run));
    }
    zoo_matrix_free(&left);
    zoo_matrix_free(&right);
    spl_context_destroy(context);
}

/* A band of five entries a row; `mixed`: with a longer row here and there, so that the others are
 * listed. */
static void make_short_rows(zoo_matrix *m, int64_t rows, bool mixed)
{
    enum { APART = 64, LONG = 20 };
    zoo_triples t;
    zoo_triples_start(&t, rows, rows);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t last = i + (mixed && i % APART == 0 ? LONG : 2);
        for (int64_t j = i < 2 ? 0 : i - 2; j <= last && j < rows; j++)
            zoo_triples_add(&t, i, j, (double)(1 + (i + 3 * j) % 5));
    }
    zoo_build(m, &t, zoo_form_number(0));
    zoo_triples_free(&t);
}

/* Where a device has many of them; products of one such matrix with itself, and a D. */
static void short_rows_have_a_thread_each(void **state)
{
    (void)state;
    enum { EMULATED = 2600, ALL = 80000 };
    const char *device = testing_device();
    const int64_t rows = device && strncmp(device, "emu", 3) != 0 ? ALL : EMULATED;
    spl_context *context = testing_context(2);
    for (int n = 0; n < 4; n++) {
        zoo_matrix a;
        make_short_rows(&a, rows, n % 2 == 1);
        spgemm_run run = {&a.view,
                          &a.view,
                          n / 2 ? &a.view : NULL,
                          SPL_OPTIONS_INIT,
                          testing_scalars_of(2, n / 2),
                          false};
        run.options.method = device ? hybrid : NULL;
        testing_case("%s rows, %s D", n % 2 ? "listed" : "all", n / 2 ? "with" : "no");
        EXPECT_OK(run_spgemm(context, &run));
        expect_kind(context, &run, "at kept positions by 1 thread");
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

static int64_t launches_of(const spl_plan *plan)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    return counters.launches;
}

/* Few rows of 20, 60 and 180 products, which are three bins: the device computes them all at
 * once, by one kernel in each phase. More than 128 terms have numbers of eight bits. */
static void few_rows_of_several_lengths_take_one_launch(void **state)
{
    (void)state;
    enum { ROWS = 30, INNER = 60, COLS = 70000, ENTRIES_B = 20, MOST_ENTRIES = 9 };
    static const int64_t entries[] = {1, 3, MOST_ENTRIES};
    zoo_triples a, b;
    zoo_matrix left, right;
    double c[ROWS * MOST_ENTRIES * ENTRIES_B];
    spl_plan *plan;
    if (!testing_device())
        return;
    spl_context *context = testing_context(2);
    zoo_triples_start(&a, ROWS, INNER);
    zoo_triples_start(&b, INNER, COLS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < entries[i % 3]; k++)
            zoo_triples_add(&a, i, (i + 7 * k) % INNER, 1 + (double)((i + k) % 7));
    for (int64_t k = 0; k < INNER; k++)
        for (int64_t n = 0; n < ENTRIES_B; n++)
            zoo_triples_add(&b, k, (k * 1931 + n * 3407) % COLS, 1 + (double)((k + n) % 5));
    zoo_build(&left, &a, zoo_form_number(0));
    zoo_build(&right, &b, zoo_form_number(0));
    spgemm_run run = {&left.view, &right.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                      false};
    run.options.method = hybrid;
    testing_case("three bins of few rows");
    EXPECT_OK(run_spgemm(context, &run));
    expect_kind(context, &run, "10 rows sorted by 32 threads; 3 of these bins together");
    EXPECT_OK(spl_spgemm_plan(context, run.a, run.b, NULL, &run.options, &plan));
    const int64_t before = launches_of(plan);
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, c, NULL));
    EXPECT(launches_of(plan) == before + 1);
    spl_plan_destroy(plan);
    zoo_matrix_free(&left);
    zoo_matrix_free(&right);
    zoo_triples_free(&a);
    zoo_triples_free(&b);
    spl_context_destroy(context);
}

/* Rows of so many products, most of them in columns of their own, around the sizes of tables, of
 * runs of columns that lanes sort, and of several runs; so often. */
static void hash_rows(int64_t times, const char *words)
{
    static const int products[] = {129, 192, 193, 255, 256,  257,  384,  385,
                                   511, 513, 768, 769, 1023, 1025, 1535, 1536};
    enum { ROWS = sizeof products / sizeof *products, EACH = 3, COLS = 1000003 };
    zoo_triples a, b;
    zoo_matrix left, right;
    spl_context *context = testing_context(2);
    zoo_triples_start(&a, times * ROWS, EACH * ROWS);
    zoo_triples_start(&b, EACH * ROWS, COLS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t e = 0; e < EACH; e++) {
            const int64_t most = products[i] / EACH + (e < products[i] % EACH);
            for (int64_t t = 0; t < times; t++)
                zoo_triples_add(&a, t * ROWS + i, EACH * i + e, 1 + (double)((i + e + t) % 7));
            for (int64_t n = 0; n < most; n++) /* every 20th column is met by all rows of B */
                zoo_triples_add(&b, EACH * i + e, (n * 40503 + (n % 20 ? e * 77777 : 0)) % COLS,
                                1 + (double)((n + e) % 5));
        }
    for (int form = 0; form < 5; form += testing_few() || times > 1 ? 5 : 4) {
        zoo_build(&left, &a, zoo_form_number(form));
        zoo_build(&right, &b, zoo_form_number(form));
        spgemm_run run = {&left.view, &right.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                          false};
        run.options.method = testing_device() ? hybrid : NULL;
        testing_case("%lld rows of 129 to 1536 products, form %d", (long long)times * ROWS, form);
        EXPECT_OK(run_spgemm(context, &run));
        expect_kind(context, &run, words);
        zoo_matrix_free(&left);
        zoo_matrix_free(&right);
    }
    zoo_triples_free(&a);
    zoo_triples_free(&b);
    spl_context_destroy(context);
}

/* Few rows of several runs have larger teams, many one warp each. */
static void hashed_columns_ascend_across_runs(void **state)
{
    (void)state;
    hash_rows(1, "rows hashed by 128 threads");
    hash_rows(20, "rows hashed by 32 threads");
}

/* Blocks and threads of the emulator in order, backwards, and drawn at random: no schedule shows in
 * the result. */
static void the_same_bits_under_any_schedule(void **state)
{
    (void)state;
    static const char *const seeds[] = {"5", "-1", "0"};
    enum { SEEDS = sizeof seeds / sizeof *seeds };
    const int count = testing_few() ? 1 : SEEDS; /* order as it comes, the other tests show */
    zoo_matrix left, right;
    test_product c[SEEDS];
    if (!testing_device())
        return;
    stack_kinds(&left, &right);
    spgemm_run run = {&left.view, &right.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0),
                      false};
    run.options.deterministic = 1;
    for (int n = 0; n < count; n++) {
        setenv("SPARLOOM_EMU_SEED", seeds[n], 1);
        spl_context *context = testing_context(2);
        testing_case("schedule %s", seeds[n]);
        EXPECT_OK(compute_spgemm(context, &run, &c[n]));
        expect_spgemm(&run, &c[n].view);
        EXPECT(test_products_identical(&c[0], &c[n]));
        spl_context_destroy(context);
    }
    unsetenv("SPARLOOM_EMU_SEED");
    for (int n = 0; n < count; n++)
        test_product_free(&c[n]);
    zoo_matrix_free(&left);
    zoo_matrix_free(&right);
}

/* Rows of B of no entry, one, and thirty: where most have one, lanes walk them singly, and leave
 * the long ones to all. */
static void short_rows_and_a_few_long_ones(void **state)
{
    enum { ROWS = 70, INNER = 900, COLS = 700, LONG = 30 };
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < 4; form++) {
        zoo_triples a, b;
        zoo_matrix left, right;
        zoo_triples_start(&a, ROWS, INNER);
        zoo_triples_start(&b, INNER, COLS);
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t k = i % 6; k < INNER; k += 4 + i % 3)
                zoo_triples_add(&a, i, k, 1 + (double)((i + k) % 7));
        for (int64_t k = 0; k < INNER; k++)
            for (int64_t n = 0; n < (k % 90 == 0 ? LONG : k % 50 != 0); n++)
                zoo_triples_add(&b, k, (k / 3 * 11 + n * 17) % COLS, 1 + (double)(k % 5));
        zoo_build(&left, &a, zoo_form_number(form));
        zoo_build(&right, &b, zoo_form_number(form));
        testing_case("%s", zoo_form_name(zoo_form_number(form)));
        spgemm_run run = {&left.view, &right.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                          false};
        for (int p = 0; p < (testing_device() ? PAIRS : 1); p++) {
            run.options.method = testing_device() ? pairs[p] : NULL;
            EXPECT_OK(run_spgemm(context, &run));
        }
        zoo_matrix_free(&left);
        zoo_matrix_free(&right);
        zoo_triples_free(&a);
        zoo_triples_free(&b);
    }
    spl_context_destroy(context);
}

/* Rows of A longer than several rounds of a block, to rows of B of no entry to two, a hundred, and
 * more than one warp should have: in the first round, in one between, and in the last, which is not
 * full. */
static void long_rows_to_rows_of_any_length(void **state)
{
    enum { ROWS = 3, INNER = 5000, COLS = 9000, SHARED = 700, LONG = 100 };
    (void)state;
    spl_context *context = testing_context(2);
    zoo_triples a, b;
    zoo_matrix left, right;
    zoo_triples_start(&a, ROWS, INNER);
    zoo_triples_start(&b, INNER, COLS);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t k = 0; k < INNER; k += i + 1)
            zoo_triples_add(&a, i, k, 1 + (double)((i + k) % 7));
    for (int64_t k = 0; k < INNER; k++) {
        int64_t length = k == 6 || k == 2502 || k == INNER - 2 ? SHARED
                         : k % 41 == 0                         ? LONG
                                                               : k % 3;
        for (int64_t n = 0; n < length; n++)
            zoo_triples_add(&b, k, (k * 7 + n * 11) % COLS, 1 + (double)(k % 5));
    }
    zoo_build(&left, &a, zoo_form_number(0));
    zoo_build(&right, &b, zoo_form_number(0));
    spgemm_run run = {&left.view, &right.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                      false};
    for (int p = 0; p < (testing_device() ? PAIRS : 1); p++) {
        run.options.method = testing_device() ? pairs[p] : NULL;
        testing_case("%s", run.options.method ? run.options.method : "methods of choice");
        EXPECT_OK(run_spgemm(context, &run));
    }
    run.options.method = hybrid;
    expect_kind(context, &run, "spread by 512 threads");
    zoo_matrix_free(&left);
    zoo_matrix_free(&right);
    zoo_triples_free(&a);
    zoo_triples_free(&b);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_row),
        cmocka_unit_test(rows_that_outgrow_tables),
        cmocka_unit_test(rows_whose_positions_are_not_kept),
        cmocka_unit_test(all_kinds_together),
        cmocka_unit_test(short_rows_have_a_thread_each),
        cmocka_unit_test(few_rows_of_several_lengths_take_one_launch),
        cmocka_unit_test(hashed_columns_ascend_across_runs),
        cmocka_unit_test(the_same_bits_under_any_schedule),
        cmocka_unit_test(short_rows_and_a_few_long_ones),
        cmocka_unit_test(long_rows_to_rows_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
