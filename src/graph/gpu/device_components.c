/* SPDX-License-Identifier: Apache-2.0 */
/* device_components.c: connected components on a device as in components.c: trees that grow
 * together, first along two edges of each vertex, and then, in an undirected graph, only along
 * those of vertices outside the component that a sample finds most often.
 * Source: M. Sutton, T. Ben-Nun, A. Barak, Optimizing parallel graph connectivity computation via
 * subgraph sampling (Afforest), IPDPS 2018. */
#include "graph/gpu/device_graph.h"
#include "graph/kernels/graph_search.k.h"

enum { FIRST_EDGES = 2 };

typedef struct forest {
    spl_graph *graph;
    spl__device_graph *g;
    struct graph_forest_args args;
    spl__device_array root, listed, words; /* words: skipped, listed_count, roots */
} forest;

static spl_status launch(forest *f, const char *name, int64_t items)
{
    return spl__device_graph_launch(f->g, name, items, &f->args, sizeof f->args);
}

/* Lets all vertices point to their root, and counts roots. */
static spl_status flatten(forest *f)
{
    SPL__TRY(spl__queue_fill(&f->g->queue, f->args.roots, 0, sizeof *f->args.roots));
    return launch(f, "graph_flatten", f->args.vertices);
}

static spl_status start(forest *f)
{
    enum { WORDS = 3 };
    spl__queue *queue = &f->g->queue;
    const int64_t n = f->graph->vertices;
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(int32_t), &f->root));
    SPL__TRY(
        spl__queue_alloc(queue, f->graph->edges / GRAPH_LONG + 1, sizeof(int32_t), &f->listed));
    SPL__TRY(spl__queue_alloc(queue, WORDS, sizeof(uint32_t), &f->words));
    SPL__TRY(spl__queue_fill(queue, f->words.data, 0, f->words.bytes));
    SPL__TRY(spl__queue_fill(queue, f->words.data, 0xff, sizeof(int32_t))); /* none is skipped */
    f->args = (struct graph_forest_args){.vertices = n,
                                         .begin = f->g->begin.data,
                                         .to = f->g->to.data,
                                         .root = f->root.data,
                                         .skipped = f->words.data,
                                         .listed = f->listed.data,
                                         .listed_count = (uint32_t *)f->words.data + 1,
                                         .roots = (uint32_t *)f->words.data + 2};
    return launch(f, "graph_roots", n);
}

static spl_status find(forest *f)
{
    const int64_t n = f->graph->vertices;
    SPL__TRY(start(f));
    for (f->args.edge = 0; f->args.edge < FIRST_EDGES; f->args.edge++) {
        SPL__TRY(launch(f, "graph_link", n));
        SPL__TRY(flatten(f));
    }
    if (f->graph->undirected)
        SPL__TRY(launch(f, "graph_frequent", 1));
    SPL__TRY(launch(f, "graph_link_rest", n * GRAPH_TEAM));
    SPL__TRY(launch(f, "graph_link_long", f->graph->edges / GRAPH_LONG * GRAPH_SEARCH_THREADS));
    return flatten(f);
}

static spl_status run(forest *f, int32_t *components, int64_t *count)
{
    uint32_t roots = 0;
    SPL__TRY(spl__device_graph_of(f->graph, &f->g));
    SPL__TRY(spl__progress(f->graph->context, "components", 0, 0));
    SPL__TRY(find(f));
    SPL__TRY(spl__queue_fetch(&f->g->queue, &roots, f->args.roots, sizeof roots));
    *count = roots;
    return spl__queue_fetch(&f->g->queue, components, f->root.data, f->root.bytes);
}

spl_status spl__device_components(spl_graph *graph, int32_t *components, int64_t *count)
{
    forest f = {.graph = graph};
    spl_status status = run(&f, components, count);
    spl__device_array *const arrays[] = {&f.root, &f.listed, &f.words};
    for (size_t k = 0; f.g && k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(&f.g->queue, arrays[k]);
    return status;
}
