/* SPDX-License-Identifier: Apache-2.0 */
/* ktruss.c: k-trusses by masked products. Edges of a k-truss have k - 2 triangles or more, so its
 * vertices have k - 1 edges or more: what is outside the core of that degree never enters a product
 * (J. Cohen, Trusses: cohesive subgraphs for social network analysis, NSA 2008). */
#include "graph/core.h"
#include "graph/gpu/device_graph.h"
#include "matrix/matrix.h"

#include <string.h>

/* The edges that are left, with the numbers of the core: its own, as long as `made` is NULL. */
typedef struct edges {
    spl_sparse view;
    spl__core core;
    spl_matrix *made;
} edges;

static spl_status start(spl_graph *g, int64_t k, edges *e)
{
    SPL__TRY(spl__graph_core(g, &g->context->account, k - 1, &e->core));
    e->view = (spl_sparse)SPL_SPARSE_INIT;
    e->view.format = SPL_CSR;
    e->view.offset_type = SPL_I64;
    e->view.index_type = SPL_I32;
    e->view.rows = e->view.cols = e->core.count;
    e->view.nnz = e->core.edges;
    e->view.offsets = e->core.begin;
    e->view.indices = e->core.to;
    return SPL_OK;
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

/* *truss = the edges that are left, by the numbers of the graph. */
static spl_status number_back(spl_graph *g, const edges *e, spl_matrix **truss)
{
    spl_sparse header = e->view;
    const spl_index type = header.offset_type;
    int32_t next = 0; /* the first vertex whose row has not begun */
    header.rows = header.cols = g->vertices;
    SPL__TRY(spl__matrix_new(&g->context->account, &header, truss));
    int32_t *to = (*truss)->indices;
    for (int32_t k = 0; k <= e->core.count; k++) {
        const int32_t last = k < e->core.count ? e->core.vertices[k] : g->vertices;
        while (next <= last)
            spl__index_set((*truss)->offsets, type, next++,
                           spl__index_at(e->view.offsets, type, k));
    }
    for (int64_t p = 0; p < header.nnz; p++)
        to[p] = e->core.vertices[((const int32_t *)e->view.indices)[p]];
    if (header.nnz > 0)
        memcpy((*truss)->values, e->view.values, (size_t)header.nnz * spl__type_size(header.type));
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
    spl_status status = start(graph, k, &left);
    while (status == SPL_OK && dropped)
        status = drop_weak(graph->context, k, &left, &dropped);
    if (status == SPL_OK)
        status = number_back(graph, &left, truss);
    spl__core_free(&left.core);
    spl_matrix_destroy(left.made);
    return status;
}
