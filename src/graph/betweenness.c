/* SPDX-License-Identifier: Apache-2.0 */
/* betweenness.c: betweenness centrality.
 *
 * From a source, levels and numbers of shortest paths are found downwards; then each vertex, the
 * farthest first, gets its share of its successors' dependencies: delta(u) = sum over v one level
 * below u of paths(u)/paths(v) * (1 + delta(v)). Each thread has a source of its own; what the
 * sources give is added in their order, so that sums do not depend on threads.
 * Source: U. Brandes, A faster algorithm for betweenness centrality, J. Mathematical Sociology 25,
 * 2001. */
#include "core/checked.h"
#include "core/team.h"
#include "graph/adjacency.h"

#include <math.h>

typedef struct brandes {
    const spl_graph *g;
    spl__watch *watch;
    int threads;
    /* n for each thread */
    int32_t *level, *queue;
    double *paths, *delta;
    int32_t *beyond; /* of each thread: a vertex with more paths than f64 counts; -1: none */
} brandes;

/* Levels and paths from the source; returns the number of vertices reached, in the order of their
 * levels in `queue`. */
static int64_t go_down(const spl__arcs *out, int32_t source, int32_t *level, int32_t *queue,
                       double *paths)
{
    int64_t end = 1;
    queue[0] = source;
    level[source] = 0;
    paths[source] = 1;
    for (int64_t q = 0; q < end; q++) {
        const int32_t u = queue[q];
        for (int64_t p = out->begin[u]; p < out->begin[u + 1]; p++) {
            const int32_t v = out->to[p];
            if (level[v] < 0) {
                level[v] = level[u] + 1;
                queue[end++] = v;
            }
            if (level[v] == level[u] + 1)
                paths[v] += paths[u];
        }
    }
    return end;
}

static void go_up(const spl__arcs *out, int64_t end, const int32_t *level, const int32_t *queue,
                  const double *paths, double *delta)
{
    for (int64_t q = end - 1; q > 0; q--) { /* 0: a source lies between none of its paths */
        const int32_t u = queue[q];
        double sum = 0;
        for (int64_t p = out->begin[u]; p < out->begin[u + 1]; p++) {
            const int32_t v = out->to[p];
            if (level[v] == level[u] + 1)
                sum += paths[u] / paths[v] * (1 + delta[v]);
        }
        delta[u] = sum;
    }
}

static void run_source(const brandes *b, int thread, int32_t source)
{
    const int64_t n = b->g->vertices, first = thread * n;
    int32_t *level = b->level + first, *queue = b->queue + first;
    double *paths = b->paths + first, *delta = b->delta + first;
    for (int64_t v = 0; v < n; v++) {
        level[v] = -1;
        paths[v] = delta[v] = 0;
    }
    int64_t end = go_down(&b->g->out, source, level, queue, paths);
    b->beyond[thread] = -1;
    for (int64_t q = 0; b->beyond[thread] < 0 && q < end; q++)
        if (isinf(paths[queue[q]]))
            b->beyond[thread] = queue[q];
    if (b->beyond[thread] < 0)
        go_up(&b->g->out, end, level, queue, paths, delta);
}

static spl_status add_up(const brandes *b, const int64_t *sources, int64_t first, int64_t count,
                         double *betweenness)
{
    const int64_t n = b->g->vertices;
    for (int64_t k = 0; k < count; k++)
        if (b->beyond[k] >= 0)
            return spl__fail(
                SPL_INDEX_OVERFLOW, "more shortest paths from %lld to %lld than f64 can count",
                (long long)(sources ? sources[first + k] : first + k), (long long)b->beyond[k]);
    for (int64_t k = 0; k < count; k++)
        for (int64_t v = 0; v < n; v++)
            betweenness[v] += b->delta[k * n + v];
    return SPL_OK;
}

static spl_status run(brandes *b, spl__account *account, const int64_t *sources, int64_t count,
                      double *betweenness)
{
    const int64_t n = b->g->vertices;
    SPL__TRY(SPL__NEW(account, &b->level, n * b->threads));
    SPL__TRY(SPL__NEW(account, &b->queue, n * b->threads));
    SPL__TRY(SPL__NEW(account, &b->paths, n * b->threads));
    SPL__TRY(SPL__NEW(account, &b->delta, n * b->threads));
    SPL__TRY(SPL__NEW(account, &b->beyond, b->threads));
    for (int64_t v = 0; v < n; v++)
        betweenness[v] = 0;
    for (int64_t first = 0; first < count; first += b->threads) {
        const int64_t now = spl__min_i64(b->threads, count - first);
#pragma omp parallel for num_threads(spl__team(b->threads)) schedule(dynamic, 1)
        for (int64_t k = 0; k < now; k++)
            run_source(b, (int)k, (int32_t)(sources ? sources[first + k] : first + k));
        SPL__TRY(add_up(b, sources, first, now, betweenness));
        SPL__TRY(spl__watch_check(b->watch));
    }
    return SPL_OK;
}

spl_status spl_graph_betweenness(spl_graph *graph, const int64_t *sources, int64_t count,
                                 double *betweenness)
{
    spl__watched call;
    if (!graph || !betweenness || count < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s",
                         !graph         ? "graph is NULL"
                         : !betweenness ? "betweenness is NULL"
                                        : "count is less than 0");
    for (int64_t k = 0; sources && k < count; k++)
        SPL__TRY(spl__graph_check_vertex(graph, "a source", sources[k]));
    spl__account *account = spl__watched_begin(&call, graph->context, "betweenness", 0);
    brandes b = {.g = graph,
                 .watch = spl__account_watch(account),
                 .threads = spl__graph_threads(graph, graph->vertices + graph->edges)};
    spl_status status = run(&b, account, sources, sources ? count : graph->vertices, betweenness);
    spl__free(b.level);
    spl__free(b.queue);
    spl__free(b.paths);
    spl__free(b.delta);
    spl__free(b.beyond);
    return status;
}
