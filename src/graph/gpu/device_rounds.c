/* SPDX-License-Identifier: Apache-2.0 */
/* device_rounds.c: independent sets and colourings on a device: the rounds of rounds.c, whose
 * decisions do not depend on the order within a round. Several rounds are enqueued before the host
 * looks whether there are more; one without vertices changes nothing.
 * Source: M. Jones, P. Plassmann, A parallel graph coloring heuristic, SIAM J. Scientific Computing
 * 14, 1993. */
#include "graph/gpu/device_graph.h"
#include "graph/kernels/graph_rounds.k.h"

typedef struct rounds {
    spl_graph *graph;
    spl__device_graph *g;
    struct graph_rounds_args args;
    spl__device_array waits, queue, decision, state;
} rounds;

static spl_status launch(rounds *r, const char *name, int64_t items)
{
    return spl__device_graph_launch(r->g, name, items, &r->args, sizeof r->args);
}

static spl_status start(rounds *r, bool by_edges)
{
    spl__queue *queue = &r->g->queue;
    const int64_t n = r->graph->vertices;
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(int32_t), &r->waits));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(int32_t), &r->queue));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(int32_t), &r->decision));
    SPL__TRY(spl__queue_alloc(queue, 1, sizeof(struct graph_round_state), &r->state));
    SPL__TRY(spl__queue_fill(queue, r->decision.data, 0xff, r->decision.bytes));
    SPL__TRY(spl__queue_fill(queue, r->state.data, 0, r->state.bytes));
    r->args = (struct graph_rounds_args){.vertices = n,
                                         .begin = r->g->begin.data,
                                         .to = r->g->to.data,
                                         .by_edges = by_edges,
                                         .waits = r->waits.data,
                                         .queue = r->queue.data,
                                         .decision = r->decision.data,
                                         .state = r->state.data};
    return launch(r, "graph_waits", n * r->g->queue.device->properties.lanes);
}

static spl_status run(rounds *r, bool by_edges, int32_t *decision)
{
    enum { ROUNDS = 8 }; /* for each look, which waits */
    struct graph_round_state now = {.tail = 1};
    SPL__TRY(spl__device_graph_of(r->graph, &r->g));
    SPL__TRY(start(r, by_edges));
    while (now.tail > now.end) {
        SPL__TRY(spl__progress(r->graph->context, by_edges ? "colouring" : "independent_set",
                               now.end, r->graph->vertices));
        for (int k = 0; k < ROUNDS; k++) {
            SPL__TRY(launch(r, "graph_turn", 1));
            SPL__TRY(launch(r, "graph_decide", r->graph->vertices));
        }
        SPL__TRY(spl__queue_fetch(&r->g->queue, &now, r->state.data, sizeof now));
    }
    return spl__queue_fetch(&r->g->queue, decision, r->decision.data, r->decision.bytes);
}

spl_status spl__device_rounds(spl_graph *graph, bool by_edges, int32_t *decision)
{
    rounds r = {.graph = graph};
    spl_status status = run(&r, by_edges, decision);
    spl__device_array *const arrays[] = {&r.waits, &r.queue, &r.decision, &r.state};
    for (size_t k = 0; r.g && k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(&r.g->queue, arrays[k]);
    return status;
}
