/* SPDX-License-Identifier: Apache-2.0 */
/* SpMM of rows whose columns overlap, by teams of lanes on devices: rows are merged where that
 * pays, and only there; each keeps its own entries. */
#include "sparloom/measured.h"

#include "lib/block_matrices.h"
#include "lib/run_products.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char teams[] = "spmm/compute/gpu/teams";

static bool on_a_device(void)
{
    const char *methods[32];
    return testing_methods(teams, methods, 32) == 1;
}

/* The matrices of a test are small: they do not fill a device. */
static spl_context *ready_to_merge(void)
{
    spl_context *context = testing_context(1);
    EXPECT_OK(spl_machine_set(context, "gpu/spmm_merged_fills", 1e-9));
    return context;
}

static bool merges(spl_context *context, const spl_sparse *a, int64_t columns,
                   const spl_options *options)
{
    char text[16384];
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmm_plan(context, a, columns, options, &plan));
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    spl_plan_destroy(plan);
    return strstr(text, "their columns merged") != NULL;
}

/* Matrices of nodes of one size, holes in their blocks. */
typedef struct shape {
    const char *name;
    zoo_maker nodes;
    int size;
    uint64_t one_in; /* of the entries is missing; 0: none */
    enum { NEVER, MAYBE, ALWAYS } merged;
} shape;

static const shape shapes[] = {
    {"a grid", {"grid", zoo_box, {5, 5, 4, 1}, false}, 1, 0, MAYBE},
    {"a grid with gaps", {"grid", zoo_box, {6, 5, 4, 1}, false}, 1, 30, MAYBE},
    {"two unknowns, holes", {"nodes", zoo_box, {7, 6, 1, 1}, false}, 2, 10, MAYBE},
    {"three unknowns, holes", {"nodes", zoo_box, {4, 3, 2, 1}, false}, 3, 9, ALWAYS},
    {"five unknowns, many holes", {"nodes", zoo_box, {4, 3, 1, 1}, false}, 5, 4, ALWAYS},
    {"rows of very different lengths", {"nodes", zoo_half_empty, {60, 60, 5}, false}, 3, 9, NEVER},
    {"wide", {"nodes", zoo_uniform, {9, 300, 12}, false}, 4, 9, MAYBE},
    {"rows that have nothing in common", {"apart", zoo_uniform, {90, 9000, 6}, false}, 1, 0, NEVER},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void make(zoo_matrix *a, const shape *s, zoo_form form, void (*spoil)(zoo_triples *t))
{
    zoo_triples t;
    block_matrix(&t, &s->nodes, s->size, testing_seed());
    if (spoil)
        spoil(&t);
    if (s->one_in > 0)
        block_matrix_holes(&t, s->one_in, testing_seed() + 1);
    zoo_triples_fill(&t, ZOO_REAL, testing_seed() + 2);
    zoo_build(a, &t, form);
    zoo_triples_free(&t);
}

static spmm_run run_of(const spl_sparse *a, int64_t columns, int n)
{
    spmm_run run = {a,
                    columns,
                    SPL_ROW_MAJOR,
                    SPL_ROW_MAJOR,
                    n % 3,
                    SPL_OPTIONS_INIT,
                    testing_scalars(n % TEST_SCALARS),
                    false};
    run.order_b = n % 5 == 3 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
    run.order_c = n % 7 == 3 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
    run.options.method = teams;
    return run;
}

/* Where one lane has all of a row of B, reading more of A costs less than merging. */
static bool is_narrow(spl_type type, int64_t columns)
{
    const int64_t most = type == SPL_F64 ? 2 : type == SPL_F32 ? 4 : 8; /* 16 bytes */
    return columns <= most && (columns & (columns - 1)) == 0;
}

static void rows_keep_their_entries(void **state)
{
    static const int64_t columns[] = {1, 2, 7, 8, 24, 32, 33, 64, 130};
    static const spl_type types[] = {SPL_F64, SPL_F32, SPL_F16, SPL_BF16};
    enum { WIDTHS = sizeof columns / sizeof *columns };
    (void)state;
    spl_context *context = ready_to_merge();
    for (int s = 0; on_a_device() && s < SHAPES; s++)
        for (int n = s % testing_scale(); n < WIDTHS; n += testing_scale()) {
            zoo_matrix a;
            const zoo_form form = {SPL_CSR, types[(s + n) % 4], n % 2 ? SPL_I64 : SPL_I32, SPL_I32};
            make(&a, &shapes[s], form, NULL);
            testing_case("%s, %s, %lld columns", shapes[s].name, zoo_form_name(form),
                         (long long)columns[n]);
            spmm_run run = run_of(&a.view, columns[n], s + n);
            EXPECT(shapes[s].merged == MAYBE ||
                   merges(context, &a.view, columns[n], &run.options) ==
                       (shapes[s].merged == ALWAYS && !is_narrow(form.type, columns[n])));
            EXPECT_OK(run_spmm(context, &run));
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* Columns in no order, entries twice, odd rows. */
static void whatever_rows_look_like(void **state)
{
    (void)state;
    static const shape nodes = {"nodes", {"nodes", zoo_box, {5, 4, 2, 1}, false}, 3, 12, ALWAYS};
    spl_context *context = ready_to_merge();
    for (int fault = 0; on_a_device() && fault < block_fault_count; fault++) {
        zoo_matrix a;
        make(&a, &nodes, (zoo_form){SPL_CSR, SPL_F64, SPL_I32, SPL_I32}, block_faults[fault].spoil);
        testing_case("%s", block_faults[fault].name);
        spmm_run run = run_of(&a.view, 32, 2 * fault);
        EXPECT(merges(context, &a.view, 32, &run.options));
        EXPECT_OK(run_spmm(context, &run));
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* A row of B that only one row of a task uses must not affect the others, even if it contains
 * Inf. */
static void infinities_stay_where_they_belong(void **state)
{
    enum { COLUMNS = 40, SIDE = 5 };
    static const double odd[] = {INFINITY, -INFINITY, NAN, FLT_MAX};
    (void)state;
    spl_context *context = ready_to_merge();
    for (int i = 0; on_a_device() && i < 4; i++) {
        zoo_matrix a;
        make(&a, &shapes[3], (zoo_form){SPL_CSR, SPL_F32, SPL_I32, SPL_I32}, NULL);
        test_dense b = test_dense_new(a.view.cols, COLUMNS, SPL_F32, SPL_ROW_MAJOR, 0);
        test_dense c = test_dense_new(a.view.rows, COLUMNS, SPL_F32, SPL_ROW_MAJOR, 0);
        test_dense_fill(&b, ZOO_REAL, testing_seed());
        for (int64_t j = 0; j < a.view.cols; j += 11)
            test_dense_set(&b, j, i, odd[i]);
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        spl_check check = SPL_CHECK_INIT;
        options.method = teams;
        EXPECT(merges(context, &a.view, COLUMNS, &options));
        EXPECT_OK(spl_spmm_plan(context, &a.view, COLUMNS, &options, &plan));
        EXPECT_OK(spl_spmm_execute(plan, NULL, &b.view, NULL, &c.view, NULL));
        EXPECT_OK(spl_check_spmm(NULL, &a.view, &b.view, NULL, NULL, &c.view, &options, &check));
        testing_case("number %g: worst ratio %g at (%lld,%lld)", odd[i], check.worst_ratio,
                     (long long)check.worst_row, (long long)check.worst_col);
        EXPECT(check.ok == 1);
        spl_plan_destroy(plan);
        test_dense_free(&b);
        test_dense_free(&c);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* A copy of the structure that a single product would not pay for, and that a budget has no room
 * for, is not made; nor one that leaves the device too little. */
static void only_where_it_may(void **state)
{
    (void)state;
    spl_context *context = ready_to_merge();
    for (int i = 0; on_a_device() && i < 4; i++) {
        zoo_matrix a;
        spl_options options = SPL_OPTIONS_INIT;
        make(&a, &shapes[0], (zoo_form){SPL_CSR, SPL_F64, SPL_I32, SPL_I32}, NULL);
        options.method = teams;
        options.executions = i == 1 ? 1 : 0;
        options.memory_budget = i == 2 ? 1 << 24 : 0;
        if (i == 3)
            EXPECT_OK(spl_machine_set(context, "gpu/spmm_merged_fills", 0.5));
        testing_case("case %d", i);
        EXPECT(merges(context, &a.view, 32, &options) == (i == 0));
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_their_entries),
        cmocka_unit_test(whatever_rows_look_like),
        cmocka_unit_test(infinities_stay_where_they_belong),
        cmocka_unit_test(only_where_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
