/* SPDX-License-Identifier: Apache-2.0 */
/* short_rows.c: the number of triangles of a graph with few edges, from the caller's arrays.
 *
 * Of u and each neighbour v < u the neighbours w < v of both are counted: each closes a triangle.
 * That each edge has its opposite is seen on the way: as u ascends, the entries of row v beyond v
 * are met in turn, so a cursor for each vertex says which is due. If all are met, each when it was
 * due, the graph is undirected and its rows ascend beyond the diagonal; nothing is searched.
 * Several threads take a range of vertices each. Edges from one range to an earlier one are kept;
 * once all later ranges have been read, the thread of the earlier one goes on with its cursors.
 * Cost: the sum over edges of the shorter row, in the caller's order; where that is much, edges are
 * ordered by lengths first (vertex_triangles.c). Memory: a cursor for each vertex; 8 bytes for each
 * edge between ranges.
 * Source: S. Beamer, K. Asanovic, D. Patterson, The GAP benchmark suite, arXiv 1508.03619.
 * Differs: checks; entries are compared in blocks, not merged. */
#include "graph/short_rows.h"

#include "core/threads/parallel.h"
#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "graph/common_entries.h"
#include "graph/crossing_edges.h"
#include "graph/triangle_rows.h"

/* The mean over edges of the shorter row up to which this is chosen. */
static const double FEW_STEPS = 6;
/* The part of rows with at most four entries from which on it is asked whether a row has. */
static const double NARROW = 0.85;
enum { AT_ONCE = 1024 };

typedef spl__triangle_rows rows;

/* Of the edges from rows of a block to earlier ranges: where there are few, rows are asked. */
typedef enum crossing { NONE, FEW, MANY } crossing;

/* Of the neighbours of u below it, `count`: those from the first on are counted later. */
typedef struct rest {
    int32_t u, first, count;
} rest;

/* Of a range, or of a block of its rows, in registers. */
typedef struct sums {
    int64_t triangles;
    spl__eight common;   /* more triangles, of short rows */
    spl__crossing *kept; /* where the next edge to an earlier range goes */
    int32_t bad;         /* not 0: rows do not ascend, or an edge has no opposite */
    rest *rests;         /* room for AT_ONCE */
    int64_t rest_count;
} sums;

typedef struct range {
    int32_t first, end;
    int64_t triangles;
    spl__crossing_list edges; /* to earlier ranges */
    bool read;                /* all rows: cursors can go on */
    bool good;                /* in the end: and each edge has its opposite */
} range;

#define INLINE static inline __attribute__((always_inline))

INLINE int64_t begin_of(const rows *r, int32_t v, bool wide)
{
    return spl__triangle_begin(r, v, wide);
}

static int32_t end_of(const rows *r, int32_t first)
{
    return (int32_t)spl__min_i64(first + (int64_t)AT_ONCE, r->n);
}

/* ---- counting ---- */

/* Triangles of the k-th neighbour of a vertex below it, whose row is long. */
static int64_t count_long(const rows *r, const int32_t *own, int64_t k)
{
    const int64_t begin = begin_of(r, own[k], r->wide),
                  length = begin_of(r, own[k] + 1, r->wide) - begin;
    return spl__common_entries(own, k, r->to + begin, length, r->edges - begin);
}

static SPL__APART int64_t count_rest(const rows *r, rest *of, int64_t count)
{
    int64_t triangles = 0;
    for (rest *const end = of + count; of < end; of++)
        for (int64_t k = of->first; k < of->count; k++)
            triangles += count_long(r, r->to + begin_of(r, of->u, r->wide), k);
    return triangles;
}

/* Triangles of the `count` neighbours of u below it. Where few rows are long, the first of them and
 * those after it are counted after the block: a call takes the sums out of registers. */
INLINE void count_pairs(const rows *r, int32_t u, const int32_t *own, int64_t count, sums *s,
                        bool wide, bool narrow)
{
    enum { MOST = SPL__FEW_ENTRIES, HALF = MOST / 2 };
    for (int64_t k = 1; k < count; k++) {
        const int64_t begin = begin_of(r, own[k], wide),
                      length = begin_of(r, own[k] + 1, wide) - begin;
        const int32_t *const to = r->to + begin;
        if (narrow && (length > MOST || k > MOST || own[k] >= r->followed)) {
            s->rests[s->rest_count++] = (rest){u, (int32_t)k, (int32_t)count};
            return;
        }
        if (narrow && length <= HALF) {
            const spl__four entries = spl__four_at(to), counted = spl__four_first(length);
            for (int64_t i = 0; i < k; i++)
                spl__four_compare(&s->common, entries, counted, own[i]);
        } else if (length <= MOST && k <= MOST && own[k] < r->followed) {
            const spl__eight entries = spl__eight_at(to), counted = spl__eight_first(length);
            for (int64_t i = 0; i < k; i++)
                spl__eight_compare(&s->common, entries, counted, own[i]);
        } else {
            s->triangles += count_long(r, own, k);
        }
    }
}

/* The edge down from u to v, if it stays `in` the range: u is the entry of v that is due. A cursor
 * that leaves its row, in a directed graph, stays below the entry that is read. */
INLINE void meet(const rows *r, int32_t u, int32_t v, sums *s)
{
    s->bad |= r->to[r->next[v]++] ^ u;
}

/* The same without a branch; an edge that leaves the range is kept. */
INLINE void meet_or_keep(const rows *r, int32_t u, int32_t v, bool in, sums *s, uint32_t *nowhere)
{
    uint32_t *const next = in ? &r->next[v] : nowhere;
    const uint32_t due = *next;
    *next = due + in;
    s->bad |= (r->to[due] ^ u) & -(int32_t)in;
    *s->kept = (spl__crossing){u, v};
    s->kept += !in;
}

/* Vertex u of a range that begins with `first`. */
INLINE void count_row(const rows *r, int32_t u, int32_t first, sums *s, crossing how, bool wide,
                      bool narrow)
{
    const int64_t begin = begin_of(r, u, wide), end = begin_of(r, u + 1, wide);
    const int32_t *const to = r->to;
    int64_t p = begin;
    int32_t last = -1;
    uint32_t nowhere = 0;
    /* A row out of order may go on with an earlier range, whose cursors are not this thread's. */
    const uint32_t low = how == FEW ? (uint32_t)first : 0;
    if (how == FEW)
        for (; __builtin_expect(p < end && (uint32_t)to[p] < (uint32_t)first, 0); last = to[p++]) {
            s->bad |= to[p] <= last;
            *s->kept++ = (spl__crossing){u, to[p]};
        }
    for (; p < end && (uint32_t)to[p] - low < (uint32_t)u - low; last = to[p++]) {
        s->bad |= to[p] <= last;
        if (how == MANY)
            meet_or_keep(r, u, to[p], to[p] >= first, s, &nowhere);
        else
            meet(r, u, to[p], s);
    }
    r->next[u] = (uint32_t)(p + (p < end && to[p] == u));
    if (p - begin > 1)
        count_pairs(r, u, to + begin, p - begin, s, wide, narrow);
}

INLINE void count_rows(const rows *r, int32_t u, int32_t end, int32_t first, sums *t, crossing how,
                       bool wide, bool narrow)
{
    const rows here = *r;
    rest rests[AT_ONCE];
    sums s = {.kept = t->kept, .rests = rests};
    for (; u < end; u++)
        count_row(&here, u, first, &s, how, wide, narrow);
    t->triangles += s.triangles + spl__eight_sum(s.common) + count_rest(r, rests, s.rest_count);
    t->bad |= s.bad;
    t->kept = s.kept;
}

/* One function for each kind of rows, so that none has another's branches. */
#define BLOCK(how, wide, narrow)                                                                   \
    static SPL__APART void block_##how##_##wide##_##narrow(const rows *r, int32_t u, int32_t end,  \
                                                           int32_t first, sums *t)                 \
    {                                                                                              \
        count_rows(r, u, end, first, t, how, wide, narrow);                                        \
    }
#define BLOCKS(how) BLOCK(how, 0, 0) BLOCK(how, 0, 1) BLOCK(how, 1, 0) BLOCK(how, 1, 1)
#define BLOCK_NAMES(how)                                                                           \
    {                                                                                              \
        {block_##how##_0_0, block_##how##_0_1},                                                    \
        {                                                                                          \
            block_##how##_1_0, block_##how##_1_1                                                   \
        }                                                                                          \
    }
BLOCKS(NONE)
BLOCKS(FEW)
BLOCKS(MANY)
static void (*const block_of[][2][2])(const rows *, int32_t, int32_t, int32_t, sums *) = {
    BLOCK_NAMES(NONE), BLOCK_NAMES(FEW), BLOCK_NAMES(MANY)};

/* Whether all entries were met. */
INLINE bool all_met(const rows *r, int32_t first, int32_t end, bool wide)
{
    int64_t left = 0;
    for (int32_t v = first; v < end; v++)
        left |= begin_of(r, v + 1, wide) - (int64_t)r->next[v];
    return left == 0;
}

/* Reads all rows of the range and counts. Its edges to earlier ranges are kept. */
static spl_status read_range(const rows *r, spl__account *account, range *of)
{
    enum { FEW_OF = AT_ONCE / 8 };
    spl__watch *watch = spl__account_watch(account);
    sums t = {0};
    crossing how = of->first == 0 ? NONE : FEW;
    for (int32_t u = of->first, end; u < of->end; u = end) {
        end = (int32_t)spl__min_i64(end_of(r, u), of->end);
        if (!spl__watch_goes_on(watch))
            return SPL_OK;
        if (how != NONE) {
            SPL__TRY(spl__crossing_reserve(
                &of->edges, account, 1 + begin_of(r, end, r->wide) - begin_of(r, u, r->wide)));
            t.kept = of->edges.last->edges + of->edges.last->count;
        }
        block_of[how][r->wide][r->narrow](r, u, end, of->first, &t);
        if (how != NONE) {
            const int64_t count = t.kept - of->edges.last->edges;
            how = count - of->edges.last->count > FEW_OF ? MANY : FEW;
            of->edges.last->count = count;
        }
    }
    of->triangles = t.triangles;
    of->read = t.bad == 0;
    return SPL_OK;
}

/* The edges of a list that lead to this range. */
static SPL__APART int32_t meet_kept(const rows *r, const range *of, const spl__crossing *edges,
                                    int64_t count)
{
    sums s = {0};
    uint32_t nowhere = 0;
    spl__crossing other;
    const uint32_t length = (uint32_t)of->end - (uint32_t)of->first;
    for (int64_t k = 0; k < count; k++) {
        const uint32_t at = (uint32_t)edges[k].to - (uint32_t)of->first;
        s.kept = &other;
        meet_or_keep(r, edges[k].from, edges[k].to, at < length, &s, &nowhere);
    }
    return s.bad;
}

/* Goes on with the cursors of ranges[which]: all later ones have been read. */
static void finish_range(const rows *r, spl__watch *watch, range *ranges, int which, int count)
{
    range *const of = &ranges[which];
    bool good = of->read;
    for (int k = which + 1; k < count && good; k++) {
        good = ranges[k].read;
        for (const spl__crossing_block *b = ranges[k].edges.first; b && good; b = b->next)
            good = spl__watch_goes_on(watch) && meet_kept(r, of, b->edges, b->count) == 0;
    }
    of->good = good && (r->wide ? all_met(r, of->first, of->end, true)
                                : all_met(r, of->first, of->end, false));
}

/* ---- whether it pays ---- */

/* Whether the offsets of rows first..end ascend: differences of others are negative. */
INLINE bool ascend(const rows *r, int32_t first, int32_t end, bool wide)
{
    int64_t all = 0;
    int32_t narrow = 0;
    for (int32_t v = first; wide && v < end; v++)
        all |= begin_of(r, v + 1, true) - begin_of(r, v, true);
    for (int32_t v = first; !wide && v < end; v++)
        narrow |= -(int32_t)(begin_of(r, v, false) > begin_of(r, v + 1, false));
    return all >= 0 && narrow >= 0;
}

/* Whether offsets ascend from 0 to the number of edges. */
static bool offsets_ascend(const rows *r, int threads)
{
    bool good = begin_of(r, 0, r->wide) == 0 && begin_of(r, r->n, r->wide) == r->edges;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static) reduction(&& : good)
    for (int32_t first = 0; first < r->n; first += AT_ONCE)
        good = good && (r->wide ? ascend(r, first, end_of(r, first), true)
                                : ascend(r, first, end_of(r, first), false));
    return good;
}

/* The rows from this one on are not followed by enough entries to be read eight at once. */
static int32_t followed(const rows *r)
{
    int32_t v = r->n;
    while (v > 0 && begin_of(r, v - 1, r->wide) + SPL__FEW_ENTRIES > r->edges)
        v--;
    return v;
}

/* ---- the whole ---- */

/* Threads take ranges, the last one first, so that whoever waits for a range waits for a thread. */
static void count_ranges(const rows *r, spl__account *account, range *ranges, int count,
                         spl__failure *failure)
{
    spl__turns read = {0};
    int taken = 0;
#pragma omp parallel num_threads(spl__team(count))
    for (int turn; (turn = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED)) < count;) {
        const int which = count - 1 - turn;
        spl__failure_note(failure, read_range(r, account, &ranges[which]));
        spl__turn_await(&read, turn);
        spl__turn_pass(&read, turn);
        finish_range(r, spl__account_watch(account), ranges, which, count);
    }
}

/* False in *good: see spl__count_in_short_rows. */
static spl_status count(const rows *r, spl__account *account, const spl__row_sample *sample,
                        int count, bool *good, int64_t *triangles)
{
    spl__failure failure = {0};
    range *ranges;
    SPL__TRY(SPL__NEW_ZERO(account, &ranges, count));
    for (int k = 0; k < count; k++) {
        ranges[k].first = spl__row_sample_cut(sample, r->n, k, count);
        ranges[k].end = spl__row_sample_cut(sample, r->n, k + 1, count);
    }
    count_ranges(r, account, ranges, count, &failure);
    *good = true;
    *triangles = 0;
    for (int k = 0; k < count; k++) {
        *good = *good && ranges[k].good;
        *triangles += ranges[k].triangles;
        spl__crossing_free(&ranges[k].edges);
    }
    spl__free(ranges);
    SPL__TRY(spl__watch_check(spl__account_watch(account)));
    return spl__failure_raise(&failure);
}

/* On one thread if there is no memory for edges between ranges. */
static spl_status count_lean(const rows *r, spl__account *account, const spl__row_sample *sample,
                             int threads, bool *good, int64_t *triangles)
{
    const spl_status status = count(r, account, sample, threads, good, triangles);
    return threads > 1 && (status == SPL_OUT_OF_MEMORY || status == SPL_OVER_BUDGET)
               ? count(r, account, sample, 1, good, triangles)
               : status;
}

spl_status spl__count_in_short_rows(spl__account *account, int threads, const spl_sparse *edges,
                                    bool *counted, int64_t *triangles)
{
    spl__row_sample sample;
    rows r = {.begin = edges->offsets,
              .to = edges->indices,
              .edges = edges->nnz,
              .n = (int32_t)edges->rows,
              .wide = edges->offset_type == SPL_I64};
    *counted = false;
    if (edges->format != SPL_CSR || edges->index_type != SPL_I32 || edges->rows != edges->cols ||
        edges->rows >= INT32_MAX || edges->nnz >= UINT32_MAX ||
        !offsets_ascend(&r, spl__threads_for(edges->rows / 16, threads)))
        return SPL_OK;
    spl__row_sample_take(&sample, &r);
    if (sample.shorter > FEW_STEPS)
        return SPL_OK;
    r.narrow = sample.narrow >= NARROW;
    r.followed = followed(&r);
    SPL__TRY(SPL__NEW(account, &r.next, r.n));
    const spl_status status = count_lean(&r, account, &sample, threads, counted, triangles);
    spl__free(r.next);
    return status;
}
