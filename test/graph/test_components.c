/* SPDX-License-Identifier: Apache-2.0 */
/* spl_graph_components against labels that spread over a table of all pairs. */
#include "lib/drawn_graph.h"

#include <string.h>

/* The least label that reaches a vertex, in whatever direction. */
static int64_t plain_components(const drawn_graph *g, int32_t *label)
{
    int64_t count = 0;
    bool changed = true;
    for (int32_t v = 0; v < g->n; v++)
        label[v] = v;
    while (changed) {
        changed = false;
        for (int64_t u = 0; u < g->n; u++)
            for (int64_t v = 0; v < g->n; v++)
                if ((g->edge[u][v] || g->edge[v][u]) && label[v] < label[u]) {
                    label[u] = label[v];
                    changed = true;
                }
    }
    for (int64_t v = 0; v < g->n; v++)
        count += label[v] == v;
    return count;
}

static void compare(drawn_graph *g)
{
    int32_t expected[DRAWN_MOST], label[DRAWN_MOST];
    int64_t wanted = plain_components(g, expected), count = -1;
    for (int k = 0; k < DRAWN_TEAMS; k++) {
        memset(label, 7, sizeof label);
        EXPECT_OK(spl_graph_components(g->graphs[k], label, &count));
        EXPECT(count == wanted && !memcmp(label, expected, (size_t)g->n * sizeof *label));
    }
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_components(NULL, label, &count));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_components(g->graphs[0], NULL, &count));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_graph_components(g->graphs[0], label, NULL));
}

static void directed_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_ANY, compare);
}

static void undirected_graphs(void **state)
{
    (void)state;
    drawn_graphs_each(100, DRAWN_UNDIRECTED, compare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(directed_graphs),
                                       cmocka_unit_test(undirected_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
