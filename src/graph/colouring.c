/* SPDX-License-Identifier: Apache-2.0 */
/* colouring.c: a colouring: vertices with more edges first, each gets the least colour that no
 * neighbour has.
 * Source: M. Jones, P. Plassmann, A parallel graph coloring heuristic, SIAM J. Scientific Computing
 * 14, 1993; the order: D. Welsh, M. Powell, Computer Journal 10, 1967. */
#include "core/checked.h"
#include "graph/gpu/device_graph.h"
#include "graph/rounds.h"

/* For each thread: taken[c] is v + 1 if a neighbour of v has the colour c. */
typedef struct palette {
    int32_t *taken;
    int64_t colours; /* one more than a vertex has edges */
} palette;

static void decide(const spl__rounds *r, int32_t v, int thread)
{
    const palette *all = r->user;
    const spl__arcs out = r->graph->out;
    int32_t *taken = all->taken + thread * all->colours, colour = 0;
    for (int64_t p = out.begin[v]; p < out.begin[v + 1]; p++)
        if (out.to[p] != v && spl__precedes_by_edges(r->graph, out.to[p], v))
            taken[r->decision[out.to[p]]] = v + 1;
    while (taken[colour] == v + 1)
        colour++;
    r->decision[v] = colour;
}

static spl_status colour(spl__rounds *r, spl__account *account)
{
    const spl_graph *g = r->graph;
    palette all = {NULL, 1};
    for (int32_t v = 0; v < g->vertices; v++)
        all.colours = spl__max_i64(all.colours, spl__arcs_of(&g->out, v) + 1);
    SPL__TRY(SPL__NEW_ZERO(account, &all.taken, all.colours * r->threads));
    r->user = &all;
    spl_status status = spl__rounds_run(r, account);
    spl__free(all.taken);
    return status;
}

spl_status spl_graph_colouring(spl_graph *graph, int32_t *colours, int32_t *count)
{
    spl__watched call;
    if (!graph || !colours || !count)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !graph     ? "graph"
                         : !colours ? "colours"
                                    : "count");
    SPL__TRY(spl__graph_need_undirected(graph));
    spl__rounds r = {.graph = graph,
                     .threads = spl__threads(graph->context, 0),
                     .precedes = spl__precedes_by_edges,
                     .decide = decide,
                     .decision = colours};
    if (graph->vertices > 0 && spl__graph_device(graph->context))
        SPL__TRY(spl__device_rounds(graph, true, colours));
    else
        SPL__TRY(colour(&r, spl__watched_begin(&call, graph->context, "colouring", 0)));
    *count = 0;
    for (int32_t v = 0; v < graph->vertices; v++)
        *count = colours[v] + 1 > *count ? colours[v] + 1 : *count;
    return SPL_OK;
}
