/* SPDX-License-Identifier: Apache-2.0 */
/* P'*A*P by way of stored rows of A*P against the same with P's rows in another order, of which
 * rows of P'*A are computed first: structure, values, values that are no numbers, threads, memory
 * that fails. */
#include "lib/triple_products.h"

#include "core/variant.h"
#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A has neighbours up to `width` away, and some empty rows; row i of P has columns behind
 * i / share * stride. */
typedef struct shape {
    const char *name;
    int64_t rows, width, share, stride, length;
} shape;
static const shape shapes[] = {
    {"short rows", 700, 4, 8, 1, 3},
    {"rows of more than 64", 60, 40, 1, 1, 40},
    {"64 columns", 16, 16, 16, 1, 64},
    {"65 columns", 16, 16, 16, 1, 65},
    {"more than 4096 words of columns", 300, 3, 8, 8000, 4},
    {"words 63 and 126 apart", 300, 3, 8, 4032, 4},
    {"words 64 and 128 apart", 300, 3, 8, 4096, 4},
    {"rows of A*P of more than 128 words", 300, 12, 8, 4100, 4},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct pair {
    zoo_matrix a, p, reversed;
} pair;

static void make_p(zoo_matrix *p, const shape *s, int form)
{
    zoo_triples t;
    zoo_triples_start(&t, s->rows, (s->rows - 1) / s->share * s->stride + s->length + 2);
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t k = 0; k < s->length; k++)
            zoo_triples_add(&t, i, i / s->share * s->stride + k + 1, 0);
    zoo_triples_fill(&t, ZOO_REAL, testing_fresh_seed());
    zoo_build(p, &t, zoo_form_number(form));
    zoo_triples_free(&t);
}

static void reverse_rows(zoo_matrix *p)
{
    spl_sparse *v = &p->view;
    const size_t index = zoo_index_bytes(v->index_type);
    for (int64_t i = 0; i < v->rows; i++) {
        int64_t left = zoo_index_at(v->offsets, v->offset_type, i),
                right = zoo_index_at(v->offsets, v->offset_type, i + 1) - 1;
        for (; left < right; left++, right--) {
            char column[8], *columns = (char *)v->indices;
            double *values = (double *)v->values, value = values[left];
            memcpy(column, columns + (size_t)left * index, index);
            memcpy(columns + (size_t)left * index, columns + (size_t)right * index, index);
            memcpy(columns + (size_t)right * index, column, index);
            values[left] = values[right];
            values[right] = value;
        }
    }
}

static void make(pair *x, const shape *s, int form)
{
    zoo_triples t;
    zoo_triples_start(&t, s->rows, s->rows);
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t j = i - s->width; j <= i + s->width; j++)
            if (i % 7 != 3 && j >= 0 && j < s->rows)
                zoo_triples_add(&t, i, j, 0);
    zoo_triples_fill(&t, ZOO_REAL, testing_fresh_seed());
    zoo_build(&x->a, &t, zoo_form_number(form));
    zoo_triples_free(&t);
    make_p(&x->p, s, form);
    make_p(&x->reversed, s, form);
    memcpy(x->reversed.values, x->p.values, (size_t)x->p.view.nnz * sizeof(double));
    reverse_rows(&x->reversed);
}

static void unmake(pair *x)
{
    zoo_matrix_free(&x->a);
    zoo_matrix_free(&x->p);
    zoo_matrix_free(&x->reversed);
}

static bool is_spread(const spl_plan *plan)
{
    return triple_explains(plan, "of rows of A*P");
}

static void expect_structure(spl_plan *plan, spl_plan *other)
{
    spl_result r = SPL_RESULT_INIT, q = SPL_RESULT_INIT;
    void *arrays[2][2];
    EXPECT_OK(spl_spgemm_result(plan, &r));
    EXPECT_OK(spl_spgemm_result(other, &q));
    EXPECT(r.nnz == q.nnz && r.rows == q.rows);
    const size_t offsets = (size_t)(r.rows + 1) * zoo_index_bytes(r.offset_type),
                 columns = (size_t)r.nnz * zoo_index_bytes(r.index_type);
    for (int k = 0; k < 2; k++) {
        arrays[k][0] = zoo_allocate(offsets);
        arrays[k][1] = zoo_allocate(columns);
        EXPECT_OK(spl_spgemm_export(k ? other : plan, arrays[k][0], arrays[k][1], NULL, NULL));
    }
    EXPECT(memcmp(arrays[0][0], arrays[1][0], offsets) == 0);
    EXPECT(memcmp(arrays[0][1], arrays[1][1], columns) == 0);
    for (int k = 0; k < 4; k++)
        free(arrays[k / 2][k % 2]);
}

static void take_magnitudes(zoo_matrix *m)
{
    double *values = m->values;
    for (int64_t q = 0; q < m->view.nnz; q++)
        values[q] = fabs(values[q]);
}

/* Both orders of the sums are within the bound of triple.h. Values of A and
 * of the reversed P become magnitudes. */
static void expect_values(spl_plan *plan, spl_plan *other, pair *x, double alpha)
{
    const double bound = 4 * (double)(2 * x->a.view.rows + 3) * (DBL_EPSILON / 2);
    int64_t count;
    double *values = triple_values(plan, alpha, &count),
           *others = triple_values(other, alpha, &count), *magnitudes;
    take_magnitudes(&x->a);
    take_magnitudes(&x->reversed);
    magnitudes = triple_values(other, fabs(alpha), &count);
    for (int64_t k = 0; k < count; k++) {
        EXPECT(isfinite(values[k]) == isfinite(others[k]));
        if (isfinite(values[k]))
            EXPECT(fabs(values[k] - others[k]) <= bound * magnitudes[k]);
    }
    free(values);
    free(others);
    free(magnitudes);
}

static void expect_same(spl_context *context, pair *x, bool built, double alpha)
{
    spl_plan *plan = triple_plan(context, &x->a.view, &x->p.view),
             *other = triple_plan(context, &x->a.view, &x->reversed.view);
    EXPECT(is_spread(plan) == built && !is_spread(other));
    expect_structure(plan, other);
    expect_values(plan, other, x, alpha);
    spl_plan_destroy(plan);
    spl_plan_destroy(other);
}

static bool is_built(void)
{
    return spl__variant_of_cpu() >= SPL__V4;
}

/* Masks cost more than one execution saves. */
static void for_one_execution_nothing_is_stored(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    spl_options options = SPL_OPTIONS_INIT;
    pair x;
    make(&x, &shapes[0], 0);
    for (options.executions = 1; options.executions < 3; options.executions++) {
        spl_plan *plan = NULL;
        EXPECT_OK(spl_triple_plan(context, &x.a.view, &x.p.view, &options, &plan));
        EXPECT(is_spread(plan) == (is_built() && options.executions > 1));
        spl_plan_destroy(plan);
    }
    unmake(&x);
    spl_context_destroy(context);
}

static void shapes_and_types(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    for (int s = 0; s < SHAPES; s++)
        for (int form = 0; form < 9; form += 3) { /* CSR of f64 */
            pair x;
            testing_case("%s, form %d", shapes[s].name, form);
            make(&x, &shapes[s], form);
            expect_same(context, &x, is_built(), form ? -0.5 : 1);
            unmake(&x);
        }
    spl_context_destroy(context);
}

/* Sums that do not meet a value that is no number stay finite; alpha = 0 reads none. */
static void no_numbers(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    for (int of_p = 0; of_p < 2; of_p++) {
        pair x;
        testing_case("%s", of_p ? "in P" : "in A");
        make(&x, &shapes[0], 0);
        const int64_t at = x.p.view.rows / 2 * shapes[0].length;
        ((double *)(of_p ? x.p.values : x.a.values))[at] = INFINITY;
        if (of_p)
            ((double *)x.reversed.values)[at + shapes[0].length - 1] = INFINITY;
        spl_plan *plan = triple_plan(context, &x.a.view, &x.p.view);
        int64_t count;
        double *values = triple_values(plan, 0, &count);
        for (int64_t k = 0; k < count; k++)
            EXPECT(values[k] == 0);
        free(values);
        spl_plan_destroy(plan);
        expect_same(context, &x, is_built(), 1);
        unmake(&x);
    }
    spl_context_destroy(context);
}

static void same_bits(void **state)
{
    (void)state;
    pair x;
    double *first = NULL;
    const shape many = {"many rows", 3000, 4, 8, 1, 3};
    make(&x, &many, 0);
    for (int threads = 1; threads <= 4; threads++) {
        spl_context *context = testing_context(threads);
        spl_plan *plan = triple_plan(context, &x.a.view, &x.p.view);
        int64_t count;
        double *values = triple_values(plan, 1, &count);
        EXPECT(is_spread(plan) == is_built());
        if (!first)
            first = triple_values(plan, 1, &count);
        EXPECT(memcmp(first, values, (size_t)count * sizeof *first) == 0);
        free(values);
        spl_plan_destroy(plan);
        spl_context_destroy(context);
    }
    free(first);
    unmake(&x);
}

typedef struct comparison {
    pair x;
    spl_plan *other;
} comparison;

static void compare(spl_plan *plan, void *user)
{
    comparison *c = user;
    expect_structure(plan, c->other);
    expect_values(plan, c->other, &c->x, 1);
}

/* Without room for A*P rows of P'*A are computed first. */
static void failing_allocations(void **state)
{
    (void)state;
    hook_allocator hook;
    comparison c;
    triple_planning p = {NULL, &c.x.a.view, &c.x.p.view, compare, &c};
    make(&c.x, &shapes[0], 0);
    take_magnitudes(&c.x.p);
    take_magnitudes(&c.x.reversed);
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 1, 0, &p.context));
    c.other = triple_plan(p.context, p.a, &c.x.reversed.view);
    hook.once = true;
    const hook_calls calls = hook_fail_each(&hook, triple_make_plan, &p);
    EXPECT(calls.made > (is_built() ? 10 : 0) && calls.refused > 5);
    spl_plan_destroy(c.other);
    spl_context_destroy(p.context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    unmake(&c.x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_and_types),
        cmocka_unit_test(for_one_execution_nothing_is_stored),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
