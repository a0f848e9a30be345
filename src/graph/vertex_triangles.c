/* SPDX-License-Identifier: Apache-2.0 */
/* vertex_triangles.c: the triangles of each vertex.
 *
 * Edges lead from the vertex with fewer edges to that with more, of equals from the smaller number.
 * Then no vertex has more than sqrt(2m) edges out of it, and of each triangle two edges lead out of
 * one vertex, u. Its successors are marked; those of a successor v that are marked close a
 * triangle. A private kernel: a masked product gives the triangles of each edge, and only with all
 * edges in both directions, six times the work, those of each vertex.
 * Source: N. Chiba, T. Nishizeki, SIAM J. Computing 14, 1985; T. Schank, D. Wagner, WEA 2005. */
#include "core/team.h"
#include "graph/device_graph.h"

#include <string.h>

typedef struct counter {
    const spl_graph *g;
    spl__watch *watch;
    int threads;
    int64_t *begin; /* edges in that order */
    int32_t *to;
    int32_t *marks; /* for each thread, n */
    int64_t *triangles;
} counter;

static inline bool leads(const spl_graph *g, int32_t u, int32_t v)
{
    const int64_t of_u = spl__arcs_of(&g->out, u), of_v = spl__arcs_of(&g->out, v);
    return of_u != of_v ? of_u < of_v : u < v;
}

/* At most half of the edges: each leads one way, loops none. */
static void order_edges(counter *c)
{
    const spl__arcs out = c->g->out;
    int64_t kept = 0;
    for (int32_t u = 0; u < c->g->vertices; u++) {
        c->begin[u] = kept;
        for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++)
            if (leads(c->g, u, out.to[p]))
                c->to[kept++] = out.to[p];
    }
    c->begin[c->g->vertices] = kept;
}

static inline void add(int64_t *to, int64_t count)
{
    __atomic_fetch_add(to, count, __ATOMIC_RELAXED);
}

/* Triangles in which two edges lead out of u. */
static void count_at(const counter *c, int32_t u, int32_t *mark)
{
    int64_t of_u = 0;
    for (int64_t p = c->begin[u]; p < c->begin[u + 1]; p++)
        mark[c->to[p]] = u + 1;
    for (int64_t p = c->begin[u]; p < c->begin[u + 1]; p++) {
        const int32_t v = c->to[p];
        int64_t of_v = 0;
        for (int64_t q = c->begin[v]; q < c->begin[v + 1]; q++)
            if (mark[c->to[q]] == u + 1) {
                of_v++;
                add(&c->triangles[c->to[q]], 1);
            }
        if (of_v > 0)
            add(&c->triangles[v], of_v);
        of_u += of_v;
    }
    if (of_u > 0)
        add(&c->triangles[u], of_u);
}

/* Blocks of vertices in turn, each thread with its marks. */
static void count_some(const counter *c, int64_t *next, int thread)
{
    enum { AT_ONCE = 64 };
    const int64_t n = c->g->vertices;
    int32_t *mark = c->marks + thread * n;
    int64_t u;
    while ((u = __atomic_fetch_add(next, AT_ONCE, __ATOMIC_RELAXED)) < n &&
           spl__watch_goes_on(c->watch))
        for (int64_t end = spl__min_i64(u + AT_ONCE, n); u < end; u++)
            count_at(c, (int32_t)u, mark);
}

static spl_status count(counter *c, spl__account *account)
{
    const int64_t n = c->g->vertices;
    int64_t next = 0;
    int thread = 0;
    SPL__TRY(SPL__NEW(account, &c->begin, n + 1));
    SPL__TRY(SPL__NEW(account, &c->to, c->g->edges / 2));
    SPL__TRY(SPL__NEW_ZERO(account, &c->marks, n * c->threads));
    order_edges(c);
    memset(c->triangles, 0, (size_t)n * sizeof *c->triangles);
#pragma omp parallel num_threads(spl__team(c->threads))
    count_some(c, &next, __atomic_fetch_add(&thread, 1, __ATOMIC_RELAXED));
    return spl__watch_check(c->watch);
}

spl_status spl_graph_vertex_triangles(spl_graph *graph, int64_t *triangles)
{
    spl__watched call;
    if (!graph || !triangles)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", !graph ? "graph" : "triangles");
    SPL__TRY(spl__graph_need_undirected(graph));
    if (graph->vertices == 0)
        return SPL_OK;
    if (spl__graph_device(graph->context))
        return spl__device_vertex_triangles(graph, triangles);
    spl__account *account = spl__watched_begin(&call, graph->context, "triangles", 0);
    counter c = {.g = graph,
                 .watch = spl__account_watch(account),
                 .threads = spl__graph_threads(graph, graph->vertices + graph->edges),
                 .triangles = triangles};
    spl_status status = count(&c, account);
    spl__free(c.begin);
    spl__free(c.to);
    spl__free(c.marks);
    return status;
}
