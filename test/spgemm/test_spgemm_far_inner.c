/* SPDX-License-Identifier: Apache-2.0 */
/* op(A)*op(B) whose inner dimension is far longer than A and B have entries: memory depends on
 * the entries only, unless an operand has offsets along that dimension. The far operands are
 * near ones with their inner indices moved, so that C is the same. Values are whole numbers: all
 * sums are exact. */
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 40, ROOM = 64 << 20, PER_ENTRY = 256, ANY = 1 << 16, MOST_ROWS = 30 };

/* An operand, near and far. */
typedef struct operand {
    zoo_triples near_triples, far_triples;
    zoo_matrix near, far;
} operand;

typedef struct problem {
    operand a, b;
    zoo_matrix d;
    bool has_d;
    spl_options options;
    int64_t inner, rows, cols, places[POOL];
} problem;

static void draw_places(hooked *s, problem *p)
{
    for (int64_t k = 0; k < POOL; k++)
        p->places[k] = p->inner / POOL * k + zoo_random_below(&s->random, p->inner / POOL);
    p->places[POOL - 1] = p->inner - 1;
}

/* Entries anywhere, some twice, values 1 to 9; few of the places have any. */
static void draw_entries(hooked *s, int64_t rows, int64_t cols, zoo_triples *t)
{
    int64_t entries = zoo_random_below(&s->random, 60);
    zoo_triples_start(t, rows, cols);
    for (int64_t e = 0; e < entries; e++)
        zoo_triples_add(t, zoo_random_below(&s->random, rows), zoo_random_below(&s->random, cols),
                        (double)(1 + zoo_random_below(&s->random, 9)));
}

/* An operand whose columns (or rows) are the inner dimension, in a format without offsets along
 * it. */
static void draw_operand(hooked *s, const problem *p, int64_t outer, bool by_columns, operand *o)
{
    bool wide = p->inner > INT32_MAX || zoo_random_below(&s->random, 2);
    spl_index type = wide ? SPL_I64 : SPL_I32;
    spl_format lines = by_columns ? SPL_CSR : SPL_CSC;
    zoo_form form = {zoo_random_below(&s->random, 2) ? SPL_COO : lines, SPL_F64, type, type};
    draw_entries(s, by_columns ? outer : POOL, by_columns ? POOL : outer, &o->near_triples);
    zoo_triples *near = &o->near_triples, *far = &o->far_triples;
    zoo_triples_start(far, by_columns ? outer : p->inner, by_columns ? p->inner : outer);
    for (int64_t e = 0; e < near->nnz; e++)
        zoo_triples_add(far, by_columns ? near->i[e] : p->places[near->i[e]],
                        by_columns ? p->places[near->j[e]] : near->j[e], near->v[e]);
    zoo_build(&o->near, near, form);
    zoo_build(&o->far, far, form);
}

static void drop_operand(operand *o)
{
    zoo_matrix_free(&o->near);
    zoo_matrix_free(&o->far);
    zoo_triples_free(&o->near_triples);
    zoo_triples_free(&o->far_triples);
}

static problem draw_problem(hooked *s, int64_t inner)
{
    problem p = {.options = SPL_OPTIONS_INIT, .inner = inner};
    zoo_triples d;
    p.rows = 1 + zoo_random_below(&s->random, MOST_ROWS);
    p.cols = 1 + zoo_random_below(&s->random, MOST_ROWS);
    p.options.op_a = (spl_operator)zoo_random_below(&s->random, 3);
    p.options.op_b = (spl_operator)zoo_random_below(&s->random, 3);
    p.options.keep_result = 1;
    p.options.check_inputs = zoo_random_below(&s->random, 2);
    draw_places(s, &p);
    draw_operand(s, &p, p.rows, p.options.op_a == SPL_NONE, &p.a);
    draw_operand(s, &p, p.cols, p.options.op_b != SPL_NONE, &p.b);
    p.has_d = zoo_random_below(&s->random, 2);
    draw_entries(s, p.rows, p.cols, &d);
    zoo_build(&p.d, &d, (zoo_form){SPL_CSR, SPL_F64, SPL_I32, SPL_I32});
    zoo_triples_free(&d);
    return p;
}

static void drop_problem(problem *p)
{
    drop_operand(&p->a);
    drop_operand(&p->b);
    zoo_matrix_free(&p->d);
}

static const spl_sparse *d_of(const problem *p)
{
    return p->has_d ? &p->d.view : NULL;
}

/* ---- products ---- */

static const double beta = 2;

static void expect_same(const spl_matrix *c, const spl_matrix *expected)
{
    spl_sparse v = SPL_SPARSE_INIT, e = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &v));
    EXPECT_OK(spl_matrix_view(expected, &e));
    EXPECT(v.rows == e.rows && v.cols == e.cols && v.nnz == e.nnz);
    for (int64_t i = 0; i <= v.rows; i++)
        EXPECT(zoo_index_at(v.offsets, v.offset_type, i) ==
               zoo_index_at(e.offsets, e.offset_type, i));
    for (int64_t k = 0; k < v.nnz; k++)
        EXPECT(zoo_index_at(v.indices, v.index_type, k) ==
                   zoo_index_at(e.indices, e.index_type, k) &&
               zoo_value_at(v.values, v.type, k) == zoo_value_at(e.values, e.type, k));
}

static void try_once(hooked *s, const problem *p, const spl_matrix *expected)
{
    spl_matrix *c = NULL;
    spl_sparse v = SPL_SPARSE_INIT;
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_spgemm(s->context, NULL, &p->a.far.view, &p->b.far.view, &beta, d_of(p),
                         &p->options, &c));
    expect_same(c, expected);
    EXPECT_OK(spl_matrix_view(c, &v));
    EXPECT_OK(spl_check_spgemm(NULL, &p->a.far.view, &p->b.far.view, &beta, d_of(p), &v,
                               &p->options, &check));
    EXPECT(check.ok);
    spl_matrix_destroy(c);
}

/* The values of A and B change, in arrays that move with their structure; so does the product. */
static void renew(const operand *o, zoo_matrix *moved)
{
    zoo_form form = {o->far.view.format, SPL_F64, o->far.view.offset_type, o->far.view.index_type};
    for (int64_t e = 0; e < o->far_triples.nnz; e++)
        o->near_triples.v[e] = o->far_triples.v[e] = (double)(e % 7) - 3;
    zoo_build(moved, &o->far_triples, form);
}

static spl_matrix *product_of_near(hooked *s, const problem *p)
{
    spl_matrix *c = NULL;
    EXPECT_OK(spl_spgemm(s->context, NULL, &p->a.near.view, &p->b.near.view, &beta, d_of(p),
                         &p->options, &c));
    return c;
}

static void update(hooked *s, problem *p, spl_plan *plan)
{
    zoo_matrix a, b;
    zoo_form of_a = {p->a.near.view.format, SPL_F64, p->a.near.view.offset_type,
                     p->a.near.view.index_type},
             of_b = {p->b.near.view.format, SPL_F64, p->b.near.view.offset_type,
                     p->b.near.view.index_type};
    spl_matrix *expected, *c;
    renew(&p->a, &a);
    renew(&p->b, &b);
    zoo_matrix_free(&p->a.near);
    zoo_matrix_free(&p->b.near);
    zoo_build(&p->a.near, &p->a.near_triples, of_a);
    zoo_build(&p->b.near, &p->b.near_triples, of_b);
    expected = product_of_near(s, p);
    EXPECT_OK(spl_plan_update_values(plan, &a.view, &b.view, NULL, NULL));
    zoo_matrix_free(&p->a.far);
    zoo_matrix_free(&p->b.far);
    p->a.far = a;
    p->b.far = b;
    EXPECT_OK(spl_spgemm_execute(plan, NULL, &beta, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    expect_same(c, expected);
    spl_matrix_destroy(c);
    spl_matrix_destroy(expected);
}

static void try_plan(hooked *s, problem *p, const spl_matrix *expected)
{
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    EXPECT_OK(
        spl_spgemm_plan(s->context, &p->a.far.view, &p->b.far.view, d_of(p), &p->options, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, &beta, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    expect_same(c, expected);
    spl_matrix_destroy(c);
    update(s, p, plan);
    spl_plan_destroy(plan);
}

/* A refusal asks for about what the call takes. */
static void try_refusal(hooked *s, const problem *p, size_t most)
{
    spl_options options = p->options;
    spl_plan *plan = NULL;
    options.memory_budget = 1;
    EXPECT_STATUS(SPL_OVER_BUDGET, spl_spgemm_plan(s->context, &p->a.far.view, &p->b.far.view,
                                                   d_of(p), &options, &plan));
    EXPECT(spl_error_bytes() > 1 && spl_error_bytes() <= most);
}

static void try_problem(hooked *s, int64_t inner)
{
    problem p = draw_problem(s, inner);
    int64_t entries = p.a.far.view.nnz + p.b.far.view.nnz + p.d.view.nnz;
    testing_case("inner dimension %lld, op %d %d, formats %d %d, %lld and %lld entries, D %d",
                 (long long)inner, (int)p.options.op_a, (int)p.options.op_b,
                 (int)p.a.far.view.format, (int)p.b.far.view.format, (long long)p.a.far.view.nnz,
                 (long long)p.b.far.view.nnz, p.has_d);
    spl_matrix *expected = product_of_near(s, &p);
    size_t live = s->hook.peak = s->hook.live;
    try_once(s, &p, expected);
    p.options.memory_budget = ROOM;
    try_plan(s, &p, expected);
    size_t most = (size_t)(entries + p.rows * p.cols + p.rows + p.cols) * PER_ENTRY + ANY;
    EXPECT(s->hook.peak - live <= most);
    try_refusal(s, &p, most);
    spl_matrix_destroy(expected);
    drop_problem(&p);
}

static void inner_indices_without_entries_cost_nothing(void **state)
{
    (void)state;
    hooked s;
    hooked_start(&s, ROOM);
    for (int bits = 24; bits <= 60; bits += 1)
        for (int repeat = 0; repeat < 1 + 3 / testing_scale(); repeat++)
            try_problem(&s, ((int64_t)1 << bits) + zoo_random_below(&s.random, (int64_t)1 << bits));
    hooked_stop(&s);
}

/* ---- A with itself ---- */

static void a_times_its_transpose(void **state)
{
    (void)state;
    hooked s;
    hooked_start(&s, ROOM);
    for (int repeat = 0; repeat < 20; repeat++) {
        problem p = {.options = SPL_OPTIONS_INIT, .inner = (int64_t)1 << 40};
        spl_matrix *c = NULL, *expected = NULL;
        p.options.op_b = SPL_TRANSPOSE;
        draw_places(&s, &p);
        draw_operand(&s, &p, 3, true, &p.a);
        EXPECT_OK(spl_spgemm(s.context, NULL, &p.a.near.view, &p.a.near.view, NULL, NULL,
                             &p.options, &expected));
        EXPECT_OK(
            spl_spgemm(s.context, NULL, &p.a.far.view, &p.a.far.view, NULL, NULL, &p.options, &c));
        expect_same(c, expected);
        spl_matrix_destroy(c);
        spl_matrix_destroy(expected);
        drop_operand(&p.a);
    }
    hooked_stop(&s);
}

/* A'*A has as many rows as A has columns: the row offsets of C alone are refused, with their number
 * of bytes, by a budget, and by the library's own allocator on any machine. */
static void a_result_with_too_many_rows_is_refused(void **state)
{
    (void)state;
    hooked s;
    hooked_start(&s, ROOM);
    for (int repeat = 0; repeat < 6; repeat++) {
        problem p = {.options = SPL_OPTIONS_INIT,
                     .inner = ((int64_t)1 << 41) + zoo_random_below(&s.random, 1 << 30)};
        spl_context *library = NULL;
        spl_matrix *c = NULL;
        size_t least = (size_t)(p.inner + 1) * sizeof(int64_t);
        p.options.op_a = SPL_TRANSPOSE;
        draw_places(&s, &p);
        draw_operand(&s, &p, 3, true, &p.a);
        testing_case("%lld x 3 times 3 x %lld", (long long)p.inner, (long long)p.inner);
        EXPECT_OK(spl_context_create(NULL, &library));
        EXPECT_STATUS(SPL_OUT_OF_MEMORY, spl_spgemm(library, NULL, &p.a.far.view, &p.a.far.view,
                                                    NULL, NULL, &p.options, &c));
        EXPECT(strstr(spl_error_detail(), "bytes") && spl_error_bytes() >= least);
        p.options.memory_budget = ROOM;
        EXPECT_STATUS(SPL_OVER_BUDGET, spl_spgemm(library, NULL, &p.a.far.view, &p.a.far.view, NULL,
                                                  NULL, &p.options, &c));
        EXPECT(strstr(spl_error_detail(), "bytes") && spl_error_bytes() >= least);
        spl_context_destroy(library);
        drop_operand(&p.a);
    }
    hooked_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_indices_without_entries_cost_nothing),
        cmocka_unit_test(a_times_its_transpose),
        cmocka_unit_test(a_result_with_too_many_rows_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
