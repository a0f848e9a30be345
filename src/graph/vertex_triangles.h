/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPL_GRAPH_VERTEX_TRIANGLES_H
#define SPL_GRAPH_VERTEX_TRIANGLES_H

#include "graph/adjacency.h"

/* triangles = those of each vertex; NULL: *total = their number. Statuses as
 * spl_graph_vertex_triangles. */
spl_status spl__graph_count_triangles(spl_graph *graph, spl__account *account, int64_t *triangles,
                                      int64_t *total);

#endif
