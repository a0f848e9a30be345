/* SPDX-License-Identifier: Apache-2.0 */
/* op(A)*op(B) whose inner dimension is far longer than A and B have entries: memory depends on
 * the entries only, unless an operand has offsets along that dimension. */
#include "lib/far_product.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64 << 20, PER_ENTRY = 256, ANY = 68 << 10 };

/* ---- products ---- */

static const double beta = FAR_BETA;

static void expect_same(const spl_matrix *c, const spl_matrix *expected)
{
    spl_sparse v = SPL_SPARSE_INIT, e = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &v));
    EXPECT_OK(spl_matrix_view(expected, &e));
    far_product_expect(&v, &e);
}

static void try_once(hooked *s, const far_product *p, const spl_matrix *expected)
{
    spl_matrix *c = NULL;
    spl_sparse v = SPL_SPARSE_INIT;
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_spgemm(s->context, NULL, &p->a.far.view, &p->b.far.view, &beta, far_product_d(p),
                         &p->options, &c));
    expect_same(c, expected);
    EXPECT_OK(spl_matrix_view(c, &v));
    EXPECT_OK(spl_check_spgemm(NULL, &p->a.far.view, &p->b.far.view, &beta, far_product_d(p), &v,
                               &p->options, &check));
    EXPECT(check.ok);
    spl_matrix_destroy(c);
}

/* The values of A and B change, in arrays that move with their structure; so does the product. */
static void renew(const far_operand *o, zoo_matrix *moved)
{
    zoo_form form = {o->far.view.format, SPL_F64, o->far.view.offset_type, o->far.view.index_type};
    for (int64_t e = 0; e < o->far_triples.nnz; e++)
        o->near_triples.v[e] = o->far_triples.v[e] = (double)(e % 7) - 3;
    zoo_build(moved, &o->far_triples, form);
}

static void update(hooked *s, far_product *p, spl_plan *plan)
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
    expected = far_product_of_near(s->context, p);
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

static void try_plan(hooked *s, far_product *p, const spl_matrix *expected)
{
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    EXPECT_OK(spl_spgemm_plan(s->context, &p->a.far.view, &p->b.far.view, far_product_d(p),
                              &p->options, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, &beta, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    expect_same(c, expected);
    spl_matrix_destroy(c);
    update(s, p, plan);
    spl_plan_destroy(plan);
}

/* A refusal asks for about what the call takes. */
static void try_refusal(hooked *s, const far_product *p, size_t most)
{
    spl_options options = p->options;
    spl_plan *plan = NULL;
    options.memory_budget = 1;
    EXPECT_STATUS(SPL_OVER_BUDGET, spl_spgemm_plan(s->context, &p->a.far.view, &p->b.far.view,
                                                   far_product_d(p), &options, &plan));
    EXPECT(spl_error_bytes() > 1 && spl_error_bytes() <= most);
}

static void try_problem(hooked *s, int64_t inner)
{
    far_product p = far_product_draw(&s->random, inner);
    int64_t entries = p.a.far.view.nnz + p.b.far.view.nnz + p.d.view.nnz;
    far_product_say(&p);
    spl_matrix *expected = far_product_of_near(s->context, &p);
    size_t live = s->hook.peak = s->hook.live;
    try_once(s, &p, expected);
    p.options.memory_budget = ROOM;
    try_plan(s, &p, expected);
    size_t most = (size_t)(entries + p.rows * p.cols + p.rows + p.cols) * PER_ENTRY + ANY;
    EXPECT(s->hook.peak - live <= most);
    try_refusal(s, &p, most);
    spl_matrix_destroy(expected);
    far_product_free(&p);
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
        far_product p = {.options = SPL_OPTIONS_INIT, .inner = (int64_t)1 << 40};
        spl_matrix *c = NULL, *expected = NULL;
        p.options.op_b = SPL_TRANSPOSE;
        far_product_draw_places(&s.random, &p);
        far_product_draw_operand(&s.random, &p, 3, true, &p.a);
        EXPECT_OK(spl_spgemm(s.context, NULL, &p.a.near.view, &p.a.near.view, NULL, NULL,
                             &p.options, &expected));
        EXPECT_OK(
            spl_spgemm(s.context, NULL, &p.a.far.view, &p.a.far.view, NULL, NULL, &p.options, &c));
        expect_same(c, expected);
        spl_matrix_destroy(c);
        spl_matrix_destroy(expected);
        far_operand_free(&p.a);
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
        far_product p = {.options = SPL_OPTIONS_INIT,
                         .inner = ((int64_t)1 << 41) + zoo_random_below(&s.random, 1 << 30)};
        spl_context *library = NULL;
        spl_matrix *c = NULL;
        size_t least = (size_t)(p.inner + 1) * sizeof(int64_t);
        p.options.op_a = SPL_TRANSPOSE;
        far_product_draw_places(&s.random, &p);
        far_product_draw_operand(&s.random, &p, 3, true, &p.a);
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
        far_operand_free(&p.a);
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
