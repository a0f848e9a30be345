/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_triangles against three loops over the vertices, on fresh graphs in every form. */
#include "lib/hook_allocator.h"
#include "lib/testing.h"
#include "sparloom/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 60 };

static zoo_random draws;

static int64_t below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

/* An undirected graph with loops, repeated edges and isolated vertices, sparse or dense. */
static void draw_graph(zoo_triples *t, bool edges[MOST][MOST])
{
    int64_t n = below(8) ? 1 + below(MOST) : 0, wanted = n > 0 ? below(n * (1 + below(n))) : 0;
    zoo_triples_start(t, n, n);
    memset(edges, 0, sizeof(bool) * MOST * MOST);
    for (int64_t e = 0; e < wanted; e++) {
        int64_t i = below(n), j = below(n);
        edges[i][j] = edges[j][i] = true;
        zoo_triples_add(t, i, j, zoo_random_unit(&draws));
        zoo_triples_add(t, j, i, 0);
    }
    zoo_triples_shuffle(t, zoo_random_next(&draws));
}

static int64_t count(int64_t n, bool edges[MOST][MOST])
{
    int64_t triangles = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            for (int64_t k = 0; k < j; k++)
                triangles += edges[i][j] && edges[j][k] && edges[i][k];
    return triangles;
}

static void fresh_graphs(void **state)
{
    uint64_t seed = testing_fresh_seed();
    spl_context *context = testing_context(3);
    int64_t most = 0;
    (void)state;
    zoo_random_seed(&draws, seed);
    for (int number = 0; number < 300 / testing_scale() + 5; number++) {
        bool edges[MOST][MOST];
        zoo_triples t;
        zoo_matrix graph;
        int64_t triangles = -1;
        draw_graph(&t, edges);
        zoo_build(&graph, &t, zoo_form_number(number % ZOO_FORMS));
        testing_case("seed %llu, number %d, %lld vertices", (unsigned long long)seed, number,
                     (long long)t.rows);
        EXPECT_OK(spl_graph_triangles(context, &graph.view, &triangles));
        EXPECT(triangles == count(t.rows, edges));
        most = triangles > most ? triangles : most;
        zoo_triples_free(&t);
        zoo_matrix_free(&graph);
    }
    EXPECT(most > 1000 || testing_scale() > 1); /* a few graphs may all be small */
    spl_context_destroy(context);
}

/* One edge without its opposite is named, in whatever direction. */
static void directed_graphs(void **state)
{
    spl_context *context = testing_context(2);
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    for (int number = 0; number < 60; number++) {
        bool edges[MOST][MOST];
        char expected[80];
        zoo_triples t;
        zoo_matrix graph;
        int64_t triangles = -1, i, j;
        draw_graph(&t, edges);
        do
            i = t.rows > 1 ? below(t.rows) : 0, j = t.rows > 1 ? below(t.rows) : 0;
        while (t.rows > 1 && i == j);
        if (t.rows > 1 && !edges[i][j]) {
            zoo_triples_add(&t, i, j, 1);
            zoo_build(&graph, &t, zoo_form_number(number % ZOO_FORMS));
            testing_case("%lld to %lld", (long long)i, (long long)j);
            snprintf(expected, sizeof expected, "an edge from %lld to %lld,", (long long)i,
                     (long long)j);
            EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                          spl_graph_triangles(context, &graph.view, &triangles));
            EXPECT(strstr(spl_error_detail(), expected) && triangles == -1);
            zoo_matrix_free(&graph);
        }
        zoo_triples_free(&t);
    }
    spl_context_destroy(context);
}

/* A hub and a ring around it: the square has 9e8 entries, a triangle stands on each edge of the
 * ring. Triangles of edges, by the product under the mask, and their number need 8 MB. */
static void memory_follows_the_edges(void **state)
{
    enum { N = 30000, BUDGET = 8000000 };
    spl_context_options limited = SPL_CONTEXT_OPTIONS_INIT;
    spl_options options = SPL_OPTIONS_INIT;
    spl_sparse view, counts = SPL_SPARSE_INIT;
    spl_context *context;
    spl_matrix *c;
    zoo_triples t;
    zoo_matrix m;
    int64_t triangles = 0;
    double sum = 0;
    (void)state;
    zoo_triples_start(&t, N + 1, N + 1);
    for (int64_t v = 0; v < N; v++)
        for (int side = 0; side < 2; side++) {
            const int64_t w = side ? N : (v + 1) % N;
            zoo_triples_add(&t, v, w, 1);
            zoo_triples_add(&t, w, v, 1);
        }
    zoo_build(&m, &t, zoo_form_number(0));
    limited.memory_budget = BUDGET;
    EXPECT_OK(spl_context_create(&limited, &context));
    EXPECT_OK(spl_graph_triangles(context, &m.view, &triangles));
    EXPECT(triangles == N);
    view = m.view;
    view.type = SPL_INT32;
    view.values = NULL;
    options.semiring = SPL_PLUS_PAIR;
    EXPECT_STATUS(SPL_OVER_BUDGET,
                  spl_spgemm(context, NULL, &view, &view, NULL, NULL, &options, &c));
    options.mask = &view;
    EXPECT_OK(spl_spgemm(context, NULL, &view, &view, NULL, NULL, &options, &c));
    EXPECT_OK(spl_matrix_view(c, &counts));
    for (int64_t p = 0; p < counts.nnz; p++)
        sum += ((const int32_t *)counts.values)[p];
    EXPECT(sum == 6.0 * N);
    spl_matrix_destroy(c);
    zoo_matrix_free(&m);
    zoo_triples_free(&t);
    spl_context_destroy(context);
}

/* A graph of short rows in order, which is counted where it is: several blocks of rows, and enough
 * edges for several threads. */
enum { SHORT_N = 2100, SHORT_EDGES = 16 * SHORT_N, HUBS = 3 };

typedef struct short_graph {
    bool edge[SHORT_N][SHORT_N];
    int32_t offsets[SHORT_N + 1], columns[SHORT_EDGES];
    int64_t wide[SHORT_N + 1];
} short_graph;

static spl_sparse short_view(short_graph *g, bool wide)
{
    spl_sparse view = SPL_SPARSE_INIT;
    int32_t at = 0;
    for (int u = 0; u < SHORT_N; u++) {
        for (int v = 0; v < SHORT_N; v++)
            if (g->edge[u][v])
                g->columns[at++] = v;
        g->wide[u + 1] = g->offsets[u + 1] = at;
    }
    view.format = SPL_CSR, view.type = SPL_F64, view.index_type = SPL_I32;
    view.offset_type = wide ? SPL_I64 : SPL_I32;
    view.rows = view.cols = SHORT_N, view.nnz = at;
    view.offsets = wide ? (const void *)g->wide : g->offsets;
    view.indices = g->columns;
    return view;
}

/* A few vertices may have many edges, and some be neighbours all with all. */
static int64_t draw_short(short_graph *g, bool hubs)
{
    enum { OF_HUBS = 600, CLIQUE = 40 };
    int64_t triangles = 0;
    memset(g, 0, sizeof *g);
    for (int e = 0; e < 7 * SHORT_N; e++) { /* most of them near, so that there are triangles */
        const int64_t u = hubs && e < OF_HUBS ? e % HUBS * (SHORT_N / HUBS) : below(SHORT_N),
                      v = below(5) && u % (SHORT_N / HUBS) ? (u + below(9)) % SHORT_N
                                                           : below(SHORT_N);
        g->edge[u][v] = g->edge[v][u] = true;
    }
    for (int u = 0; hubs && u < CLIQUE; u++)
        for (int v = 0; v < CLIQUE; v++)
            g->edge[SHORT_N / 2 + u][SHORT_N / 2 + v] = true;
    for (int u = 0; u < SHORT_N; u++)
        for (int v = 0; v < u; v++)
            for (int w = 0; g->edge[u][v] && w < v; w++)
                triangles += g->edge[u][w] && g->edge[v][w];
    return triangles;
}

/* Takes away one direction of an edge in row u, of some u, up or down. */
static void take_one(short_graph *g, bool up, int64_t *from, int64_t *to)
{
    do
        *from = below(SHORT_N), *to = below(SHORT_N);
    while (!g->edge[*from][*to] || (up ? *to <= *from : *to >= *from));
    g->edge[*from][*to] = false;
}

/* An edge up from some vertex leads to another vertex than before: as many as there were. */
static void move_one(short_graph *g)
{
    int64_t from, to, other;
    take_one(g, true, &from, &to);
    do
        other = from + 1 + below(SHORT_N - from - 1);
    while (other == to || g->edge[from][other]);
    g->edge[from][other] = true;
}

static void expect_directed(spl_context *context, short_graph *g, bool wide)
{
    int64_t found = -1;
    const spl_sparse view = short_view(g, wide);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_triangles(context, &view, &found));
    EXPECT(strstr(spl_error_detail(), "the graph is directed") && found == -1);
}

static void one_way_edges(void **state)
{
    spl_context *contexts[] = {testing_context(1), testing_context(3)};
    short_graph *g = zoo_allocate(2 * sizeof *g);
    int64_t from, to;
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    draw_short(g, true);
    for (int n = 0; n < 96; n++) { /* few edges lead from one range to another */
        g[1] = g[0];
        if (n % 4 < 2)
            take_one(g + 1, n % 2, &from, &to);
        else
            move_one(g + 1);
        expect_directed(contexts[n > 16], g + 1, n % 2);
    }
    free(g);
    spl_context_destroy(contexts[0]);
    spl_context_destroy(contexts[1]);
}

static void short_rows(void **state)
{
    spl_context *context = testing_context(3);
    short_graph *g = zoo_allocate(sizeof *g);
    int64_t found = -1, from, to;
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    for (int n = 0; n < 4; n++) {
        const int64_t expected = draw_short(g, n > 1);
        spl_sparse view = short_view(g, n % 2);
        EXPECT_OK(spl_graph_triangles(context, &view, &found));
        EXPECT(found == expected && expected > 100);
        int32_t *const row = g->columns + g->offsets[7], kept = row[0];
        for (int wrong = 0; g->offsets[8] > g->offsets[7] && wrong < 2; wrong++) {
            row[0] = wrong ? -1 : SHORT_N;
            EXPECT_STATUS(SPL_INVALID_MATRIX, spl_graph_triangles(context, &view, &found));
        }
        row[0] = kept;
        take_one(g, n > 1, &from, &to);
        expect_directed(context, g, n % 2);
        take_one(g, n < 2, &from, &to); /* now as many lead up as down */
        expect_directed(context, g, n % 2);
    }
    free(g);
    spl_context_destroy(context);
}

/* Rows that go on with an earlier range after an entry of their own one. New memory holds nonsense:
 * a thread that took a cursor of another range would read far outside. */
static void rows_out_of_order(void **state)
{
    short_graph *g = zoo_allocate(sizeof *g);
    hook_allocator hook;
    spl_context *context;
    int64_t found = -1;
    (void)state;
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 3, 0, &context));
    zoo_random_seed(&draws, testing_fresh_seed());
    for (int n = 0; n < 4; n++) {
        const int64_t expected = draw_short(g, n > 1);
        const spl_sparse view = short_view(g, n % 2);
        for (int u = SHORT_N / 2; u < SHORT_N; u++) {
            int32_t *const row = g->columns + g->offsets[u];
            if (g->offsets[u + 1] - g->offsets[u] > 1) {
                const int32_t kept = row[0];
                row[0] = row[1];
                row[1] = kept;
            }
        }
        EXPECT_OK(spl_graph_triangles(context, &view, &found));
        EXPECT(found == expected);
    }
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    free(g);
}

/* There is room for cursors, not for edges between the ranges of several threads. */
static void little_memory(void **state)
{
    short_graph *g = zoo_allocate(sizeof *g);
    spl_context_options limited = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context;
    int64_t found = -1;
    (void)state;
    zoo_random_seed(&draws, testing_fresh_seed());
    const int64_t expected = draw_short(g, true);
    const spl_sparse view = short_view(g, false);
    limited.threads = 3;
    limited.memory_budget = 20000;
    EXPECT_OK(spl_context_create(&limited, &context));
    EXPECT_OK(spl_graph_triangles(context, &view, &found));
    EXPECT(found == expected);
    free(g);
    spl_context_destroy(context);
}

static void wrong_calls(void **state)
{
    const zoo_maker wide = {"wide", zoo_dense, {2, 3}, false};
    spl_context *context = testing_context(1);
    zoo_matrix m;
    int64_t triangles = -1;
    (void)state;
    zoo_matrix_make(&m, &wide, zoo_form_number(0), 1);
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_graph_triangles(context, &m.view, &triangles));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_triangles(NULL, &m.view, &triangles));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_triangles(context, NULL, &triangles));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_triangles(context, &m.view, NULL));
    EXPECT(triangles == -1);
    zoo_matrix_free(&m);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_graphs),
                                       cmocka_unit_test(directed_graphs),
                                       cmocka_unit_test(memory_follows_the_edges),
                                       cmocka_unit_test(short_rows),
                                       cmocka_unit_test(one_way_edges),
                                       cmocka_unit_test(rows_out_of_order),
                                       cmocka_unit_test(little_memory),
                                       cmocka_unit_test(wrong_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
