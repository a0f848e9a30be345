/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_colouring and spl_graph_independent_set: what they promise, over all pairs; and the
 * decisions of one vertex after the other, which all threads and devices make. */
#include "graph/priority.h"
#include "lib/drawn_graph.h"

#include <string.h>

/* The least colour that is free: neighbours have all smaller ones, none has the same. */
static void expect_colouring(const drawn_graph *g, const int32_t *colour, int32_t count)
{
    int32_t most = 0;
    for (int64_t v = 0; v < g->n; v++) {
        bool taken[DRAWN_MOST] = {false};
        for (int64_t u = 0; u < g->n; u++)
            if (u != v && g->edge[v][u])
                taken[colour[u]] = true;
        EXPECT(colour[v] >= 0 && !taken[colour[v]]);
        for (int32_t c = 0; c < colour[v]; c++)
            EXPECT(taken[c]);
        most = colour[v] + 1 > most ? colour[v] + 1 : most;
    }
    EXPECT(count == most);
}

/* No two members are neighbours, and who is none has a member next to it. */
static void expect_set(const drawn_graph *g, const int32_t *member, int64_t count)
{
    int64_t members = 0;
    for (int64_t v = 0; v < g->n; v++) {
        int64_t near = 0;
        for (int64_t u = 0; u < g->n; u++)
            near += u != v && g->edge[v][u] && member[u];
        EXPECT(member[v] == (near == 0));
        members += member[v];
    }
    EXPECT(count == members);
}

/* Colours, or members, of vertices in order: of those before it that a neighbour has. */
static void decide_in_turn(const drawn_graph *g, bool by_edges, int32_t *decision)
{
    int64_t edges[DRAWN_MOST] = {0};
    for (int64_t v = 0; v < g->n; v++) {
        decision[v] = -1;
        for (int64_t u = 0; u < g->n; u++)
            edges[v] += g->edge[v][u];
    }
    for (int64_t turn = 0; turn < g->n; turn++) {
        bool taken[DRAWN_MOST + 1] = {false};
        int32_t next = -1, colour = 0;
        for (int32_t v = 0; v < g->n; v++)
            if (decision[v] < 0 &&
                (next < 0 || spl__precedes(by_edges, v, edges[v], next, edges[next])))
                next = v;
        for (int64_t u = 0; u < g->n; u++)
            if (u != next && g->edge[next][u] && decision[u] >= 0)
                taken[decision[u]] = true;
        while (taken[colour])
            colour++;
        decision[next] = by_edges ? colour : !taken[1];
    }
}

static void compare(drawn_graph *g)
{
    const size_t bytes = (size_t)g->n * sizeof(int32_t);
    int32_t colour[DRAWN_TEAMS][DRAWN_MOST], member[DRAWN_TEAMS][DRAWN_MOST], colours;
    int32_t colour_in_turn[DRAWN_MOST], member_in_turn[DRAWN_MOST];
    int64_t members;
    decide_in_turn(g, true, colour_in_turn);
    decide_in_turn(g, false, member_in_turn);
    for (int k = 0; k < DRAWN_TEAMS; k++) {
        memset(colour[k], 7, sizeof colour[k]);
        memset(member[k], 7, sizeof member[k]);
        EXPECT_OK(spl_graph_colouring(g->graphs[k], colour[k], &colours));
        EXPECT_OK(spl_graph_independent_set(g->graphs[k], member[k], &members));
        expect_colouring(g, colour[k], colours);
        expect_set(g, member[k], members);
        EXPECT(!memcmp(colour[k], colour_in_turn, bytes));
        EXPECT(!memcmp(member[k], member_in_turn, bytes));
    }
    spl_graph *graph = g->graphs[0];
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_colouring(NULL, colour[0], &colours));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_colouring(graph, NULL, &colours));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_colouring(graph, colour[0], NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_independent_set(NULL, member[0], &members));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_independent_set(graph, NULL, &members));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_independent_set(graph, member[0], NULL));
}

static void fresh_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_UNDIRECTED, compare);
}

static void refuse(drawn_graph *g)
{
    int32_t found[DRAWN_MOST], colours;
    int64_t members;
    bool undirected = true;
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t v = 0; v < g->n; v++)
            undirected &= g->edge[u][v] == g->edge[v][u];
    if (undirected)
        return;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_colouring(g->graphs[0], found, &colours));
    EXPECT(strstr(spl_error_detail(), "there is an edge from "));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_independent_set(g->graphs[0], found, &members));
    EXPECT(strstr(spl_error_detail(), "there is an edge from "));
}

static void directed_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(60, DRAWN_ANY, refuse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_graphs),
                                       cmocka_unit_test(directed_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
