/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_sssp against E. Dijkstra's algorithm over a table of all pairs. */
#include "graph/adjacency.h"
#include "lib/drawn_graph.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void plain_sssp(const drawn_graph *g, int64_t source, double *distance)
{
    bool done[DRAWN_MOST] = {false};
    for (int64_t v = 0; v < g->n; v++)
        distance[v] = v == source ? 0 : INFINITY;
    for (int64_t k = 0; k < g->n; k++) {
        int64_t u = -1;
        for (int64_t v = 0; v < g->n; v++)
            if (!done[v] && (u < 0 || distance[v] < distance[u]))
                u = v;
        done[u] = true;
        for (int64_t v = 0; v < g->n; v++)
            if (g->edge[u][v] && distance[u] + g->weight[u][v] < distance[v])
                distance[v] = distance[u] + g->weight[u][v];
    }
}

/* The vertex before each by the definition, with weights that are often 0. */
static void plain_tree(const drawn_graph *g, int64_t source, const double *distance,
                       int32_t *before)
{
    int level[DRAWN_MOST];
    for (int64_t v = 0; v < g->n; v++) {
        before[v] = v == source ? (int32_t)v : -1;
        for (int64_t u = g->n - 1; u >= 0 && v != source && !isinf(distance[v]); u--)
            if (g->edge[u][v] && distance[u] < distance[v] &&
                distance[u] + g->weight[u][v] == distance[v])
                before[v] = (int32_t)u;
        level[v] = before[v] < 0 ? -1 : 0;
    }
    for (int round = 1; round <= g->n; round++)
        for (int64_t v = 0; v < g->n; v++) {
            if (level[v] >= 0 || isinf(distance[v]))
                continue;
            for (int64_t u = g->n - 1; u >= 0; u--)
                if (level[u] == round - 1 && g->edge[u][v] && distance[u] == distance[v] &&
                    distance[u] + g->weight[u][v] == distance[v]) {
                    before[v] = (int32_t)u;
                    level[v] = round;
                }
        }
}

/* The graph's weights become small whole numbers, many of them 0. */
static void compare_trees(drawn_graph *g)
{
    double distances[DRAWN_MOST], found[DRAWN_MOST];
    int32_t expected[DRAWN_MOST], before[DRAWN_MOST];
    for (int64_t e = 0; e < g->triples.nnz; e++) {
        const int64_t u = g->triples.i[e], v = g->triples.j[e];
        g->triples.v[e] = g->weight[u][v] = (double)((u * 7 + v * 3) % 4 / 2);
    }
    zoo_matrix m;
    zoo_build(&m, &g->triples, zoo_form_number((int)drawn_below(ZOO_FORMS)));
    for (int team = 0; team < DRAWN_TEAMS && g->n > 0; team++) {
        const int64_t source = drawn_below(g->n);
        spl_graph *graph;
        EXPECT_OK(spl_graph_create(g->contexts[team], &m.view, &graph));
        plain_sssp(g, source, distances);
        plain_tree(g, source, distances, expected);
        EXPECT_OK(spl_graph_sssp_tree(graph, source, 0, found, before));
        EXPECT(!memcmp(found, distances, (size_t)g->n * sizeof *found));
        EXPECT(!memcmp(before, expected, (size_t)g->n * sizeof *before));
        EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_sssp_tree(graph, source, 0, found, NULL));
        spl_graph_destroy(graph);
    }
    zoo_matrix_free(&m);
}

static void trees(void **state)
{
    (void)state;
    drawn_graphs_each(40, DRAWN_ANY, compare_trees);
}

static void compare(drawn_graph *g)
{
    static const double deltas[] = {0, 1e-9, 3, INFINITY};
    double expected[DRAWN_MOST], found[DRAWN_MOST];
    for (int k = 0; k < 4 && g->n > 0; k++) {
        const int64_t source = drawn_below(g->n);
        plain_sssp(g, source, expected);
        for (int team = 0; team < DRAWN_TEAMS; team++) {
            memset(found, 7, sizeof found);
            EXPECT_OK(spl_graph_sssp(g->graphs[team], source, deltas[k], found));
            EXPECT(!memcmp(found, expected, (size_t)g->n * sizeof *found));
        }
    }
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_sssp(g->graphs[0], g->n, 0, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_sssp(g->graphs[0], 0, -1, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_sssp(g->graphs[0], 0, NAN, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_sssp(g->graphs[0], 0, 0, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_sssp(NULL, 0, 0, found));
}

static void fresh_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_ANY, compare);
}

/* As many sources at once as threads or columns of a device, or more, or fewer. */
static void compare_many(drawn_graph *g)
{
    enum { MOST = 20 };
    const int64_t count = g->n > 0 ? drawn_below(MOST) : 0;
    int64_t sources[MOST] = {0};
    double expected[MOST * DRAWN_MOST], found[MOST * DRAWN_MOST];
    for (int64_t k = 0; k < count; k++) {
        sources[k] = drawn_below(g->n);
        plain_sssp(g, sources[k], expected + k * g->n);
    }
    for (int team = 0; team < DRAWN_TEAMS; team++) {
        memset(found, 7, sizeof found);
        EXPECT_OK(spl_graph_multi_sssp(g->graphs[team], sources, count, 0, found));
        EXPECT(!memcmp(found, expected, (size_t)(count * g->n) * sizeof *found));
    }
    sources[0] = g->n;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_sssp(g->graphs[0], sources, 1, 0, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_sssp(g->graphs[0], sources, -1, 0, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_sssp(g->graphs[0], NULL, 0, 0, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_sssp(g->graphs[0], sources, 0, 0, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_sssp(g->graphs[0], sources, 0, -1, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_sssp(NULL, sources, 0, 0, found));
}

static void many_sources(void **state)
{
    (void)state;
    drawn_graphs_each(40, DRAWN_ANY, compare_many);
}

/* One weight is wrong: its edge is named. */
static void spoil(drawn_graph *g)
{
    static const double wrong[] = {-1, NAN, -INFINITY};
    char expected[80];
    double found[DRAWN_MOST];
    spl_graph *graph;
    zoo_matrix m;
    if (g->triples.nnz == 0)
        return;
    const int64_t e = drawn_below(g->triples.nnz);
    g->triples.v[e] = wrong[drawn_below(3)];
    zoo_build(&m, &g->triples, zoo_form_number((int)drawn_below(ZOO_FORMS)));
    snprintf(expected, sizeof expected, "the edge from %lld to %lld has",
             (long long)g->triples.i[e], (long long)g->triples.j[e]);
    EXPECT_OK(spl_graph_create(g->contexts[0], &m.view, &graph));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_sssp(graph, 0, 0, found));
    EXPECT(strstr(spl_error_detail(), expected));
    spl_graph_destroy(graph);
    m.view.values = NULL;
    EXPECT_OK(spl_graph_create(g->contexts[0], &m.view, &graph));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_sssp(graph, 0, 0, found));
    spl_graph_destroy(graph);
    zoo_matrix_free(&m);
}

static void wrong_weights(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_ANY, spoil);
}

/* A road: on a device the CPU takes over, with one source and with several. */
static void long_way(void **state)
{
    enum { N = 600, SOURCES = 2 };
    static double found[SOURCES * N];
    spl_context *context = testing_context(2);
    spl_graph *graph;
    zoo_triples t;
    zoo_matrix m;
    const int64_t sources[SOURCES] = {0, N / 2};
    (void)state;
    zoo_triples_start(&t, N, N);
    for (int64_t v = 0; v + 1 < N; v++)
        zoo_triples_add(&t, v, v + 1, 2);
    zoo_build(&m, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    EXPECT_OK(spl_graph_create(context, &m.view, &graph));
    EXPECT_OK(spl_graph_sssp(graph, 0, 0, found));
    for (int v = 0; v < N; v++)
        EXPECT(found[v] == 2 * v);
    memset(found, 7, sizeof found);
    EXPECT_OK(spl_graph_multi_sssp(graph, sources, SOURCES, 0, found));
    for (int v = 0; v < N; v++)
        EXPECT(found[v] == 2 * v && found[N + v] == (v < N / 2 ? INFINITY : 2 * (v - N / 2)));
    spl_graph_destroy(graph);
    zoo_matrix_free(&m);
    spl_context_destroy(context);
}

/* Each vertex of a row lowers the distances of all crowd members a little, far away: more entries
 * wait than there is room for. Then some are dropped, and must be found again. */
static void crowded_bins(void **state)
{
    enum { ROW = 60, CROWD = 600, N = ROW + 2 * CROWD };
    const uint64_t seed = testing_fresh_seed();
    const int64_t before = spl__graph_serial_work;
    const double first = 1000 + (double)(seed % 1000);
    double found[N];
    zoo_triples t;
    zoo_matrix m;
    (void)state;
    testing_case("seed %llu", (unsigned long long)seed);
    zoo_triples_start(&t, N, N);
    for (int64_t i = 0; i < ROW; i++) {
        if (i + 1 < ROW)
            zoo_triples_add(&t, i, i + 1, 1);
        for (int64_t k = 0; k < CROWD; k++)
            zoo_triples_add(&t, i, ROW + k, first - 2 * (double)i);
    }
    for (int64_t k = 0; k < CROWD; k++)
        zoo_triples_add(&t, ROW + k, ROW + CROWD + k, (double)k);
    zoo_build(&m, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    for (int threads = 1; threads <= 4; threads++) {
        spl_context *context = testing_context(threads);
        spl_graph *graph;
        spl__graph_serial_work = threads % 2 ? before : 0;
        EXPECT_OK(spl_graph_create(context, &m.view, &graph));
        memset(found, 7, sizeof found);
        EXPECT_OK(spl_graph_sssp(graph, 0, 2, found));
        for (int v = 0; v < N; v++) {
            const double crowd = first - (ROW - 1);
            EXPECT(found[v] == (v < ROW ? v : v < ROW + CROWD ? crowd : crowd + (v - ROW - CROWD)));
        }
        spl_graph_destroy(graph);
        spl_context_destroy(context);
    }
    spl__graph_serial_work = before;
    zoo_matrix_free(&m);
}

/* Distances of all magnitudes, beyond f32 too, in bins of any width. */
static void far_apart(void **state)
{
    enum { N = 60 };
    static const double deltas[] = {0, DBL_MIN / 4, 1e-30, 1, 1e30, DBL_MAX, INFINITY};
    const uint64_t seed = testing_fresh_seed();
    double expected[N], found[N];
    spl_context *context = testing_context(2);
    spl_graph *graph;
    zoo_triples t;
    zoo_matrix m;
    (void)state;
    testing_case("seed %llu", (unsigned long long)seed);
    zoo_triples_start(&t, N, N);
    expected[0] = 0;
    for (int64_t v = 0; v + 1 < N; v++) {
        const double weight = ldexp(1 + (double)(seed % 7), (int)(v * 36 - 1072));
        zoo_triples_add(&t, v, v + 1, weight);
        expected[v + 1] = expected[v] + weight;
    }
    zoo_build(&m, &t, zoo_form_number(0));
    zoo_triples_free(&t);
    EXPECT_OK(spl_graph_create(context, &m.view, &graph));
    for (int k = 0; k < 7; k++) {
        memset(found, 7, sizeof found);
        EXPECT_OK(spl_graph_sssp(graph, 0, deltas[k], found));
        EXPECT(!memcmp(found, expected, sizeof found));
    }
    spl_graph_destroy(graph);
    zoo_matrix_free(&m);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_graphs),  cmocka_unit_test(trees),
        cmocka_unit_test(crowded_bins),  cmocka_unit_test(far_apart),
        cmocka_unit_test(wrong_weights), cmocka_unit_test(many_sources),
        cmocka_unit_test(long_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
