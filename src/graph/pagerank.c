/* SPDX-License-Identifier: Apache-2.0 */
/* pagerank.c: PageRank by the power method.
 *
 * rank(v) = (1 - d)/n + d * (sum over edges (u, v) of rank(u)/out(u) + D/n), where D is the sum of
 * the ranks of vertices without edges out of them. Each vertex reads what its predecessors gave in
 * the last step. Sums have an order that depends on the graph alone: four by four within a vertex,
 * block by block over vertices. Reading what predecessors gave is nearly all of the time, and not
 * in order: where the tolerance is far above the rounding of f32, half the bytes are read.
 * Source: L. Page, S. Brin, R. Motwani, T. Winograd, The PageRank citation ranking, Stanford 1999;
 * pulled as in S. Beamer, K. Asanovic, D. Patterson, The GAP benchmark suite, arXiv 1508.03619. */
#include "core/checked.h"
#include "core/team.h"
#include "graph/device_graph.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024 };
/* From this tolerance on vertices give f32. */
static const double NARROW = 1e-5;

typedef struct power {
    const spl_graph *g;
    spl__watch *watch;
    int threads;
    double damping, base; /* base: what a vertex has without predecessors */
    double *ranks;
    /* what a vertex gives to each successor, f32 or f64: in the last step, in this one */
    void *given, *next; /* and a zero behind them */
    bool narrow;
    double *changes, *kept; /* of a block: sum of |change|, and of ranks that are given to none */
    int64_t blocks;
    double change, without; /* the same of all vertices */
} power;

/* The place of to[p], or of the zero that stands behind all places: chosen without a branch, which
 * would be mispredicted at the end of most rows. */
static inline int64_t place_at(const int32_t *to, int64_t p, int64_t end, int64_t zero)
{
    const int64_t place = to[p < end ? p : end - 1];
    return p < end ? place : zero;
}

/* The sum of array[to[p]] over p of begin..end. */
#define SUM_OF(array, to, begin, end, zero)                                                        \
    do {                                                                                           \
        double a = 0, b = 0, c = 0, d = 0;                                                         \
        int64_t p = (begin);                                                                       \
        for (; p + 4 <= (end); p += 4) {                                                           \
            a += (array)[(to)[p]];                                                                 \
            b += (array)[(to)[p + 1]];                                                             \
            c += (array)[(to)[p + 2]];                                                             \
            d += (array)[(to)[p + 3]];                                                             \
        }                                                                                          \
        if (p < (end)) {                                                                           \
            a += (array)[(to)[p]];                                                                 \
            b += (array)[place_at(to, p + 1, end, zero)];                                          \
            c += (array)[place_at(to, p + 2, end, zero)];                                          \
        }                                                                                          \
        return (a + b) + (c + d);                                                                  \
    } while (0)

static inline double pull_narrow(const float *given, const spl__arcs *in, int32_t v, int32_t n)
{
    SUM_OF(given, in->to, in->begin[v], in->begin[v + 1], n);
}

static inline double pull_wide(const double *given, const spl__arcs *in, int32_t v, int32_t n)
{
    SUM_OF(given, in->to, in->begin[v], in->begin[v + 1], n);
}

/* Sets what v gives; returns what it keeps. */
static inline double give(const power *w, int32_t v, double rank, bool narrow)
{
    const int64_t successors = spl__arcs_of(&w->g->out, v);
    const double given = successors > 0 ? rank / (double)successors : 0;
    if (narrow)
        ((float *)w->next)[v] = (float)given;
    else
        ((double *)w->next)[v] = given;
    return successors > 0 ? 0 : rank;
}

static inline __attribute__((always_inline)) void step_some(const power *w, int64_t block,
                                                            bool first, const bool narrow)
{
    const int32_t end = (int32_t)spl__min_i64((block + 1) * BLOCK, w->g->vertices);
    double change = 0, kept = 0;
    for (int32_t v = (int32_t)(block * BLOCK); v < end; v++) {
        double rank = 1.0 / w->g->vertices;
        if (!first)
            rank =
                w->base + w->damping * (narrow ? pull_narrow(w->given, &w->g->in, v, w->g->vertices)
                                               : pull_wide(w->given, &w->g->in, v, w->g->vertices));
        change += first ? rank : fabs(rank - w->ranks[v]);
        kept += give(w, v, rank, narrow);
        w->ranks[v] = rank;
    }
    w->changes[block] = change;
    w->kept[block] = kept;
}

static SPL__APART void step_block(const power *w, int64_t block, bool first)
{
    if (w->narrow)
        step_some(w, block, first, true);
    else
        step_some(w, block, first, false);
}

static spl_status step(power *w, bool first)
{
    const double n = w->g->vertices;
    w->base = (1 - w->damping) / n + w->damping * w->without / n;
#pragma omp parallel for num_threads(spl__team(w->threads)) schedule(dynamic, 1)
    for (int64_t b = 0; b < w->blocks; b++)
        if (spl__watch_goes_on(w->watch))
            step_block(w, b, first);
    SPL__TRY(spl__watch_check(w->watch));
    w->change = w->without = 0;
    for (int64_t b = 0; b < w->blocks; b++) {
        w->change += w->changes[b];
        w->without += w->kept[b];
    }
    void *given = w->given;
    w->given = w->next;
    w->next = given;
    return SPL_OK;
}

static spl_status iterate(power *w, double tolerance, int32_t most_steps, int32_t *steps)
{
    SPL__TRY(step(w, true));
    for (*steps = 0; *steps < most_steps && w->change > tolerance; ++*steps)
        SPL__TRY(step(w, false));
    return SPL_OK;
}

static spl_status run(power *w, spl_graph *graph, spl__account *account, double tolerance,
                      int32_t most_steps, int32_t *steps)
{
    SPL__TRY(spl__graph_need_in(graph, account));
    const size_t size = w->narrow ? sizeof(float) : sizeof(double);
    SPL__TRY(spl__alloc(account, graph->vertices + (int64_t)1, size, &w->given));
    SPL__TRY(spl__alloc(account, graph->vertices + (int64_t)1, size, &w->next));
    memset((char *)w->given + (size_t)graph->vertices * size, 0, size);
    memset((char *)w->next + (size_t)graph->vertices * size, 0, size);
    SPL__TRY(SPL__NEW(account, &w->changes, w->blocks));
    SPL__TRY(SPL__NEW(account, &w->kept, w->blocks));
    return iterate(w, tolerance, most_steps, steps);
}

static spl_status check(const spl_graph *graph, double damping, double tolerance,
                        int32_t most_steps, const double *ranks, const int32_t *steps)
{
    if (!graph || !ranks || !steps)
        return spl__fail(SPL_INVALID_ARGUMENT, "%s is NULL",
                         !graph   ? "graph"
                         : !ranks ? "ranks"
                                  : "steps");
    if (!(damping >= 0 && damping < 1))
        return spl__fail(SPL_INVALID_ARGUMENT, "damping is %g, not in [0, 1)", damping);
    if (!(tolerance >= 0))
        return spl__fail(SPL_INVALID_ARGUMENT, "tolerance is %g, less than 0", tolerance);
    if (most_steps < 0)
        return spl__fail(SPL_INVALID_ARGUMENT, "most_steps is %d", (int)most_steps);
    return SPL_OK;
}

spl_status spl_graph_pagerank(spl_graph *graph, double damping, double tolerance,
                              int32_t most_steps, double *ranks, int32_t *steps)
{
    spl__watched call;
    SPL__TRY(check(graph, damping, tolerance, most_steps, ranks, steps));
    *steps = 0;
    if (graph->vertices == 0)
        return SPL_OK;
    if (spl__graph_device(graph->context))
        return spl__device_pagerank(graph, damping, tolerance, most_steps, ranks, steps);
    spl__account *account = spl__watched_begin(&call, graph->context, "pagerank", 0);
    power w = {.g = graph,
               .watch = spl__account_watch(account),
               .threads = spl__graph_threads(graph, graph->vertices + graph->edges),
               .damping = damping,
               .narrow = tolerance >= NARROW,
               .ranks = ranks,
               .blocks = (graph->vertices + BLOCK - (int64_t)1) / BLOCK};
    spl_status status = run(&w, graph, account, tolerance, most_steps, steps);
    spl__free(w.given);
    spl__free(w.next);
    spl__free(w.changes);
    spl__free(w.kept);
    return status;
}
