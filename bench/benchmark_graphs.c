/* SPDX-License-Identifier: Apache-2.0 */
/* benchmark_graphs.c: graph algorithms and masked products on a device and on threads of its host,
 * whose results must agree. Graphs are those of graphs.h; best of some runs, without making the
 * graph ready, with the results on the host.
 *
 *     benchmark_graphs DEVICE THREADS GRAPH RUNS [heavy|light] [dump FILE]
 *
 * heavy: also what takes the CPU minutes at large scales; light: only what walks along edges. */
#include "graphs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- algorithms ---- */

enum { SOURCES = 64 };

typedef struct run {
    const graph *g;
    spl_context *context;
    spl_graph *made;
    int runs;
    double results[8]; /* a number of each algorithm, to compare */
} run;

typedef double (*algorithm)(run *r);

static double triangles(run *r)
{
    int64_t *of = allocate((size_t)r->g->n * sizeof *of), sum = 0;
    must(spl_graph_vertex_triangles(r->made, of), "triangles");
    for (int64_t v = 0; v < r->g->n; v++)
        sum += of[v];
    free(of);
    return (double)sum / 3;
}

static double truss(run *r)
{
    spl_matrix *m;
    spl_sparse view = SPL_SPARSE_INIT;
    must(spl_graph_ktruss(r->made, 5, &m), "k-truss");
    must(spl_matrix_view(m, &view), "k-truss");
    double sum = (double)view.nnz;
    for (int64_t p = 0; p < view.nnz; p++)
        sum += ((const double *)view.values)[p];
    spl_matrix_destroy(m);
    return sum;
}

static int32_t *levels; /* of SOURCES searches; touched before times are taken */

/* From one source, which has edges, the levels, or the parents too. */
static double search(run *r, int32_t *parents)
{
    int64_t sources[SOURCES];
    double sum = 0;
    graph_sources(r->g, SOURCES, sources);
    must(spl_graph_bfs(r->made, sources[SOURCES / 2], levels, parents), "breadth-first search");
    for (int64_t v = 0; v < r->g->n; v++)
        sum += (levels[v] + (parents ? parents[v] : 0)) * (double)(v % 13);
    return sum;
}

static double levels_of_one(run *r)
{
    return search(r, NULL);
}

static double parents_of_one(run *r)
{
    return search(r, levels + r->g->n);
}

static double components(run *r)
{
    int64_t count;
    double sum = 0;
    must(spl_graph_components(r->made, levels, &count), "components");
    for (int64_t v = 0; v < r->g->n; v++)
        sum += levels[v] * (double)(v % 13);
    return sum + (double)count;
}

static double colours(run *r)
{
    int32_t count;
    double sum = 0;
    must(spl_graph_colouring(r->made, levels, &count), "colouring");
    for (int64_t v = 0; v < r->g->n; v++)
        sum += levels[v] * (double)(v % 13);
    return sum + count;
}

static double independent(run *r)
{
    int64_t count;
    double sum = 0;
    must(spl_graph_independent_set(r->made, levels, &count), "independent set");
    for (int64_t v = 0; v < r->g->n; v++)
        sum += levels[v] * (double)(v % 13);
    return sum + (double)count;
}

static double searches(run *r)
{
    int64_t sources[SOURCES];
    double sum = 0;
    graph_sources(r->g, SOURCES, sources);
    must(spl_graph_multi_bfs(r->made, sources, SOURCES, levels), "multi-source BFS");
    for (int64_t v = 0; v < r->g->n * SOURCES; v += 97)
        sum += levels[v] * (double)(v % 13);
    return sum;
}

static double ranks(run *r)
{
    double *of = allocate((size_t)r->g->n * sizeof *of), sum = 0;
    int32_t steps;
    must(spl_graph_pagerank(r->made, .85, 1e-8, 100, of, &steps), "PageRank");
    for (int64_t v = 0; v < r->g->n; v += 97)
        sum += of[v] * (double)(v % 13);
    free(of);
    return sum;
}

static double paths(run *r)
{
    double *of = allocate((size_t)r->g->n * sizeof *of), sum = 0;
    must(spl_graph_sssp(r->made, 0, 0, of), "shortest paths");
    for (int64_t v = 0; v < r->g->n; v++)
        sum += isinf(of[v]) ? 0 : of[v] * (double)(v % 13);
    free(of);
    return sum;
}

static double paths_of_eight(run *r)
{
    enum { COUNT = 8 };
    int64_t sources[SOURCES];
    double *of = allocate((size_t)r->g->n * COUNT * sizeof *of), sum = 0;
    graph_sources(r->g, SOURCES, sources);
    must(spl_graph_multi_sssp(r->made, sources, COUNT, 0, of), "shortest paths");
    for (int64_t v = 0; v < r->g->n * COUNT; v++)
        sum += isinf(of[v]) ? 0 : of[v] * (double)(v % 13);
    free(of);
    return sum;
}

static const struct {
    const char *name;
    algorithm work;
    int weight; /* 0: also if little is asked for, 2: only if much is */
    double tolerance;
} algorithms[] = {
    {"triangles of each vertex", triangles, 1, 0},  {"5-truss", truss, 2, 0},
    {"breadth-first search", levels_of_one, 0, 0},  {"the same with parents", parents_of_one, 0, 0},
    {"connected components", components, 0, 0},     {"colouring", colours, 0, 0},
    {"independent set", independent, 0, 0},         {"64 breadth-first searches", searches, 0, 0},
    {"PageRank to 1e-8", ranks, 1, 1e-9},           {"shortest paths from 1", paths, 0, 0},
    {"shortest paths from 8", paths_of_eight, 0, 0}};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* ---- masked products ---- */

static void *to_device(spl_context *context, spl_place place, const void *from, size_t bytes)
{
    void *to;
    must(spl_array_alloc(context, place, bytes, &to), "array");
    must(spl_array_copy(context, place, to, (spl_place){0}, from, bytes, NULL), "copy");
    return to;
}

/* A*A under the mask A; A where the context computes. */
static void masked(const char *where, spl_context *context, spl_place place, const graph *g,
                   spl_semiring semiring, spl_type type, const char *method, int runs)
{
    spl_sparse a = graph_view(g, type, g->weights);
    spl_options o = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    const size_t size = type == SPL_F64 ? 8 : 4;
    void *c = allocate((size_t)g->nnz * size), *values = c;
    if (type != SPL_F64)
        a.values = NULL; /* a pattern */
    memset(c, 0xff, (size_t)g->nnz * size);
    if (place.kind != SPL_HOST) {
        a.place = place;
        a.offsets = to_device(context, place, g->offsets, (size_t)(g->n + 1) * 4);
        a.indices = to_device(context, place, g->columns, (size_t)g->nnz * 4);
        if (a.values)
            a.values = to_device(context, place, g->weights, (size_t)g->nnz * 8);
        values = to_device(context, place, c, (size_t)g->nnz * size);
    }
    o.semiring = semiring;
    o.mask = &a;
    o.mask_pattern = SPL_MASK_FULL;
    o.method = method;
    double t = now(), best = 1e9, sum = 0;
    must(spl_spgemm_plan(context, &a, &a, NULL, &o, &plan), "masked product");
    const double planned = now() - t;
    for (int k = 0; k < runs; k++) {
        t = now();
        must(spl_spgemm_execute(plan, NULL, NULL, values, NULL), "masked product");
        must(spl_sync(context, NULL), "masked product");
        best = fmin(best, now() - t);
    }
    spl_plan_destroy(plan);
    if (values != c) {
        must(spl_array_copy(context, (spl_place){0}, c, place, values, (size_t)g->nnz * size, NULL),
             "copy");
        spl_array_free(context, place, values, (size_t)g->nnz * size);
        spl_array_free(context, place, (void *)a.offsets, (size_t)(g->n + 1) * 4);
        spl_array_free(context, place, (void *)a.indices, (size_t)g->nnz * 4);
        if (a.values)
            spl_array_free(context, place, (void *)a.values, (size_t)g->nnz * 8);
    }
    for (int64_t p = 0; p < g->nnz; p++)
        sum += type == SPL_F64 ? ((double *)c)[p] : ((int32_t *)c)[p];
    free(c);
    printf("  %-6s A*A under A, %s, %-30s plan %9.3f ms, execute %9.3f ms, sum %.17g\n", where,
           type == SPL_F64 ? "plus_times f64" : "plus_pair i32 ", method ? method : "(chosen)",
           1e3 * planned, 1e3 * best, sum);
    fflush(stdout);
}

/* ---- sparse vectors ---- */

/* Arrays of one step of shortest paths from several sources, where A is. */
typedef struct step {
    int64_t vectors, each, room;
    int64_t *offsets, *y_offsets;
    int32_t *x, *y;
    double *values, *y_values, *into;
} step;

/* Entries of x are strewn evenly; each meets what a search has not seen. */
static step make_step(const graph *g, int64_t vectors, int64_t each)
{
    step s = {.vectors = vectors, .each = each, .room = vectors * g->n};
    s.offsets = allocate((size_t)(vectors + 1) * 8);
    s.y_offsets = allocate((size_t)(vectors + 1) * 8);
    s.x = allocate((size_t)(vectors * each) * 4);
    s.values = allocate((size_t)(vectors * each) * 8);
    s.y = allocate((size_t)s.room * 4);
    s.y_values = allocate((size_t)s.room * 8);
    s.into = allocate((size_t)s.room * 8);
    for (int64_t k = 0; k <= vectors; k++)
        s.offsets[k] = k * each;
    for (int64_t e = 0; e < vectors * each; e++) {
        s.x[e] = (int32_t)((e % each * g->n + e / each * 7 % each) / each);
        s.values[e] = (double)(e % 31);
    }
    for (int64_t e = 0; e < s.room; e++)
        s.into[e] = (double)(e % 1000);
    return s;
}

static void free_step(step *s)
{
    void *const arrays[] = {s->offsets, s->y_offsets, s->x, s->y, s->values, s->y_values, s->into};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
}

/* The same step where `place` is; its arrays are not given back. */
static step step_at(spl_context *context, spl_place place, const step *s)
{
    const size_t entries = (size_t)(s->vectors * s->each), room = (size_t)s->room;
    step there = *s;
    there.offsets = to_device(context, place, s->offsets, (size_t)(s->vectors + 1) * 8);
    there.y_offsets = to_device(context, place, s->y_offsets, (size_t)(s->vectors + 1) * 8);
    there.x = to_device(context, place, s->x, entries * 4);
    there.values = to_device(context, place, s->values, entries * 8);
    there.y = to_device(context, place, s->y, room * 4);
    there.y_values = to_device(context, place, s->y_values, room * 8);
    there.into = to_device(context, place, s->into, room * 8);
    return there;
}

/* The best seconds of an execution, the later ones of which change nothing. */
static double run_step(spl_context *context, const spl_sparse *a, const step *s, int runs,
                       int64_t *found)
{
    spl_options o = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    double best = 1e9;
    o.semiring = SPL_MIN_PLUS;
    o.op_a = SPL_TRANSPOSE;
    must(spl_frontier_plan(context, a, s->vectors, &o, &plan), "sparse vectors");
    for (int k = 0; k < runs + 1; k++) {
        spl_frontier x = SPL_FRONTIER_INIT, y = SPL_FRONTIER_INIT;
        x.count = s->vectors * s->each;
        x.indices = s->x, x.values = s->values, x.offsets = s->offsets;
        x.vectors = y.vectors = s->vectors;
        y.capacity = s->room;
        y.indices = s->y, y.values = s->y_values, y.offsets = s->y_offsets;
        const double t = now();
        must(spl_frontier_execute(plan, &x, k ? NULL : s->into, NULL, &y), "sparse vectors");
        best = k ? fmin(best, now() - t) : best;
        *found = y.count;
    }
    spl_plan_destroy(plan);
    return best;
}

static void frontier(const graph *g, spl_context *device, spl_place place, spl_context *cpu,
                     int64_t each, int runs)
{
    enum { VECTORS = 64 };
    const spl_sparse a = graph_view(g, SPL_F64, g->weights);
    spl_sparse copy = a;
    step here = make_step(g, VECTORS, each), there = step_at(device, place, &here);
    double *got = allocate((size_t)here.room * 8);
    int64_t found[2];
    copy.place = place;
    copy.offsets = to_device(device, place, g->offsets, (size_t)(g->n + 1) * 4);
    copy.indices = to_device(device, place, g->columns, (size_t)g->nnz * 4);
    copy.values = to_device(device, place, g->weights, (size_t)g->nnz * 8);
    const double fast = run_step(device, &copy, &there, runs, &found[0]),
                 slow = run_step(cpu, &a, &here, runs, &found[1]);
    must(
        spl_array_copy(device, (spl_place){0}, got, place, there.into, (size_t)here.room * 8, NULL),
        "copy");
    printf("  64 sparse vectors of %6lld   device %10.3f ms, host %10.3f ms, %7.1f times, %s\n",
           (long long)each, 1e3 * fast, 1e3 * slow, slow / fast,
           found[0] == found[1] && !memcmp(got, here.into, (size_t)here.room * 8) ? "the same"
                                                                                  : "DIFFERENT");
    fflush(stdout);
    free(got);
    free_step(&here);
}

/* ---- the whole ---- */

static double time_of(run *r, algorithm work, double *result)
{
    double best = 1e9;
    for (int k = 0; k < r->runs && best * k < 5; k++) {
        const double t = now();
        *result = work(r);
        best = fmin(best, now() - t);
    }
    return best;
}

static run make_run(const graph *g, spl_context *context, int runs, const char *where)
{
    run r = {.g = g, .context = context, .runs = runs};
    const spl_sparse view = graph_view(g, SPL_F64, g->weights);
    const double t = now();
    must(spl_graph_create(context, &view, &r.made), "graph");
    printf("  %-6s graph made ready in %.1f ms\n", where, 1e3 * (now() - t));
    return r;
}

static void compare(const graph *g, spl_context *device, spl_context *cpu, int runs, int much)
{
    run there = make_run(g, device, runs, "device"), here = make_run(g, cpu, runs, "host");
    levels = allocate((size_t)g->n * SOURCES * sizeof *levels);
    memset(levels, 0, (size_t)g->n * SOURCES * sizeof *levels);
    for (int k = 0; k < ALGORITHMS; k++) {
        double a = 0, b = 0;
        if (algorithms[k].weight > 0 && much == 0)
            continue;
        const double fast = time_of(&there, algorithms[k].work, &a);
        printf("  %-28s device %10.3f ms", algorithms[k].name, 1e3 * fast);
        fflush(stdout);
        if (algorithms[k].weight > much) {
            printf("\n");
            continue;
        }
        const double slow = time_of(&here, algorithms[k].work, &b);
        printf(", host %10.3f ms, %7.1f times, %s\n", 1e3 * slow, slow / fast,
               fabs(a - b) <= algorithms[k].tolerance * fabs(b) ? "the same" : "DIFFERENT");
        fflush(stdout);
    }
    free(levels);
    spl_graph_destroy(there.made);
    spl_graph_destroy(here.made);
}

static void products(const graph *g, spl_context *device, spl_place place, spl_context *cpu,
                     int runs, int heavy)
{
    static const char *const methods[] = {NULL, "spgemm/numeric/gpu/dots",
                                          "spgemm/numeric/gpu/masked_rows"};
    for (int k = 0; k < 6; k++)
        if (k != 5 || heavy)
            masked("device", device, place, g, k / 3 ? SPL_PLUS_TIMES : SPL_PLUS_PAIR,
                   k / 3 ? SPL_F64 : SPL_INT32, methods[k % 3], runs);
    for (int k = 0; k < 2 && heavy; k++)
        masked("host", cpu, (spl_place){0}, g, k ? SPL_PLUS_TIMES : SPL_PLUS_PAIR,
               k ? SPL_F64 : SPL_INT32, NULL, 1);
}

int main(int count, char **arguments)
{
    spl_context *device, *cpu;
    spl_context_options options = SPL_CONTEXT_OPTIONS_INIT;
    spl_place place = {SPL_EMULATOR, 0};
    if (count < 5) {
        fprintf(stderr, "benchmark_graphs DEVICE THREADS GRAPH RUNS [heavy|light] [dump FILE]\n");
        return 2;
    }
    const int much = count <= 5                       ? 1
                     : !strcmp(arguments[5], "heavy") ? 2
                     : !strcmp(arguments[5], "light") ? 0
                                                      : 1;
    options.threads = atoi(arguments[2]);
    must(spl_context_create(&options, &cpu), "host");
    options.devices = arguments[1];
    must(spl_context_create(&options, &device), "device");
    if (!strncmp(arguments[1], "cuda", 4))
        place.kind = SPL_CUDA;
    else if (!strncmp(arguments[1], "hip", 3))
        place.kind = SPL_HIP;
    graph g = graph_of(arguments[3], 0);
    printf("graph %s on %s and %s threads: %lld vertices, %lld edges\n", arguments[3], arguments[1],
           arguments[2], (long long)g.n, (long long)g.nnz / 2);
    if (count > 6 && !strcmp(arguments[count - 2], "dump"))
        graph_dump(&g, arguments[count - 1]);
    compare(&g, device, cpu, atoi(arguments[4]), much);
    for (int64_t each = 10; place.kind != SPL_HOST && each <= 10000 && each <= g.n; each *= 10)
        frontier(&g, device, place, cpu, each, atoi(arguments[4]));
    if (much > 0)
        products(&g, device, place, cpu, atoi(arguments[4]), much > 1);
    spl_context_destroy(device);
    spl_context_destroy(cpu);
    graph_free(&g);
    return 0;
}
