/* SPDX-License-Identifier: Apache-2.0 */
/* spl_frontier_execute against dense loops, on fresh matrices of every form, semiring and type, by
 * every way of the plan; bits for any number of threads; what is refused. */
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

/* ---- plans ---- */

static const int32_t offsets[] = {0, 2, 3, 3}, columns[] = {0, 2, 1};
static double weights[] = {1, 2, 3};

static spl_sparse small(void)
{
    spl_sparse a = SPL_SPARSE_INIT;
    a.format = SPL_CSR, a.type = SPL_F64, a.offset_type = a.index_type = SPL_I32;
    a.rows = a.cols = 3, a.nnz = 3;
    a.offsets = offsets, a.indices = columns, a.values = weights;
    return a;
}

static void new_values(void **state)
{
    spl_context *context = testing_context(1);
    spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT;
    int32_t from[] = {0, 1}, to[3];
    double ones[] = {1, 1}, sums[3], others[] = {5, 6, 7};
    char text[8192];
    size_t length;
    spl_plan *plan;
    (void)state;
    x.count = 2, x.indices = from, x.values = ones;
    y.capacity = 3, y.indices = to, y.values = sums;
    for (int32_t executions = 0; executions < 2; executions++) { /* pulled, pushed */
        spl_options options = SPL_OPTIONS_INIT;
        spl_sparse a = small();
        options.executions = executions;
        EXPECT_OK(spl_frontier_plan(context, &a, 1, &options, &plan));
        EXPECT_OK(spl_frontier_execute(plan, &x, NULL, NULL, &y));
        EXPECT(y.count == 2 && to[0] == 0 && to[1] == 1 && sums[0] == 1 && sums[1] == 3);
        a.values = others;
        EXPECT_OK(spl_plan_update_values(plan, &a, NULL, NULL, NULL));
        EXPECT_OK(spl_frontier_execute(plan, &x, NULL, NULL, &y));
        EXPECT(y.count == 2 && sums[0] == 5 && sums[1] == 7);
        EXPECT_OK(spl_plan_explain(plan, text, sizeof text, &length));
        EXPECT(strstr(text, executions ? "executed so: 2 few, 0 many, 0 pulled"
                                       : "executed so: 0 few, 0 many, 2 pulled"));
        spl_plan_destroy(plan);
    }
    spl_context_destroy(context);
}

/* Without room for A in both orders nothing is pulled. */
static void small_budget(void **state)
{
    const zoo_maker maker = {"square", zoo_uniform, {2000, 2000, 40}, false};
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    spl_counters counters = SPL_COUNTERS_INIT;
    spl_plan *plan;
    zoo_matrix a;
    (void)state;
    zoo_matrix_make(&a, &maker, zoo_form_number(0), testing_seed());
    options.op_a = SPL_TRANSPOSE;
    EXPECT_OK(spl_frontier_plan(context, &a.view, 1, &options, &plan));
    EXPECT(spl__frontier_of(plan)->pulls);
    EXPECT_OK(spl_plan_counters(plan, &counters));
    options.memory_budget = (size_t)counters.live / 2;
    spl_plan_destroy(plan);
    EXPECT_OK(spl_frontier_plan(context, &a.view, 1, &options, &plan));
    EXPECT(!spl__frontier_of(plan)->pulls);
    EXPECT_OK(spl_plan_counters(plan, &counters));
    EXPECT((size_t)counters.peak <= options.memory_budget);
    spl_plan_destroy(plan);
    options.memory_budget = 10000;
    plan = NULL;
    EXPECT_STATUS(SPL_OVER_BUDGET, spl_frontier_plan(context, &a.view, 1, &options, &plan));
    EXPECT(!plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

static void refuse(spl_plan *plan, spl_frontier x, void *into, const spl_row_mask *mask,
                   spl_frontier y)
{
    int32_t *to = y.indices;
    y.count = -7;
    if (to)
        to[0] = -5;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(plan, &x, into, mask, &y));
    EXPECT(y.count == -7 && (!to || to[0] == -5));
}

static void wrong_calls(void **state)
{
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    spl_row_mask mask = SPL_ROW_MASK_INIT;
    spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT, other;
    spl_sparse a = small();
    int32_t from[] = {0, 1}, to[3], down[] = {1, 0}, twice[] = {1, 1}, beyond[] = {1, 3},
            negative[] = {-1, 1};
    int32_t *const wrong[] = {down, twice, beyond, negative};
    double ones[] = {1, 1}, sums[3];
    const uint8_t bytes[] = {1, 1, 1};
    spl_plan *plan, *dense;
    (void)state;
    x.count = 2, x.indices = from, x.values = ones;
    y.capacity = 3, y.indices = to, y.values = sums;
    EXPECT_OK(spl_frontier_plan(context, &a, 1, &options, &plan));
    EXPECT_OK(spl_spmv_plan(context, &a, &options, &dense));
    for (int k = 0; k < 4; k++) {
        other = x, other.indices = wrong[k];
        refuse(plan, other, NULL, NULL, y);
    }
    other = x, other.values = NULL, refuse(plan, other, NULL, NULL, y);
    other = x, other.count = -1, refuse(plan, other, NULL, NULL, y);
    other = x, other.indices = NULL, refuse(plan, other, NULL, NULL, y);
    other = y, other.values = ones, refuse(plan, x, NULL, NULL, other);
    other = y, other.values = weights, refuse(plan, x, NULL, NULL, other);
    other = y, other.capacity = -1, refuse(plan, x, NULL, NULL, other);
    refuse(plan, x, sums, NULL, y);
    refuse(plan, x, NULL, &mask, y); /* neither bits nor bytes */
    mask.bytes = bytes, mask.clear = 1, refuse(plan, x, NULL, &mask, y);
    refuse(dense, x, NULL, NULL, y);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(NULL, &x, NULL, NULL, &y));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(plan, NULL, NULL, NULL, &y));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_execute(plan, &x, NULL, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, NULL, sums, NULL, sums + 3, NULL));
    spl_plan_destroy(plan);
    spl_plan_destroy(dense);
    options.method = "spmv/compute/cpu/csr_scalar";
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_frontier_plan(context, &a, 1, &options, &plan));
    options.method = NULL;
    a.type = SPL_F16;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_frontier_plan(context, &a, 1, &options, &plan));
    spl_context_destroy(context);
}

/* Devices, and several processors. */
static void elsewhere(void **state)
{
    spl_context_options where = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context = NULL;
    spl_sparse a = small();
    (void)state;
    where.devices = "cpu,emu";
    if (spl_context_create(&where, &context) != SPL_OK) {
        print_message("no emulator: skipped\n");
        return;
    }
    for (uint64_t processors = 0; processors < 4; processors++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        options.processors = processors;
        testing_case("processors %d", (int)processors);
        EXPECT_STATUS(processors < 2 ? SPL_OK : SPL_UNSUPPORTED,
                      spl_frontier_plan(context, &a, 1, &options, &plan));
        EXPECT((processors < 2) == (plan != NULL));
        spl_plan_destroy(plan);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_problems), cmocka_unit_test(same_bits),
        cmocka_unit_test(new_values),     cmocka_unit_test(small_budget),
        cmocka_unit_test(wrong_calls),    cmocka_unit_test(elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
