/* SPDX-License-Identifier: Apache-2.0 */
/* P'*A*P of matrices on a device: equal to the CPU's, where it is exact in any order of sums. */
#include "lib/on_device.h"
#include "sparloom/structure.h"
#include "sparloom/triple.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40 };
static const zoo_maker square = {.name = "square", .make = zoo_uniform, .args = {ROWS, ROWS, 4}},
                       tall = {.name = "tall", .make = zoo_uniform, .args = {ROWS, 9, 2}},
                       wide = {.name = "wide", .make = zoo_uniform, .args = {9, ROWS, 8}};

static void make(const on_device *s, resident *m, const zoo_maker *maker, zoo_form form,
                 uint64_t seed)
{
    zoo_triples t;
    zoo_make(&t, maker, seed);
    zoo_triples_fill(&t, ZOO_INTEGERS, seed);
    zoo_build(&m->host, &t, form);
    zoo_triples_free(&t);
    resident_upload(s, m);
}

/* C by the CPU. */
static spl_matrix *by_cpu(const resident *a, const resident *p, spl_options options, double alpha,
                          spl_context **context)
{
    spl_plan *plan;
    spl_matrix *c;
    const float narrow = (float)alpha;
    options.keep_result = 1;
    EXPECT_OK(spl_context_create(NULL, context));
    EXPECT_OK(spl_triple_plan(*context, &a->host.view, &p->host.view, &options, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, a->view.type == SPL_F32 ? (const void *)&narrow : &alpha,
                                 NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &c));
    spl_plan_destroy(plan);
    return c;
}

/* C on the device equals the CPU's. */
static void expect_equal(const on_device *s, const spl_sparse *device_c, const resident *a,
                         const resident *p, spl_options options, double alpha)
{
    spl_context *context;
    spl_matrix *matrix = by_cpu(a, p, options, alpha, &context);
    spl_sparse wanted = SPL_SPARSE_INIT, c = on_device_copy_to_host(s, device_c);
    EXPECT_OK(spl_matrix_view(matrix, &wanted));
    EXPECT(c.nnz == wanted.nnz && c.nnz > 0 && c.rows == wanted.rows && c.cols == wanted.cols);
    for (int64_t i = 0; i <= c.rows; i++)
        EXPECT(zoo_index_at(c.offsets, c.offset_type, i) ==
               zoo_index_at(wanted.offsets, wanted.offset_type, i));
    for (int64_t k = 0; k < c.nnz; k++) {
        EXPECT(zoo_index_at(c.indices, c.index_type, k) ==
               zoo_index_at(wanted.indices, wanted.index_type, k));
        EXPECT(zoo_value_at(c.values, c.type, k) == zoo_value_at(wanted.values, wanted.type, k));
    }
    on_device_drop_copy(&c);
    spl_matrix_destroy(matrix);
    spl_context_destroy(context);
}

/* Other values, in another array; returns the old one. */
static const void *renew_values(const on_device *s, resident *m)
{
    const void *old = m->view.values;
    for (int64_t k = 0; k < m->host.view.nnz; k++) {
        const double value = zoo_value_at(m->host.values, m->view.type, k);
        zoo_value_set(m->host.values, m->view.type, k, value + (double)(k % 3));
    }
    m->view.values = on_device_put(s, m->host.values, resident_value_bytes(m));
    return old;
}

static void compute(const on_device *s, spl_plan *plan, const resident *a, const resident *p,
                    spl_options options, double alpha)
{
    const float narrow = (float)alpha;
    spl_sparse c = resident_product(s, plan);
    EXPECT_OK(spl_spgemm_execute(plan, c.type == SPL_F32 ? (const void *)&narrow : &alpha, NULL,
                                 (void *)c.values, NULL));
    EXPECT_OK(spl_spgemm_export(plan, (void *)c.offsets, (void *)c.indices, NULL, NULL));
    EXPECT_OK(spl_sync(s->context, NULL));
    expect_equal(s, &c, a, p, options, alpha);
    resident_product_free(s, &c);
}

/* Types, widths, formats, transposed operands, new values. */
static void into_own_arrays(void **state)
{
    for (int n = 0; n < 12; n++) {
        on_device s = on_device_start(*state);
        resident a, p;
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan;
        testing_case("%s, number %d", (const char *)*state, n);
        options.op_a = n % 3 == 1 ? SPL_TRANSPOSE : SPL_NONE;
        options.op_b = n % 2 ? SPL_TRANSPOSE : SPL_NONE;
        make(&s, &a, &square, zoo_form_number(n * 3 % ZOO_FORMS), testing_fresh_seed());
        zoo_form form = zoo_form_number(n * 5 % ZOO_FORMS);
        form.type = a.view.type;
        make(&s, &p, n % 2 ? &wide : &tall, form, testing_fresh_seed() + 1);
        EXPECT_OK(spl_triple_plan(s.context, &a.view, &p.view, &options, &plan));
        compute(&s, plan, &a, &p, options, 2);
        const spl_counters before = on_device_counters(plan);
        EXPECT(before.launches > 0);
        const void *old_a = renew_values(&s, &a);
        EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
        compute(&s, plan, &a, &p, options, 1);
        const void *old_p = renew_values(&s, &p);
        EXPECT_OK(spl_plan_update_values(plan, NULL, &p.view, NULL, NULL));
        compute(&s, plan, &a, &p, options, -1);
        EXPECT(on_device_counters(plan).allocations == before.allocations);
        EXPECT(on_device_counters(plan).executions == 3);
        spl_plan_destroy(plan);
        on_device_drop(&s, old_a, resident_value_bytes(&a));
        on_device_drop(&s, old_p, resident_value_bytes(&p));
        resident_free(&s, &a);
        resident_free(&s, &p);
        on_device_stop(&s);
    }
}

/* The plan's own arrays, and a matrix made of them; values times alpha = 0 do not count. */
static void kept(void **state)
{
    on_device s = on_device_start(*state);
    resident a, p;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan;
    spl_matrix *taken;
    spl_sparse view = SPL_SPARSE_INIT;
    char text[16384];
    const double zero = 0, nan = NAN;
    make(&s, &a, &square, zoo_form_number(0), testing_fresh_seed());
    make(&s, &p, &tall, zoo_form_number(0), testing_fresh_seed() + 1);
    options.keep_result = 1;
    EXPECT_OK(spl_triple_plan(s.context, &a.view, &p.view, &options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_take(plan, &taken));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_view(plan, &view));
    EXPECT_OK(spl_plan_wait(plan));
    EXPECT(view.place.kind == s.place.kind && view.values);
    expect_equal(&s, &view, &a, &p, options, 1);
    EXPECT_OK(spl_spgemm_take(plan, &taken));
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    EXPECT(strstr(text, "A*P, which stays there"));
    EXPECT(spl_plan_step_count(plan) >= 4);
    ((double *)a.host.values)[0] = nan;
    EXPECT_OK(spl_array_copy(s.context, s.place, (void *)a.view.values, (spl_place){SPL_HOST, 0},
                             a.host.values, sizeof nan, NULL));
    EXPECT_OK(spl_spgemm_execute(plan, &zero, NULL, NULL, NULL));
    EXPECT_OK(spl_plan_wait(plan));
    expect_equal(&s, &view, &a, &p, options, 0);
    spl_plan_destroy(plan);
    spl_matrix_destroy(taken);
    resident_free(&s, &a);
    resident_free(&s, &p);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ON_BOTH_WIDTHS(into_own_arrays), ON_BOTH_WIDTHS(kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
