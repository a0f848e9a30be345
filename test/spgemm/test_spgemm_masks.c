/* SPDX-License-Identifier: Apache-2.0 */
/* Masked products and semirings against dense arrays, on fresh operands: every pair of methods that
 * serves, every form, operators, patterns without values. Small whole numbers: all results are
 * exact. */
#include "lib/run_products.h"
#include "lib/semirings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 };

static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

/* ---- the specification ---- */

typedef struct expected {
    int64_t rows, cols, nnz;
    bool position[MOST][MOST];
    double value[MOST][MOST];
} expected;

/* Every pair of stored entries that meet, A's in stored order. */
static void multiply(const zoo_triples *a, const zoo_triples *b, int semiring, expected *c)
{
    *c = (expected){.rows = a->rows, .cols = b->cols};
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++)
            c->value[i][j] = test_semiring_none(semiring);
    for (int64_t p = 0; p < a->nnz; p++)
        for (int64_t q = 0; q < b->nnz; q++)
            if (a->j[p] == b->i[q]) {
                double *sum = &c->value[a->i[p]][b->j[q]];
                c->position[a->i[p]][b->j[q]] = true;
                const double term = test_semiring_multiply(semiring, a->v[p], b->v[q]);
                *sum = test_semiring_add(semiring, *sum, term);
            }
}

static void apply_mask(const zoo_triples *mask, bool complement, bool full, expected *c)
{
    bool listed[MOST][MOST] = {{false}};
    for (int64_t e = 0; e < mask->nnz; e++)
        listed[mask->i[e]][mask->j[e]] = true;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++)
            c->position[i][j] =
                full ? listed[i][j] : c->position[i][j] && listed[i][j] != complement;
}

/* alpha times sums, or sums of any semiring, and D's entries. */
static void scale_and_add(expected *c, double alpha, const zoo_triples *d, double beta,
                          int semiring)
{
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++)
            c->value[i][j] = semiring ? c->value[i][j] : alpha * c->value[i][j];
    for (int64_t e = 0; d && e < d->nnz; e++) {
        double *value = &c->value[d->i[e]][d->j[e]];
        c->position[d->i[e]][d->j[e]] = true;
        if (beta != 0 && semiring)
            *value = test_semiring_add(semiring, *value, d->v[e]);
        else if (beta != 0)
            *value += beta * d->v[e];
    }
}

static void expect_product(expected *c, const spl_sparse *got, bool sorted)
{
    bool seen[MOST][MOST] = {{false}};
    EXPECT_OK(spl_validate(got));
    EXPECT(got->rows == c->rows && got->cols == c->cols && got->format == SPL_CSR);
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++)
            c->nnz += c->position[i][j];
    EXPECT(got->nnz == c->nnz);
    for (int64_t i = 0; i < c->rows; i++) {
        int64_t last = -1;
        for (int64_t p = zoo_index_at(got->offsets, got->offset_type, i);
             p < zoo_index_at(got->offsets, got->offset_type, i + 1); p++) {
            int64_t j = zoo_index_at(got->indices, got->index_type, p);
            EXPECT(c->position[i][j] && !seen[i][j] && (!sorted || j > last));
            EXPECT(zoo_value_at(got->values, got->type, p) == c->value[i][j]);
            seen[i][j] = true;
            last = j;
        }
    }
    c->nnz = 0;
}

/* ---- cases ---- */

typedef struct operand {
    zoo_triples triples; /* as multiplied */
    zoo_matrix stored;   /* perhaps its transpose */
    spl_sparse view;     /* perhaps without values */
    spl_operator op;
} operand;

static void make_operand(operand *o, int64_t rows, int64_t cols, spl_type type, bool transposed)
{
    static void (*const families[])(zoo_triples *, const int64_t *, uint64_t) = {
        zoo_uniform, zoo_half_empty, zoo_duplicates, zoo_unsorted, zoo_uniform};
    zoo_form form = zoo_form_number((int)below(ZOO_FORMS));
    zoo_triples stored;
    uint64_t seed = zoo_random_next(&draws);
    families[below(5)](&o->triples, (const int64_t[]){rows, cols, 1 + below(cols)}, seed);
    zoo_triples_fill(&o->triples, ZOO_INTEGERS, seed);
    form.type = type;
    zoo_triples_start(&stored, rows, cols);
    for (int64_t e = 0; e < o->triples.nnz; e++)
        zoo_triples_add(&stored, o->triples.i[e], o->triples.j[e], o->triples.v[e]);
    if (transposed)
        zoo_triples_transpose(&stored);
    zoo_build(&o->stored, &stored, form);
    zoo_triples_free(&stored);
    o->view = o->stored.view;
    o->op = transposed ? SPL_TRANSPOSE : SPL_NONE;
}

static void free_operand(operand *o)
{
    zoo_triples_free(&o->triples);
    zoo_matrix_free(&o->stored);
}

typedef struct problem {
    operand a, b, d, mask;
    bool has_d;
    spl_options options;
    double alpha, beta;
    expected c;
} problem;

static bool reads(int semiring, bool of_a)
{
    static const bool a[TEST_SEMIRINGS] = {1, 0, 1, 0, 1, 1, 0, 0, 1, 1},
                      b[TEST_SEMIRINGS] = {1, 0, 0, 1, 1, 1, 1, 1, 1, 1};
    return of_a ? a[semiring] : b[semiring];
}

static void draw_problem(problem *p, int semiring, int kind)
{
    int64_t rows = 1 + below(MOST), inner = 1 + below(MOST), cols = 1 + below(MOST);
    spl_type type = below(2) ? SPL_F32 : SPL_F64;
    make_operand(&p->a, rows, inner, type, below(2));
    make_operand(&p->b, inner, cols, type, below(2));
    make_operand(&p->d, rows, cols, type, false);
    make_operand(&p->mask, rows, cols, below(2) ? SPL_F32 : SPL_F64, false);
    p->options = (spl_options)SPL_OPTIONS_INIT;
    p->options.op_a = p->a.op;
    p->options.op_b = p->b.op;
    p->options.semiring = semiring;
    p->options.unsorted = below(3) == 0;
    p->options.deterministic = below(3) == 0;
    p->options.policy = below(3) == 0 ? SPL_POLICY_RULES : SPL_POLICY_COST;
    p->mask.view.values = below(2) ? p->mask.view.values : NULL;
    if (kind > 0)
        p->options.mask = &p->mask.view;
    p->options.mask_complement = kind == 2;
    p->options.mask_pattern = kind == 3 ? SPL_MASK_FULL : SPL_MASK_MEETS;
    p->has_d = below(2);
    p->alpha = semiring == SPL_PLUS_TIMES ? (double)(below(4) - 1) : 1;
    p->beta = semiring == SPL_PLUS_TIMES ? (double)(below(4) - 1) : (double)below(2);
    if (!reads(semiring, true) && below(2))
        p->a.view.values = NULL;
    if (!reads(semiring, false) && below(2))
        p->b.view.values = NULL;
    multiply(&p->a.triples, &p->b.triples, semiring, &p->c);
    scale_and_add(&p->c, p->alpha, p->has_d ? &p->d.triples : NULL, p->beta, semiring);
    if (kind > 0)
        apply_mask(&p->mask.triples, kind == 2, kind == 3, &p->c);
}

static void free_problem(problem *p)
{
    free_operand(&p->a);
    free_operand(&p->b);
    free_operand(&p->d);
    free_operand(&p->mask);
}

/* Multiplies at once, or by a plan that is executed twice. */
static spl_status perform(spl_context *context, const problem *p, bool once, spl_matrix **c)
{
    const float singles[2] = {(float)p->alpha, (float)p->beta};
    const bool single = p->a.view.type == SPL_F32;
    const void *alpha = single ? (const void *)&singles[0] : &p->alpha,
               *beta = single ? (const void *)&singles[1] : &p->beta;
    const spl_sparse *d = p->has_d ? &p->d.view : NULL;
    spl_options options = p->options;
    spl_plan *plan = NULL;
    if (once)
        return spl_spgemm(context, alpha, &p->a.view, &p->b.view, beta, d, &options, c);
    options.keep_result = 1;
    spl_status status = spl_spgemm_plan(context, &p->a.view, &p->b.view, d, &options, &plan);
    for (int n = 0; n < 2 && status == SPL_OK; n++)
        status = spl_spgemm_execute(plan, alpha, beta, NULL, NULL);
    if (status == SPL_OK)
        status = spl_spgemm_take(plan, c);
    spl_plan_destroy(plan);
    return status;
}

/* spl_check_spgemm agrees, and finds a position that is missing and a value that is wrong. */
static void expect_judged(const problem *p, const spl_sparse *c)
{
    const float singles[2] = {(float)p->alpha, (float)p->beta};
    const bool single = p->a.view.type == SPL_F32;
    const void *alpha = single ? (const void *)&singles[0] : &p->alpha,
               *beta = single ? (const void *)&singles[1] : &p->beta;
    const spl_sparse *d = p->has_d ? &p->d.view : NULL;
    spl_check check = SPL_CHECK_INIT;
    spl_sparse less = *c;
    EXPECT_OK(spl_check_spgemm(alpha, &p->a.view, &p->b.view, beta, d, c, &p->options, &check));
    EXPECT(check.ok && check.compared == c->nnz);
    if (c->nnz == 0)
        return;
    int64_t last = c->rows; /* the last row that has positions loses one */
    int64_t *offsets = zoo_allocate((size_t)(c->rows + 1) * sizeof *offsets);
    for (int64_t i = 0; i <= c->rows; i++)
        offsets[i] = zoo_index_at(c->offsets, c->offset_type, i);
    for (; offsets[last] == c->nnz; last--)
        offsets[last]--;
    less.nnz--;
    less.offsets = offsets;
    less.offset_type = SPL_I64;
    EXPECT_OK(spl_check_spgemm(alpha, &p->a.view, &p->b.view, beta, d, &less, &p->options, &check));
    EXPECT(!check.ok && check.failed == 1);
    free(offsets);
}

/* Returns whether the methods serve the problem. */
static bool try_methods(spl_context *context, problem *p, const char *ids, bool once)
{
    spl_sparse view = SPL_SPARSE_INIT;
    spl_matrix *c = NULL;
    p->options.method = ids;
    spl_status status = perform(context, p, once, &c);
    if (ids && status == SPL_UNSUPPORTED)
        return false;
    EXPECT_OK(status);
    EXPECT_OK(spl_matrix_view(c, &view));
    expect_product(&p->c, &view, !p->options.unsorted);
    expect_judged(p, &view);
    spl_matrix_destroy(c);
    return true;
}

static int served[TEST_SEMIRINGS][4]; /* forced numeric methods that served */
static int found;                     /* forced symbolic methods */

static void try_problem(spl_context *context, int semiring, int kind)
{
    const char *numeric[32];
    int plain = testing_methods("spgemm/numeric/", numeric, 32);
    int numerics = plain + testing_methods_of_masks("spgemm/numeric/", numeric + plain, 32 - plain);
    problem *p = zoo_allocate(sizeof *p);
    draw_problem(p, semiring, kind);
    EXPECT(try_methods(context, p, NULL, below(2)));
    for (int n = 0; n < numerics; n++)
        served[semiring][kind] +=
            try_methods(context, p, numeric[n], below(2)) && (kind > 0 || semiring > 0);
    const int symbolics =
        testing_device() ? 0 : testing_methods_of_masks("spgemm/symbolic/", numeric, 32);
    for (int n = 0; n < symbolics; n++)
        found += try_methods(context, p, numeric[n], below(2));
    free_problem(p);
    free(p);
}

static void fresh_problems(void **state)
{
    uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    (void)state;
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < 40 / testing_scale() + (testing_device() ? 1 : 3); number++)
        for (int semiring = 0; semiring < TEST_SEMIRINGS; semiring++)
            for (int kind = 0; kind < 4; kind++) {
                testing_case("seed %llu, number %d, semiring %d, mask %d", (unsigned long long)seed,
                             number, semiring, kind);
                try_problem(context, semiring, kind);
            }
    for (int semiring = 0; semiring < TEST_SEMIRINGS; semiring++)
        for (int kind = semiring == 0; kind < 4; kind++)
            EXPECT(served[semiring][kind] > 0);
    EXPECT(testing_device() || found > 0);
    spl_context_destroy(context);
}

/* The positions of a*a' that the mask has, by products of rows and by columns that are looked
 * through. */
static void expect_same_structure(const spl_sparse *a, const spl_sparse *mask)
{
    static const char *const methods[] = {"spgemm/symbolic/cpu/masked_rows",
                                          "spgemm/symbolic/cpu/dots"};
    spl_sparse views[2] = {SPL_SPARSE_INIT, SPL_SPARSE_INIT};
    spl_matrix *c[2];
    spl_context *context = testing_context(4);
    for (int n = 0; n < 2; n++) {
        spl_options options = SPL_OPTIONS_INIT;
        options.op_b = SPL_TRANSPOSE;
        options.mask = mask;
        options.method = methods[n];
        EXPECT_OK(spl_spgemm(context, NULL, a, a, NULL, NULL, &options, &c[n]));
        EXPECT_OK(spl_matrix_view(c[n], &views[n]));
    }
    EXPECT(views[0].nnz > 0 && views[0].nnz < mask->nnz && views[0].nnz == views[1].nnz);
    EXPECT(!memcmp(views[0].offsets, views[1].offsets, (size_t)(a->rows + 1) * sizeof(int32_t)));
    EXPECT(!memcmp(views[0].indices, views[1].indices, (size_t)views[0].nnz * sizeof(int32_t)));
    EXPECT(!memcmp(views[0].values, views[1].values, (size_t)views[0].nnz * sizeof(double)));
    for (int n = 0; n < 2; n++)
        spl_matrix_destroy(c[n]);
    spl_context_destroy(context);
}

/* Rows of very different lengths, in order, so that dots are searched; the same bits for one thread
 * and four, by rows and by dots. */
static void long_rows(void **state)
{
    static const char *const of_cpu[] = {"spgemm/numeric/cpu/masked_rows",
                                         "spgemm/numeric/cpu/dots"},
                             *const of_gpu[] = {"spgemm/numeric/gpu/masked_rows",
                                                "spgemm/numeric/gpu/dots"};
    const char *const *methods = testing_device() ? of_gpu : of_cpu;
    const int64_t N = testing_device() ? 400 : 3000;
    zoo_triples t;
    zoo_matrix a, mask;
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    zoo_triples_start(&t, N, N);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = below(3), step = i % 50 ? 400 : 3; j < N; j += 1 + below(step))
            zoo_triples_add(&t, i, j, (double)(1 + below(5)));
    zoo_build(&a, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    zoo_uniform(&t, (const int64_t[]){N, N, 9}, zoo_random_next(&draws));
    zoo_build(&mask, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    double *values[4];
    for (int n = 0; n < 4; n++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_context *context = testing_context(n / 2 ? 4 : 1);
        spl_plan *plan = NULL;
        options.op_b = SPL_TRANSPOSE;
        options.mask = &mask.view;
        options.mask_pattern = SPL_MASK_FULL;
        options.method = methods[n % 2];
        testing_case("method %d, %d threads", n % 2, n / 2 ? 4 : 1);
        values[n] = zoo_allocate((size_t)mask.view.nnz * sizeof(double));
        EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
        EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, values[n], NULL));
        spl_plan_destroy(plan);
        spl_context_destroy(context);
        for (int64_t e = 0; n > 0 && e < mask.view.nnz; e++)
            EXPECT(values[n][e] == values[0][e]);
    }
    for (int n = 0; n < 4; n++)
        free(values[n]);
    if (!testing_device())
        expect_same_structure(&a.view, &mask.view);
    zoo_matrix_free(&a);
    zoo_matrix_free(&mask);
}

enum { LENGTHS = 5, MIDDLE = 40, WIDE = 6000 };

/* Rows of the mask from short to longer than any table; entries of B and D repeated and in any
 * order. */
static void make_lengths(zoo_matrix *a, zoo_matrix *b, zoo_matrix *mask)
{
    static const int64_t lengths[LENGTHS] = {100, 400, 900, 3500, 5500};
    zoo_triples t;
    zoo_uniform(&t, (const int64_t[]){LENGTHS, MIDDLE, MIDDLE / 4}, zoo_random_next(&draws));
    zoo_triples_fill(&t, ZOO_INTEGERS, zoo_random_next(&draws));
    zoo_build(a, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    (below(2) ? zoo_duplicates : zoo_uniform)(&t, (const int64_t[]){MIDDLE, WIDE, 300},
                                              zoo_random_next(&draws));
    for (int64_t i = 0; i < MIDDLE; i++)
        zoo_triples_add(&t, i, 0, 1); /* the first position of each row of the mask is met */
    zoo_triples_fill(&t, ZOO_INTEGERS, zoo_random_next(&draws));
    zoo_build(b, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    zoo_triples_start(&t, LENGTHS, WIDE);
    for (int64_t i = 0; i < LENGTHS; i++)
        for (int64_t j = 0; j < lengths[i]; j++)
            zoo_triples_add(&t, i, j * WIDE / lengths[i], 1);
    zoo_build(mask, &t, zoo_form_number(0));
    zoo_triples_free(&t);
}

/* As floating-point numbers, which are added in order, and with the same bits as integers. */
static void lengths_of_rows(void **state)
{
    spl_context *context = testing_context(2);
    zoo_matrix a, b, mask;
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    make_lengths(&a, &b, &mask);
    for (int n = 0; n < 6; n++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_sparse of_a = a.view, of_b = b.view, c = SPL_SPARSE_INIT;
        spl_check check = SPL_CHECK_INIT;
        spl_matrix *product = NULL;
        of_a.type = of_b.type = n % 2 ? SPL_INT64 : SPL_F64;
        options.mask = &mask.view;
        options.mask_pattern = n / 2 == 0 ? SPL_MASK_FULL : SPL_MASK_MEETS;
        options.mask_complement = n / 2 == 2;
        options.semiring = n % 2 && below(2) ? SPL_MIN_PLUS : SPL_PLUS_TIMES;
        if (testing_device())
            options.method = "spgemm/numeric/gpu/masked_rows";
        testing_case("%s, mask %d", n % 2 ? "integers" : "numbers", n / 2);
        EXPECT_OK(spl_spgemm(context, NULL, &of_a, &of_b, NULL, NULL, &options, &product));
        EXPECT_OK(spl_matrix_view(product, &c));
        EXPECT_OK(spl_check_spgemm(NULL, &of_a, &of_b, NULL, NULL, &c, &options, &check));
        EXPECT(check.ok && c.nnz > 0 && (n / 2 > 0 || c.nnz == mask.view.nnz));
        spl_matrix_destroy(product);
    }
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    zoo_matrix_free(&mask);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_problems),
                                       cmocka_unit_test(long_rows),
                                       cmocka_unit_test(lengths_of_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
