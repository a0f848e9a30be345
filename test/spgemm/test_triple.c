/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha*op(P)'*op(A)*op(P): structure, values within the bound of triple.h, nodes of several
 * unknowns, new values, threads, memory, and what is refused. On a device: operands on the host. */
#include "sparloom/triple.h"

#include "core/watch.h"
#include "lib/block_matrices.h"
#include "lib/cancelling.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the specification ---- */

typedef struct element {
    long double value, magnitude;
    int64_t terms;         /* products that it is the sum of */
    int64_t sums, longest; /* of a product: what is added up, the most terms of one */
} element;

/* op(M) as an array of elements by rows. */
static element *dense(const spl_sparse *m, bool transposed, int64_t *rows, int64_t *cols)
{
    zoo_triples t;
    zoo_triples_of_view(&t, m);
    if (transposed)
        zoo_triples_transpose(&t);
    element *d = calloc((size_t)(t.rows * t.cols) + 1, sizeof *d);
    for (int64_t p = 0; p < t.nnz; p++) {
        element *e = &d[t.i[p] * t.cols + t.j[p]];
        e->value += t.v[p];
        e->magnitude += fabs(t.v[p]);
        e->terms++;
    }
    *rows = t.rows;
    *cols = t.cols;
    zoo_triples_free(&t);
    return d;
}

/* left (rows x inner, transposed if `across`) times right (inner x cols). `sums_first`: elements of
 * the left factor are sums, else those of the right one. */
static element *multiply(const element *left, bool across, const element *right, int64_t rows,
                         int64_t inner, int64_t cols, bool sums_first)
{
    element *c = calloc((size_t)(rows * cols) + 1, sizeof *c);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < inner; k++) {
            const element *a = &left[across ? k * rows + i : i * inner + k];
            for (int64_t j = 0; a->terms && j < cols; j++) {
                const element *b = &right[k * cols + j], *sum = sums_first ? a : b,
                              *factor = sums_first ? b : a;
                element *e = &c[i * cols + j];
                if (!b->terms)
                    continue;
                e->value += a->value * b->value;
                e->magnitude += a->magnitude * b->magnitude;
                e->terms += a->terms * b->terms;
                e->sums += factor->terms;
                e->longest = sum->terms > e->longest ? sum->terms : e->longest;
            }
        }
    return c;
}

typedef struct product {
    const spl_sparse *a, *p;
    spl_options options;
    double alpha;
} product;

static void expect_element(const product *x, const element *e, double value)
{
    const double unit = x->a->type == SPL_F64 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
    const double k = (double)(e->longest + e->sums + 3), gamma = k * unit / (1 - k * unit);
    const long double exact = (long double)x->alpha * e->value;
    EXPECT(fabsl(exact - value) <= 2 * gamma * fabsl(x->alpha * e->magnitude));
}

/* Is A*P computed first? */
static bool ap_first(const spl_plan *plan)
{
    char text[32768];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    return testing_device() || strstr(text, "of rows of A*P");
}

/* C of the plan, whose values are given, against the specification. */
static void expect_right(const product *x, spl_plan *plan, const void *values)
{
    const bool of_ap = ap_first(plan);
    int64_t n, rows_p, cols, inner;
    element *a = dense(x->a, x->options.op_a != SPL_NONE, &n, &inner),
            *p = dense(x->p, x->options.op_b != SPL_NONE, &rows_p, &cols),
            *middle = of_ap ? multiply(a, false, p, n, n, cols, true)
                            : multiply(p, true, a, cols, n, n, true),
            *c = of_ap ? multiply(p, true, middle, cols, n, cols, false)
                       : multiply(middle, false, p, cols, n, cols, true);
    spl_result r = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &r));
    EXPECT(r.exact && r.rows == cols && r.cols == cols && r.type == x->a->type);
    void *offsets = zoo_allocate((size_t)(cols + 1) * zoo_index_bytes(r.offset_type)),
         *columns = zoo_allocate((size_t)r.nnz * zoo_index_bytes(r.index_type));
    EXPECT_OK(spl_spgemm_export(plan, offsets, columns, NULL, NULL));
    int64_t count = 0;
    for (int64_t i = 0; i < cols; i++) {
        EXPECT(zoo_index_at(offsets, r.offset_type, i) == count);
        for (int64_t j = 0; j < cols; j++) {
            if (!c[i * cols + j].terms)
                continue;
            EXPECT(count < r.nnz && zoo_index_at(columns, r.index_type, count) == j);
            expect_element(x, &c[i * cols + j], zoo_value_at(values, r.type, count++));
        }
    }
    EXPECT(count == r.nnz && zoo_index_at(offsets, r.offset_type, cols) == count);
    free(a), free(p), free(middle), free(c), free(offsets), free(columns);
}

static void *execute(const product *x, spl_plan *plan)
{
    spl_result r = SPL_RESULT_INIT;
    double storage;
    EXPECT_OK(spl_spgemm_result(plan, &r));
    void *values = zoo_allocate((size_t)r.nnz * zoo_type_bytes(r.type));
    memset(values, 255, (size_t)r.nnz * zoo_type_bytes(r.type));
    zoo_value_set(&storage, r.type, 0, x->alpha);
    EXPECT_OK(spl_spgemm_execute(plan, &storage, NULL, values, NULL));
    return values;
}

static void expect_execution(const product *x, spl_plan *plan)
{
    void *values = execute(x, plan);
    expect_right(x, plan, values);
    free(values);
}

static void try_product(spl_context *context, const product *x)
{
    spl_plan *plan;
    EXPECT_OK(spl_triple_plan(context, x->a, x->p, &x->options, &plan));
    expect_execution(x, plan);
    spl_plan_destroy(plan);
}

/* ---- matrices of any kind ---- */

static void make_p(zoo_matrix *p, int64_t rows, int number, bool transposed, spl_type type)
{
    zoo_triples t;
    zoo_form form = zoo_form_number(number % 9);
    form.type = type;
    const int64_t cols = 1 + number % 23, args[] = {rows, cols, number % 2 ? 2 : 2 * rows};
    (number % 2 ? zoo_unsorted : zoo_duplicates)(&t, args, testing_seed() + (uint64_t)number);
    if (transposed)
        zoo_triples_transpose(&t);
    zoo_build(p, &t, form);
    zoo_triples_free(&t);
}

static void matrices_of_the_zoo(void **state)
{
    (void)state;
    int tried = 0;
    spl_context *context = testing_context(3);
    for (int m = 0; m < zoo_tiny_count; m++) {
        zoo_triples t;
        zoo_make(&t, &zoo_tiny[m], testing_seed());
        for (int f = m % 3;
             f < ZOO_FORMS && t.rows == t.cols && t.rows > 0 && !zoo_tiny[m].nonfinite;
             f += 3, tried++) {
            zoo_matrix a, p;
            product x = {.options = SPL_OPTIONS_INIT, .alpha = tried % 4 ? 1 : -0.5};
            testing_case("%s, form %d, number %d", zoo_tiny[m].name, f, tried);
            x.options.op_a = tried % 3 == 1 ? SPL_TRANSPOSE : SPL_NONE;
            x.options.op_b = tried % 5 == 2 ? SPL_TRANSPOSE : SPL_NONE;
            zoo_build(&a, &t, zoo_form_number(f));
            make_p(&p, t.rows, tried, x.options.op_b != SPL_NONE, a.view.type);
            x.a = &a.view;
            x.p = &p.view;
            try_product(context, &x);
            zoo_matrix_free(&a);
            zoo_matrix_free(&p);
        }
        zoo_triples_free(&t);
    }
    EXPECT(tried > 60);
    spl_context_destroy(context);
}

/* ---- nodes ---- */

/* makers: of A and of P, in nodes. */
static void make_pair(zoo_matrix *a, zoo_matrix *p, const zoo_maker *makers, int fine, int coarse,
                      int form, uint64_t seed)
{
    zoo_triples t;
    block_matrix_rectangular(&t, &makers[0], fine, fine, seed);
    block_matrix_build(a, &t, form);
    block_matrix_rectangular(&t, &makers[1], fine, coarse, seed + 1);
    block_matrix_build(p, &t, form);
}

static void make_nodes(zoo_matrix *a, zoo_matrix *p, int fine, int coarse, int form, uint64_t seed)
{
    const zoo_maker makers[2] = {{.name = "a", .make = zoo_uniform, .args = {16, 16, 4}},
                                 {.name = "p", .make = zoo_uniform, .args = {16, 5, 2}}};
    make_pair(a, p, makers, fine, coarse, form, seed);
}

static void expect_nodes(const spl_plan *plan, int fine, int coarse)
{
    char text[32768], words[64];
    snprintf(words, sizeof words, "by nodes: %d unknowns in A, %d in C", fine, coarse);
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    EXPECT(strstr(text, testing_device() ? "then P'*(A*P)" : coarse > 1 ? words : "by entries"));
}

static void nodes_of_all_sizes(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int fine = 1; fine <= 6; fine++)
        for (int coarse = 1; coarse <= 6; coarse++) {
            zoo_matrix a, p;
            spl_plan *plan;
            int form = (fine + coarse) % 2 * 9 + (fine * coarse) % 3; /* CSR */
            testing_case("%d unknowns, %d coarse ones, form %d", fine, coarse, form);
            make_nodes(&a, &p, fine, coarse, form, testing_fresh_seed());
            product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
            EXPECT_OK(spl_triple_plan(context, x.a, x.p, NULL, &plan));
            expect_nodes(plan, fine, coarse);
            expect_execution(&x, plan);
            spl_plan_destroy(plan);
            zoo_matrix_free(&a);
            zoo_matrix_free(&p);
        }
    spl_context_destroy(context);
}

/* Columns of P'*A are kept unless there are many: values are right either way, in each execution.
 */
static void kept_columns(void **state)
{
    (void)state;
    if (testing_device())
        skip();
    spl_context *context = testing_context(2);
    for (int many = 0; many < 2; many++) {
        const zoo_maker makers[2] = {
            {.name = "a", .make = zoo_uniform, .args = {90, 90, 7}},
            {.name = "p", .make = zoo_uniform, .args = {90, many ? 90 : 8, many ? 7 : 2}}};
        char text[32768];
        zoo_matrix a, p;
        spl_plan *plan;
        testing_case("%s columns", many ? "many" : "few");
        make_pair(&a, &p, makers, 1, 1, 9, testing_fresh_seed()); /* f32: A*P is not stored */
        product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        EXPECT_OK(spl_triple_plan(context, x.a, x.p, NULL, &plan));
        EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
        EXPECT(strstr(text, many ? "P'*A: searched" : "P'*A: kept"));
        for (int k = 0; k < 3; k++)
            expect_execution(&x, plan);
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
    spl_context_destroy(context);
}

/* C has few columns for its entries: rows are found as bits, of which registers hold 1 to 8 words.
 */
static void few_columns(void **state)
{
    (void)state;
    if (testing_device())
        skip();
    spl_context *context = testing_context(2);
    for (int64_t cols = 40; cols < 1000; cols *= 2) {
        const zoo_maker makers[2] = {{.name = "a", .make = zoo_uniform, .args = {200, 200, 20}},
                                     {.name = "p", .make = zoo_uniform, .args = {200, cols, 6}}};
        zoo_matrix a, p;
        testing_case("%d columns", (int)cols);
        make_pair(&a, &p, makers, 1, 1, 0, testing_fresh_seed());
        product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        try_product(context, &x);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
    spl_context_destroy(context);
}

/* What only looks like nodes: an entry is missing, or two columns change places. */
static void spoilt_nodes(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_context *context = testing_context(2);
    make_nodes(&a, &p, 3, 6, 0, testing_fresh_seed());
    for (int k = 0; k < 2; k++) {
        int32_t *columns = k ? p.indices : a.indices, first = columns[0];
        product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        testing_case("two columns of %s change places", k ? "P" : "A");
        columns[0] = columns[1];
        columns[1] = first;
        try_product(context, &x);
        columns[1] = columns[0];
        columns[0] = first;
    }
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* Far more rows than entries, which products of two leave out. */
static void few_entries(void **state)
{
    (void)state;
    if (testing_device())
        skip();
    const int64_t rows = 4300000;
    zoo_triples t;
    zoo_matrix a, p;
    zoo_form form = zoo_form_number(0);
    spl_plan *plan;
    spl_context *context = testing_context(1);
    zoo_triples_start(&t, rows, rows);
    zoo_triples_add(&t, 5, 7, 2);
    zoo_triples_add(&t, 7, 5, 3);
    zoo_build(&a, &t, form);
    zoo_triples_free(&t);
    zoo_triples_start(&t, rows, 2);
    zoo_triples_add(&t, 5, 0, 1);
    zoo_triples_add(&t, 7, 1, 4);
    form.format = SPL_COO;
    zoo_build(&p, &t, form);
    zoo_triples_free(&t);
    product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
    EXPECT_OK(spl_triple_plan(context, x.a, x.p, NULL, &plan));
    double *values = execute(&x, plan);
    EXPECT(values[0] == 8 && values[1] == 12);
    free(values);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* ---- plans ---- */

static void new_values(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_plan *plan;
    spl_context *context = testing_context(2);
    for (int coarse = 1; coarse <= 3; coarse += 2) {
        make_nodes(&a, &p, 3, coarse, 0, testing_fresh_seed());
        product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        x.options.check_inputs = 1;
        EXPECT_OK(spl_triple_plan(context, x.a, x.p, &x.options, &plan));
        void *values = execute(&x, plan);
        free(values);
        ((double *)p.values)[0] += 1;
        values = zoo_allocate((size_t)p.view.cols * (size_t)p.view.cols * sizeof(double));
        EXPECT_STATUS(SPL_STALE, spl_spgemm_execute(plan, NULL, NULL, values, NULL));
        free(values);
        EXPECT_OK(spl_plan_update_values(plan, NULL, &p.view, NULL, NULL));
        spl_sparse moved = *x.a;
        double *fresh = zoo_allocate((size_t)moved.nnz * sizeof *fresh);
        for (int64_t k = 0; k < moved.nnz; k++)
            fresh[k] = (double)(k % 7) - 3;
        moved.values = fresh;
        EXPECT_OK(spl_plan_update_values(plan, &moved, NULL, NULL, NULL));
        x.a = &moved;
        values = execute(&x, plan);
        expect_right(&x, plan, values);
        free(values);
        spl_plan_destroy(plan);
        free(fresh);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
    spl_context_destroy(context);
}

/* alpha = 0 reads no values; the plan's own values are those that a caller gets. */
static void kept_values(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_plan *plan;
    spl_matrix *taken;
    spl_sparse view = SPL_SPARSE_INIT;
    spl_context *context = testing_context(2);
    make_nodes(&a, &p, 2, 2, 0, testing_fresh_seed());
    product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
    x.options.keep_result = 1;
    EXPECT_OK(spl_triple_plan(context, x.a, x.p, &x.options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_take(plan, &taken));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    double *values = execute(&x, plan);
    EXPECT_OK(spl_spgemm_take(plan, &taken));
    EXPECT_OK(spl_matrix_view(taken, &view));
    EXPECT(view.nnz > 0 && memcmp(view.values, values, (size_t)view.nnz * sizeof *values) == 0);
    for (int64_t k = 0; k < a.view.nnz; k++)
        ((double *)a.values)[k] = NAN;
    x.alpha = 0;
    free(values);
    values = execute(&x, plan);
    for (int64_t k = 0; k < view.nnz; k++)
        EXPECT(values[k] == 0);
    free(values);
    spl_matrix_destroy(taken);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
    spl_context_destroy(context);
}

/* ---- threads and memory ---- */

/* A mesh of edge^3 nodes of `fine` unknowns, and an interpolation of every second node of a line.
 */
static void make_mesh(zoo_matrix *a, zoo_matrix *p, int64_t edge, int fine, int coarse)
{
    const int64_t nodes = edge * edge * edge;
    const zoo_maker mesh = {.name = "box", .make = zoo_box, .args = {edge, edge, edge, 1}};
    zoo_triples t, of_nodes;
    block_matrix_rectangular(&t, &mesh, fine, fine, 1);
    block_matrix_build(a, &t, 0);
    zoo_triples_start(&of_nodes, nodes * fine, nodes / 8 * coarse);
    for (int64_t i = 0; i < nodes * fine; i++)
        for (int64_t k = 0; k < 3 && i / fine / 8 + k < nodes / 8; k++)
            for (int c = 0; c < coarse; c++)
                zoo_triples_add(&of_nodes, i, (i / fine / 8 + k) * coarse + c, 1);
    block_matrix_build(p, &of_nodes, 0);
}

static void same_bits(void **state)
{
    (void)state;
    for (int coarse = 1; coarse <= 2; coarse++) {
        zoo_matrix a, p;
        double *first = NULL;
        make_mesh(&a, &p, testing_device() ? 6 : 12, coarse, coarse);
        for (int threads = 1; threads <= 4; threads += testing_device() ? 3 : 1) {
            spl_context *context = testing_context(threads);
            spl_result r = SPL_RESULT_INIT;
            spl_plan *plan;
            product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
            x.options.deterministic = testing_device() != NULL;
            EXPECT_OK(spl_triple_plan(context, x.a, x.p, &x.options, &plan));
            EXPECT_OK(spl_spgemm_result(plan, &r));
            double *values = execute(&x, plan);
            if (first)
                EXPECT(memcmp(first, values, (size_t)r.nnz * sizeof *first) == 0);
            else
                first = execute(&x, plan);
            free(values);
            spl_plan_destroy(plan);
            spl_context_destroy(context);
        }
        free(first);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
}

/* Of nodes nothing of the size of A*P is ever there, nor of a copy of A or P, and indices are
 * saved, too. Of entries A*P may be stored, with twice the operands' bytes, and up to 48 bytes for
 * each four entries of P and A*P while it is found. */
static void memory_of_plans(void **state)
{
    (void)state;
    if (testing_device())
        skip();
    for (int size = 1; size <= 3; size += 2) {
        zoo_matrix a, p;
        spl_plan *plan;
        spl_result r = SPL_RESULT_INIT;
        spl_counters before = SPL_COUNTERS_INIT, after = SPL_COUNTERS_INIT;
        spl_context *context = testing_context(1);
        make_mesh(&a, &p, 12, size, size);
        product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
        EXPECT_OK(spl_triple_plan(context, x.a, x.p, NULL, &plan));
        EXPECT_OK(spl_spgemm_result(plan, &r));
        EXPECT_OK(spl_plan_counters(plan, &before));
        const double blocks = (double)size * size, rows = (double)a.view.rows,
                     kept = size > 1 ? 0 : 24 * (double)(a.view.nnz + p.view.nnz),
                     found = size > 1 ? 0 : 12 * (double)p.view.nnz + 200 * rows,
                     notes =
                         8 * (double)p.view.nnz / blocks + 12 * rows + 24 * (double)r.rows + kept;
        EXPECT((double)before.live < notes + 4 * (double)r.nnz / blocks + 65536);
        EXPECT((double)before.peak < notes + found + 8 * (double)r.nnz / blocks + 65536);
        free(execute(&x, plan));
        EXPECT_OK(spl_plan_counters(plan, &after));
        EXPECT(after.allocations == before.allocations && after.executions == 1);
        spl_plan_destroy(plan);
        spl_context_destroy(context);
        zoo_matrix_free(&a);
        zoo_matrix_free(&p);
    }
}

/* Whatever allocation fails: a status, and nothing is left. */
static void failing_allocations(void **state)
{
    (void)state;
    zoo_matrix a, p;
    hook_allocator hook;
    spl_context *context;
    spl_plan *plan = NULL;
    spl_status status = SPL_OUT_OF_MEMORY;
    make_nodes(&a, &p, 2, 1, 0, testing_fresh_seed());
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    const size_t live = hook.live;
    for (long long k = 0; status != SPL_OK; k++) {
        hook.fail_at = hook.allocations + k;
        status = spl_triple_plan(context, &a.view, &p.view, NULL, &plan);
        hook.fail_at = -1;
        EXPECT(status == SPL_OK || (status == SPL_OUT_OF_MEMORY && hook.live == live));
    }
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* Under any budget: never more than that, and one that is asked for suffices soon. */
static void small_budgets(void **state)
{
    (void)state;
    zoo_matrix a, p;
    hook_allocator hook;
    spl_context *context;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    if (testing_device()) /* has a budget of its own */
        skip();
    make_nodes(&a, &p, 2, 1, 0, testing_fresh_seed());
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 2, 0, &context));
    const size_t live = hook.live;
    options.memory_budget = 1;
    int tries = 0;
    for (spl_status status = SPL_OVER_BUDGET; status != SPL_OK; tries++) {
        hook.peak = hook.live;
        status = spl_triple_plan(context, &a.view, &p.view, &options, &plan);
        EXPECT(hook.peak - live <= options.memory_budget);
        if (status != SPL_OK) {
            EXPECT(status == SPL_OVER_BUDGET && hook.live == live);
            EXPECT(spl_error_bytes() > options.memory_budget);
            options.memory_budget = spl_error_bytes();
        }
    }
    EXPECT(tries <= 4);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* A cancel at any report leaves nothing of a plan; an execution can be repeated. */
static void cancelled(void **state)
{
    (void)state;
    zoo_matrix a, p;
    hook_allocator hook;
    cancel_observer observer = {.caller = pthread_self(), .cancel_at = -1};
    spl_plan *plan = NULL;
    const double seconds = spl__watch_seconds;
    make_mesh(&a, &p, 12, 1, 1);
    hook_start(&hook);
    spl_context *context = cancel_context(&hook, &observer);
    product x = {&a.view, &p.view, SPL_OPTIONS_INIT, 1};
    double *values = zoo_allocate((size_t)p.view.cols * (size_t)p.view.cols * sizeof *values);
    const size_t live = hook.live;
    int cancels = 0;
    spl__watch_seconds = 0;
    for (spl_status status = SPL_CANCELLED; status != SPL_OK; cancels++) {
        observer.calls = 0;
        observer.cancel_at = cancels;
        status = spl_triple_plan(context, x.a, x.p, NULL, &plan);
        EXPECT(status == SPL_OK || (status == SPL_CANCELLED && hook.live == live));
    }
    EXPECT(cancels > 4);
    observer.calls = 0;
    observer.cancel_at = 1;
    EXPECT_STATUS(SPL_CANCELLED, spl_spgemm_execute(plan, NULL, NULL, values, NULL));
    observer.cancel_at = -1;
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, values, NULL));
    spl__watch_seconds = seconds;
    double *again = execute(&x, plan);
    spl_result r = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &r));
    EXPECT(!observer.bad && memcmp(values, again, (size_t)r.nnz * sizeof *again) == 0);
    free(again);
    free(values);
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* A device's memory is budgeted, too; blocks of rows are not built. */
static void no_room_on_a_device(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    if (!testing_device())
        skip();
    make_mesh(&a, &p, 12, 1, 1);
    spl_context *context = testing_context(1);
    for (options.memory_budget = 5000; options.memory_budget < 500000; options.memory_budget *= 3)
        EXPECT_STATUS(SPL_OVER_BUDGET, spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    EXPECT(!plan);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

/* ---- what is refused ---- */

static void refusals(void **state)
{
    (void)state;
    zoo_matrix a, p;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    spl_context *context = testing_context(2);
    make_nodes(&a, &p, 2, 3, 0, 7);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_triple_plan(context, &a.view, NULL, NULL, &plan));
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_triple_plan(context, &p.view, &p.view, NULL, &plan));
    options.op_b = SPL_TRANSPOSE;
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    EXPECT_STATUS(SPL_SHAPE_MISMATCH, spl_triple_plan(context, &p.view, &p.view, &options, &plan));
    options = (spl_options)SPL_OPTIONS_INIT;
    options.semiring = 4; /* SPL_MIN_PLUS */
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    options = (spl_options)SPL_OPTIONS_INIT;
    options.method = "spgemm/numeric/cpu/dense";
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    options = (spl_options)SPL_OPTIONS_INIT;
    options.distributed = 1;
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_triple_plan(context, &a.view, &p.view, &options, &plan));
    const spl_type type = a.view.type;
    for (size_t k = 0; k < 2; k++) {
        a.view.type = p.view.type = (spl_type[]){SPL_INT32, SPL_F16}[k];
        EXPECT_STATUS(SPL_UNSUPPORTED, spl_triple_plan(context, &a.view, &p.view, NULL, &plan));
    }
    a.view.type = p.view.type = type;
    EXPECT(plan == NULL);
    spl_context_destroy(context);
    zoo_matrix_free(&a);
    zoo_matrix_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_of_the_zoo),
        cmocka_unit_test(nodes_of_all_sizes),
        cmocka_unit_test(spoilt_nodes),
        cmocka_unit_test(kept_columns),
        cmocka_unit_test(few_columns),
        cmocka_unit_test(few_entries),
        cmocka_unit_test(new_values),
        cmocka_unit_test(kept_values),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(memory_of_plans),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(small_budgets),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(no_room_on_a_device),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
