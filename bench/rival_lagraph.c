/* SPDX-License-Identifier: Apache-2.0 */
/* LAGraph 1.1 on SuiteSparse:GraphBLAS. Graphs have what LAGraph's own benchmarks cache before.
 * Searches from several sources are not in that version of LAGraph: they are its betweenness' way
 * down, over any_pair. */
#include "graph_rivals.h"

#include <GraphBLAS.h>
#include <LAGraph.h>
#include <LAGraphX.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static LAGraph_Graph plain, weighted;
static GrB_Matrix lower; /* the entries left of the diagonal */
static char message[LAGRAPH_MSG_LEN];

static void need(int info, const char *what)
{
    if (info >= 0)
        return;
    fprintf(stderr, "%s: %d %s\n", what, info, message);
    exit(1);
}

static GrB_Matrix matrix_of(const graph *g)
{
    GrB_Index *i = allocate((size_t)g->nnz * 8), *j = allocate((size_t)g->nnz * 8);
    int32_t *values = allocate((size_t)g->nnz * 4);
    GrB_Matrix a;
    for (int64_t v = 0; v < g->n; v++)
        for (int32_t p = g->offsets[v]; p < g->offsets[v + 1]; p++) {
            i[p] = (GrB_Index)v;
            j[p] = (GrB_Index)g->columns[p];
            values[p] = (int32_t)g->weights[p];
        }
    need(GrB_Matrix_new(&a, GrB_INT32, (GrB_Index)g->n, (GrB_Index)g->n), "matrix");
    need(GrB_Matrix_build_INT32(a, i, j, values, (GrB_Index)g->nnz, GrB_PLUS_INT32), "matrix");
    free(i);
    free(j);
    free(values);
    return a;
}

static LAGraph_Graph graph_with(GrB_Matrix a)
{
    LAGraph_Graph made;
    need(LAGraph_New(&made, &a, LAGraph_ADJACENCY_UNDIRECTED, message), "graph");
    need(LAGraph_Cached_OutDegree(made, message), "graph");
    need(LAGraph_Cached_NSelfEdges(made, message), "graph");
    return made;
}

const char *lagraph_start(const graph *g, int threads)
{
    static char text[64];
    int of[3] = {0};
    GrB_Matrix a, structure;
    need(LAGraph_Init(message), "LAGraph");
    need(LAGraph_SetNumThreads(1, threads, message), "LAGraph");
    GxB_Global_Option_get(GxB_LIBRARY_VERSION, of);
    snprintf(text, sizeof text, "SuiteSparse:GraphBLAS %d.%d.%d", of[0], of[1], of[2]);
    a = matrix_of(g);
    need(LAGraph_Matrix_Structure(&structure, a, message), "matrix");
    need(GrB_Matrix_new(&lower, GrB_BOOL, (GrB_Index)g->n, (GrB_Index)g->n), "matrix");
    need(GrB_Matrix_select_INT64(lower, NULL, NULL, GrB_TRIL, structure, -1, NULL), "matrix");
    need(GrB_Matrix_wait(lower, GrB_MATERIALIZE), "matrix");
    plain = graph_with(structure);
    weighted = graph_with(a);
    need(LAGraph_Cached_EMin(weighted, message), "graph");
    return text;
}

/* Numbers of a vector; -1 where it has none. */
static void numbers_of(GrB_Vector v, int64_t n, double *out)
{
    GrB_Index *at = allocate((size_t)n * 8), count = (GrB_Index)n;
    double *values = allocate((size_t)n * 8);
    need(GrB_Vector_extractTuples_FP64(at, values, &count, v), "vector");
    for (int64_t k = 0; k < n; k++)
        out[k] = -1;
    for (GrB_Index k = 0; k < count; k++)
        out[at[k]] = values[k];
    free(at);
    free(values);
}

static double finish(GrB_Vector v, const rig *r, double start, double *out)
{
    need(GrB_Vector_wait(v, GrB_MATERIALIZE), "vector");
    const double seconds = now() - start;
    numbers_of(v, r->g->n, out);
    GrB_Vector_free(&v);
    return seconds;
}

double lagraph_bfs(const rig *r, double *out)
{
    GrB_Vector level = NULL, parent = NULL;
    const double start = now();
    need(LAGr_BreadthFirstSearch(&level, &parent, plain, (GrB_Index)r->sources[r->count / 2],
                                 message),
         "search");
    need(GrB_Vector_wait(parent, GrB_MATERIALIZE), "search");
    const double seconds = finish(level, r, start, out);
    GrB_Vector_free(&parent);
    return seconds;
}

double lagraph_searches(const rig *r, double *out)
{
    const GrB_Index n = (GrB_Index)r->g->n, count = (GrB_Index)r->count;
    GrB_Matrix levels, here;
    GrB_Index found = count;
    bool pulled = false;
    const double start = now();
    need(GrB_Matrix_new(&levels, GrB_INT32, count, n), "searches");
    need(GrB_Matrix_new(&here, GrB_BOOL, count, n), "searches");
    need(GxB_Matrix_Option_set(levels, GxB_SPARSITY_CONTROL, GxB_BITMAP + GxB_FULL), "searches");
    for (GrB_Index k = 0; k < count; k++)
        need(GrB_Matrix_setElement_BOOL(here, true, k, (GrB_Index)r->sources[k]), "searches");
    for (int32_t level = 0; found > 0; level++) {
        need(GrB_Matrix_assign_INT32(levels, here, NULL, level, GrB_ALL, count, GrB_ALL, n,
                                     GrB_DESC_S),
             "searches");
        const double part = (double)found / (double)(count * n);
        const bool pull = part > (pulled ? .06 : .1);
        need(GxB_Matrix_Option_set(here, GxB_SPARSITY_CONTROL, pull ? GxB_BITMAP : GxB_SPARSE),
             "searches");
        need(GrB_mxm(here, levels, NULL, GxB_ANY_PAIR_BOOL, here, plain->A,
                     pull ? GrB_DESC_RSCT1 : GrB_DESC_RSC),
             "searches");
        pulled = pull;
        need(GrB_Matrix_nvals(&found, here), "searches");
    }
    need(GrB_Matrix_wait(levels, GrB_MATERIALIZE), "searches");
    const double seconds = now() - start;
    GrB_Index all, *i, *j;
    need(GrB_Matrix_nvals(&all, levels), "searches");
    i = allocate((size_t)all * 8), j = allocate((size_t)all * 8);
    int32_t *values = allocate((size_t)all * 4);
    need(GrB_Matrix_extractTuples_INT32(i, j, values, &all, levels), "searches");
    for (int64_t k = 0; k < r->count * r->g->n; k++)
        out[k] = -1;
    for (GrB_Index k = 0; k < all; k++)
        out[i[k] * n + j[k]] = values[k];
    free(i);
    free(j);
    free(values);
    GrB_Matrix_free(&levels);
    GrB_Matrix_free(&here);
    return seconds;
}

double lagraph_paths(const rig *r, double *out)
{
    GrB_Vector lengths = NULL;
    GrB_Scalar delta;
    need(GrB_Scalar_new(&delta, GrB_INT32), "paths");
    need(GrB_Scalar_setElement_INT32(delta, (int32_t)r->delta), "paths");
    const double start = now();
    need(LAGr_SingleSourceShortestPath(&lengths, weighted, (GrB_Index)r->sources[r->count / 2],
                                       delta, message),
         "paths");
    const double seconds = finish(lengths, r, start, out);
    for (int64_t v = 0; v < r->g->n; v++)
        out[v] = out[v] >= INT32_MAX ? -1 : out[v];
    GrB_Scalar_free(&delta);
    return seconds;
}

double lagraph_components(const rig *r, double *out)
{
    GrB_Vector of = NULL;
    const double start = now();
    need(LAGr_ConnectedComponents(&of, plain, message), "components");
    return finish(of, r, start, out);
}

double lagraph_ranks(const rig *r, double *out)
{
    GrB_Vector of = NULL;
    int steps;
    const double start = now();
    need(LAGr_PageRankGAP(&of, &steps, plain, .85F, 1e-4F, 100, message), "PageRank");
    return finish(of, r, start, out);
}

static double betweenness(const rig *r, int64_t count, double *out)
{
    GrB_Vector of = NULL;
    GrB_Index *sources = allocate((size_t)count * sizeof *sources);
    for (int64_t k = 0; k < count; k++)
        sources[k] = (GrB_Index)r->sources[k * (r->count / count)];
    const double start = now();
    need(LAGr_Betweenness(&of, plain, sources, (int32_t)count, message), "betweenness");
    const double seconds = finish(of, r, start, out);
    free(sources);
    return seconds;
}

double lagraph_few_betweenness(const rig *r, double *out)
{
    return betweenness(r, 4, out);
}

double lagraph_betweenness(const rig *r, double *out)
{
    return betweenness(r, r->count, out);
}

double lagraph_triangles(const rig *r, double *out)
{
    uint64_t count;
    LAGr_TriangleCount_Method method = LAGr_TriangleCount_AutoMethod;
    LAGr_TriangleCount_Presort presort = LAGr_TriangleCount_AutoSort;
    (void)r;
    const double start = now();
    need(LAGr_TriangleCount(&count, plain, &method, &presort, message), "triangles");
    out[0] = (double)count;
    return now() - start;
}

/* The number of entries and their sum. */
static double finish_matrix(GrB_Matrix c, double start, double *out)
{
    GrB_Index count;
    int64_t sum = 0;
    need(GrB_Matrix_wait(c, GrB_MATERIALIZE), "matrix");
    const double seconds = now() - start;
    need(GrB_Matrix_nvals(&count, c), "matrix");
    need(GrB_Matrix_reduce_INT64(&sum, NULL, GrB_PLUS_MONOID_INT64, c, NULL), "matrix");
    out[0] = (double)count;
    out[1] = (double)sum;
    GrB_Matrix_free(&c);
    return seconds;
}

double lagraph_truss(const rig *r, double *out)
{
    GrB_Matrix c = NULL;
    (void)r;
    const double start = now();
    need(LAGraph_KTruss(&c, plain, 5, message), "truss");
    return finish_matrix(c, start, out);
}

static double masked(const rig *r, GrB_Matrix a, GrB_Descriptor how, double *out)
{
    GrB_Matrix c;
    const double start = now();
    need(GrB_Matrix_new(&c, GrB_INT32, (GrB_Index)r->g->n, (GrB_Index)r->g->n), "masked");
    need(GrB_mxm(c, a, NULL, GxB_PLUS_PAIR_INT32, a, a, how), "masked");
    return finish_matrix(c, start, out);
}

double lagraph_masked(const rig *r, double *out)
{
    return masked(r, lower, GrB_DESC_S, out);
}

double lagraph_masked_dots(const rig *r, double *out)
{
    return masked(r, lower, GrB_DESC_ST1, out);
}

double lagraph_masked_square(const rig *r, double *out)
{
    return masked(r, plain->A, GrB_DESC_S, out);
}
