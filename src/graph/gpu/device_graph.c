/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/gpu/device_graph.h"

#include "graph/kernels/graph_steps.k.h"

spl__device *spl__graph_device(const spl_context *context)
{
    return context->uses_cpu ? NULL : context->devices[0];
}

static spl_status copy_edges(const spl_graph *graph, spl__device_graph *g)
{
    const spl__arcs *out = &graph->out;
    SPL__TRY(spl__queue_alloc(&g->queue, graph->vertices + (int64_t)1, sizeof(int64_t), &g->begin));
    SPL__TRY(spl__queue_alloc(&g->queue, graph->edges, sizeof(int32_t), &g->to));
    SPL__TRY(spl__queue_copy(&g->queue, g->begin.data, out->begin, g->begin.bytes));
    if (g->to.data)
        SPL__TRY(spl__queue_copy(&g->queue, g->to.data, out->to, g->to.bytes));
    return spl__queue_wait(&g->queue);
}

spl_status spl__device_graph_of(spl_graph *graph, spl__device_graph **on_device)
{
    spl__device *device = spl__graph_device(graph->context);
    spl__device_graph *g;
    *on_device = graph->on_device;
    if (graph->on_device)
        return SPL_OK;
    SPL__TRY(SPL__NEW_ZERO(&graph->context->account, &g, 1));
    spl__queue_init(&g->queue, device, 0, spl__threads(graph->context, 0));
    g->stream = (spl_stream){device->place.kind, g->queue.stream};
    spl_status status = copy_edges(graph, g);
    if (status != SPL_OK) {
        spl__device_graph_free(g);
        return status;
    }
    *on_device = graph->on_device = g;
    return SPL_OK;
}

static spl_sparse view_of(const spl_graph *graph, spl_type type, const void *values)
{
    const spl__device_graph *g = graph->on_device;
    spl_sparse edges = SPL_SPARSE_INIT;
    edges.format = SPL_CSR;
    edges.type = type;
    edges.offset_type = SPL_I64;
    edges.index_type = SPL_I32;
    edges.place = g->queue.device->place;
    edges.rows = edges.cols = graph->vertices;
    edges.nnz = graph->edges;
    edges.offsets = g->begin.data;
    edges.indices = g->to.data;
    edges.values = values;
    return edges;
}

spl_status spl__device_graph_plan(spl_graph *graph, spl_type type, const void *values,
                                  spl_semiring semiring, spl_plan **plan)
{
    const spl_sparse edges = view_of(graph, type, values);
    spl_options options = SPL_OPTIONS_INIT;
    options.semiring = semiring;
    /* weights of an edge and its opposite may differ */
    options.op_a = graph->undirected && !values ? SPL_NONE : SPL_TRANSPOSE;
    return spl_spmv_plan(graph->context, &edges, &options, plan);
}

spl_status spl__device_graph_plan_dense(spl_graph *graph, int64_t columns, bool along,
                                        const void *values, spl_semiring semiring, spl_plan **plan)
{
    const spl_sparse edges = view_of(graph, SPL_F64, values);
    spl_options options = SPL_OPTIONS_INIT;
    options.semiring = semiring;
    options.op_a = along && (!graph->undirected || values) ? SPL_TRANSPOSE : SPL_NONE;
    return spl_spmm_plan(graph->context, &edges, columns, &options, plan);
}

spl_dense spl__device_graph_dense(const spl_graph *graph, int64_t columns,
                                  const spl__device_array *values)
{
    spl_dense m = SPL_DENSE_INIT;
    m.type = SPL_F64;
    m.order = SPL_ROW_MAJOR;
    m.place = graph->on_device->queue.device->place;
    m.rows = graph->vertices;
    m.cols = m.ld = columns;
    m.values = values->data;
    return m;
}

spl_status spl__device_graph_launch(spl__device_graph *g, const char *name, int64_t items,
                                    const void *args, size_t bytes)
{
    spl__launch launch = {.blocks = spl__blocks_for(&g->queue, items, GRAPH_STEP_THREADS),
                          .threads = GRAPH_STEP_THREADS,
                          .args = args};
    SPL__TRY(spl__queue_kernel(&g->queue, name, SPL_F32, SPL_I64, &launch.kernel));
    return spl__queue_launch(&g->queue, &launch, bytes);
}
