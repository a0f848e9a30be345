/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_betweenness against its definition: of all pairs, the part of the shortest paths that
 * pass a vertex. */
#include "lib/drawn_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FAR = 1000 };

typedef struct pairs {
    int64_t far[DRAWN_MOST][DRAWN_MOST];
    double paths[DRAWN_MOST][DRAWN_MOST];
} pairs;

/* Distances by R. Floyd and S. Warshall; paths by their last edge, the near ends first. */
static void fill(const drawn_graph *g, pairs *d)
{
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t v = 0; v < g->n; v++)
            d->far[u][v] = u == v ? 0 : g->edge[u][v] ? 1 : FAR;
    for (int64_t w = 0; w < g->n; w++)
        for (int64_t u = 0; u < g->n; u++)
            for (int64_t v = 0; v < g->n; v++)
                if (d->far[u][w] + d->far[w][v] < d->far[u][v])
                    d->far[u][v] = d->far[u][w] + d->far[w][v];
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t far = 0; far < g->n; far++)
            for (int64_t v = 0; v < g->n; v++) {
                if (d->far[u][v] != far)
                    continue;
                d->paths[u][v] = far == 0;
                for (int64_t w = 0; far > 0 && w < g->n; w++)
                    if (g->edge[w][v] && d->far[u][w] == far - 1)
                        d->paths[u][v] += d->paths[u][w];
            }
}

static double between(const drawn_graph *g, const pairs *d, int64_t s, int64_t v)
{
    double sum = 0;
    for (int64_t t = 0; t < g->n; t++)
        if (s != v && t != v && s != t && d->far[s][t] < FAR &&
            d->far[s][v] + d->far[v][t] == d->far[s][t])
            sum += d->paths[s][v] * d->paths[v][t] / d->paths[s][t];
    return sum;
}

static void expect(drawn_graph *g, const pairs *d, const int64_t *sources, int64_t count)
{
    double found[DRAWN_TEAMS][DRAWN_MOST];
    for (int k = 0; k < DRAWN_TEAMS; k++) {
        memset(found[k], 7, sizeof found[k]);
        EXPECT_OK(spl_graph_betweenness(g->graphs[k], sources, count, found[k]));
        EXPECT(!memcmp(found[k], found[0], (size_t)g->n * sizeof **found));
    }
    for (int64_t v = 0; v < g->n; v++) {
        double sum = 0;
        for (int64_t k = 0; k < (sources ? count : g->n); k++)
            sum += between(g, d, sources ? sources[k] : k, v);
        EXPECT(fabs(found[0][v] - sum) <= 1e-11 * (1 + sum));
    }
}

static void compare(drawn_graph *g)
{
    pairs *d = malloc(sizeof *d);
    int64_t sources[7], many[41];
    double found[DRAWN_MOST];
    fill(g, d);
    expect(g, d, NULL, 0);
    for (int k = 0; k < 7 && g->n > 0; k++)
        sources[k] = drawn_below(g->n);
    for (int k = 0; k < 41 && g->n > 0; k++)
        many[k] = drawn_below(g->n);
    if (g->n > 0) {
        expect(g, d, sources, 7);
        expect(g, d, many, 41); /* batches, the last one with a single source, some twice */
    }
    sources[0] = g->n;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_betweenness(g->graphs[0], sources, 1, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_betweenness(g->graphs[0], NULL, -1, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_betweenness(g->graphs[0], NULL, 0, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_betweenness(NULL, NULL, 0, found));
    free(d);
}

static void fresh_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(60, DRAWN_ANY, compare);
}

/* A chain of diamonds: each doubles the paths, beyond what f64 counts. */
enum { DIAMONDS = 1030, N = 3 * DIAMONDS + 1, MANY = 20 };

/* Paths from elsewhere can be counted; of a batch the source with too many is named. */
static void expect_more(spl_graph *graph, double *found)
{
    int64_t many[MANY];
    EXPECT_OK(spl_graph_betweenness(graph, (int64_t[]){300}, 1, found));
    for (int k = 0; k < MANY; k++) /* batches, since the middle one is near the end */
        many[k] = k == MANY / 2 ? N - 9 : k == MANY - 2 ? 0 : N - 20 - k;
    EXPECT_STATUS(SPL_INDEX_OVERFLOW, spl_graph_betweenness(graph, many, MANY, found));
    EXPECT(strstr(spl_error_detail(), "from 0 to 3072 "));
}

static void too_many_paths(void **state)
{
    spl_context *context = testing_context(2);
    double *found = malloc(N * sizeof *found);
    spl_graph *graph;
    zoo_triples t;
    zoo_matrix m;
    (void)state;
    zoo_triples_start(&t, N, N);
    for (int64_t k = 0; k < DIAMONDS; k++)
        for (int64_t side = 1; side <= 2; side++) {
            zoo_triples_add(&t, 3 * k, 3 * k + side, 1);
            zoo_triples_add(&t, 3 * k + side, 3 * k + 3, 1);
        }
    zoo_build(&m, &t, zoo_form_number(0));
    EXPECT_OK(spl_graph_create(context, &m.view, &graph));
    EXPECT_STATUS(SPL_INDEX_OVERFLOW, spl_graph_betweenness(graph, (int64_t[]){0}, 1, found));
    EXPECT(strstr(spl_error_detail(), "from 0 to 3072 "));
    if (!testing_device()) /* thousands of levels take an emulated one a while */
        expect_more(graph, found);
    spl_graph_destroy(graph);
    zoo_matrix_free(&m);
    zoo_triples_free(&t);
    free(found);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_graphs),
                                       cmocka_unit_test(too_many_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
