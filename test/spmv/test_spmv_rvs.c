/* SPDX-License-Identifier: Apache-2.0 */
/* Row vector sets where most rows are empty: each part clears the rows around its own. Values are
 * small integers: sums are exact in any order. */
#include "lib/testing.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 90000, COLS = 1000, LONGEST = 2 };

typedef struct example {
    spl_sparse a;
    int32_t offsets[ROWS + 1], columns[LONGEST * ROWS];
    double values[LONGEST * ROWS], x[COLS], product[ROWS], y[ROWS];
} example;

/* Rows of `shortest` to `longest` entries, a third of those from first to last - 1, at random. */
static example *make_example(int64_t first, int64_t last, int shortest, int longest)
{
    example *e = calloc(1, sizeof *e);
    zoo_random random;
    int32_t p = 0;
    zoo_random_seed(&random, testing_fresh_seed());
    for (int j = 0; j < COLS; j++)
        e->x[j] = j % 11 - 5;
    for (int64_t i = 0; i < ROWS; i++) {
        const bool ends = i == first || i == last - 1,
                   filled = i >= first && i < last && (ends || zoo_random_below(&random, 3) == 0);
        int length = filled ? shortest : 0;
        if (filled && longest > shortest)
            length += (int)zoo_random_below(&random, longest - shortest + 1);
        for (int k = 0; k < length; k++, p++) {
            e->columns[p] = (int32_t)zoo_random_below(&random, COLS / 2) + k * COLS / 2;
            e->values[p] = (double)(p % 7 + 1);
            e->product[i] += e->values[p] * e->x[e->columns[p]];
        }
        e->offsets[i + 1] = p;
    }
    e->a = zoo_csr(SPL_F64, ROWS, COLS, e->offsets, e->columns, e->values);
    return e;
}

/* Executions sweep to and fro. y is what it was before, or poison that nothing reads. */
static void expect_products(example *e, int threads)
{
    spl_context *context = testing_context(threads);
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = "spmv/compute/cpu/rvs";
    EXPECT_OK(spl_spmv_plan(context, &e->a, &options, &plan));
    for (int turn = 0; turn < 4; turn++) {
        const double alpha = turn + 1, beta = turn < 2 ? 0 : -turn;
        for (int64_t i = 0; i < ROWS; i++)
            e->y[i] = turn < 2 ? NAN : (double)(i % 5);
        EXPECT_OK(spl_spmv_execute(plan, &alpha, e->x, &beta, e->y, NULL));
        for (int64_t i = 0; i < ROWS; i++)
            EXPECT(e->y[i] == alpha * e->product[i] + (turn < 2 ? 0 : beta * (double)(i % 5)));
    }
    spl_plan_destroy(plan);
    spl_context_destroy(context);
}

static void mostly_empty_rows_are_cleared(void **state)
{
    static const int lengths[][2] = {{1, 1}, {2, 2}, {1, 2}};
    static const int64_t ranges[][2] = {{0, ROWS}, {1000, ROWS - 1000}, {ROWS / 2, ROWS / 2 + 5}};
    (void)state;
    for (int l = 0; l < 3; l++)
        for (int r = 0; r < 3; r++) {
            testing_case("%d to %d entries, range %d", lengths[l][0], lengths[l][1], r);
            example *e = make_example(ranges[r][0], ranges[r][1], lengths[l][0], lengths[l][1]);
            expect_products(e, 1);
            expect_products(e, 3);
            free(e);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mostly_empty_rows_are_cleared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
