/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/pagerank_order.h"

#include "core/threads/team.h"

/* Vertices with more edges are not told apart. */
enum { MOST_EDGES = 1023 };
enum { ROWS_AT_ONCE = 1024 };

/* By a sample, it pays where lengths of rows change too often to be foreseen, and rows are short;
 * or where few vertices have many of the edges, more than a cache of the first level has room for.
 */
enum { SHORT = 8, CHANGES = 8, SKEW = 3, CACHED = 8192, SAMPLES = 8192 };

static bool pays(const spl_graph *g)
{
    const int32_t n = g->vertices, stride = n / SAMPLES + 1;
    int64_t samples = 0, changes = 0;
    double sum = 0, squares = 0;
    for (int64_t v = 1; v < n; v += stride, samples++) {
        const double edges = (double)spl__arcs_of(&g->in, (int32_t)v);
        sum += edges;
        squares += edges * edges;
        changes += spl__arcs_of(&g->in, (int32_t)v) != spl__arcs_of(&g->in, (int32_t)v - 1);
    }
    const double mean = sum / (double)samples;
    const bool irregular = changes > samples / CHANGES &&
                           mean<SHORT, skewed = squares> SKEW * mean * sum && n > CACHED;
    return samples > 0 && (irregular || skewed);
}

static int bucket_of(const spl__arcs *in, int32_t v)
{
    return MOST_EDGES - (int)spl__min_i64(spl__arcs_of(in, v), MOST_EDGES);
}

/* old = the vertices in order; position = where each stands. */
static void sort(const spl_graph *g, int32_t *old, int32_t *position)
{
    int32_t begins[MOST_EDGES + 2] = {0};
    for (int32_t v = 0; v < g->vertices; v++)
        begins[bucket_of(&g->in, v) + 1]++;
    for (int b = 0; b <= MOST_EDGES; b++)
        begins[b + 1] += begins[b];
    for (int32_t v = 0; v < g->vertices; v++) {
        const int32_t at = begins[bucket_of(&g->in, v)]++;
        old[at] = v;
        position[v] = at;
    }
}

static void sum_lengths(const spl_graph *g, const spl__arcs *arcs, const int32_t *old,
                        int64_t *begin)
{
    begin[0] = 0;
    for (int32_t v = 0; v < g->vertices; v++)
        begin[v + 1] = begin[v] + spl__arcs_of(arcs, old[v]);
}

/* Copies the rows of the graph's vertices first..end: read in turn, written where they belong. */
static void copy_rows(const spl_graph *g, const int64_t *begin, const int32_t *position,
                      int32_t first, int32_t end, int32_t *to)
{
    const int32_t *from = g->in.to;
    int64_t p = g->in.begin[first];
    for (int32_t v = first; v < end; v++) {
        const int64_t stop = g->in.begin[v + 1];
        for (int32_t *at = to + begin[position[v]]; p < stop; p++)
            *at++ = position[from[p]];
    }
}

/* Renumbers; `position` is scratch of the caller's. */
static spl_status renumber(const spl_graph *g, spl__account *account, int threads,
                           int32_t *position, spl__vertex_order *o)
{
    int64_t *begin, *out;
    int32_t *to;
    SPL__TRY(SPL__NEW(account, &o->old, g->vertices));
    SPL__TRY(SPL__NEW(account, &begin, g->vertices + (int64_t)1));
    o->arrays[0] = begin;
    SPL__TRY(SPL__NEW(account, &to, g->edges));
    o->arrays[1] = to;
    SPL__TRY(SPL__NEW(account, &out, g->undirected ? 0 : g->vertices + (int64_t)1));
    o->arrays[2] = out;
    sort(g, o->old, position);
    sum_lengths(g, &g->in, o->old, begin);
    if (!g->undirected)
        sum_lengths(g, &g->out, o->old, out);
    o->in = (spl__arcs){begin, to};
    o->out_begin = g->undirected ? begin : out;
    const int32_t n = g->vertices;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic, 1)
    for (int32_t first = 0; first < n; first += ROWS_AT_ONCE)
        copy_rows(g, begin, position, first,
                  (int32_t)spl__min_i64(first + (int64_t)ROWS_AT_ONCE, n), to);
    return SPL_OK;
}

spl_status spl__vertex_order_make(const spl_graph *g, spl__account *account, int threads,
                                  spl__vertex_order *o)
{
    int32_t *position;
    *o = (spl__vertex_order){.vertices = g->vertices, .in = g->in, .out_begin = g->out.begin};
    if (!pays(g))
        return SPL_OK;
    spl_status status = SPL__NEW(account, &position, g->vertices);
    if (status == SPL_OK) {
        status = renumber(g, account, threads, position, o);
        spl__free(position);
    }
    if (status != SPL_OVER_BUDGET)
        return status;
    spl__vertex_order_free(o);
    o->in = g->in;
    o->out_begin = g->out.begin;
    return SPL_OK;
}

void spl__vertex_order_free(spl__vertex_order *o)
{
    for (int k = 0; k < 3; k++)
        spl__free(o->arrays[k]);
    spl__free(o->old);
    *o = (spl__vertex_order){.vertices = o->vertices};
}
