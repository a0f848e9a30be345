/* SPDX-License-Identifier: Apache-2.0 */
/* graphs.h: undirected graphs without loops and repeats, for benchmarks of graph algorithms. */
#ifndef BENCH_GRAPHS_H
#define BENCH_GRAPHS_H

#include <sparloom/graph.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct graph {
    int64_t n, nnz;
    int32_t *offsets, *columns;
    double *weights; /* 1 to 16, of an edge and its opposite alike */
} graph;

/* Ends the program unless the status is SPL_OK. */
void must(spl_status status, const char *what);
void *allocate(size_t bytes);
double now(void); /* seconds */

/* `name` is SCALE, an R-MAT of 2^SCALE vertices (a, b, c = .57, .19, .19, 16 edges a vertex);
 * uniformSCALE, of as many edges between any two; gridSIDE, of SIDE by SIDE vertices; or a file
 * that spl_read reads, made undirected. */
graph graph_of(const char *name, uint64_t seed);
void graph_free(graph *g);
/* As int64 n, nnz and int32 offsets, columns, for other programs. */
void graph_dump(const graph *g, const char *path);
/* The graph as a matrix in CSR; values may be NULL. */
spl_sparse graph_view(const graph *g, spl_type type, const void *values);
/* Vertices with edges, from all over the graph. */
void graph_sources(const graph *g, int64_t count, int64_t *sources);

#ifdef __cplusplus
}
#endif
#endif
