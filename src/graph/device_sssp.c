/* SPDX-License-Identifier: Apache-2.0 */
/* device_sssp.c: shortest paths on a device: distances go along all edges as a product over
 * min_plus, until none falls. The least sums over all paths are the same bits as those of sssp.c:
 * an addition that rounds keeps the order of its operands.
 * Source: R. Bellman, On a routing problem, Quarterly of Applied Mathematics 16, 1958; by products
 * as in J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear Algebra, 2011. */
#include "graph/device_graph.h"
#include "graph/graph_steps.k.h"
#include "graph/weights.h"

#include <math.h>

typedef struct paths {
    spl_graph *graph;
    spl__device_graph *g;
    spl_plan *plan;
    double *host; /* weights, where the graph's are f32 */
    spl__device_array weights, distances[2], differs;
} paths;

static spl_status copy_weights(paths *s)
{
    const spl_graph *graph = s->graph;
    const void *weights = graph->weights;
    SPL__TRY(spl__queue_alloc(&s->g->queue, graph->edges, sizeof(double), &s->weights));
    if (graph->weight_type == SPL_F32 && graph->edges > 0) {
        SPL__TRY(SPL__NEW(&graph->context->account, &s->host, graph->edges));
        for (int64_t p = 0; p < graph->edges; p++)
            s->host[p] = spl__weight_of(graph, p);
        weights = s->host;
    }
    if (!s->weights.data)
        return SPL_OK;
    SPL__TRY(spl__queue_copy(&s->g->queue, s->weights.data, weights, s->weights.bytes));
    return spl__queue_wait(&s->g->queue);
}

static spl_status allocate(paths *s)
{
    spl__queue *queue = &s->g->queue;
    const int64_t n = s->graph->vertices;
    for (int k = 0; k < 2; k++)
        SPL__TRY(spl__queue_alloc(queue, n, sizeof(double), &s->distances[k]));
    return spl__queue_alloc(queue, 1, sizeof(uint32_t), &s->differs);
}

/* A pass over all edges, from distances[0] to distances[1], which then change places. */
static spl_status pass(paths *s)
{
    static const double one = 1;
    const spl__device_array before = s->distances[0];
    SPL__TRY(spl__queue_copy(&s->g->queue, s->distances[1].data, before.data, before.bytes));
    SPL__TRY(
        spl_spmv_execute(s->plan, NULL, before.data, &one, s->distances[1].data, &s->g->stream));
    s->distances[0] = s->distances[1];
    s->distances[1] = before;
    return SPL_OK;
}

/* Whether the last pass lowered a distance. Waits. */
static spl_status look(paths *s, bool *lowered)
{
    spl__queue *queue = &s->g->queue;
    uint32_t differs;
    struct graph_differ_args args = {s->graph->vertices, s->distances[1].data, s->distances[0].data,
                                     s->differs.data};
    SPL__TRY(spl__queue_fill(queue, s->differs.data, 0, s->differs.bytes));
    SPL__TRY(spl__device_graph_launch(s->g, "graph_differ", args.count, &args, sizeof args));
    SPL__TRY(spl__queue_fetch(queue, &differs, s->differs.data, sizeof differs));
    *lowered = differs != 0;
    return SPL_OK;
}

static spl_status run(paths *s, int64_t source, double *distances)
{
    enum { PASSES = 4 }; /* for each look, which waits */
    spl__queue *queue = &s->g->queue;
    const int32_t n = s->graph->vertices;
    bool lowered = true;
    for (int32_t v = 0; v < n; v++)
        distances[v] = v == source ? 0 : INFINITY;
    SPL__TRY(spl__queue_copy(queue, s->distances[0].data, distances, s->distances[0].bytes));
    for (int32_t passes = 0; lowered; passes += PASSES) {
        SPL__TRY(spl__progress(s->graph->context, "sssp", passes, 0));
        for (int k = 0; k < PASSES; k++)
            SPL__TRY(pass(s));
        SPL__TRY(look(s, &lowered));
    }
    return spl__queue_fetch(queue, distances, s->distances[0].data, s->distances[0].bytes);
}

static spl_status find(paths *s, int64_t source, double *distances)
{
    SPL__TRY(spl__device_graph_of(s->graph, &s->g));
    SPL__TRY(copy_weights(s));
    SPL__TRY(spl__device_graph_plan(s->graph, SPL_F64, s->weights.data, SPL_MIN_PLUS, &s->plan));
    SPL__TRY(allocate(s));
    return run(s, source, distances);
}

spl_status spl__device_sssp(spl_graph *graph, int64_t source, double *distances)
{
    paths s = {.graph = graph};
    spl_status status = find(&s, source, distances);
    spl__device_array *const arrays[] = {&s.weights, &s.distances[0], &s.distances[1], &s.differs};
    spl_plan_destroy(s.plan);
    for (size_t k = 0; s.g && k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(&s.g->queue, arrays[k]);
    spl__free(s.host);
    return status;
}
