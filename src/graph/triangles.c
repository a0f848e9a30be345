/* SPDX-License-Identifier: Apache-2.0 */
/* triangles.c: the number of all triangles. */
#include "core/threads/team_seconds.h"
#include "core/types.h"
#include "graph/gpu/device_graph.h"
#include "graph/short_rows.h"
#include "graph/vertex_triangles.h"
#include "matrix/view.h"

static spl_status count_by_vertices(spl_context *context, const spl_sparse *pattern,
                                    int64_t *triangles)
{
    spl__watched call;
    spl_graph *graph;
    SPL__TRY(spl_graph_create(context, pattern, &graph));
    spl__account *account = spl__watched_begin(&call, context, "triangles", 0);
    spl_status status = spl__graph_count_triangles(graph, account, NULL, triangles);
    spl_graph_destroy(graph);
    return status;
}

static spl_status count_on_cpu(spl_context *context, const spl_sparse *edges, int64_t *triangles)
{
    spl__watched call;
    spl_sparse pattern;
    bool counted;
    int64_t found;
    SPL__TRY(spl__pattern_read(&pattern, edges, "edges"));
    pattern.values = NULL;
    spl__account *account = spl__watched_begin(&call, context, "triangles", 0);
    SPL__TRY(spl__count_in_short_rows(
        account, spl__threads_for(pattern.nnz, spl__graph_threads_of(context, pattern.nnz)),
        &pattern, &counted, &found));
    if (!counted)
        return count_by_vertices(context, &pattern, triangles);
    *triangles = found;
    return SPL_OK;
}

spl_status spl_graph_triangles(spl_context *context, const spl_sparse *graph, int64_t *triangles)
{
    if (!context || !graph || !triangles)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !context ? "context"
                         : !graph ? "graph"
                                  : "triangles");
    if (graph->rows != graph->cols)
        return spl__fail(SPL_SHAPE_MISMATCH, "a graph is square, this one is %lld x %lld",
                         (long long)graph->rows, (long long)graph->cols);
    return spl__graph_device(context) ? spl__device_triangles(context, graph, triangles)
                                      : count_on_cpu(context, graph, triangles);
}
