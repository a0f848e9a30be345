/* SPDX-License-Identifier: Apache-2.0 */
/* benchmark_rivals.c: graph algorithms and masked products beside LAGraph's and GAP's, in turns,
 * with results that must agree. doc/benchmarks.md says how it is built.
 *
 *     benchmark_rivals GRAPH THREADS RUNS SECONDS [SEED [FIRST LAST]]
 *
 * Medians of at most RUNS runs, fewer where they take SECONDS. FIRST to LAST: of the algorithms. */
#include "graph_rivals.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 64, MOST_RUNS = 64, LIBRARIES = 3 };

/* ---- ours ---- */

static void numbers_of(const int32_t *from, int64_t count, double *out)
{
    for (int64_t k = 0; k < count; k++)
        out[k] = from[k];
}

static double bfs(const rig *r, double *out)
{
    int32_t *levels = allocate((size_t)r->g->n * 4), *parents = allocate((size_t)r->g->n * 4);
    const double start = now();
    must(spl_graph_bfs(r->made, r->sources[r->count / 2], levels, parents), "search");
    const double seconds = now() - start;
    numbers_of(levels, r->g->n, out);
    free(levels);
    free(parents);
    return seconds;
}

static double searches(const rig *r, double *out)
{
    int32_t *levels = allocate((size_t)(r->g->n * r->count) * 4);
    const double start = now();
    must(spl_graph_multi_bfs(r->made, r->sources, r->count, levels), "searches");
    const double seconds = now() - start;
    numbers_of(levels, r->g->n * r->count, out);
    free(levels);
    return seconds;
}

static double paths(const rig *r, double *out)
{
    const double start = now();
    must(spl_graph_sssp(r->made, r->sources[r->count / 2], 0, out), "paths");
    const double seconds = now() - start;
    for (int64_t v = 0; v < r->g->n; v++)
        out[v] = isinf(out[v]) ? -1 : out[v];
    return seconds;
}

static double components(const rig *r, double *out)
{
    int32_t *of = allocate((size_t)r->g->n * 4);
    int64_t count;
    const double start = now();
    must(spl_graph_components(r->made, of, &count), "components");
    const double seconds = now() - start;
    numbers_of(of, r->g->n, out);
    free(of);
    return seconds;
}

static double ranks(const rig *r, double *out)
{
    int32_t steps;
    const double start = now();
    must(spl_graph_pagerank(r->made, .85, 1e-4, 100, out, &steps), "PageRank");
    return now() - start;
}

static double some_betweenness(const rig *r, int64_t count, double *out)
{
    int64_t sources[SOURCES];
    for (int64_t k = 0; k < count; k++)
        sources[k] = r->sources[k * (r->count / count)];
    const double start = now();
    must(spl_graph_betweenness(r->made, sources, count, out), "betweenness");
    return now() - start;
}

static double few_betweenness(const rig *r, double *out)
{
    return some_betweenness(r, 4, out);
}

static double betweenness(const rig *r, double *out)
{
    return some_betweenness(r, r->count, out);
}

/* Makes the graph ready, too. */
static double triangles(const rig *r, double *out)
{
    const spl_sparse a = graph_view(r->g, SPL_F64, NULL);
    int64_t count;
    const double start = now();
    must(spl_graph_triangles(r->context, &a, &count), "triangles");
    out[0] = (double)count;
    return now() - start;
}

/* The number of entries and their sum. */
static void sums_of(spl_matrix *matrix, double *out)
{
    spl_sparse c = SPL_SPARSE_INIT;
    must(spl_matrix_view(matrix, &c), "matrix");
    out[0] = (double)c.nnz;
    out[1] = 0;
    for (int64_t p = 0; p < c.nnz; p++)
        out[1] +=
            c.type == SPL_F64 ? ((const double *)c.values)[p] : ((const int32_t *)c.values)[p];
    spl_matrix_destroy(matrix);
}

static double truss(const rig *r, double *out)
{
    spl_matrix *c;
    const double start = now();
    must(spl_graph_ktruss(r->made, 5, &c), "truss");
    const double seconds = now() - start;
    sums_of(c, out);
    return seconds;
}

/* ---- masked products ---- */

static graph low; /* the entries left of the diagonal */

static void make_low(const graph *g)
{
    low = (graph){.n = g->n};
    low.offsets = allocate((size_t)(g->n + 1) * 4);
    low.columns = allocate((size_t)g->nnz * 4);
    low.weights = allocate((size_t)g->nnz * 8);
    for (int64_t i = 0; i < g->n; i++) {
        low.offsets[i] = (int32_t)low.nnz;
        for (int32_t p = g->offsets[i]; p < g->offsets[i + 1] && g->columns[p] < i; p++) {
            low.weights[low.nnz] = 1;
            low.columns[low.nnz++] = g->columns[p];
        }
    }
    low.offsets[g->n] = (int32_t)low.nnz;
}

static double product(const rig *r, const graph *g, spl_operator op_b, double *out)
{
    const spl_sparse a = graph_view(g, SPL_INT32, NULL);
    spl_options options = SPL_OPTIONS_INIT;
    spl_matrix *c;
    options.mask = &a;
    options.semiring = SPL_PLUS_PAIR;
    options.op_b = op_b;
    const double start = now();
    must(spl_spgemm(r->context, NULL, &a, &a, NULL, NULL, &options, &c), "masked");
    const double seconds = now() - start;
    sums_of(c, out);
    return seconds;
}

static double masked(const rig *r, double *out)
{
    return product(r, &low, SPL_NONE, out);
}

static double masked_dots(const rig *r, double *out)
{
    return product(r, &low, SPL_TRANSPOSE, out);
}

static double masked_square(const rig *r, double *out)
{
    return product(r, r->g, SPL_NONE, out);
}

/* L*L in f64 by a context of its own, so that its memory is the product's: under the mask L, or all
 * of it, of which the mask is then taken. */
static double one_product(int threads, bool select, size_t *peak, double *out)
{
    const spl_sparse a = graph_view(&low, SPL_F64, low.weights);
    spl_options options = SPL_OPTIONS_INIT;
    spl_context_options with = SPL_CONTEXT_OPTIONS_INIT;
    spl_memory_info memory = SPL_MEMORY_INFO_INIT;
    spl_context *context;
    spl_sparse all = SPL_SPARSE_INIT;
    spl_matrix *c, *selected;
    with.threads = threads;
    must(spl_context_create(&with, &context), "context");
    options.mask = select ? NULL : &a;
    const double start = now();
    must(spl_spgemm(context, NULL, &a, &a, NULL, NULL, &options, &c), "product");
    if (select) {
        must(spl_matrix_view(c, &all), "product");
        must(spl_elementwise(context, &all, &a, SPL_INTERSECTION, SPL_OP_FIRST, &selected),
             "select");
        spl_matrix_destroy(c);
        c = selected;
    }
    const double seconds = now() - start;
    must(spl_memory(context, (spl_place){0}, &memory), "memory");
    *peak = memory.peak;
    sums_of(c, out);
    spl_context_destroy(context);
    return seconds;
}

/* ---- comparison ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

enum { SAME, PARTS, RANKS, NEAR, UNKNOWN }; /* how results are compared */

/* Each component gets the number of its first vertex. */
static void name_parts(double *of, int64_t n)
{
    double *first = allocate((size_t)n * sizeof *first);
    for (int64_t v = 0; v < n; v++)
        first[v] = -1;
    for (int64_t v = 0; v < n; v++) {
        const int64_t part = (int64_t)of[v];
        first[part] = first[part] < 0 ? (double)v : first[part];
        of[v] = first[part];
    }
    free(first);
}

/* Ranks of vertices with edges are made to sum up to 1: the rivals' lose what others have. */
static void scale_ranks(const graph *g, double *of)
{
    double sum = 0;
    for (int64_t v = 0; v < g->n; v++)
        sum += of[v] *= g->offsets[v + 1] > g->offsets[v];
    for (int64_t v = 0; v < g->n; v++)
        of[v] /= sum;
}

static bool agree(const graph *g, int how, int64_t length, double *ours, double *theirs)
{
    double apart = 0, most = 0, all = 0;
    if (how == PARTS)
        name_parts(ours, g->n), name_parts(theirs, g->n);
    if (how == RANKS)
        scale_ranks(g, ours), scale_ranks(g, theirs);
    for (int64_t k = 0; k < length; k++) {
        most = fmax(most, fabs(ours[k] - theirs[k]) / fmax(1, fabs(ours[k])));
        apart += fabs(ours[k] - theirs[k]);
        all += fabs(ours[k]);
    }
    return how == RANKS ? apart <= 1e-3 * all : how == NEAR ? most <= 1e-9 : most == 0;
}

static const struct {
    const char *name;
    graph_algorithm by[LIBRARIES]; /* ours, LAGraph's, GAP's */
    int how, length;               /* 0: a number of each vertex and source, 1: of each vertex */
} algorithms[] = {
    {"BFS, levels and parents", {bfs, lagraph_bfs, gap_bfs}, SAME, 1},
    {"64 BFS", {searches, lagraph_searches, gap_searches}, SAME, 0},
    {"shortest paths", {paths, lagraph_paths, gap_paths}, SAME, 1},
    {"components", {components, lagraph_components, gap_components}, PARTS, 1},
    {"PageRank to 1e-4", {ranks, lagraph_ranks, gap_ranks}, RANKS, 1},
    {"betweenness, 4 sources",
     {few_betweenness, lagraph_few_betweenness, gap_few_betweenness},
     NEAR,
     1},
    {"betweenness, 64 sources", {betweenness, lagraph_betweenness, gap_betweenness}, NEAR, 1},
    {"triangles", {triangles, lagraph_triangles, gap_triangles}, SAME, -1},
    {"5-truss", {truss, lagraph_truss, NULL}, SAME, -2},
    {"L*L under L", {masked, lagraph_masked, NULL}, SAME, -2},
    {"L*L' under L", {masked_dots, lagraph_masked_dots, NULL}, SAME, -2},
    {"A*A under A", {masked_square, lagraph_masked_square, NULL}, SAME, -2}};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* The delta of shortest paths with which a rival is fastest. */
static double best_delta(rig *r, graph_algorithm work, double *out)
{
    double best = 1e9, delta = 0;
    for (double some = 2; some <= 512; some *= 4) {
        r->delta = some;
        const double seconds = work(r, out);
        if (seconds < best)
            best = seconds, delta = some;
        if (seconds > 2 * best) /* the next take longer still */
            break;
    }
    return delta;
}

static void run(rig *r, int which, int runs, double limit)
{
    const int by_length = algorithms[which].length;
    const int64_t length = by_length < 0    ? -by_length
                           : by_length == 1 ? r->g->n
                                            : r->g->n * r->count;
    double *out[LIBRARIES], times[LIBRARIES][MOST_RUNS], spent[LIBRARIES] = {0},
                                                         delta[LIBRARIES] = {0};
    int count[LIBRARIES] = {0};
    bool same[LIBRARIES] = {true, true, true};
    for (int l = 0; l < LIBRARIES; l++) {
        out[l] = allocate((size_t)length * sizeof(double));
        memset(out[l], 0, (size_t)length * sizeof(double));
        if (l && algorithms[which].by[l] && algorithms[which].by[0] == paths)
            delta[l] = best_delta(r, algorithms[which].by[l], out[l]);
    }
    for (int k = 0; k < runs && k < MOST_RUNS; k++)
        for (int l = 0; l < LIBRARIES; l++) {
            if (!algorithms[which].by[l] || (k > 0 && spent[l] + spent[l] / k > limit))
                continue;
            r->delta = delta[l];
            const double seconds = algorithms[which].by[l](r, out[l]);
            times[l][count[l]++] = seconds;
            spent[l] += seconds;
            if (k == 0 && l > 0)
                same[l] = agree(r->g, algorithms[which].how, length, out[0], out[l]);
        }
    const double ours = median(times[0], count[0]);
    printf("  %-24s ours %10.3f ms", algorithms[which].name, 1e3 * ours);
    for (int l = 1; l < LIBRARIES; l++)
        if (algorithms[which].by[l]) {
            const double theirs = median(times[l], count[l]);
            const bool unknown = l == 2 && algorithms[which].how == NEAR;
            printf("  %s %10.3f ms %6.2f %s", l == 1 ? "LAGraph" : "GAP", 1e3 * theirs,
                   theirs / ours,
                   unknown   ? "not compared"
                   : same[l] ? "same"
                             : "DIFFERENT");
        }
    printf("\n");
    fflush(stdout);
    for (int l = 0; l < LIBRARIES; l++)
        free(out[l]);
}

static void run_products(int threads, int runs, double limit)
{
    double times[2][MOST_RUNS], spent[2] = {0}, sums[2][2];
    size_t peak[2];
    int count[2] = {0};
    for (int k = 0; k < runs && k < MOST_RUNS; k++)
        for (int l = 0; l < 2; l++)
            if (k == 0 || spent[l] + spent[l] / k <= limit) {
                times[l][count[l]++] = one_product(threads, l == 1, &peak[l], sums[l]);
                spent[l] += times[l][count[l] - 1];
            }
    const double mask = median(times[0], count[0]), all = median(times[1], count[1]);
    printf("  %-24s ours %10.3f ms  then selected %10.3f ms %6.2f %s, memory %.3f\n",
           "L*L under L, f64", 1e3 * mask, 1e3 * all, all / mask,
           sums[0][0] == sums[1][0] && sums[0][1] == sums[1][1] ? "same" : "DIFFERENT",
           (double)peak[0] / (double)peak[1]);
}

/* Weights of 32 bits, as the rivals have. */
static float *short_weights(const graph *g)
{
    float *weights = allocate((size_t)g->nnz * sizeof *weights);
    for (int64_t p = 0; p < g->nnz; p++)
        weights[p] = (float)g->weights[p];
    return weights;
}

int main(int count, char **arguments)
{
    if (count < 5) {
        fprintf(stderr, "benchmark_rivals GRAPH THREADS RUNS SECONDS [SEED [FIRST LAST]]\n");
        return 2;
    }
    const int threads = atoi(arguments[2]), runs = atoi(arguments[3]);
    const double limit = atof(arguments[4]);
    const int first = count > 7 ? atoi(arguments[6]) : 0,
              last = count > 7 ? atoi(arguments[7]) : ALGORITHMS;
    int64_t sources[SOURCES];
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    graph g = graph_of(arguments[1], count > 5 ? strtoull(arguments[5], NULL, 10) : 0);
    rig r = {.g = &g, .count = SOURCES, .sources = sources};
    float *const weights = short_weights(&g);
    const spl_sparse a = graph_view(&g, SPL_F32, weights);
    graph_sources(&g, SOURCES, sources);
    options.threads = threads;
    must(spl_context_create(&options, &r.context), "context");
    must(spl_graph_create(r.context, &a, &r.made), "graph");
    make_low(&g);
    gap_start(&g);
    printf("%s: %lld vertices, %lld edges, %d threads, %s\n", arguments[1], (long long)g.n,
           (long long)g.nnz / 2, threads, lagraph_start(&g, threads));
    for (int which = first; which <= last && which < ALGORITHMS; which++)
        run(&r, which, runs, limit);
    if (last >= ALGORITHMS)
        run_products(threads, runs, limit);
    spl_graph_destroy(r.made);
    spl_context_destroy(r.context);
    free(weights);
    graph_free(&low);
    graph_free(&g);
    return 0;
}
