/* SPDX-License-Identifier: Apache-2.0 */
/* sssp.c: shortest paths by delta-stepping with two piles.
 *
 * Vertices whose distance fell wait in the near pile if it is at most a threshold, else in the far
 * one. Edges out of the near pile are followed until it is empty; then the threshold becomes the
 * least distance of the far pile plus delta. A vertex is at most once in a pile, so that piles have
 * room for n.
 *
 * Distances are the same bits whatever the order: sums rounded step by step do not fall along a
 * path and keep their order when the same weight is added, so the least over all paths is reached.
 * Source: U. Meyer, P. Sanders, Delta-stepping: a parallelizable shortest path algorithm, Journal
 * of Algorithms 49, 2003; the piles: A. Davidson, S. Baxter, M. Garland, J. Owens, Work-efficient
 * parallel GPU methods for single-source shortest paths, IPDPS 2014. */
#include "core/team.h"
#include "graph/adjacency.h"
#include "graph/collector.h"
#include "graph/device_graph.h"
#include "graph/weights.h"

#include <math.h>

enum { NEAR = 1, FAR = 2 };

typedef struct paths {
    const spl_graph *g;
    spl__watch *watch;
    double *distance;
    uint8_t *waits;             /* of each vertex: the piles it is in */
    int32_t *near, *next, *far; /* next: what will be near */
    int64_t near_count, next_count, far_count;
    double threshold, delta;
    bool alone; /* one thread's, beside other searches */
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

/* Checks the weights and takes their mean and the least, once for a graph. */
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

/* Puts a vertex in a pile; false if it is there. */
static inline bool enter(uint8_t *waits, uint8_t pile, bool shared)
{
    uint8_t old = shared ? __atomic_fetch_or(waits, pile, __ATOMIC_SEQ_CST) : *waits;
    if (!shared)
        *waits |= pile;
    return !(old & pile);
}

/* Takes u from the near pile, then follows its edges: a distance that falls in between puts it
 * there again. */
static inline void follow(paths *s, int32_t u, spl__collector *near, spl__collector *far,
                          bool shared, bool narrow)
{
    const spl__arcs out = s->g->out;
    double from;
    if (shared) {
        __atomic_fetch_and(&s->waits[u], (uint8_t)~NEAR, __ATOMIC_SEQ_CST);
        __atomic_load(&s->distance[u], &from, __ATOMIC_SEQ_CST);
    } else {
        s->waits[u] &= (uint8_t)~NEAR;
        from = s->distance[u];
    }
    for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
        const int32_t v = out.to[p];
        const double to = from + (narrow ? (double)((const float *)s->g->weights)[p]
                                         : ((const double *)s->g->weights)[p]);
        if (!lower(&s->distance[v], to, shared))
            continue;
        const bool is_near = to <= s->threshold;
        if (enter(&s->waits[v], is_near ? NEAR : FAR, shared))
            spl__collector_add(is_near ? near : far, v);
    }
}

static void follow_some(paths *s, bool shared, int64_t *begin)
{
    enum { AT_ONCE = 64 };
    spl__collector near, far;
    const bool narrow = s->g->weight_type == SPL_F32;
    spl__collector_start(&near, s->next, &s->next_count);
    spl__collector_start(&far, s->far, &s->far_count);
    for (;;) {
        int64_t q = __atomic_fetch_add(begin, AT_ONCE, __ATOMIC_RELAXED), end = q + AT_ONCE;
        for (end = end < s->near_count ? end : s->near_count; q < end; q++)
            if (narrow)
                shared ? follow(s, s->near[q], &near, &far, true, true)
                       : follow(s, s->near[q], &near, &far, false, true);
            else
                shared ? follow(s, s->near[q], &near, &far, true, false)
                       : follow(s, s->near[q], &near, &far, false, false);
        if (end == s->near_count || q >= s->near_count)
            break;
    }
    spl__collector_empty(&near);
    spl__collector_empty(&far);
}

/* Follows the edges out of the near pile; what is near then is the next one. */
static void step(paths *s)
{
    const int64_t per_vertex = 1 + s->g->edges / s->g->vertices;
    const int threads = s->alone ? 1 : spl__graph_threads(s->g, s->near_count * per_vertex);
    int64_t begin = 0;
    s->next_count = 0;
    if (threads == 1) {
        follow_some(s, false, &begin);
    } else {
#pragma omp parallel num_threads(spl__team(threads))
        follow_some(s, true, &begin);
    }
    int32_t *near = s->near;
    s->near = s->next;
    s->next = near;
    s->near_count = s->next_count;
}

/* Moves what is near a new threshold from the far pile; what was near the old one has been
 * followed. */
static void split_far(paths *s)
{
    const double old = s->threshold;
    double least = INFINITY;
    int64_t kept = 0;
    for (int64_t q = 0; q < s->far_count; q++) {
        const int32_t v = s->far[q];
        if (s->distance[v] > old) {
            least = s->distance[v] < least ? s->distance[v] : least;
            s->far[kept++] = v;
        } else {
            s->waits[v] = 0;
        }
    }
    s->far_count = 0;
    s->threshold = least + s->delta;
    for (int64_t q = 0; q < kept; q++) {
        const int32_t v = s->far[q];
        const bool is_near = s->distance[v] <= s->threshold;
        s->waits[v] = is_near ? NEAR : FAR;
        *(is_near ? &s->near[s->near_count++] : &s->far[s->far_count++]) = v;
    }
}

/* After a cancel something is missing. */
static void run(paths *s, int32_t source)
{
    const int32_t n = s->g->vertices;
    for (int32_t v = 0; v < n; v++) {
        s->distance[v] = INFINITY;
        s->waits[v] = 0;
    }
    s->distance[source] = 0;
    s->waits[source] = NEAR;
    s->near[0] = source;
    s->near_count = 1;
    s->far_count = 0;
    s->threshold = s->delta;
    while (s->near_count > 0) {
        while (s->near_count > 0) {
            step(s);
            if (!spl__watch_goes_on(s->watch))
                return;
        }
        split_far(s);
    }
}

static spl_status make_piles(paths *s, spl__account *account)
{
    const int32_t n = s->g->vertices;
    SPL__TRY(SPL__NEW(account, &s->near, n));
    SPL__TRY(SPL__NEW(account, &s->next, n));
    SPL__TRY(SPL__NEW(account, &s->far, n));
    return SPL__NEW(account, &s->waits, n);
}

static void free_piles(paths *s)
{
    spl__free(s->near);
    spl__free(s->next);
    spl__free(s->far);
    spl__free(s->waits);
}

/* As Davidson and others choose it: so much mean weight over mean degree. How much was measured
 * with two threads of an AMD EPYC, 2026-11-27: of degree 4 (grids) 16, of 8 (uniform) 8, of 30
 * (R-MAT, uniform) 2 to 4, where 16 took 1.2 to 1.5 times as long. Never less than the least
 * weight, if that is finite: of vertices that are so near each other none is on the way to another.
 */
static double chosen_delta(const spl_graph *g)
{
    if (g->edges == 0)
        return 0;
    const double degree = (double)g->edges / g->vertices,
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

static paths start(const spl_graph *graph, spl__account *account, double delta)
{
    return (paths){.g = graph,
                   .watch = spl__account_watch(account),
                   .delta = delta > 0 ? delta : chosen_delta(graph)};
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
    paths s = start(graph, account, delta);
    s.distance = distances;
    spl_status status = make_piles(&s, account);
    if (status == SPL_OK) {
        run(&s, source);
        status = spl__watch_check(s.watch);
    }
    free_piles(&s);
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

/* Searches of several sources: piles for each of `workers` threads, which take one after the other.
 * SPL_OVER_BUDGET: there is no room for so many. */
static spl_status find_each(spl_graph *graph, spl__account *account, int workers,
                            const int64_t *sources, int64_t count, double delta, double *distances)
{
    paths *all;
    SPL__TRY(SPL__NEW(account, &all, workers));
    spl_status status = SPL_OK;
    for (int k = 0; k < workers; k++)
        all[k] = start(graph, account, delta);
    for (int k = 0; k < workers && status == SPL_OK; k++) {
        all[k].alone = workers > 1;
        status = make_piles(&all[k], account);
    }
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
        free_piles(&all[k]);
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
