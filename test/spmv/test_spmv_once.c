/* SPDX-License-Identifier: Apache-2.0 */
/* One-shot SpMV without a plan: checks and products in one pass, or in two. */
#include "core/watch.h"
#include "lib/cancelling.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLS = 999, UNTOUCHED = 7777, SHAPES = 5, WRONG = 3 };

/* Rows of 0 to `most` entries: few rows, many short ones, many long ones, even ones. */
static const struct shape {
    int64_t rows, most;
    bool even;
} shapes[SHAPES] = {
    {37, 9, false}, {9000, 6, false}, {9000, 6, true}, {4000, 50, false}, {4000, 33, true}};

typedef struct equation {
    spl_sparse a;
    int32_t *offsets, *columns;
    double *values, *x;
} equation;

static equation make(const struct shape *shape, zoo_random *random)
{
    equation s = {.a = SPL_SPARSE_INIT};
    s.offsets = zoo_allocate((size_t)(shape->rows + 1) * sizeof *s.offsets);
    s.offsets[0] = 0;
    for (int64_t i = 0; i < shape->rows; i++)
        s.offsets[i + 1] =
            s.offsets[i] +
            (int32_t)(shape->even ? shape->most : zoo_random_below(random, shape->most + 1));
    int64_t nnz = s.offsets[shape->rows];
    s.columns = zoo_allocate((size_t)(nnz + 1) * sizeof *s.columns);
    s.values = zoo_allocate((size_t)(nnz + 1) * sizeof *s.values);
    s.x = zoo_allocate(COLS * sizeof *s.x);
    for (int64_t p = 0; p < nnz; p++) {
        s.columns[p] = (int32_t)zoo_random_below(random, COLS);
        s.values[p] = zoo_random_unit(random) - 0.5;
    }
    for (int j = 0; j < COLS; j++)
        s.x[j] = zoo_random_unit(random);
    s.a = zoo_csr(SPL_F64, shape->rows, COLS, s.offsets, s.columns, s.values);
    return s;
}

static void destroy(equation *s)
{
    free(s->offsets);
    free(s->columns);
    free(s->values);
    free(s->x);
}

static double *untouched(int64_t rows)
{
    double *y = zoo_allocate((size_t)rows * sizeof *y);
    for (int64_t i = 0; i < rows; i++)
        y[i] = UNTOUCHED;
    return y;
}

static void expect_refusal(spl_context *context, equation *s, int64_t at, int32_t column)
{
    double *y = untouched(s->a.rows);
    int32_t kept = s->columns[at];
    s->columns[at] = column;
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spmv(context, NULL, &s->a, s->x, NULL, y, NULL));
    s->columns[at] = kept;
    for (int64_t i = 0; i < s->a.rows; i++)
        EXPECT(y[i] == UNTOUCHED);
    free(y);
}

static void wrong_columns_leave_y_untouched(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed());
    for (int k = 0; k < SHAPES; k++) {
        equation s = make(&shapes[k], &random);
        const int32_t wrong[WRONG] = {-1, COLS, INT32_MAX};
        for (int threads = 1; threads <= 2; threads++) {
            spl_context *context = testing_context(threads);
            for (int w = 0; w < WRONG; w++) {
                testing_case("shape %d, %d threads, column %d", k, threads, wrong[w]);
                expect_refusal(context, &s, 0, wrong[w]);
                expect_refusal(context, &s, s.a.nnz - 1, wrong[w]);
                expect_refusal(context, &s, zoo_random_below(&random, s.a.nnz), wrong[w]);
            }
            spl_context_destroy(context);
        }
        destroy(&s);
    }
}

/* Against sums in the order of entries, and bit by bit against another number of threads. */
static void sums_do_not_depend_on_threads(void **state)
{
    (void)state;
    const double alpha = -1.5, beta = 0.5;
    zoo_random random;
    zoo_random_seed(&random, testing_seed() + 1);
    for (int k = 0; k < SHAPES; k++) {
        equation s = make(&shapes[k], &random);
        size_t bytes = (size_t)s.a.rows * sizeof(double);
        double *y = untouched(s.a.rows), *first = untouched(s.a.rows);
        for (int threads = 1; threads <= 3; threads++) {
            spl_context *context = testing_context(threads);
            testing_case("shape %d, %d threads", k, threads);
            for (int64_t i = 0; i < s.a.rows; i++)
                y[i] = (double)(i % 5);
            EXPECT_OK(spl_spmv(context, &alpha, &s.a, s.x, &beta, y, NULL));
            if (threads == 1)
                memcpy(first, y, bytes);
            EXPECT(memcmp(first, y, bytes) == 0);
            spl_context_destroy(context);
        }
        for (int64_t i = 0; i < s.a.rows; i++) {
            double sum = 0;
            for (int32_t p = s.offsets[i]; p < s.offsets[i + 1]; p++)
                sum += s.values[p] * s.x[s.columns[p]];
            double error = y[i] - (alpha * sum + beta * (double)(i % 5));
            EXPECT(error < 1e-12 && error > -1e-12);
        }
        free(y);
        free(first);
        destroy(&s);
    }
}

/* Lines of CSC are rows of the transpose; with a budget all columns are checked before, and
 * nothing is allocated. */
static void columns_are_rows_of_the_transpose(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed() + 2);
    for (int k = 0; k < SHAPES; k++) {
        equation s = make(&shapes[k], &random);
        hook_allocator hook;
        spl_context *context;
        hook_start(&hook);
        EXPECT_OK(hook_context(&hook, 2, 0, &context));
        spl_options options = SPL_OPTIONS_INIT;
        double *expected = untouched(s.a.rows), *y = untouched(s.a.rows);
        testing_case("shape %d", k);
        EXPECT_OK(spl_spmv(context, NULL, &s.a, s.x, NULL, expected, NULL));
        s.a.format = SPL_CSC;
        s.a.cols = shapes[k].rows;
        s.a.rows = COLS;
        options.op_a = SPL_TRANSPOSE;
        options.memory_budget = 1;
        long long before = hook.allocations;
        EXPECT_OK(spl_spmv(context, NULL, &s.a, s.x, NULL, y, &options));
        EXPECT(hook.allocations == before);
        EXPECT(memcmp(expected, y, (size_t)s.a.cols * sizeof *y) == 0);
        free(expected);
        free(y);
        spl_context_destroy(context);
        EXPECT(hook_clean(&hook));
        hook_stop(&hook);
        destroy(&s);
    }
}

/* Lines that are columns of op(A) need no plan either: nothing is allocated. y is as it was if an
 * index is wrong. */
static void columns_are_added_up(void **state)
{
    (void)state;
    const double beta = 0.5;
    spl_options options = SPL_OPTIONS_INIT;
    zoo_random random;
    zoo_random_seed(&random, testing_seed() + 4);
    options.op_a = SPL_TRANSPOSE;
    options.memory_budget = 1;
    for (int k = 0; k < SHAPES; k++) {
        equation s = make(&shapes[k], &random);
        hook_allocator hook;
        spl_context *context;
        double *y = untouched(COLS), *expected = untouched(COLS);
        double *const x = untouched(s.a.rows);
        testing_case("shape %d", k);
        hook_start(&hook);
        EXPECT_OK(hook_context(&hook, 1 + k % 3, 0, &context));
        for (int64_t i = 0; i < s.a.rows; i++)
            x[i] = zoo_random_unit(&random);
        for (int j = 0; j < COLS; j++)
            expected[j] = UNTOUCHED * beta;
        for (int64_t i = 0; i < s.a.rows; i++)
            for (int32_t p = s.offsets[i]; p < s.offsets[i + 1]; p++)
                expected[s.columns[p]] += s.values[p] * x[i];
        const int64_t at = zoo_random_below(&random, s.a.nnz);
        const int32_t kept = s.columns[at];
        s.columns[at] = COLS;
        EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spmv(context, NULL, &s.a, x, &beta, y, &options));
        s.columns[at] = kept;
        for (int j = 0; j < COLS; j++)
            EXPECT(y[j] == UNTOUCHED);
        const long long before = hook.allocations;
        EXPECT_OK(spl_spmv(context, NULL, &s.a, x, &beta, y, &options));
        EXPECT(hook.allocations == before);
        for (int j = 0; j < COLS; j++)
            EXPECT(fabs(y[j] - expected[j]) < 1e-10);
        spl_context_destroy(context);
        EXPECT(hook_clean(&hook));
        hook_stop(&hook);
        free(x);
        free(y);
        free(expected);
        destroy(&s);
    }
}

/* Who asks for progress is told of it piece by piece, needs no plan either (the budget has no room
 * for one), and may cancel at every report: then nothing has been written, as long as memory allows
 * an array for the result. */
static void progress_needs_no_plan(void **state)
{
    (void)state;
    zoo_random random;
    zoo_random_seed(&random, testing_seed() + 3);
    equation s = make(&shapes[3], &random);
    hook_allocator hook;
    cancel_observer o = {pthread_self(), 0, -1, false};
    const double seconds = spl__watch_seconds;
    spl__watch_seconds = 0;
    hook_start(&hook);
    spl_context *context = cancel_context(&hook, &o);
    spl_options options = SPL_OPTIONS_INIT;
    double *y = untouched(s.a.rows);
    options.memory_budget = 1;
    EXPECT_OK(spl_spmv(context, NULL, &s.a, s.x, NULL, y, &options));
    const long long reports = o.calls;
    EXPECT(reports > 4 && !o.bad);
    for (int64_t i = 0; i < s.a.rows; i++)
        y[i] = UNTOUCHED;
    for (o.cancel_at = 0; o.cancel_at < reports / 2; o.cancel_at++) {
        testing_case("cancelled at report %lld of %lld", o.cancel_at, reports);
        o.calls = 0;
        EXPECT_STATUS(SPL_CANCELLED, spl_spmv(context, NULL, &s.a, s.x, NULL, y, NULL));
        for (int64_t i = 0; i < s.a.rows; i++)
            EXPECT(y[i] == UNTOUCHED);
    }
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    spl__watch_seconds = seconds;
    free(y);
    destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_columns_leave_y_untouched),
        cmocka_unit_test(sums_do_not_depend_on_threads),
        cmocka_unit_test(columns_are_rows_of_the_transpose),
        cmocka_unit_test(columns_are_added_up),
        cmocka_unit_test(progress_needs_no_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
