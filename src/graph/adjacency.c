/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/adjacency.h"

#include "core/threads/team.h"
#include "matrix/ascend.h"
#include "matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

int64_t spl__graph_serial_work = 8192;
int64_t spl__graph_few_edges = 262144;

int spl__graph_threads_of(const spl_context *context, int64_t work)
{
    return work < spl__graph_serial_work ? 1 : spl__threads(context, 0);
}

int spl__graph_threads(const spl_graph *graph, int64_t work)
{
    return spl__graph_threads_of(graph->context, work);
}

/* out.begin = the offsets, as they are if they have 64 bits. */
static spl_status take_offsets(spl_graph *g, spl__account *account, const spl_sparse *view)
{
    int64_t *begin;
    g->out.begin = view->offsets;
    if (view->offset_type == SPL_I64)
        return SPL_OK;
    SPL__TRY(SPL__NEW(account, &begin, g->vertices + (int64_t)1));
    g->arrays[0] = begin;
    for (int64_t v = 0; v <= g->vertices; v++)
        begin[v] = ((const int32_t *)view->offsets)[v];
    g->out.begin = begin;
    return SPL_OK;
}

/* Removes repeated edges of the copy, whose rows ascend; the least weight stays. */
static void unite_repeated(spl_graph *g, int64_t *begin, int32_t *to, void *weights, spl_type type)
{
    int64_t kept = 0;
    for (int32_t v = 0; v < g->vertices; v++) {
        int64_t first = kept, p = begin[v];
        begin[v] = kept;
        for (; p < g->out.begin[v + 1]; p++) {
            double weight = spl__value_at(weights, type, p);
            if (kept > first && to[kept - 1] == to[p]) {
                double other = spl__value_at(weights, type, kept - 1);
                if (!(weight < other) && weight == weight)
                    continue;
                kept--;
            }
            to[kept] = to[p];
            spl__value_set(weights, type, kept++, weight);
        }
    }
    begin[g->vertices] = g->edges = kept;
}

/* Edges in another form: a sorted copy. A pattern is copied with zeros as values. */
static spl_status copy_edges(spl_graph *g, spl__account *account, spl_sparse view)
{
    spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
    const bool pattern = !view.values;
    int64_t *begin;
    void *zeros = NULL;
    o.format = SPL_CSR;
    o.type =
        (view.type == SPL_F64 || spl__type_is_integer(view.type)) && !pattern ? SPL_F64 : SPL_F32;
    o.offset_type = SPL_I64;
    o.index_type = SPL_I32;
    o.sort = 1;
    if (pattern) {
        view.type = SPL_F32;
        SPL__TRY(spl__alloc_zero(account, view.nnz, sizeof(float), &zeros));
        view.values = zeros;
    }
    spl_status status = spl__convert(account, spl__threads(g->context, 0), &view, &o, &g->copy);
    spl__free(zeros);
    SPL__TRY(status);
    SPL__TRY(SPL__NEW(account, &begin, g->vertices + (int64_t)1));
    g->arrays[0] = begin;
    memcpy(begin, g->copy->offsets, (size_t)(g->vertices + (int64_t)1) * sizeof *begin);
    g->out = (spl__arcs){g->copy->offsets, g->copy->indices};
    unite_repeated(g, begin, g->copy->indices, g->copy->values, o.type);
    g->out.begin = begin;
    g->weights = pattern ? NULL : g->copy->values;
    g->weight_type = o.type;
    return SPL_OK;
}

static spl_status take_edges(spl_graph *g, spl__account *account, const spl_sparse *view)
{
    if (view->format == SPL_CSR && view->index_type == SPL_I32 &&
        (!view->values || spl__type_is_usual(view->type))) {
        if (!spl__rows_ascend(view, spl__graph_threads(g, g->edges)))
            return copy_edges(g, account, *view);
        g->out.to = view->indices;
        g->weights = view->values;
        g->weight_type = view->type;
        return take_offsets(g, account, view);
    }
    return copy_edges(g, account, *view);
}

/* Rows are read in turn: the next unread neighbour of v must be u when u's row has v. Of a pair of
 * edges that fails, the one that is there is kept. */
static bool pairs_off(spl_graph *g, int64_t *next, int32_t u)
{
    enum { AHEAD = 16 };
    for (int64_t p = g->out.begin[u]; p < g->out.begin[u + 1]; p++) {
        const int32_t v = g->out.to[p];
        if (p + 2 * AHEAD < g->edges) { /* their places have nothing in common */
            __builtin_prefetch(&next[g->out.to[p + 2 * AHEAD]], 1);
            __builtin_prefetch(&g->out.to[next[g->out.to[p + AHEAD]]]);
        }
        const int64_t q = next[v]++;
        if (q < g->out.begin[v + 1] && g->out.to[q] == u)
            continue;
        const bool passed_over = q < g->out.begin[v + 1] && g->out.to[q] < u;
        g->from = passed_over ? v : u;
        g->to = passed_over ? g->out.to[q] : v;
        return false;
    }
    return true;
}

/* Whether each edge has its opposite. */
static spl_status find_direction(spl_graph *g, spl__account *account)
{
    spl__watch *watch = spl__account_watch(account);
    int64_t *next;
    SPL__TRY(SPL__NEW(account, &next, g->vertices));
    if (g->vertices > 0)
        memcpy(next, g->out.begin, (size_t)g->vertices * sizeof *next);
    g->undirected = true;
    for (int32_t u = 0; g->undirected && u < g->vertices; u++)
        if (spl__watch_goes_on_at(watch, u))
            g->undirected = pairs_off(g, next, u);
    spl__free(next);
    spl_status status = spl__watch_check(watch);
    g->has_direction = status == SPL_OK;
    g->undirected &= g->has_direction;
    if (g->undirected)
        g->in = g->out;
    return status;
}

static spl_status make_graph(spl_graph *g, spl__account *account, const spl_sparse *edges)
{
    spl_sparse view;
    SPL__TRY(spl__pattern_read(&view, edges, "edges"));
    if (edges->values)
        SPL__TRY(spl__view_read(&view, edges, "edges"));
    if (view.rows != view.cols)
        return spl__fail(SPL_SHAPE_MISMATCH, "a graph is square, this one is %lld x %lld",
                         (long long)view.rows, (long long)view.cols);
    if (view.rows >= INT32_MAX)
        return spl__fail(SPL_UNSUPPORTED, "%s vertices; a graph has at most %s",
                         spl__thousands(view.rows), spl__thousands(INT32_MAX - 1));
    SPL__TRY(spl__view_check(account->watch, spl__threads(g->context, 0), &view, "edges"));
    g->vertices = (int32_t)view.rows;
    g->edges = view.nnz;
    SPL__TRY(take_edges(g, account, &view));
    return g->edges < spl__graph_few_edges ? SPL_OK : find_direction(g, account);
}

spl_status spl_graph_create(spl_context *context, const spl_sparse *edges, spl_graph **graph)
{
    spl__watched call;
    spl_graph *g;
    if (!context || !edges || !graph)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !context ? "context"
                         : !edges ? "edges"
                                  : "graph");
    spl__account *account = spl__watched_begin(&call, context, "graph", 0);
    SPL__TRY(SPL__NEW_ZERO(account, &g, 1));
    g->context = context;
    g->mean_weight = -1;
    spl_status status = make_graph(g, account, edges);
    if (status != SPL_OK) {
        spl_graph_destroy(g);
        return status;
    }
    if (g->copy)
        spl__matrix_move(g->copy, &context->account);
    spl__memory_move(g->arrays[0], &context->account);
    spl__memory_move(g, &context->account);
    *graph = g;
    return SPL_OK;
}

void spl__device_graph_free(spl__device_graph *g)
{
    if (!g)
        return;
    spl__queue_free(&g->queue, &g->begin);
    spl__queue_free(&g->queue, &g->to);
    spl__free(g);
}

void spl_graph_destroy(spl_graph *graph)
{
    if (!graph)
        return;
    spl__device_graph_free(graph->on_device);
    spl_matrix_destroy(graph->copy);
    for (size_t k = 0; k < sizeof graph->arrays / sizeof *graph->arrays; k++)
        spl__free(graph->arrays[k]);
    spl__free(graph);
}

/* Counts, then positions: sources are read in turn, so those of a vertex ascend. */
static void transpose(const spl_graph *g, int64_t *begin, int32_t *to)
{
    memset(begin, 0, (size_t)(g->vertices + (int64_t)1) * sizeof *begin);
    for (int64_t p = 0; p < g->edges; p++)
        begin[g->out.to[p]]++;
    int64_t end = 0;
    for (int32_t v = 0; v <= g->vertices; v++) { /* of each vertex the position after its last */
        end += v < g->vertices ? begin[v] : 0;
        begin[v] = end;
    }
    for (int32_t u = g->vertices - 1; u >= 0; u--)
        for (int64_t p = g->out.begin[u + 1] - 1; p >= g->out.begin[u]; p--)
            to[--begin[g->out.to[p]]] = u;
}

spl_status spl__graph_need_in(spl_graph *g, spl__account *account)
{
    int64_t *begin;
    int32_t *to;
    if (!g->has_direction)
        SPL__TRY(find_direction(g, account));
    if (g->in.begin)
        return SPL_OK;
    SPL__TRY(SPL__NEW(account, &begin, g->vertices + (int64_t)1));
    spl_status status = SPL__NEW(account, &to, g->edges);
    if (status != SPL_OK) {
        spl__free(begin);
        return status;
    }
    transpose(g, begin, to);
    spl__memory_move(begin, &g->context->account);
    spl__memory_move(to, &g->context->account);
    g->in = (spl__arcs){begin, to};
    g->arrays[1] = begin;
    g->arrays[2] = to;
    return SPL_OK;
}

spl_status spl__graph_need_undirected(spl_graph *g)
{
    if (!g->has_direction)
        SPL__TRY(find_direction(g, &g->context->account));
    if (g->undirected)
        return SPL_OK;
    return spl__fail(
        SPL_INVALID_ARGUMENT,
        "the graph is directed: there is an edge from %lld to %lld, none back; unite it "
        "with its transpose",
        (long long)g->from, (long long)g->to);
}

spl_status spl__graph_check_vertex(const spl_graph *g, const char *name, int64_t vertex)
{
    if (vertex >= 0 && vertex < g->vertices)
        return SPL_OK;
    return spl__fail(SPL_INVALID_ARGUMENT, "%s is %lld, the graph has %s vertices, from 0 on", name,
                     (long long)vertex, spl__thousands(g->vertices));
}
