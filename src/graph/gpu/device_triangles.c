/* SPDX-License-Identifier: Apache-2.0 */
/* device_triangles.c: triangles and trusses on a device, by masked products and selections of
 * matrices that stay there.
 *
 * For each edge the neighbours that its ends share: (S*S) over plus_pair, of integers, under the
 * mask S, or its part below the diagonal where each edge counts once. Rows of S are its columns, so
 * that the products are dot products where these cost less. Sources: triangles.c, ktruss.c. */
#include "graph/gpu/device_graph.h"
#include "graph/kernels/graph_steps.k.h"
#include "matrix/matrix.h"

#include <string.h>

/* The selection of `from`, in place of it. */
static spl_status keep(spl_context *context, const spl_selection *selection, spl_matrix **from)
{
    spl_sparse view = SPL_SPARSE_INIT;
    spl_matrix *kept;
    SPL__TRY(spl_matrix_view(*from, &view));
    SPL__TRY(spl_select(context, &view, selection, &kept));
    spl_matrix_destroy(*from);
    *from = kept;
    return SPL_OK;
}

/* The part of the graph that the selection keeps. Values are 0. */
static spl_status take_edges(spl_graph *graph, const spl_selection *selection, spl_matrix **edges)
{
    spl__device_graph *g;
    spl__device_array zeros;
    spl_sparse view = SPL_SPARSE_INIT;
    SPL__TRY(spl__device_graph_of(graph, &g));
    SPL__TRY(spl__queue_alloc(&g->queue, graph->edges, sizeof(int32_t), &zeros));
    view.format = SPL_CSR;
    view.type = SPL_INT32;
    view.offset_type = SPL_I64;
    view.index_type = SPL_I32;
    view.place = g->queue.device->place;
    view.rows = view.cols = graph->vertices;
    view.nnz = graph->edges;
    view.offsets = g->begin.data;
    view.indices = g->to.data;
    view.values = zeros.data;
    spl_status status =
        zeros.data ? spl__queue_fill(&g->queue, zeros.data, 0, zeros.bytes) : SPL_OK;
    if (status == SPL_OK)
        status = spl__queue_wait(&g->queue);
    if (status == SPL_OK)
        status = spl_select(graph->context, &view, selection, edges);
    spl__queue_free(&g->queue, &zeros);
    return status;
}

static spl_status leave_loops_out(spl_graph *graph, spl_matrix **edges)
{
    spl_selection loops = SPL_SELECTION_INIT;
    loops.selector = SPL_SELECT_DIAGONAL;
    loops.invert = 1;
    return take_edges(graph, &loops, edges);
}

/* *counts = what the ends of the mask's edges share. */
static spl_status count_shared(spl_context *context, const spl_matrix *edges,
                               const spl_matrix *mask, spl_matrix **counts)
{
    spl_sparse s = SPL_SPARSE_INIT, m = SPL_SPARSE_INIT;
    spl_options o = SPL_OPTIONS_INIT;
    SPL__TRY(spl_matrix_view(edges, &s));
    SPL__TRY(spl_matrix_view(mask, &m));
    s.values = NULL; /* a pattern */
    o.mask = &m;
    o.mask_pattern = SPL_MASK_FULL;
    o.semiring = SPL_PLUS_PAIR;
    return spl_spgemm(context, NULL, &s, &s, NULL, NULL, &o, counts);
}

/* ------------------------------------------------------------------------------------ triangles */

/* triangles[v] = the sum over the edges at v, each of which is in `counts` once; a triangle is
 * shared by two of them. */
static spl_status add_up(spl_graph *graph, const spl_matrix *counts, spl__device_array *sums,
                         int64_t *triangles)
{
    spl__device_graph *g = graph->on_device;
    spl_sparse c = SPL_SPARSE_INIT;
    SPL__TRY(spl_matrix_view(counts, &c));
    SPL__TRY(spl__queue_alloc(&g->queue, graph->vertices, sizeof(uint64_t), sums));
    SPL__TRY(spl__queue_fill(&g->queue, sums->data, 0, sums->bytes));
    struct graph_ends_args args = {.rows = c.rows,
                                   .wide = c.offset_type == SPL_I64,
                                   .offsets = c.offsets,
                                   .columns = c.indices,
                                   .counts = c.values,
                                   .sums = sums->data};
    SPL__TRY(spl__device_graph_launch(g, "graph_ends", c.rows * g->queue.device->properties.lanes,
                                      &args, sizeof args));
    SPL__TRY(spl__queue_fetch(&g->queue, triangles, sums->data, sums->bytes));
    for (int32_t v = 0; v < graph->vertices; v++)
        triangles[v] /= 2;
    return SPL_OK;
}

static spl_status count(spl_graph *graph, spl_matrix *matrices[3], int64_t *triangles)
{
    spl_selection lower = SPL_SELECTION_INIT;
    spl__device_array sums = {NULL, 0};
    spl_sparse below = SPL_SPARSE_INIT;
    lower.selector = SPL_SELECT_LOWER;
    lower.diagonal = -1;
    SPL__TRY(leave_loops_out(graph, &matrices[0]));
    SPL__TRY(take_edges(graph, &lower, &matrices[1]));
    SPL__TRY(spl_matrix_view(matrices[1], &below));
    memset(triangles, 0, (size_t)graph->vertices * sizeof *triangles);
    if (below.nnz == 0)
        return SPL_OK;
    SPL__TRY(count_shared(graph->context, matrices[0], matrices[1], &matrices[2]));
    spl_status status = add_up(graph, matrices[2], &sums, triangles);
    spl__queue_free(&graph->on_device->queue, &sums);
    return status;
}

spl_status spl__device_vertex_triangles(spl_graph *graph, int64_t *triangles)
{
    spl_matrix *matrices[3] = {NULL, NULL, NULL};
    spl_status status = count(graph, matrices, triangles);
    for (int k = 0; k < 3; k++)
        spl_matrix_destroy(matrices[k]);
    return status;
}

static spl_status count_all(spl_graph *graph, int64_t *sum)
{
    int64_t *triangles;
    SPL__TRY(spl__graph_need_undirected(graph));
    SPL__TRY(SPL__NEW(&graph->context->account, &triangles, graph->vertices));
    spl_status status =
        graph->vertices > 0 ? spl__device_vertex_triangles(graph, triangles) : SPL_OK;
    int64_t thrice = 0;
    for (int32_t v = 0; status == SPL_OK && v < graph->vertices; v++)
        thrice += triangles[v];
    if (status == SPL_OK)
        *sum = thrice / 3;
    spl__free(triangles);
    return status;
}

spl_status spl__device_triangles(spl_context *context, const spl_sparse *edges, int64_t *triangles)
{
    spl_graph *graph;
    SPL__TRY(spl_graph_create(context, edges, &graph));
    spl_status status = count_all(graph, triangles);
    spl_graph_destroy(graph);
    return status;
}

/* --------------------------------------------------------------------------------------- trusses
 */

/* A copy on the host, with values of f64. */
static spl_status bring(spl_graph *graph, const spl_matrix *edges, spl_matrix **truss)
{
    spl__queue *queue = &graph->on_device->queue;
    spl_sparse there = SPL_SPARSE_INIT;
    int32_t *counts;
    spl_matrix *m;
    SPL__TRY(spl_matrix_view(edges, &there));
    spl_sparse header = there;
    header.place = (spl_place){SPL_HOST, 0};
    header.type = SPL_F64;
    header.offsets = header.indices = header.values = NULL;
    SPL__TRY(SPL__NEW(&graph->context->account, &counts, there.nnz));
    spl_status status = spl__matrix_new(&graph->context->account, &header, &m);
    if (status != SPL_OK) {
        spl__free(counts);
        return status;
    }
    status = spl__queue_fetch(queue, m->offsets, there.offsets,
                              (size_t)(there.rows + 1) * spl__index_size(there.offset_type));
    if (status == SPL_OK && there.nnz > 0)
        status =
            spl__queue_fetch(queue, m->indices, there.indices, (size_t)there.nnz * sizeof(int32_t));
    if (status == SPL_OK && there.nnz > 0)
        status = spl__queue_fetch(queue, counts, there.values, (size_t)there.nnz * sizeof *counts);
    for (int64_t p = 0; status == SPL_OK && p < there.nnz; p++)
        ((double *)m->values)[p] = counts[p];
    spl__free(counts);
    if (status == SPL_OK)
        *truss = m;
    else
        spl_matrix_destroy(m);
    return status;
}

/* One round: replaces the edges by those in enough triangles, with their numbers. */
static spl_status drop_weak(spl_context *context, int64_t k, spl_matrix **edges, bool *dropped)
{
    spl_sparse before = SPL_SPARSE_INIT, after = SPL_SPARSE_INIT;
    spl_selection enough = SPL_SELECTION_INIT;
    spl_matrix *counts;
    enough.selector = SPL_SELECT_AT_LEAST;
    enough.threshold = (double)(k - 2);
    SPL__TRY(spl_matrix_view(*edges, &before));
    *dropped = false;
    if (before.nnz == 0)
        return SPL_OK;
    SPL__TRY(count_shared(context, *edges, *edges, &counts));
    spl_matrix_destroy(*edges);
    *edges = counts;
    SPL__TRY(keep(context, &enough, edges));
    SPL__TRY(spl_matrix_view(*edges, &after));
    *dropped = after.nnz < before.nnz;
    return SPL_OK;
}

spl_status spl__device_ktruss(spl_graph *graph, int64_t k, spl_matrix **truss)
{
    spl_matrix *edges = NULL;
    bool dropped = true;
    spl_status status = leave_loops_out(graph, &edges);
    while (status == SPL_OK && dropped)
        status = drop_weak(graph->context, k, &edges, &dropped);
    if (status == SPL_OK)
        status = bring(graph, edges, truss);
    spl_matrix_destroy(edges);
    return status;
}
