/* SPDX-License-Identifier: Apache-2.0 */
/* multi_bfs.c: breadth-first searches from many sources at a time.
 *
 * Bit k of a word belongs to source k of 64. Words of a level go along the edges out of its
 * vertices and are united where they meet; bits that a vertex has not seen are its next level. One
 * access serves all sources that pass there together. A product of or_second would do the same with
 * all vertices in each level; these queues hold those that have bits.
 * Source: M. Then, M. Kaufmann, F. Chirigati, T. Hoang-Vu, K. Pham, A. Kemper, T. Neumann, H. Vo,
 * The more the merrier: efficient multi-source graph traversal, VLDB 2014; levels with many edges
 * are searched upwards, where each vertex unites the words before it, as there and in bfs.c. */
#include "core/threads/team.h"
#include "graph/adjacency.h"
#include "graph/collector.h"
#include "graph/gpu/device_graph.h"

enum {
    BITS = 64,
    HEAVY = 3 /* upwards if the edges out of a level are more than this part of all */
};

typedef struct searches {
    spl_graph *g;
    spl__account *account;
    spl__watch *watch;
    uint64_t all;                     /* bits of this batch */
    int32_t *levels;                  /* of this batch: n for each source */
    uint64_t *seen, *front, *arrived; /* of each vertex */
    int32_t *queue, *touched;         /* vertices with bits in front, in arrived */
    int64_t queued, met;
    int32_t level;
} searches;

/* Hands the words of queue[q..end] on. */
static void spread(searches *s, int64_t q, int64_t end, spl__collector *own)
{
    const spl__arcs out = s->g->out;
    for (; q < end; q++) {
        const int32_t u = s->queue[q];
        const uint64_t word = s->front[u];
        for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
            const int32_t v = out.to[p];
            if ((word & ~s->seen[v]) == 0)
                continue;
            if (__atomic_fetch_or(&s->arrived[v], word, __ATOMIC_RELAXED) == 0)
                spl__collector_add(own, v);
        }
    }
}

/* What has arrived at v and is new. */
static bool settle(searches *s, int32_t v)
{
    const uint64_t found = s->arrived[v] & ~s->seen[v];
    s->arrived[v] = 0;
    s->front[v] = found;
    s->seen[v] |= found;
    for (uint64_t bits = found; bits; bits &= bits - 1)
        s->levels[__builtin_ctzll(bits) * (int64_t)s->g->vertices + v] = s->level;
    return found != 0;
}

static void find_level_down(searches *s, int threads)
{
    enum { AT_ONCE = 64 };
    s->met = 0;
#pragma omp parallel num_threads(spl__team(threads))
    {
        spl__collector own;
        spl__collector_start(&own, s->touched, &s->met);
#pragma omp for schedule(dynamic, 1)
        for (int64_t q = 0; q < s->queued; q += AT_ONCE)
            spread(s, q, spl__min_i64(q + AT_ONCE, s->queued), &own);
        spl__collector_empty(&own);
#pragma omp barrier
#pragma omp single
        s->queued = 0;
        spl__collector_start(&own, s->queue, &s->queued);
#pragma omp for schedule(dynamic, 64) nowait
        for (int64_t q = 0; q < s->met; q++)
            if (settle(s, s->touched[q]))
                spl__collector_add(&own, s->touched[q]);
        spl__collector_empty(&own);
    }
}

/* The new bits of the vertices before v. Words of earlier levels that are still in `front` do no
 * harm: v has seen them. */
static uint64_t look_up(const searches *s, int32_t v)
{
    const spl__arcs in = s->g->in;
    const uint64_t missing = s->all & ~s->seen[v];
    uint64_t found = 0;
    for (int64_t p = in.begin[v]; p < in.begin[v + 1] && found != missing; p++)
        found |= s->front[in.to[p]] & missing;
    return found;
}

static void find_level_up(searches *s, int threads)
{
    enum { AT_ONCE = 1024 };
    const int32_t n = s->g->vertices;
#pragma omp parallel num_threads(spl__team(threads))
    {
        spl__collector own;
#pragma omp for schedule(dynamic, AT_ONCE)
        for (int32_t v = 0; v < n; v++)
            s->arrived[v] = look_up(s, v);
#pragma omp single
        s->queued = 0;
        spl__collector_start(&own, s->queue, &s->queued);
#pragma omp for schedule(dynamic, AT_ONCE) nowait
        for (int32_t v = 0; v < n; v++)
            if (settle(s, v))
                spl__collector_add(&own, v);
        spl__collector_empty(&own);
    }
}

/* Without memory for the transposed edges all levels are searched downwards. */
static spl_status find_level(searches *s)
{
    int64_t edges = 0;
    for (int64_t q = 0; q < s->queued; q++)
        edges += spl__arcs_of(&s->g->out, s->queue[q]);
    const int threads = spl__graph_threads(s->g, s->queued + edges);
    const bool heavy = edges > s->g->edges / HEAVY;
    const spl_status status = heavy ? spl__graph_need_in(s->g, s->account) : SPL_OK;
    if (status != SPL_OK && status != SPL_OVER_BUDGET)
        return status;
    s->level++;
    if (heavy && status == SPL_OK)
        find_level_up(s, threads);
    else
        find_level_down(s, threads);
    return spl__watch_check(s->watch);
}

static spl_status search_batch(searches *s, const int64_t *sources, int64_t count)
{
    const int64_t n = s->g->vertices;
    memset(s->seen, 0, (size_t)n * sizeof *s->seen);
    memset(s->front, 0, (size_t)n * sizeof *s->front);
    memset(s->arrived, 0, (size_t)n * sizeof *s->arrived);
    memset(s->levels, 0xff, (size_t)(n * count) * sizeof *s->levels);
    s->queued = s->level = 0;
    s->all = count == BITS ? UINT64_MAX : ((uint64_t)1 << count) - 1;
    for (int64_t k = 0; k < count; k++)
        s->arrived[sources[k]] |= (uint64_t)1 << k;
    for (int64_t k = 0; k < count; k++)
        if (s->arrived[sources[k]] && settle(s, (int32_t)sources[k]))
            s->queue[s->queued++] = (int32_t)sources[k];
    while (s->queued > 0) {
        SPL__TRY(find_level(s));
    }
    return SPL_OK;
}

static spl_status search_all(searches *s, spl__account *account, const int64_t *sources,
                             int64_t count)
{
    const int64_t n = s->g->vertices;
    int32_t *levels = s->levels;
    SPL__TRY(SPL__NEW(account, &s->seen, n));
    SPL__TRY(SPL__NEW(account, &s->front, n));
    SPL__TRY(SPL__NEW(account, &s->arrived, n));
    SPL__TRY(SPL__NEW(account, &s->queue, n));
    SPL__TRY(SPL__NEW(account, &s->touched, n));
    for (int64_t k = 0; k < count; k += BITS) {
        s->levels = levels + k * n;
        SPL__TRY(search_batch(s, sources + k, spl__min_i64(BITS, count - k)));
    }
    return SPL_OK;
}

spl_status spl_graph_multi_bfs(spl_graph *graph, const int64_t *sources, int64_t count,
                               int32_t *levels)
{
    spl__watched call;
    if (!graph || !sources || !levels || count < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s",
                         !graph     ? "graph is NULL"
                         : !sources ? "sources is NULL"
                         : !levels  ? "levels is NULL"
                                    : "count is less than 0");
    for (int64_t k = 0; k < count; k++)
        SPL__TRY(spl__graph_check_vertex(graph, "a source", sources[k]));
    if (spl__graph_device(graph->context))
        return spl__device_multi_bfs(graph, sources, count, levels);
    spl__account *account = spl__watched_begin(&call, graph->context, "multi_bfs", 0);
    searches s = {
        .g = graph, .account = account, .watch = spl__account_watch(account), .levels = levels};
    spl_status status = search_all(&s, account, sources, count);
    spl__free(s.seen);
    spl__free(s.front);
    spl__free(s.arrived);
    spl__free(s.queue);
    spl__free(s.touched);
    return status;
}
