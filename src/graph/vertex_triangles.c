/* SPDX-License-Identifier: Apache-2.0 */
/* vertex_triangles.c: the triangles of each vertex, or of all.
 *
 * Edges lead from the vertex with fewer edges to that with more, of equals from the smaller number.
 * Then no vertex has more than sqrt(2m) edges out of it, and of each triangle two edges lead out of
 * one vertex, u. Its successors are marked by bits; those of a successor v that are marked close a
 * triangle. A private kernel: a masked product gives the triangles of each edge, and those of each
 * vertex only with all edges in both directions, six times the work. For the number of all the
 * product takes 1.2 to 6 times as long: it copies the graph, and keeps what it only sums.
 * Source: N. Chiba, T. Nishizeki, SIAM J. Computing 14, 1985; T. Schank, D. Wagner, WEA 2005. */
#include "graph/vertex_triangles.h"

#include "core/threads/team.h"
#include "graph/gpu/device_graph.h"

#include <string.h>

enum { AT_ONCE = 64 };

typedef struct counter {
    const spl_graph *g;
    spl__watch *watch;
    int threads;
    int32_t *to;        /* edges in that order: those of u from g->out.begin[u] on, */
    int32_t *counts;    /* so many */
    uint64_t *marks;    /* for each thread, a bit for each vertex */
    int64_t words;      /* of them */
    int64_t *triangles; /* of each vertex; NULL: not wanted */
    int64_t total;      /* only without them */
} counter;

static inline bool leads(const spl_graph *g, int32_t u, int32_t v)
{
    const int64_t of_u = spl__arcs_of(&g->out, u), of_v = spl__arcs_of(&g->out, v);
    return of_u != of_v ? of_u < of_v : u < v;
}

/* Each edge leads one way, loops none. */
static void order_edges(counter *c)
{
    const spl__arcs out = c->g->out;
    const int32_t n = c->g->vertices;
#pragma omp parallel for num_threads(spl__team(c->threads)) schedule(dynamic, AT_ONCE)
    for (int32_t u = 0; u < n; u++) {
        int32_t *const to = c->to + out.begin[u], count = 0;
        for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
            to[count] = out.to[p]; /* overwritten unless it leads: which is hard to foresee */
            count += leads(c->g, u, out.to[p]);
        }
        c->counts[u] = count;
    }
}

static inline void add(int64_t *to, int64_t count)
{
    __atomic_fetch_add(to, count, __ATOMIC_RELAXED);
}

/* Calls for what the edges after the k-th will read: their places have nothing in common. */
static inline void fetch(const counter *c, const int32_t *to, int32_t k, int32_t count)
{
    enum { AHEAD = 6, LINE = 16 };
    if (k + 2 * AHEAD < count) {
        const int32_t v = to[k + 2 * AHEAD];
        __builtin_prefetch(&c->g->out.begin[v]);
        __builtin_prefetch(&c->counts[v]);
    }
    if (k + AHEAD < count) {
        const int32_t *const others = c->to + c->g->out.begin[to[k + AHEAD]];
        __builtin_prefetch(others);
        __builtin_prefetch(others + LINE);
    }
}

static inline bool is_marked(const uint64_t *mark, int32_t v)
{
    return mark[v >> 6] >> (v & 63) & 1;
}

/* Adds the triangles in which two edges lead out of u to those of its vertices. */
static void add_at(const counter *c, const int32_t *to, int32_t count, int32_t u,
                   const uint64_t *mark)
{
    int64_t of_u = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t v = to[k];
        const int32_t *const others = c->to + c->g->out.begin[v];
        int64_t of_v = 0;
        fetch(c, to, k, count);
        for (int32_t q = 0; q < c->counts[v]; q++)
            if (is_marked(mark, others[q])) {
                of_v++;
                add(&c->triangles[others[q]], 1);
            }
        if (of_v > 0)
            add(&c->triangles[v], of_v);
        of_u += of_v;
    }
    if (of_u > 0)
        add(&c->triangles[u], of_u);
}

/* Their number. */
static int64_t count_at(const counter *c, const int32_t *to, int32_t count, const uint64_t *mark)
{
    int64_t found = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t *const others = c->to + c->g->out.begin[to[k]];
        const int32_t end = c->counts[to[k]];
        fetch(c, to, k, count);
        for (int32_t q = 0; q < end; q++)
            found += is_marked(mark, others[q]);
    }
    return found;
}

static int64_t visit(const counter *c, int32_t u, uint64_t *mark)
{
    const int32_t *const to = c->to + c->g->out.begin[u], count = c->counts[u];
    int64_t found = 0;
    if (count < 2)
        return 0;
    for (int32_t k = 0; k < count; k++)
        mark[to[k] >> 6] |= (uint64_t)1 << (to[k] & 63);
    if (c->triangles)
        add_at(c, to, count, u, mark);
    else
        found = count_at(c, to, count, mark);
    for (int32_t k = 0; k < count; k++)
        mark[to[k] >> 6] = 0;
    return found;
}

/* Blocks of vertices in turn, each thread with its marks. */
static void count_some(counter *c, int64_t *next, int thread)
{
    const int64_t n = c->g->vertices;
    uint64_t *mark = c->marks + thread * c->words;
    int64_t u, found = 0;
    while ((u = __atomic_fetch_add(next, AT_ONCE, __ATOMIC_RELAXED)) < n &&
           spl__watch_goes_on(c->watch))
        for (int64_t end = spl__min_i64(u + AT_ONCE, n); u < end; u++)
            found += visit(c, (int32_t)u, mark);
    add(&c->total, found);
}

static spl_status count(counter *c, spl__account *account)
{
    const int64_t n = c->g->vertices;
    int64_t next = 0;
    int thread = 0;
    c->words = n / 64 + 8; /* threads share no line of a cache */
    SPL__TRY(SPL__NEW(account, &c->counts, n));
    SPL__TRY(SPL__NEW(account, &c->to, c->g->edges));
    SPL__TRY(SPL__NEW_ZERO(account, &c->marks, c->words * c->threads));
    order_edges(c);
    if (c->triangles)
        memset(c->triangles, 0, (size_t)n * sizeof *c->triangles);
#pragma omp parallel num_threads(spl__team(c->threads))
    count_some(c, &next, __atomic_fetch_add(&thread, 1, __ATOMIC_RELAXED));
    return spl__watch_check(c->watch);
}

spl_status spl__graph_count_triangles(spl_graph *graph, spl__account *account, int64_t *triangles,
                                      int64_t *total)
{
    SPL__TRY(spl__graph_need_undirected(graph));
    *total = 0;
    if (graph->vertices == 0)
        return SPL_OK;
    counter c = {.g = graph,
                 .watch = spl__account_watch(account),
                 .threads = spl__graph_threads(graph, graph->vertices + graph->edges),
                 .triangles = triangles};
    spl_status status = count(&c, account);
    spl__free(c.to);
    spl__free(c.counts);
    spl__free(c.marks);
    *total = c.total;
    return status;
}

spl_status spl_graph_vertex_triangles(spl_graph *graph, int64_t *triangles)
{
    spl__watched call;
    int64_t total;
    if (!graph || !triangles)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", !graph ? "graph" : "triangles");
    if (graph->vertices > 0 && spl__graph_device(graph->context)) {
        SPL__TRY(spl__graph_need_undirected(graph));
        return spl__device_vertex_triangles(graph, triangles);
    }
    spl__account *account = spl__watched_begin(&call, graph->context, "triangles", 0);
    return spl__graph_count_triangles(graph, account, triangles, &total);
}
