/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of A that repeat the row before, as on meshes with several unknowns per node: their
 * columns of C are copied, which must be right also where rows of D differ; and the plan's
 * prediction for such matrices before it knows C. */
#include "lib/run_products.h"

#include <string.h>

enum { NODES = 40, UNKNOWNS = 3, N = NODES * UNKNOWNS, MAX_METHODS = 32 };

/* Nodes with 1 to 13 unknowns, one after the other: 91 of them. */
static int64_t uneven_node(int64_t i)
{
    int64_t node = 0;
    for (i %= 91; i > node; node++)
        i -= node + 1;
    return node;
}

/* All rows of a node are identical: the node, its neighbours, and one distant node. Nodes have
 * three unknowns, or are uneven. */
static void mesh(zoo_triples *t, bool uneven)
{
    zoo_triples_start(t, N, N);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            int64_t a = uneven ? uneven_node(i) : i / UNKNOWNS,
                    b = uneven ? uneven_node(j) : j / UNKNOWNS;
            if (b == a || b == a + 1 || b + 1 == a || b == (a * 7 + 3) % NODES)
                zoo_triples_add(t, i, j, 1 + (double)((i * 31 + j) % 7));
        }
}

/* D in every row (`kind` 0), in the first row of each node (1), identical in all rows of a node
 * (2). */
static void summand(zoo_triples *t, int kind)
{
    zoo_triples_start(t, N, N);
    for (int64_t i = 0; i < N; i++)
        if (kind != 1 || i % UNKNOWNS == 0)
            zoo_triples_add(t, i, kind == 2 ? N - 1 - i / UNKNOWNS : N - 1 - i, 0.5);
}

static void check(spl_context *context, const spl_sparse *a, const spl_sparse *d,
                  const char *method, size_t budget)
{
    spgemm_run run = {a, a, d, SPL_OPTIONS_INIT, testing_scalars_of(2, 3), false};
    run.options.method = method;
    run.options.memory_budget = budget;
    spl_status status = run_spgemm(context, &run);
    EXPECT(status == SPL_OK || (budget && status == SPL_OVER_BUDGET));
}

static void try_mesh(bool uneven)
{
    const char *methods[MAX_METHODS];
    int count = testing_methods("spgemm/", methods, MAX_METHODS);
    spl_context *context = testing_context(3);
    zoo_triples triples, summands;
    zoo_matrix a, d;
    mesh(&triples, uneven);
    const int step = testing_scale() > 1 ? 4 : 1;
    for (int form = 0; form < 9; form += step)
        for (int kind = -1; kind < 3; kind++) {
            zoo_build(&a, &triples, zoo_form_number(form));
            summand(&summands, kind < 0 ? 0 : kind);
            zoo_build(&d, &summands, zoo_form_number(form));
            for (int m = 0; m < count; m++) {
                testing_case("uneven %d, form %d, D %d, %s", uneven, form, kind, methods[m]);
                check(context, &a.view, kind < 0 ? NULL : &d.view, methods[m], 0);
            }
            zoo_matrix_free(&d);
            zoo_triples_free(&summands);
            zoo_matrix_free(&a);
        }
    zoo_triples_free(&triples);
    spl_context_destroy(context);
}

static void copied_rows_are_right(void **state)
{
    (void)state;
    try_mesh(false);
    try_mesh(true);
}

/* Keeps more than C: not where memory has a budget. */
static bool spends_freely(const char *method)
{
    return strstr(method, "holed_blocks") != NULL;
}

/* Lean mode finds rows twice, and copies the same ones. */
static void budgets(void **state)
{
    (void)state;
    const char *methods[MAX_METHODS];
    int count = testing_methods("spgemm/symbolic/", methods, MAX_METHODS);
    spl_context *context = testing_context(2);
    zoo_triples triples;
    zoo_matrix a;
    mesh(&triples, false);
    zoo_build(&a, &triples, zoo_form_number(0));
    for (int m = 0; m < count; m++)
        for (size_t budget = 4096; budget < 400000 && !spends_freely(methods[m]);
             budget += budget / 8) {
            testing_case("%s with %zu bytes", methods[m], budget);
            check(context, &a.view, NULL, methods[m], budget);
        }
    zoo_matrix_free(&a);
    zoo_triples_free(&triples);
    spl_context_destroy(context);
}

/* A grid in which all inner rows are equal up to a shift: a small sample represents them all. */
static void sampled_features(void **state)
{
    (void)state;
    static const zoo_maker grid = {"grid", zoo_box, {14, 13, 12, 2}, false};
    double first[4] = {0};
    static const char *const names[] = {"repeated_a", "compression_sampled", "pairs_sampled",
                                        "span_sampled"};
    zoo_matrix a;
    zoo_matrix_make(&a, &grid, zoo_form_number(0), testing_seed());
    for (int threads = 1; threads <= 4; threads += 3) {
        spl_context *context = testing_context(threads);
        spl_plan *plan = NULL;
        EXPECT_OK(spl_spgemm_plan(context, &a.view, &a.view, NULL, NULL, &plan));
        for (int n = 0; n < 4; n++) {
            testing_case("%s = %g", names[n], testing_feature(plan, names[n]));
            EXPECT(threads == 1 ||
                   first[n] ==
                       testing_feature(plan, names[n])); /* the same for any number of threads */
            first[n] = testing_feature(plan, names[n]);
        }
        double exact = testing_feature(plan, "compression");
        EXPECT(first[0] == 0.5);
        EXPECT(first[1] > exact / 1.5 && first[1] < exact * 1.5);
        EXPECT(first[2] > 0 && first[2] < 0.5);
        EXPECT(first[3] > 1 && first[3] <= (double)a.view.cols);
        spl_plan_destroy(plan);
        spl_context_destroy(context);
    }
    zoo_matrix_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copied_rows_are_right),
        cmocka_unit_test(budgets),
        cmocka_unit_test(sampled_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
