/* SPDX-License-Identifier: Apache-2.0 */
/* pagerank_order.h: the order of vertices in which PageRank reads a graph.
 *
 * By falling number of edges, where that pays: vertices that are read most often are neighbours in
 * memory then, and loops over edges have the same length for many vertices in turn, so that their
 * ends are foreseen. Vertices of equal number keep their order, and with it what the caller's has
 * of locality. Else the graph is read as it is.
 * Source: V. Balaji, B. Lucia, When is graph reordering an optimization?, IISWC 2018. */
#ifndef SPL_GRAPH_PAGERANK_ORDER_H
#define SPL_GRAPH_PAGERANK_ORDER_H

#include "graph/adjacency.h"

typedef struct spl__vertex_order {
    int32_t vertices;
    spl__arcs in;             /* in this order */
    const int64_t *out_begin; /* out_begin[v + 1] - out_begin[v]: edges out of v */
    int32_t *old;             /* NULL: the graph's order; else the vertex of the graph */
    void *arrays[3];
} spl__vertex_order;

/* Needs graph->in. Without room for another order, the graph's. SPL_OUT_OF_MEMORY, SPL_CANCELLED.
 */
spl_status spl__vertex_order_make(const spl_graph *graph, spl__account *account, int threads,
                                  spl__vertex_order *order);
/* Also after failure. */
void spl__vertex_order_free(spl__vertex_order *order);

#endif
