/* SPDX-License-Identifier: Apache-2.0 */
/* betweenness_batch.c: betweenness from eight sources at a time.
 *
 * Numbers of paths and dependencies have a lane for each source of a batch, and a bit of a byte
 * says which lanes an entry is about. An entry is a vertex at a level, with the sources that it is
 * so far from: where most vertices are near, few entries hold all sources, and an edge is read for
 * several at once. Going up, share(v) = (1 + delta(v))/paths(v) is what v gives for each path to
 * it, so that delta(u) = paths(u) * (sum of the shares of its successors) has no division for each
 * edge.
 *
 * A thread has a batch of its own; what batches give is added in their order.
 * Source: betweenness.c; sources together: M. Then and others, The more the merrier: efficient
 * multi-source graph traversal, VLDB 2014; in batches: A. Buluc, J. Gilbert, The Combinatorial
 * BLAS, Int. J. High Performance Computing Applications 25, 2011. */
#include "core/checked.h"
#include "core/threads/team.h"
#include "graph/betweenness.h"

#include <math.h>
#include <string.h>

typedef struct lanes {
    double of[SPL__LANES];
} lanes;

/* of[k]: all bits if a mask has bit k, to choose lanes without a branch. */
typedef struct choice {
    uint64_t of[SPL__LANES];
} choice;

enum { MASKS = 1 << SPL__LANES };

/* The work of a thread. */
typedef struct batch {
    const spl_graph *g;
    const choice *choices; /* of each mask */
    int64_t first;         /* of its sources */
    int count;             /* sources */
    lanes *paths, *share;  /* of each vertex */
    uint8_t *seen, *here;  /* of each vertex: lanes that have found it; in the level at hand */
    int32_t *touched;      /* vertices of the next level */
    int32_t *vertex;       /* of each entry, and its lanes; level by level */
    uint8_t *mask;
    int64_t *begin; /* of each level; the last one's end */
    double *sums;   /* of each vertex: its dependencies */
    int32_t levels;
    int beyond_lane;       /* -1: none has more paths than f64 counts */
    int32_t beyond_vertex; /* from that source */
} batch;

static inline void add_lanes(lanes *restrict to, const lanes *restrict from,
                             const choice *restrict chosen)
{
    uint64_t bits[SPL__LANES];
    lanes some;
    memcpy(bits, from, sizeof bits);
    for (int k = 0; k < SPL__LANES; k++)
        bits[k] &= chosen->of[k];
    memcpy(&some, bits, sizeof some);
    for (int k = 0; k < SPL__LANES; k++)
        to->of[k] += some.of[k];
}

/* ---- down ---- */

/* What was touched becomes the entries of a level. */
static void settle(batch *b, int64_t touched)
{
    int64_t end = b->begin[b->levels];
    for (int64_t q = 0; q < touched; q++) {
        const int32_t v = b->touched[q];
        b->vertex[end] = v;
        b->mask[end++] = b->here[v];
        b->seen[v] |= b->here[v];
        b->here[v] = 0;
    }
    b->begin[++b->levels] = end;
}

static inline int64_t touch(batch *b, int32_t v, uint8_t mask, int64_t touched)
{
    if (b->here[v] == 0)
        b->touched[touched++] = v;
    b->here[v] |= mask;
    return touched;
}

static int64_t follow(batch *b, int32_t u, uint8_t mask, int64_t touched)
{
    const spl__arcs out = b->g->out;
    for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
        const int32_t v = out.to[p];
        const uint8_t fresh = (uint8_t)(mask & ~b->seen[v]);
        if (fresh == 0)
            continue;
        touched = touch(b, v, fresh, touched);
        add_lanes(&b->paths[v], &b->paths[u], &b->choices[fresh]);
    }
    return touched;
}

static void go_down(batch *b, const int64_t *sources)
{
    int64_t touched = 0;
    b->levels = 0;
    b->begin[0] = 0;
    for (int k = 0; k < b->count; k++) {
        const int32_t v = (int32_t)(sources ? sources[b->first + k] : b->first + k);
        b->paths[v].of[k] = 1;
        touched = touch(b, v, (uint8_t)(1 << k), touched);
    }
    while (touched > 0) {
        const int64_t begin = b->begin[b->levels];
        settle(b, touched);
        touched = 0;
        for (int64_t e = begin; e < b->begin[b->levels]; e++)
            touched = follow(b, b->vertex[e], b->mask[e], touched);
    }
}

/* The first source with a vertex that has too many paths. */
static void find_beyond(batch *b)
{
    b->beyond_lane = -1;
    for (int64_t e = 0; e < b->begin[b->levels]; e++)
        for (int k = 0; k < b->count; k++)
            if (isinf(b->paths[b->vertex[e]].of[k]) && (b->beyond_lane < 0 || k < b->beyond_lane)) {
                b->beyond_lane = k;
                b->beyond_vertex = b->vertex[e];
            }
}

/* ---- up ---- */

static void depend(batch *b, int32_t u, uint8_t mask)
{
    const spl__arcs out = b->g->out;
    lanes sum = {{0}};
    for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
        const uint8_t below = mask & b->here[out.to[p]];
        if (below)
            add_lanes(&sum, &b->share[out.to[p]], &b->choices[below]);
    }
    for (unsigned left = mask; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        const double paths = b->paths[u].of[k], delta = paths * sum.of[k];
        b->share[u].of[k] = (1 + delta) / paths;
        b->sums[u] += delta;
    }
}

/* Levels from the last one to that after the sources, which lie between none of their paths. */
static void go_up(batch *b)
{
    for (int32_t level = b->levels - 1; level > 0; level--) {
        for (int64_t e = b->begin[level]; e < b->begin[level + 1]; e++)
            depend(b, b->vertex[e], b->mask[e]);
        for (int64_t e = level + 1 < b->levels ? b->begin[level + 1] : 0;
             level + 1 < b->levels && e < b->begin[level + 2]; e++)
            b->here[b->vertex[e]] = 0;
        for (int64_t e = b->begin[level]; e < b->begin[level + 1]; e++)
            b->here[b->vertex[e]] = b->mask[e];
    }
}

static void run_batch(batch *b, const int64_t *sources)
{
    const size_t n = (size_t)b->g->vertices;
    memset(b->paths, 0, n * sizeof *b->paths);
    memset(b->seen, 0, n);
    memset(b->here, 0, n);
    memset(b->sums, 0, n * sizeof *b->sums);
    go_down(b, sources);
    find_beyond(b);
    if (b->beyond_lane < 0)
        go_up(b);
}

/* ---- batches ---- */

static spl_status make_batch(const spl_graph *g, spl__account *account, batch *b)
{
    const int64_t n = g->vertices;
    b->g = g;
    SPL__TRY(SPL__NEW(account, &b->paths, n));
    SPL__TRY(SPL__NEW(account, &b->share, n));
    SPL__TRY(SPL__NEW(account, &b->seen, n));
    SPL__TRY(SPL__NEW(account, &b->here, n));
    SPL__TRY(SPL__NEW(account, &b->touched, n));
    SPL__TRY(SPL__NEW(account, &b->vertex, n * SPL__LANES));
    SPL__TRY(SPL__NEW(account, &b->mask, n * SPL__LANES));
    SPL__TRY(SPL__NEW(account, &b->begin, n + 2));
    return SPL__NEW(account, &b->sums, n);
}

static void free_batch(batch *b)
{
    spl__free(b->paths);
    spl__free(b->share);
    spl__free(b->seen);
    spl__free(b->here);
    spl__free(b->touched);
    spl__free(b->vertex);
    spl__free(b->mask);
    spl__free(b->begin);
    spl__free(b->sums);
}

static spl_status add_up(const batch *batches, int64_t count, const int64_t *sources,
                         double *betweenness)
{
    for (int64_t k = 0; k < count; k++) {
        const int64_t source = batches[k].first + batches[k].beyond_lane;
        if (batches[k].beyond_lane >= 0)
            return spl__betweenness_beyond(sources ? sources[source] : source,
                                           batches[k].beyond_vertex);
    }
    for (int64_t k = 0; k < count; k++)
        for (int64_t v = 0; v < batches[k].g->vertices; v++)
            betweenness[v] += batches[k].sums[v];
    return SPL_OK;
}

static spl_status run_all(batch *batches, int threads, spl__watch *watch, const int64_t *sources,
                          int64_t count, double *betweenness)
{
    for (int64_t first = 0; first < count; first += (int64_t)threads * SPL__LANES) {
        const int64_t left = count - first, wanted = (left + SPL__LANES - 1) / SPL__LANES,
                      now = spl__min_i64(threads, wanted);
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic, 1)
        for (int64_t k = 0; k < now; k++) {
            batches[k].first = first + k * SPL__LANES;
            batches[k].count = (int)spl__min_i64(SPL__LANES, count - batches[k].first);
            run_batch(&batches[k], sources);
        }
        SPL__TRY(spl__watch_check(watch));
        SPL__TRY(add_up(batches, now, sources, betweenness));
    }
    return SPL_OK;
}

spl_status spl__betweenness_by_batches(const spl_graph *g, spl__account *account,
                                       const int64_t *sources, int64_t count, double *betweenness)
{
    const int threads = spl__graph_threads(g, g->vertices + g->edges);
    spl_status status = SPL_OK;
    choice choices[MASKS];
    batch *batches;
    for (int mask = 0; mask < MASKS; mask++)
        for (int k = 0; k < SPL__LANES; k++)
            choices[mask].of[k] = -(uint64_t)(mask >> k & 1);
    SPL__TRY(SPL__NEW_ZERO(account, &batches, threads));
    for (int t = 0; status == SPL_OK && t < threads; t++) {
        batches[t].choices = choices;
        status = make_batch(g, account, &batches[t]);
    }
    if (status == SPL_OK)
        status =
            run_all(batches, threads, spl__account_watch(account), sources, count, betweenness);
    for (int t = 0; t < threads; t++)
        free_batch(&batches[t]);
    spl__free(batches);
    return status;
}
