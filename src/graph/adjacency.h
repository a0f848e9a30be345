/* SPDX-License-Identifier: Apache-2.0 */
/* adjacency.h: a graph made ready: each vertex with its neighbours, ascending and each once.
 *
 * Frontiers, visited vertices and buckets change with every step. Plans of products with sparse
 * vectors (spl_frontier_plan) take twice the time for such a step, and keep A in both orders and
 * sums of all rows. So kernels here read these arrays themselves. */
#ifndef SPL_GRAPH_ADJACENCY_H
#define SPL_GRAPH_ADJACENCY_H

#include "core/checked.h"
#include "core/threads/parallel.h"
#include "core/types.h"
#include "core/watch.h"
#include "device/device.h"
#include "sparloom/graph.h"

/* The neighbours of vertex v are to[begin[v]..begin[v+1]]. */
typedef struct spl__arcs {
    const int64_t *begin; /* vertices + 1 */
    const int32_t *to;
} spl__arcs;

/* The edges on a device. */
typedef struct spl__device_graph {
    spl__queue queue;
    spl_stream stream; /* the queue's, for public functions */
    spl__device_array begin, to;
    int64_t pieces; /* of all vertices: graph_search.k.h; 0: not counted yet */
} spl__device_graph;

struct spl_graph {
    spl_context *context;
    int32_t vertices;
    int64_t edges;
    spl__arcs out, in;   /* in.begin NULL: not made yet */
    const void *weights; /* of `out`, f32 or f64; NULL: a pattern */
    spl_type weight_type;
    double mean_weight;           /* -1: weights were not looked at yet */
    double least_weight;          /* once they were */
    int32_t median_degree;        /* likewise */
    bool has_direction;           /* whether it was found out if the graph is directed */
    bool undirected;              /* false until then */
    bool searched;                /* by spl_graph_bfs before */
    bool crawls;                  /* a device gave shortest paths up */
    int32_t from, to;             /* of a directed graph: an edge without its opposite */
    spl_matrix *copy;             /* what `out` points to, unless it is the caller's */
    void *arrays[3];              /* made here: offsets of `out`; `in` */
    spl__device_graph *on_device; /* a copy; NULL: not made yet */
};

/* A step with less work (vertices and edges) is done by one thread. Only tests change it. */
extern int64_t spl__graph_serial_work;

/* Threads for so much work. */
int spl__graph_threads_of(const spl_context *context, int64_t work);
int spl__graph_threads(const spl_graph *graph, int64_t work);
/* A graph with fewer edges is not asked for its direction before that is needed: a single search of
 * it takes less time. Only tests change it. */
extern int64_t spl__graph_few_edges;

/* Makes `in`; its memory goes to the graph. */
spl_status spl__graph_need_in(spl_graph *graph, spl__account *account);
void spl__device_graph_free(spl__device_graph *on_device);
/* SPL_INVALID_ARGUMENT: the graph is directed; the detail names an edge. */
spl_status spl__graph_need_undirected(spl_graph *graph);
/* SPL_INVALID_ARGUMENT: no such vertex. `name` is what the message calls it. */
spl_status spl__graph_check_vertex(const spl_graph *graph, const char *name, int64_t vertex);

static inline int64_t spl__arcs_of(const spl__arcs *arcs, int32_t vertex)
{
    return arcs->begin[vertex + 1] - arcs->begin[vertex];
}

#endif
