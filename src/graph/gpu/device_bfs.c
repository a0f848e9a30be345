/* SPDX-License-Identifier: Apache-2.0 */
/* device_bfs.c: breadth-first search on a device, level by level.
 *
 * A queue has what was reached, in pieces of a few edges, so that a vertex with many is shared.
 * Small levels, of which a road network has thousands, are searched by one block, which goes on
 * with the next by itself; a launch and a wait for each would take longer. A level with many of the
 * pieces left is searched upwards, if the graph is undirected. Parents are found at the end: the
 * least neighbour on the level before.
 * Source: S. Beamer, K. Asanovic, D. Patterson, Direction-optimizing breadth-first search, SC'12;
 * D. Merrill, M. Garland, A. Grimshaw, Scalable GPU graph traversal, PPoPP 2012. */
#include "graph/gpu/device_graph.h"
#include "graph/kernels/graph_search.k.h"

enum {
    ALPHA = 15,         /* upwards if the level has more than this part of the pieces left, ... */
    BETA = 18,          /* ... and more than this part of the vertices */
    LEVELS_OF = 1 << 10 /* one launch of a block */
};

uint64_t spl__device_graph_few = 2048;

typedef struct search {
    spl_graph *graph;
    spl__device_graph *g;
    struct graph_search_args args;
    struct graph_search_state now;
    spl__device_array levels, parents, queue, state;
} search;

static int64_t pieces_of(const spl_graph *graph, int64_t v)
{
    return (spl__arcs_of(&graph->out, (int32_t)v) + GRAPH_PIECE - 1) / GRAPH_PIECE;
}

static spl_status allocate(search *s)
{
    spl__queue *queue = &s->g->queue;
    const int64_t n = s->graph->vertices;
    if (s->g->pieces == 0)
        for (int64_t v = 0; v < n; v++)
            s->g->pieces += pieces_of(s->graph, v);
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(int32_t), &s->levels));
    SPL__TRY(spl__queue_alloc(queue, s->g->pieces, sizeof(uint64_t), &s->queue));
    return spl__queue_alloc(queue, 1, sizeof s->now, &s->state);
}

static spl_status start(search *s, int64_t source)
{
    s->args = (struct graph_search_args){.vertices = s->graph->vertices,
                                         .begin = s->g->begin.data,
                                         .to = s->g->to.data,
                                         .levels = s->levels.data,
                                         .queue = s->queue.data,
                                         .state = s->state.data,
                                         .few = spl__device_graph_few,
                                         .source = (int32_t)source};
    s->now.tail = (uint64_t)pieces_of(s->graph, source);
    SPL__TRY(spl__queue_fill(&s->g->queue, s->levels.data, 0xff, s->levels.bytes));
    return spl__device_graph_launch(s->g, "graph_start", 1, &s->args, sizeof s->args);
}

/* Whether the next level is searched upwards: vertices are at most as many as pieces. */
static bool upwards_pays(const search *s, uint64_t pieces)
{
    const uint64_t left = (uint64_t)s->g->pieces - s->now.tail;
    return s->graph->undirected && pieces > left / ALPHA &&
           pieces > (uint64_t)s->graph->vertices / BETA;
}

static spl_status search_in_a_block(search *s)
{
    const spl__kernel *kernel;
    s->args.last = s->args.level + LEVELS_OF - 1;
    SPL__TRY(spl__queue_kernel(&s->g->queue, "graph_levels", SPL_F32, SPL_I64, &kernel));
    return SPL__LAUNCH(&s->g->queue, &s->args, kernel, 1, GRAPH_BLOCK_THREADS);
}

/* Searches a level, or some in one block. Waits. */
static spl_status step(search *s)
{
    const uint64_t begin = s->now.begin, end = s->now.tail, pieces = end - begin;
    s->args.first = begin;
    s->args.end = end;
    s->args.level = (int32_t)s->now.level + 1;
    if (pieces <= s->args.few) {
        SPL__TRY(search_in_a_block(s));
        return spl__queue_fetch(&s->g->queue, &s->now, s->state.data, sizeof s->now);
    }
    if (upwards_pays(s, pieces))
        SPL__TRY(spl__device_graph_launch(s->g, "graph_up", s->graph->vertices, &s->args,
                                          sizeof s->args));
    else
        SPL__TRY(spl__device_graph_launch(s->g, "graph_down", (int64_t)pieces * GRAPH_TEAM,
                                          &s->args, sizeof s->args));
    SPL__TRY(spl__queue_fetch(&s->g->queue, &s->now, s->state.data, sizeof s->now));
    s->now.begin = end;
    s->now.level = s->args.level;
    return SPL_OK;
}

static spl_status bring_parents(search *s, int32_t *parents)
{
    spl__queue *queue = &s->g->queue;
    struct graph_parents_args args = {.vertices = s->graph->vertices,
                                      .begin = s->g->begin.data,
                                      .to = s->g->to.data,
                                      .levels = s->levels.data,
                                      .queue = s->queue.data,
                                      .pieces = s->now.tail};
    SPL__TRY(spl__queue_alloc(queue, args.vertices, sizeof(int32_t), &s->parents));
    args.parents = s->parents.data;
    SPL__TRY(spl__queue_fill(queue, s->parents.data, 0, s->parents.bytes));
    SPL__TRY(spl__device_graph_launch(s->g, "graph_offer", (int64_t)args.pieces * GRAPH_TEAM, &args,
                                      sizeof args));
    SPL__TRY(spl__device_graph_launch(s->g, "graph_parents", args.vertices, &args, sizeof args));
    return spl__queue_fetch(queue, parents, s->parents.data, s->parents.bytes);
}

static spl_status run(search *s, int64_t source, int32_t *levels, int32_t *parents)
{
    SPL__TRY(spl__device_graph_of(s->graph, &s->g));
    SPL__TRY(allocate(s));
    SPL__TRY(start(s, source));
    while (s->now.tail > s->now.begin) {
        SPL__TRY(spl__progress(s->graph->context, "bfs", s->now.level, 0));
        SPL__TRY(step(s));
    }
    if (levels)
        SPL__TRY(spl__queue_fetch(&s->g->queue, levels, s->levels.data, s->levels.bytes));
    return parents ? bring_parents(s, parents) : SPL_OK;
}

spl_status spl__device_bfs(spl_graph *graph, int64_t source, int32_t *levels, int32_t *parents)
{
    search s = {.graph = graph};
    spl_status status = run(&s, source, levels, parents);
    spl__device_array *const arrays[] = {&s.levels, &s.parents, &s.queue, &s.state};
    for (size_t k = 0; s.g && k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(&s.g->queue, arrays[k]);
    return status;
}
