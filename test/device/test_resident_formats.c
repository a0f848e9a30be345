/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices on a device in every format, and transposed: devices arrange a copy of those that
 * kernels cannot read. */
#include "lib/on_device.h"

#include <stdlib.h>
#include <string.h>

/* y of the plan against the oracle on the same matrix on the host. */
static void expect_plan(const on_device *s, spl_plan *plan, const resident *a, spl_operator op)
{
    const spl_sparse *v = &a->host.view;
    test_dense x = test_dense_new(op_cols(v, op), 1, v->type, SPL_COLUMN_MAJOR, 0);
    test_dense y = test_dense_new(op_rows(v, op), 1, v->type, SPL_COLUMN_MAJOR, 0);
    oracle_sum *sums = zoo_allocate((size_t)y.view.rows * sizeof *sums);
    test_dense_fill(&x, ZOO_REAL, 5);
    spl_dense device_x = resident_dense(s, &x), device_y = resident_dense(s, &y);
    EXPECT_OK(spl_spmv_execute(plan, NULL, device_x.values, NULL, device_y.values, NULL));
    resident_dense_end(s, &y, &device_y);
    oracle_spmv(sums, v, op, 1, x.view.values, 0, y.view.values);
    for (int64_t i = 0; i < y.view.rows; i++)
        EXPECT(oracle_accepts(&sums[i], test_dense_at(&y, i, 0), v->type));
    on_device_drop(s, device_x.values, x.memory.bytes);
    test_dense_free(&x);
    test_dense_free(&y);
    free(sums);
}

/* Once as it is, once with other values in the same array. */
static void try_matrix(const on_device *s, resident *a, spl_operator op)
{
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.op_a = op;
    EXPECT_OK(spl_spmv_plan(s->context, &a->view, &options, &plan));
    expect_plan(s, plan, a, op);
    for (int64_t p = 0; p < a->view.nnz; p++)
        zoo_value_set(a->host.values, a->view.type, p, (double)(p % 7) - 3);
    if (a->view.nnz > 0)
        EXPECT_OK(spl_array_copy(s->context, s->place, (void *)a->view.values, host_place,
                                 a->host.values, resident_value_bytes(a), NULL));
    EXPECT_OK(spl_plan_update_values(plan, &a->view, NULL, NULL, NULL));
    expect_plan(s, plan, a, op);
    spl_plan_destroy(plan);
}

static void every_format(void **state)
{
    static const spl_format formats[] = {SPL_CSR, SPL_CSC, SPL_COO};
    static const spl_type types[] = {SPL_F64, SPL_F32, SPL_F16, SPL_BF16};
    const char *device = *state;
    on_device s = on_device_start(device);
    for (int m = 0; m < zoo_tiny_count; m++)
        for (int n = 0; n < 6; n++) {
            resident a;
            spl_index indices = m % 3 == 2 ? SPL_I64 : SPL_I32;
            spl_index offsets = m & 1 && formats[n / 2] != SPL_COO ? SPL_I64 : indices;
            zoo_form form = {formats[n / 2], types[m / 2 % 4], offsets, indices};
            zoo_matrix_make(&a.host, &zoo_tiny[m], form, testing_seed());
            resident_upload(&s, &a);
            testing_case("%s, %s, %s%s", device, zoo_tiny[m].name, zoo_form_name(form),
                         n & 1 ? ", transposed" : "");
            try_matrix(&s, &a, n & 1 ? SPL_TRANSPOSE : SPL_NONE);
            resident_free(&s, &a);
        }
    on_device_stop(&s);
}

/* Coordinates out of range are told like columns of CSR. */
static void coordinates_are_checked(void **state)
{
    const char *device = *state;
    on_device s = on_device_start(device);
    for (int k = 0; k < 2; k++) {
        resident a;
        spl_plan *plan = NULL;
        zoo_matrix_make(&a.host, zoo_find("uniform_40"),
                        (zoo_form){SPL_COO, SPL_F64, SPL_I32, SPL_I32}, 1);
        zoo_index_set(k ? a.host.indices : a.host.offsets, SPL_I32, 7, k ? -1 : 1000000);
        resident_upload(&s, &a);
        EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spmv_plan(s.context, &a.view, NULL, &plan));
        EXPECT(strstr(spl_error_detail(), "entry 7") != NULL);
        resident_free(&s, &a);
    }
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH_WIDTHS(every_format),
        ON_BOTH_WIDTHS(coordinates_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
