/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPL_GRAPH_CORE_H
#define SPL_GRAPH_CORE_H

#include "graph/adjacency.h"

/* A graph of some vertices of another, numbered anew in their order. */
typedef struct spl__core {
    int32_t count;     /* of its vertices */
    int32_t *vertices; /* those of the other graph, ascending */
    int64_t edges;
    int64_t *begin;
    int32_t *to;
} spl__core;

/* A part of an undirected graph, without loops, that has its core: the largest part in which each
 * vertex has `least` edges or more. What else it has is little. Cost: edges of vertices with enough
 * edges, a few times. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET: free what there is. */
spl_status spl__graph_core(const spl_graph *graph, spl__account *account, int64_t least,
                           spl__core *core);
void spl__core_free(spl__core *core);

#endif
