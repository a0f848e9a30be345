/* SPDX-License-Identifier: Apache-2.0 */
/* components.c: connected components by trees that grow together.
 *
 * Each vertex points to one that is not larger; an edge hangs the larger root below the smaller
 * one, so that in the end all point to the least vertex of their component. First only two edges of
 * each vertex are read, which in most graphs unite most vertices. In undirected graphs vertices of
 * the component that a sample finds most often then need not be read again: their edges to others
 * are read from there.
 * Source: M. Sutton, T. Ben-Nun, A. Barak, Optimizing parallel graph connectivity computation via
 * subgraph sampling (Afforest), IPDPS 2018.
 * Differs: a directed graph is read whole from one side, without its transpose. */
#include "core/threads/team.h"
#include "graph/gpu/device_graph.h"

enum { FIRST_EDGES = 2, SAMPLES = 1024, AT_ONCE = 4096 };

typedef struct forest {
    const spl_graph *g;
    spl__watch *watch;
    int threads;
    int32_t *root;   /* of each vertex, or one on the way there */
    int32_t skipped; /* vertices below it are not read */
    int64_t roots;
} forest;

/* Calls work(f, first, end) for all vertices, `at_once` in turn. One thread needs no region of
 * OpenMP, which takes as long as small graphs do. */
static void for_pieces(forest *f, int64_t at_once,
                       void (*work)(forest *f, int32_t first, int32_t end))
{
    const int64_t n = f->g->vertices;
    if (f->threads == 1) {
        work(f, 0, (int32_t)n);
        return;
    }
#pragma omp parallel for num_threads(spl__team(f->threads)) schedule(dynamic, 1)
    for (int64_t first = 0; first < n; first += at_once)
        work(f, (int32_t)first, (int32_t)spl__min_i64(first + at_once, n));
}

static void for_vertices(forest *f, void (*work)(forest *f, int32_t first, int32_t end))
{
    for_pieces(f, AT_ONCE, work);
}

static inline int32_t look(const forest *f, int32_t v)
{
    return __atomic_load_n(&f->root[v], __ATOMIC_RELAXED);
}

/* Unites the trees of u and v. Called for each edge: in place it takes .85 of the time. */
static inline __attribute__((always_inline)) void unite(forest *f, int32_t u, int32_t v)
{
    int32_t a = look(f, u), b = look(f, v);
    while (a != b) {
        const int32_t high = a > b ? a : b, low = a > b ? b : a;
        int32_t parent = look(f, high);
        if (parent == low)
            return;
        if (parent == high && __atomic_compare_exchange_n(&f->root[high], &parent, low, false,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
        a = look(f, look(f, high));
        b = look(f, low);
    }
}

/* The least neighbour of v, which the first edge names, or v if it is less. */
static inline int32_t least_near(const spl__arcs *out, int32_t v)
{
    const int64_t p = out->begin[v];
    return p < out->begin[v + 1] && out->to[p] < v ? out->to[p] : v;
}

/* Hangs each vertex below its least neighbour, or where that hangs if it was planted here before.
 */
static void plant(forest *f, int32_t first, int32_t end)
{
    const spl__arcs out = f->g->out;
    for (int32_t v = first; v < end; v++) {
        const int32_t near = least_near(&out, v);
        f->root[v] = near < v && near >= first ? f->root[near] : near;
    }
}

/* Lets vertices point to their root; counts roots. */
static void flatten(forest *f, int32_t first, int32_t end)
{
    int64_t roots = 0;
    for (int32_t v = first; v < end; v++) {
        int32_t root = look(f, v), parent = look(f, root);
        if (parent == root) { /* what does not change is not written */
            roots += root == v;
            continue;
        }
        do {
            root = parent;
            parent = look(f, root);
        } while (parent != root);
        __atomic_store_n(&f->root[v], root, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&f->roots, roots, __ATOMIC_RELAXED);
}

/* Reads the second edge of vertices, and the first where nothing was hung by it. */
static void read_first(forest *f, int32_t first, int32_t end)
{
    const spl__arcs out = f->g->out;
    for (int32_t u = first; u < end; u++) {
        const int64_t p = out.begin[u], last = out.begin[u + 1];
        if (p == last || !spl__watch_goes_on_at(f->watch, u))
            continue;
        if (out.to[p] > u)
            unite(f, u, out.to[p]);
        if (p + 1 < last)
            unite(f, u, out.to[p + 1]);
    }
}

/* Reads all edges but the first ones of vertices that are not below f->skipped. */
static void read_others(forest *f, int32_t first, int32_t end)
{
    const spl__arcs out = f->g->out;
    for (int32_t u = first; u < end; u++) {
        int32_t root = look(f, u);
        if (!spl__watch_goes_on_at(f->watch, u) || root == f->skipped)
            continue;
        for (int64_t p = out.begin[u] + FIRST_EDGES; p < out.begin[u + 1]; p++)
            if (look(f, out.to[p]) != root) { /* most are in the same tree by now */
                unite(f, u, out.to[p]);
                root = look(f, u);
            }
    }
}

/* The root that most of a sample have. */
static int32_t frequent_root(const forest *f)
{
    int32_t best = -1, held = 0;
    uint64_t state = 1;
    const int64_t samples = spl__min_i64(SAMPLES, f->g->vertices / 16);
    for (int64_t k = 0; k < samples; k++) { /* R. Boyer, J. Moore, MJRTY, 1981: one passage */
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int32_t root = f->root[(state >> 33) % (uint64_t)f->g->vertices];
        if (held == 0)
            best = root;
        held += root == best ? 1 : -1;
    }
    return best;
}

static spl_status find(forest *f)
{
    /* few pieces: the way to a root leads through each once at most */
    for_pieces(f, f->g->vertices / f->threads + 1, plant);
    for_vertices(f, read_first);
    SPL__TRY(spl__watch_check(f->watch));
    for_vertices(f, flatten);
    f->skipped = f->g->undirected ? frequent_root(f) : -1;
    for_vertices(f, read_others);
    SPL__TRY(spl__watch_check(f->watch));
    f->roots = 0;
    for_vertices(f, flatten);
    return SPL_OK;
}

spl_status spl_graph_components(spl_graph *graph, int32_t *components, int64_t *count)
{
    spl__watched call;
    if (!graph || !components || !count)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !graph        ? "graph"
                         : !components ? "components"
                                       : "count");
    if (graph->vertices > 0 && spl__graph_device(graph->context))
        return spl__device_components(graph, components, count);
    spl__account *account = spl__watched_begin(&call, graph->context, "components", 0);
    forest f = {.g = graph,
                .watch = spl__account_watch(account),
                .threads = spl__graph_threads(graph, graph->vertices + graph->edges),
                .root = components};
    if (graph->vertices > 0)
        SPL__TRY(find(&f));
    *count = f.roots;
    return SPL_OK;
}
