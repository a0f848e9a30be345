/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM of i32 and i64 over every semiring that is theirs, with masks, D and scalars, against
 * dense arrays in wider numbers: fresh operands of every form, numbers at the limits of the type,
 * every method that serves, several numbers of threads. */
#include "lib/integers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30 };
typedef enum mask_kind { NO_MASK, PLAIN, COMPLEMENT, FULL, MASK_KINDS } mask_kind;

typedef struct expected {
    int64_t nnz;
    bool place[MOST][MOST];
    int64_t value[MOST][MOST];
} expected;

typedef struct problem {
    integers_draw draw;
    integers_matrix a, b, d, mask;
    mask_kind kind;
    bool has_d;
    spl_options options;
    int64_t alpha, beta;
    expected c;
} problem;

/* ---- the specification ---- */

static void multiply(const problem *p, expected *c)
{
    const int s = p->options.semiring;
    const spl_type type = p->draw.type;
    const zoo_triples *a = &p->a.triples, *b = &p->b.triples;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < b->cols; j++)
            c->value[i][j] = integers_none(s, type);
    for (int64_t e = 0; e < a->nnz; e++)
        for (int64_t f = 0; f < b->nnz; f++)
            if (a->j[e] == b->i[f]) {
                int64_t *sum = &c->value[a->i[e]][b->j[f]];
                c->place[a->i[e]][b->j[f]] = true;
                *sum = integers_add(s, type, *sum,
                                    integers_multiply(s, type, p->a.numbers[e], p->b.numbers[f]));
            }
}

static void add_d(const problem *p, expected *c)
{
    const int s = p->options.semiring;
    const spl_type type = p->draw.type;
    const zoo_triples *d = &p->d.triples;
    for (int64_t e = 0; p->has_d && e < d->nnz; e++) {
        int64_t *value = &c->value[d->i[e]][d->j[e]], number = p->d.numbers[e];
        c->place[d->i[e]][d->j[e]] = true;
        if (s == SPL_PLUS_TIMES)
            number = integers_multiply(s, type, p->beta, number);
        if (p->beta != 0)
            *value = integers_add(s, type, *value, number);
    }
}

static void expect_all(problem *p)
{
    expected *c = &p->c;
    bool listed[MOST][MOST] = {{false}};
    const zoo_triples *mask = &p->mask.triples;
    *c = (expected){0};
    multiply(p, c);
    for (int64_t i = 0; i < p->a.triples.rows && p->options.semiring == SPL_PLUS_TIMES; i++)
        for (int64_t j = 0; j < p->b.triples.cols; j++)
            c->value[i][j] =
                integers_multiply(SPL_PLUS_TIMES, p->draw.type, p->alpha, c->value[i][j]);
    add_d(p, c);
    for (int64_t e = 0; e < mask->nnz; e++)
        listed[mask->i[e]][mask->j[e]] = true;
    for (int64_t i = 0; i < p->a.triples.rows; i++)
        for (int64_t j = 0; j < p->b.triples.cols; j++) {
            bool *place = &c->place[i][j];
            if (p->kind == FULL)
                *place = listed[i][j];
            else if (p->kind != NO_MASK)
                *place = *place && listed[i][j] != (p->kind == COMPLEMENT);
            c->nnz += *place;
        }
}

/* ---- cases ---- */

static void draw_problem(problem *p, int semiring)
{
    integers_draw *d = &p->draw;
    const int64_t rows = 1 + integers_below(d, MOST), inner = 1 + integers_below(d, MOST),
                  cols = 1 + integers_below(d, MOST);
    d->type = integers_below(d, 2) ? SPL_INT32 : SPL_INT64;
    d->kind = (integers_kind)integers_below(d, 3);
    integers_make(&p->a, d, rows, inner, true);
    integers_make(&p->b, d, inner, cols, true);
    integers_make(&p->d, d, rows, cols, false);
    integers_make(&p->mask, d, rows, cols, false);
    p->kind = (mask_kind)integers_below(d, MASK_KINDS);
    p->has_d = integers_below(d, 2);
    p->options = (spl_options)SPL_OPTIONS_INIT;
    p->options.op_a = p->a.op;
    p->options.op_b = p->b.op;
    p->options.semiring = semiring;
    p->options.unsorted = integers_below(d, 3) == 0;
    p->options.deterministic = integers_below(d, 3) == 0;
    p->options.policy =
        integers_below(d, 9) == 0 ? SPL_POLICY_MEASURE : (spl_policy)integers_below(d, 2);
    p->options.keep_result = 1;
    p->options.mask = p->kind == NO_MASK ? NULL : &p->mask.view;
    p->options.mask_complement = p->kind == COMPLEMENT;
    p->options.mask_pattern = p->kind == FULL ? SPL_MASK_FULL : SPL_MASK_MEETS;
    p->alpha = semiring == SPL_PLUS_TIMES ? integers_number(d) : 1;
    p->beta = semiring == SPL_PLUS_TIMES ? integers_number(d) : integers_below(d, 2);
    if (!integers_reads_a(semiring) && integers_below(d, 2))
        p->a.view.values = NULL;
    if (!integers_reads_b(semiring) && integers_below(d, 2))
        p->b.view.values = NULL;
    expect_all(p);
}

static void free_problem(problem *p)
{
    integers_free(&p->a);
    integers_free(&p->b);
    integers_free(&p->d);
    integers_free(&p->mask);
}

/* ---- judging ---- */

static void expect_product(const problem *p, const spl_sparse *got)
{
    const expected *c = &p->c;
    bool seen[MOST][MOST] = {{false}};
    EXPECT_OK(spl_validate(got));
    EXPECT(got->rows == p->a.triples.rows && got->cols == p->b.triples.cols);
    EXPECT(got->type == p->draw.type && got->nnz == c->nnz);
    for (int64_t i = 0; i < got->rows; i++) {
        int64_t last = -1;
        for (int64_t q = zoo_index_at(got->offsets, got->offset_type, i);
             q < zoo_index_at(got->offsets, got->offset_type, i + 1); q++) {
            const int64_t j = zoo_index_at(got->indices, got->index_type, q),
                          value = integers_at(got->values, got->type, q);
            EXPECT(c->place[i][j] && !seen[i][j] && (p->options.unsorted || j > last));
            if (value != c->value[i][j])
                (void)fprintf(stderr, "(%lld, %lld): %lld, expected %lld\n", (long long)i,
                              (long long)j, (long long)value, (long long)c->value[i][j]);
            EXPECT(value == c->value[i][j]);
            seen[i][j] = true;
            last = j;
        }
    }
}

/* spl_check_spgemm agrees, and finds a single bit that is wrong. */
static void expect_judged(problem *p, const spl_matrix *product, const void *alpha,
                          const void *beta)
{
    spl_check check = SPL_CHECK_INIT;
    spl_sparse c = SPL_SPARSE_INIT;
    void *values;
    EXPECT_OK(spl_matrix_view(product, &c));
    EXPECT_OK(spl_matrix_arrays((spl_matrix *)(uintptr_t)product, NULL, NULL, &values));
    for (int wrong = 0; wrong < (c.nnz ? 2 : 1); wrong++) {
        EXPECT_OK(spl_check_spgemm(alpha, &p->a.view, &p->b.view, beta,
                                   p->has_d ? &p->d.view : NULL, &c, &p->options, &check));
        EXPECT(check.ok == !wrong && check.failed == wrong && check.compared == c.nnz);
        if (c.nnz == 0)
            return;
        const int64_t q = integers_below(&p->draw, c.nnz),
                      bit = (int64_t)1 << integers_below(&p->draw, 32);
        integers_set(values, c.type, q, integers_at(values, c.type, q) ^ bit);
    }
}

static spl_status compute(spl_context *context, const problem *p, const void *alpha,
                          const void *beta, spl_matrix **c)
{
    spl_plan *plan = NULL;
    const spl_sparse *d = p->has_d ? &p->d.view : NULL;
    spl_status status = spl_spgemm_plan(context, &p->a.view, &p->b.view, d, &p->options, &plan);
    for (int time = 0; status == SPL_OK && time < 2; time++)
        status = spl_spgemm_execute(plan, alpha, beta, NULL, NULL);
    if (status == SPL_OK)
        status = spl_spgemm_take(plan, c);
    spl_plan_destroy(plan);
    return status;
}

static void try_problem(spl_context *const contexts[2], problem *p)
{
    static const char *const of_cpu[] = {NULL, "spgemm/numeric/cpu/masked_rows",
                                         "spgemm/numeric/cpu/hash", "spgemm/numeric/cpu/dots"},
                             *const of_gpu[] = {NULL, "spgemm/numeric/gpu/masked_rows",
                                                "spgemm/numeric/gpu/hash",
                                                "spgemm/numeric/gpu/dots"};
    const char *const *methods = testing_device() ? of_gpu : of_cpu;
    int64_t scalars[2];
    integers_set(scalars, p->draw.type, 0, p->alpha);
    integers_set(&scalars[1], p->draw.type, 0, p->beta);
    for (int m = 0; m < 4; m++) {
        spl_matrix *c = NULL;
        spl_sparse view = SPL_SPARSE_INIT;
        p->options.method = methods[m];
        spl_status status = compute(contexts[m % 2], p, scalars, &scalars[1], &c);
        if (m > 1 && status == SPL_UNSUPPORTED)
            continue; /* hash knows neither masks nor semirings, dots needs a mask */
        EXPECT(status == SPL_OK);
        EXPECT_OK(spl_matrix_view(c, &view));
        expect_product(p, &view);
        if (m == 0)
            expect_judged(p, c, scalars, &scalars[1]);
        spl_matrix_destroy(c);
    }
    p->options.method = NULL;
    spl_matrix *c = NULL;
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_spgemm(contexts[1], scalars, &p->a.view, &p->b.view, &scalars[1],
                         p->has_d ? &p->d.view : NULL, &p->options, &c));
    EXPECT_OK(spl_matrix_view(c, &view));
    expect_product(p, &view);
    spl_matrix_destroy(c);
}

static void fresh_problems(void **state)
{
    const uint64_t seed = testing_fresh_seed();
    spl_context *contexts[] = {testing_context(1), testing_context(4)};
    problem *p = zoo_allocate(sizeof *p);
    (void)state;
    for (int number = 0; number < 90 / testing_scale() + (testing_device() ? 1 : 6); number++)
        for (int s = 0; s < INTEGERS_SEMIRINGS; s++) {
            testing_case("seed %llu, number %d, semiring %d", (unsigned long long)seed, number,
                         integers_semirings[s]);
            memset(p, 0, sizeof *p);
            zoo_random_seed(&p->draw.random, seed + (uint64_t)(INTEGERS_SEMIRINGS * number + s));
            draw_problem(p, integers_semirings[s]);
            try_problem(contexts, p);
            free_problem(p);
        }
    free(p);
    spl_context_destroy(contexts[0]);
    spl_context_destroy(contexts[1]);
}

/* Methods that sum in registers, or know f32 and f64 only, do not meet integers. */
static void methods_that_do_not(void **state)
{
    const zoo_maker square = {"square", zoo_diagonal, {4}, false};
    static const char *const of_cpu[] = {"one_pass", "hash_chained", "dense", "esc", "reference"},
                             *const of_gpu[] = {"hash", "hash_chained", "ordered", "esc", "hybrid"};
    const char *const *others = testing_device() ? of_gpu : of_cpu;
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    zoo_matrix a;
    (void)state;
    zoo_matrix_make(&a, &square, zoo_form_number(0), 1);
    a.view.type = SPL_INT64;
    for (int k = 0; k < 5; k++) {
        char id[64];
        spl_plan *plan = NULL;
        (void)snprintf(id, sizeof id, "spgemm/numeric/%s/%s", testing_device() ? "gpu" : "cpu",
                       others[k]);
        options.method = id;
        EXPECT_STATUS(SPL_UNSUPPORTED,
                      spl_spgemm_plan(context, &a.view, &a.view, NULL, &options, &plan));
    }
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_problems),
                                       cmocka_unit_test(methods_that_do_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
