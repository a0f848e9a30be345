/* SPDX-License-Identifier: Apache-2.0 */
/* betweenness.c: betweenness centrality.
 *
 * From a source, levels and numbers of shortest paths are found downwards, or for heavy levels
 * upwards; then each vertex, the farthest first, gets its share of its successors' dependencies:
 * delta(u) = paths(u) * (sum over v one level below u of (1 + delta(v))/paths(v)). Each thread has
 * a source of its own; what the sources give is added in their order, so that sums do not depend on
 * threads. Where all is near, batches of sources share their searches: betweenness_batch.c.
 *
 * Source: U. Brandes, A faster algorithm for betweenness centrality, J. Mathematical Sociology 25,
 * 2001; upwards as in bfs.c. */
#include "graph/betweenness.h"
#include "core/checked.h"
#include "core/threads/team.h"
#include "graph/gpu/device_graph.h"

#include <math.h>
#include <string.h>

/* Batches: of so many sources, in graphs of no more levels. Where sources are at different levels
 * of a vertex, as on roads, a batch shares nothing and takes more memory. */
enum { MANY_SOURCES = 16, FEW_LEVELS = 32 };

/* Vertices that are looked at in the time of an edge. */
enum { SCANNED = 4 };

typedef struct brandes {
    spl_graph *g;
    const spl__arcs *in; /* NULL: memory is short for it */
    spl__watch *watch;
    int threads;
    /* n for each thread; of `queue` one more */
    int32_t *level, *queue;
    double *paths, *share, *delta;
    int32_t *beyond; /* of each thread: a vertex with more paths than f64 counts; -1: none */
} brandes;

/* x or 0, without a branch. */
static inline double chosen(bool on, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= -(uint64_t)on;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A level's vertices are queue[begin..end]; returns the end of the next one. Whether an edge leads
 * on is hard to foresee: there are no branches. */
static int64_t push(const spl__arcs *out, int64_t begin, int64_t end, int32_t *level,
                    int32_t *queue, double *paths)
{
    const int32_t below = level[queue[begin]] + 1;
    int64_t tail = end;
    for (int64_t q = begin; q < end; q++) {
        const int32_t u = queue[q];
        const double of_u = paths[u];
        for (int64_t p = out->begin[u]; p < out->begin[u + 1]; p++) {
            const int32_t v = out->to[p], of_v = level[v], now = of_v < 0 ? below : of_v;
            queue[tail] = v;
            tail += of_v < 0;
            level[v] = now;
            paths[v] += chosen(now == below, of_u);
        }
    }
    return tail;
}

/* The same from vertices that are not reached yet, of n. */
static int64_t pull(const spl__arcs *in, int32_t n, int32_t above, int64_t tail, int32_t *level,
                    int32_t *queue, double *paths)
{
    for (int32_t v = 0; v < n; v++) {
        double sum = 0;
        if (level[v] >= 0)
            continue;
        for (int64_t p = in->begin[v]; p < in->begin[v + 1]; p++)
            sum += chosen(level[in->to[p]] == above, paths[in->to[p]]);
        if (sum > 0) {
            level[v] = above + 1;
            paths[v] = sum;
            queue[tail++] = v;
        }
    }
    return tail;
}

/* Levels and paths from the source; returns the number of vertices reached, in the order of their
 * levels in `queue`. Where a level has more edges than the vertices not reached, these look
 * for theirs. */
static int64_t go_down(const brandes *b, int32_t source, int32_t *level, int32_t *queue,
                       double *paths)
{
    const spl_graph *g = b->g;
    int64_t begin = 0, end = 1, left = g->edges - spl__arcs_of(&g->out, source),
            edges = spl__arcs_of(&g->out, source);
    queue[0] = source;
    level[source] = 0;
    paths[source] = 1;
    while (begin < end) {
        const int64_t tail =
            b->in && edges > left + g->vertices / SCANNED
                ? pull(b->in, g->vertices, level[queue[begin]], end, level, queue, paths)
                : push(&g->out, begin, end, level, queue, paths);
        begin = end;
        edges = 0;
        for (; end < tail; end++)
            edges += spl__arcs_of(&g->out, queue[end]);
        left -= edges;
    }
    return end;
}

/* The sources' dependencies on vertices from their successors', of which `share` is what each gives
 * for a path: (1 + delta(v))/paths(v). Vertices of the last level have none. */
static void go_up(const spl__arcs *out, int64_t end, const int32_t *level, const int32_t *queue,
                  const double *paths, double *share, double *delta)
{
    const int32_t last = level[queue[end - 1]];
    int64_t q = end - 1;
    for (; q > 0 && level[queue[q]] == last; q--)
        share[queue[q]] = 1 / paths[queue[q]];
    for (; q > 0; q--) { /* 0: a source lies between none of its paths */
        const int32_t u = queue[q], below = level[u] + 1;
        double sum = 0;
        for (int64_t p = out->begin[u]; p < out->begin[u + 1]; p++) {
            const int32_t v = out->to[p];
            sum += chosen(level[v] == below, share[v]);
        }
        delta[u] = paths[u] * sum;
        share[u] = (1 + delta[u]) / paths[u];
    }
}

static void run_source(const brandes *b, int thread, int32_t source)
{
    const int64_t n = b->g->vertices, first = thread * n;
    int32_t *level = b->level + first, *queue = b->queue + first + thread;
    double *paths = b->paths + first, *share = b->share + first, *delta = b->delta + first;
    for (int64_t v = 0; v < n; v++) {
        level[v] = -1;
        paths[v] = share[v] = delta[v] = 0;
    }
    int64_t end = go_down(b, source, level, queue, paths);
    b->beyond[thread] = -1;
    for (int64_t q = 0; b->beyond[thread] < 0 && q < end; q++)
        if (isinf(paths[queue[q]]))
            b->beyond[thread] = queue[q];
    if (b->beyond[thread] < 0)
        go_up(&b->g->out, end, level, queue, paths, share, delta);
}

spl_status spl__betweenness_beyond(int64_t source, int64_t vertex)
{
    return spl__fail(SPL_INDEX_OVERFLOW, "more shortest paths from %lld to %lld than f64 can count",
                     (long long)source, (long long)vertex);
}

static spl_status add_up(const brandes *b, const int64_t *sources, int64_t first, int64_t count,
                         double *betweenness)
{
    const int64_t n = b->g->vertices;
    for (int64_t k = 0; k < count; k++)
        if (b->beyond[k] >= 0)
            return spl__betweenness_beyond(sources ? sources[first + k] : first + k, b->beyond[k]);
    for (int64_t k = 0; k < count; k++)
        for (int64_t v = 0; v < n; v++)
            betweenness[v] += b->delta[k * n + v];
    return SPL_OK;
}

static spl_status make(brandes *b, spl__account *account)
{
    const int64_t n = b->g->vertices;
    SPL__TRY(SPL__NEW(account, &b->level, n * b->threads));
    SPL__TRY(SPL__NEW(account, &b->queue, (n + 1) * b->threads));
    SPL__TRY(SPL__NEW(account, &b->paths, n * b->threads));
    SPL__TRY(SPL__NEW(account, &b->share, n * b->threads));
    SPL__TRY(SPL__NEW(account, &b->delta, n * b->threads));
    return SPL__NEW(account, &b->beyond, b->threads);
}

/* One source for each thread at a time. */
static spl_status run_singly(brandes *b, spl__account *account, const int64_t *sources,
                             int64_t count, double *betweenness)
{
    const spl_status status = spl__graph_need_in(b->g, account);
    if (status != SPL_OVER_BUDGET)
        SPL__TRY(status);
    b->in = status == SPL_OK ? &b->g->in : NULL;
    SPL__TRY(make(b, account));
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

/* Whether a search from the middle one of the sources ends after few levels. */
static spl_status are_near(const spl_graph *g, spl__account *account, int32_t source, bool *near)
{
    int32_t *level, *queue;
    int64_t begin = 0, end = 1, tail = 1;
    int32_t levels = 0;
    SPL__TRY(SPL__NEW_ZERO(account, &level, g->vertices));
    spl_status status = SPL__NEW(account, &queue, g->vertices);
    if (status != SPL_OK) {
        spl__free(level);
        return status;
    }
    queue[0] = source;
    level[source] = 1;
    for (; begin < end && levels <= FEW_LEVELS; end = tail, levels++)
        for (; begin < end; begin++)
            for (int64_t p = g->out.begin[queue[begin]]; p < g->out.begin[queue[begin] + 1]; p++)
                if (level[g->out.to[p]] == 0) {
                    level[g->out.to[p]] = 1;
                    queue[tail++] = g->out.to[p];
                }
    *near = levels <= FEW_LEVELS;
    spl__free(level);
    spl__free(queue);
    return SPL_OK;
}

static spl_status run(brandes *b, spl__account *account, const int64_t *sources, int64_t count,
                      double *betweenness)
{
    const int64_t middle = count / 2;
    bool near = false;
    for (int64_t v = 0; v < b->g->vertices; v++)
        betweenness[v] = 0;
    if (count >= MANY_SOURCES)
        SPL__TRY(are_near(b->g, account, (int32_t)(sources ? sources[middle] : middle), &near));
    if (!near)
        return run_singly(b, account, sources, count, betweenness);
    spl_status status = spl__betweenness_by_batches(b->g, account, sources, count, betweenness);
    return status == SPL_OVER_BUDGET ? run_singly(b, account, sources, count, betweenness) : status;
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
    if (spl__graph_device(graph->context))
        return spl__device_betweenness(graph, sources, sources ? count : graph->vertices,
                                       betweenness);
    spl__account *account = spl__watched_begin(&call, graph->context, "betweenness", 0);
    brandes b = {.g = graph,
                 .watch = spl__account_watch(account),
                 .threads = spl__graph_threads(graph, graph->vertices + graph->edges)};
    spl_status status = run(&b, account, sources, sources ? count : graph->vertices, betweenness);
    spl__free(b.level);
    spl__free(b.queue);
    spl__free(b.paths);
    spl__free(b.share);
    spl__free(b.delta);
    spl__free(b.beyond);
    return status;
}
