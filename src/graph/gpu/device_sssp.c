/* SPDX-License-Identifier: Apache-2.0 */
/* device_sssp.c: shortest paths on a device: distances go along all edges as a product over
 * min_plus, until none falls; from several sources each is a column of a dense matrix. The least
 * sums over all paths are the same bits as those of sssp.c: an addition that rounds keeps the order
 * of its operands. Source: R. Bellman, On a routing problem, Quarterly of Applied Mathematics 16,
 * 1958; by products as in J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear
 * Algebra, 2011.
 *
 * A pass costs all edges, whatever falls in it: on roads, where thousands are needed, the CPU's
 * piles have less to do. So the CPU takes over where many passes have reached few vertices. */
#include "graph/gpu/device_graph.h"
#include "graph/kernels/graph_steps.k.h"
#include "graph/weights.h"

#include <math.h>

enum { COLUMNS = 8 };
/* After so many passes a part of the vertices must have been reached: on a grid in three dimensions
 * they have, in two they have not. */
enum { PATIENCE = 64, LEAST_PART = 4 };

typedef struct paths {
    spl_graph *graph;
    spl__device_graph *g;
    spl_plan *plan;
    int64_t columns; /* sources at a time */
    double *host;    /* weights, where the graph's are f32 */
    double *several; /* distances, vertex by vertex */
    spl__device_array weights, distances[2], differs;
    bool gives_up;
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
    const int64_t count = s->graph->vertices * s->columns;
    for (int k = 0; k < 2; k++)
        SPL__TRY(spl__queue_alloc(queue, count, sizeof(double), &s->distances[k]));
    if (s->columns > 1)
        SPL__TRY(SPL__NEW(&s->graph->context->account, &s->several, count));
    return spl__queue_alloc(queue, 1, sizeof(uint32_t), &s->differs);
}

/* A pass over all edges, from distances[0] to distances[1], which then change places. */
static spl_status pass(paths *s)
{
    static const double one = 1;
    const spl__device_array before = s->distances[0], after = s->distances[1];
    const spl_dense from = spl__device_graph_dense(s->graph, s->columns, &before),
                    to = spl__device_graph_dense(s->graph, s->columns, &after);
    SPL__TRY(spl__queue_copy(&s->g->queue, after.data, before.data, before.bytes));
    SPL__TRY(s->columns > 1
                 ? spl_spmm_execute(s->plan, NULL, &from, &one, &to, &s->g->stream)
                 : spl_spmv_execute(s->plan, NULL, before.data, &one, after.data, &s->g->stream));
    s->distances[0] = after;
    s->distances[1] = before;
    return SPL_OK;
}

/* Whether the last pass lowered a distance. Waits. */
static spl_status look(paths *s, bool *lowered)
{
    spl__queue *queue = &s->g->queue;
    uint32_t differs;
    struct graph_differ_args args = {s->graph->vertices * s->columns, s->distances[1].data,
                                     s->distances[0].data, s->differs.data};
    SPL__TRY(spl__queue_fill(queue, s->differs.data, 0, s->differs.bytes));
    SPL__TRY(spl__device_graph_launch(s->g, "graph_differ", args.count, &args, sizeof args));
    SPL__TRY(spl__queue_fetch(queue, &differs, s->differs.data, sizeof differs));
    *lowered = differs != 0;
    return SPL_OK;
}

/* Whether so few distances are known that passes are to end. Waits. */
static spl_status look_at_progress(paths *s, double *distances)
{
    const int64_t count = s->graph->vertices * s->columns;
    int64_t reached = 0;
    SPL__TRY(
        spl__queue_fetch(&s->g->queue, distances, s->distances[0].data, s->distances[0].bytes));
    for (int64_t e = 0; e < count; e++)
        reached += distances[e] < INFINITY;
    s->gives_up = reached < count / LEAST_PART;
    return SPL_OK;
}

/* From `distances`, a row for each vertex, to the least ones there. */
static spl_status run(paths *s, double *distances)
{
    enum { PASSES = 4 }; /* for each look, which waits */
    spl__queue *queue = &s->g->queue;
    bool lowered = true;
    SPL__TRY(spl__queue_copy(queue, s->distances[0].data, distances, s->distances[0].bytes));
    for (int32_t passes = 0; lowered && !s->gives_up; passes += PASSES) {
        SPL__TRY(spl__progress(s->graph->context, "sssp", passes, 0));
        for (int k = 0; k < PASSES; k++)
            SPL__TRY(pass(s));
        SPL__TRY(look(s, &lowered));
        if (lowered && passes + PASSES == PATIENCE)
            SPL__TRY(look_at_progress(s, distances));
    }
    return spl__queue_fetch(queue, distances, s->distances[0].data, s->distances[0].bytes);
}

/* The next sources; columns for which there are none repeat the last one. */
static spl_status run_batch(paths *s, const int64_t *sources, int64_t count, double *distances)
{
    const int64_t n = s->graph->vertices, columns = s->columns;
    double *rows = columns > 1 ? s->several : distances;
    for (int64_t e = 0; e < n * columns; e++)
        rows[e] = INFINITY;
    for (int64_t k = 0; k < columns; k++)
        rows[sources[k < count ? k : count - 1] * columns + k] = 0;
    SPL__TRY(run(s, rows));
    for (int64_t k = 0; columns > 1 && k < count; k++)
        for (int64_t v = 0; v < n; v++)
            distances[k * n + v] = rows[v * columns + k];
    return SPL_OK;
}

static spl_status find(paths *s, const int64_t *sources, int64_t count, double *distances)
{
    const int64_t n = s->graph->vertices;
    SPL__TRY(spl__device_graph_of(s->graph, &s->g));
    SPL__TRY(copy_weights(s));
    SPL__TRY(s->columns > 1 ? spl__device_graph_plan_dense(s->graph, s->columns, true,
                                                           s->weights.data, SPL_MIN_PLUS, &s->plan)
                            : spl__device_graph_plan(s->graph, SPL_F64, s->weights.data,
                                                     SPL_MIN_PLUS, &s->plan));
    SPL__TRY(allocate(s));
    for (int64_t k = 0; k < count && !s->gives_up; k += s->columns)
        SPL__TRY(run_batch(s, sources + k, spl__min_i64(s->columns, count - k), distances + k * n));
    return SPL_OK;
}

spl_status spl__device_sssp(spl_graph *graph, const int64_t *sources, int64_t count,
                            double *distances, bool *found)
{
    paths s = {.graph = graph, .columns = spl__min_i64(COLUMNS, count)};
    spl_status status = find(&s, sources, count, distances);
    spl__device_array *const arrays[] = {&s.weights, &s.distances[0], &s.distances[1], &s.differs};
    spl_plan_destroy(s.plan);
    for (size_t k = 0; s.g && k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(&s.g->queue, arrays[k]);
    spl__free(s.host);
    spl__free(s.several);
    *found = !s.gives_up;
    graph->crawls |= s.gives_up;
    return status;
}
