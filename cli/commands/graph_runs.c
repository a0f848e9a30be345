/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_runs.h"

#include "failure.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <typed_array.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_whole(cli_graph_result *result, const char *key, int64_t number, const char *note)
{
    result->facts[result->fact_count++] =
        (cli_graph_fact){.key = key, .note = note, .whole = number};
}

static void add_real(cli_graph_result *result, const char *key, double number, const char *note)
{
    result->facts[result->fact_count++] =
        (cli_graph_fact){.key = key, .note = note, .real = number, .is_real = 1};
}

/* A column for the file: an array of n elements. */
static void *add_column(cli_graph_result *result, cli_graph_values values)
{
    const size_t size = values == CLI_GRAPH_I32 ? sizeof(int32_t) : sizeof(int64_t);
    void *array = tool_array(result->vertices, size);
    if (array)
        result->columns[result->column_count++] = (cli_graph_column){array, values};
    return array;
}

static int no_memory(void)
{
    return cli_fail(SPL_OUT_OF_MEMORY, "no memory for the results");
}

void cli_graph_result_free(cli_graph_result *result)
{
    for (int k = 0; k < result->column_count; k++)
        free(result->columns[k].array);
    spl_matrix_destroy(result->matrix);
}

/* `count` of n vertices. */
static int64_t *spread_sources(int64_t n, int64_t count)
{
    int64_t *sources = tool_array(count, sizeof *sources);
    for (int64_t k = 0; sources && k < count; k++)
        sources[k] = (int64_t)((double)k * (double)n / (double)count);
    return sources;
}

/* ------------------------------------------------------------------------------------- searches */

static void add_levels(cli_graph_result *result, const int32_t *levels)
{
    int64_t reached = 0, most = 0;
    for (int64_t v = 0; v < result->vertices; v++) {
        reached += levels[v] >= 0;
        most = levels[v] > most ? levels[v] : most;
    }
    add_whole(result, "reached", reached, "vertices, the source included");
    add_whole(result, "levels", most, "edges to the farthest of them");
}

static int run_bfs(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    int32_t *levels = add_column(result, CLI_GRAPH_I32),
            *parents = add_column(result, CLI_GRAPH_I32);
    if (!levels || !parents)
        return no_memory();
    double start = now();
    int code = cli_check(spl_graph_bfs(graph, session->request->source, levels, parents));
    result->seconds = now() - start;
    if (!code)
        add_levels(result, levels);
    return code;
}

/* From 64 vertices or --samples, evenly spread. */
static int run_multi_bfs(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    const int64_t n = result->vertices, samples = session->request->samples,
                  wanted = samples > 0 ? samples : 64, count = wanted < n ? wanted : n;
    int32_t *reached_by = add_column(result, CLI_GRAPH_I32), most = 0;
    int64_t *far = add_column(result, CLI_GRAPH_I64), reached = 0, sum = 0;
    int32_t *levels = tool_array(count * n, sizeof *levels);
    int64_t *sources = spread_sources(n, count);
    int code = !reached_by || !far || !levels || !sources ? no_memory() : CLI_OK;
    double start = now();
    if (!code)
        code = cli_check(spl_graph_multi_bfs(graph, sources, count, levels));
    result->seconds = now() - start;
    for (int64_t v = 0; !code && v < n; v++) {
        reached_by[v] = 0;
        far[v] = 0;
        for (int64_t k = 0; k < count; k++) {
            const int32_t level = levels[k * n + v];
            reached_by[v] += level >= 0;
            far[v] += level > 0 ? level : 0;
            most = level > most ? level : most;
        }
        reached += reached_by[v];
        sum += far[v];
    }
    free(levels);
    free(sources);
    add_whole(result, "sources", count, NULL);
    add_whole(result, "reached", reached, "pairs of a source and a vertex");
    add_whole(result, "levels", most, "edges of the longest of their paths");
    add_real(result, "mean", reached > 0 ? (double)sum / (double)reached : 0, "edges of a path");
    return code;
}

static int run_sssp(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    const cli_request *request = session->request;
    double *distances = add_column(result, CLI_GRAPH_F64), most = 0;
    int32_t *before = request->output ? add_column(result, CLI_GRAPH_I32) : NULL;
    int64_t reached = 0;
    if (!distances || (request->output && !before))
        return no_memory();
    double start = now();
    int code = cli_check(
        before ? spl_graph_sssp_tree(graph, request->source, request->delta, distances, before)
               : spl_graph_sssp(graph, request->source, request->delta, distances));
    result->seconds = now() - start;
    for (int64_t v = 0; !code && v < result->vertices; v++)
        if (isfinite(distances[v])) {
            reached++;
            most = fmax(most, distances[v]);
        }
    add_whole(result, "reached", reached, "vertices, the source included");
    add_real(result, "distance", most, "to the farthest of them");
    return code;
}

/* As run_multi_bfs, by weights. */
static int run_multi_sssp(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    const cli_request *request = session->request;
    const int64_t n = result->vertices, wanted = request->samples > 0 ? request->samples : 64,
                  count = wanted < n ? wanted : n;
    int32_t *reached_by = add_column(result, CLI_GRAPH_I32);
    double *far = add_column(result, CLI_GRAPH_F64), most = 0, sum = 0;
    double *distances = tool_array(count * n, sizeof *distances);
    int64_t *sources = spread_sources(n, count), reached = 0;
    int code = !reached_by || !far || !distances || !sources ? no_memory() : CLI_OK;
    double start = now();
    if (!code)
        code = cli_check(spl_graph_multi_sssp(graph, sources, count, request->delta, distances));
    result->seconds = now() - start;
    for (int64_t v = 0; !code && v < n; v++) {
        reached_by[v] = 0;
        far[v] = 0;
        for (int64_t k = 0; k < count; k++)
            if (isfinite(distances[k * n + v])) {
                reached_by[v]++;
                far[v] += distances[k * n + v];
                most = fmax(most, distances[k * n + v]);
            }
        reached += reached_by[v];
        sum += far[v];
    }
    free(distances);
    free(sources);
    add_whole(result, "sources", count, NULL);
    add_whole(result, "reached", reached, "pairs of a source and a vertex");
    add_real(result, "distance", most, "of the farthest of them");
    add_real(result, "mean", reached > 0 ? sum / (double)reached : 0, "distance");
    return code;
}

static int run_components(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    int64_t count = 0, most = 0;
    int32_t *label = add_column(result, CLI_GRAPH_I32);
    int64_t *sizes = calloc((size_t)result->vertices + 1, sizeof *sizes);
    (void)session;
    double start = now();
    int code =
        !label || !sizes ? no_memory() : cli_check(spl_graph_components(graph, label, &count));
    result->seconds = now() - start;
    for (int64_t v = 0; !code && v < result->vertices; v++) {
        int64_t size = ++sizes[label[v]];
        most = size > most ? size : most;
    }
    free(sizes);
    add_whole(result, "components", count, NULL);
    add_whole(result, "largest", most, "vertices of the largest");
    return code;
}

/* ----------------------------------------------------------------------------------- importance */

static void add_largest(cli_graph_result *result, const double *values)
{
    int64_t best = 0;
    for (int64_t v = 1; v < result->vertices; v++)
        best = values[v] > values[best] ? v : best;
    if (result->vertices > 0) {
        add_whole(result, "first", best, "the vertex of the largest value");
        add_real(result, "largest", values[best], "that value");
    }
}

static int run_pagerank(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    const cli_request *request = session->request;
    double *ranks = add_column(result, CLI_GRAPH_F64);
    int32_t steps = 0;
    if (!ranks)
        return no_memory();
    double start = now();
    int code = cli_check(spl_graph_pagerank(graph, request->damping, request->tolerance,
                                            (int32_t)request->steps, ranks, &steps));
    result->seconds = now() - start;
    if (!code) {
        add_whole(result, "steps", steps, NULL);
        add_largest(result, ranks);
    }
    return code;
}

/* From all vertices, or from some, evenly spread. */
static int run_betweenness(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    const int64_t n = result->vertices, samples = session->request->samples,
                  count = samples > 0 && samples < n ? samples : n;
    double *values = add_column(result, CLI_GRAPH_F64);
    int64_t *sources = spread_sources(n, count);
    double start = now();
    int code = !values || !sources
                   ? no_memory()
                   : cli_check(spl_graph_betweenness(graph, sources, count, values));
    result->seconds = now() - start;
    free(sources);
    add_whole(result, "sources", count, NULL);
    if (!code)
        add_largest(result, values);
    return code;
}

/* ------------------------------------------------------------------------------------ triangles */

static int run_triangles(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    int64_t *triangles = add_column(result, CLI_GRAPH_I64), sum = 0, most = 0;
    (void)session;
    if (!triangles)
        return no_memory();
    double start = now();
    int code = cli_check(spl_graph_vertex_triangles(graph, triangles));
    result->seconds = now() - start;
    for (int64_t v = 0; !code && v < result->vertices; v++) {
        sum += triangles[v];
        most = triangles[v] > most ? triangles[v] : most;
    }
    add_whole(result, "triangles", sum / 3, NULL);
    add_whole(result, "most", most, "triangles of a vertex");
    return code;
}

static int run_truss(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    spl_sparse view = SPL_SPARSE_INIT;
    double start = now();
    int code = cli_check(spl_graph_ktruss(graph, session->request->truss, &result->matrix));
    result->seconds = now() - start;
    if (!code)
        code = cli_check(spl_matrix_view(result->matrix, &view));
    add_whole(result, "edges", view.nnz / 2, "of the truss");
    return code;
}

/* --------------------------------------------------------------------------------- independence */

static int run_independent_set(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    int32_t *members = add_column(result, CLI_GRAPH_I32);
    int64_t count = 0;
    (void)session;
    if (!members)
        return no_memory();
    double start = now();
    int code = cli_check(spl_graph_independent_set(graph, members, &count));
    result->seconds = now() - start;
    add_whole(result, "members", count, "vertices, no two of them neighbours");
    return code;
}

static int run_colouring(cli_session *session, spl_graph *graph, cli_graph_result *result)
{
    int32_t *colours = add_column(result, CLI_GRAPH_I32), count = 0;
    (void)session;
    if (!colours)
        return no_memory();
    double start = now();
    int code = cli_check(spl_graph_colouring(graph, colours, &count));
    result->seconds = now() - start;
    add_whole(result, "colours", count, NULL);
    return code;
}

const cli_graph_run cli_graph_runs[] = {
    {"bfs", "the fewest edges from --source", "source", run_bfs},
    {"multi-bfs", "the same from --samples vertices at once", "samples", run_multi_bfs},
    {"components", "connected components", "plot", run_components},
    {"pagerank", "PageRank", "damping tolerance steps", run_pagerank},
    {"sssp", "shortest paths from --source, the values being lengths", "source delta", run_sssp},
    {"multi-sssp", "the same from --samples vertices at once", "samples delta", run_multi_sssp},
    {"betweenness", "the part of all shortest paths that pass a vertex", "samples",
     run_betweenness},
    {"triangles", "the triangles of each vertex", "", run_triangles},
    {"truss", "edges in --truss less 2 triangles or more", "truss", run_truss},
    {"independent-set", "a maximal set of vertices without edges between them", "",
     run_independent_set},
    {"colouring", "colours such that no edge has one colour at both ends", "", run_colouring},
    {0},
};
