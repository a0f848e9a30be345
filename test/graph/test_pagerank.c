/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_pagerank against its formula over a table of all pairs. */
#include "lib/drawn_graph.h"

#include <math.h>
#include <stdlib.h>
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

/* It ends with the first step whose change is small enough, or soon after. */
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
    for (int32_t back = 2; back < 5 && back <= steps[0]; back++) {
        EXPECT_OK(spl_graph_pagerank(g->graphs[0], DAMPING, 1e-300, steps[0] - back, before, &one));
        plain_step(g, before, next);
        if (distance(g->n, before, next) > 1e-9)
            break;
        EXPECT(back < 4);
    }
}

static bool symmetric(const drawn_graph *g)
{
    bool same = true;
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t v = 0; v < g->n; v++)
            same &= g->edge[u][v] == g->edge[v][u];
    return same;
}

/* With a large tolerance vertices give f32: ranks differ by their rounding, no more. In undirected
 * graphs steps go by the tolerance, so it is f64 with one that is hardly less. */
static void expect_narrow(drawn_graph *g)
{
    const double bound = 0x1p-23 / (1 - DAMPING);
    double ranks[DRAWN_MOST], wide[DRAWN_MOST], other[DRAWN_MOST];
    int32_t steps, same;
    for (double tolerance = 1e-5; tolerance < 2; tolerance *= 1000) {
        EXPECT_OK(spl_graph_pagerank(g->graphs[0], DAMPING, tolerance, 1000, ranks, &steps));
        EXPECT_OK(spl_graph_pagerank(g->graphs[2], DAMPING, tolerance, 1000, other, &same));
        EXPECT(same == steps && !memcmp(ranks, other, (size_t)g->n * sizeof *ranks));
        const bool by_tolerance = symmetric(g);
        EXPECT_OK(spl_graph_pagerank(g->graphs[0], DAMPING, by_tolerance ? nextafter(1e-5, 0) : 0,
                                     by_tolerance ? 1000 : steps, wide, &same));
        for (int64_t v = 0; v < g->n && same == steps && (!by_tolerance || tolerance == 1e-5); v++)
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

/* Vertex 0 has an edge to all others, and each of these to 0 and to its two neighbours on a ring: a
 * row longer than a block, and blocks of vertices that have few edges. */
enum { HUB = 40000, HUB_EDGES = 4 * HUB };

static void hub_step(const double *old, double *rank)
{
    double sum = 0;
    for (int v = 1; v < HUB; v++) {
        const int before = v == 1 ? HUB - 1 : v - 1, after = v == HUB - 1 ? 1 : v + 1;
        sum += old[v] / 3;
        rank[v] =
            (1 - DAMPING) / HUB + DAMPING * (old[before] / 3 + old[after] / 3 + old[0] / (HUB - 1));
    }
    rank[0] = (1 - DAMPING) / HUB + DAMPING * sum;
}

static void add_row(int64_t *offsets, int32_t *columns, int v)
{
    int64_t at = offsets[v];
    if (v == 0)
        for (int u = 1; u < HUB; u++)
            columns[at++] = u;
    else {
        const int before = v == 1 ? HUB - 1 : v - 1, after = v == HUB - 1 ? 1 : v + 1;
        columns[at++] = 0;
        columns[at++] = before < after ? before : after;
        columns[at++] = before < after ? after : before;
    }
    offsets[v + 1] = at;
}

static void long_row(void **state)
{
    int64_t *offsets = zoo_allocate((HUB + 1) * sizeof *offsets);
    int32_t *columns = zoo_allocate(HUB_EDGES * sizeof *columns), steps;
    double *ranks = zoo_allocate(3 * HUB * sizeof *ranks), *old = ranks + HUB, *next = old + HUB;
    (void)state;
    offsets[0] = 0;
    for (int v = 0; v < HUB; v++)
        add_row(offsets, columns, v);
    for (int threads = 1; threads < 4; threads += 2) {
        spl_context *context = testing_context(threads);
        spl_sparse edges = SPL_SPARSE_INIT;
        spl_graph *graph;
        edges.format = SPL_CSR, edges.type = SPL_F64;
        edges.offset_type = SPL_I64, edges.index_type = SPL_I32;
        edges.rows = edges.cols = HUB, edges.nnz = offsets[HUB];
        edges.offsets = offsets, edges.indices = columns;
        EXPECT_OK(spl_graph_create(context, &edges, &graph));
        for (int v = 0; v < HUB; v++)
            next[v] = 1.0 / HUB;
        for (int32_t k = 0; k < 4; k++) {
            EXPECT_OK(spl_graph_pagerank(graph, DAMPING, 0, k, ranks, &steps));
            EXPECT(steps == k && distance(HUB, ranks, next) < 1e-11);
            memcpy(old, next, HUB * sizeof *old);
            hub_step(old, next);
        }
        spl_graph_destroy(graph);
        spl_context_destroy(context);
    }
    free(offsets);
    free(columns);
    free(ranks);
}

/* A path: in undirected graphs about half the steps of the formula do. */
enum { PATH = 500, PATH_EDGES = 2 * (PATH - 1) };

static double path_step(const double *old, double *rank)
{
    for (int v = 0; v < PATH; v++) {
        const double left = v > 0 ? old[v - 1] / (v > 1 ? 2 : 1) : 0,
                     right = v < PATH - 1 ? old[v + 1] / (v < PATH - 2 ? 2 : 1) : 0;
        rank[v] = (1 - DAMPING) / PATH + DAMPING * (left + right);
    }
    return distance(PATH, old, rank);
}

static void half_the_steps(void **state)
{
    int32_t offsets[PATH + 1] = {0}, columns[PATH_EDGES], steps, plain = 1;
    double ranks[PATH], old[PATH], next[PATH];
    spl_context *context = testing_context(2);
    spl_graph *graph;
    (void)state;
    for (int v = 0, at = 0; v < PATH; v++) {
        if (v > 0)
            columns[at++] = v - 1;
        if (v < PATH - 1)
            columns[at++] = v + 1;
        offsets[v + 1] = at;
    }
    const spl_sparse edges = drawn_pattern(PATH, offsets, columns);
    EXPECT_OK(spl_graph_create(context, &edges, &graph));
    for (int v = 0; v < PATH; v++)
        next[v] = 1.0 / PATH;
    do
        memcpy(old, next, sizeof old);
    while (path_step(old, next) > 1e-9 && ++plain < 1000);
    EXPECT_OK(spl_graph_pagerank(graph, DAMPING, 1e-9, 1000, ranks, &steps));
    EXPECT(distance(PATH, ranks, next) <= 1e-8);
    EXPECT(testing_device() ? steps == plain : steps > 4 && 3 * steps < 2 * plain);
    spl_graph_destroy(graph);
    spl_context_destroy(context);
}

static void fresh_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_ANY, compare);
}

/* Random edges: ranks in proportion to them are nearer than equal ones. */
enum { RANDOM_N = 400, RANDOM_EDGES = 12 };

static void fewer_first_steps(void **state)
{
    bool(*edge)[RANDOM_N] = zoo_allocate(sizeof(bool[RANDOM_N][RANDOM_N]));
    int32_t offsets[RANDOM_N + 1] = {0}, plain = 0, steps, of_step;
    int32_t *columns = zoo_allocate(2 * RANDOM_N * RANDOM_EDGES * sizeof *columns);
    double ranks[RANDOM_N], old[RANDOM_N], next[RANDOM_N];
    spl_context *context = testing_context(2);
    spl_graph *graph;
    zoo_random draws;
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    memset(edge, 0, sizeof(bool[RANDOM_N][RANDOM_N]));
    for (int64_t e = 0; e < RANDOM_N * RANDOM_EDGES; e++) {
        const int64_t u = zoo_random_below(&draws, RANDOM_N - 1),
                      v = zoo_random_below(&draws, RANDOM_N - 1); /* the last has none */
        edge[u][v] = edge[v][u] = true;
    }
    for (int u = 0; u < RANDOM_N; u++) {
        offsets[u + 1] = offsets[u];
        for (int v = 0; v < RANDOM_N; v++)
            if (edge[u][v])
                columns[offsets[u + 1]++] = v;
    }
    const spl_sparse edges = drawn_pattern(RANDOM_N, offsets, columns);
    EXPECT_OK(spl_graph_create(context, &edges, &graph));
    do {
        memcpy(old, next, sizeof old);
        EXPECT_OK(spl_graph_pagerank(graph, DAMPING, 0, plain++, next, &of_step));
    } while (plain < 2 || distance(RANDOM_N, old, next) > 1e-3);
    EXPECT_OK(spl_graph_pagerank(graph, DAMPING, 1e-3, 100, ranks, &steps));
    EXPECT(distance(RANDOM_N, ranks, next) < 2e-3);
    EXPECT(testing_device() ? steps > 0 : steps + 2 <= plain - 1);
    spl_graph_destroy(graph);
    spl_context_destroy(context);
    free(columns);
    free(edge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_graphs), cmocka_unit_test(long_row),
                                       cmocka_unit_test(half_the_steps),
                                       cmocka_unit_test(fewer_first_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
