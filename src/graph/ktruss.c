/* SPDX-License-Identifier: Apache-2.0 */
/* ktruss.c: k-trusses by masked products. */
#include "graph/device_graph.h"

/* The graph without loops. Of a pattern it has no use for values, but spl_select wants some. */
static spl_status leave_loops_out(spl_graph *g, spl_matrix **result)
{
    spl_sparse view = SPL_SPARSE_INIT;
    spl_selection loops = SPL_SELECTION_INIT;
    void *zeros = NULL;
    view.format = SPL_CSR;
    view.type = g->weights ? g->weight_type : SPL_F32;
    view.offset_type = SPL_I64;
    view.index_type = SPL_I32;
    view.rows = view.cols = g->vertices;
    view.nnz = g->edges;
    view.offsets = g->out.begin;
    view.indices = g->out.to;
    if (!g->weights)
        SPL__TRY(spl__alloc_zero(&g->context->account, g->edges, sizeof(float), &zeros));
    view.values = g->weights ? g->weights : zeros;
    loops.selector = SPL_SELECT_DIAGONAL;
    loops.invert = 1;
    spl_status status = spl_select(g->context, &view, &loops, result);
    spl__free(zeros);
    return status;
}

static bool has_loops(const spl_graph *g)
{
    int64_t loops = 0;
    for (int64_t v = 0; v < g->vertices; v++)
        for (int64_t p = g->out.begin[v]; p < g->out.begin[v + 1]; p++)
            loops += g->out.to[p] == v;
    return loops > 0;
}

/* The edges that are left: of the graph itself, as long as `made` is NULL. */
typedef struct edges {
    spl_sparse view;
    spl_matrix *made;
} edges;

static spl_status start(spl_graph *g, edges *e)
{
    e->view = (spl_sparse)SPL_SPARSE_INIT;
    e->view.format = SPL_CSR;
    e->view.offset_type = SPL_I64;
    e->view.index_type = SPL_I32;
    e->view.rows = e->view.cols = g->vertices;
    e->view.nnz = g->edges;
    e->view.offsets = g->out.begin;
    e->view.indices = g->out.to;
    if (!has_loops(g))
        return SPL_OK;
    SPL__TRY(leave_loops_out(g, &e->made));
    return spl_matrix_view(e->made, &e->view);
}

/* *counts = the triangles of each edge that is in one. */
static spl_status count_support(spl_context *context, const edges *e, spl_matrix **counts)
{
    spl_sparse s = e->view;
    spl_options o = SPL_OPTIONS_INIT;
    s.type = SPL_F64;
    s.values = NULL;
    o.mask = &s;
    o.semiring = SPL_PLUS_PAIR;
    return spl_spgemm(context, NULL, &s, &s, NULL, NULL, &o, counts);
}

/* One round: replaces the edges by those in enough triangles, with their numbers. *dropped: some
 * fell away, and some are left. */
static spl_status drop_weak(spl_context *context, int64_t k, edges *e, bool *dropped)
{
    spl_sparse support = SPL_SPARSE_INIT;
    spl_selection enough = SPL_SELECTION_INIT;
    spl_matrix *counts, *kept;
    const int64_t before = e->view.nnz;
    enough.selector = SPL_SELECT_AT_LEAST;
    enough.threshold = (double)(k - 2);
    SPL__TRY(count_support(context, e, &counts));
    spl_status status = spl_matrix_view(counts, &support);
    if (status == SPL_OK)
        status = spl_select(context, &support, &enough, &kept);
    spl_matrix_destroy(counts);
    SPL__TRY(status);
    spl_matrix_destroy(e->made);
    e->made = kept;
    SPL__TRY(spl_matrix_view(kept, &e->view));
    *dropped = e->view.nnz < before && e->view.nnz > 0;
    return SPL_OK;
}

spl_status spl_graph_ktruss(spl_graph *graph, int64_t k, spl_matrix **truss)
{
    edges left = {.made = NULL};
    bool dropped = true;
    if (!graph || !truss)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL", !graph ? "graph" : "truss");
    if (k < 3)
        return spl__fail(SPL_INVALID_ARGUMENT, "k is %lld, less than 3", (long long)k);
    SPL__TRY(spl__graph_need_undirected(graph));
    if (spl__graph_device(graph->context))
        return spl__device_ktruss(graph, k, truss);
    spl_status status = start(graph, &left);
    while (status == SPL_OK && dropped)
        status = drop_weak(graph->context, k, &left, &dropped);
    if (status != SPL_OK) {
        spl_matrix_destroy(left.made);
        return status;
    }
    *truss = left.made;
    return SPL_OK;
}
