/* SPDX-License-Identifier: Apache-2.0 */
/* short_rows.c: the number of triangles of a graph with short rows, from the caller's arrays.
 *
 * Of u and each neighbour v < u the neighbours below v are merged: each w in both closes a triangle
 * w < v < u. The row of v is read on to u, the opposite edge. If it is always there and as many
 * edges lead up as down, the graph is undirected. So what is checked is read once, with what is
 * counted; nothing is copied or allocated. Costs the sum of squares of lengths of rows: where that
 * is much, edges are ordered by lengths first (vertex_triangles.c).
 * Source: S. Beamer, K. Asanovic, D. Patterson, The GAP benchmark suite, arXiv 1508.03619.
 * Differs: checks. */
#include "graph/short_rows.h"

#include "core/checked.h"
#include "core/team.h"

/* Mean length of rows, weighted by length, up to which they are short: of meshes with 11 this took
 * .8 of the time of the other way, with 14 1.1 to 1.2 (two threads of a Xeon, 2026-11-28). */
enum { SHORT = 12, AT_ONCE = 1024 };

typedef struct rows {
    const void *begin; /* n + 1 offsets of 64 or 32 bits */
    const int32_t *to;
    int32_t n;
    bool wide;
} rows;

typedef struct tally {
    int64_t down, up, triangles;
    bool good; /* rows ascend, and edges down have their opposites */
} tally;

#define INLINE static inline __attribute__((always_inline))

INLINE int64_t begin_of(const rows *r, int32_t v, bool wide)
{
    return wide ? ((const int64_t *)r->begin)[v] : ((const int32_t *)r->begin)[v];
}

/* Of the row other..end the triangles with own[0..few], and whether it has u: no branch for an
 * entry that is hard to foresee. */
INLINE bool match_few(const int32_t *other, const int32_t *end, const int32_t *own, int64_t few,
                      int32_t u, tally *t)
{
    bool back = false;
    for (; other < end; other++) {
        back |= *other == u;
        for (int64_t k = 0; k < few; k++)
            t->triangles += own[k] == *other;
    }
    return back;
}

/* The same with what of a row precedes v, which is in it and ends the search. */
INLINE bool merge(const int32_t *other, const int32_t *end, const int32_t *own, int32_t v,
                  int32_t u, tally *t)
{
    for (; other < end && *other < v; other++) {
        while (*own < *other)
            own++;
        t->triangles += *own == *other;
    }
    while (other < end && *other < u)
        other++;
    return other < end && *other == u;
}

/* The edge from u to *p, p in its row, which begins at `own`; false: it has no opposite. */
INLINE bool count_edge(const rows *r, int32_t u, const int32_t *own, const int32_t *p, tally *t,
                       bool wide)
{
    enum { FEW = 4 };
    const int32_t *const other = r->to + begin_of(r, *p, wide), *const end =
                                                                    r->to +
                                                                    begin_of(r, *p + 1, wide);
    return p - own <= FEW ? match_few(other, end, own, p - own, u, t)
                          : merge(other, end, own, *p, u, t);
}

INLINE bool count_row(const rows *r, int32_t u, tally *t, bool wide)
{
    const int32_t *const own = r->to + begin_of(r, u, wide),
                         *const end = r->to + begin_of(r, u + 1, wide), *p = own;
    int32_t last = -1;
    for (; p < end && *p < u; last = *p++)
        if (*p <= last || !count_edge(r, u, own, p, t, wide))
            return false;
    t->down += p - own;
    t->up += end - p - (p < end && *p == u);
    for (; p < end; last = *p++)
        if (*p <= last)
            return false;
    return last < r->n;
}

static int32_t end_of(const rows *r, int32_t first)
{
    return (int32_t)spl__min_i64(first + (int64_t)AT_ONCE, r->n);
}

static SPL__APART void count_block(const rows *r, int32_t first, tally *t)
{
    const int32_t end = end_of(r, first);
    for (int32_t u = first; t->good && u < end; u++)
        t->good = r->wide ? count_row(r, u, t, true) : count_row(r, u, t, false);
}

/* Of rows first..end whose offsets are in order the sum of squares of lengths; else, or if that is
 * too much, -1. */
INLINE int64_t sum_squares(const rows *r, int32_t first, int32_t end, bool wide)
{
    enum { LONG = 1 << 24 };
    uint64_t squares = 0;
    bool good = true;
    for (int32_t v = first; v < end; v++) {
        const int64_t length = begin_of(r, v + 1, wide) - begin_of(r, v, wide);
        good &= length >= 0 && length < LONG;
        squares += (uint64_t)length * (uint64_t)length;
    }
    return good ? (int64_t)squares : -1;
}

/* Whether offsets are in order and rows short. */
static bool are_short(const rows *r, int threads, int64_t edges)
{
    double squares = 0;
    bool good = begin_of(r, 0, r->wide) == 0 && begin_of(r, r->n, r->wide) == edges;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(static) reduction(+ : squares)   \
    reduction(&& : good)
    for (int32_t first = 0; first < r->n; first += AT_ONCE) {
        const int32_t end = end_of(r, first);
        const int64_t sum =
            r->wide ? sum_squares(r, first, end, true) : sum_squares(r, first, end, false);
        good = good && sum >= 0;
        squares += (double)sum;
    }
    return good && squares <= SHORT * (double)edges;
}

spl_status spl__count_in_short_rows(spl__account *account, int threads, const spl_sparse *edges,
                                    bool *counted, int64_t *triangles)
{
    spl__watch *watch = spl__account_watch(account);
    const rows r = {edges->offsets, edges->indices, (int32_t)edges->rows,
                    edges->offset_type == SPL_I64};
    int64_t down = 0, up = 0, found = 0;
    bool good = true;
    *counted = false;
    if (edges->format != SPL_CSR || edges->index_type != SPL_I32 || edges->rows != edges->cols ||
        edges->rows >= INT32_MAX || !are_short(&r, threads, edges->nnz))
        return SPL_OK;
#pragma omp parallel for num_threads(spl__team(threads)) schedule(dynamic, 1)                      \
    reduction(+ : down, up, found) reduction(&& : good)
    for (int32_t first = 0; first < r.n; first += AT_ONCE)
        if (spl__watch_goes_on(watch)) {
            tally t = {.good = true};
            count_block(&r, first, &t);
            down += t.down, up += t.up, found += t.triangles;
            good = good && t.good;
        }
    SPL__TRY(spl__watch_check(watch));
    *counted = good && down == up;
    *triangles = found;
    return SPL_OK;
}
