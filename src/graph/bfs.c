/* SPDX-License-Identifier: Apache-2.0 */
/* bfs.c: breadth-first search by levels.
 *
 * A level is found downwards, along the edges out of the last one, or upwards: each vertex not yet
 * found looks for a neighbour in the last level and stops at the first, which is the least. Upwards
 * costs all vertices and pays where the last level has most of the edges left.
 *
 * While a level is found, parents[v] is the least parent of v so far; of vertices of earlier levels
 * it is ~parent, which is negative. So "u < parents[v]" asks with one access whether u is a better
 * parent of a vertex not finished.
 * Source: S. Beamer, K. Asanovic, D. Patterson, Direction-optimizing breadth-first search, SC'12.
 * Differs: parents are the least ones; upwards also needs a level with many edges of all, so that
 * the last levels of a road network cost nothing of the size of the graph. */
#include "core/checked.h"
#include "core/threads/team.h"
#include "graph/adjacency.h"
#include "graph/collector.h"
#include "graph/gpu/device_graph.h"

#include <string.h>

enum {
    NONE = INT32_MAX, /* no parent yet */
    ALPHA = 15,       /* upwards if the level has more than this part of the edges left, ... */
    BETA = 18,        /* ... and until it has less than this part of the vertices */
    SMALL = 32        /* edges of a graph that is not large, in steps for one thread */
};

typedef struct search {
    spl_graph *g;
    spl__account *account;
    int32_t *parents, *levels; /* levels NULL: not wanted */
    int32_t *own_parents;      /* parents, unless the caller's */
    int32_t *queue;            /* vertices of a level: begin..end; those of the next follow */
    int64_t begin, end;
    uint64_t *front, *next; /* a bit for each vertex of the last level, of the next */
    int32_t level;          /* of the last */
    int64_t left;           /* edges from vertices that were not in a level */
} search;

/* ------------------------------------------------------------------------------------- downwards
 */

static int64_t scan_serial(search *s, int64_t tail)
{
    const spl__arcs out = s->g->out;
    for (int64_t q = s->begin; q < s->end; q++) {
        const int32_t u = s->queue[q];
        for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
            const int32_t v = out.to[p], parent = s->parents[v];
            s->queue[tail] = v; /* overwritten if it is there: which is hard to foresee */
            tail += parent == NONE;
            s->parents[v] = u < parent ? u : parent;
        }
    }
    return tail;
}

/* Makes u the parent of v if it is less; true if v had none. */
static inline bool offer(int32_t *parent, int32_t u)
{
    int32_t old = __atomic_load_n(parent, __ATOMIC_RELAXED);
    while (u < old)
        if (__atomic_compare_exchange_n(parent, &old, u, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return old == NONE;
    return false;
}

static void scan_vertex(search *s, int32_t u, spl__collector *own)
{
    const spl__arcs out = s->g->out;
    for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++)
        if (offer(&s->parents[out.to[p]], u))
            spl__collector_add(own, out.to[p]);
}

static int64_t scan_parallel(search *s, int threads, int64_t tail)
{
#pragma omp parallel num_threads(spl__team(threads))
    {
        spl__collector own;
        spl__collector_start(&own, s->queue, &tail);
#pragma omp for schedule(dynamic, 64) nowait
        for (int64_t q = s->begin; q < s->end; q++)
            scan_vertex(s, s->queue[q], &own);
        spl__collector_empty(&own);
    }
    return tail;
}

/* Ends the vertex queue[q] of a level; returns the edges out of it. */
static inline int64_t finish_vertex(search *s, int64_t q)
{
    const int32_t v = s->queue[q];
    s->parents[v] = ~s->parents[v];
    if (s->levels)
        s->levels[v] = s->level;
    return spl__arcs_of(&s->g->out, v);
}

/* Ends the level queue[begin..end]; returns the edges out of it. Roads have thousands of small
 * ones, each of which takes less time than OpenMP's region of one thread. */
static int64_t finish(search *s)
{
    int64_t edges = 0;
    const int threads = spl__graph_threads(s->g, s->end - s->begin);
    if (threads == 1) {
        for (int64_t q = s->begin; q < s->end; q++)
            edges += finish_vertex(s, q);
    } else {
#pragma omp parallel for num_threads(spl__team(threads)) reduction(+ : edges)
        for (int64_t q = s->begin; q < s->end; q++)
            edges += finish_vertex(s, q);
    }
    s->left -= edges;
    return edges;
}

/* The next level becomes the last one; returns the edges out of it. */
static int64_t step_down(search *s, int64_t edges)
{
    const int threads = spl__graph_threads(s->g, edges + s->end - s->begin);
    int64_t tail = threads == 1 ? scan_serial(s, s->end) : scan_parallel(s, threads, s->end);
    s->begin = s->end;
    s->end = tail;
    s->level++;
    return finish(s);
}

/* --------------------------------------------------------------------------------------- upwards
 */

static inline bool has(const uint64_t *bits, int32_t v)
{
    return bits[v / 64] >> (v % 64) & 1;
}

/* Looks for parents of 64 vertices; returns how many have one now. */
static int look_up(search *s, int64_t word)
{
    const spl__arcs in = s->g->in;
    const int32_t first = (int32_t)(word * 64),
                  end = (int32_t)spl__min_i64(first + (int64_t)64, s->g->vertices);
    uint64_t bits = 0;
    for (int32_t v = first; v < end; v++) {
        if (s->parents[v] != NONE)
            continue;
        int64_t p = in.begin[v], last = in.begin[v + 1];
        while (p < last && !has(s->front, in.to[p]))
            p++;
        if (p == last)
            continue;
        s->parents[v] = ~in.to[p];
        if (s->levels)
            s->levels[v] = s->level;
        bits |= (uint64_t)1 << (v - first);
    }
    s->next[word] = bits;
    return __builtin_popcountll(bits);
}

static int64_t words_of(const search *s)
{
    return (s->g->vertices + (int64_t)63) / 64;
}

/* Finds a level upwards; returns the number of its vertices. */
static int64_t step_up(search *s)
{
    const int64_t words = words_of(s);
    const int threads = spl__graph_threads(s->g, s->g->vertices);
    int64_t found = 0;
    s->level++;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic, 32) reduction(+ : found)
    for (int64_t word = 0; word < words; word++)
        found += look_up(s, word);
    uint64_t *front = s->front;
    s->front = s->next;
    s->next = front;
    return found;
}

static spl_status start_upwards(search *s)
{
    const int64_t words = words_of(s);
    SPL__TRY(spl__graph_need_in(s->g, s->account));
    if (!s->front)
        SPL__TRY(SPL__NEW(s->account, &s->front, words));
    if (!s->next)
        SPL__TRY(SPL__NEW(s->account, &s->next, words));
    memset(s->front, 0, (size_t)words * sizeof *s->front);
    for (int64_t q = s->begin; q < s->end; q++)
        s->front[s->queue[q] / 64] |= (uint64_t)1 << (s->queue[q] % 64);
    return SPL_OK;
}

/* The vertices of the last level as a queue again; returns the edges out of it. */
static int64_t end_upwards(search *s)
{
    int64_t edges = 0;
    s->begin = s->end;
    for (int64_t word = 0; word < words_of(s); word++)
        for (uint64_t bits = s->front[word]; bits; bits &= bits - 1) {
            const int32_t v = (int32_t)(word * 64 + __builtin_ctzll(bits));
            s->queue[s->end++] = v;
            edges += spl__arcs_of(&s->g->out, v);
        }
    return edges;
}

static spl_status go_upwards(search *s, int64_t *edges)
{
    spl__watch *watch = spl__account_watch(s->account);
    int64_t previous, now = s->end - s->begin;
    SPL__TRY(start_upwards(s));
    do {
        previous = now;
        now = step_up(s);
        SPL__TRY(spl__watch_check(watch));
    } while (now > 0 && (now >= previous || now > s->g->vertices / BETA));
    *edges = end_upwards(s);
    return SPL_OK;
}

/* ------------------------------------------------------------------------------------- the search
 */

/* A transpose costs more than it saves the first search of a graph that is not large, and any of a
 * small one. */
static bool lacks_transpose(const spl_graph *g)
{
    return (!g->in.begin && !g->searched && g->edges < SMALL * spl__graph_serial_work) ||
           g->edges < spl__graph_serial_work;
}

static bool upwards_pays(const search *s, int64_t edges)
{
    return !lacks_transpose(s->g) && edges > s->left / ALPHA && edges > s->g->vertices / BETA;
}

static spl_status run(search *s, int32_t source)
{
    spl__watch *watch = spl__account_watch(s->account);
    s->parents[source] = source;
    s->queue[0] = source;
    s->end = 1;
    int64_t edges = finish(s);
    while (s->end > s->begin) {
        if (upwards_pays(s, edges))
            SPL__TRY(go_upwards(s, &edges));
        else
            edges = step_down(s, edges);
        SPL__TRY(spl__watch_check(watch));
    }
    return SPL_OK;
}

/* parents: all NONE; levels: all -1. Or, at the end, parents as callers want them. */
static inline void set_vertices(search *s, int64_t first, int64_t last, bool end)
{
    int32_t *parents = s->parents, *levels = s->levels;
    for (int64_t v = first; v < last; v++)
        parents[v] = !end ? NONE : parents[v] < 0 ? ~parents[v] : -1;
    for (int64_t v = first; !end && levels && v < last; v++)
        levels[v] = -1;
}

static void for_vertices(search *s, bool end)
{
    const int64_t n = s->g->vertices, parts = spl__graph_threads(s->g, n);
    if (parts == 1) {
        set_vertices(s, 0, n, end);
        return;
    }
#pragma omp parallel for num_threads(spl__team((int)parts)) schedule(static)
    for (int64_t k = 0; k < parts; k++)
        set_vertices(s, n * k / parts, n * (k + 1) / parts, end);
}

static spl_status search_from(search *s, int32_t source)
{
    if (!s->parents) {
        SPL__TRY(SPL__NEW(s->account, &s->own_parents, s->g->vertices));
        s->parents = s->own_parents;
    }
    SPL__TRY(SPL__NEW(s->account, &s->queue, s->g->vertices + (int64_t)1)); /* scan_serial */
    for_vertices(s, false);
    s->left = s->g->edges;
    SPL__TRY(run(s, source));
    if (!s->own_parents)
        for_vertices(s, true);
    return SPL_OK;
}

spl_status spl_graph_bfs(spl_graph *graph, int64_t source, int32_t *levels, int32_t *parents)
{
    spl__watched call;
    if (!graph || (!levels && !parents))
        return spl__fail(SPL_INVALID_ARGUMENT, "%s",
                         !graph ? "graph is NULL" : "both levels and parents are NULL");
    SPL__TRY(spl__graph_check_vertex(graph, "source", source));
    if (spl__graph_device(graph->context))
        return spl__device_bfs(graph, source, levels, parents);
    search s = {.g = graph, .parents = parents, .levels = levels};
    s.account = spl__watched_begin(&call, graph->context, "bfs", 0);
    spl_status status = search_from(&s, (int32_t)source);
    spl__free(s.own_parents);
    spl__free(s.queue);
    spl__free(s.front);
    spl__free(s.next);
    graph->searched = true;
    return status;
}
