/* SPDX-License-Identifier: Apache-2.0 */
/* priority.h: orders in which decisions about vertices are made (rounds.h), on CPUs and devices. */
#ifndef SPL_GRAPH_PRIORITY_H
#define SPL_GRAPH_PRIORITY_H

#include "core/integer.h"

/* A number for each vertex, in no order, no two the same. The finaliser of SplitMix64: G. Steele,
 * D. Lea, C. Flood, OOPSLA 2014. */
SPL__EVERYWHERE uint64_t spl__scramble(int32_t v)
{
    uint64_t x = (uint64_t)v + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Whether u, of `of_u` edges, is decided before v: at random, or by edges and then at random. */
SPL__EVERYWHERE bool spl__precedes(bool by_edges, int32_t u, int64_t of_u, int32_t v, int64_t of_v)
{
    return by_edges && of_u != of_v ? of_u > of_v : spl__scramble(u) < spl__scramble(v);
}

#endif
