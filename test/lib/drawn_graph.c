/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/drawn_graph.h"

#include "graph/adjacency.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static zoo_random draws;

int64_t drawn_below(int64_t n)
{
    return zoo_random_below(&draws, n);
}

static void add_one(drawn_graph *g, int64_t i, int64_t j, double weight)
{
    zoo_triples_add(&g->triples, i, j, weight);
    if (!g->edge[i][j] || weight < g->weight[i][j])
        g->weight[i][j] = weight;
    g->edge[i][j] = true;
}

/* f32 holds the weights. */
static void add_edge(drawn_graph *g, int64_t i, int64_t j)
{
    double weight = (double)drawn_below(1000) / 64;
    add_one(g, i, j, weight);
    if (g->undirected)
        add_one(g, j, i, weight);
}

/* Edges in a window of vertices: components lie apart, and short windows make long ways. */
static void add_edges(drawn_graph *g)
{
    const int64_t n = g->n, width = 1 + drawn_below(n),
                  wanted = drawn_below(2 + n * drawn_below(6));
    for (int64_t e = 0; e < wanted; e++) {
        int64_t i = drawn_below(n), j = (i / width) * width + drawn_below(width);
        if (i % 7 != 3 && j < n && j % 7 != 3)
            add_edge(g, i, j);
    }
    for (int64_t i = 0; i + 1 < n && n % 3 == 0; i++)
        if (i % 29)
            add_edge(g, i, i + 1);
}

void drawn_graph_make(drawn_graph *g, uint64_t seed, int number, drawn_kind kind)
{
    memset(g, 0, sizeof *g);
    zoo_random_seed(&draws, seed + (uint64_t)number);
    g->n = number < 4 ? number / 2 : 1 + drawn_below(number % 4 ? 40 : DRAWN_MOST);
    g->undirected = kind == DRAWN_UNDIRECTED || drawn_below(2);
    zoo_triples_start(&g->triples, g->n, g->n);
    if (g->n > 0)
        add_edges(g);
    zoo_triples_shuffle(&g->triples, zoo_random_next(&draws));
    zoo_build(&g->matrix, &g->triples, zoo_form_number(number % ZOO_FORMS));
    for (int k = 0; k < DRAWN_TEAMS; k++) {
        g->contexts[k] = testing_context(k + 1);
        EXPECT_OK(spl_graph_create(g->contexts[k], &g->matrix.view, &g->graphs[k]));
    }
}

void drawn_graph_free(drawn_graph *g)
{
    for (int k = 0; k < DRAWN_TEAMS; k++) {
        spl_graph_destroy(g->graphs[k]);
        spl_context_destroy(g->contexts[k]);
    }
    zoo_triples_free(&g->triples);
    zoo_matrix_free(&g->matrix);
}

void drawn_graphs_each(int count, drawn_kind kind, void (*test)(drawn_graph *g))
{
    const uint64_t seed = testing_fresh_seed();
    const int64_t before = spl__graph_serial_work, few = spl__graph_few_edges;
    drawn_graph *g = malloc(sizeof *g);
    printf("SPARLOOM_RANDOM_SEED=%llu\n", (unsigned long long)seed);
    spl__graph_serial_work = 0;
    for (int number = 0; number < count / testing_scale() + 5; number++) {
        spl__graph_few_edges = number % 2 ? 0 : few; /* directions: at once, or when needed */
        drawn_graph_make(g, seed, number, kind);
        testing_case("seed %llu, number %d, %lld vertices", (unsigned long long)seed, number,
                     (long long)g->n);
        test(g);
        drawn_graph_free(g);
    }
    spl__graph_serial_work = before;
    spl__graph_few_edges = few;
    free(g);
}

spl_sparse drawn_pattern(int64_t n, const int32_t *offsets, const int32_t *columns)
{
    spl_sparse view = SPL_SPARSE_INIT;
    view.format = SPL_CSR;
    view.type = SPL_F64;
    view.offset_type = view.index_type = SPL_I32;
    view.rows = view.cols = n;
    view.nnz = offsets[n];
    view.offsets = offsets;
    view.indices = columns;
    return view;
}
