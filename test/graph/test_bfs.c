/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_create and spl_graph_bfs against a table of all pairs, on fresh graphs. */
#include "graph/gpu/device_graph.h"
#include "lib/drawn_graph.h"

#include <stdlib.h>
#include <string.h>

/* Level by level over all pairs. */
static void plain_bfs(const drawn_graph *g, int64_t source, int32_t *levels, int32_t *parents)
{
    for (int64_t v = 0; v < g->n; v++)
        levels[v] = parents[v] = -1;
    levels[source] = 0;
    parents[source] = (int32_t)source;
    for (int32_t level = 0; level < g->n; level++)
        for (int32_t u = 0; u < g->n; u++)
            for (int64_t v = 0; levels[u] == level && v < g->n; v++)
                if (g->edge[u][v] && levels[v] < 0) {
                    levels[v] = level + 1;
                    parents[v] = u;
                }
}

static void expect_bfs(drawn_graph *g, int64_t source, const int32_t *levels,
                       const int32_t *parents)
{
    const size_t bytes = (size_t)g->n * sizeof(int32_t);
    int32_t l[DRAWN_MOST], p[DRAWN_MOST];
    for (int k = 0; k < DRAWN_TEAMS; k++) {
        memset(l, 7, sizeof l);
        memset(p, 7, sizeof p);
        EXPECT_OK(spl_graph_bfs(g->graphs[k], source, l, p));
        EXPECT(!memcmp(l, levels, bytes) && !memcmp(p, parents, bytes));
        memset(l, 7, sizeof l);
        memset(p, 7, sizeof p);
        EXPECT_OK(spl_graph_bfs(g->graphs[k], source, l, NULL));
        EXPECT_OK(spl_graph_bfs(g->graphs[k], source, NULL, p));
        EXPECT(!memcmp(l, levels, bytes) && !memcmp(p, parents, bytes));
    }
}

static void compare(drawn_graph *g)
{
    int32_t levels[DRAWN_MOST], parents[DRAWN_MOST];
    const uint64_t few = spl__device_graph_few;
    for (int k = 0; k < 4 && g->n > 0; k++) {
        const int64_t source = drawn_below(g->n);
        plain_bfs(g, source, levels, parents);
        spl__device_graph_few = k == 0 ? few : (uint64_t)drawn_below(k * 4);
        for (int team = 0; k == 2 && team < DRAWN_TEAMS; team++)
            spl__graph_need_undirected(g->graphs[team]); /* now the direction is known */
        expect_bfs(g, source, levels, parents);
    }
    spl__device_graph_few = few;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_bfs(g->graphs[0], g->n, levels, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_bfs(g->graphs[0], -1, levels, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_bfs(g->graphs[0], 0, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_bfs(NULL, 0, levels, NULL));
}

static void fresh_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_ANY, compare);
}

/* What a graph knows of itself, and the edge that it names. */
static void know(drawn_graph *g)
{
    bool undirected = true;
    int64_t edges = 0;
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t j = 0; j < g->n; j++) {
            undirected &= g->edge[i][j] == g->edge[j][i];
            edges += g->edge[i][j];
        }
    for (int k = 0; k < DRAWN_TEAMS; k++) {
        spl_graph *made = g->graphs[k];
        EXPECT_STATUS(undirected ? SPL_OK : SPL_INVALID_ARGUMENT, spl__graph_need_undirected(made));
        EXPECT(made->vertices == g->n && made->edges == edges && made->undirected == undirected);
        if (!undirected)
            EXPECT(g->edge[made->from][made->to] && !g->edge[made->to][made->from]);
        for (int32_t v = 0; v < made->vertices; v++)
            for (int64_t p = made->out.begin[v]; p < made->out.begin[v + 1]; p++)
                EXPECT(spl__value_at(made->weights, made->weight_type, p) ==
                       g->weight[v][made->out.to[p]]);
    }
}

static void made_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_ANY, know);
}

/* The same without values, in every form. */
static void patterns(drawn_graph *g)
{
    spl_sparse view = g->matrix.view;
    spl_graph *graph;
    view.values = NULL;
    EXPECT_OK(spl_graph_create(g->contexts[1], &view, &graph));
    EXPECT(graph->edges == g->graphs[1]->edges && !graph->weights);
    EXPECT(graph->edges == 0 ||
           !memcmp(graph->out.to, g->graphs[1]->out.to, (size_t)graph->edges * sizeof(int32_t)));
    spl_graph_destroy(graph);
}

static void made_patterns(void **state)
{
    (void)state;
    drawn_graphs_each(60, DRAWN_ANY, patterns);
}

static void wrong_graphs(void **state)
{
    const zoo_maker wide = {"wide", zoo_dense, {2, 3}, false};
    const int32_t offsets[] = {0, 1, 2}, columns[] = {1, 2};
    spl_context *context = testing_context(1);
    spl_sparse broken = SPL_SPARSE_INIT;
    spl_graph *graph = NULL;
    zoo_matrix m;
    (void)state;
    zoo_matrix_make(&m, &wide, zoo_form_number(0), 1);
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_graph_create(context, &m.view, &graph));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_create(NULL, &m.view, &graph));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_create(context, NULL, &graph));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_create(context, &m.view, NULL));
    broken.format = SPL_CSR;
    broken.type = SPL_F64;
    broken.offset_type = broken.index_type = SPL_I32;
    broken.place.kind = SPL_HOST;
    broken.rows = broken.cols = broken.nnz = 2;
    broken.offsets = offsets;
    broken.indices = columns;
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_graph_create(context, &broken, &graph));
    EXPECT(strstr(spl_error_detail(), "edges: row 1") && !graph);
    spl_graph_destroy(NULL);
    zoo_matrix_free(&m);
    spl_context_destroy(context);
}

/* A hub with edges to all, and a ring: the level of all others has most of the edges. Only the
 * second search makes the transpose that upwards needs, for the same levels. */
static void first_search(void **state)
{
    enum { N = 64 };
    int32_t offsets[N + 1], columns[2 * N], levels[2][N], edges = 0;
    spl_context *context;
    spl_sparse view;
    const int64_t before = spl__graph_serial_work;
    spl_graph *graph;
    (void)state;
    if (testing_device())
        skip();
    context = testing_context(1);
    for (int32_t v = 0; v < N; v++) {
        offsets[v] = edges;
        for (int32_t to = v + 1; to < (v == 0 ? N : v + 2); to++)
            columns[edges++] = to % N;
    }
    offsets[N] = edges;
    view = drawn_pattern(N, offsets, columns);
    EXPECT_OK(spl_graph_create(context, &view, &graph));
    EXPECT_OK(spl_graph_bfs(graph, 0, levels[0], NULL));
    EXPECT_OK(spl_graph_bfs(graph, 0, levels[0], NULL));
    EXPECT(!graph->in.begin); /* none at all if it is small */
    spl_graph_destroy(graph);
    spl__graph_serial_work = N;
    EXPECT_OK(spl_graph_create(context, &view, &graph));
    EXPECT_OK(spl_graph_bfs(graph, 0, levels[0], NULL));
    EXPECT(!graph->in.begin);
    EXPECT_OK(spl_graph_bfs(graph, 0, levels[1], NULL));
    EXPECT(graph->in.begin && memcmp(levels[0], levels[1], sizeof levels[0]) == 0);
    spl__graph_serial_work = before;
    spl_graph_destroy(graph);
    spl_context_destroy(context);
}

/* From a hub to all: as many edges as a device shares out. */
static void hub(void **state)
{
    enum { N = 1000 };
    int32_t offsets[N + 1], columns[N], levels[N], parents[N];
    const uint64_t few = spl__device_graph_few;
    spl_context *context = testing_context(2);
    spl_sparse view;
    spl_graph *graph;
    (void)state;
    for (int32_t v = 0; v < N; v++) {
        offsets[v] = v > 3 ? N : 0;
        columns[v] = v; /* of vertex 3 */
    }
    offsets[N] = N;
    view = drawn_pattern(N, offsets, columns);
    EXPECT_OK(spl_graph_create(context, &view, &graph));
    for (int round = 0; round < 2; round++) {
        spl__device_graph_few = round == 0 ? few : 0;
        EXPECT_OK(spl_graph_bfs(graph, 3, levels, parents));
        for (int32_t v = 0; v < N; v++)
            EXPECT(levels[v] == (v != 3) && parents[v] == 3);
    }
    spl__device_graph_few = few;
    spl_graph_destroy(graph);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_graphs),  cmocka_unit_test(made_graphs),
        cmocka_unit_test(made_patterns), cmocka_unit_test(wrong_graphs),
        cmocka_unit_test(first_search),  cmocka_unit_test(hub)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
