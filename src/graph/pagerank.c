/* SPDX-License-Identifier: Apache-2.0 */
/* pagerank.c: PageRank by the power method, hastened in undirected graphs.
 *
 * rank(v) = (1 - d)/n + d * (sum over edges (u, v) of rank(u)/out(u) + D/n), where D is the sum of
 * the ranks of vertices without edges out of them. Each vertex reads what its predecessors gave in
 * the last step. Sums have an order that depends on the graph alone: four by four within a vertex,
 * block by block over vertices. Reading what predecessors gave is nearly all of the time, and not
 * in order: where the tolerance is far above the rounding of f32, half the bytes are read. Ranks
 * themselves are not stored: they are out(v) times what v gives. Where it pays, vertices are
 * renumbered by their edges: see pagerank_order.h.
 *
 * In undirected graphs the matrix of a step has real eigenvalues, none beyond the damping. Then
 * what follows is x(k+1) = w * P(x(k)) + (1 - w) * x(k-1) for the step P of the formula, with w = 2
 * / (1 + sqrt(1 - r^2)): where eigenvalues reach r, errors fall as if they were r / (1 + sqrt(1 -
 * r^2)). r is found on the way from how changes fall: too small, this falls no slower than P alone.
 * It needs no memory and no pass: x(k-1) is what is overwritten. `change` is that of P, and the
 * step that ends the loop is P itself.
 * Source: L. Page, S. Brin, R. Motwani, T. Winograd, The PageRank citation ranking, Stanford 1999;
 * pulled as in S. Beamer, K. Asanovic, D. Patterson, The GAP benchmark suite, arXiv 1508.03619; w:
 * G. Golub, R. Varga, Chebyshev semi-iterative methods, successive overrelaxation iterative
 * methods, and second order Richardson iterative methods, Numerische Mathematik 3, 1961. */
#include "core/checked.h"
#include "core/threads/team.h"
#include "graph/gpu/device_graph.h"
#include "graph/pagerank_begin.h"
#include "graph/pagerank_order.h"

#include <math.h>
#include <string.h>

/* The first steps are of the formula alone: later ones tell how changes fall. */
enum { BLOCK = 1024, BLOCK_EDGES = 32768, PLAIN_STEPS = 4 };
/* From this tolerance on vertices give f32. */
static const double NARROW = 1e-5;

typedef struct power {
    spl__vertex_order order;
    spl__watch *watch;
    int threads;
    double damping, base; /* base: what a vertex has without predecessors */
    /* what a vertex gives to each successor, f32 or f64: in the last step, in this one; without
     * successors its rank, which none reads */
    void *given, *next; /* and a zero behind them */
    bool by_tolerance;  /* else by a number of steps, of the formula's */
    bool narrow;
    float *inverse;         /* of f32: 1/successors; where there are none, 1 */
    int32_t *successors;    /* where there are none, -1 */
    double *changes, *kept; /* of a block: sum of |change|, and of ranks that are given to none */
    int32_t *cuts;          /* where blocks begin */
    int64_t blocks;
    double change, without; /* the same of all vertices */
    spl__first_ranks first;
    bool real;     /* eigenvalues are real */
    double radius; /* how far they reach, as far as is known */
    double beyond; /* w - 1 */
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
        if (p + 4 <= (end)) { /* most rows of many graphs end here */                              \
            a = (array)[(to)[p]];                                                                  \
            b = (array)[(to)[p + 1]];                                                              \
            c = (array)[(to)[p + 2]];                                                              \
            d = (array)[(to)[p + 3]];                                                              \
            p += 4;                                                                                \
        }                                                                                          \
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

/* sums = what each vertex of first..end gets. Apart from what is made of it: vertices in flight in
 * a processor are more then. */
static inline __attribute__((always_inline)) void pull_some(const power *w, int32_t first,
                                                            int32_t end, bool narrow, double *sums)
{
    const spl__vertex_order *o = &w->order;
    for (int32_t v = first; v < end; v++)
        *sums++ = narrow ? pull_narrow(w->given, &o->in, v, o->vertices)
                         : pull_wide(w->given, &o->in, v, o->vertices);
}

static inline double sum_of_lanes(const double *lanes)
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/* What a vertex gives to each of its successors, and what it gave. */
static inline __attribute__((always_inline)) double share_of(const power *w, int32_t v, double rank,
                                                             bool narrow)
{
    return narrow ? (double)(float)(rank * (double)w->inverse[v])
                  : rank / fabs((double)w->successors[v]);
}

static inline __attribute__((always_inline)) double get_given(const void *from, int32_t v,
                                                              bool narrow)
{
    return narrow ? (double)((const float *)from)[v] : ((const double *)from)[v];
}

static inline __attribute__((always_inline)) double given_by(const power *w, int32_t v, bool narrow)
{
    return get_given(w->given, v, narrow);
}

static inline __attribute__((always_inline)) void put_given(void *to, int32_t v, double given,
                                                            bool narrow)
{
    if (narrow)
        ((float *)to)[v] = (float)given;
    else
        ((double *)to)[v] = given;
}

/* Sets what the vertices of a block give from the sums of what they get; returns how much their
 * ranks change, and, if `without`, *kept: what those keep that have no successors. Several vertices
 * at once: a chain of additions, or a division, takes as long as reading four values. */
static inline __attribute__((always_inline)) double
give(const power *w, int64_t block, const double *sums, bool narrow, bool without, bool further)
{
    enum { LANES = 8 };
    const double base = w->base, damping = w->damping, beyond = w->beyond;
    const int32_t *successors = w->successors, end = w->cuts[block + 1];
    void *restrict next = w->next;
    double changes[LANES] = {0}, keeps[LANES] = {0};
    int32_t v = w->cuts[block];
    for (; v + LANES <= end; v += LANES, sums += LANES) {
        double rank[LANES], given[LANES];
        for (int k = 0; k < LANES; k++)
            rank[k] = base + damping * sums[k];
        for (int k = 0; k < LANES; k++)
            given[k] = share_of(w, v + k, rank[k], narrow);
        for (int k = 0; k < LANES; k++)
            changes[k] += fabs((given[k] - given_by(w, v + k, narrow)) * (double)successors[v + k]);
        for (int k = 0; further && k < LANES; k++) /* without successors both are the same */
            rank[k] = given[k] += beyond * (given[k] - get_given(next, v + k, narrow));
        for (int k = 0; without && k < LANES; k++)
            keeps[k] += successors[v + k] < 0 ? rank[k] : 0;
        for (int k = 0; k < LANES; k++)
            put_given(next, v + k, given[k], narrow);
    }
    for (; v < end; v++, sums++) {
        double rank = base + damping * *sums, given = share_of(w, v, rank, narrow);
        changes[0] += fabs((given - given_by(w, v, narrow)) * (double)successors[v]);
        if (further)
            rank = given += beyond * (given - get_given(next, v, narrow));
        keeps[0] += successors[v] < 0 ? rank : 0;
        put_given(next, v, given, narrow);
    }
    w->kept[block] = sum_of_lanes(keeps);
    return sum_of_lanes(changes);
}

static inline __attribute__((always_inline)) void step_block(const power *w, int64_t block,
                                                             bool narrow)
{
    double sums[BLOCK];
    sums[0] = 0; /* for gcc, which does not know that a block has vertices */
    pull_some(w, w->cuts[block], w->cuts[block + 1], narrow, sums);
    const bool without = w->kept[block] > 0; /* so it was in the first step */
    w->changes[block] = w->beyond > 0 ? without ? give(w, block, sums, narrow, true, true)
                                                : give(w, block, sums, narrow, false, true)
                        : without ? give(w, block, sums, narrow, true, false)
                                      : give(w, block, sums, narrow, false, false);
}

static SPL__APART void step_narrow(const power *w, int64_t block)
{
    step_block(w, block, true);
}

static SPL__APART void step_wide(const power *w, int64_t block)
{
    step_block(w, block, false);
}

/* The first ranks. Counts successors. */
static void begin_block(const power *w, int64_t block)
{
    const spl__vertex_order *o = &w->order;
    double kept = 0;
    for (int32_t v = w->cuts[block]; v < w->cuts[block + 1]; v++) {
        const int32_t out = (int32_t)(o->out_begin[v + 1] - o->out_begin[v]);
        const double rank = w->first.each + w->first.edge * out;
        kept += out == 0 ? rank : 0;
        w->successors[v] = out > 0 ? out : -1;
        if (w->narrow)
            w->inverse[v] = 1 / (float)(out > 0 ? out : 1);
        put_given(w->next, v, share_of(w, v, rank, w->narrow), w->narrow);
    }
    w->changes[block] = INFINITY;
    w->kept[block] = kept;
}

static spl_status step(power *w, bool first)
{
    const double n = w->order.vertices;
    w->base = (1 - w->damping) / n + w->damping * w->without / n;
#pragma omp parallel for num_threads(spl__team(w->threads)) schedule(dynamic, 1)
    for (int64_t b = 0; b < w->blocks; b++)
        if (!spl__watch_goes_on(w->watch))
            continue;
        else if (first)
            begin_block(w, b);
        else if (w->narrow)
            step_narrow(w, b);
        else
            step_wide(w, b);
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

static void write_ranks(const power *w, int32_t steps, double *ranks)
{
    const spl__vertex_order *o = &w->order;
#pragma omp parallel for num_threads(spl__team(w->threads)) schedule(static)
    for (int32_t v = 0; v < o->vertices; v++) {
        const double rank = given_by(w, v, w->narrow) * fabs((double)w->successors[v]);
        ranks[o->old ? o->old[v] : v] = steps > 0 ? rank : 1.0 / o->vertices;
    }
}

/* What the changes of the last two steps say of the next: of an eigenvalue that falls so, and of
 * how far to go. A step that will be the last, if changes go on to fall so, is the formula's. */
static void look_ahead(power *w, double before, double tolerance)
{
    const double ratio = w->change / before, fall = ratio * (1 + sqrt(1 - w->radius * w->radius));
    if (fall > w->radius)
        w->radius = fmin(w->damping, (fall * fall + w->radius * w->radius) / (2 * fall));
    w->beyond =
        w->change * fmin(1, ratio) <= tolerance ? 0 : 2 / (1 + sqrt(1 - w->radius * w->radius)) - 1;
}

static spl_status iterate(power *w, double tolerance, int32_t most_steps, int32_t *steps)
{
    bool plain = true;
    SPL__TRY(step(w, true));
    for (*steps = 0; *steps < most_steps && !(plain && w->change <= tolerance); ++*steps) {
        const double before = w->change;
        plain = w->beyond == 0;
        SPL__TRY(step(w, false));
        if (w->real && *steps + 1 >= PLAIN_STEPS)
            look_ahead(w, before, tolerance);
    }
    return SPL_OK;
}

/* The number of blocks; cuts (NULL: not wanted) = where they begin, and the end. A block has at
 * most BLOCK vertices, and is one vertex or has at most BLOCK_EDGES edges. */
static int64_t cut_blocks(const spl__vertex_order *o, int32_t *cuts)
{
    const int64_t *begin = o->in.begin;
    int64_t blocks = 0;
    for (int32_t first = 0, end; first < o->vertices; first = end) {
        end = (int32_t)spl__min_i64((int64_t)first + BLOCK, o->vertices);
        while (end - first > 1 && begin[end] - begin[first] > BLOCK_EDGES)
            end = first + (end - first) / 2;
        if (cuts)
            cuts[blocks] = first;
        blocks++;
    }
    if (cuts)
        cuts[blocks] = o->vertices;
    return blocks;
}

static spl_status prepare(power *w, spl_graph *graph, spl__account *account)
{
    const size_t size = w->narrow ? sizeof(float) : sizeof(double);
    const int64_t n = graph->vertices;
    SPL__TRY(spl__graph_need_in(graph, account));
    w->real = graph->undirected;
    w->first = w->real && w->by_tolerance ? spl__first_ranks_of(graph, w->damping)
                                          : (spl__first_ranks){.each = 1 / (double)n};
    SPL__TRY(spl__alloc(account, n + 1, size, &w->given));
    SPL__TRY(spl__alloc(account, n + 1, size, &w->next));
    memset((char *)w->given + (size_t)n * size, 0, size);
    memset((char *)w->next + (size_t)n * size, 0, size);
    SPL__TRY(spl__vertex_order_make(graph, account, w->threads, &w->order));
    SPL__TRY(SPL__NEW(account, &w->inverse, w->narrow ? n : 0));
    SPL__TRY(SPL__NEW(account, &w->successors, n));
    w->blocks = cut_blocks(&w->order, NULL);
    SPL__TRY(SPL__NEW(account, &w->cuts, w->blocks + 1));
    SPL__TRY(SPL__NEW(account, &w->changes, w->blocks));
    SPL__TRY(SPL__NEW(account, &w->kept, w->blocks));
    cut_blocks(&w->order, w->cuts);
    return SPL_OK;
}

static spl_status run(power *w, spl_graph *graph, spl__account *account, double tolerance,
                      int32_t most_steps, double *ranks, int32_t *steps)
{
    SPL__TRY(prepare(w, graph, account));
    SPL__TRY(iterate(w, tolerance, most_steps, steps));
    write_ranks(w, *steps, ranks);
    return SPL_OK;
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
    power w = {.watch = spl__account_watch(account),
               .threads = spl__graph_threads(graph, graph->vertices + graph->edges),
               .damping = damping,
               .by_tolerance = tolerance > 0,
               .narrow = tolerance >= NARROW};
    spl_status status = run(&w, graph, account, tolerance, most_steps, ranks, steps);
    spl__vertex_order_free(&w.order);
    spl__free(w.given);
    spl__free(w.next);
    spl__free(w.inverse);
    spl__free(w.successors);
    spl__free(w.cuts);
    spl__free(w.changes);
    spl__free(w.kept);
    return status;
}
