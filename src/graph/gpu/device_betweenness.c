/* SPDX-License-Identifier: Apache-2.0 */
/* device_betweenness.c: betweenness on a device, of some sources at a time: numbers of paths go
 * along the edges level by level, and shares of paths back, each as a product with a dense matrix
 * that has a column for each source.
 * Source: U. Brandes, A faster algorithm for betweenness centrality, J. Mathematical Sociology 25,
 * 2001; by products as in J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear
 * Algebra, 2011. */
#include "graph/betweenness.h"
#include "graph/gpu/device_graph.h"
#include "graph/kernels/graph_steps.k.h"

#include <math.h>

enum { MOST_COLUMNS = 32 };

typedef struct brandes {
    spl_graph *graph;
    spl__device_graph *g;
    spl_plan *along, *back; /* products along the edges, and against them */
    int64_t columns;        /* sources at a time */
    double *host;           /* a matrix: where a batch starts, or its numbers of paths */
    /* n x columns: what goes along edges and what arrives; numbers of paths, shares, levels */
    spl__device_array front, arrived, paths, shares, levels;
    spl__device_array sums, seen; /* of each vertex; whether any was found, or has too many paths */
} brandes;

static struct graph_paths_args arguments(const brandes *b, int32_t level)
{
    return (struct graph_paths_args){.count = b->graph->vertices * b->columns,
                                     .columns = (int32_t)b->columns,
                                     .arrived = b->arrived.data,
                                     .front = b->front.data,
                                     .paths = b->paths.data,
                                     .shares = b->shares.data,
                                     .levels = b->levels.data,
                                     .sums = b->sums.data,
                                     .level = level,
                                     .seen = b->seen.data};
}

#define LAUNCH(b, name, items, args)                                                               \
    spl__device_graph_launch((b)->g, name, items, args, sizeof *(args))

/* arrived = the product with front. */
static spl_status multiply(const brandes *b, spl_plan *plan)
{
    const spl_dense from = spl__device_graph_dense(b->graph, b->columns, &b->front),
                    to = spl__device_graph_dense(b->graph, b->columns, &b->arrived);
    return spl_spmm_execute(plan, NULL, &from, NULL, &to, &b->g->stream);
}

/* A source of the batch has more paths to some vertex than f64 counts. */
static spl_status fail_beyond(const brandes *b, const int64_t *sources, int64_t first)
{
    const int64_t count = b->graph->vertices * b->columns;
    SPL__TRY(spl__queue_fetch(&b->g->queue, b->host, b->paths.data, b->paths.bytes));
    for (int64_t e = 0; e < count; e++)
        if (isinf(b->host[e])) {
            const int64_t k = first + e % b->columns;
            return spl__betweenness_beyond(sources ? sources[k] : k, e / b->columns);
        }
    return spl__fail(SPL_INTERNAL, "no number of paths is infinite");
}

/* The levels of all vertices, and the numbers of paths to them; *level: the last one. Waits for
 * each. */
static spl_status count_paths(const brandes *b, const int64_t *sources, int64_t first,
                              int32_t *level)
{
    uint32_t seen[2] = {1, 0};
    for (*level = 0; seen[0] != 0;) {
        const struct graph_paths_args args = arguments(b, ++*level);
        SPL__TRY(spl__progress(b->graph->context, "betweenness", *level, 0));
        SPL__TRY(spl__queue_fill(&b->g->queue, b->seen.data, 0, b->seen.bytes));
        SPL__TRY(multiply(b, b->along));
        SPL__TRY(LAUNCH(b, "graph_paths", args.count, &args));
        SPL__TRY(spl__queue_fetch(&b->g->queue, seen, b->seen.data, sizeof seen));
        if (seen[1] != 0)
            return fail_beyond(b, sources, first);
    }
    --*level;
    return SPL_OK;
}

static spl_status start(const brandes *b, const int64_t *sources, int64_t first, int64_t count)
{
    spl__queue *queue = &b->g->queue;
    const int64_t n = b->graph->vertices;
    const struct graph_paths_args args = arguments(b, 0);
    for (int64_t e = 0; e < n * b->columns; e++)
        b->host[e] = 0;
    for (int64_t k = 0; k < count; k++)
        b->host[(sources ? sources[first + k] : first + k) * b->columns + k] = 1;
    SPL__TRY(spl__queue_copy(queue, b->arrived.data, b->host, b->arrived.bytes));
    SPL__TRY(spl__queue_fill(queue, b->levels.data, 0xff, b->levels.bytes));
    SPL__TRY(spl__queue_fill(queue, b->paths.data, 0, b->paths.bytes));
    SPL__TRY(spl__queue_fill(queue, b->shares.data, 0, b->shares.bytes));
    return LAUNCH(b, "graph_paths", args.count, &args);
}

static spl_status run_batch(const brandes *b, const int64_t *sources, int64_t first, int64_t count)
{
    int32_t level;
    SPL__TRY(start(b, sources, first, count));
    SPL__TRY(count_paths(b, sources, first, &level));
    for (bool last = true; level > 0; level--, last = false) {
        struct graph_paths_args args = arguments(b, level);
        if (last)
            args.arrived = NULL;
        SPL__TRY(LAUNCH(b, "graph_shares", args.count, &args));
        if (level > 1)
            SPL__TRY(multiply(b, b->back));
    }
    const struct graph_paths_args args = arguments(b, 0);
    return LAUNCH(b, "graph_betweenness", b->graph->vertices, &args);
}

static spl_status plan_products(brandes *b)
{
    spl_graph *graph = b->graph;
    SPL__TRY(
        spl__device_graph_plan_dense(graph, b->columns, true, NULL, SPL_PLUS_SECOND, &b->along));
    return spl__device_graph_plan_dense(graph, b->columns, false, NULL, SPL_PLUS_SECOND, &b->back);
}

static spl_status allocate(brandes *b)
{
    spl__queue *queue = &b->g->queue;
    const int64_t n = b->graph->vertices, count = n * b->columns;
    SPL__TRY(SPL__NEW(&b->graph->context->account, &b->host, count));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(double), &b->front));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(double), &b->arrived));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(double), &b->paths));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(double), &b->shares));
    SPL__TRY(spl__queue_alloc(queue, count, sizeof(int32_t), &b->levels));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(double), &b->sums));
    SPL__TRY(spl__queue_alloc(queue, 2, sizeof(uint32_t), &b->seen));
    SPL__TRY(spl__queue_fill(queue, b->seen.data, 0, b->seen.bytes));
    return spl__queue_fill(queue, b->sums.data, 0, b->sums.bytes);
}

static spl_status run(brandes *b, const int64_t *sources, int64_t count, double *betweenness)
{
    SPL__TRY(spl__device_graph_of(b->graph, &b->g));
    SPL__TRY(plan_products(b));
    SPL__TRY(allocate(b));
    for (int64_t first = 0; first < count; first += b->columns)
        SPL__TRY(run_batch(b, sources, first, spl__min_i64(b->columns, count - first)));
    return spl__queue_fetch(&b->g->queue, betweenness, b->sums.data, b->sums.bytes);
}

spl_status spl__device_betweenness(spl_graph *graph, const int64_t *sources, int64_t count,
                                   double *betweenness)
{
    brandes b = {.graph = graph, .columns = 1};
    if (graph->vertices == 0)
        return SPL_OK;
    while (b.columns < count && b.columns < MOST_COLUMNS)
        b.columns *= 2;
    spl_status status = run(&b, sources, count, betweenness);
    spl__device_array *const arrays[] = {&b.front,  &b.arrived, &b.paths, &b.shares,
                                         &b.levels, &b.sums,    &b.seen};
    spl_plan_destroy(b.along);
    spl_plan_destroy(b.back);
    for (size_t k = 0; b.g && k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(&b.g->queue, arrays[k]);
    spl__free(b.host);
    return status;
}
