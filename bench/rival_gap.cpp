/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the GAP benchmark suite (sbeamer/gapbs), whose sources are programs: each is
 * included into a namespace of its own. A graph is made ready before, as the suite does. */
#define _GLIBCXX_PARALLEL /* as its triangles are compiled */
#include <algorithm>
#include <cinttypes>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <queue>
#include <random>
#include <unordered_map>
#include <vector>

#include "benchmark.h"
#include "bitmap.h"
#include "builder.h"
#include "command_line.h"
#include "graph.h"
#include "platform_atomics.h"
#include "pvector.h"
#include "sliding_queue.h"
#include "timer.h"

namespace bfs
{
#include "bfs.cc"
}
namespace bc
{
#include "bc.cc"
}
namespace cc
{
#include "cc.cc"
}
namespace pr
{
#include "pr.cc"
}
namespace sssp
{
#include "sssp.cc"
}
namespace tc
{
#include "tc.cc"
}

#include "graph_rivals.h"

static Graph *plain;
static WGraph *weighted;

template <class To, class Made>
static Made *make(const graph *g, To (*entry)(const graph *, int64_t))
{
    To **index = new To *[g->n + 1], *to = new To[g->nnz];
    for (int64_t i = 0; i <= g->n; i++)
        index[i] = to + g->offsets[i];
    for (int64_t p = 0; p < g->nnz; p++)
        to[p] = entry(g, p);
    return new Made(g->n, index, to);
}

static NodeID vertex(const graph *g, int64_t p)
{
    return g->columns[p];
}

static WNode edge(const graph *g, int64_t p)
{
    return WNode(g->columns[p], static_cast<WeightT>(g->weights[p]));
}

extern "C" void gap_start(const graph *g)
{
    plain = make<NodeID, Graph>(g, vertex);
    weighted = make<WNode, WGraph>(g, edge);
}

template <class T> static void copy_to(double *out, const T &from)
{
    for (size_t v = 0; v < from.size(); v++)
        out[v] = static_cast<double>(from[v]);
}

/* Levels from parents; those of vertices without a path are negative. */
static void levels_of(const pvector<NodeID> &parents, NodeID source, double *levels)
{
    std::vector<NodeID> way;
    for (size_t v = 0; v < parents.size(); v++)
        levels[v] = parents[v] < 0 ? -1 : -2;
    levels[source] = 0;
    for (size_t v = 0; v < parents.size(); v++) {
        NodeID at = static_cast<NodeID>(v);
        for (; levels[at] == -2; at = parents[at])
            way.push_back(at);
        for (double level = levels[at]; !way.empty(); way.pop_back())
            levels[way.back()] = ++level;
    }
}

extern "C" double gap_bfs(const rig *r, double *out)
{
    const NodeID source = static_cast<NodeID>(r->sources[r->count / 2]);
    const double start = now();
    pvector<NodeID> parents = bfs::DOBFS(*plain, source);
    const double seconds = now() - start;
    levels_of(parents, source, out);
    return seconds;
}

extern "C" double gap_searches(const rig *r, double *out)
{
    double seconds = 0;
    for (int64_t k = 0; k < r->count; k++) {
        const NodeID source = static_cast<NodeID>(r->sources[k]);
        const double start = now();
        pvector<NodeID> parents = bfs::DOBFS(*plain, source);
        seconds += now() - start;
        levels_of(parents, source, out + k * r->g->n);
    }
    return seconds;
}

extern "C" double gap_paths(const rig *r, double *out)
{
    const double start = now();
    pvector<WeightT> distances = sssp::DeltaStep(
        *weighted, static_cast<NodeID>(r->sources[r->count / 2]), static_cast<WeightT>(r->delta));
    const double seconds = now() - start;
    for (size_t v = 0; v < distances.size(); v++)
        out[v] = distances[v] == sssp::kDistInf ? -1 : distances[v];
    return seconds;
}

extern "C" double gap_components(const rig *, double *out)
{
    const double start = now();
    pvector<NodeID> of = cc::Afforest(*plain);
    const double seconds = now() - start;
    copy_to(out, of);
    return seconds;
}

extern "C" double gap_ranks(const rig *, double *out)
{
    const double start = now();
    pvector<float> ranks = pr::PageRankPullGS(*plain, 100, 1e-4);
    const double seconds = now() - start;
    copy_to(out, ranks);
    return seconds;
}

/* Scaled: what the suite gives is not what lies between, but its part of the most. */
static double betweenness(const rig *r, int64_t count)
{
    const double start = now();
    for (int64_t k = 0; k < count; k++) {
        SourcePicker<Graph> picker(*plain, static_cast<NodeID>(r->sources[k * (r->count / count)]));
        bc::Brandes(*plain, picker, 1);
    }
    return now() - start;
}

extern "C" double gap_few_betweenness(const rig *r, double *)
{
    return betweenness(r, 4);
}

extern "C" double gap_betweenness(const rig *r, double *)
{
    return betweenness(r, r->count);
}

extern "C" double gap_triangles(const rig *, double *out)
{
    const double start = now();
    out[0] = static_cast<double>(tc::Hybrid(*plain));
    return now() - start;
}
