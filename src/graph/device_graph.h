/* SPDX-License-Identifier: Apache-2.0 */
/* device_graph.h: a graph on a device, and algorithms there: public products of resident vectors,
 * with small kernels between them (graph_steps.k.h). Loops run on the host. */
#ifndef SPL_GRAPH_DEVICE_GRAPH_H
#define SPL_GRAPH_DEVICE_GRAPH_H

#include "graph/adjacency.h"

/* The device on which the context's graph algorithms run; NULL: on the CPU. */
spl__device *spl__graph_device(const spl_context *context);
/* Copies the edges to the device, once for a graph. SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET,
 * SPL_DEVICE_FAILURE. */
spl_status spl__device_graph_of(spl_graph *graph, spl__device_graph **on_device);

/* Plans y = A'*x, x and y there, of the edges A: what goes along edges. values: of the edges, on
 * the device, of `type`; NULL: a pattern. */
spl_status spl__device_graph_plan(spl_graph *graph, spl_type type, const void *values,
                                  spl_semiring semiring, spl_plan **plan);
/* Plans the same with `columns` dense columns, of sums in f64, of A' or, against the edges, A. */
spl_status spl__device_graph_plan_dense(spl_graph *graph, int64_t columns, bool along,
                                        spl_plan **plan);
/* Launches a kernel of graph_steps.k.h with a thread for each of `items`. */
spl_status spl__device_graph_launch(spl__device_graph *g, const char *name, int64_t items,
                                    const void *args, size_t bytes);

/* spl_graph_multi_bfs, spl_graph_pagerank, spl_graph_sssp of checked arguments. */
spl_status spl__device_multi_bfs(spl_graph *graph, const int64_t *sources, int64_t count,
                                 int32_t *levels);
spl_status spl__device_pagerank(spl_graph *graph, double damping, double tolerance,
                                int32_t most_steps, double *ranks, int32_t *steps);
spl_status spl__device_sssp(spl_graph *graph, int64_t source, double *distances);
/* spl_graph_betweenness; sources NULL: the first `count` vertices. */
spl_status spl__device_betweenness(spl_graph *graph, const int64_t *sources, int64_t count,
                                   double *betweenness);
/* spl_graph_vertex_triangles and spl_graph_ktruss of undirected graphs, spl_graph_triangles. */
spl_status spl__device_vertex_triangles(spl_graph *graph, int64_t *triangles);
spl_status spl__device_ktruss(spl_graph *graph, int64_t k, spl_matrix **truss);
spl_status spl__device_triangles(spl_context *context, const spl_sparse *edges, int64_t *triangles);

#endif
