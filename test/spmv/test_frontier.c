/* SPDX-License-Identifier: Apache-2.0 */
/* spl_frontier_execute against dense loops, on fresh matrices of every form, semiring and type, by
 * every way of the plan; bits for any number of threads. */
#include "lib/integers.h"
#include "lib/semirings.h"
#include "spmv/frontier/frontier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6000, FEW = 40, EXECUTIONS = 5 };

typedef union number {
    double real;
    int64_t whole;
} number;

typedef struct problem {
    integers_draw draw; /* its type is SPL_INT64 for real numbers, too */
    spl_type type;
    int semiring;
    integers_matrix a;
    void *values; /* of A, of real numbers */
    number *entries;
    spl_options options;
    number x[MOST], into[MOST], sum[MOST];
    bool in_x[MOST], in_y[MOST];
    bool wide, by_index, no_values, has_into;
    spl_frontier given, found;
    void *into_array, *before;
    int mask_kind; /* 0: none, 1: bits, 2: bytes */
    spl_row_mask mask;
    uint64_t bits[MOST / 64 + 1];
    uint8_t bytes[MOST];
} problem;

/* ---- numbers ---- */

static bool is_whole(const problem *p)
{
    return p->type == SPL_INT32 || p->type == SPL_INT64;
}

static int64_t below(problem *p, int64_t n)
{
    return integers_below(&p->draw, n);
}

static number none(const problem *p)
{
    return is_whole(p) ? (number){.whole = integers_none(p->semiring, p->type)}
                       : (number){.real = test_semiring_none(p->semiring)};
}

static number add(const problem *p, number sum, number value)
{
    return is_whole(p)
               ? (number){.whole = integers_add(p->semiring, p->type, sum.whole, value.whole)}
               : (number){.real = test_semiring_add(p->semiring, sum.real, value.real)};
}

static number multiply(const problem *p, number a, number b)
{
    return is_whole(p)
               ? (number){.whole = integers_multiply(p->semiring, p->type, a.whole, b.whole)}
               : (number){.real = test_semiring_multiply(p->semiring, a.real, b.real)};
}

static bool same(const problem *p, number a, number b)
{
    return is_whole(p) ? a.whole == b.whole : a.real == b.real || (isnan(a.real) && isnan(b.real));
}

static number load(const problem *p, const void *array, int64_t i)
{
    return is_whole(p) ? (number){.whole = integers_at(array, p->type, i)}
                       : (number){.real = zoo_value_at(array, p->type, i)};
}

static void store(const problem *p, void *array, int64_t i, number value)
{
    if (is_whole(p))
        integers_set(array, p->type, i, value.whole);
    else
        zoo_value_set(array, p->type, i, value.real);
}

/* A drawn whole number in the problem's type; of real ones, 4 and -4 are not finite. */
static number take(const problem *p, int64_t whole)
{
    if (is_whole(p))
        return (number){.whole = whole};
    return (number){.real = whole == 4 ? INFINITY : whole == -4 ? NAN : (double)whole};
}

static number draw_number(problem *p)
{
    return take(p, integers_number(&p->draw));
}

/* ---- problems ---- */

static void draw_matrix(problem *p)
{
    static const int64_t sizes[][2] = {{FEW, FEW}, {300, 100}, {MOST, 9}, {9, MOST}};
    const int64_t *size = sizes[below(p, 4)];
    integers_make(&p->a, &p->draw, below(p, size[0]), below(p, size[1]), true);
    const int64_t count = p->a.triples.nnz;
    p->entries = zoo_allocate((size_t)count * sizeof *p->entries);
    p->values = zoo_allocate((size_t)count * sizeof(int64_t));
    for (int64_t e = 0; e < count; e++) {
        p->entries[e] = take(p, p->a.numbers[e]);
        store(p, p->values, e, take(p, integers_at(p->a.values, p->draw.type, e)));
    }
    p->a.view.type = p->type;
    p->a.view.values = p->values;
}

static void draw_problem(problem *p, int semiring)
{
    static const spl_type real[] = {SPL_F32, SPL_F64}, whole[] = {SPL_INT32, SPL_INT64};
    const bool only_real = semiring == SPL_MIN_TIMES || semiring == SPL_MAX_TIMES;
    p->type = semiring != SPL_OR_SECOND && (only_real || below(p, 2)) ? real[below(p, 2)]
                                                                      : whole[below(p, 2)];
    p->semiring = semiring;
    p->draw.type = is_whole(p) ? p->type : SPL_INT64;
    p->draw.kind = is_whole(p) ? (integers_kind)below(p, 3) : INTEGERS_SMALL;
    draw_matrix(p);
    p->wide = p->a.view.index_type == SPL_I64;
    p->options = (spl_options)SPL_OPTIONS_INIT;
    p->options.semiring = semiring;
    p->options.op_a = p->a.op;
    p->options.executions = (int32_t)below(p, 3);
    if (!spl__semiring_reads_a(semiring) && below(p, 2))
        p->a.view.values = NULL;
    const size_t bytes = (size_t)(MOST + 1) * sizeof(int64_t);
    p->given.indices = zoo_allocate(bytes);
    p->given.values = zoo_allocate(bytes);
    p->found.indices = zoo_allocate(bytes);
    p->found.values = zoo_allocate(bytes);
    p->into_array = zoo_allocate(bytes);
    p->before = zoo_allocate(bytes);
}

static void free_problem(problem *p)
{
    integers_free(&p->a);
    free(p->values);
    free(p->entries);
    free(p->given.indices);
    free(p->given.values);
    free(p->found.indices);
    free(p->found.values);
    free(p->into_array);
    free(p->before);
}

static int64_t index_at(const problem *p, const void *array, int64_t k)
{
    return p->wide ? ((const int64_t *)array)[k] : ((const int32_t *)array)[k];
}

static void draw_x(problem *p)
{
    const int64_t of = 1 + below(p, below(p, 2) ? 3 : 30), inner = p->a.triples.cols;
    p->by_index = is_whole(p) && below(p, 2) &&
                  (p->semiring == SPL_MIN_SECOND || p->semiring == SPL_MAX_SECOND);
    p->no_values = p->by_index || (!spl__semiring_reads_b(p->semiring) && below(p, 2));
    p->given.size = p->found.size = sizeof p->given;
    p->given.count = 0;
    for (int64_t j = 0; j < inner; j++) {
        p->in_x[j] = below(p, of) == 0;
        if (!p->in_x[j])
            continue;
        p->x[j] = p->by_index ? (number){.whole = j} : draw_number(p);
        store(p, p->given.values, p->given.count, p->x[j]);
        if (p->wide)
            ((int64_t *)p->given.indices)[p->given.count++] = j;
        else
            ((int32_t *)p->given.indices)[p->given.count++] = (int32_t)j;
    }
}

static void draw_mask(problem *p)
{
    const int64_t of = 1 + below(p, 6);
    p->mask_kind = p->a.triples.rows > 0 ? (int)below(p, 3) : 0;
    p->mask = (spl_row_mask)SPL_ROW_MASK_INIT;
    p->mask.complement = (int32_t)below(p, 2);
    memset(p->bits, 0, sizeof p->bits);
    for (int64_t i = 0; i < p->a.triples.rows; i++) {
        const bool named = below(p, of) == 0;
        p->bytes[i] = named ? (uint8_t)(1 + below(p, 255)) : 0;
        p->bits[i / 64] |= (uint64_t)named << (i % 64);
    }
    p->mask.bits = p->mask_kind == 1 ? p->bits : NULL;
    p->mask.bytes = p->mask_kind == 2 ? p->bytes : NULL;
}

/* What y must be. */
static void multiply_densely(problem *p)
{
    const int64_t rows = p->a.triples.rows;
    for (int64_t i = 0; i < rows; i++) {
        p->sum[i] = none(p);
        p->in_y[i] = false;
    }
    for (int64_t e = 0; e < p->a.triples.nnz; e++) {
        const int64_t i = p->a.triples.i[e], j = p->a.triples.j[e];
        if (!p->in_x[j])
            continue;
        p->sum[i] = add(p, p->sum[i], multiply(p, p->entries[e], p->x[j]));
        p->in_y[i] = !p->mask_kind || (p->bytes[i] != 0) != (p->mask.complement != 0);
    }
    for (int64_t i = 0; i < rows; i++) {
        p->into[i] = draw_number(p);
        store(p, p->into_array, i, p->into[i]);
        if (!p->has_into || !p->in_y[i])
            continue;
        p->sum[i] = add(p, p->into[i], p->sum[i]);
        p->in_y[i] = !same(p, p->sum[i], p->into[i]);
        p->into[i] = p->in_y[i] ? p->sum[i] : p->into[i];
    }
}

static void expect_y(problem *p)
{
    int64_t at = 0;
    for (int64_t i = 0; i < p->a.triples.rows; i++) {
        if (p->has_into)
            EXPECT(same(p, load(p, p->into_array, i), p->into[i]));
        if (!p->in_y[i])
            continue;
        EXPECT(at < p->found.count && index_at(p, p->found.indices, at) == i);
        if (p->found.values)
            EXPECT(same(p, load(p, p->found.values, at), p->sum[i]));
        at++;
    }
    EXPECT(at == p->found.count);
}

/* The executable specification agrees. */
static void expect_checked(problem *p, const spl_frontier *x, const void *into,
                           const spl_row_mask *mask)
{
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_frontier(&p->a.view, x, into ? p->before : NULL, into, mask, &p->found,
                                 &p->options, &check));
    EXPECT(check.ok && check.failed == 0);
    EXPECT(check.compared == (into ? p->a.triples.rows : p->found.count));
}

static int64_t allocations_of(const spl_plan *plan)
{
    spl_counters counters = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_plan_counters(plan, &counters));
    return counters.allocations;
}

static void execute(problem *p, spl_plan *plan)
{
    spl_frontier x = p->given;
    void *const values = p->found.values;
    int64_t expected = 0;
    draw_x(p);
    draw_mask(p);
    p->has_into = below(p, 2);
    multiply_densely(p);
    x = p->given;
    x.values = p->no_values ? NULL : x.values;
    for (int64_t i = 0; i < p->a.triples.rows; i++)
        expected += p->in_y[i];
    void *const into = p->has_into ? p->into_array : NULL;
    const spl_row_mask *const mask = p->mask_kind ? &p->mask : NULL;
    memcpy(p->before, p->into_array, (size_t)MOST * sizeof(int64_t));
    p->found.count = -7;
    if (expected > 0) {
        p->found.capacity = expected - 1;
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(plan, &x, into, mask, &p->found));
        EXPECT(p->found.count == -7);
    }
    p->found.capacity = expected + below(p, 2);
    p->found.values = below(p, 5) ? values : NULL;
    EXPECT_OK(spl_frontier_execute(plan, &x, into, mask, &p->found));
    expect_y(p);
    expect_checked(p, &x, into, mask);
    p->found.values = values;
}

static void try_problem(spl_context *context, problem *p)
{
    spl_plan *plan = NULL;
    spl__frontier_few = below(p, 2) ? 0 : 32768;
    EXPECT_OK(spl_frontier_plan(context, &p->a.view, 1, &p->options, &plan));
    const int64_t allocations = allocations_of(plan);
    for (int k = 0; k < EXECUTIONS; k++)
        execute(p, plan);
    EXPECT(allocations_of(plan) == allocations);
    spl_plan_destroy(plan);
    spl__frontier_few = 32768;
}

static void fresh_problems(void **state)
{
    const uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    problem *p = zoo_allocate(sizeof *p);
    (void)state;
    zoo_random_seed(&p->draw.random, seed);
    for (int k = 0; k < 60 / testing_scale() + 6; k++)
        for (int semiring = 0; semiring <= SPL_OR_SECOND; semiring++) {
            testing_case("seed %llu, number %d, semiring %d", (unsigned long long)seed, k,
                         semiring);
            draw_problem(p, semiring);
            try_problem(context, p);
            free_problem(p);
        }
    free(p);
    spl_context_destroy(context);
}

/* ---- bits ---- */

enum { LARGE = 270000, DEGREE = 3 };

typedef struct large {
    int32_t indices[LARGE];
    double values[LARGE];
    int64_t count;
} large;

/* y of every step-th row, by one thread or four, in a way that the plan's options make it take. */
static void multiply_large(const zoo_matrix *a, int threads, int32_t executions, int64_t few,
                           int64_t step, spl__frontier_way way, large *x, large *y)
{
    spl_context *context = testing_context(threads);
    spl_options options = SPL_OPTIONS_INIT;
    spl_frontier from = SPL_FRONTIER_INIT, to = SPL_FRONTIER_INIT;
    spl_plan *plan;
    options.op_a = SPL_TRANSPOSE;
    options.executions = executions;
    x->count = 0;
    for (int64_t i = 0; i < LARGE; i += step) {
        x->indices[x->count] = (int32_t)i;
        x->values[x->count++] = 1 / (double)(i + 3);
    }
    from.count = x->count, from.indices = x->indices, from.values = x->values;
    to.capacity = LARGE, to.indices = y->indices, to.values = y->values;
    spl__frontier_few = few;
    EXPECT_OK(spl_frontier_plan(context, &a->view, 1, &options, &plan));
    for (int k = 0; k < 2; k++)
        EXPECT_OK(spl_frontier_execute(plan, &from, NULL, NULL, &to));
    EXPECT(spl__frontier_of(plan)->taken[way] == 2);
    y->count = to.count;
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    spl__frontier_few = 32768;
}

static bool are_same(const large *a, const large *b)
{
    return a->count == b->count &&
           !memcmp(a->indices, b->indices, (size_t)a->count * sizeof *a->indices) &&
           !memcmp(a->values, b->values, (size_t)a->count * sizeof *a->values);
}

/* All ways give the same sums, of three levels of bits. */
static void same_bits(void **state)
{
    const zoo_maker maker = {"large", zoo_uniform, {LARGE, LARGE, DEGREE}, false};
    const int64_t all = INT64_MAX;
    large *l = zoo_allocate(5 * sizeof *l), *x = l, *y = l + 1;
    zoo_matrix a;
    (void)state;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
    EXPECT(a.view.format == SPL_CSR && a.view.index_type == SPL_I32 && a.view.type == SPL_F64);
    multiply_large(&a, 1, 1, all, 2, SPL__FRONTIER_LIGHT, x, &y[0]);
    multiply_large(&a, 1, 1, 0, 2, SPL__FRONTIER_BANDED, x, &y[1]);
    multiply_large(&a, 4, 1, 0, 2, SPL__FRONTIER_BANDED, x, &y[2]);
    multiply_large(&a, 4, 0, 0, 2, SPL__FRONTIER_PULLED, x, &y[3]);
    EXPECT(y[0].count > LARGE / 2);
    for (int k = 1; k < 4; k++)
        EXPECT(are_same(&y[0], &y[k]));
    multiply_large(&a, 4, 0, all, 5000, SPL__FRONTIER_LIGHT, x, &y[0]);
    multiply_large(&a, 4, 0, 0, 5000, SPL__FRONTIER_BANDED, x, &y[1]);
    EXPECT(are_same(&y[0], &y[1]));
    zoo_matrix_free(&a);
    free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_problems),
                                       cmocka_unit_test(same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
