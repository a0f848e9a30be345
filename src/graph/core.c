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
    uint8_t *left; /* of each vertex: whether it is left */
    int32_t *list; /* those that are, ascending */
    int64_t count; /* of them */
} peeling;

static void look_at_lengths(peeling *s)
{
    s->count = 0;
    for (int32_t v = 0; v < s->g->vertices; v++) {
        s->left[v] = spl__arcs_of(&s->g->out, v) >= s->least;
        s->list[s->count] = v; /* overwritten unless it is left: hard to foresee */
        s->count += s->left[v];
    }
}

/* The edges of u to others that are left. */
static int64_t degree_of(const peeling *s, int32_t u)
{
    const spl__arcs out = s->g->out;
    int64_t degree = 0;
    for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++)
        degree += s->left[out.to[p]] && out.to[p] != u;
    return degree;
}

/* Returns the edges of those that are left, or more. */
static int64_t take_away(peeling *s)
{
    int64_t kept = 0, edges = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const int32_t u = s->list[k];
        const int64_t degree = degree_of(s, u);
        s->left[u] = degree >= s->least;
        s->list[kept] = u;
        kept += s->left[u];
        edges += s->left[u] ? degree : 0;
    }
    s->count = kept;
    return edges;
}

/* What is left, sorted as the graph is. */
static void copy_rest(const peeling *s, spl__core *core)
{
    const spl__arcs out = s->g->out;
    int32_t next = 0; /* the first vertex whose row has not begun */
    core->edges = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const int32_t u = s->list[k];
        while (next <= u)
            core->begin[next++] = core->edges;
        for (int64_t p = out.begin[u]; p < out.begin[u + 1]; p++) {
            core->to[core->edges] = out.to[p]; /* as above */
            core->edges += s->left[out.to[p]] && out.to[p] != u;
        }
    }
    while (next <= s->g->vertices)
        core->begin[next++] = core->edges;
}

static spl_status peel(peeling *s, spl__account *account, spl__core *core)
{
    enum { MANY = 16 }; /* such a part of those that are left */
    const int64_t n = s->g->vertices;
    int64_t before, edges;
    SPL__TRY(SPL__NEW(account, &s->left, n));
    SPL__TRY(SPL__NEW(account, &s->list, n + 1));
    look_at_lengths(s);
    do {
        before = s->count;
        edges = take_away(s);
    } while (before - s->count > s->count / MANY);
    SPL__TRY(SPL__NEW(account, &core->begin, n + 1));
    SPL__TRY(SPL__NEW(account, &core->to, edges + 1)); /* copy_rest */
    copy_rest(s, core);
    return SPL_OK;
}

spl_status spl__graph_core(const spl_graph *g, spl__account *account, int64_t least,
                           spl__core *core)
{
    peeling s = {.g = g, .least = least};
    *core = (spl__core){0};
    spl_status status = peel(&s, account, core);
    spl__free(s.left);
    spl__free(s.list);
    return status;
}

void spl__core_free(spl__core *core)
{
    spl__free(core->begin);
    spl__free(core->to);
    *core = (spl__core){0};
}
