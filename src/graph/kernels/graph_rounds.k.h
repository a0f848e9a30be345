/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of device_rounds.c: greedy decisions about vertices in rounds, as in rounds.h. */
#ifndef T
#ifndef SPL_GRAPH_GRAPH_ROUNDS_K_H
#define SPL_GRAPH_GRAPH_ROUNDS_K_H
#include <stdint.h>

enum { GRAPH_ROUND_THREADS = 256 };

/* Vertices begin..end of the queue are decided in this round; those of the next follow. */
struct graph_round_state {
    uint32_t begin, end, tail;
};

/* graph_waits: counts the neighbours that precede a vertex; those without are the first round.
 * graph_turn: the next round. graph_decide: decides about the vertices of the round, colours
 * (`by_edges`) or members of a set; those for whom one was the last to wait for are in the next. */
struct graph_rounds_args {
    int64_t vertices;
    const int64_t *begin;
    const int32_t *to;
    int32_t by_edges;
    int32_t *waits, *queue, *decision;
    struct graph_round_state *state;
};
#endif
#else
#define NOT_IN_F64
#include "graph/priority.h"

DEVICE int64_t FN(round_edges)(const struct graph_rounds_args *args, int32_t v)
{
    return READ(&args->begin[v + 1]) - READ(&args->begin[v]);
}

/* Whether u, a neighbour of v, is decided before it. */
DEVICE bool FN(round_precedes)(const struct graph_rounds_args *args, int32_t u, int32_t v,
                               int64_t of_v)
{
    const bool by_edges = args->by_edges != 0;
    return spl__precedes(by_edges, u, by_edges ? FN(round_edges)(args, u) : 0, v, of_v);
}

/* A warp per vertex. */
KERNEL_OF(struct graph_rounds_args, graph_waits, GRAPH_ROUND_THREADS, args)
{
    const int64_t warps = BLOCKS * (THREADS / LANES);
    for (int64_t row = BLOCK * (THREADS / LANES) + WARP; row < args.vertices; row += warps) {
        const int32_t v = (int32_t)row;
        const int64_t begin = READ(&args.begin[v]), end = READ(&args.begin[v + 1]);
        int32_t count = 0;
        for (int64_t p = begin + LANE; p < end; p += LANES) {
            const int32_t u = READ(&args.to[p]);
            count += u != v && FN(round_precedes)(&args, u, v, end - begin);
        }
        for (int half = LANES / 2; half > 0; half /= 2)
            count += SHUFFLE_XOR(GROUP_MASK(LANES), count, half);
        if (LANE == 0) {
            args.waits[v] = count;
            if (count == 0)
                args.queue[ATOMIC_ADD(&args.state->tail, 1)] = v;
        }
    }
}

/* One thread. */
KERNEL_OF(struct graph_rounds_args, graph_turn, GRAPH_ROUND_THREADS, args)
{
    if (THREAD == 0 && BLOCK == 0) {
        args.state->begin = LOAD_VOLATILE(&args.state->end);
        args.state->end = LOAD_VOLATILE(&args.state->tail);
    }
}

/* The bits of all threads of a warp, or of a block, whose `shared` is 0 before and after. */
DEVICE uint64_t FN(round_bits)(uint64_t bits, bool of_block, uint64_t *shared)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        bits |= SHUFFLE_XOR(GROUP_MASK(LANES), bits, half);
    if (!of_block)
        return bits;
    if (LANE == 0 && bits != 0)
        ATOMIC_OR(shared, bits);
    SYNC();
    bits = *shared;
    SYNC();
    if (THREAD == 0)
        *shared = 0;
    SYNC();
    return bits;
}

/* The least colour that no neighbour before v has; 64 are looked at together. Or whether v is a
 * member: no neighbour before it is one. */
DEVICE int32_t FN(round_decision)(const struct graph_rounds_args *args, int32_t v, int32_t rank,
                                  int32_t ranks, bool of_block, uint64_t *shared)
{
    const int64_t begin = READ(&args->begin[v]), end = READ(&args->begin[v + 1]);
    for (int32_t first = 0;; first += 64) {
        uint64_t taken = 0;
        for (int64_t p = begin + rank; p < end; p += ranks) {
            const int32_t u = READ(&args->to[p]);
            const int32_t other = u != v ? LOAD_VOLATILE(&args->decision[u]) : -1;
            /* none is decided in this round, since it would wait for v, or v for it */
            if (args->by_edges && other >= first && other < first + 64)
                taken |= (uint64_t)1 << (other - first);
            if (!args->by_edges && other > 0)
                taken = 1;
        }
        taken = FN(round_bits)(taken, of_block, shared);
        if (!args->by_edges)
            return taken == 0;
        if (taken != UINT64_MAX) {
            int32_t colour = first;
            for (; taken & 1; taken >>= 1)
                colour++;
            return colour;
        }
    }
}

/* Few vertices, which are those with most edges, are shared out to blocks, others to warps. */
KERNEL_OF(struct graph_rounds_args, graph_decide, GRAPH_ROUND_THREADS, args)
{
    SHARED(uint64_t, shared, 1);
    const int64_t first = args.state->begin, end = args.state->end;
    const bool of_block = end - first <= BLOCKS;
    const int32_t rank = of_block ? THREAD : LANE, ranks = of_block ? THREADS : LANES;
    const int64_t teams = of_block ? BLOCKS : BLOCKS * (THREADS / LANES),
                  own = of_block ? BLOCK : BLOCK * (THREADS / LANES) + WARP;
    if (THREAD == 0)
        *shared = 0;
    SYNC();
    for (int64_t place = first + own; place < end; place += teams) {
        const int32_t v = args.queue[place];
        const int64_t edges = FN(round_edges)(&args, v);
        const int32_t decision = FN(round_decision)(&args, v, rank, ranks, of_block, shared);
        if (rank == 0)
            STORE_VOLATILE(&args.decision[v], decision);
        for (int64_t p = READ(&args.begin[v]) + rank; p < READ(&args.begin[v + 1]); p += ranks) {
            const int32_t u = READ(&args.to[p]);
            if (u != v && !FN(round_precedes)(&args, u, v, edges) &&
                ATOMIC_ADD(&args.waits[u], -1) == 1)
                args.queue[ATOMIC_ADD(&args.state->tail, 1)] = u;
        }
    }
}
#endif
