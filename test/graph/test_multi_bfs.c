/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_multi_bfs against ways that grow by an edge, over a table of all pairs. */
#include "lib/drawn_graph.h"

#include <stdlib.h>
#include <string.h>

static void plain_levels(const drawn_graph *g, int64_t source, int32_t *level)
{
    for (int64_t v = 0; v < g->n; v++)
        level[v] = v == source ? 0 : -1;
    for (int32_t far = 0; far < g->n; far++)
        for (int64_t u = 0; u < g->n; u++)
            for (int64_t v = 0; level[u] == far && v < g->n; v++)
                if (g->edge[u][v] && level[v] < 0)
                    level[v] = far + 1;
}

/* Up to three words of sources, some of them twice. */
static void compare(drawn_graph *g)
{
    enum { MOST = 150 };
    const int64_t count = g->n > 0 ? drawn_below(MOST) : 0;
    const size_t bytes = (size_t)(count * g->n) * sizeof(int32_t);
    int64_t sources[MOST] = {0};
    int32_t *expected = malloc(bytes + 1), *found = malloc(bytes + 1);
    for (int64_t k = 0; k < count; k++) {
        sources[k] = drawn_below(g->n);
        plain_levels(g, sources[k], expected + k * g->n);
    }
    for (int team = 0; team < DRAWN_TEAMS; team++) {
        memset(found, 7, bytes);
        EXPECT_OK(spl_graph_multi_bfs(g->graphs[team], sources, count, found));
        EXPECT(!memcmp(found, expected, bytes));
    }
    sources[0] = g->n;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_bfs(g->graphs[0], sources, 1, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_bfs(g->graphs[0], sources, -1, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_bfs(g->graphs[0], NULL, 0, found));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_bfs(g->graphs[0], sources, 0, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_multi_bfs(NULL, sources, 0, found));
    free(expected);
    free(found);
}

static void fresh_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(60, DRAWN_ANY, compare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
