/* SPDX-License-Identifier: Apache-2.0 */
/* independent_set.c: a maximal independent set: the first in the order of random priorities.
 * Source: M. Luby, A simple parallel algorithm for the maximal independent set problem, SIAM J.
 * Computing 15, 1986; with priorities that stay: G. Blelloch, J. Fineman, J. Shun, Greedy
 * sequential maximal independent set and matching are parallel on average, SPAA 2012. */
#include "graph/gpu/device_graph.h"
#include "graph/rounds.h"

static void decide(const spl__rounds *r, int32_t v, int thread)
{
    const spl__arcs out = r->graph->out;
    int32_t is_free = 1;
    (void)thread;
    for (int64_t p = out.begin[v]; is_free && p < out.begin[v + 1]; p++)
        if (out.to[p] != v && spl__precedes_at_random(r->graph, out.to[p], v))
            is_free = !r->decision[out.to[p]];
    r->decision[v] = is_free;
}

spl_status spl_graph_independent_set(spl_graph *graph, int32_t *members, int64_t *count)
{
    spl__watched call;
    if (!graph || !members || !count)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !graph     ? "graph"
                         : !members ? "members"
                                    : "count");
    SPL__TRY(spl__graph_need_undirected(graph));
    spl__rounds r = {.graph = graph,
                     .threads = spl__threads(graph->context, 0),
                     .precedes = spl__precedes_at_random,
                     .decide = decide,
                     .decision = members};
    if (graph->vertices > 0 && spl__graph_device(graph->context))
        SPL__TRY(spl__device_rounds(graph, false, members));
    else
        SPL__TRY(
            spl__rounds_run(&r, spl__watched_begin(&call, graph->context, "independent_set", 0)));
    *count = 0;
    for (int32_t v = 0; v < graph->vertices; v++)
        *count += members[v];
    return SPL_OK;
}
