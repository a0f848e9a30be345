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

/* From a hub to all, and back from none: each edge but the first ones is read from there, by a
 * block of a device, which takes vertices with many. */
static void hub(void **state)
{
    enum { N = 2000 };
    int32_t offsets[N + 1], columns[N], label[N];
    spl_context *context = testing_context(2);
    spl_sparse view;
    spl_graph *graph;
    int64_t count = 0;
    (void)state;
    for (int32_t v = 0; v <= N; v++)
        offsets[v] = v > 7 ? N - 2 : 0;
    for (int32_t p = 0; p < N - 2; p++)
        columns[p] = p + 1 + (p >= 6); /* not 7 itself */
    view = drawn_pattern(N, offsets, columns);
    EXPECT_OK(spl_graph_create(context, &view, &graph));
    EXPECT_OK(spl_graph_components(graph, label, &count));
    EXPECT(count == 2 && label[0] == 0);
    for (int32_t v = 1; v < N; v++)
        EXPECT(label[v] == 1);
    spl_graph_destroy(graph);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(directed_graphs),
                                       cmocka_unit_test(undirected_graphs), cmocka_unit_test(hub)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
