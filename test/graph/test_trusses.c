/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_vertex_triangles and spl_graph_ktruss against loops over all pairs and triples. */
#include "lib/drawn_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool table[DRAWN_MOST][DRAWN_MOST];

static int64_t common(int64_t n, table edge, int64_t u, int64_t v)
{
    int64_t count = 0;
    for (int64_t w = 0; w < n; w++)
        count += w != u && w != v && edge[u][w] && edge[w][v];
    return count;
}

static void expect_triangles(drawn_graph *g)
{
    int64_t found[DRAWN_MOST];
    for (int team = 0; team < DRAWN_TEAMS; team++) {
        EXPECT_OK(spl_graph_vertex_triangles(g->graphs[team], found));
        for (int64_t u = 0; u < g->n; u++) {
            int64_t twice = 0;
            for (int64_t v = 0; v < g->n; v++)
                twice += u != v && g->edge[u][v] ? common(g->n, g->edge, u, v) : 0;
            EXPECT(2 * found[u] == twice);
        }
    }
}

/* Takes edges away one by one. */
static void plain_truss(const drawn_graph *g, int64_t k, table edge)
{
    bool dropped = true;
    memcpy(edge, g->edge, sizeof(table));
    while (dropped) {
        dropped = false;
        for (int64_t u = 0; u < g->n; u++)
            for (int64_t v = 0; v < g->n; v++)
                if (edge[u][v] && (u == v || common(g->n, edge, u, v) < k - 2)) {
                    edge[u][v] = edge[v][u] = false;
                    dropped = true;
                }
    }
}

static void expect_truss(drawn_graph *g, int team, int64_t k, table edge)
{
    spl_matrix *truss;
    spl_sparse view = SPL_SPARSE_INIT;
    zoo_triples t;
    int64_t expected = 0;
    EXPECT_OK(spl_graph_ktruss(g->graphs[team], k, &truss));
    EXPECT_OK(spl_matrix_view(truss, &view));
    zoo_triples_of_view(&t, &view);
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t v = 0; v < g->n; v++)
            expected += edge[u][v];
    EXPECT(t.nnz == expected);
    for (int64_t e = 0; e < t.nnz; e++)
        EXPECT(edge[t.i[e]][t.j[e]] && t.v[e] == (double)common(g->n, edge, t.i[e], t.j[e]));
    zoo_triples_free(&t);
    spl_matrix_destroy(truss);
}

static void compare(drawn_graph *g)
{
    table *edge = malloc(sizeof *edge);
    spl_matrix *truss;
    expect_triangles(g);
    for (int64_t k = 3; k < 6; k++) {
        plain_truss(g, k, *edge);
        for (int team = 0; team < DRAWN_TEAMS; team++)
            expect_truss(g, team, k, *edge);
    }
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_ktruss(g->graphs[0], 2, &truss));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_ktruss(g->graphs[0], 3, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_ktruss(NULL, 3, &truss));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_vertex_triangles(NULL, (int64_t[1]){0}));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_vertex_triangles(g->graphs[0], NULL));
    free(edge);
}

static void fresh_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(60, DRAWN_UNDIRECTED, compare);
}

/* Directed graphs are refused: an edge without its opposite is named. */
static void refuse(drawn_graph *g)
{
    int64_t found[DRAWN_MOST];
    spl_matrix *truss = NULL;
    long long from, to;
    bool undirected = true;
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t v = 0; v < g->n; v++)
            undirected &= g->edge[u][v] == g->edge[v][u];
    if (undirected)
        return;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_vertex_triangles(g->graphs[1], found));
    EXPECT(sscanf(spl_error_detail(), "the graph is directed: there is an edge from %lld to %lld",
                  &from, &to) == 2);
    EXPECT(g->edge[from][to] && !g->edge[to][from]);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_ktruss(g->graphs[1], 3, &truss));
    EXPECT(!truss);
}

static void directed_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(60, DRAWN_ANY, refuse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_graphs),
                                       cmocka_unit_test(directed_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
