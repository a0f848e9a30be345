/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels between the products of graph algorithms on a device: what becomes of a product's
 * elements before the next one. Each vertex is one element, whatever its type. */
#ifndef T
#ifndef SPL_GRAPH_GRAPH_STEPS_K_H
#define SPL_GRAPH_GRAPH_STEPS_K_H
#include "device/scalars.h"

enum {
    GRAPH_STEP_THREADS = 256,
    GRAPH_RANK_CHUNK = 1024 /* vertices whose sums have one order */
};

/* Searches from up to 64 sources, a bit each: the bits of `arrived` that a vertex has not seen are
 * its `front`, and get `level`. full[v] = 1 once v has seen `all`; *found becomes 1 if any are new.
 */
struct graph_settle_args {
    int64_t vertices;
    uint64_t all;
    const uint64_t *arrived;
    uint64_t *seen, *front;
    uint8_t *full;
    int32_t *levels; /* of source k: from k*vertices on */
    int32_t level;
    uint32_t *found;
};

/* *differs becomes 1 if before and after differ. */
struct graph_differ_args {
    int64_t count;
    const double *before, *after;
    uint32_t *differs;
};

/* A step of PageRank: ranks from the sums of what predecessors gave, or 1/n in the first one; what
 * each vertex gives to its successors; for each GRAPH_RANK_CHUNK vertices the sums of |change| and
 * of ranks that are given to none. */
struct graph_rank_args {
    int64_t vertices;
    const int64_t *begin; /* [vertices + 1] edges out of a vertex */
    const double *sums;
    double *ranks, *given;
    double base, damping; /* base: what a vertex has without predecessors */
    double *changes, *kept;
    int32_t first;
};

/* sums[v] += the counts of the entries in v's row and in v's column. */
struct graph_ends_args {
    int64_t rows;
    int32_t wide; /* offsets have 64 bits, else 32 */
    const void *offsets;
    const int32_t *columns, *counts;
    uint64_t *sums;
};

/* Betweenness of `columns` sources at a time: matrices with a row for each vertex and a column for
 * each source. graph_paths: what has arrived where no level is known is the number of paths there,
 * and goes on; seen[0] becomes 1 if there is any, seen[1] if one is infinite. graph_shares: of what
 * has arrived from `level` + 1 the share of paths on `level` (arrived NULL: nothing has), and what
 * each of its vertices hands back. graph_betweenness: adds the shares of a vertex up, those of
 * sources left out. */
struct graph_paths_args {
    int64_t count;
    int32_t columns, level;
    const double *arrived;
    double *front, *paths, *shares;
    int32_t *levels;
    double *sums; /* [count / columns] */
    uint32_t *seen;
};
#endif
#else
#define NOT_IN_F64

KERNEL_OF(struct graph_paths_args, graph_paths, GRAPH_STEP_THREADS, args)
{
    bool any = false, beyond = false;
    for (int64_t e = BLOCK * THREADS + THREAD; e < args.count; e += BLOCKS * THREADS) {
        const double arrived = READ(&args.arrived[e]);
        const bool found = arrived > 0 && args.levels[e] < 0;
        args.front[e] = found ? arrived : 0;
        if (!found)
            continue;
        args.levels[e] = args.level;
        args.paths[e] = arrived;
        any = true;
        beyond |= arrived > 1.7976931348623157e308;
    }
    if (any)
        ATOMIC_OR(&args.seen[0], 1);
    if (beyond)
        ATOMIC_OR(&args.seen[1], 1);
}

KERNEL_OF(struct graph_paths_args, graph_shares, GRAPH_STEP_THREADS, args)
{
    for (int64_t e = BLOCK * THREADS + THREAD; e < args.count; e += BLOCKS * THREADS) {
        const bool here = READ(&args.levels[e]) == args.level;
        double hands = 0;
        if (here) {
            const double paths = READ(&args.paths[e]),
                         share = args.arrived ? paths * READ(&args.arrived[e]) : 0;
            args.shares[e] = share;
            hands = (1 + share) / paths;
        }
        args.front[e] = hands;
    }
}

KERNEL_OF(struct graph_paths_args, graph_betweenness, GRAPH_STEP_THREADS, args)
{
    const int64_t vertices = args.count / args.columns;
    for (int64_t v = BLOCK * THREADS + THREAD; v < vertices; v += BLOCKS * THREADS) {
        double sum = args.sums[v];
        for (int64_t e = v * args.columns; e < (v + 1) * args.columns; e++)
            sum += READ(&args.shares[e]);
        args.sums[v] = sum;
    }
}

/* A warp per row. */
KERNEL(graph_ends, GRAPH_STEP_THREADS, args)
{
    const int64_t warps = BLOCKS * (THREADS / LANES);
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.rows; row += warps) {
        const int64_t begin = args.wide ? READ(&((const int64_t *)args.offsets)[row])
                                        : READ(&((const int32_t *)args.offsets)[row]),
                      end = args.wide ? READ(&((const int64_t *)args.offsets)[row + 1])
                                      : READ(&((const int32_t *)args.offsets)[row + 1]);
        uint64_t sum = 0;
        for (int64_t p = begin + LANE; p < end; p += LANES) {
            const uint64_t count = (uint64_t)READ(&args.counts[p]);
            if (count != 0)
                ATOMIC_ADD(&args.sums[READ(&args.columns[p])], count);
            sum += count;
        }
        if (sum != 0)
            ATOMIC_ADD(&args.sums[row], sum);
    }
}

KERNEL(graph_settle, GRAPH_STEP_THREADS, args)
{
    for (int64_t v = BLOCK * THREADS + THREAD; v < args.vertices; v += BLOCKS * THREADS) {
        const uint64_t before = args.seen[v], found = READ(&args.arrived[v]) & ~before;
        args.front[v] = found;
        if (found == 0)
            continue;
        args.seen[v] = before | found;
        args.full[v] = (before | found) == args.all;
        for (uint64_t bits = found; bits != 0; bits &= bits - 1) {
            const uint64_t lowest = bits & (0 - bits);
            int k = 0;
            UNROLL for (int step = 32; step > 0; step /= 2)
            {
                if (lowest >> (k + step) != 0)
                    k += step;
            }
            args.levels[k * args.vertices + v] = args.level;
        }
        ATOMIC_OR(args.found, 1);
    }
}

KERNEL(graph_differ, GRAPH_STEP_THREADS, args)
{
    bool differs = false;
    for (int64_t v = BLOCK * THREADS + THREAD; v < args.count; v += BLOCKS * THREADS)
        differs |= READ(&args.before[v]) != READ(&args.after[v]);
    if (differs)
        ATOMIC_OR(args.differs, 1);
}

/* The sum over the block's threads, in an order of its own; for the first thread. */
DEVICE double FN(rank_sum)(double *sums, double own)
{
    sums[THREAD] = own;
    for (int half = GRAPH_STEP_THREADS / 2; half > 0; half /= 2) {
        SYNC();
        if (THREAD < half)
            sums[THREAD] += sums[THREAD + half];
    }
    if (THREAD == 0)
        own = sums[0];
    SYNC();
    return own;
}

/* A block per chunk. */
KERNEL(graph_rank, GRAPH_STEP_THREADS, args)
{
    SHARED(double, sums, GRAPH_STEP_THREADS);
    const int64_t chunks = (args.vertices + GRAPH_RANK_CHUNK - 1) / GRAPH_RANK_CHUNK;
    for (int64_t c = BLOCK; c < chunks; c += BLOCKS) {
        double change = 0, kept = 0;
        for (int64_t v = c * GRAPH_RANK_CHUNK + THREAD;
             v < (c + 1) * GRAPH_RANK_CHUNK && v < args.vertices; v += THREADS) {
            const int64_t successors = READ(&args.begin[v + 1]) - READ(&args.begin[v]);
            const double rank = args.first ? 1.0 / (double)args.vertices
                                           : args.base + args.damping * READ(&args.sums[v]);
            const double moved = args.first ? rank : rank - args.ranks[v];
            change += moved < 0 ? -moved : moved;
            kept += successors > 0 ? 0 : rank;
            args.given[v] = successors > 0 ? rank / (double)successors : 0;
            args.ranks[v] = rank;
        }
        change = FN(rank_sum)(sums, change);
        kept = FN(rank_sum)(sums, kept);
        if (THREAD == 0) {
            args.changes[c] = change;
            args.kept[c] = kept;
        }
    }
}
#endif
