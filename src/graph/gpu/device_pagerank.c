/* SPDX-License-Identifier: Apache-2.0 */
/* device_pagerank.c: the power method of pagerank.c on a device: a product over plus_second adds
 * what predecessors gave, in f64. */
#include "graph/gpu/device_graph.h"
#include "graph/kernels/graph_steps.k.h"

typedef struct power {
    spl_graph *graph;
    spl__device_graph *g;
    spl_plan *plan;
    double damping;
    int64_t chunks;
    double *partial; /* on the host: sums of chunks */
    spl__device_array sums, ranks, given, partials;
    double change, without; /* sums of |change|, and of ranks that are given to none */
} power;

static spl_status step(power *w, bool first)
{
    spl__queue *queue = &w->g->queue;
    const double n = w->graph->vertices;
    double *const partials = w->partials.data;
    struct graph_rank_args args = {.vertices = w->graph->vertices,
                                   .begin = w->g->begin.data,
                                   .sums = w->sums.data,
                                   .ranks = w->ranks.data,
                                   .given = w->given.data,
                                   .base = (1 - w->damping) / n + w->damping * w->without / n,
                                   .damping = w->damping,
                                   .changes = partials,
                                   .kept = partials + w->chunks,
                                   .first = first};
    if (!first)
        SPL__TRY(spl_spmv_execute(w->plan, NULL, w->given.data, NULL, w->sums.data, &w->g->stream));
    SPL__TRY(spl__device_graph_launch(w->g, "graph_rank", w->chunks * GRAPH_STEP_THREADS, &args,
                                      sizeof args));
    SPL__TRY(spl__queue_fetch(queue, w->partial, partials, w->partials.bytes));
    w->change = w->without = 0;
    for (int64_t c = 0; c < w->chunks; c++) {
        w->change += w->partial[c];
        w->without += w->partial[w->chunks + c];
    }
    return SPL_OK;
}

static spl_status allocate(power *w)
{
    spl__queue *queue = &w->g->queue;
    const int64_t n = w->graph->vertices;
    SPL__TRY(SPL__NEW(&w->graph->context->account, &w->partial, 2 * w->chunks));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(double), &w->sums));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(double), &w->ranks));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(double), &w->given));
    return spl__queue_alloc(queue, 2 * w->chunks, sizeof(double), &w->partials);
}

static spl_status run(power *w, double tolerance, int32_t most_steps, double *ranks, int32_t *steps)
{
    SPL__TRY(spl__device_graph_of(w->graph, &w->g));
    SPL__TRY(spl__device_graph_plan(w->graph, SPL_F64, NULL, SPL_PLUS_SECOND, &w->plan));
    SPL__TRY(allocate(w));
    SPL__TRY(step(w, true));
    for (*steps = 0; *steps < most_steps && w->change > tolerance; ++*steps) {
        SPL__TRY(spl__progress(w->graph->context, "pagerank", *steps, 0));
        SPL__TRY(step(w, false));
    }
    return spl__queue_fetch(&w->g->queue, ranks, w->ranks.data, w->ranks.bytes);
}

spl_status spl__device_pagerank(spl_graph *graph, double damping, double tolerance,
                                int32_t most_steps, double *ranks, int32_t *steps)
{
    power w = {.graph = graph,
               .damping = damping,
               .chunks = (graph->vertices + (int64_t)GRAPH_RANK_CHUNK - 1) / GRAPH_RANK_CHUNK};
    spl_status status = run(&w, tolerance, most_steps, ranks, steps);
    spl__device_array *const arrays[] = {&w.sums, &w.ranks, &w.given, &w.partials};
    spl_plan_destroy(w.plan);
    for (size_t k = 0; w.g && k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(&w.g->queue, arrays[k]);
    spl__free(w.partial);
    return status;
}
