/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of P'*A*P that are computed in lanes at once: values, values that are no numbers, threads,
 * memory that fails. */
#include "lib/triple_products.h"

#include "lib/hook_allocator.h"
#include "lib/testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 150, COARSE = 27, ROW_OF_A = 20, ROW_OF_P = 8 };

typedef struct pair {
    zoo_matrix a, p;
} pair;

/* Some columns of P have no entries: rows of C without any. */
static void make(pair *x, int form, uint64_t seed)
{
    const int64_t of_a[] = {FINE, FINE, ROW_OF_A}, of_p[] = {FINE, COARSE - 3, ROW_OF_P};
    zoo_triples t;
    zoo_uniform(&t, of_a, seed);
    zoo_build(&x->a, &t, zoo_form_number(form));
    zoo_triples_free(&t);
    zoo_uniform(&t, of_p, seed + 1);
    t.cols = COARSE;
    zoo_build(&x->p, &t, zoo_form_number(form));
    zoo_triples_free(&t);
}

static void unmake(pair *x)
{
    zoo_matrix_free(&x->a);
    zoo_matrix_free(&x->p);
}

static spl_plan *plan_bundles(spl_context *context, const pair *x)
{
    spl_plan *plan = triple_plan(context, &x->a.view, &x->p.view);
    EXPECT(triple_explains(plan, " bundles"));
    return plan;
}

typedef struct element {
    long double value;
    double magnitude;
    bool stored;
} element;

/* P'*A*P, each product of three on its own. */
static void specify(const pair *x, element *c)
{
    zoo_triples a, p;
    zoo_triples_of_view(&a, &x->a.view);
    zoo_triples_of_view(&p, &x->p.view);
    int64_t *begins = calloc(FINE + 2, sizeof *begins),
            *rows = zoo_allocate((size_t)p.nnz * sizeof *rows);
    for (int64_t q = 0; q < p.nnz; q++)
        begins[p.i[q] + 2]++;
    for (int64_t i = 0; i < FINE; i++)
        begins[i + 2] += begins[i + 1];
    for (int64_t q = 0; q < p.nnz; q++)
        rows[begins[p.i[q] + 1]++] = q;
    memset(c, 0, COARSE * COARSE * sizeof *c);
    for (int64_t e = 0; e < a.nnz; e++)
        for (int64_t k = begins[a.i[e]]; k < begins[a.i[e] + 1]; k++)
            for (int64_t l = begins[a.j[e]]; l < begins[a.j[e] + 1]; l++) {
                element *to = &c[p.j[rows[k]] * COARSE + p.j[rows[l]]];
                const long double product = (long double)p.v[rows[k]] * a.v[e] * p.v[rows[l]];
                to->value += product;
                to->magnitude += fabs((double)product);
                to->stored = true;
            }
    free(begins);
    free(rows);
    zoo_triples_free(&a);
    zoo_triples_free(&p);
}

/* What is infinite in the specification must not be finite, and the other way round. */
static void expect_execution(spl_plan *plan, const pair *x, double alpha)
{
    const spl_type type = x->a.view.type;
    const double bound = (type == SPL_F64 ? DBL_EPSILON : FLT_EPSILON) * (2 * FINE + 3);
    element *c = zoo_allocate(COARSE * COARSE * sizeof *c);
    int64_t nnz, count = 0;
    void *values = triple_values(plan, alpha, &nnz);
    specify(x, c);
    for (int64_t q = 0; q < COARSE * COARSE; q++) {
        if (!c[q].stored)
            continue;
        const double value = zoo_value_at(values, type, count++);
        EXPECT(isfinite(value) == isfinite(c[q].magnitude));
        if (isfinite(value))
            EXPECT(fabsl(value - alpha * c[q].value) <= bound * fabs(alpha) * c[q].magnitude);
    }
    free(values);
    free(c);
}

static void values_of_all_types(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int form = 0; form < ZOO_FORMS; form++) {
        pair x;
        testing_case("form %d", form);
        make(&x, form, testing_fresh_seed());
        spl_plan *plan = triple_plan(context, &x.a.view, &x.p.view);
        expect_execution(plan, &x, 1);
        expect_execution(plan, &x, -0.5);
        spl_plan_destroy(plan);
        unmake(&x);
    }
    spl_context_destroy(context);
}

/* Lanes that do not meet a value that is no number stay finite; alpha = 0 reads none. */
static void no_numbers(void **state)
{
    (void)state;
    spl_context *context = testing_context(1);
    for (int of_p = 0; of_p < 2; of_p++) {
        pair x;
        make(&x, 0, testing_fresh_seed());
        spl_plan *plan = plan_bundles(context, &x);
        zoo_matrix *m = of_p ? &x.p : &x.a;
        const int64_t at = m->view.nnz / 2;
        testing_case("%s", of_p ? "in P" : "in A");
        ((double *)m->values)[at] = INFINITY;
        expect_execution(plan, &x, 1);
        ((double *)m->values)[at] = 1;
        expect_execution(plan, &x, 2);
        ((double *)m->values)[at] = NAN;
        int64_t count;
        double *values = triple_values(plan, 0, &count);
        for (int64_t k = 0; k < count; k++)
            EXPECT(values[k] == 0);
        free(values);
        spl_plan_destroy(plan);
        unmake(&x);
    }
    spl_context_destroy(context);
}

static void same_bits(void **state)
{
    (void)state;
    pair x;
    double *first = NULL;
    make(&x, 0, testing_fresh_seed());
    for (int threads = 1; threads <= 4; threads++) {
        spl_context *context = testing_context(threads);
        spl_plan *plan = plan_bundles(context, &x);
        int64_t count;
        double *values = triple_values(plan, 1, &count);
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

static void expect_values(spl_plan *plan, void *x)
{
    expect_execution(plan, x, 1);
}

/* Without room for bundles rows are computed one by one. */
static void failing_allocations(void **state)
{
    (void)state;
    pair x;
    hook_allocator hook;
    triple_planning p = {NULL, &x.a.view, &x.p.view, expect_values, &x};
    make(&x, 0, testing_fresh_seed());
    hook_start(&hook);
    EXPECT_OK(hook_context(&hook, 1, 0, &p.context));
    hook.once = true;
    const hook_calls calls = hook_fail_each(&hook, triple_make_plan, &p);
    EXPECT(calls.made > 5 && calls.refused > 5);
    spl_context_destroy(p.context);
    EXPECT(hook_clean(&hook));
    hook_stop(&hook);
    unmake(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_types),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
