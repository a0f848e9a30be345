/* SPDX-License-Identifier: Apache-2.0 */
/* device_multi_bfs.c: breadth-first searches from 64 sources at a time on a device.
 *
 * Bit k of a word belongs to source k. Words go along the edges as a product over or_second, of the
 * vertices that have not seen all sources yet; what is new there is the next level.
 * Source: M. Then and others, The more the merrier: efficient multi-source graph traversal, VLDB
 * 2014; by products as in J. Kepner, J. Gilbert (eds.), Graph Algorithms in the Language of Linear
 * Algebra, 2011. */
#include "graph/gpu/device_graph.h"
#include "graph/kernels/graph_steps.k.h"

enum { BITS = 64 };

typedef struct searches {
    spl_graph *graph;
    spl__device_graph *g;
    spl_plan *plan;
    uint64_t *words; /* on the host: the sources of a batch */
    spl__device_array seen, front, arrived, full, levels, found;
} searches;

/* Takes what has arrived for `level`. Waits. */
static spl_status settle(searches *s, uint64_t all, int32_t level, bool *found)
{
    spl__queue *queue = &s->g->queue;
    uint32_t any = 0;
    struct graph_settle_args args = {.vertices = s->graph->vertices,
                                     .all = all,
                                     .arrived = s->arrived.data,
                                     .seen = s->seen.data,
                                     .front = s->front.data,
                                     .full = s->full.data,
                                     .levels = s->levels.data,
                                     .level = level,
                                     .found = s->found.data};
    SPL__TRY(spl__queue_fill(queue, s->found.data, 0, s->found.bytes));
    SPL__TRY(spl__device_graph_launch(s->g, "graph_settle", args.vertices, &args, sizeof args));
    SPL__TRY(spl__queue_fetch(queue, &any, s->found.data, sizeof any));
    *found = any != 0;
    return SPL_OK;
}

static spl_status start(searches *s, const int64_t *sources, int64_t count)
{
    spl__queue *queue = &s->g->queue;
    const int64_t n = s->graph->vertices;
    for (int64_t v = 0; v < n; v++)
        s->words[v] = 0;
    for (int64_t k = 0; k < count; k++)
        s->words[sources[k]] |= (uint64_t)1 << k;
    SPL__TRY(spl__queue_copy(queue, s->arrived.data, s->words, s->arrived.bytes));
    SPL__TRY(spl__queue_fill(queue, s->seen.data, 0, s->seen.bytes));
    SPL__TRY(spl__queue_fill(queue, s->full.data, 0, s->full.bytes));
    return spl__queue_fill(queue, s->levels.data, 0xff, (size_t)(n * count) * sizeof(int32_t));
}

static spl_status search_batch(searches *s, const int64_t *sources, int64_t count, int32_t *levels)
{
    const int64_t n = s->graph->vertices;
    const uint64_t all = count == BITS ? UINT64_MAX : ((uint64_t)1 << count) - 1;
    spl_row_mask rows = SPL_ROW_MASK_INIT;
    bool found;
    rows.bytes = s->full.data;
    rows.complement = 1;
    SPL__TRY(start(s, sources, count));
    SPL__TRY(settle(s, all, 0, &found));
    for (int32_t level = 1; found; level++) {
        SPL__TRY(spl__progress(s->graph->context, "multi_bfs", level, 0));
        SPL__TRY(spl_spmv_execute_masked(s->plan, NULL, s->front.data, NULL, s->arrived.data, &rows,
                                         &s->g->stream));
        SPL__TRY(settle(s, all, level, &found));
    }
    return spl__queue_fetch(&s->g->queue, levels, s->levels.data,
                            (size_t)(n * count) * sizeof *levels);
}

static spl_status allocate(searches *s, int64_t count)
{
    spl__queue *queue = &s->g->queue;
    const int64_t n = s->graph->vertices;
    SPL__TRY(SPL__NEW(&s->graph->context->account, &s->words, n));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(uint64_t), &s->seen));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(uint64_t), &s->front));
    SPL__TRY(spl__queue_alloc(queue, n, sizeof(uint64_t), &s->arrived));
    SPL__TRY(spl__queue_alloc(queue, n, 1, &s->full));
    SPL__TRY(spl__queue_alloc(queue, n * spl__min_i64(BITS, count), sizeof(int32_t), &s->levels));
    return spl__queue_alloc(queue, 1, sizeof(uint32_t), &s->found);
}

static spl_status search_all(searches *s, const int64_t *sources, int64_t count, int32_t *levels)
{
    SPL__TRY(spl__device_graph_of(s->graph, &s->g));
    SPL__TRY(spl__device_graph_plan(s->graph, SPL_INT64, NULL, SPL_OR_SECOND, &s->plan));
    SPL__TRY(allocate(s, count));
    for (int64_t k = 0; k < count; k += BITS)
        SPL__TRY(search_batch(s, sources + k, spl__min_i64(BITS, count - k),
                              levels + k * s->graph->vertices));
    return SPL_OK;
}

spl_status spl__device_multi_bfs(spl_graph *graph, const int64_t *sources, int64_t count,
                                 int32_t *levels)
{
    searches s = {.graph = graph};
    if (count == 0)
        return SPL_OK;
    spl_status status = search_all(&s, sources, count, levels);
    spl__device_array *const arrays[] = {&s.seen, &s.front,  &s.arrived,
                                         &s.full, &s.levels, &s.found};
    spl_plan_destroy(s.plan);
    for (size_t k = 0; s.g && k < sizeof arrays / sizeof *arrays; k++)
        spl__queue_free(&s.g->queue, arrays[k]);
    spl__free(s.words);
    return status;
}
