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
/* Plans the same in f64 with `columns` dense columns, of A' or, against the edges, of A. */
spl_status spl__device_graph_plan_dense(spl_graph *graph, int64_t columns, bool along,
                                        const void *values, spl_semiring semiring, spl_plan **plan);
/* The dense matrix of f64, a row for each vertex. */
spl_dense spl__device_graph_dense(const spl_graph *graph, int64_t columns,
                                  const spl__device_array *values);
/* Launches a kernel of graph_steps.k.h or graph_search.k.h with a thread for each of `items`, as
 * far as they run at once. */
spl_status spl__device_graph_launch(spl__device_graph *g, const char *name, int64_t items,
                                    const void *args, size_t bytes);

/* A level of a search with so few pieces (graph_search.k.h) is left to one block, and those after
 * it. Only tests change it. */
extern uint64_t spl__device_graph_few;

/* spl_graph_bfs, spl_graph_components, spl_graph_multi_bfs, spl_graph_pagerank and
 * spl_graph_multi_sssp of checked arguments; the last may leave the search to the CPU: *found is
 * false, and graph->crawls set. */
spl_status spl__device_bfs(spl_graph *graph, int64_t source, int32_t *levels, int32_t *parents);
spl_status spl__device_components(spl_graph *graph, int32_t *components, int64_t *count);
spl_status spl__device_multi_bfs(spl_graph *graph, const int64_t *sources, int64_t count,
                                 int32_t *levels);
spl_status spl__device_pagerank(spl_graph *graph, double damping, double tolerance,
                                int32_t most_steps, double *ranks, int32_t *steps);
spl_status spl__device_sssp(spl_graph *graph, const int64_t *sources, int64_t count,
                            double *distances, bool *found);
/* spl_graph_betweenness; sources NULL: the first `count` vertices. */
spl_status spl__device_betweenness(spl_graph *graph, const int64_t *sources, int64_t count,
                                   double *betweenness);
/* Greedy decisions of an undirected graph, as spl__rounds_run: colours of vertices with more edges
 * first (`by_edges`), or members of a set in random order. */
spl_status spl__device_rounds(spl_graph *graph, bool by_edges, int32_t *decision);
/* spl_graph_vertex_triangles and spl_graph_ktruss of undirected graphs, spl_graph_triangles. */
spl_status spl__device_vertex_triangles(spl_graph *graph, int64_t *triangles);
spl_status spl__device_ktruss(spl_graph *graph, int64_t k, spl_matrix **truss);
spl_status spl__device_triangles(spl_context *context, const spl_sparse *edges, int64_t *triangles);

#endif
