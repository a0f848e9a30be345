/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: algorithms on graphs, by products of sparse matrices over semirings and under masks.
 *
 * A graph of n vertices is a square matrix of n rows on the host: an entry (i, j) is an edge from i
 * to j, also with the value 0. Entries of equal position are one edge. The conventions of
 * sparloom.h hold; results are the same for any number of threads. */
#ifndef SPARLOOM_GRAPH_H
#define SPARLOOM_GRAPH_H

#include <sparloom/algebra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of triangles: sets of three vertices, each two with an edge. The graph is undirected:
 * of (i, j) and (j, i) both are there; loops (i, i) do not count. With the edges L below the
 * diagonal, the sum of (L*L) over plus_pair under the mask L. Exact up to 2^53. Memory: about
 * three copies of the graph. Reports the progress of its steps. SPL_INVALID_*; SPL_SHAPE_MISMATCH
 * (not square), SPL_INVALID_ARGUMENT (directed: the detail names an edge), SPL_UNSUPPORTED,
 * SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET, SPL_CANCELLED.
 * Source: A. Azad, A. Buluc, J. Gilbert, Parallel triangle counting and enumeration using matrix
 * algebra, IPDPS workshops 2015. */
SPARLOOM_API spl_status spl_graph_triangles(spl_context *context, const spl_sparse *graph,
                                            int64_t *triangles);

#ifdef __cplusplus
}
#endif
#endif
