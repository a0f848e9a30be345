/* SPDX-License-Identifier: Apache-2.0 */
/* pagerank_begin.h: the ranks from which PageRank of an undirected graph begins.
 *
 * Without damping its ranks are in proportion to the edges of vertices. One step of the formula
 * from there costs nothing, as it is known: (1 - d)/n and an equal part for each edge. Where
 * differences between neighbours are what ranks consist of, this is far nearer to them than 1/n is:
 * two to four steps are saved. Where a vertex's neighbours are like it, as at the border of a grid,
 * differences take many steps to even out, and 1/n is nearer. The Rayleigh quotient of a step
 * without damping at the difference between both tells which; a sample of vertices gives it. */
#ifndef SPL_GRAPH_PAGERANK_BEGIN_H
#define SPL_GRAPH_PAGERANK_BEGIN_H

#include "graph/adjacency.h"

typedef struct spl__first_ranks {
    double each, edge; /* what a vertex has, and what it has for each of its edges */
} spl__first_ranks;

/* Of a graph that is known to be undirected. */
spl__first_ranks spl__first_ranks_of(const spl_graph *graph, double damping);

#endif
