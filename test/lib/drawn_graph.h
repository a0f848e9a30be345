/* SPDX-License-Identifier: Apache-2.0 */
/* drawn_graph.h: fresh graphs for tests of graph.h, small enough for a table of all pairs. */
#ifndef SPARLOOM_TEST_DRAWN_GRAPH_H
#define SPARLOOM_TEST_DRAWN_GRAPH_H

#include "lib/testing.h"
#include "sparloom/graph.h"

enum { DRAWN_MOST = 150, DRAWN_TEAMS = 3 };

typedef struct drawn_graph {
    int64_t n;
    bool undirected;
    bool edge[DRAWN_MOST][DRAWN_MOST];
    double weight[DRAWN_MOST][DRAWN_MOST]; /* the least of repeated edges */
    zoo_triples triples;
    zoo_matrix matrix;
    spl_graph *graphs[DRAWN_TEAMS]; /* of contexts with 1, 2 and 3 threads */
    spl_context *contexts[DRAWN_TEAMS];
} drawn_graph;

/* Which graphs a test wants. */
typedef enum drawn_kind { DRAWN_ANY, DRAWN_UNDIRECTED } drawn_kind;

/* The number-th graph from the seed: directed or not, loops, repeated edges, several components,
 * isolated vertices, paths, 0 and 1 vertices; one form after the other. All work is given to
 * several threads. Weights are not negative. */
void drawn_graph_make(drawn_graph *g, uint64_t seed, int number, drawn_kind kind);
void drawn_graph_free(drawn_graph *g);

/* Calls test(graph) for fresh graphs; `count` in a plain build. Prints the seed. */
void drawn_graphs_each(int count, drawn_kind kind, void (*test)(drawn_graph *g));
/* The pattern of n rows in CSR. */
spl_sparse drawn_pattern(int64_t n, const int32_t *offsets, const int32_t *columns);
/* A number below n, from the case's seed. */
int64_t drawn_below(int64_t n);

#endif
