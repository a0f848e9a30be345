/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/rounds.h"

#include "core/threads/team.h"
#include "graph/collector.h"
#include "graph/priority.h"

typedef struct state {
    const spl__rounds *r;
    int32_t *waits; /* of each vertex: neighbours that precede it and are not decided */
    int32_t *queue; /* vertices that wait for none: begin..end; those of the next round follow */
    int64_t begin, end, tail;
} state;

bool spl__precedes_at_random(const spl_graph *graph, int32_t u, int32_t v)
{
    (void)graph;
    return spl__precedes(false, u, 0, v, 0);
}

bool spl__precedes_by_edges(const spl_graph *graph, int32_t u, int32_t v)
{
    return spl__precedes(true, u, spl__arcs_of(&graph->out, u), v, spl__arcs_of(&graph->out, v));
}

static int32_t count_waits(const state *s, int32_t v)
{
    const spl__arcs out = s->r->graph->out;
    int32_t count = 0;
    for (int64_t p = out.begin[v]; p < out.begin[v + 1]; p++)
        count += out.to[p] != v && s->r->precedes(s->r->graph, out.to[p], v);
    return count;
}

static void start(state *s, int threads)
{
    const int32_t n = s->r->graph->vertices;
#pragma omp parallel num_threads(spl__team(threads))
    {
        spl__collector own;
        spl__collector_start(&own, s->queue, &s->tail);
#pragma omp for schedule(dynamic, 1024) nowait
        for (int32_t v = 0; v < n; v++)
            if ((s->waits[v] = count_waits(s, v)) == 0)
                spl__collector_add(&own, v);
        spl__collector_empty(&own);
    }
}

/* Those for whom v was the last to wait for are in the next round. */
static void release(state *s, int32_t v, spl__collector *own)
{
    const spl__arcs out = s->r->graph->out;
    for (int64_t p = out.begin[v]; p < out.begin[v + 1]; p++) {
        const int32_t u = out.to[p];
        if (u != v && s->r->precedes(s->r->graph, v, u) &&
            __atomic_fetch_sub(&s->waits[u], 1, __ATOMIC_RELAXED) == 1)
            spl__collector_add(own, u);
    }
}

static void decide_round(state *s)
{
    const spl_graph *g = s->r->graph;
    const int64_t work = (s->end - s->begin) * (1 + g->edges / g->vertices);
    const int threads = spl__graph_threads(g, work) == 1 ? 1 : s->r->threads;
    int next_thread = 0;
#pragma omp parallel num_threads(spl__team(threads))
    {
        const int thread = __atomic_fetch_add(&next_thread, 1, __ATOMIC_RELAXED);
        spl__collector own;
        spl__collector_start(&own, s->queue, &s->tail);
#pragma omp for schedule(dynamic, 64) nowait
        for (int64_t q = s->begin; q < s->end; q++) {
            s->r->decide(s->r, s->queue[q], thread);
            release(s, s->queue[q], &own);
        }
        spl__collector_empty(&own);
    }
}

static spl_status run(state *s, spl__account *account)
{
    const spl_graph *g = s->r->graph;
    SPL__TRY(SPL__NEW(account, &s->waits, g->vertices));
    SPL__TRY(SPL__NEW(account, &s->queue, g->vertices));
    start(s, s->r->threads);
    while (s->tail > s->end) {
        s->begin = s->end;
        s->end = s->tail;
        decide_round(s);
        SPL__TRY(spl__watch_check(spl__account_watch(account)));
    }
    return SPL_OK;
}

spl_status spl__rounds_run(const spl__rounds *rounds, spl__account *account)
{
    state s = {.r = rounds};
    spl_status status = rounds->graph->vertices > 0 ? run(&s, account) : SPL_OK;
    spl__free(s.waits);
    spl__free(s.queue);
    return status;
}
