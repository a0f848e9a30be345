/* SPDX-License-Identifier: Apache-2.0 */
/* graph_rivals.h: graph algorithms of other libraries, for benchmark_rivals.c. Each takes the graph
 * that was given to "start", writes its result as numbers and returns the seconds without that. */
#ifndef BENCH_GRAPH_RIVALS_H
#define BENCH_GRAPH_RIVALS_H

#include "graphs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rig {
    const graph *g;
    int64_t count; /* of sources */
    const int64_t *sources;
    double delta; /* of shortest paths */
    spl_context *context;
    spl_graph *made;
} rig;

typedef double (*graph_algorithm)(const rig *r, double *out);

/* LAGraph on SuiteSparse:GraphBLAS */
const char *lagraph_start(const graph *g, int threads); /* returns its version */
double lagraph_bfs(const rig *r, double *out);
double lagraph_searches(const rig *r, double *out);
double lagraph_paths(const rig *r, double *out);
double lagraph_components(const rig *r, double *out);
double lagraph_ranks(const rig *r, double *out);
double lagraph_few_betweenness(const rig *r, double *out);
double lagraph_betweenness(const rig *r, double *out);
double lagraph_triangles(const rig *r, double *out);
double lagraph_truss(const rig *r, double *out);
double lagraph_masked(const rig *r, double *out);        /* L*L under L */
double lagraph_masked_dots(const rig *r, double *out);   /* L*L' under L */
double lagraph_masked_square(const rig *r, double *out); /* A*A under A */

/* GAP's own kernels */
void gap_start(const graph *g);
double gap_bfs(const rig *r, double *out);
double gap_searches(const rig *r, double *out);
double gap_paths(const rig *r, double *out);
double gap_components(const rig *r, double *out);
double gap_ranks(const rig *r, double *out);
double gap_few_betweenness(const rig *r, double *out);
double gap_betweenness(const rig *r, double *out);
double gap_triangles(const rig *r, double *out);

#ifdef __cplusplus
}
#endif
#endif
