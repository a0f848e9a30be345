/* SPDX-License-Identifier: Apache-2.0 */
/* weights.h: weights of a graph's edges, and paths over them. */
#ifndef SPL_GRAPH_WEIGHTS_H
#define SPL_GRAPH_WEIGHTS_H

#include "graph/adjacency.h"

/* The weight of edge p. */
static inline double spl__weight_of(const spl_graph *graph, int64_t p)
{
    return graph->weight_type == SPL_F32 ? (double)((const float *)graph->weights)[p]
                                         : ((const double *)graph->weights)[p];
}

/* The vertex before each on a shortest path from the source: predecessors.c. SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_CANCELLED. */
spl_status spl__graph_find_predecessors(spl_graph *graph, int32_t source, const double *distance,
                                        int32_t *predecessors, spl__account *account);

#endif
