/* SPDX-License-Identifier: Apache-2.0 */
/* short_rows.c: the number of triangles of a graph with few edges, from the caller's arrays.
 *
 * Of u and each neighbour v < u the neighbours w < v of both are counted: each closes a triangle.
 * That each edge has its opposite is seen on the way: as u ascends, the entries of row v beyond v
 * are met in turn, so a cursor for each vertex says which is due. If all are met, each when it was
 * due, the graph is undirected and its rows ascend beyond the diagonal; nothing is searched.
 * Several threads take ranges of vertices. Opposites of edges from one range to an earlier one are
 * searched; if all are found, and as many lead up as down, those are all.
 * Cost: the sum over edges of the shorter row, in the caller's order; where that is much, edges are
 * ordered by lengths first (vertex_triangles.c). Memory: a cursor for each vertex.
 * Source: S. Beamer, K. Asanovic, D. Patterson, The GAP benchmark suite, arXiv 1508.03619.
 * Differs: checks; entries are compared in blocks, not merged. */
#include "graph/short_rows.h"

#include "core/threads/team.h"
#include "core/threads/team_seconds.h"
#include "graph/common_entries.h"

/* The mean over edges of the shorter row up to which this is chosen. */
static const double FEW_STEPS = 6;
/* Later ranges search more: with two for each thread the first and the last go together. */
enum { AT_ONCE = 1024, HINTS = 256, RANGES_PER_THREAD = 2 };

typedef struct rows {
    const void *begin; /* n + 1 offsets of 64 or 32 bits */
    const int32_t *to;
    uint32_t *next; /* of each vertex the entry that is due: the position in `to` */
    int64_t edges;
    int32_t n;
    bool wide;
} rows;

/* Where in the row of v to look first for what is searched next. */
typedef struct hint {
    int32_t v;
    int64_t next;
} hint;

/* Of a range, or of a block of its rows, in registers. */
typedef struct sums {
    int64_t triangles;
    int64_t down, up;         /* edges that lead from the range to earlier ones, to later ones */
    int64_t opposites;        /* those of `down` that were found */
    spl__eight common, edges; /* more triangles and opposites, of short rows */
    int32_t bad;              /* not 0: rows do not ascend, or an edge has no opposite */
} sums;

#define INLINE static inline __attribute__((always_inline))

INLINE int64_t begin_of(const rows *r, int32_t v, bool wide)
{
    return wide ? ((const int64_t *)r->begin)[v] : ((const int32_t *)r->begin)[v];
}

INLINE int64_t length_of(const rows *r, int32_t v, bool wide)
{
    return begin_of(r, v + 1, wide) - begin_of(r, v, wide);
}

static int32_t end_of(const rows *r, int32_t first)
{
    return (int32_t)spl__min_i64(first + (int64_t)AT_ONCE, r->n);
}

/* ---- counting ---- */

typedef struct row {
    const int32_t *to;
    int64_t length, stored; /* of the row, and with all that follow it */
} row;

INLINE row row_of(const rows *r, int32_t v, bool wide)
{
    const int64_t begin = begin_of(r, v, wide);
    return (row){r->to + begin, begin_of(r, v + 1, wide) - begin, r->edges - begin};
}

INLINE bool is_short(row of)
{
    return of.length <= SPL__FEW_ENTRIES && of.stored >= SPL__FEW_ENTRIES;
}

/* Triangles of the `count` neighbours of a vertex below it. */
INLINE void count_pairs(const rows *r, const int32_t *own, int64_t count, sums *s, bool wide)
{
    for (int64_t k = 1; k < count; k++) {
        const row other = row_of(r, own[k], wide);
        if (is_short(other) && k <= SPL__FEW_ENTRIES) {
            const spl__eight entries = spl__eight_at(other.to),
                             counted = spl__eight_first(other.length);
            for (int64_t i = 0; i < k; i++)
                spl__eight_compare(&s->common, entries, counted, own[i]);
        } else {
            s->triangles += spl__common_entries(own, k, other.to, other.length, other.stored);
        }
    }
}

/* Whether u is in a long row, that of v: often next to what was found last. */
static SPL__APART bool find_in_long(hint *hints, int32_t u, int32_t v, row of)
{
    hint *h = &hints[(uint32_t)v % HINTS];
    if (h->v != v || h->next >= of.length || of.to[h->next] != u)
        *h = (hint){v, spl__row_search(of.to, of.length, u)};
    const bool found = h->next < of.length && of.to[h->next] == u;
    h->next += found;
    return found;
}

/* Counts the edge down from u to v, of an earlier range, whose row another thread may read. */
INLINE void find_opposite(const rows *r, int32_t u, int32_t v, sums *s, hint *hints, bool wide)
{
    enum { FEW = SPL__FEW_ENTRIES };
    const row other = row_of(r, v, wide);
    s->down++;
    if (is_short(other)) {
        spl__eight_compare(&s->edges, spl__eight_at(other.to), spl__eight_first(other.length), u);
    } else if (other.length <= 2 * FEW && other.stored >= 2 * FEW) {
        spl__eight_compare(&s->edges, spl__eight_at(other.to),
                           spl__eight_first(spl__min_i64(other.length, FEW)), u);
        spl__eight_compare(&s->edges, spl__eight_at(other.to + FEW),
                           spl__eight_first(spl__max_i64(other.length - FEW, 0)), u);
    } else {
        s->opposites += find_in_long(hints, u, v, other);
    }
}

/* Vertex u of a range that begins with `first`: of its neighbour v in the range u is the entry that
 * is due. A cursor that leaves its row, in a directed graph, stays below the entry that is read. */
INLINE void count_row(const rows *r, int32_t u, int32_t first, sums *s, hint *hints, bool wide)
{
    const int64_t begin = begin_of(r, u, wide), end = begin_of(r, u + 1, wide);
    const int32_t *const to = r->to;
    int64_t p = begin;
    for (int32_t last = -1; p < end && (uint32_t)to[p] < (uint32_t)u; last = to[p++]) {
        s->bad |= to[p] <= last;
        if (first == 0 || to[p] >= first)
            s->bad |= to[r->next[to[p]]++] ^ u;
        else
            find_opposite(r, u, to[p], s, hints, wide);
    }
    r->next[u] = (uint32_t)(p + (p < end && to[p] == u));
    if (p - begin > 1)
        count_pairs(r, to + begin, p - begin, s, wide);
}

INLINE void count_rows(const rows *r, int32_t u, int32_t end, int32_t first, sums *t, hint *hints,
                       bool wide)
{
    const rows here = *r;
    sums s = {0};
    for (; u < end; u++)
        count_row(&here, u, first, &s, hints, wide);
    t->triangles += s.triangles + spl__eight_sum(s.common);
    t->down += s.down;
    t->opposites += s.opposites + spl__eight_sum(s.edges);
    t->bad |= s.bad;
}

static SPL__APART void count_block(const rows *r, int32_t u, int32_t end, int32_t first, sums *t,
                                   hint *hints)
{
    if (r->wide && first == 0) /* no edge leads from this range to an earlier one */
        count_rows(r, u, end, 0, t, hints, true);
    else if (r->wide)
        count_rows(r, u, end, first, t, hints, true);
    else if (first == 0)
        count_rows(r, u, end, 0, t, hints, false);
    else
        count_rows(r, u, end, first, t, hints, false);
}

/* What was not met in the rows first..end of a block leads beyond the range. */
INLINE void look_beyond(const rows *r, int32_t first, int32_t end, int32_t range_end, sums *t,
                        bool wide)
{
    int64_t left = 0;
    for (int32_t v = first; v < end; v++)
        left |= begin_of(r, v + 1, wide) - (int64_t)r->next[v];
    t->bad |= left < 0;
    for (int32_t v = first; left > 0 && v < end; v++) {
        const int64_t stop = begin_of(r, v + 1, wide);
        int32_t last = range_end - 1;
        for (int64_t p = r->next[v]; p < stop; last = r->to[p++], t->up++)
            t->bad |= r->to[p] <= last || r->to[p] >= r->n;
    }
}

static void count_range(const rows *r, spl__watch *watch, int32_t first, int32_t end, sums *t)
{
    hint hints[HINTS] = {0};
    int32_t u = first;
    for (; u < end && !t->bad; u = end_of(r, u))
        if (spl__watch_goes_on(watch))
            count_block(r, u, (int32_t)spl__min_i64(end_of(r, u), end), first, t, hints);
    for (u = first; u < end && !t->bad && spl__watch_goes_on(watch); u = end_of(r, u)) {
        const int32_t stop = (int32_t)spl__min_i64(end_of(r, u), end);
        if (r->wide)
            look_beyond(r, u, stop, end, t, true);
        else
            look_beyond(r, u, stop, end, t, false);
    }
}

/* The first vertex from whose row on at most part/parts of the entries precede. */
static int32_t cut(const rows *r, int part, int parts)
{
    int32_t first = 0, end = r->n;
    const int64_t entry = (int64_t)((double)r->edges * part / parts);
    if (part == parts)
        return r->n;
    while (first < end) {
        const int32_t middle = first + (end - first) / 2;
        if (begin_of(r, middle, r->wide) < entry)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* ---- whether it pays ---- */

/* Whether the offsets of rows first..end ascend: differences of others are negative. */
INLINE bool ascend(const rows *r, int32_t first, int32_t end, bool wide)
{
    int64_t all = 0;
    int32_t narrow = 0;
    for (int32_t v = first; wide && v < end; v++)
        all |= length_of(r, v, true);
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

/* Of a sample of rows. */
static bool are_few_steps(const rows *r)
{
    enum { STRIDE = 29 };
    int64_t steps = 0, edges = 0;
    for (int64_t u = STRIDE / 2; u < r->n; u += STRIDE) {
        const int64_t begin = begin_of(r, (int32_t)u, r->wide),
                      end = begin_of(r, (int32_t)u + 1, r->wide);
        for (int64_t p = begin; p < end && r->to[p] >= 0 && r->to[p] < u; p++, edges++)
            steps += spl__min_i64(p - begin, length_of(r, r->to[p], r->wide));
    }
    return (double)steps <= FEW_STEPS * (double)edges;
}

/* ---- the whole ---- */

static spl_status count(const rows *r, spl__account *account, int threads, bool *counted,
                        int64_t *triangles)
{
    spl__watch *watch = spl__account_watch(account);
    const int ranges = threads > 1 ? RANGES_PER_THREAD * threads : 1;
    int64_t down = 0, up = 0, opposites = 0, found = 0;
    bool bad = false;
    /* the last, which search most, first */
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic, 1)                      \
    reduction(+ : down, up, opposites, found) reduction(|| : bad)
    for (int k = ranges - 1; k >= 0; k--) {
        sums t = {0};
        count_range(r, watch, cut(r, k, ranges), cut(r, k + 1, ranges), &t);
        down += t.down, up += t.up, opposites += t.opposites, found += t.triangles;
        bad = bad || t.bad;
    }
    SPL__TRY(spl__watch_check(watch));
    *counted = !bad && down == up && opposites == down;
    *triangles = found;
    return SPL_OK;
}

spl_status spl__count_in_short_rows(spl__account *account, int threads, const spl_sparse *edges,
                                    bool *counted, int64_t *triangles)
{
    rows r = {edges->offsets, edges->indices,       NULL,
              edges->nnz,     (int32_t)edges->rows, edges->offset_type == SPL_I64};
    *counted = false;
    if (edges->format != SPL_CSR || edges->index_type != SPL_I32 || edges->rows != edges->cols ||
        edges->rows >= INT32_MAX || edges->nnz >= UINT32_MAX ||
        !offsets_ascend(&r, spl__threads_for(edges->rows / 16, threads)) || !are_few_steps(&r))
        return SPL_OK;
    SPL__TRY(SPL__NEW(account, &r.next, r.n));
    const spl_status status = count(&r, account, threads, counted, triangles);
    spl__free(r.next);
    return status;
}
