/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse products of matrices on a device: C in the caller's arrays, and in the library's. */
#include "lib/on_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands and results ---- */

/* A sparse product whose operands are on the host and on the device. */
typedef struct product {
    on_device s;
    resident a, b, d;
    spgemm_run host; /* for the oracle */
    bool has_d;
} product;

static void make_as(const on_device *s, resident *m, const zoo_maker *maker, zoo_form form,
                    uint64_t seed)
{
    zoo_matrix_make(&m->host, maker, form, seed);
    resident_upload(s, m);
}

static void make(const on_device *s, resident *m, const char *name, zoo_form form, uint64_t seed)
{
    make_as(s, m, zoo_find(name), form, seed);
}

static const zoo_form narrow = {SPL_CSR, SPL_F64, SPL_I32, SPL_I32},
                      wide = {SPL_CSR, SPL_F64, SPL_I64, SPL_I64};

static product start(const char *device, zoo_form a, zoo_form b, zoo_form d, bool has_d)
{
    product p = {.s = on_device_start(device)};
    make(&p.s, &p.a, "uniform_40", a, testing_seed());
    make(&p.s, &p.b, "uniform_40", b, testing_seed() + 1);
    make(&p.s, &p.d, "uniform_40", d, testing_seed() + 2);
    p.host = (spgemm_run){.options = SPL_OPTIONS_INIT, .scalars = testing_scalars_of(2, -0.5)};
    p.has_d = has_d;
    return p;
}

static const spl_sparse *summand(const product *p)
{
    return p->has_d ? &p->d.view : NULL;
}

static const spgemm_run *on_host(product *p)
{
    p->host.a = &p->a.host.view;
    p->host.b = &p->b.host.view;
    p->host.d = p->has_d ? &p->d.host.view : NULL;
    return &p->host;
}

static void stop(product *p)
{
    resident_free(&p->s, &p->a);
    resident_free(&p->s, &p->b);
    resident_free(&p->s, &p->d);
    on_device_stop(&p->s);
}

/* ---- C in the caller's arrays ---- */

static void into_own_arrays(product *p)
{
    spl_plan *plan = NULL;
    const double alpha = 2, beta = -0.5;
    EXPECT_OK(
        spl_spgemm_plan(p->s.context, &p->a.view, &p->b.view, summand(p), &p->host.options, &plan));
    spl_sparse c = resident_product(&p->s, plan);
    EXPECT(c.nnz > 0);
    EXPECT_OK(spl_spgemm_execute(plan, &alpha, &beta, (void *)c.values, NULL));
    EXPECT_OK(spl_spgemm_export(plan, (void *)c.offsets, (void *)c.indices, NULL, NULL));
    spl_plan_destroy(plan); /* work goes on */
    resident_expect(&p->s, on_host(p), &c);
    resident_product_free(&p->s, &c);
}

/* ---- C in the library's arrays ---- */

static void at_once(product *p)
{
    spl_matrix *c = NULL;
    const double alpha = 2, beta = -0.5;
    EXPECT_OK(spl_spgemm(p->s.context, &alpha, &p->a.view, &p->b.view, &beta, summand(p),
                         &p->host.options, &c));
    spl_sparse view = resident_view_of(c);
    void *offsets = NULL, *indices = NULL, *values = NULL;
    EXPECT_OK(spl_matrix_arrays(c, &offsets, &indices, &values));
    EXPECT(offsets == view.offsets && indices == view.indices && values == view.values);
    resident_expect(&p->s, on_host(p), &view);
    spl_matrix_destroy(c);
}

/* The plan converts mixed widths, other formats and transposed operands. */
static void every_width(void **state)
{
    const zoo_form columns = {SPL_CSC, SPL_F64, SPL_I64, SPL_I64},
                   list = {SPL_COO, SPL_F64, SPL_I64, SPL_I64},
                   middle = {SPL_CSR, SPL_F64, SPL_I64, SPL_I32};
    const zoo_form forms[][3] = {{narrow, narrow, narrow}, {wide, wide, wide},
                                 {narrow, wide, middle},   {wide, narrow, narrow},
                                 {list, columns, wide},    {columns, middle, list}};
    for (int f = 0; f < 6; f++)
        for (int n = 0; n < 8; n++) {
            product p = start(*state, forms[f][0], forms[f][1], forms[f][2], n & 1);
            p.host.options.op_a = n & 2 ? SPL_TRANSPOSE : SPL_NONE;
            p.host.options.op_b = n & 2 ? SPL_NONE : SPL_TRANSPOSE;
            p.host.options.result_offset_type = n & 4 ? SPL_I64 : SPL_I32;
            testing_case("%s, forms %d, variant %d", (const char *)*state, f, n);
            into_own_arrays(&p);
            at_once(&p);
            stop(&p);
        }
}

/* Few rows are not inspected in a call that computes them once; some methods need their products.
 */
static void forced_methods_serve_few_rows(void **state)
{
    static const char *const methods[] = {NULL,
                                          "spgemm/numeric/gpu/term_lists",
                                          "spgemm/numeric/gpu/hybrid",
                                          "spgemm/numeric/gpu/hash",
                                          "spgemm/numeric/gpu/hash_chained",
                                          "spgemm/numeric/gpu/breakpoint",
                                          "spgemm/numeric/gpu/esc"};
    static const zoo_maker maker = {"rows of several lengths", zoo_uniform, {60, 60, 14}, false};
    for (size_t n = 0; n < sizeof methods / sizeof *methods; n++) {
        product p = start(*state, narrow, narrow, narrow, false);
        resident_free(&p.s, &p.a);
        resident_free(&p.s, &p.b);
        make_as(&p.s, &p.a, &maker, narrow, testing_seed());
        make_as(&p.s, &p.b, &maker, narrow, testing_seed() + 1);
        p.host.options.method = methods[n];
        testing_case("%s, %s", (const char *)*state, methods[n] ? methods[n] : "no method");
        at_once(&p);
        stop(&p);
    }
}

/* Which operands are copies, and why. */
static void copies_are_explained(void **state)
{
    product p = start(*state, wide, narrow, narrow, false);
    spl_plan *plan = NULL;
    char text[8192] = "";
    EXPECT_OK(spl_spgemm_plan(p.s.context, &p.a.view, &p.b.view, NULL, NULL, &plan));
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    testing_case("%s", text);
    EXPECT(strstr(text, "A was copied with 32-bit indices") &&
           strstr(text, "B was copied with 64-bit offsets"));
    spl_plan_destroy(plan);
    stop(&p);
}

/* Also without entries, and of dense blocks, whose columns are written beside values. */
static void one_shot_squares(void **state)
{
    on_device s = on_device_start(*state);
    const zoo_maker makers[] = {{"no rows", zoo_empty, {0, 0}, false},
                                {"no entries", zoo_empty, {4, 4}, false},
                                {"3 unknowns per node", zoo_box, {4, 3, 3, 3}, false}};
    for (int k = 0; k < 6; k++) {
        resident a;
        spl_matrix *c = NULL;
        zoo_matrix_make(&a.host, &makers[k / 2], k % 2 ? narrow : wide, testing_seed());
        resident_upload(&s, &a);
        testing_case("%s, %s", makers[k / 2].name, k % 2 ? "narrow" : "wide");
        EXPECT_OK(spl_spgemm(s.context, NULL, &a.view, &a.view, NULL, NULL, NULL, &c));
        spl_sparse view = resident_view_of(c);
        EXPECT((view.nnz == 0) == (k < 4) && view.rows == a.view.rows);
        resident_expect(&s,
                        &(spgemm_run){&a.host.view, &a.host.view, NULL, SPL_OPTIONS_INIT,
                                      testing_scalars_of(1, 0), 0},
                        &view);
        spl_matrix_destroy(c);
        resident_free(&s, &a);
    }
    on_device_stop(&s);
}

/* Taken matrices outlive their plan, are not changed by its next execution, and cost no copy to the
 * host. */
static void taken_matrices_stay_there(void **state)
{
    product p = start(*state, wide, narrow, narrow, true);
    spl_plan *plan = NULL;
    spl_matrix *taken[2] = {NULL, NULL};
    spgemm_run runs[2];
    p.host.options.keep_result = 1;
    EXPECT_OK(
        spl_spgemm_plan(p.s.context, &p.a.view, &p.b.view, summand(&p), &p.host.options, &plan));
    /* nothing computed yet */
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_take(plan, &taken[0]));
    for (int k = 0; k < 2; k++) {
        const double alpha = 2 + k, beta = -1;
        runs[k] = *on_host(&p);
        runs[k].scalars = testing_scalars_of(alpha, beta);
        spl_counters before = on_device_counters(plan);
        EXPECT_OK(spl_spgemm_execute(plan, &alpha, &beta, NULL, NULL));
        EXPECT_OK(spl_spgemm_take(plan, &taken[k]));
        spl_counters after = on_device_counters(plan);
        EXPECT(after.fetched == before.fetched &&
               after.synchronisations == before.synchronisations + 1);
        EXPECT(after.allocations == before.allocations); /* the context's, not the plan's */
    }
    spl_plan_destroy(plan);
    for (int k = 0; k < 2; k++) {
        spl_sparse view = resident_view_of(taken[k]);
        resident_expect(&p.s, &runs[k], &view);
        spl_matrix_destroy(taken[k]);
    }
    stop(&p);
}

/* ---- waits ---- */

/* The waits of a plan: for the check of all operands, for counts of C's rows, for nnz(C) and the
 * groups of rows, and at the end; for the lengths of lists of terms, too, if the plan makes them
 * for several executions. */
static void plans_wait_seldom(void **state)
{
    enum { WAITS = 4 };
    for (int number = 0; number < 4; number++) {
        int has_d = number % 2, executions = 1 + number / 2 * 99;
        product p = start(*state, narrow, narrow, narrow, has_d);
        spl_plan *plan = NULL;
        spl_matrix *c = NULL;
        p.host.options.keep_result = 1;
        p.host.options.executions = executions;
        EXPECT_OK(spl_spgemm_plan(p.s.context, &p.a.view, &p.b.view, summand(&p), &p.host.options,
                                  &plan));
        spl_counters counters = on_device_counters(plan);
        testing_case("%s, D %d, %d executions: %lld waits", (const char *)*state, has_d, executions,
                     (long long)counters.synchronisations);
        EXPECT(counters.synchronisations <= WAITS + (executions > 1));
        EXPECT_OK(spl_spgemm_execute(plan, &(double){2}, &(double){-0.5}, NULL, NULL));
        EXPECT_OK(spl_spgemm_take(plan, &c));
        spl_plan_destroy(plan);
        spl_sparse view = resident_view_of(c);
        resident_expect(&p.s, on_host(&p), &view);
        spl_matrix_destroy(c);
        stop(&p);
    }
}

/* ---- budgets ---- */

/* A plan's budget holds for C too, until C is the caller's. Budgets ascend, so that the peak is
 * this call's. */
/* C = A*B where a mask, on the host or there, has no positions, in one call: as on the CPU. */
static void complements_at_once(void **state)
{
    product p = start(*state, narrow, narrow, narrow, false);
    spl_context *cpu = testing_context(2);
    spl_options options = SPL_OPTIONS_INIT;
    options.mask_complement = 1;
    options.mask = &p.d.host.view;
    spl_matrix *expected = NULL;
    EXPECT_OK(
        spl_spgemm(cpu, NULL, &p.a.host.view, &p.b.host.view, NULL, NULL, &options, &expected));
    const spl_sparse e = resident_view_of(expected);
    for (int there = 0; there < 2; there++) {
        spl_matrix *c = NULL;
        testing_case("%s, the mask %s", (const char *)*state, there ? "there" : "on the host");
        options.mask = there ? &p.d.view : &p.d.host.view;
        EXPECT_OK(spl_spgemm(p.s.context, NULL, &p.a.view, &p.b.view, NULL, NULL, &options, &c));
        const spl_sparse view = resident_view_of(c);
        spl_sparse got = on_device_copy_to_host(&p.s, &view);
        EXPECT_OK(spl_validate(&got));
        EXPECT(got.nnz == e.nnz && e.nnz > 0 && got.offset_type == SPL_I32);
        EXPECT(memcmp(got.offsets, e.offsets, (size_t)(e.rows + 1) * sizeof(int32_t)) == 0);
        EXPECT(memcmp(got.indices, e.indices, (size_t)e.nnz * sizeof(int32_t)) == 0);
        for (int64_t k = 0; k < e.nnz; k++) {
            const double x = ((const double *)e.values)[k];
            EXPECT(fabs(((const double *)got.values)[k] - x) <= 1e-12 * (1 + fabs(x)));
        }
        on_device_drop_copy(&got);
        spl_matrix_destroy(c);
    }
    spl_matrix_destroy(expected);
    spl_context_destroy(cpu);
    stop(&p);
}

static void budgets_hold(void **state)
{
    product p = start(*state, wide, narrow, narrow, false);
    size_t operands = on_device_memory(&p.s).live;
    int served = 0, refused = 0;
    p.host.scalars = testing_scalars_of(1, 0);
    for (size_t budget = 1024; served < 2; budget += budget / 9) {
        spl_matrix *c = NULL;
        p.host.options.memory_budget = budget;
        spl_status status =
            spl_spgemm(p.s.context, NULL, &p.a.view, &p.b.view, NULL, NULL, &p.host.options, &c);
        spl_memory_info info = on_device_memory(&p.s);
        testing_case("%s, budget %zu, status %d, peak %zu", (const char *)*state, budget,
                     (int)status, info.peak - operands);
        EXPECT(status == SPL_OK || status == SPL_OVER_BUDGET);
        EXPECT(info.peak - operands <= budget && budget < 1 << 24);
        if (status == SPL_OK) {
            spl_sparse view = resident_view_of(c);
            resident_expect(&p.s, on_host(&p), &view);
            EXPECT(info.live > operands);
            spl_matrix_destroy(c);
        }
        EXPECT(on_device_memory(&p.s).live == operands);
        served += status == SPL_OK;
        refused += status != SPL_OK;
    }
    EXPECT(refused > 2);
    stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(every_width),       ON_BOTH_WIDTHS(copies_are_explained),
        ON_BOTH_WIDTHS(one_shot_squares),  ON_BOTH_WIDTHS(taken_matrices_stay_there),
        ON_BOTH_WIDTHS(plans_wait_seldom), ON_BOTH_WIDTHS(complements_at_once),
        ON_BOTH_WIDTHS(budgets_hold),      ON_BOTH_WIDTHS(forced_methods_serve_few_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
