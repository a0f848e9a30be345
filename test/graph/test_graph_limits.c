/* SPDX-License-Identifier: Apache-2.0 */
/* Algorithms on graphs when an allocation fails, when memory is short, and when they are cancelled:
 * the status says so, and nothing leaks. */
#include "core/watch.h"
#include "graph/adjacency.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"
#include "sparloom/graph.h"

enum { N = 60 };

static union {
    int32_t whole[N];
    int64_t wide[N];
    double real[N];
} results[2];

static spl_status call_bfs(spl_graph *graph)
{
    SPL__TRY(spl_graph_bfs(graph, 0, results[0].whole, NULL));
    return spl_graph_bfs(graph, 1, results[0].whole, results[1].whole);
}

static spl_status call_multi_bfs(spl_graph *graph)
{
    static int32_t levels[70 * N];
    int64_t sources[70];
    for (int64_t k = 0; k < 70; k++)
        sources[k] = k % N;
    return spl_graph_multi_bfs(graph, sources, 70, levels);
}

static spl_status call_components(spl_graph *graph)
{
    int64_t count;
    return spl_graph_components(graph, results[0].whole, &count);
}

static spl_status call_pagerank(spl_graph *graph)
{
    int32_t steps;
    return spl_graph_pagerank(graph, 0.85, 1e-3, 20, results[0].real, &steps);
}

static spl_status call_betweenness(spl_graph *graph)
{
    return spl_graph_betweenness(graph, NULL, 0, results[0].real);
}

static spl_status call_sssp(spl_graph *graph)
{
    return spl_graph_sssp_tree(graph, 0, 0, results[0].real, results[1].whole);
}

static spl_status call_multi_sssp(spl_graph *graph)
{
    static double distances[5 * N];
    const int64_t sources[] = {0, 7, 7, N - 1, 3};
    return spl_graph_multi_sssp(graph, sources, 5, 0, distances);
}

static spl_status call_triangles(spl_graph *graph)
{
    return graph->undirected ? spl_graph_vertex_triangles(graph, results[0].wide) : SPL_OK;
}

static spl_status call_rounds(spl_graph *graph)
{
    int64_t members;
    int32_t colours;
    if (!graph->undirected)
        return SPL_OK;
    SPL__TRY(spl_graph_independent_set(graph, results[0].whole, &members));
    return spl_graph_colouring(graph, results[0].whole, &colours);
}

static spl_status call_truss(spl_graph *graph)
{
    spl_matrix *truss;
    if (!graph->undirected)
        return SPL_OK;
    SPL__TRY(spl_graph_ktruss(graph, 3, &truss));
    spl_matrix_destroy(truss);
    return SPL_OK;
}

static const struct algorithm {
    const char *name;
    spl_status (*call)(spl_graph *graph);
} algorithms[] = {{"bfs", call_bfs},
                  {"multi_bfs", call_multi_bfs},
                  {"components", call_components},
                  {"pagerank", call_pagerank},
                  {"sssp", call_sssp},
                  {"multi_sssp", call_multi_sssp},
                  {"betweenness", call_betweenness},
                  {"triangles", call_triangles},
                  {"truss", call_truss},
                  {"rounds", call_rounds}};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static spl_status make_and_call(spl_context *context, const zoo_matrix *m, int algorithm)
{
    spl_graph *graph;
    SPL__TRY(spl_graph_create(context, &m->view, &graph));
    spl_status status = algorithms[algorithm].call(graph);
    spl_graph_destroy(graph);
    return status;
}

/* Directed or not, in a form that is copied or one that is borrowed. */
static void draw(zoo_matrix *m, int number)
{
    zoo_triples t;
    zoo_random random;
    zoo_random_seed(&random, testing_seed() + (uint64_t)number);
    zoo_triples_start(&t, N, N);
    for (int e = 0; e < 6 * N; e++) {
        int64_t i = zoo_random_below(&random, N), j = zoo_random_below(&random, N);
        zoo_triples_add(&t, i, j, e % 2);
        if (number % 2)
            zoo_triples_add(&t, j, i, e % 2);
    }
    zoo_build(m, &t, zoo_form_number(number));
    zoo_triples_free(&t);
}

/* Tries with more and more until it succeeds; `limit` says what is short. */
static void each_limit(void (*limit)(const zoo_matrix *m, int algorithm))
{
    const int64_t before = spl__graph_serial_work;
    spl__graph_serial_work = 0;
    for (int number = 0; number < ZOO_FORMS; number += 5)
        for (int a = 0; a < ALGORITHMS; a++) {
            zoo_matrix m;
            draw(&m, number);
            testing_case("%s, form %d", algorithms[a].name, number);
            limit(&m, a);
            zoo_matrix_free(&m);
        }
    spl__graph_serial_work = before;
}

typedef struct limited {
    spl_context *context;
    const zoo_matrix *m;
    int algorithm;
} limited;

static spl_status call_once(void *data)
{
    const limited *l = data;
    return make_and_call(l->context, l->m, l->algorithm);
}

static void fail_allocations(const zoo_matrix *m, int algorithm)
{
    hook_allocator hook;
    limited l = {.m = m, .algorithm = algorithm};
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &l.context));
    hook_fail_each(&hook, call_once, &l);
    spl_context_destroy(l.context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

/* The budget is kept, and one that is asked for suffices after few attempts. */
static void grow_budgets(const zoo_matrix *m, int algorithm)
{
    spl_status status = SPL_OVER_BUDGET;
    size_t budget = 1;
    for (int attempt = 0; status != SPL_OK; attempt++) {
        hook_allocator hook;
        spl_context *context;
        hook_start(&hook);
        EXPECT_OK(hook_context(&hook, 2, budget, &context));
        status = make_and_call(context, m, algorithm);
        EXPECT(status == SPL_OK || status == SPL_OVER_BUDGET);
        if (status != SPL_OK) {
            EXPECT(spl_error_bytes() > budget && attempt < 40);
            budget = spl_error_bytes();
        }
        spl_context_destroy(context);
        EXPECT(hook_clean(&hook));
        hook_stop(&hook);
    }
}

static int cancel(void *user, const char *stage, int64_t done, int64_t total)
{
    long long *left = user;
    (void)stage;
    (void)done;
    (void)total;
    return (*left)-- == 0;
}

static void cancel_reports(const zoo_matrix *m, int algorithm)
{
    hook_allocator hook;
    spl_status status = SPL_CANCELLED;
    spl_context_options o = SPL_CONTEXT_OPTIONS_INIT;
    spl_context *context;
    long long left = 0, reports = 0;
    hook_start(&hook);
    o.threads = 2;
    o.allocator = hook_as_allocator(&hook);
    o.progress = cancel;
    o.progress_user = &left;
    EXPECT_OK(spl_context_create(&o, &context));
    const size_t live = hook.live;
    for (; status != SPL_OK; reports++) {
        left = reports;
        status = make_and_call(context, m, algorithm);
        EXPECT(status == SPL_OK || status == SPL_CANCELLED);
        EXPECT(hook.live == live && reports < 10000);
    }
    EXPECT(reports > 2);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
}

static void allocations_fail(void **state)
{
    (void)state;
    each_limit(fail_allocations);
}

static void budgets_are_short(void **state)
{
    (void)state;
    each_limit(grow_budgets);
}

static void calls_are_cancelled(void **state)
{
    const double before = spl__watch_seconds;
    (void)state;
    spl__watch_seconds = 0;
    each_limit(cancel_reports);
    spl__watch_seconds = before;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_fail),
                                       cmocka_unit_test(budgets_are_short),
                                       cmocka_unit_test(calls_are_cancelled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
