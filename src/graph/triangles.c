/* SPDX-License-Identifier: Apache-2.0 */
/* triangles.c: triangles by a masked product. */
#include "core/types.h"
#include "graph/device_graph.h"

/* The graph without its loops and repeated edges: what is below the diagonal, and what is above,
 * transposed. Both rows ascend. */
typedef struct halves {
    spl_matrix *all, *lower, *upper;
} halves;

static void free_halves(halves *h)
{
    spl_matrix_destroy(h->all);
    spl_matrix_destroy(h->lower);
    spl_matrix_destroy(h->upper);
}

static spl_status copy_graph(spl_context *context, const spl_sparse *graph, bool transpose,
                             spl_matrix **copy)
{
    spl_convert_options o = SPL_CONVERT_OPTIONS_INIT;
    o.format = SPL_CSR;
    o.type = SPL_F64;
    o.sum_duplicates = 1;
    o.transpose = transpose;
    return spl_convert(context, graph, &o, copy);
}

/* *half = the part of the graph, or of its transpose, below the diagonal. */
static spl_status take_half(spl_context *context, const spl_sparse *graph, bool transpose,
                            spl_matrix **all, spl_matrix **half)
{
    spl_sparse view = SPL_SPARSE_INIT;
    spl_selection lower = SPL_SELECTION_INIT;
    lower.selector = SPL_SELECT_LOWER;
    lower.diagonal = -1;
    SPL__TRY(copy_graph(context, graph, transpose, all));
    SPL__TRY(spl_matrix_view(*all, &view));
    SPL__TRY(spl_select(context, &view, &lower, half));
    spl_matrix_destroy(*all);
    *all = NULL;
    return SPL_OK;
}

/* An edge from `from` to `to`, whose opposite is missing. */
static spl_status fail_directed(int64_t from, int64_t to)
{
    return spl__fail(
        SPL_INVALID_ARGUMENT,
        "the graph is directed: there is an edge from %lld to %lld, none back; unite it "
        "with its transpose",
        (long long)from, (long long)to);
}

/* Compares row i of what is below with what is above, transposed. */
static spl_status compare_row(const spl_sparse *lower, const spl_sparse *upper, int64_t i)
{
    int64_t p = spl__offset_at(lower, i), q = spl__offset_at(upper, i);
    const int64_t p_end = spl__offset_at(lower, i + 1), q_end = spl__offset_at(upper, i + 1);
    for (; p < p_end || q < q_end; p++, q++) {
        if (q == q_end || (p < p_end && spl__entry_index(lower, p) < spl__entry_index(upper, q)))
            return fail_directed(i, spl__entry_index(lower, p));
        if (p == p_end || spl__entry_index(upper, q) < spl__entry_index(lower, p))
            return fail_directed(spl__entry_index(upper, q), i);
    }
    return SPL_OK;
}

static spl_status check_undirected(const halves *h)
{
    spl_sparse lower = SPL_SPARSE_INIT, upper = SPL_SPARSE_INIT;
    SPL__TRY(spl_matrix_view(h->lower, &lower));
    SPL__TRY(spl_matrix_view(h->upper, &upper));
    for (int64_t i = 0; i < lower.rows; i++)
        SPL__TRY(compare_row(&lower, &upper, i));
    return SPL_OK;
}

static int64_t sum_of(const spl_sparse *counts)
{
    int64_t sum = 0;
    for (int64_t p = 0; p < counts->nnz; p++)
        sum += ((const int32_t *)counts->values)[p];
    return sum;
}

/* The sum over all edges (i, j) of L of the vertices between i and j that are neighbours of both.
 * L*L' gives the same number, but L' has the long rows: it took three times as long on R-MAT
 * graphs. Of no edge there are 2^31 of them. */
static spl_status count(spl_context *context, const spl_matrix *lower, int64_t *triangles)
{
    spl_sparse l = SPL_SPARSE_INIT, counts = SPL_SPARSE_INIT;
    spl_options o = SPL_OPTIONS_INIT;
    spl_matrix *c = NULL;
    SPL__TRY(spl_matrix_view(lower, &l));
    l.type = SPL_INT32;
    l.values = NULL; /* a pattern */
    o.mask = &l;
    o.mask_pattern = SPL_MASK_FULL;
    o.semiring = SPL_PLUS_PAIR;
    SPL__TRY(spl_spgemm(context, NULL, &l, &l, NULL, NULL, &o, &c));
    spl_status status = spl_matrix_view(c, &counts);
    if (status == SPL_OK)
        *triangles = sum_of(&counts);
    spl_matrix_destroy(c);
    return status;
}

static spl_status count_triangles(spl_context *context, const spl_sparse *graph, halves *h,
                                  int64_t *triangles)
{
    SPL__TRY(take_half(context, graph, false, &h->all, &h->lower));
    SPL__TRY(take_half(context, graph, true, &h->all, &h->upper));
    SPL__TRY(check_undirected(h));
    spl_matrix_destroy(h->upper);
    h->upper = NULL;
    return count(context, h->lower, triangles);
}

spl_status spl_graph_triangles(spl_context *context, const spl_sparse *graph, int64_t *triangles)
{
    halves h = {NULL, NULL, NULL};
    if (!context || !graph || !triangles)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !context ? "context"
                         : !graph ? "graph"
                                  : "triangles");
    if (graph->rows != graph->cols)
        return spl__fail(SPL_SHAPE_MISMATCH, "a graph is square, this one is %lld x %lld",
                         (long long)graph->rows, (long long)graph->cols);
    if (spl__graph_device(context))
        return spl__device_triangles(context, graph, triangles);
    spl_status status = count_triangles(context, graph, &h, triangles);
    free_halves(&h);
    return status;
}
