/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_pagerank against its formula over a table of all pairs. */
#include "lib/drawn_graph.h"

#include <math.h>
#include <string.h>

static const double DAMPING = 0.85;

/* One step of the formula. */
static void plain_step(const drawn_graph *g, const double *old, double *rank)
{
    double dangling = 0;
    int64_t out[DRAWN_MOST] = {0};
    for (int64_t u = 0; u < g->n; u++) {
        for (int64_t v = 0; v < g->n; v++)
            out[u] += g->edge[u][v];
        dangling += out[u] ? 0 : old[u];
    }
    for (int64_t v = 0; v < g->n; v++) {
        double sum = dangling / (double)g->n;
        for (int64_t u = 0; u < g->n; u++)
            sum += g->edge[u][v] ? old[u] / (double)out[u] : 0;
        rank[v] = (1 - DAMPING) / (double)g->n + DAMPING * sum;
    }
}

static double distance(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t v = 0; v < n; v++)
        sum += fabs(a[v] - b[v]);
    return sum;
}

/* Steps one by one: each is the formula's of the last. */
static void expect_steps(drawn_graph *g)
{
    double ranks[DRAWN_MOST], old[DRAWN_MOST], expected[DRAWN_MOST];
    int32_t steps = -1;
    EXPECT_OK(spl_graph_pagerank(g->graphs[1], DAMPING, 0, 0, ranks, &steps));
    for (int64_t v = 0; v < g->n; v++)
        EXPECT(ranks[v] == 1.0 / (double)g->n && steps == 0);
    for (int32_t k = 1; k < 5 && g->n > 0; k++) {
        memcpy(old, ranks, sizeof old);
        EXPECT_OK(spl_graph_pagerank(g->graphs[1], DAMPING, 0, k, ranks, &steps));
        plain_step(g, old, expected);
        EXPECT(steps <= k && distance(g->n, ranks, expected) < 1e-14);
    }
}

/* The step that ends it is the first whose change is small enough. */
static void expect_end(drawn_graph *g)
{
    double ranks[DRAWN_TEAMS][DRAWN_MOST], next[DRAWN_MOST], before[DRAWN_MOST];
    int32_t steps[DRAWN_TEAMS], one;
    for (int k = 0; k < DRAWN_TEAMS; k++) {
        EXPECT_OK(spl_graph_pagerank(g->graphs[k], DAMPING, 1e-9, 1000, ranks[k], &steps[k]));
        EXPECT(steps[k] == steps[0] &&
               !memcmp(ranks[k], ranks[0], (size_t)g->n * sizeof ranks[0][0]));
    }
    if (g->n == 0)
        return;
    double sum = 0;
    for (int64_t v = 0; v < g->n; v++)
        sum += ranks[0][v];
    plain_step(g, ranks[0], next);
    EXPECT(fabs(sum - 1) < 1e-12 && distance(g->n, ranks[0], next) <= 1e-9);
    EXPECT(steps[0] > 0 && steps[0] < 1000);
    EXPECT_OK(spl_graph_pagerank(g->graphs[0], DAMPING, 0, steps[0] - 1, before, &one));
    plain_step(g, before, next);
    if (steps[0] > 1) {
        double older[DRAWN_MOST];
        EXPECT_OK(spl_graph_pagerank(g->graphs[0], DAMPING, 0, steps[0] - 2, older, &one));
        EXPECT(distance(g->n, before, older) > 1e-9);
    }
}

/* With a large tolerance vertices give f32: ranks differ by their rounding, no more. */
static void expect_narrow(drawn_graph *g)
{
    const double bound = 0x1p-23 * DAMPING / (1 - DAMPING);
    double ranks[DRAWN_MOST], wide[DRAWN_MOST], other[DRAWN_MOST];
    int32_t steps, same;
    for (double tolerance = 1e-5; tolerance < 2; tolerance *= 1000) {
        EXPECT_OK(spl_graph_pagerank(g->graphs[0], DAMPING, tolerance, 1000, ranks, &steps));
        EXPECT_OK(spl_graph_pagerank(g->graphs[2], DAMPING, tolerance, 1000, other, &same));
        EXPECT(same == steps && !memcmp(ranks, other, (size_t)g->n * sizeof *ranks));
        EXPECT_OK(spl_graph_pagerank(g->graphs[0], DAMPING, 0, steps, wide, &same));
        for (int64_t v = 0; v < g->n && same == steps; v++)
            EXPECT(fabs(ranks[v] - wide[v]) <= bound * wide[v]);
        plain_step(g, ranks, wide);
        EXPECT(distance(g->n, ranks, wide) <= tolerance);
    }
}

static void compare(drawn_graph *g)
{
    double ranks[DRAWN_MOST];
    int32_t steps;
    expect_steps(g);
    expect_end(g);
    expect_narrow(g);
    spl_graph *graph = g->graphs[0];
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_pagerank(graph, 1, 0, 1, ranks, &steps));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_pagerank(graph, -.1, 0, 1, ranks, &steps));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_pagerank(graph, NAN, 0, 1, ranks, &steps));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_pagerank(graph, .5, NAN, 1, ranks, &steps));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_pagerank(graph, .5, 0, -1, ranks, &steps));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_pagerank(graph, .5, 0, 1, NULL, &steps));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_pagerank(graph, .5, 0, 1, ranks, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_pagerank(NULL, .5, 0, 1, ranks, &steps));
}

static void fresh_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_ANY, compare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
