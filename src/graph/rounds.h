/* SPDX-License-Identifier: Apache-2.0 */
/* rounds.h: greedy decisions about vertices, one after the other in an order of priority, in rounds
 * of vertices that do not wait for one another. The result is that of one thread.
 *
 * Source: M. Jones, P. Plassmann, A parallel graph coloring heuristic, SIAM J. Scientific Computing
 * 14, 1993; W. Hasenplaug, T. Kaler, T. Schardl, C. Leiserson, Ordering heuristics for parallel
 * graph coloring, SPAA 2014. */
#ifndef SPL_GRAPH_ROUNDS_H
#define SPL_GRAPH_ROUNDS_H

#include "graph/adjacency.h"

typedef struct spl__rounds {
    const spl_graph *graph; /* undirected */
    int threads;
    /* whether u is decided before its neighbour v */
    bool (*precedes)(const spl_graph *graph, int32_t u, int32_t v);
    /* by one of the threads, after all neighbours that precede v */
    void (*decide)(const struct spl__rounds *rounds, int32_t v, int thread);
    int32_t *decision; /* of each vertex */
    void *user;
} spl__rounds;

/* Decides about all vertices. Memory: 8n. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. */
spl_status spl__rounds_run(const spl__rounds *rounds, spl__account *account);

/* Orders of priority: at random, the same in every run; by more edges first, then at random. */
bool spl__precedes_at_random(const spl_graph *graph, int32_t u, int32_t v);
bool spl__precedes_by_edges(const spl_graph *graph, int32_t u, int32_t v);

#endif
