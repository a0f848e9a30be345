/* SPDX-License-Identifier: Apache-2.0 */
/* predecessors.c: the tree of shortest paths, from distances that are known.
 *
 * An edge (u, v) is tight if the distance of u plus its weight is that of v. Each vertex takes the
 * least u of its tight edges that is nearer to the source. What has none hangs on tight edges
 * between equal distances (weights of 0, or lost in rounding), which may form circles: such
 * vertices are found in levels from those that have a predecessor, as in a breadth-first search. */
#include "core/threads/team.h"
#include "graph/adjacency.h"
#include "graph/weights.h"

#include <math.h>

enum { NONE = INT32_MAX, AT_ONCE = 1024 };

typedef struct tree {
    const spl_graph *g;
    const double *distance;
    int32_t *before; /* of each vertex; NONE: not found yet */
    int32_t *queue;
    spl__watch *watch;
} tree;

static void take_less(int32_t *before, int32_t u)
{
    int32_t old = __atomic_load_n(before, __ATOMIC_RELAXED);
    while (u < old)
        if (__atomic_compare_exchange_n(before, &old, u, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
}

static bool is_tight(const tree *t, int32_t u, int64_t p)
{
    return t->distance[u] + spl__weight_of(t->g, p) == t->distance[t->g->out.to[p]];
}

static void offer_nearer(tree *t, int threads)
{
    const spl__arcs out = t->g->out;
    const int32_t n = t->g->vertices;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic, AT_ONCE)
    for (int32_t u = 0; u < n; u++) {
        if (!spl__watch_goes_on_at(t->watch, u) || isinf(t->distance[u]))
            continue;
        for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++)
            if (t->distance[u] < t->distance[out.to[p]] && !isinf(t->distance[out.to[p]]) &&
                is_tight(t, u, p))
                take_less(&t->before[out.to[p]], u);
    }
}

/* Edges out of u to vertices that are as far and not found before this level; those found in it
 * have ~before. */
static int64_t offer_equal(tree *t, int32_t u, int64_t tail)
{
    const spl__arcs out = t->g->out;
    for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
        const int32_t v = out.to[p];
        if ((t->before[v] != NONE && t->before[v] >= 0) || t->distance[u] != t->distance[v] ||
            !is_tight(t, u, p))
            continue;
        if (t->before[v] == NONE) {
            t->queue[tail++] = v;
            t->before[v] = ~u;
        } else if (u < ~t->before[v]) {
            t->before[v] = ~u;
        }
    }
    return tail;
}

/* Level by level. */
static spl_status search_equal(tree *t, spl__account *account)
{
    const int32_t n = t->g->vertices;
    int64_t begin = 0, end = 0;
    SPL__TRY(SPL__NEW(account, &t->queue, n));
    for (int32_t v = 0; v < n; v++)
        if (t->before[v] != NONE)
            t->queue[end++] = v;
    while (begin < end) {
        int64_t tail = end;
        for (; begin < end; begin++)
            if (spl__watch_goes_on_at(t->watch, begin))
                tail = offer_equal(t, t->queue[begin], tail);
        for (int64_t q = end; q < tail; q++)
            t->before[t->queue[q]] = ~t->before[t->queue[q]];
        end = tail;
    }
    spl__free(t->queue);
    return spl__watch_check(t->watch);
}

/* Vertices that have a distance and no predecessor. */
static int64_t count_left(const tree *t)
{
    int64_t count = 0;
    for (int32_t v = 0; v < t->g->vertices; v++)
        count += t->before[v] == NONE && !isinf(t->distance[v]);
    return count;
}

spl_status spl__graph_find_predecessors(spl_graph *graph, int32_t source, const double *distance,
                                        int32_t *predecessors, spl__account *account)
{
    const int32_t n = graph->vertices;
    tree t = {.g = graph,
              .distance = distance,
              .before = predecessors,
              .watch = spl__account_watch(account)};
    for (int32_t v = 0; v < n; v++)
        predecessors[v] = NONE;
    offer_nearer(&t, spl__graph_threads(graph, n + graph->edges));
    SPL__TRY(spl__watch_check(t.watch));
    predecessors[source] = source;
    if (count_left(&t) > 0)
        SPL__TRY(search_equal(&t, account));
    for (int32_t v = 0; v < n; v++)
        predecessors[v] = predecessors[v] == NONE ? -1 : predecessors[v];
    return SPL_OK;
}
