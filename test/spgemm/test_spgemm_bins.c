/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM with random bins of rows: a few classes of rows of A, rows of B of any length,
 * columns near or far, all drawn, by methods that are drawn, too. Several functions compute the
 * sizes of thread teams, their tables and their shared memory from the matrices and the device's
 * limits; kernels have to agree with all of them. */
#include "lib/run_products.h"

#include <math.h>
#include <stdio.h>

enum { CASES = 42, METHODS = 24 };

typedef struct size_range {
    int64_t least, most;
} size_range;

/* From `least` to `most`, uniform in the logarithm: the bins change at small numbers. */
static int64_t size_in(zoo_random *random, size_range range)
{
    const double span = log2((double)range.most / (double)range.least);
    const double drawn = (double)range.least * exp2(span * (1 + zoo_random_unit(random)) / 2);
    return drawn < (double)range.most ? (int64_t)drawn : range.most;
}

static void add_row(zoo_triples *t, zoo_random *random, int64_t entries)
{
    for (int64_t n = 0; n < entries; n++)
        zoo_triples_add(t, t->rows, zoo_random_below(random, t->cols),
                        1 + (double)zoo_random_below(random, 7));
    t->rows++;
}

/* Bounds of the drawn sizes. Groups have wide teams where few rows have many products, and small
 * tables beside them where C is narrow; narrow teams where rows of B are short. */
typedef struct family {
    int64_t products; /* about as many at most */
    size_range classes, rows, entries, inner, cols, usual_of_b;
} family;

static const family families[] = {
    {5000, {1, 6}, {1, 700}, {1, 700}, {3, 3000}, {4, 1200000}, {1, 20}},
    {5000, {1, 6}, {1, 4}, {2, 300}, {3, 3000}, {4, 60}, {1, 6}},
    {100000, {1, 2}, {260, 500}, {65, 200}, {1000, 3000}, {100000, 200000}, {2, 3}},
};

/* Rows of B: one length for most of them, another for some. */
static void draw_right(zoo_triples *b, zoo_random *random, const family *f, int64_t inner)
{
    const int64_t usual = size_in(random, f->usual_of_b);
    const int64_t other = size_in(random, (size_range){1, 10 * f->usual_of_b.most});
    const int64_t rarity = size_in(random, (size_range){2, 100});
    zoo_triples_start(b, 0, size_in(random, f->cols));
    for (int64_t k = 0; k < inner; k++)
        add_row(b, random, zoo_random_below(random, rarity) == 0 ? other : usual);
}

/* Classes of rows, as long as they give few enough products for an emulated device. */
static void draw_left(zoo_triples *a, zoo_random *random, const family *f, int64_t inner,
                      double mean_of_b)
{
    double products = 0;
    zoo_triples_start(a, 0, inner);
    for (int64_t classes = size_in(random, f->classes);
         classes > 0 && products < (double)f->products; classes--) {
        const int64_t rows = size_in(random, f->rows);
        const int64_t entries = size_in(random, f->entries);
        for (int64_t i = 0; i < rows && products < (double)f->products; i++) {
            add_row(a, random, entries);
            products += (double)entries * mean_of_b;
        }
    }
}

/* A method for each phase, one for one of them, the sources' rules, or the policy's choice. */
static void draw_methods(spl_options *options, zoo_random *random, char *text, size_t room)
{
    const char *symbolic[METHODS], *numeric[METHODS];
    int symbolics = testing_methods("spgemm/symbolic/", symbolic, METHODS);
    int numerics = testing_methods("spgemm/numeric/", numeric, METHODS);
    const char *first = symbolic[zoo_random_below(random, symbolics)];
    const char *second = numeric[zoo_random_below(random, numerics)];
    const int64_t way = zoo_random_below(random, 6);
    if (way == 0)
        options->policy = SPL_POLICY_RULES;
    else if (way == 1)
        snprintf(text, room, "%s", first);
    else if (way == 2)
        snprintf(text, room, "%s", second);
    else if (way < 5)
        snprintf(text, room, "%s,%s", first, second);
    options->method = *text ? text : NULL;
}

/* By these methods, or NULL: by drawn ones. */
static void drawn_product(spl_context *context, const family *f, uint64_t seed, const char *method)
{
    zoo_random random;
    zoo_triples a, b;
    zoo_matrix left, right;
    char methods[128] = "";
    zoo_random_seed(&random, seed);
    const int64_t inner = size_in(&random, f->inner);
    draw_right(&b, &random, f, inner);
    draw_left(&a, &random, f, inner, (double)b.nnz / (double)inner);
    zoo_build(&left, &a, zoo_form_number((int)zoo_random_below(&random, 2)));
    zoo_build(&right, &b, zoo_form_number(left.view.type == SPL_F64 ? 0 : 1));
    spgemm_run run = {&left.view, &right.view, NULL, SPL_OPTIONS_INIT, testing_scalars_of(2, 0),
                      false};
    draw_methods(&run.options, &random, methods, sizeof methods);
    if (method)
        run.options.method = method;
    run.one_shot = zoo_random_below(&random, 3) == 0;
    testing_case("drawn from %llu: %lld rows, %lld products or so, %s%s", (unsigned long long)seed,
                 (long long)a.rows, (long long)(a.nnz * b.nnz / inner),
                 run.options.method ? run.options.method : "",
                 run.options.policy == SPL_POLICY_RULES ? "rules" : "");
    spl_status status = run_spgemm(context, &run);
    if (status != SPL_UNSUPPORTED || !run.options.method)
        EXPECT_OK(status);
    zoo_matrix_free(&left);
    zoo_matrix_free(&right);
    zoo_triples_free(&a);
    zoo_triples_free(&b);
}

/* Which family a case is of: large ones are rare. */
static const family *family_of_case(int n)
{
    return &families[n % 12 == 11 ? 2 : n % 2];
}

static void rows_of_drawn_bins(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int n = 0; n < CASES; n += testing_few() ? 5 : 1)
        drawn_product(context, family_of_case(n), testing_fresh_seed() + (uint64_t)n, NULL);
    spl_context_destroy(context);
}

static const char upper_bound[] = "spgemm/symbolic/gpu/upper_bound,spgemm/numeric/gpu/hash";
static const char hybrid[] = "spgemm/symbolic/gpu/hybrid,spgemm/numeric/gpu/hybrid";

/* A team as wide as those beside it, wider than its table; narrow teams, so many that their tables
 * do not fit a block of 64 KiB. */
static void draws_that_failed(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    if (testing_device()) {
        drawn_product(context, &families[1], 28, upper_bound);
        drawn_product(context, &families[2], 1, hybrid);
    } else { /* ten columns of C, of which words of 64 are looked at */
        drawn_product(context, &families[1], 1795887873115, NULL);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(draws_that_failed),
                                       cmocka_unit_test(rows_of_drawn_bins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
