/* SPDX-License-Identifier: Apache-2.0 */
/* betweenness.h: betweenness of several sources at a time. */
#ifndef SPL_GRAPH_BETWEENNESS_H
#define SPL_GRAPH_BETWEENNESS_H

#include "graph/adjacency.h"

/* Sources that one thread searches from together. */
enum { SPL__LANES = 8 };

/* spl_graph_betweenness by batches of SPL__LANES sources (NULL: all vertices), added to
 * `betweenness`. SPL_INDEX_OVERFLOW, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, which change nothing but
 * for the first, SPL_CANCELLED. */
spl_status spl__betweenness_by_batches(const spl_graph *graph, spl__account *account,
                                       const int64_t *sources, int64_t count, double *betweenness);
/* SPL_INDEX_OVERFLOW: too many paths. */
spl_status spl__betweenness_beyond(int64_t source, int64_t vertex);

#endif
