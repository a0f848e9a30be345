/* SPDX-License-Identifier: Apache-2.0 */
/* sssp.c: shortest paths by delta-stepping.
 *
 * A vertex whose distance fell waits in a bin of width delta. Bins have their turn in order; edges
 * out of a bin's vertices are followed until it is empty, also by what they bring into it: threads
 * take blocks of vertices until none has any, without a common step between (bins.h).
 *
 * Distances are the same bits whatever the order: sums rounded step by step do not fall along a
 * path and keep their order when the same weight is added, so the least over all paths is reached.
 * Source: U. Meyer, P. Sanders, Delta-stepping: a parallelizable shortest path algorithm, Journal
 * of Algorithms 49, 2003; bins of each thread: S. Beamer, K. Asanovic, D. Patterson, The GAP
 * benchmark suite, arXiv 1508.03619; on in the same bin: Y. Zhang and others, Optimizing ordered
 * graph algorithms with GraphIt, CGO 2020.
 * Differs: an entry whose distance fell since is passed over, as in heaps without a decrease. */
#include "core/threads/team.h"
#include "graph/adjacency.h"
#include "graph/bins.h"
#include "graph/gpu/device_graph.h"
#include "graph/weights.h"

#include <math.h>
#include <sched.h>

typedef struct paths {
    const spl_graph *g;
    spl__watch *watch;
    double *distance;
    double delta;
    int64_t busy; /* threads that may bring more into the bin */
    bool alone;   /* one thread's, beside other searches */
    spl__bins bins;
} paths;

/* ---------------------------------------------------------------------------------------- weights
 */

static spl_status fail_weight(const spl_graph *g)
{
    int64_t p = 0;
    int32_t v = 0;
    while (spl__weight_of(g, p) >= 0)
        p++;
    while (g->out.begin[v + 1] <= p)
        v++;
    return spl__fail(SPL_INVALID_ARGUMENT,
                     "the edge from %lld to %lld has the weight %g, distances need 0 or more",
                     (long long)v, (long long)g->out.to[p], spl__weight_of(g, p));
}

/* Of the vertices with edges out of them half have as many, or fewer. */
static int32_t median_degree(const spl_graph *g)
{
    enum { MOST = 256 };
    int64_t counts[MOST + 1] = {0}, all = 0, seen = 0;
    int32_t degree = 0;
    for (int32_t v = 0; v < g->vertices; v++)
        counts[spl__min_i64(spl__arcs_of(&g->out, v), MOST)]++;
    all = g->vertices - counts[0];
    while (2 * seen < all)
        seen += counts[++degree];
    return degree;
}

/* Checks the weights and takes what chosen_delta needs, once for a graph. */
static spl_status look_at_weights(spl_graph *g)
{
    double sum = 0, least = INFINITY;
    bool wrong = false;
    if (!g->weights && g->edges > 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "the graph has no weights");
    for (int64_t p = 0; g->mean_weight < 0 && p < g->edges; p++) {
        wrong |= !(spl__weight_of(g, p) >= 0);
        least = fmin(least, spl__weight_of(g, p));
        sum += isinf(spl__weight_of(g, p)) ? 0 : spl__weight_of(g, p);
    }
    if (wrong)
        return fail_weight(g);
    if (g->mean_weight < 0) {
        g->mean_weight = g->edges > 0 ? sum / (double)g->edges : 0;
        g->least_weight = g->edges > 0 ? least : 0;
        g->median_degree = median_degree(g);
    }
    return SPL_OK;
}

/* ------------------------------------------------------------------------------------------ steps
 */

/* Lowers a distance; false if it is not larger. */
static inline bool lower(double *distance, double to, bool shared)
{
    double old;
    if (!shared) {
        if (to >= *distance)
            return false;
        *distance = to;
        return true;
    }
    __atomic_load(distance, &old, __ATOMIC_RELAXED);
    while (to < old)
        if (__atomic_compare_exchange(distance, &old, &to, false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED))
            return true;
    return false;
}

/* Follows the edges out of u, if its distance is still what it was added with. */
static inline void follow(paths *s, spl__bin_filler *filler, spl__waiting u, bool shared,
                          bool narrow)
{
    const spl__arcs out = s->g->out;
    double from;
    __atomic_load(&s->distance[u.vertex], &from, __ATOMIC_RELAXED);
    if (spl__bin_rounded(from) != u.distance)
        return;
    for (int64_t p = out.begin[u.vertex]; p < out.begin[u.vertex + 1]; p++) {
        const int32_t v = out.to[p];
        const double to = from + (narrow ? (double)((const float *)s->g->weights)[p]
                                         : ((const double *)s->g->weights)[p]);
        if (lower(&s->distance[v], to, shared))
            spl__bins_add(&s->bins, filler, v, to);
    }
}

/* Calls for what the entries after the k-th will read. */
static inline void fetch(const paths *s, const spl__waiting *entries, int32_t k, int32_t count)
{
    enum { AHEAD = 4 };
    if (k + 2 * AHEAD < count) {
        __builtin_prefetch(&s->g->out.begin[entries[k + 2 * AHEAD].vertex]);
        __builtin_prefetch(&s->distance[entries[k + 2 * AHEAD].vertex]);
    }
    if (k + AHEAD < count) {
        const int64_t p = s->g->out.begin[entries[k + AHEAD].vertex];
        __builtin_prefetch(&s->g->out.to[p]);
        __builtin_prefetch((const char *)s->g->weights +
                           p * (s->g->weight_type == SPL_F32 ? 4 : 8));
    }
}

static inline void follow_block(paths *s, spl__bin_filler *filler, int32_t block, bool shared,
                                bool narrow)
{
    const spl__waiting *const entries = s->bins.entries + (int64_t)block * SPL__BIN_BLOCK;
    const int32_t count = s->bins.counts[block];
    for (int32_t k = 0; k < count; k++) {
        fetch(s, entries, k, count);
        follow(s, filler, entries[k], shared, narrow);
    }
}

/* A block; while there is none, but others may bring some, waits. -1: all have done theirs. */
static int32_t next_block(paths *s, spl__bin_filler *filler)
{
    int32_t block = spl__bins_take(&s->bins, filler);
    if (block >= 0)
        return block;
    __atomic_fetch_sub(&s->busy, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&s->busy, __ATOMIC_SEQ_CST) > 0) {
        if (spl__bins_waiting(&s->bins) == 0) {
            sched_yield();
            continue;
        }
        __atomic_fetch_add(&s->busy, 1, __ATOMIC_SEQ_CST);
        block = spl__bins_take(&s->bins, filler);
        if (block >= 0)
            return block;
        __atomic_fetch_sub(&s->busy, 1, __ATOMIC_SEQ_CST);
    }
    return -1;
}

static void follow_bin(paths *s, spl__bin_filler *filler)
{
    const bool narrow = s->g->weight_type == SPL_F32;
    int32_t block;
    __atomic_fetch_add(&s->busy, 1, __ATOMIC_SEQ_CST);
    while ((block = next_block(s, filler)) >= 0) {
        if (spl__watch_goes_on(s->watch))
            narrow ? follow_block(s, filler, block, true, true)
                   : follow_block(s, filler, block, true, false);
        spl__bins_give_back(&s->bins, filler, block);
    }
}

static int threads_for(const paths *s)
{
    const int64_t per_vertex = 1 + s->g->edges / s->g->vertices;
    return s->alone ? 1 : spl__graph_threads(s->g, spl__bins_waiting(&s->bins) * per_vertex);
}

/* The same by one thread, unless there is enough for more. */
static void follow_bin_alone(paths *s)
{
    const bool narrow = s->g->weight_type == SPL_F32;
    spl__bin_filler *const filler = &s->bins.fillers[0];
    int32_t block;
    while (threads_for(s) == 1 && (block = spl__bins_take(&s->bins, filler)) >= 0) {
        if (spl__watch_goes_on(s->watch))
            narrow ? follow_block(s, filler, block, false, true)
                   : follow_block(s, filler, block, false, false);
        spl__bins_give_back(&s->bins, filler, block);
    }
}

static void empty_bin(paths *s)
{
    follow_bin_alone(s);
    const int threads = threads_for(s);
    if (threads == 1)
        return;
    int thread = 0;
    s->busy = 0;
#pragma omp parallel num_threads(spl__team(threads))
    follow_bin(s, &s->bins.fillers[__atomic_fetch_add(&thread, 1, __ATOMIC_RELAXED)]);
}

/* After a cancel something is missing. */
static void run(paths *s, int32_t source)
{
    const int32_t n = s->g->vertices;
    bool more = true;
    for (int32_t v = 0; v < n; v++)
        s->distance[v] = INFINITY;
    s->distance[source] = 0;
    spl__bins_start(&s->bins, s->delta);
    spl__bins_add(&s->bins, &s->bins.fillers[0], source, 0);
    while (more && spl__watch_goes_on(s->watch)) {
        empty_bin(s);
        if (s->bins.dropped)
            spl__bins_refill(&s->bins, s->distance, n);
        else
            more = spl__bins_advance(&s->bins, s->distance);
    }
}

/* As A. Davidson and others choose it (Work-efficient parallel GPU methods for single-source
 * shortest paths, IPDPS 2014): so much mean weight over the degree. The degree is the median: what
 * is followed in vain are edges out of vertices whose distances fall again, and these are not the
 * hubs, which are near everything. How much was measured with two threads, 2026-11-28: of degree 4
 * (grids) 16, of 32 (uniform) 2 to 8. Never less than the least weight, if that is finite: of
 * vertices that are so near each other none is on the way to another. */
static double chosen_delta(const spl_graph *g)
{
    if (g->edges == 0)
        return 0;
    const double degree = g->median_degree,
                 chosen = g->mean_weight * fmin(16, fmax(2, 64 / degree)) / degree;
    return fmax(chosen, isinf(g->least_weight) ? 0 : g->least_weight);
}

static spl_status check_request(const spl_graph *graph, double delta, const double *distances)
{
    if (!graph || !distances)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", !graph ? "graph" : "distances");
    if (!(delta >= 0))
        return spl__fail(SPL_INVALID_ARGUMENT, "delta is %g, less than 0", delta);
    return SPL_OK;
}

static spl_status check(const spl_graph *graph, int64_t source, double delta,
                        const double *distances)
{
    SPL__TRY(check_request(graph, delta, distances));
    return spl__graph_check_vertex(graph, "source", source);
}

/* SPL_OUT_OF_MEMORY, SPL_OVER_BUDGET: the bins are freed all the same. */
static spl_status start(paths *s, const spl_graph *graph, spl__account *account, double delta,
                        bool alone)
{
    const int threads = alone ? 1 : spl__graph_threads(graph, graph->vertices + graph->edges);
    *s = (paths){.g = graph,
                 .watch = spl__account_watch(account),
                 .delta = delta > 0 ? delta : chosen_delta(graph),
                 .alone = threads == 1};
    return spl__bins_make(&s->bins, account, graph->vertices, threads);
}

static spl_status find_distances(spl_graph *graph, spl__account *account, int32_t source,
                                 double delta, double *distances)
{
    const int64_t sources[] = {source};
    bool found = false;
    SPL__TRY(look_at_weights(graph));
    if (spl__graph_device(graph->context) && !graph->crawls)
        SPL__TRY(spl__device_sssp(graph, sources, 1, distances, &found));
    if (found)
        return SPL_OK;
    paths s;
    spl_status status = start(&s, graph, account, delta, false);
    if (status == SPL_OK) {
        s.distance = distances;
        run(&s, source);
        status = spl__watch_check(s.watch);
    }
    spl__bins_free(&s.bins);
    return status;
}

spl_status spl_graph_sssp(spl_graph *graph, int64_t source, double delta, double *distances)
{
    spl__watched call;
    SPL__TRY(check(graph, source, delta, distances));
    spl__account *account = spl__watched_begin(&call, graph->context, "sssp", 0);
    return find_distances(graph, account, (int32_t)source, delta, distances);
}

spl_status spl_graph_sssp_tree(spl_graph *graph, int64_t source, double delta, double *distances,
                               int32_t *predecessors)
{
    spl__watched call;
    SPL__TRY(check(graph, source, delta, distances));
    if (!predecessors)
        return spl__fail(SPL_INVALID_ARGUMENT, "predecessors is NULL");
    spl__account *account = spl__watched_begin(&call, graph->context, "sssp", 0);
    SPL__TRY(find_distances(graph, account, (int32_t)source, delta, distances));
    return spl__graph_find_predecessors(graph, (int32_t)source, distances, predecessors, account);
}

/* Searches of several sources: bins for each of `workers` threads, which take one after the other.
 * SPL_OVER_BUDGET: there is no room for so many. */
static spl_status find_each(spl_graph *graph, spl__account *account, int workers,
                            const int64_t *sources, int64_t count, double delta, double *distances)
{
    paths *all;
    SPL__TRY(SPL__NEW_ZERO(account, &all, workers));
    spl_status status = SPL_OK;
    for (int k = 0; k < workers && status == SPL_OK; k++)
        status = start(&all[k], graph, account, delta, workers > 1);
    if (status == SPL_OK) {
        int64_t begin = 0;
#pragma omp parallel for num_threads(spl__team(workers)) schedule(static, 1)
        for (int k = 0; k < workers; k++)
            for (int64_t q; (q = __atomic_fetch_add(&begin, 1, __ATOMIC_RELAXED)) < count;) {
                all[k].distance = distances + q * graph->vertices;
                if (spl__watch_goes_on(all[k].watch))
                    run(&all[k], (int32_t)sources[q]);
            }
        status = spl__watch_check(all[0].watch);
    }
    for (int k = 0; k < workers; k++)
        spl__bins_free(&all[k].bins);
    spl__free(all);
    return status;
}

spl_status spl_graph_multi_sssp(spl_graph *graph, const int64_t *sources, int64_t count,
                                double delta, double *distances)
{
    spl__watched call;
    bool found = false;
    if (!sources || count < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s",
                         count < 0 ? "count is less than 0" : "sources is NULL");
    SPL__TRY(check_request(graph, delta, distances));
    for (int64_t k = 0; k < count; k++)
        SPL__TRY(spl__graph_check_vertex(graph, "a source", sources[k]));
    spl__account *account = spl__watched_begin(&call, graph->context, "multi_sssp", 0);
    SPL__TRY(look_at_weights(graph));
    if (count == 0)
        return SPL_OK;
    if (spl__graph_device(graph->context) && !graph->crawls)
        SPL__TRY(spl__device_sssp(graph, sources, count, distances, &found));
    if (found)
        return SPL_OK;
    const int threads = spl__graph_threads(graph, graph->vertices + graph->edges);
    const int workers = count < threads ? 1 : threads;
    spl_status status = find_each(graph, account, workers, sources, count, delta, distances);
    return status == SPL_OVER_BUDGET && workers > 1
               ? find_each(graph, account, 1, sources, count, delta, distances)
               : status;
}
