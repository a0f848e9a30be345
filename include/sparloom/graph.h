/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: algorithms on graphs.
 *
 * A graph of n vertices is a square matrix of n rows on the host: an entry (i, j) is an edge from i
 * to j, also with the value 0. Entries of equal position are one edge. The conventions of
 * sparloom.h hold; results are the same bits for any number of threads: where several are right,
 * it is the one with the least vertices. All functions report progress, can be cancelled, keep the
 * context's memory budget, and leave outputs unspecified after SPL_CANCELLED or a lack of memory.
 * They run on the first device of a context that has devices and no CPU, where the edges are kept,
 * 8n + 4m: the same bits but for PageRank and betweenness, whose sums have an order of their own;
 * `delta` is not used.
 * n below is the number of vertices, m that of edges. */
#ifndef SPARLOOM_GRAPH_H
#define SPARLOOM_GRAPH_H

#include <sparloom/algebra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A graph made ready for the functions below. */
typedef struct spl_graph spl_graph;
/* Makes a graph of its edges. Its rows in order, without repeated edges, in CSR
 * with 32-bit columns are borrowed, and so are frozen until spl_graph_destroy; else they are
 * copied. It finds out whether the graph is undirected (with (i, j) it has (j, i)), of a small one
 * when that is first needed. Weights are the values; values may be NULL. Of
 * repeated edges the least weight counts.
 * Memory: 8n; of another form 16n + 4m, and m values. A directed graph also keeps its edges
 * transposed, 8n + 4m, from the first call on that needs them. One call at a time for each graph.
 * SPL_INVALID_*; SPL_SHAPE_MISMATCH (not square), SPL_UNSUPPORTED (n > 2^31-2), SPL_OUT_OF_MEMORY,
 * SPL_OVER_BUDGET, SPL_CANCELLED. */
SPARLOOM_API spl_status spl_graph_create(spl_context *context, const spl_sparse *edges,
                                         spl_graph **graph);
/* NULL is allowed. Call it before the context is destroyed. */
SPARLOOM_API void spl_graph_destroy(spl_graph *graph);

/* Breadth-first search: levels[v] is the number of edges of a shortest path from `source` to v, -1
 * without one; parents[v] the vertex before v on one, the least if there are several: of the source
 * itself, -1 without a path. Either may be NULL. Cost: each edge at most once, fewer where most
 * vertices are near: levels are searched upwards there. A level costs what it has, not n. Memory:
 * 4n to 9n; on a device at most 16n + m/2. SPL_INVALID_ARGUMENT (no such vertex),
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: S. Beamer, K. Asanovic, D. Patterson, Direction-optimizing breadth-first search, SC'12.
 */
SPARLOOM_API spl_status spl_graph_bfs(spl_graph *graph, int64_t source, int32_t *levels,
                                      int32_t *parents);

/* The levels of spl_graph_bfs for `count` sources: levels[k*n + v] are those from sources[k]. 64
 * sources at a time share each access to an edge; levels with most edges are searched upwards.
 * Memory: 32n, and the edges transposed, if the budget has room. SPL_INVALID_ARGUMENT (no such
 * vertex), SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: M. Then and others, The more the merrier: efficient multi-source graph traversal, VLDB
 * 2014. */
SPARLOOM_API spl_status spl_graph_multi_bfs(spl_graph *graph, const int64_t *sources, int64_t count,
                                            int32_t *levels);

/* Connected components, of a directed graph the weak ones: components[v] is the least vertex of
 * v's component, *count their number. Cost: each edge once or twice; in undirected graphs with one
 * large component, about two edges of each of its vertices. Memory: none; on a device 4n.
 * SPL_INVALID_ARGUMENT, SPL_CANCELLED; on a device SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET.
 * Source: M. Sutton, T. Ben-Nun, A. Barak, Optimizing parallel graph connectivity computation via
 * subgraph sampling (Afforest), IPDPS 2018. */
SPARLOOM_API spl_status spl_graph_components(spl_graph *graph, int32_t *components, int64_t *count);

/* PageRank: rank(v) = (1 - damping)/n + damping * (sum over edges (u, v) of rank(u)/out(u) + D/n),
 * with out(u) edges out of u, and D the sum of the ranks of vertices that have none. From 1/n on,
 * step by step until the sum of |change| is at most `tolerance`, or for most_steps steps; *steps
 * were taken. In undirected graphs, on the CPU, steps from the fifth on go further than the
 * formula, so that about half as many do; the last one does not, and the change is the formula's.
 * There with a tolerance above 0 ranks begin, where that is nearer, with what a step makes of ranks
 * in proportion to edges.
 * The ranks' sum is 1. damping in [0, 1), usually .85. With a tolerance of 1e-5 or more what
 * vertices give is rounded to f32: a rank is within 2^-23/(1 - damping) of itself then. Cost: a
 * step reads each edge once. Memory: 16n, and the edges transposed; if the budget has room, 16n +
 * 4m more where reading them by number pays (rounding may differ without).
 * SPL_INVALID_ARGUMENT, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: L. Page, S. Brin, R. Motwani, T. Winograd, The PageRank citation ranking, Stanford 1999;
 * G. Golub, R. Varga, Chebyshev semi-iterative methods, Numerische Mathematik 3, 1961. */
SPARLOOM_API spl_status spl_graph_pagerank(spl_graph *graph, double damping, double tolerance,
                                           int32_t most_steps, double *ranks, int32_t *steps);

/* Shortest paths: distances[v] is the least sum of weights along a path from `source` to v, added
 * from the source on in f64; Inf without a path. Weights are not negative. `delta` is how far apart
 * distances are that are looked at together; 0: chosen from the weights. It changes time, no bit of
 * the result. Cost: edges out of a vertex are read again when its distance falls. Memory: 13n, and
 * 35 kB, and 35 kB for each thread.
 * SPL_INVALID_ARGUMENT (no such vertex; no weights; a weight that is negative or not a number: the
 * detail names the edge), SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: U. Meyer, P. Sanders, Delta-stepping: a parallelizable shortest path algorithm, Journal
 * of Algorithms 49, 2003; bins of each thread: S. Beamer, K. Asanovic, D. Patterson, The GAP
 * benchmark suite, arXiv 1508.03619; with two piles on devices: A. Davidson, S. Baxter, M. Garland,
 * J. Owens, Work-efficient parallel GPU methods for single-source shortest paths, IPDPS 2014. */
SPARLOOM_API spl_status spl_graph_sssp(spl_graph *graph, int64_t source, double delta,
                                       double *distances);

/* The distances of spl_graph_sssp for `count` sources: distances[k*n + v] are those from
 * sources[k]. Where they are as many as threads, each thread has a source of its own; on a device
 * eight share each access to an edge. Memory: 13n and 70 kB for each thread, if the budget has
 * room. Statuses as above. */
SPARLOOM_API spl_status spl_graph_multi_sssp(spl_graph *graph, const int64_t *sources,
                                             int64_t count, double delta, double *distances);

/* spl_graph_sssp, and the tree of its paths: predecessors[v] is the vertex before v on a shortest
 * path; of the source itself, -1 without a path. It is the least of those that are nearer to the
 * source; where all are as far as v (edges of weight 0), the least that needs the fewest such edges
 * to one that has a nearer one. Cost: one more pass over the edges. Memory: 4n more, if weights are
 * 0. Statuses as above. */
SPARLOOM_API spl_status spl_graph_sssp_tree(spl_graph *graph, int64_t source, double delta,
                                            double *distances, int32_t *predecessors);

/* The number of triangles: sets of three vertices, each two with an edge. The graph is undirected:
 * of (i, j) and (j, i) both are there; loops (i, i) do not count. As spl_graph_vertex_triangles,
 * but rows that are short and in order, 32-bit columns in CSR, are compared where they are: 4n, and
 * for several threads, if the budget has room, 8 bytes for each edge from one thread's vertices to
 * another's; on a device by masked products, about three copies of the graph. Reports the progress
 * of its steps. SPL_INVALID_*; SPL_SHAPE_MISMATCH (not square), SPL_INVALID_ARGUMENT (directed: the
 * detail names an edge), SPL_UNSUPPORTED, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: A. Azad, A. Buluc, J. Gilbert, Parallel triangle counting and enumeration using matrix
 * algebra, IPDPS workshops 2015; in order as in S. Beamer and others, GAP, arXiv 1508.03619. */
SPARLOOM_API spl_status spl_graph_triangles(spl_context *context, const spl_sparse *graph,
                                            int64_t *triangles);

/* The triangles of each vertex of an undirected graph, made ready; the sum is three times their
 * number. Cost: for each edge u-v, the neighbours of v that have more edges than v: at most
 * sqrt(2m) of them. Memory: 4n + 4m, and n/8 for each thread. SPL_INVALID_ARGUMENT (directed: the
 * detail names an edge), SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: N. Chiba, T. Nishizeki, Arboricity and subgraph listing algorithms, SIAM J. Computing 14,
 * 1985; edges ordered as in T. Schank, D. Wagner, Finding, counting and listing all triangles in
 * large graphs, WEA 2005. */
SPARLOOM_API spl_status spl_graph_vertex_triangles(spl_graph *graph, int64_t *triangles);

/* The k-truss of an undirected graph, k >= 3: the largest part in which each edge is in k - 2 or
 * more triangles; loops left out. A matrix of f64 whose values are the triangles of the edge in
 * that part. Of the core of k - 1 edges (S*S) over plus_pair under the mask S, then what has
 * enough, until nothing falls away. Free with spl_matrix_destroy. Memory: about three copies of the
 * graph. SPL_INVALID_ARGUMENT, SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. Source: J. Cohen,
 * Trusses: cohesive subgraphs for social network analysis, NSA 2008; by products as in T. Davis,
 * Graph algorithms via SuiteSparse:GraphBLAS: triangle counting and k-truss, HPEC 2018. */
SPARLOOM_API spl_status spl_graph_ktruss(spl_graph *graph, int64_t k, spl_matrix **truss);

/* A maximal independent set of an undirected graph: members[v] is 1 or 0, no two members are
 * neighbours, and no vertex could be added; *count have 1. Loops do not count. The first such set
 * in an order of vertices that looks random and is always the same. Cost: each edge a few times.
 * Memory: 8n, on a device 12n. SPL_INVALID_ARGUMENT (directed: the detail names an edge),
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: M. Luby, A simple parallel algorithm for the maximal independent set problem, SIAM J.
 * Computing 15, 1986; G. Blelloch, J. Fineman, J. Shun, Greedy sequential maximal independent set
 * and matching are parallel on average, SPAA 2012. */
SPARLOOM_API spl_status spl_graph_independent_set(spl_graph *graph, int32_t *members,
                                                  int64_t *count);

/* A colouring of an undirected graph: colours[v] is one of 0 to *count - 1, neighbours have
 * different ones. Loops do not count. Vertices with more edges come first, each takes the least
 * colour that is free. Cost, memory and statuses as above, and on the CPU 4 bytes times the most
 * edges of a vertex for each thread.
 * Source: M. Jones, P. Plassmann, A parallel graph coloring heuristic, SIAM J. Scientific Computing
 * 14, 1993. */
SPARLOOM_API spl_status spl_graph_colouring(spl_graph *graph, int32_t *colours, int32_t *count);

/* Betweenness: betweenness[v] is the sum over pairs (s, t), s of the `count` sources, s != v != t,
 * of the part of the shortest paths from s to t (fewest edges) that pass v. sources NULL: all
 * vertices, and `count` is not read. In an undirected graph both (s, t) and (t, s) count. Cost: two
 * passes over the edges for each source, each thread with one of its own; where all vertices are
 * near and sources are 16 or more, a few passes for each eight of them. Memory for each thread:
 * 32n; for batches 190n, and without them the edges transposed, if the budget has room.
 * SPL_INVALID_ARGUMENT (no such vertex), SPL_INDEX_OVERFLOW (more paths than f64 counts: the detail
 * names their ends), SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED. Source: U. Brandes, A
 * faster algorithm for betweenness centrality, J. Mathematical Sociology 25, 2001. */
SPARLOOM_API spl_status spl_graph_betweenness(spl_graph *graph, const int64_t *sources,
                                              int64_t count, double *betweenness);

#ifdef __cplusplus
}
#endif
#endif
