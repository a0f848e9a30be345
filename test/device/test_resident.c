/* SPDX-License-Identifier: Apache-2.0 */
/* Products of operands that live on a device, at both widths of the emulator, which ends the
 * process if the host touches device memory, and does nothing of what is enqueued until somebody
 * waits. */
#include "lib/on_device.h"

#include <stdlib.h>
#include <string.h>

static void expect_product(const spl_sparse *a, const test_dense *b, const test_dense *before,
                           const test_dense *after, test_scalars scalars)
{
    size_t size = zoo_type_bytes(a->type);
    int64_t m = after->view.rows, n = b->view.rows;
    oracle_sum *sums = zoo_allocate((size_t)m * sizeof *sums);
    void *x = zoo_allocate((size_t)n * size), *y = zoo_allocate((size_t)m * size);
    for (int64_t j = 0; j < after->view.cols; j++) {
        for (int64_t i = 0; i < n; i++)
            zoo_value_set(x, a->type, i, test_dense_at(b, i, j));
        for (int64_t i = 0; i < m; i++)
            zoo_value_set(y, a->type, i, test_dense_at(before, i, j));
        oracle_spmv(sums, a, SPL_NONE, testing_alpha(scalars), x, testing_beta(scalars), y);
        for (int64_t i = 0; i < m; i++)
            EXPECT(oracle_accepts(&sums[i], test_dense_at(after, i, j), a->type));
    }
    EXPECT(test_dense_padding_intact(after));
    free(sums);
    free(x);
    free(y);
}

/* ---- plans that are executed ---- */

/* One product of the plan with dense operands of its own; SpMV if `columns` is 0. Executions
 * enqueue and do nothing else. */
static void multiply(const on_device *s, spl_plan *plan, const resident *a, int64_t columns,
                     test_scalars scalars)
{
    const spl_sparse *v = &a->host.view;
    int64_t width = columns ? columns : 1, pad = columns ? 2 : 0;
    double storage[2];
    const void *alpha = testing_scalar_pointer(scalars.alpha, v->type, &storage[0]);
    const void *beta = testing_scalar_pointer(scalars.beta, v->type, &storage[1]);
    test_dense b = test_dense_new(v->cols, width, v->type, SPL_ROW_MAJOR, pad);
    test_dense c = test_dense_new(v->rows, width, v->type, SPL_COLUMN_MAJOR, pad);
    test_dense_fill(&b, ZOO_REAL, 5);
    if (testing_beta(scalars) != 0)
        test_dense_fill(&c, ZOO_REAL, 6);
    test_dense before = test_dense_copy(&c);
    spl_dense device_b = resident_dense(s, &b), device_c = resident_dense(s, &c);
    spl_counters old = on_device_counters(plan);
    int64_t allocations = on_device_memory(s).allocations;
    if (columns)
        EXPECT_OK(spl_spmm_execute(plan, alpha, &device_b, beta, &device_c, NULL));
    else
        EXPECT_OK(spl_spmv_execute(plan, alpha, device_b.values, beta, device_c.values, NULL));
    spl_counters now = on_device_counters(plan);
    EXPECT(now.launches > old.launches || v->rows == 0);
    EXPECT(now.synchronisations == old.synchronisations && now.executions == old.executions + 1);
    EXPECT(now.allocations == old.allocations && on_device_memory(s).allocations == allocations);
    resident_dense_end(s, &c, &device_c);
    expect_product(v, &b, &before, &c, scalars);
    on_device_drop(s, device_b.values, b.memory.bytes);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&before);
}

static spl_status make_plan(const on_device *s, const spl_sparse *a, int64_t columns,
                            const spl_options *options, spl_plan **plan)
{
    return columns ? spl_spmm_plan(s->context, a, columns, options, plan)
                   : spl_spmv_plan(s->context, a, options, plan);
}

static void try_method(const on_device *s, const resident *a, int64_t columns, const char *method)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = method;
    spl_status status = make_plan(s, &a->view, columns, &options, &plan);
    if (method && status == SPL_UNSUPPORTED)
        return;
    testing_status(SPL_OK, status, "a plan", __FILE__, __LINE__);
    for (int number = 0; number < TEST_SCALARS; number += 6)
        multiply(s, plan, a, columns, testing_scalars(number));
    spl_plan_destroy(plan);
}

static int gpu_methods(const char *prefix, const char **ids, int room)
{
    int count = 0;
    for (int32_t m = 0; m < spl_method_count(); m++) {
        spl_method_info info = SPL_METHOD_INFO_INIT;
        EXPECT_OK(spl_method(m, &info));
        if (!strncmp(info.id, prefix, strlen(prefix)) && count < room)
            ids[count++] = info.id;
    }
    EXPECT(count > 0);
    return count;
}

static void try_methods(const on_device *s, const char *device, const char *prefix, int64_t columns)
{
    const char *ids[32] = {NULL}; /* first the planner's choice */
    int count = 1 + gpu_methods(prefix, ids + 1, 31);
    const int step = testing_scale() > 1 ? 3 : 1;
    for (int m = 0; m < zoo_tiny_count; m += step) {
        resident a = resident_make(s, zoo_tiny[m].name, m % RESIDENT_FORMS);
        for (int k = 0; k < count; k++) {
            testing_case("%s, %s, form %d, %lld columns, method %s", device, zoo_tiny[m].name,
                         m % RESIDENT_FORMS, (long long)columns, ids[k] ? ids[k] : "auto");
            try_method(s, &a, columns, ids[k]);
        }
        resident_free(s, &a);
    }
}

static void products(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    try_methods(&s, device, "spmv/compute/gpu/", 0);
    try_methods(&s, device, "spmm/compute/gpu/", 1);
    try_methods(&s, device, "spmm/compute/gpu/", 9);
    on_device_stop(&s);
}

/* Other contents in the same array, other arrays. */
static void new_values(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    for (int64_t columns = 0; columns < 4; columns += 3) {
        resident a = resident_make(&s, "uniform_40", 0);
        spl_plan *plan = NULL;
        EXPECT_OK(make_plan(&s, &a.view, columns, NULL, &plan));
        for (int round = 0; round < 4; round++) {
            testing_case("%s, %lld columns, round %d of new values", device, (long long)columns,
                         round);
            size_t bytes = resident_value_bytes(&a);
            for (int64_t p = 0; p < a.view.nnz; p++)
                zoo_value_set(a.host.values, SPL_F64, p, (double)(p % (5 + round)) - 2);
            if (round % 2) {
                on_device_drop(&s, a.view.values, bytes);
                a.view.values = on_device_put(&s, a.host.values, bytes);
            } else {
                EXPECT_OK(spl_array_copy(s.context, s.place, (void *)a.view.values, host_place,
                                         a.host.values, bytes, NULL));
            }
            EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
            multiply(&s, plan, &a, columns, testing_scalars_of(1, 0.5));
        }
        EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                      spl_plan_update_values(plan, &a.host.view, NULL, NULL, NULL));
        spl_plan_destroy(plan);
        resident_free(&s, &a);
    }
    on_device_stop(&s);
}

/* Scalars are read when the product is computed, not when it is enqueued. */
static void device_scalars(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    resident a = resident_make(&s, "uniform_40", 0);
    double scalars[2] = {2, -1};
    double *device_data = on_device_put(&s, scalars, sizeof scalars);
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.scalar_place = s.place;
    EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
    for (int round = 0; round < 3; round++) {
        testing_case("%s, scalars on the device, round %d", device, round);
        test_dense x = test_dense_new(a.view.cols, 1, SPL_F64, SPL_COLUMN_MAJOR, 0);
        test_dense y = test_dense_new(a.view.rows, 1, SPL_F64, SPL_COLUMN_MAJOR, 0);
        test_dense_fill(&x, ZOO_REAL, 5);
        test_dense_fill(&y, ZOO_REAL, 6);
        test_dense before = test_dense_copy(&y);
        spl_dense device_x = resident_dense(&s, &x), device_y = resident_dense(&s, &y);
        scalars[0] = round - 1; /* alpha 0 too */
        EXPECT_OK(spl_array_copy(s.context, s.place, device_data, host_place, scalars,
                                 sizeof scalars, NULL));
        EXPECT_OK(spl_spmv_execute(plan, device_data, device_x.values, device_data + 1,
                                   device_y.values, NULL));
        resident_dense_end(&s, &y, &device_y);
        expect_product(&a.host.view, &x, &before, &y, testing_scalars_of(scalars[0], scalars[1]));
        on_device_drop(&s, device_x.values, x.memory.bytes);
        test_dense_free(&x);
        test_dense_free(&y);
        test_dense_free(&before);
    }
    spl_plan_destroy(plan);
    EXPECT_STATUS(SPL_UNSUPPORTED, spl_spmv_plan(s.context, &a.host.view, &options, &plan));
    on_device_drop(&s, device_data, sizeof scalars);
    resident_free(&s, &a);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(products),
        ON_BOTH_WIDTHS(new_values),
        ON_BOTH_WIDTHS(device_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
