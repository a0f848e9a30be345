/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV on a device with x of the most frequent columns in shared memory: rows of the lengths at
 * which the method switches, more columns than fit, in the emulator at both widths. Values are
 * small integers: sums are exact in any order. */
#include "lib/on_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lengths in turn: 0, the longest row of a slice, one more, a piece, one entry more, some
 * pieces, more than a lane sums. */
enum { PIECE = 256, ROWS = 60, COLS = 50000 };
static const int lengths[] = {0, 3, 32, 33, 256, 257, 700, 2048, 2049, 5000};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

typedef struct graph {
    int32_t offsets[ROWS + 1], *columns;
    double *values, x[COLS], y[ROWS], before[ROWS], expected[ROWS];
    spl_sparse view;
} graph;

static void fill_row(graph *g, int row, int32_t begin, int32_t end)
{
    for (int32_t p = begin; p < end; p++) {
        g->columns[p] = (int32_t)((int64_t)(p - begin) * COLS / (end - begin) +
                                  (p % 3 ? 0 : row % (COLS / 5000)));
        g->values[p] = p % 7 - 3;
        g->expected[row] += 2 * g->values[p] * g->x[g->columns[p]];
    }
}

static graph *make_graph(void)
{
    graph *g = calloc(1, sizeof *g);
    for (int i = 0; i < ROWS; i++)
        g->offsets[i + 1] = g->offsets[i] + lengths[i % LENGTHS];
    g->columns = malloc((size_t)g->offsets[ROWS] * sizeof *g->columns);
    g->values = malloc((size_t)g->offsets[ROWS] * sizeof *g->values);
    for (int j = 0; j < COLS; j++)
        g->x[j] = j % 11 - 5;
    for (int i = 0; i < ROWS; i++) {
        g->before[i] = i % 5 - 2;
        g->expected[i] = 3 * g->before[i];
        fill_row(g, i, g->offsets[i], g->offsets[i + 1]);
    }
    g->view = zoo_csr(SPL_F64, ROWS, COLS, g->offsets, g->columns, g->values);
    return g;
}

static void free_graph(graph *g)
{
    free(g->columns);
    free(g->values);
    free(g);
}

static int64_t count_pieces(void)
{
    int64_t pieces = 0;
    for (int i = 0; i < ROWS; i++) {
        int length = lengths[i % LENGTHS];
        pieces += length > 32 ? (length + PIECE - 1) / PIECE : 0;
    }
    return pieces;
}

static void expect_product_of(spl_plan *plan, graph *g)
{
    const double alpha = 2, beta = 3;
    memcpy(g->y, g->before, sizeof g->y);
    EXPECT_OK(spl_spmv_execute(plan, &alpha, g->x, &beta, g->y, NULL));
    for (int i = 0; i < ROWS; i++)
        EXPECT(g->y[i] == g->expected[i]);
}

static spl_plan *plan_of(const on_device *s, const graph *g)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = "spmv/compute/gpu/frequent_columns";
    options.processors = 2; /* the device */
    EXPECT_OK(spl_spmv_plan(s->context, &g->view, &options, &plan));
    return plan;
}

static bool explains(const spl_plan *plan, const char *words)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    return strstr(text, words) != NULL;
}

/* Repeated executions: none affects the next one. */
static void rows_of_all_lengths_are_added_up(void **state)
{
    on_device s = on_device_start(*state);
    graph *g = make_graph();
    char words[64];
    testing_case("%s, %d entries", (const char *)*state, (int)g->view.nnz);
    spl_plan *plan = plan_of(&s, g);
    snprintf(words, sizeof words, "in pieces %d, ordered by columns", (int)count_pieces());
    EXPECT(explains(plan, words));
    for (int n = 0; n < 3; n++)
        expect_product_of(plan, g);
    spl_plan_destroy(plan);
    free_graph(g);
    on_device_stop(&s);
}

/* Fewer columns than there is room for: all of them are frequent, and lengths of rows are even. */
static void small_matrices_have_room(void **state)
{
    static const int32_t offsets[] = {0, 2, 4, 6}, columns[] = {0, 2, 1, 2, 0, 1};
    static const double values[] = {1, 2, 3, 4, 5, 6}, x[] = {10, 100, 1000},
                        expected[] = {2010, 4300, 650};
    on_device s = on_device_start(*state);
    graph *g = calloc(1, sizeof *g);
    double y[3] = {NAN, NAN, NAN};
    g->view = zoo_csr(SPL_F64, 3, 3, offsets, columns, values);
    testing_case("%s", (const char *)*state);
    spl_plan *plan = plan_of(&s, g);
    EXPECT(explains(plan, "x of the 3 most frequent columns"));
    EXPECT_OK(spl_spmv_execute(plan, NULL, x, NULL, y, NULL));
    for (int i = 0; i < 3; i++)
        EXPECT(y[i] == expected[i]);
    spl_plan_destroy(plan);
    free(g);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(rows_of_all_lengths_are_added_up),
        ON_BOTH_WIDTHS(small_matrices_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
