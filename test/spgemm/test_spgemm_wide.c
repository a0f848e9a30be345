/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM whose C is far wider than it has entries: no workspace has an element per column, and
 * where the allocator refuses a method's workspace, the next method is the fallback. The wide
 * product is the narrow one with its columns moved; values are whole numbers, so that all sums
 * are exact. */
#include "sparloom/measured.h"

#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <stdlib.h>
#include <string.h>

enum { POOL = 40, LIMIT = 64 << 20, PLENTY = 1 << 30, MIB = 1 << 20, FAR = 1 << 24 };

/* Entries anywhere, values 1 to 9. */
static void draw(hooked *s, int64_t rows, int64_t cols, int64_t entries, zoo_triples *t)
{
    zoo_triples_start(t, rows, cols);
    for (int64_t e = 0; e < entries; e++)
        zoo_triples_add(t, zoo_random_below(&s->random, rows), zoo_random_below(&s->random, cols),
                        (double)(1 + zoo_random_below(&s->random, 9)));
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* POOL columns of `cols`, ascending, each once, the last one among them. */
static void draw_columns(hooked *s, int64_t cols, int64_t *columns)
{
    for (int64_t k = 0; k < POOL; k++)
        columns[k] = cols / POOL * k + zoo_random_below(&s->random, cols / POOL);
    columns[POOL - 1] = cols - 1;
    qsort(columns, POOL, sizeof *columns, compare);
}

static zoo_triples widened(const zoo_triples *narrow, int64_t cols, const int64_t *columns)
{
    zoo_triples wide;
    zoo_triples_start(&wide, narrow->rows, cols);
    for (int64_t e = 0; e < narrow->nnz; e++)
        zoo_triples_add(&wide, narrow->i[e], columns[narrow->j[e]], narrow->v[e]);
    return wide;
}

static zoo_matrix built(const zoo_triples *t)
{
    zoo_matrix m;
    bool wide = t->cols > INT32_MAX;
    zoo_build(&m, t,
              (zoo_form){SPL_CSR, SPL_F64, wide ? SPL_I64 : SPL_I32,
                         wide || t->rows > INT32_MAX ? SPL_I64 : SPL_I32});
    return m;
}

/* The wide product is the narrow one. */
static void expect_same(const spl_sparse *wide, const spl_sparse *narrow, const int64_t *columns)
{
    EXPECT(wide->rows == narrow->rows && wide->nnz == narrow->nnz);
    for (int64_t i = 0; i <= wide->rows; i++)
        EXPECT(zoo_index_at(wide->offsets, wide->offset_type, i) ==
               zoo_index_at(narrow->offsets, narrow->offset_type, i));
    for (int64_t p = 0; p < wide->nnz; p++) {
        EXPECT(zoo_index_at(wide->indices, wide->index_type, p) ==
               columns[zoo_index_at(narrow->indices, narrow->index_type, p)]);
        EXPECT(zoo_value_at(wide->values, wide->type, p) ==
               zoo_value_at(narrow->values, narrow->type, p));
    }
}

/* A plan's result, once executed, as a matrix. */
static spl_matrix *planned(spl_context *context, const spl_sparse *a, const spl_sparse *b,
                           const spl_options *options)
{
    spl_plan *plan = NULL;
    spl_matrix *c = NULL;
    EXPECT_OK(spl_spgemm_plan(context, a, b, NULL, options, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    spl_plan_destroy(plan);
    return c;
}

static void expect_product(hooked *s, const zoo_matrix *a, const zoo_matrix *wide,
                           const zoo_matrix *narrow, const int64_t *columns, spl_policy policy)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_sparse right = SPL_SPARSE_INIT, found = SPL_SPARSE_INIT;
    spl_matrix *expected, *c;
    options.policy = policy;
    options.keep_result = 1;
    EXPECT_OK(spl_spgemm(s->context, NULL, &a->view, &narrow->view, NULL, NULL, NULL, &expected));
    EXPECT_OK(spl_matrix_view(expected, &right));
    /* other policies may use all memory up to the limit */
    s->hook.limit = policy == SPL_POLICY_COST ? PLENTY : LIMIT;
    for (int way = 0; way < 2; way++) {
        size_t live = s->hook.peak = s->hook.live;
        if (way == 0)
            c = planned(s->context, &a->view, &wide->view, &options);
        else
            EXPECT_OK(
                spl_spgemm(s->context, NULL, &a->view, &wide->view, NULL, NULL, &options, &c));
        if (policy == SPL_POLICY_COST && wide->view.cols >= FAR)
            EXPECT(s->hook.peak - live <= MIB);
        EXPECT_OK(spl_matrix_view(c, &found));
        expect_same(&found, &right, columns);
        spl_matrix_destroy(c);
    }
    spl_matrix_destroy(expected);
}

static void try_width(hooked *s, int64_t cols)
{
    int64_t columns[POOL], rows = 1 + zoo_random_below(&s->random, 30),
                           inner = 1 + zoo_random_below(&s->random, 30);
    zoo_triples ta, tb;
    draw_columns(s, cols, columns);
    draw(s, rows, inner, 1 + zoo_random_below(&s->random, 60), &ta);
    draw(s, inner, POOL, 1 + zoo_random_below(&s->random, 60), &tb);
    tb.j[0] = POOL - 1;
    zoo_triples tw = widened(&tb, cols, columns);
    zoo_matrix a = built(&ta), narrow = built(&tb), wide = built(&tw);
    for (int policy = SPL_POLICY_COST; policy <= SPL_POLICY_MEASURE; policy++) {
        testing_case("%lld x %lld times %lld x %lld, policy %d", (long long)rows, (long long)inner,
                     (long long)inner, (long long)cols, policy);
        expect_product(s, &a, &wide, &narrow, columns, policy);
    }
    zoo_matrix_free(&a);
    zoo_matrix_free(&narrow);
    zoo_matrix_free(&wide);
    zoo_triples_free(&ta);
    zoo_triples_free(&tb);
    zoo_triples_free(&tw);
}

static void columns_without_entries_cost_nothing(void **state)
{
    (void)state;
    hooked s;
    hooked_start(&s, LIMIT);
    for (int bits = 16; bits <= 60; bits += 2 * testing_scale())
        try_width(&s, ((int64_t)1 << bits) + zoo_random_below(&s.random, (int64_t)1 << bits));
    try_width(&s, (int64_t)1 << 40);
    try_width(&s, INT32_MAX);
    hooked_stop(&s);
}

/* Predicted seconds of a method of the CPU in a plan. */
static double seconds_of(const spl_plan *plan, const char *method)
{
    for (int i = 0; i < spl_plan_candidate_count(plan); i++) {
        spl_candidate c = SPL_CANDIDATE_INIT;
        EXPECT_OK(spl_plan_candidate(plan, i, &c));
        if (strcmp(c.method, method) == 0)
            return c.seconds;
    }
    testing_fail(method, __FILE__, __LINE__);
    return 0;
}

/* The first touch of an accumulator costs pages: a few hundred products are nothing beside them,
 * once. */
static void predictions_know_new_memory(void **state)
{
    (void)state;
    hooked s;
    hooked_start(&s, LIMIT);
    for (int repeat = 0; repeat < 5; repeat++) {
        zoo_triples ta, tb;
        spl_plan *plan = NULL;
        spl_options options = SPL_OPTIONS_INIT;
        int64_t cols = FAR + zoo_random_below(&s.random, (int64_t)1 << 31);
        options.executions = 1;
        draw(&s, 20, 20, 50, &ta);
        draw(&s, 20, cols, 50, &tb);
        zoo_matrix a = built(&ta), b = built(&tb);
        EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &b.view, NULL, &options, &plan));
        double dense = seconds_of(plan, "spgemm/numeric/cpu/dense"),
               hash = seconds_of(plan, "spgemm/numeric/cpu/hash");
        testing_case("%lld columns: dense %g s, hash %g s", (long long)cols, dense, hash);
        EXPECT(dense > 10 * hash);
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
        zoo_triples_free(&ta);
        zoo_triples_free(&tb);
    }
    hooked_stop(&s);
}

/* Methods that want more than any machine has are no candidates, and say so. */
static void what_no_machine_has_is_left_out(void **state)
{
    (void)state;
    const double far_too_much = 1e15;
    hooked s;
    zoo_triples ta, tb;
    spl_plan *plan = NULL;
    int left_out = 0;
    hooked_start(&s, LIMIT);
    draw(&s, 20, 20, 50, &ta);
    draw(&s, 20, (int64_t)1 << 50, 50, &tb);
    zoo_matrix a = built(&ta), b = built(&tb);
    EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &b.view, NULL, NULL, &plan));
    for (int i = 0; i < spl_plan_candidate_count(plan); i++) {
        spl_candidate c = SPL_CANDIDATE_INIT;
        EXPECT_OK(spl_plan_candidate(plan, i, &c));
        testing_case("%s: %zu bytes, %s", c.method, c.bytes, c.reason);
        EXPECT((double)c.bytes < far_too_much || !c.applicable);
        left_out += strstr(c.reason, "this machine's memory") != NULL;
    }
    EXPECT(left_out > 0);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    zoo_triples_free(&ta);
    zoo_triples_free(&tb);
    hooked_stop(&s);
}

/* ---- an allocator that refuses what is large ---- */

/* The numeric method of a plan for the product. */
static const char *numeric_method(hooked *s, const zoo_matrix *a, const zoo_matrix *b,
                                  spl_policy policy)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    spl_step step = SPL_STEP_INIT;
    options.policy = policy;
    EXPECT_OK(spl_spgemm_plan(s->context, &a->view, &b->view, NULL, &options, &plan));
    EXPECT_OK(spl_plan_step(plan, spl_plan_step_count(plan) - 1, &step));
    const char *method = step.method;
    spl_plan_destroy(plan);
    return method;
}

/* A dense accumulator with a predicted cost of nothing is chosen as long as its memory is
 * granted. */
static void the_next_method_takes_over(void **state)
{
    (void)state;
    const char *const dense = "spgemm/numeric/cpu/dense";
    hooked s;
    hooked_start(&s, LIMIT);
    EXPECT_OK(spl_machine_set(s.context, dense, 1e-9));
    EXPECT_OK(spl_machine_set(s.context, "cpu/workspace_byte", 1e-18));
    for (int repeat = 0; repeat < 4; repeat++) {
        int64_t cols = MIB + zoo_random_below(&s.random, MIB);
        zoo_triples ta, tb;
        draw(&s, 20, 20, 50, &ta);
        draw(&s, 20, cols, 50, &tb);
        zoo_matrix a = built(&ta), b = built(&tb);
        testing_case("%lld columns", (long long)cols);
        s.hook.limit = LIMIT;
        EXPECT(strcmp(numeric_method(&s, &a, &b, SPL_POLICY_COST), dense) == 0);
        /* holds no accumulator beside anything else */
        s.hook.limit = s.hook.live + (size_t)cols * 8;
        EXPECT(strcmp(numeric_method(&s, &a, &b, SPL_POLICY_COST), dense) != 0);
        EXPECT(strcmp(numeric_method(&s, &a, &b, SPL_POLICY_MEASURE), dense) != 0);
        zoo_matrix_free(&a);
        zoo_matrix_free(&b);
        zoo_triples_free(&ta);
        zoo_triples_free(&tb);
    }
    s.hook.limit = LIMIT;
    hooked_stop(&s);
}

/* A forced method fails without a fallback. */
static void a_forced_method_does_not_give_way(void **state)
{
    (void)state;
    hooked s;
    zoo_triples ta, tb;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    hooked_start(&s, LIMIT);
    draw(&s, 20, 20, 50, &ta);
    draw(&s, 20, (int64_t)1 << 40, 50, &tb);
    zoo_matrix a = built(&ta), b = built(&tb);
    options.method = "spgemm/numeric/cpu/dense";
    EXPECT_STATUS(SPL_OUT_OF_MEMORY,
                  spl_spgemm_plan(s.context, &a.view, &b.view, NULL, &options, &plan));
    zoo_matrix_free(&a);
    zoo_matrix_free(&b);
    zoo_triples_free(&ta);
    zoo_triples_free(&tb);
    hooked_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_without_entries_cost_nothing),
        cmocka_unit_test(predictions_know_new_memory),
        cmocka_unit_test(what_no_machine_has_is_left_out),
        cmocka_unit_test(the_next_method_takes_over),
        cmocka_unit_test(a_forced_method_does_not_give_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
