/* SPDX-License-Identifier: Apache-2.0 */
/* Sliced ELL on a device where its columns just fit a width and where they just do not, and rows in many pieces, in the emulator at both widths.
 * Values are small integers: sums are exact in any order. */
#include "lib/on_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, COLS = 200000, WIDTH = 5, LONG_ROW = 77, LONG = 5000 };

typedef struct example {
    int32_t offsets[ROWS + 1], columns[ROWS * WIDTH + LONG];
    double values[ROWS * WIDTH + LONG], x[COLS], y[ROWS], expected[ROWS];
    spl_sparse view;
} example;

/* Entry k of row i is in column 1000*k plus: i where spread is 0, else 0 or the spread by turns. Row LONG_ROW gets `extra` entries more. */
static example *make_example(int32_t spread, int extra)
{
    example *e = calloc(1, sizeof *e);
    int32_t p = 0;
    for (int j = 0; j < COLS; j++)
        e->x[j] = j % 11 - 5;
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < WIDTH + (i == LONG_ROW ? extra : 0); k++, p++) {
            e->columns[p] = 1000 * (k % 100) + k / 100 + (spread == 0 ? i : i % 2 * spread);
            e->values[p] = (i + k) % 7 - 3;
            e->expected[i] += e->values[p] * e->x[e->columns[p]];
        }
        e->offsets[i + 1] = p;
        e->y[i] = NAN;
    }
    e->view = (spl_sparse)SPL_SPARSE_INIT;
    e->view.format = SPL_CSR;
    e->view.type = SPL_F64;
    e->view.offset_type = e->view.index_type = SPL_I32;
    e->view.rows = ROWS;
    e->view.cols = COLS;
    e->view.nnz = p;
    e->view.offsets = e->offsets;
    e->view.indices = e->columns;
    e->view.values = e->values;
    return e;
}

/* The number before `words` in the plan's explanation. */
static double explained(const spl_plan *plan, const char *words)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    const char *at = strstr(text, words);
    EXPECT(at != NULL);
    while (at > text && at[-1] != ' ')
        at--;
    return at ? atof(at) : NAN;
}

static bool explains(const spl_plan *plan, const char *words)
{
    char text[16384];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    return strstr(text, words) != NULL;
}

static spl_plan *plan_of(const on_device *s, const spl_sparse *a)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = "spmv/compute/gpu/sliced_ell";
    options.processors = 2; /* the device */
    EXPECT_OK(spl_spmv_plan(s->context, a, &options, &plan));
    return plan;
}

static void expect_exact(spl_plan *plan, example *e)
{
    EXPECT_OK(spl_spmv_execute(plan, NULL, e->x, NULL, e->y, NULL));
    for (int i = 0; i < ROWS; i++)
        EXPECT(e->y[i] == e->expected[i]);
}

static void columns_take_the_bytes_they_need(void **state)
{
    static const struct {
        int32_t spread;
        double bytes;
    } cases[] = {{0, 0}, {254, 1}, {255, 2}, {65534, 2}, {65535, 4}};
    on_device s = on_device_start(*state);
    int32_t lanes = strncmp(*state, "emu64", 5) == 0 ? 64 : 32;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        testing_case("%s, columns of a line differ by %d", (const char *)*state, (int)cases[c].spread);
        example *e = make_example(cases[c].spread, 0);
        spl_plan *plan = plan_of(&s, &e->view);
        double bytes = explained(plan, " bytes of columns") - 4.0 / lanes; /* a base for each line */
        EXPECT(fabs(bytes - cases[c].bytes) < 0.01);
        expect_exact(plan, e);
        spl_plan_destroy(plan);
        free(e);
    }
    on_device_stop(&s);
}

/* The last piece to be done adds up all of them, and leaves everything as it was for the next execution. */
static void long_rows_are_joined_each_time(void **state)
{
    on_device s = on_device_start(*state);
    example *e = make_example(0, LONG - WIDTH);
    testing_case("%s, a row of %d entries", (const char *)*state, LONG);
    spl_plan *plan = plan_of(&s, &e->view);
    for (int n = 0; n < 3; n++)
        expect_exact(plan, e);
    spl_plan_destroy(plan);
    free(e);
    on_device_stop(&s);
}

/* ---- rows of uneven lengths, and so many entries that pieces come in the order of their columns ---- */

/* Lengths go round: none, the most that a slice takes, one more, a piece and one entry, some pieces, more than a lane adds up. */
enum { GRAPH_ROWS = 400, GRAPH_COLS = 50000 };
static const int graph_lengths[] = {0, 3, 32, 33, 128, 129, 700, 1024, 1025, 5000};
enum { GRAPH_LENGTHS = sizeof graph_lengths / sizeof graph_lengths[0] };

typedef struct graph {
    int32_t offsets[GRAPH_ROWS + 1], *columns;
    double *values, x[GRAPH_COLS], y[GRAPH_ROWS], before[GRAPH_ROWS], expected[GRAPH_ROWS];
    spl_sparse view;
} graph;

static void fill_row(graph *g, int row, int32_t begin, int32_t end)
{
    for (int32_t p = begin; p < end; p++) {
        g->columns[p] = (int32_t)((int64_t)(p - begin) * GRAPH_COLS / (end - begin) + (row * 7) % (GRAPH_COLS / 5000));
        g->values[p] = p % 7 - 3;
        g->expected[row] += 2 * g->values[p] * g->x[g->columns[p]];
    }
}

static graph *make_graph(void)
{
    graph *g = calloc(1, sizeof *g);
    for (int i = 0; i < GRAPH_ROWS; i++)
        g->offsets[i + 1] = g->offsets[i] + graph_lengths[i % GRAPH_LENGTHS];
    g->columns = malloc((size_t)g->offsets[GRAPH_ROWS] * sizeof *g->columns);
    g->values = malloc((size_t)g->offsets[GRAPH_ROWS] * sizeof *g->values);
    for (int j = 0; j < GRAPH_COLS; j++)
        g->x[j] = j % 11 - 5;
    for (int i = 0; i < GRAPH_ROWS; i++) {
        g->before[i] = i % 5 - 2;
        g->expected[i] = 3 * g->before[i];
        fill_row(g, i, g->offsets[i], g->offsets[i + 1]);
    }
    g->view = (spl_sparse)SPL_SPARSE_INIT;
    g->view.format = SPL_CSR;
    g->view.type = SPL_F64;
    g->view.offset_type = g->view.index_type = SPL_I32;
    g->view.rows = GRAPH_ROWS;
    g->view.cols = GRAPH_COLS;
    g->view.nnz = g->offsets[GRAPH_ROWS];
    g->view.offsets = g->offsets;
    g->view.indices = g->columns;
    g->view.values = g->values;
    return g;
}

static void free_graph(graph *g)
{
    free(g->columns);
    free(g->values);
    free(g);
}

static int64_t count_pieces(const graph *g)
{
    int64_t pieces = 0;
    for (int i = 0; i < GRAPH_ROWS; i++) {
        int length = graph_lengths[i % GRAPH_LENGTHS];
        pieces += length > 32 ? (length + 127) / 128 : 0;
    }
    return g->view.nnz > 0 ? pieces : 0;
}

static void expect_product_of(spl_plan *plan, graph *g)
{
    const double alpha = 2, beta = 3;
    memcpy(g->y, g->before, sizeof g->y);
    EXPECT_OK(spl_spmv_execute(plan, &alpha, g->x, &beta, g->y, NULL));
    for (int i = 0; i < GRAPH_ROWS; i++)
        EXPECT(g->y[i] == g->expected[i]);
}

static void pieces_in_the_order_of_columns_are_added_up(void **state)
{
    on_device s = on_device_start(*state);
    graph *g = make_graph();
    char words[64];
    testing_case("%s, %d entries", (const char *)*state, (int)g->view.nnz);
    spl_plan *plan = plan_of(&s, &g->view);
    snprintf(words, sizeof words, "in pieces %d,%03d, ordered by columns", (int)(count_pieces(g) / 1000),
             (int)(count_pieces(g) % 1000));
    EXPECT(explains(plan, words));
    for (int n = 0; n < 3; n++)
        expect_product_of(plan, g);
    spl_plan_destroy(plan);
    free_graph(g);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(columns_take_the_bytes_they_need),
        ON_BOTH_WIDTHS(long_rows_are_joined_each_time),
        ON_BOTH_WIDTHS(pieces_in_the_order_of_columns_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
