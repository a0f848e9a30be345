/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of rows of equal length: where they begin and end, and products of each kind. Values
 * are small integers: sums are exact in any order. */
#include "core/lanes.h"
#include "lib/testing.h"
#include "plan/plan.h"
#include "spmv/stretches.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 500, COLS = 300, MOST = 120 };

/* So many rows of so many entries each. */
typedef struct run {
    int64_t rows;
    int length;
} run;

static const run runs[] = {{20, 2}, {3, 5},  {17, 0}, {1, 100}, {1, 65}, {40, 9}, {2, 64},
                           {15, 1}, {16, 1}, {30, 3}, {16, 4},  {16, 5}, {16, 6}, {16, 7},
                           {16, 8}, {15, 2}, {1, 3},  {1, 120}, {18, 0}, {1, 1}};
enum { RUNS = sizeof runs / sizeof *runs };

typedef struct example {
    spl_sparse a;
    int32_t offsets[ROWS + 1], columns[ROWS * MOST];
    double values[ROWS * MOST], x[COLS], product[ROWS];
} example;

static example *make_example(void)
{
    example *e = calloc(1, sizeof *e);
    int64_t i = 0;
    int32_t p = 0;
    for (int j = 0; j < COLS; j++)
        e->x[j] = j % 11 - 5;
    for (int r = 0; r < RUNS; r++)
        for (int64_t end = i + runs[r].rows; i < end; i++) {
            for (int k = 0; k < runs[r].length; k++, p++) {
                e->columns[p] = (int32_t)((7 * i + 13 * k) % COLS);
                e->values[p] = (double)((i + k) % 7 - 3);
                e->product[i] += e->values[p] * e->x[e->columns[p]];
            }
            e->offsets[i + 1] = p;
        }
    e->a = zoo_csr(SPL_F64, i, COLS, e->offsets, e->columns, e->values);
    return e;
}

static void rows_of_equal_length_are_stretches(void **state)
{
    /* 15 and 16 rows of 1 are 31 of them; 3 of 5, and 15 of 2 with others, are too few */
    static const spl__stretch expected[] = {{20, 2},
                                            {23, SPL__ANY_LENGTH},
                                            {40, 0},
                                            {42, SPL__LONG_ROWS},
                                            {84, SPL__ANY_LENGTH},
                                            {115, 1},
                                            {145, 3},
                                            {161, 4},
                                            {177, 5},
                                            {193, 6},
                                            {209, 7},
                                            {225, 8},
                                            {241, SPL__ANY_LENGTH},
                                            {242, SPL__LONG_ROWS},
                                            {260, 0},
                                            {261, SPL__ANY_LENGTH}};
    enum { COUNT = sizeof expected / sizeof *expected };
    (void)state;
    spl_context *context = testing_context(1);
    example *e = make_example();
    spl__stretches s = {.list = NULL};
    EXPECT_OK(spl__stretches_make(&context->account, &e->a, 100000, &s));
    EXPECT(s.parts.count == 1 && s.first[0] == 0 && s.first[1] == COUNT);
    for (int k = 0; k < COUNT; k++)
        EXPECT(s.list[k].end == expected[k].end && s.list[k].length == expected[k].length);
    spl__stretches_free(&s);
    free(e);
    spl_context_destroy(context);
}

/* Stretches end where parts do. */
static void parts_have_their_own(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    example *e = make_example();
    const size_t before = atomic_load(&context->account.live);
    spl__stretches s = {.list = NULL};
    EXPECT_OK(spl__stretches_make(&context->account, &e->a, 100, &s));
    EXPECT(s.parts.count > 10);
    for (int64_t r = 0; r < s.parts.count; r++) {
        const int64_t last = s.parts.row[r + 1], end = s.first[r + 1];
        EXPECT((end == s.first[r]) == (last == s.parts.row[r]));
        EXPECT(end == s.first[r] || s.list[end - 1].end == last);
    }
    EXPECT((double)(atomic_load(&context->account.live) - before) <=
           spl__stretches_bytes((double)e->a.rows, (double)e->a.nnz, 100));
    spl__stretches_free(&s);
    free(e);
    spl_context_destroy(context);
}

static void expect_products(const example *e, spl_plan *plan, double alpha, double beta)
{
    double y[ROWS];
    for (int i = 0; i < ROWS; i++)
        y[i] = i % 5;
    EXPECT_OK(spl_spmv_execute(plan, &alpha, e->x, &beta, y, NULL));
    for (int64_t i = 0; i < e->a.rows; i++)
        EXPECT(y[i] == alpha * e->product[i] + beta * (double)(i % 5));
}

static void products_are_right_in_every_stretch(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    example *e = make_example();
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = "spmv/compute/cpu/csr_scalar";
    EXPECT_OK(spl_spmv_plan(context, &e->a, &options, &plan));
    expect_products(e, plan, 1, 0);
    expect_products(e, plan, 2, 0);
    expect_products(e, plan, -1, 3);
    spl_plan_destroy(plan);
    free(e);
    spl_context_destroy(context);
}

/* The seconds that are predicted for a method. */
static double predicted(const spl_plan *plan, const char *id)
{
    for (int i = 0; i < plan->candidate_count; i++)
        if (strcmp(plan->candidates[i].entry->id, id) == 0)
            return plan->candidates[i].estimate.seconds;
    EXPECT(!"the method is a candidate");
    return 0;
}

static double predict(spl_context *context, const zoo_maker *maker, const char *id)
{
    zoo_matrix a;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    zoo_matrix_make(&a, maker, zoo_form_number(0), testing_seed());
    options.threads = 1;
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
    const double seconds = predicted(plan, id);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    return seconds;
}

/* Slices whose x is loaded lane by lane cost more than those of a processor that gathers, if x is
 * larger than 64 kB. */
static void loads_cost_more_than_gathers(void **state)
{
    (void)state;
    static const zoo_maker makers[] = {{"near", zoo_uniform, {4000, 4000, 5}, false},
                                       {"far", zoo_uniform, {12000, 12000, 5}, false}};
    const char *sliced = "spmv/compute/cpu/sliced_ell";
    const bool before = spl__gathers_pay;
    spl_context *context = testing_context(1);
    for (int far = 0; far < 2; far++) {
        double seconds[2];
        for (int pay = 0; pay < 2; pay++) {
            spl__gathers_pay = pay;
            seconds[pay] = predict(context, &makers[far], sliced);
        }
        EXPECT(far ? seconds[1] < seconds[0] : seconds[1] == seconds[0]);
    }
    spl__gathers_pay = before;
    spl_context_destroy(context);
}

/* Two entries a row, but for one row, cost less than one that is mispredicted. */
static void equal_rows_cost_less(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    const zoo_maker *column = zoo_find("dense_column_1500");
    const double seconds = predict(context, column, "spmv/compute/cpu/csr_scalar");
    EXPECT(seconds < predict(context, column, "spmv/compute/cpu/csr_vector") / 2);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_equal_length_are_stretches),
        cmocka_unit_test(parts_have_their_own),
        cmocka_unit_test(products_are_right_in_every_stretch),
        cmocka_unit_test(loads_cost_more_than_gathers),
        cmocka_unit_test(equal_rows_cost_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
