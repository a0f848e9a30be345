/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/triple_products.h"

#include "lib/block_matrices.h"
#include "lib/testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void expect_element(const triple_product *x, const element *e, double value)
{
    const double unit = x->a->type == SPL_F64 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
    const double k = (double)(e->longest + e->sums + 3), gamma = k * unit / (1 - k * unit);
    const long double exact = (long double)x->alpha * e->value;
    EXPECT(fabsl(exact - value) <= 2 * gamma * fabsl(x->alpha * e->magnitude));
}

bool triple_explains(const spl_plan *plan, const char *words)
{
    char text[32768];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    return strstr(text, words) != NULL;
}

/* Is A*P computed first? */
static bool ap_first(const spl_plan *plan)
{
    return testing_device() || triple_explains(plan, "of rows of A*P");
}

/* C of the plan, whose values are given, against the specification. */
void triple_expect(const triple_product *x, spl_plan *plan, const void *values)
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

void *triple_values(spl_plan *plan, double alpha, int64_t *count)
{
    spl_result r = SPL_RESULT_INIT;
    double storage;
    EXPECT_OK(spl_spgemm_result(plan, &r));
    void *values = zoo_allocate((size_t)r.nnz * zoo_type_bytes(r.type));
    memset(values, 255, (size_t)r.nnz * zoo_type_bytes(r.type));
    zoo_value_set(&storage, r.type, 0, alpha);
    EXPECT_OK(spl_spgemm_execute(plan, &storage, NULL, values, NULL));
    *count = r.nnz;
    return values;
}

void *triple_execute(const triple_product *x, spl_plan *plan)
{
    int64_t count;
    return triple_values(plan, x->alpha, &count);
}

void triple_expect_execution(const triple_product *x, spl_plan *plan)
{
    void *values = triple_execute(x, plan);
    triple_expect(x, plan, values);
    free(values);
}

void triple_try(spl_context *context, const triple_product *x)
{
    spl_plan *plan;
    EXPECT_OK(spl_triple_plan(context, x->a, x->p, &x->options, &plan));
    triple_expect_execution(x, plan);
    spl_plan_destroy(plan);
}

spl_plan *triple_plan(spl_context *context, const spl_sparse *a, const spl_sparse *p)
{
    spl_plan *plan = NULL;
    EXPECT_OK(spl_triple_plan(context, a, p, NULL, &plan));
    return plan;
}

spl_status triple_make_plan(void *planning)
{
    const triple_planning *x = planning;
    spl_plan *plan = NULL;
    const spl_status status = spl_triple_plan(x->context, x->a, x->p, NULL, &plan);
    if (status == SPL_OK && x->look)
        x->look(plan, x->user);
    spl_plan_destroy(plan);
    return status;
}

/* ---- matrices ---- */

void triple_make(zoo_matrix *a, zoo_matrix *p, const zoo_maker *makers, int fine, int coarse,
                 int form, uint64_t seed)
{
    zoo_triples t;
    block_matrix_rectangular(&t, &makers[0], fine, fine, seed);
    block_matrix_build(a, &t, form);
    block_matrix_rectangular(&t, &makers[1], fine, coarse, seed + 1);
    block_matrix_build(p, &t, form);
}

void triple_make_nodes(zoo_matrix *a, zoo_matrix *p, int fine, int coarse, int form, uint64_t seed)
{
    const zoo_maker makers[2] = {{.name = "a", .make = zoo_uniform, .args = {16, 16, 4}},
                                 {.name = "p", .make = zoo_uniform, .args = {16, 5, 2}}};
    triple_make(a, p, makers, fine, coarse, form, seed);
}

void triple_make_mesh(zoo_matrix *a, zoo_matrix *p, int64_t edge, int fine, int coarse)
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
