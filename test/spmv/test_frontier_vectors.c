/* SPDX-License-Identifier: Apache-2.0 */
/* spl_frontier_execute with several sparse vectors: each gets the bits of an execution of its own,
 * which test_frontier compares with dense loops; what is refused. */
#include "lib/testing.h"
#include "spmv/frontier/frontier.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 700, COLS = 600, VECTORS = 40, WORDS = ROWS / 64 + 1, THREADS = 3 };
enum { MOST_X = VECTORS * COLS, MOST_Y = VECTORS * ROWS };

typedef struct vectors {
    int64_t count, offsets[VECTORS + 1];
    int32_t *indices;
    double *values;
} vectors;

typedef struct problem {
    zoo_random random;
    zoo_matrix a;
    int64_t rows, cols;
    spl_options options;
    vectors x, y, single;
    double *into, *single_into, *old;
    bool has_into, no_values;
    int mask_kind; /* 0: none, 1: bits, 2: bytes */
    spl_row_mask mask;
    uint64_t bits[VECTORS * WORDS];
    uint8_t bytes[MOST_Y];
} problem;

static int64_t below(problem *p, int64_t n)
{
    return zoo_random_below(&p->random, n);
}

static void make_vectors(vectors *v, int64_t most)
{
    v->indices = zoo_allocate((size_t)most * sizeof *v->indices);
    v->values = zoo_allocate((size_t)most * sizeof *v->values);
}

static void free_vectors(vectors *v)
{
    free(v->indices);
    free(v->values);
}

/* Vectors of a few entries, of none, and of many. */
static void draw_x(problem *p)
{
    vectors *x = &p->x;
    x->count = below(p, VECTORS + 1);
    x->offsets[0] = 0;
    for (int64_t k = 0; k < x->count; k++) {
        const int64_t of = (int64_t)1 << below(p, 12);
        int64_t at = x->offsets[k];
        for (int64_t j = 0; j < p->cols; j++)
            if (below(p, of) == 0) {
                x->indices[at] = (int32_t)j;
                x->values[at++] = zoo_random_unit(&p->random);
            }
        x->offsets[k + 1] = at;
    }
}

static void draw_mask(problem *p)
{
    p->mask_kind = (int)below(p, 3);
    p->mask = (spl_row_mask)SPL_ROW_MASK_INIT;
    p->mask.complement = (int32_t)below(p, 2);
    memset(p->bits, 0, sizeof p->bits);
    const int64_t words = p->rows / 64 + (p->rows % 64 > 0);
    for (int64_t k = 0; k < VECTORS; k++)
        for (int64_t i = 0; i < p->rows; i++) {
            const bool named = below(p, 3) == 0;
            p->bytes[k * p->rows + i] = named;
            p->bits[k * words + i / 64] |= (uint64_t)named << (i % 64);
        }
    p->mask.bits = p->mask_kind == 1 ? p->bits : NULL;
    p->mask.bytes = p->mask_kind == 2 ? p->bytes : NULL;
}

static void draw_problem(problem *p)
{
    static const int32_t semirings[] = {SPL_PLUS_TIMES, SPL_PLUS_SECOND, SPL_MIN_PLUS,
                                        SPL_MAX_SECOND};
    p->rows = 1 + below(p, ROWS);
    p->cols = 1 + below(p, COLS);
    const zoo_maker maker = {"drawn", zoo_uniform, {p->rows, p->cols, 1 + below(p, 6)}, false};
    zoo_matrix_make(&p->a, &maker, zoo_form_number(0), zoo_random_next(&p->random));
    p->options = (spl_options)SPL_OPTIONS_INIT;
    p->options.semiring = semirings[below(p, 4)];
    p->options.executions = (int32_t)below(p, 2);
    for (int64_t i = 0; i < MOST_Y; i++)
        p->old[i] = zoo_random_unit(&p->random);
}

static spl_frontier frontier_of(vectors *v, bool no_values)
{
    spl_frontier f = SPL_FRONTIER_INIT;
    f.count = v->offsets[v->count];
    f.indices = v->indices;
    f.values = no_values ? NULL : v->values;
    f.vectors = v->count;
    f.offsets = v->offsets;
    return f;
}

/* p->single: the vectors one by one. */
static void multiply_singly(problem *p, spl_plan *plan)
{
    const int64_t words = p->rows / 64 + (p->rows % 64 > 0);
    p->single.count = p->x.count;
    p->single.offsets[0] = 0;
    memcpy(p->single_into, p->old, MOST_Y * sizeof *p->old);
    for (int64_t k = 0; k < p->x.count; k++) {
        spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT;
        spl_row_mask mask = p->mask;
        const int64_t first = p->x.offsets[k], at = p->single.offsets[k];
        x.count = p->x.offsets[k + 1] - first;
        x.indices = p->x.indices + first;
        x.values = p->x.values + first;
        y.capacity = p->rows;
        y.indices = p->single.indices + at;
        y.values = p->single.values + at;
        mask.bits = mask.bits ? mask.bits + k * words : NULL;
        mask.bytes = mask.bytes ? mask.bytes + k * p->rows : NULL;
        EXPECT_OK(spl_frontier_execute(plan, &x, p->has_into ? p->single_into + k * p->rows : NULL,
                                       p->mask_kind ? &mask : NULL, &y));
        p->single.offsets[k + 1] = at + y.count;
    }
}

static void expect_same(const problem *p, const spl_frontier *y)
{
    const int64_t count = p->single.offsets[p->x.count];
    EXPECT(y->count == count);
    EXPECT(!memcmp(p->y.offsets, p->single.offsets, (size_t)(p->x.count + 1) * sizeof(int64_t)));
    EXPECT(!memcmp(p->y.indices, p->single.indices, (size_t)count * sizeof(int32_t)));
    if (y->values)
        EXPECT(!memcmp(p->y.values, p->single.values, (size_t)count * sizeof(double)));
    if (p->has_into)
        EXPECT(!memcmp(p->into, p->single_into, MOST_Y * sizeof *p->into));
}

static void expect_checked(problem *p, const spl_frontier *x, const spl_frontier *y)
{
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_frontier(&p->a.view, x, p->has_into ? p->old : NULL,
                                 p->has_into ? p->into : NULL, p->mask_kind ? &p->mask : NULL, y,
                                 &p->options, &check));
    EXPECT(check.ok && check.compared >= y->count);
}

/* With so much room for y. */
static void multiply_at_once(problem *p, spl_plan *plan, int64_t room, bool fits)
{
    spl_frontier x = frontier_of(&p->x, false), y = frontier_of(&p->y, p->no_values);
    memcpy(p->into, p->old, MOST_Y * sizeof *p->old);
    memset(p->y.offsets, -1, sizeof p->y.offsets);
    y.vectors = p->x.count;
    y.count = -7;
    y.capacity = room;
    EXPECT_STATUS(fits ? SPL_OK : SPL_INVALID_ARGUMENT,
                  spl_frontier_execute(plan, &x, p->has_into ? p->into : NULL,
                                       p->mask_kind ? &p->mask : NULL, &y));
    if (fits)
        expect_same(p, &y);
    else
        EXPECT(y.count == -7);
    if (fits && room < MOST_Y)
        expect_checked(p, &x, &y);
}

static void try_problem(problem *p, spl_context *context)
{
    static const int64_t few[] = {0, 20, 200, 32768};
    spl_plan *plan;
    spl_counters before = SPL_COUNTERS_INIT, after = SPL_COUNTERS_INIT;
    EXPECT_OK(spl_frontier_plan(context, &p->a.view, 1 + below(p, VECTORS), &p->options, &plan));
    EXPECT_OK(spl_plan_counters(plan, &before));
    for (int k = 0; k < 4; k++) {
        draw_x(p);
        draw_mask(p);
        p->has_into = below(p, 2);
        p->no_values = below(p, 4) == 0;
        spl__frontier_few = few[below(p, 4)];
        multiply_singly(p, plan);
        const int64_t count = p->single.offsets[p->x.count];
        multiply_at_once(p, plan, MOST_Y, true);
        multiply_at_once(p, plan, count, true);
        if (count > 0)
            multiply_at_once(p, plan, count - 1, false);
        multiply_at_once(p, plan, MOST_Y, true); /* nothing is left of what failed */
    }
    EXPECT_OK(spl_plan_counters(plan, &after));
    EXPECT(before.allocations == after.allocations);
    spl_plan_destroy(plan);
    spl__frontier_few = 32768;
}

static problem *make_problem(uint64_t seed)
{
    problem *p = zoo_allocate(sizeof *p);
    memset(p, 0, sizeof *p);
    zoo_random_seed(&p->random, seed);
    make_vectors(&p->x, MOST_X);
    make_vectors(&p->y, MOST_Y);
    make_vectors(&p->single, MOST_Y + ROWS);
    p->into = zoo_allocate(MOST_Y * sizeof *p->into);
    p->single_into = zoo_allocate(MOST_Y * sizeof *p->into);
    p->old = zoo_allocate(MOST_Y * sizeof *p->old);
    return p;
}

static void free_problem(problem *p)
{
    free_vectors(&p->x);
    free_vectors(&p->y);
    free_vectors(&p->single);
    free(p->into);
    free(p->single_into);
    free(p->old);
    free(p);
}

static void fresh_problems(void **state)
{
    const uint64_t seed = testing_fresh_seed();
    spl_context *contexts[] = {testing_context(1), testing_context(THREADS)};
    problem *p = make_problem(seed);
    (void)state;
    for (int k = 0; k < 60 / testing_scale() + 6; k++) {
        testing_case("seed %llu, number %d", (unsigned long long)seed, k);
        draw_problem(p);
        try_problem(p, contexts[k % 2]);
        zoo_matrix_free(&p->a);
    }
    free_problem(p);
    for (int k = 0; k < 2; k++)
        spl_context_destroy(contexts[k]);
}

/* Threads have sums of their own only where the budget has room, and then share vectors out. */
static void budgets(void **state)
{
    const zoo_maker maker = {"large", zoo_uniform, {200000, 100, 1}, false};
    spl_context *context = testing_context(4);
    spl_options options = SPL_OPTIONS_INIT;
    spl_counters counters = SPL_COUNTERS_INIT;
    spl_plan *plan;
    zoo_matrix a;
    (void)state;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
    EXPECT_OK(spl_frontier_plan(context, &a.view, 3, &options, &plan));
    EXPECT(spl__frontier_of(plan)->sum_count == 3);
    spl_plan_destroy(plan);
    options.executions = 1;
    EXPECT_OK(spl_frontier_plan(context, &a.view, 1, &options, &plan));
    EXPECT(spl__frontier_of(plan)->sum_count == 1);
    EXPECT_OK(spl_plan_counters(plan, &counters));
    spl_plan_destroy(plan);
    options.memory_budget = (size_t)counters.peak + 200000 * 12;
    EXPECT_OK(spl_frontier_plan(context, &a.view, 3, &options, &plan));
    EXPECT(spl__frontier_of(plan)->sum_count == 2);
    EXPECT_OK(spl_plan_counters(plan, &counters));
    EXPECT((size_t)counters.peak <= options.memory_budget);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

static void refuse(spl_plan *plan, const spl_frontier *x, void *into, const spl_row_mask *mask,
                   spl_frontier y, spl_status status)
{
    int32_t *to = y.indices;
    y.count = -7;
    to[0] = -5;
    if (y.offsets)
        y.offsets[0] = -3;
    EXPECT_STATUS(status, spl_frontier_execute(plan, x, into, mask, &y));
    EXPECT(y.count == -7 && to[0] == -5 && (!y.offsets || y.offsets[0] == -3));
}

static void wrong_calls(void **state)
{
    const zoo_maker maker = {"small", zoo_uniform, {3, 3, 2}, false};
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    int32_t from[] = {0, 1, 0}, to[9], down[] = {0, 1, 3};
    int64_t begins[] = {0, 2, 3}, ends[3], late[] = {1, 2, 3}, short_of[] = {0, 2, 2},
            back[] = {0, 4, 3};
    int64_t *const wrong[] = {late, short_of, back};
    double ones[] = {1, 1, 1}, sums[9], pairs[8] = {0};
    spl_frontier x = {sizeof x, 3, 0, from, ones, 2, begins},
                 y = {sizeof y, 0, 9, to, sums, 2, ends};
    spl_frontier other;
    spl_plan *plan = NULL;
    zoo_matrix a;
    (void)state;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_plan(context, &a.view, 0, &options, &plan));
    EXPECT_OK(spl_frontier_plan(context, &a.view, 2, &options, &plan));
    for (int k = 0; k < 3; k++) {
        other = x, other.offsets = wrong[k];
        refuse(plan, &other, NULL, NULL, y, SPL_INVALID_ARGUMENT);
    }
    other = x, other.indices = down, refuse(plan, &other, NULL, NULL, y, SPL_INVALID_ARGUMENT);
    other = x, other.offsets = NULL, refuse(plan, &other, NULL, NULL, y, SPL_INVALID_ARGUMENT);
    other = y, other.offsets = NULL, refuse(plan, &x, NULL, NULL, other, SPL_INVALID_ARGUMENT);
    other = y, other.vectors = 1, refuse(plan, &x, NULL, NULL, other, SPL_INVALID_ARGUMENT);
    other = x, other.vectors = -1, refuse(plan, &other, NULL, NULL, y, SPL_INVALID_ARGUMENT);
    other = x, other.offsets = ends, refuse(plan, &other, NULL, NULL, y, SPL_INVALID_ARGUMENT);
    /* `into` has 6 elements */
    other = x, other.values = pairs + 5;
    refuse(plan, &other, pairs, NULL, y, SPL_INVALID_ARGUMENT);
    other = y, other.vectors = x.vectors = INT64_MAX / 8;
    refuse(plan, &x, NULL, NULL, other, SPL_INDEX_OVERFLOW);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_problems), cmocka_unit_test(budgets),
                                       cmocka_unit_test(wrong_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
