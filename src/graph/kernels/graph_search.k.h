/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_bfs.c and device_components.c: searches and trees that walk along edges
 * themselves. Each vertex is one element, whatever its type. */
#ifndef T
#ifndef SPL_GRAPH_GRAPH_SEARCH_K_H
#define SPL_GRAPH_GRAPH_SEARCH_K_H
#include <stdint.h>

enum {
    GRAPH_SEARCH_THREADS = 256,
    GRAPH_BLOCK_THREADS = 1024, /* of the block that searches small levels */
    GRAPH_PIECE = 16,           /* edges of a vertex in a place of the queue */
    GRAPH_TEAM = 8,             /* lanes for a piece; divides the lanes of a warp */
    GRAPH_LONG = 512            /* a vertex with more edges is left to a block */
};

/* Where a search is: pieces from `begin` to `tail` of the queue are the last level. */
struct graph_search_state {
    uint64_t begin, tail;
    int64_t level;
};

/* Piece k of vertex v, its edges from k*GRAPH_PIECE on, is v | k << 32 in the queue. graph_start:
 * levels[source] = 0, its pieces. graph_down: vertices without a level behind begin..end get
 * `level`, theirs are put into the queue. graph_levels: one block; level after level while there
 * are at most `few` pieces, up to `last`. graph_up: vertices with a neighbour on the level before
 * get `level`. */
struct graph_search_args {
    int64_t vertices;
    const int64_t *begin;
    const int32_t *to;
    int32_t *levels;
    uint64_t *queue;
    struct graph_search_state *state;
    uint64_t first, end, few;
    int32_t level, last, source;
};

/* graph_offer: of the pieces of all that was reached: parents[v] becomes the largest of INT32_MAX -
 * u, u on the level before v's. graph_parents: the vertices themselves then, or -1. */
struct graph_parents_args {
    int64_t vertices;
    const int64_t *begin;
    const int32_t *to, *levels;
    const uint64_t *queue;
    uint64_t pieces;
    int32_t *parents;
};

/* Trees of vertices, each below one that is not larger. graph_roots: each by itself. graph_link:
 * unites along edge number `edge` of each vertex. graph_link_rest: along those from `edge` on, of
 * vertices that are not below skipped[0]; those with many are listed. graph_link_long: along those
 * of the listed vertices. graph_flatten: all point to their root; counts roots. graph_frequent:
 * one block; skipped[0] becomes the root that a sample has most often. */
struct graph_forest_args {
    int64_t vertices, edge;
    const int64_t *begin;
    const int32_t *to;
    int32_t *root, *skipped, *listed;
    uint32_t *listed_count, *roots;
};
#endif
#else
#define NOT_IN_F64
#include "device/sum_before.h"

/* ------------------------------------------------------------------------------------- searches */

/* Puts the pieces of v into the queue where `found`; by all lanes of a warp. */
DEVICE void FN(graph_enqueue)(const struct graph_search_args *args, bool found, int32_t v)
{
    const lane_mask warp = GROUP_MASK(LANES);
    if (BALLOT(warp, found) == 0)
        return;
    const int64_t edges = found ? READ(&args->begin[v + 1]) - READ(&args->begin[v]) : 0;
    const uint32_t pieces = (uint32_t)((edges + GRAPH_PIECE - 1) / GRAPH_PIECE);
    uint32_t sum = pieces;
    SUM_LANES(uint32_t, sum);
    uint64_t first = 0;
    if (LANE == LANES - 1 && sum > 0)
        first = ATOMIC_ADD(&args->state->tail, sum);
    first = SHUFFLE(warp, first, LANES - 1) + (sum - pieces);
    for (uint32_t k = 0; k < pieces; k++)
        args->queue[first + k] = (uint64_t)k << 32 | (uint32_t)v;
}

/* The first edge of a piece; *end: the one after its last. */
DEVICE int64_t FN(graph_piece)(const int64_t *begin, uint64_t piece, int64_t *end)
{
    const int32_t u = (int32_t)(uint32_t)piece;
    const int64_t first = READ(&begin[u]) + (int64_t)(piece >> 32) * GRAPH_PIECE,
                  last = READ(&begin[u + 1]);
    *end = first + GRAPH_PIECE < last ? first + GRAPH_PIECE : last;
    return first;
}

/* One block. */
KERNEL_OF(struct graph_search_args, graph_start, GRAPH_SEARCH_THREADS, args)
{
    const int64_t edges = READ(&args.begin[args.source + 1]) - READ(&args.begin[args.source]),
                  pieces = (edges + GRAPH_PIECE - 1) / GRAPH_PIECE;
    for (int64_t k = THREAD; k < pieces; k += THREADS)
        args.queue[k] = (uint64_t)k << 32 | (uint32_t)args.source;
    if (THREAD > 0)
        return;
    args.levels[args.source] = 0;
    args.state->begin = 0;
    args.state->tail = (uint64_t)pieces;
    args.state->level = 0;
}

/* A team of lanes per piece. */
KERNEL_OF(struct graph_search_args, graph_down, GRAPH_SEARCH_THREADS, args)
{
    enum { EACH = GRAPH_PIECE / GRAPH_TEAM };
    const uint64_t teams = LANES / GRAPH_TEAM, step = (uint64_t)BLOCKS * (THREADS / LANES) * teams;
    uint64_t first = ((uint64_t)BLOCK * (THREADS / LANES) + WARP) * teams + args.first;
    for (; first < args.end; first += step) {
        const uint64_t place = first + LANE / GRAPH_TEAM;
        int64_t p = 0, end = 0;
        int32_t to[EACH];
        bool open[EACH];
        if (place < args.end)
            p = FN(graph_piece)(args.begin, READ(&args.queue[place]), &end);
        p += LANE % GRAPH_TEAM;
        UNROLL
        for (int e = 0; e < EACH; e++)
            to[e] = p + e * GRAPH_TEAM < end ? READ(&args.to[p + e * GRAPH_TEAM]) : -1;
        UNROLL
        for (int e = 0; e < EACH; e++)
            open[e] = to[e] >= 0 && LOAD_VOLATILE(&args.levels[to[e]]) < 0;
        UNROLL
        for (int e = 0; e < EACH; e++) {
            const bool found = open[e] && ATOMIC_CAS(&args.levels[to[e]], -1, args.level) < 0;
            FN(graph_enqueue)(&args, found, to[e]);
        }
    }
}

/* Looks along the edges of a piece; the pieces of what is new follow at base + *tail. */
DEVICE void FN(graph_follow)(const struct graph_search_args *args, uint64_t piece, int32_t level,
                             uint64_t base, uint32_t *tail)
{
    enum { EACH = 4 };
    int64_t end;
    for (int64_t p = FN(graph_piece)(args->begin, piece, &end); p < end; p += EACH) {
        int32_t to[EACH];
        bool open[EACH];
        UNROLL
        for (int e = 0; e < EACH; e++)
            to[e] = p + e < end ? READ(&args->to[p + e]) : -1;
        UNROLL
        for (int e = 0; e < EACH; e++)
            open[e] = to[e] >= 0 && LOAD_VOLATILE(&args->levels[to[e]]) < 0;
        UNROLL
        for (int e = 0; e < EACH; e++) {
            if (!open[e] || ATOMIC_CAS(&args->levels[to[e]], -1, level) >= 0)
                continue;
            const int64_t edges = READ(&args->begin[to[e] + 1]) - READ(&args->begin[to[e]]);
            const uint32_t pieces = (uint32_t)((edges + GRAPH_PIECE - 1) / GRAPH_PIECE);
            const uint32_t at = ATOMIC_ADD(tail, pieces);
            for (uint32_t k = 0; k < pieces; k++)
                args->queue[base + at + k] = (uint64_t)k << 32 | (uint32_t)to[e];
        }
    }
}

/* A thread per piece. */
KERNEL_OF(struct graph_search_args, graph_levels, GRAPH_BLOCK_THREADS, args)
{
    SHARED(uint32_t, tail, 1);
    uint64_t begin = args.first, end = args.end;
    int32_t level = args.level;
    for (; begin < end && end - begin <= args.few && level <= args.last; level++) {
        if (THREAD == 0)
            *tail = 0;
        SYNC();
        for (uint64_t place = begin + THREAD; place < end; place += THREADS)
            FN(graph_follow)(&args, args.queue[place], level, end, tail);
        SYNC();
        begin = end;
        end += *tail;
        SYNC();
    }
    if (THREAD > 0)
        return;
    args.state->begin = begin;
    args.state->tail = end;
    args.state->level = level - 1;
}

/* A thread per vertex. */
KERNEL_OF(struct graph_search_args, graph_up, GRAPH_SEARCH_THREADS, args)
{
    enum { EACH = 4 };
    for (int64_t first = BLOCK * THREADS + WARP * LANES; first < args.vertices;
         first += BLOCKS * THREADS) {
        const int64_t v = first + LANE;
        bool found = false;
        if (v < args.vertices && LOAD_VOLATILE(&args.levels[v]) < 0) {
            const int64_t end = READ(&args.begin[v + 1]);
            for (int64_t p = READ(&args.begin[v]); p < end && !found; p += EACH) {
                UNROLL
                for (int e = 0; e < EACH; e++)
                    found |= p + e < end &&
                             LOAD_VOLATILE(&args.levels[READ(&args.to[p + e])]) == args.level - 1;
            }
        }
        if (found)
            STORE_VOLATILE(&args.levels[v], args.level);
        FN(graph_enqueue)(&args, found, (int32_t)v);
    }
}

/* A team of lanes per piece. */
KERNEL_OF(struct graph_parents_args, graph_offer, GRAPH_SEARCH_THREADS, args)
{
    const uint64_t step = (uint64_t)BLOCKS * THREADS / GRAPH_TEAM;
    uint64_t place = ((uint64_t)BLOCK * THREADS + THREAD) / GRAPH_TEAM;
    for (; place < args.pieces; place += step) {
        const uint64_t piece = READ(&args.queue[place]);
        const int32_t u = (int32_t)(uint32_t)piece, level = READ(&args.levels[u]) + 1,
                      offered = INT32_MAX - u;
        int64_t end, p = FN(graph_piece)(args.begin, piece, &end);
        for (p += LANE % GRAPH_TEAM; p < end; p += GRAPH_TEAM) {
            const int32_t v = READ(&args.to[p]);
            if (READ(&args.levels[v]) == level && LOAD_VOLATILE(&args.parents[v]) < offered)
                ATOMIC_MAX(&args.parents[v], offered);
        }
    }
}

KERNEL_OF(struct graph_parents_args, graph_parents, GRAPH_SEARCH_THREADS, args)
{
    for (int64_t v = BLOCK * THREADS + THREAD; v < args.vertices; v += BLOCKS * THREADS) {
        const int32_t offered = args.parents[v];
        args.parents[v] = READ(&args.levels[v]) == 0 ? (int32_t)v
                          : offered == 0             ? -1
                                                     : INT32_MAX - offered;
    }
}

/* ---------------------------------------------------------------------------------------- trees */

/* Unites the trees of u and v: the larger root hangs below the smaller one. What was read may have
 * changed since; the exchange tells what is true, so that each round gets lower. */
DEVICE void FN(graph_unite)(int32_t *root, int32_t u, int32_t v)
{
    int32_t a = LOAD_VOLATILE(&root[u]), b = LOAD_VOLATILE(&root[v]);
    while (a != b) {
        const int32_t high = a > b ? a : b, low = a > b ? b : a,
                      above = ATOMIC_CAS(&root[high], high, low);
        if (above == high || above == low)
            return;
        a = LOAD_VOLATILE(&root[above]);
        b = low;
    }
}

KERNEL_OF(struct graph_forest_args, graph_roots, GRAPH_SEARCH_THREADS, args)
{
    for (int64_t v = BLOCK * THREADS + THREAD; v < args.vertices; v += BLOCKS * THREADS)
        args.root[v] = (int32_t)v;
}

KERNEL_OF(struct graph_forest_args, graph_link, GRAPH_SEARCH_THREADS, args)
{
    for (int64_t u = BLOCK * THREADS + THREAD; u < args.vertices; u += BLOCKS * THREADS) {
        const int64_t p = READ(&args.begin[u]) + args.edge;
        if (p < READ(&args.begin[u + 1]))
            FN(graph_unite)(args.root, (int32_t)u, READ(&args.to[p]));
    }
}

KERNEL_OF(struct graph_forest_args, graph_flatten, GRAPH_SEARCH_THREADS, args)
{
    const lane_mask warp = GROUP_MASK(LANES);
    for (int64_t first = BLOCK * THREADS + WARP * LANES; first < args.vertices;
         first += BLOCKS * THREADS) {
        const int64_t v = first + LANE;
        bool is_root = false;
        if (v < args.vertices) {
            const int32_t before = LOAD_VOLATILE(&args.root[v]);
            int32_t root = before, above = LOAD_VOLATILE(&args.root[root]);
            while (above != root) {
                root = above;
                above = LOAD_VOLATILE(&args.root[root]);
            }
            is_root = root == v;
            if (root != before)
                STORE_VOLATILE(&args.root[v], root);
        }
        const lane_mask roots = BALLOT(warp, is_root);
        if (LANE == 0 && roots != 0)
            ATOMIC_ADD(args.roots, (uint32_t)POPCOUNT(roots));
    }
}

KERNEL_OF(struct graph_forest_args, graph_frequent, GRAPH_SEARCH_THREADS, args)
{
    SHARED(int32_t, sample, GRAPH_SEARCH_THREADS);
    SHARED(uint32_t, best, 1);
    uint32_t equal = 0;
    /* multiples of the golden ratio spread evenly: D. Knuth, TAOCP 3, 6.4 */
    const uint64_t spread = (uint64_t)(THREAD + 1) * 0x9e3779b97f4a7c15u;
    const int32_t own = READ(&args.root[(spread >> 32) * (uint64_t)args.vertices >> 32]);
    sample[THREAD] = own;
    if (THREAD == 0)
        *best = 0;
    SYNC();
    for (int k = 0; k < THREADS; k++)
        equal += sample[k] == own;
    ATOMIC_MAX(best, equal * GRAPH_SEARCH_THREADS + (uint32_t)THREAD);
    SYNC();
    if (THREAD == 0)
        args.skipped[0] = sample[*best % GRAPH_SEARCH_THREADS];
}

/* A team of lanes per vertex. */
KERNEL_OF(struct graph_forest_args, graph_link_rest, GRAPH_SEARCH_THREADS, args)
{
    const int32_t skipped = READ(args.skipped);
    const int64_t step = BLOCKS * THREADS / GRAPH_TEAM;
    for (int64_t u = (BLOCK * THREADS + THREAD) / GRAPH_TEAM; u < args.vertices; u += step) {
        const int64_t end = READ(&args.begin[u + 1]);
        int64_t p = READ(&args.begin[u]) + args.edge;
        if (p >= end || LOAD_VOLATILE(&args.root[u]) == skipped)
            continue;
        if (end - p > GRAPH_LONG) {
            if (LANE % GRAPH_TEAM == 0)
                args.listed[ATOMIC_ADD(args.listed_count, 1)] = (int32_t)u;
            continue;
        }
        for (p += LANE % GRAPH_TEAM; p < end; p += GRAPH_TEAM)
            FN(graph_unite)(args.root, (int32_t)u, READ(&args.to[p]));
    }
}

/* A block per listed vertex. */
KERNEL_OF(struct graph_forest_args, graph_link_long, GRAPH_SEARCH_THREADS, args)
{
    const int64_t count = READ(args.listed_count);
    for (int64_t k = BLOCK; k < count; k += BLOCKS) {
        const int32_t u = READ(&args.listed[k]);
        const int64_t end = READ(&args.begin[u + 1]);
        for (int64_t p = READ(&args.begin[u]) + args.edge + THREAD; p < end; p += THREADS)
            FN(graph_unite)(args.root, u, READ(&args.to[p]));
    }
}
#endif
