/* SPDX-License-Identifier: Apache-2.0 */
/* core.c: vertices with too few edges to others that are left are taken away, round by round, as
 * long as many are. Of networks of roads or wires hardly any is left after the first look, which
 * reads no edge.
 * Source: V. Batagelj, M. Zaversnik, An O(m) algorithm for cores decomposition of networks, arXiv
 * cs/0310049, 2003. Differs: by rounds; the last few vertices stay. */
#include "graph/core.h"

typedef struct peeling {
    const spl_graph *g;
    int64_t least;
    int32_t *number; /* of each vertex: 0 or more if it is left, then its number; else -1 */
    spl__core *core; /* its vertices are those that are left */
} peeling;

static void look_at_lengths(peeling *s)
{
    int32_t kept = 0;
    for (int32_t v = 0; v < s->g->vertices; v++) {
        const bool left = spl__arcs_of(&s->g->out, v) >= s->least;
        s->number[v] = left ? 0 : -1;
        s->core->vertices[kept] = v; /* overwritten unless it is left: hard to foresee */
        kept += left;
    }
    s->core->count = kept;
}

/* The edges of u to others that are left. */
static int64_t degree_of(const peeling *s, int32_t u)
{
    const spl__arcs out = s->g->out;
    int64_t degree = 0;
    for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++)
        degree += s->number[out.to[p]] >= 0 && out.to[p] != u;
    return degree;
}

/* Takes vertices away; returns the edges of those that are left, or more. */
static int64_t peel_once(peeling *s)
{
    int64_t edges = 0;
    int32_t kept = 0;
    for (int32_t k = 0; k < s->core->count; k++) {
        const int32_t u = s->core->vertices[k];
        const int64_t degree = degree_of(s, u);
        const bool left = degree >= s->least;
        s->number[u] = left ? 0 : -1;
        s->core->vertices[kept] = u;
        kept += left;
        edges += left ? degree : 0;
    }
    s->core->count = kept;
    return edges;
}

/* What is left, sorted as the graph is. */
static void copy_rest(const peeling *s)
{
    const spl__arcs out = s->g->out;
    spl__core *core = s->core;
    for (int32_t k = 0; k < core->count; k++)
        s->number[core->vertices[k]] = k;
    core->edges = 0;
    for (int32_t k = 0; k < core->count; k++) {
        const int32_t u = core->vertices[k];
        core->begin[k] = core->edges;
        for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
            const int32_t number = s->number[out.to[p]];
            core->to[core->edges] = number; /* as above */
            core->edges += number >= 0 && number != k;
        }
    }
    core->begin[core->count] = core->edges;
}

static spl_status peel(peeling *s, spl__account *account)
{
    enum { MANY = 16 }; /* such a part of those that are left */
    const int64_t n = s->g->vertices;
    int32_t before;
    int64_t edges;
    SPL__TRY(SPL__NEW(account, &s->number, n));
    SPL__TRY(SPL__NEW(account, &s->core->vertices, n + 1)); /* look_at_lengths */
    look_at_lengths(s);
    do {
        before = s->core->count;
        edges = peel_once(s);
    } while (before - s->core->count > s->core->count / MANY);
    SPL__TRY(SPL__NEW(account, &s->core->begin, s->core->count + (int64_t)1));
    SPL__TRY(SPL__NEW(account, &s->core->to, edges + 1)); /* copy_rest */
    copy_rest(s);
    return SPL_OK;
}

spl_status spl__graph_core(const spl_graph *g, spl__account *account, int64_t least,
                           spl__core *core)
{
    peeling s = {.g = g, .least = least, .core = core};
    *core = (spl__core){0};
    spl_status status = peel(&s, account);
    spl__free(s.number);
    return status;
}

void spl__core_free(spl__core *core)
{
    spl__free(core->vertices);
    spl__free(core->begin);
    spl__free(core->to);
    *core = (spl__core){0};
}
