/* SPDX-License-Identifier: Apache-2.0 */
/* Products of products on a device, as multigrid makes them: results are operands of the next plan,
 * and nothing but a few numbers comes to the host. */
#include "device/device.h"
#include "lib/on_device.h"

#include <stdlib.h>
#include <string.h>

/* ---- products of products ---- */

/* C = op(A)*B by a plan that keeps C and then hands it over; few bytes are copied to the host,
 * for matrices of any size. */
static spl_matrix *multiply(const on_device *s, const spl_sparse *a, spl_operator op,
                            const spl_sparse *b, spl_plan **plan)
{
    enum { FEW_BYTES = 2048 };
    spl_options options = SPL_OPTIONS_INIT;
    spl_matrix *c = NULL;
    options.op_a = op;
    options.keep_result = 1;
    EXPECT_OK(spl_spgemm_plan(s->context, a, b, NULL, &options, plan));
    EXPECT_OK(spl_spgemm_execute(*plan, NULL, NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(*plan, &c));
    spl_counters counters = on_device_counters(*plan);
    testing_case("%lld bytes came to the host", (long long)counters.fetched);
    EXPECT(counters.fetched > 0 && counters.fetched < FEW_BYTES);
    return c;
}

static spl_matrix *multiply_once(const on_device *s, const spl_sparse *a, spl_operator op,
                                 const spl_sparse *b)
{
    spl_plan *plan = NULL;
    spl_matrix *c = multiply(s, a, op, b, &plan);
    spl_plan_destroy(plan);
    return c;
}

static spgemm_run plain_run(const spl_sparse *a, spl_operator op, const spl_sparse *b)
{
    spgemm_run run = {a, b, NULL, SPL_OPTIONS_INIT, testing_scalars_of(1, 0), false};
    run.options.op_a = op;
    return run;
}

/* The coarse matrix of multigrid: P'*(A*P), with A and P and all that comes between
 * on the device. */
static void galerkin_product(void **state)
{
    on_device s = on_device_start(*state);
    const zoo_maker interpolation = {"interpolation", zoo_uniform, {300, 80, 2}, false},
                    grid = {"grid", zoo_banded, {300, 3}, false};
    resident a, p;
    zoo_matrix_make(&a.host, &grid, resident_form(4), testing_seed()); /* 64-bit columns */
    zoo_matrix_make(&p.host, &interpolation, resident_form(0), testing_seed());
    resident_upload(&s, &a);
    resident_upload(&s, &p);
    spl_matrix *ap = multiply_once(&s, &a.view, SPL_NONE, &p.view);
    spl_sparse ap_view = resident_view_of(ap);
    spl_matrix *coarse = multiply_once(&s, &p.view, SPL_TRANSPOSE, &ap_view);
    spl_sparse ap_home = on_device_copy_to_host(&s, &ap_view),
               coarse_view = resident_view_of(coarse);
    spgemm_run first = plain_run(&a.host.view, SPL_NONE, &p.host.view);
    spgemm_run second = plain_run(&p.host.view, SPL_TRANSPOSE, &ap_home);
    resident_expect(&s, &first, &ap_view);
    resident_expect(&s, &second, &coarse_view);
    spl_matrix_destroy(ap);
    spl_matrix_destroy(coarse);
    on_device_drop_copy(&ap_home);
    resident_free(&s, &a);
    resident_free(&s, &p);
    on_device_stop(&s);
}

/* A changes its values, not its structure: both products are computed again into the existing
 * arrays. */
static void galerkin_product_again(void **state)
{
    on_device s = on_device_start(*state);
    resident a = resident_make(&s, "uniform_40", 4), p = resident_make(&s, "uniform_40", 0);
    spl_plan *first = NULL, *second = NULL;
    void *ap_values = NULL, *coarse_values = NULL;
    spl_matrix *ap = multiply(&s, &a.view, SPL_NONE, &p.view, &first);
    spl_sparse ap_view = resident_view_of(ap);
    spl_matrix *coarse = multiply(&s, &p.view, SPL_TRANSPOSE, &ap_view, &second);
    EXPECT_OK(spl_matrix_arrays(ap, NULL, NULL, &ap_values));
    EXPECT_OK(spl_matrix_arrays(coarse, NULL, NULL, &coarse_values));
    for (int64_t k = 0; k < a.view.nnz; k++)
        zoo_value_set(a.host.values, SPL_F64, k, (double)(k % 9) - 4);
    EXPECT_OK(spl_array_copy(s.context, s.place, (void *)a.view.values, host_place, a.host.values,
                             resident_value_bytes(&a), NULL));
    EXPECT_OK(spl_plan_update_values(first, &a.view, NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_execute(first, NULL, NULL, ap_values, NULL));
    EXPECT_OK(spl_plan_update_values(second, NULL, &ap_view, NULL, NULL));
    EXPECT_OK(spl_spgemm_execute(second, NULL, NULL, coarse_values, NULL));
    spl_sparse ap_home = on_device_copy_to_host(&s, &ap_view),
               coarse_view = resident_view_of(coarse);
    spgemm_run one = plain_run(&a.host.view, SPL_NONE, &p.host.view);
    spgemm_run two = plain_run(&p.host.view, SPL_TRANSPOSE, &ap_home);
    resident_expect(&s, &one, &ap_view);
    resident_expect(&s, &two, &coarse_view);
    on_device_drop_copy(&ap_home);
    spl_plan_destroy(second);
    spl_plan_destroy(first);
    spl_matrix_destroy(coarse);
    spl_matrix_destroy(ap);
    resident_free(&s, &p);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* ---- a square whose factors become two matrices ---- */

/* Values of A*A, where B is then told to have others, by blocks with holes, which keep copies. */
static void squares_become_products(void **state)
{
    on_device s = on_device_start(*state);
    const zoo_maker scattered = {"nearly full", zoo_uniform, {24, 24, 20}, false};
    resident a;
    spl_plan *plan = NULL;
    zoo_matrix_make(&a.host, &scattered, resident_form(0), testing_seed());
    resident_upload(&s, &a);
    spl_options options = SPL_OPTIONS_INIT;
    options.method = "spgemm/numeric/gpu/blocks";
    EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &a.view, NULL, &options, &plan));
    char text[8192];
    EXPECT_OK(spl_plan_explain(plan, text, sizeof text, NULL));
    EXPECT(strstr(text, "% full"));
    spl_sparse c = resident_product(&s, plan), other = a.view, other_home = a.host.view;
    EXPECT_OK(spl_spgemm_export(plan, (void *)c.offsets, (void *)c.indices, NULL, NULL));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, (void *)c.values, NULL));
    spgemm_run square = plain_run(&a.host.view, SPL_NONE, &a.host.view);
    resident_expect(&s, &square, &c);
    double *values = malloc((size_t)a.view.nnz * sizeof *values);
    for (int64_t k = 0; k < a.view.nnz; k++)
        values[k] = (double)(k % 9) - 4;
    other_home.values = values;
    other.values = on_device_put(&s, values, (size_t)a.view.nnz * sizeof *values);
    EXPECT_OK(spl_plan_update_values(plan, NULL, &other, NULL, NULL));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, (void *)c.values, NULL));
    spgemm_run product = plain_run(&a.host.view, SPL_NONE, &other_home);
    resident_expect(&s, &product, &c);
    spl_plan_destroy(plan);
    resident_product_free(&s, &c);
    on_device_drop(&s, other.values, (size_t)a.view.nnz * sizeof *values);
    free(values);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* ---- streams ---- */

typedef struct two_streams {
    const spl__driver *driver;
    void *device;
    spl_stream streams[2];
} two_streams;

static two_streams open_streams(const char *name)
{
    two_streams t = {NULL, NULL, {{SPL_EMULATOR, NULL}, {SPL_EMULATOR, NULL}}};
    EXPECT_OK(spl__driver_find(strncmp(name, "emu64", 5) ? "emu" : "emu64", &t.driver));
    EXPECT(t.driver->open(strncmp(name, "emu64", 5) ? 0 : 1, &t.device) == SPL_OK);
    for (int k = 0; k < 2; k++)
        EXPECT(t.driver->stream_create(t.device, &t.streams[k].handle) == SPL_OK);
    return t;
}

static void close_streams(two_streams *t)
{
    for (int k = 0; k < 2; k++)
        t->driver->stream_destroy(t->device, t->streams[k].handle);
    t->driver->close(t->device);
}

/* Values are exported in one stream and computed anew in another, which is waited for first: the
 * export got the old ones. */
static void exports_are_not_overtaken(void **state)
{
    on_device s = on_device_start(*state);
    resident a = resident_make(&s, "uniform_40", 0);
    spl_options keeping = SPL_OPTIONS_INIT;
    two_streams t = open_streams(*state);
    spl_plan *plan = NULL;
    spl_matrix *old = NULL;
    const double twice = 2;
    keeping.keep_result = 1;
    EXPECT_OK(spl_spgemm_plan(s.context, &a.view, &a.view, NULL, &keeping, &plan));
    EXPECT_OK(spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    EXPECT_OK(spl_spgemm_take(plan, &old));
    spl_sparse view = resident_view_of(old), exported = view,
               expected = on_device_copy_to_host(&s, &view);
    void *zeros = calloc((size_t)view.nnz, sizeof(double));
    exported.values = on_device_put(&s, zeros, (size_t)view.nnz * sizeof(double));
    EXPECT_OK(spl_spgemm_export(plan, NULL, NULL, (void *)exported.values, &t.streams[0]));
    EXPECT_OK(spl_spgemm_execute(plan, &twice, NULL, NULL, &t.streams[1]));
    EXPECT_OK(spl_sync(s.context, &t.streams[1]));
    EXPECT_OK(spl_sync(s.context, &t.streams[0]));
    spl_sparse host_view = on_device_copy_to_host(&s, &exported);
    EXPECT(memcmp(host_view.values, expected.values, (size_t)view.nnz * sizeof(double)) == 0);
    on_device_drop_copy(&host_view);
    on_device_drop_copy(&expected);
    on_device_drop(&s, exported.values, (size_t)view.nnz * sizeof(double));
    free(zeros);
    spl_matrix_destroy(old);
    spl_plan_destroy(plan);
    close_streams(&t);
    resident_free(&s, &a);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(galerkin_product),
        ON_BOTH_WIDTHS(galerkin_product_again),
        ON_BOTH_WIDTHS(squares_become_products),
        ON_BOTH_WIDTHS(exports_are_not_overtaken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
