/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 5: the same bits for any number of threads and any run. */
#include "lib/run_products.h"

#include <stdlib.h>
#include <string.h>

static const int thread_counts[] = {1, 2, 3, 8, 2};
enum { RUNS = sizeof thread_counts / sizeof *thread_counts };

static const char *const names[] = {"box3d_d2", "rmat_1024", "dense_row_2000", "unsorted_900",
                                    "duplicates_300"};
enum { NAMES = sizeof names / sizeof *names };

/* Writes the result's bytes into a new block. */
typedef void *(*product_fn)(spl_context *context, const zoo_matrix *a, int variant, size_t *bytes);

static void *spmv_bytes(spl_context *context, const zoo_matrix *a, int variant, size_t *bytes)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.deterministic = 1; /* else the choice may depend on threads */
    options.op_a = variant & 1 ? SPL_TRANSPOSE : SPL_NONE;
    test_dense x = test_dense_new(a->view.cols, 1, a->view.type, SPL_COLUMN_MAJOR, 0);
    test_dense_fill(&x, ZOO_REAL, 1);
    *bytes = (size_t)a->view.rows * zoo_type_bytes(a->view.type);
    void *y = zoo_allocate(*bytes);
    EXPECT_OK(spl_spmv(context, NULL, &a->view, x.view.values, NULL, y, &options));
    test_dense_free(&x);
    return y;
}

/* Every method, independent of the planner's choice; `variant` is a method's number. */
static const char *spmv_methods[16];

static void *spmv_method_bytes(spl_context *context, const zoo_matrix *a, int variant,
                               size_t *bytes)
{
    spl_options options = SPL_OPTIONS_INIT;
    options.method = spmv_methods[variant];
    test_dense x = test_dense_new(a->view.cols, 1, a->view.type, SPL_COLUMN_MAJOR, 0);
    test_dense_fill(&x, ZOO_REAL, 1);
    *bytes = (size_t)a->view.rows * zoo_type_bytes(a->view.type);
    void *y = zoo_allocate(2 * *bytes), *second = (char *)y + *bytes;
    memset(y, 0, 2 * *bytes);
    spl_plan *plan = NULL;
    spl_status status = spl_spmv_plan(context, &a->view, &options, &plan);
    EXPECT(status == SPL_OK || status == SPL_UNSUPPORTED); /* some formats refuse some matrices */
    if (plan) {
        EXPECT_OK(spl_spmv_execute(plan, NULL, x.view.values, NULL, y, NULL));
        EXPECT_OK(spl_spmv_execute(plan, NULL, x.view.values, NULL, second, NULL));
        EXPECT(memcmp(y, second, *bytes) == 0); /* which sweeps backwards: plan/sweep.h */
    }
    spl_plan_destroy(plan);
    test_dense_free(&x);
    return y;
}

static void *spmm_bytes(spl_context *context, const zoo_matrix *a, int variant, size_t *bytes)
{
    enum { COLUMNS = 11 };
    spl_options options = SPL_OPTIONS_INIT;
    options.deterministic = 1; /* else the choice may depend on threads */
    options.op_a = variant & 1 ? SPL_TRANSPOSE : SPL_NONE;
    test_dense b = test_dense_new(a->view.cols, COLUMNS, a->view.type, SPL_ROW_MAJOR, 0);
    test_dense_fill(&b, ZOO_REAL, 1);
    *bytes = (size_t)a->view.rows * COLUMNS * zoo_type_bytes(a->view.type);
    spl_dense c = b.view;
    c.rows = a->view.rows;
    c.values = zoo_allocate(2 * *bytes);
    spl_dense second = c;
    second.values = (char *)c.values + *bytes;
    spl_plan *plan;
    EXPECT_OK(spl_spmm_plan(context, &a->view, COLUMNS, &options, &plan));
    EXPECT_OK(spl_spmm_execute(plan, NULL, &b.view, NULL, &c, NULL));
    EXPECT_OK(spl_spmm_execute(plan, NULL, &b.view, NULL, &second, NULL));
    EXPECT(memcmp(c.values, second.values, *bytes) == 0);
    spl_plan_destroy(plan);
    test_dense_free(&b);
    return c.values;
}

static void *spgemm_bytes(spl_context *context, const zoo_matrix *a, int variant, size_t *bytes)
{
    const char *const methods[] = {NULL, testing_method("spgemm/symbolic/", "upper_bound")};
    spgemm_run run = {&a->view, &a->view, &a->view, SPL_OPTIONS_INIT, testing_scalars_of(1, 0.5),
                      false};
    run.options.deterministic = 1;
    run.options.op_b = variant & 2 ? SPL_TRANSPOSE : SPL_NONE;
    run.options.unsorted = variant >> 2;
    run.options.method = methods[variant & 1];
    run.options.processors = testing_processors("spgemm/");
    test_product c;
    EXPECT_OK(compute_spgemm(context, &run, &c));
    *bytes = c.values.bytes + c.indices.bytes;
    char *copy = zoo_allocate(*bytes);
    memcpy(copy, c.values.data, c.values.bytes);
    memcpy(copy + c.values.bytes, c.indices.data, c.indices.bytes);
    test_product_free(&c);
    return copy;
}

/* Host threads hardly affect devices; spgemm/test_spgemm_rows varies the devices' schedules. */
static void expect_same_bits(product_fn product, const zoo_matrix *a, int variant)
{
    enum { RUNS_ON_DEVICES = 2 };
    int runs = testing_device() ? RUNS_ON_DEVICES : RUNS;
    void *first = NULL;
    size_t first_bytes = 0;
    for (int r = 0; r < runs; r++) {
        size_t bytes;
        spl_context *context = testing_context(thread_counts[r]);
        void *result = product(context, a, variant, &bytes);
        spl_context_destroy(context);
        if (r == 0) {
            first = result;
            first_bytes = bytes;
            continue;
        }
        EXPECT(bytes == first_bytes && memcmp(result, first, bytes) == 0);
        free(result);
    }
    free(first);
}

enum { LARGE_SCALE = 20 };

static int form_step(void)
{
    return testing_scale() >= LARGE_SCALE ? ZOO_FORMS : testing_scale() > 1 ? 9 : 4;
}

/* In scaled-down runs each matrix gets every second variant. */
static int variant_step(void)
{
    return testing_scale() >= LARGE_SCALE ? 2 : 1;
}

static void compare(product_fn product, int variants)
{
    for (int n = 0; n < NAMES; n++)
        for (int form = 0; form < ZOO_FORMS; form += form_step()) {
            zoo_matrix a;
            zoo_matrix_make(&a, zoo_find(names[n]), zoo_form_number(form), testing_seed());
            for (int variant = n % variant_step(); variant < variants; variant += variant_step()) {
                testing_case("%s, %s, variant %d", names[n], zoo_form_name(zoo_form_number(form)),
                             variant);
                expect_same_bits(product, &a, variant);
            }
            zoo_matrix_free(&a);
        }
}

static void spmv(void **state)
{
    (void)state;
    compare(spmv_bytes, 2);
}

static void spmv_by_method(void **state)
{
    (void)state;
    compare(spmv_method_bytes, testing_methods("spmv/", spmv_methods, 16));
}

static void spmm(void **state)
{
    (void)state;
    compare(spmm_bytes, 2);
}

static void spgemm(void **state)
{
    (void)state;
    compare(spgemm_bytes, testing_scale() > 1 ? 4 : 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmv),
        cmocka_unit_test(spmv_by_method),
        cmocka_unit_test(spmm),
        cmocka_unit_test(spgemm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
