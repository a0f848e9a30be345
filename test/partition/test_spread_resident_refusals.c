/* SPDX-License-Identifier: Apache-2.0 */
/* What plans of several processors refuse of a matrix that lives on a device, and what they notice
 * in calls. */
#include "lib/several_dense.h"

#include <string.h>

static spl_status plan_status(const on_device *s, const spl_sparse *a, spl_options options)
{
    spl_plan *plan = NULL;
    spl_status status = spl_spmv_plan(s->context, a, &options, &plan);
    spl_plan_destroy(plan);
    return status;
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_40", 0);
    spl_options options = several_options(7, 0, NULL), scalars = options;
    EXPECT_STATUS(SPL_UNSUPPORTED,
                  plan_status(&s, &a.view, several_options(3, SPL_PARTITION_DENSITY, NULL)));
    scalars.scalar_place = s.place;
    EXPECT_STATUS(SPL_UNSUPPORTED, plan_status(&s, &a.view, scalars));
    spl_sparse elsewhere = a.view;
    elsewhere.place.ordinal = 5;
    EXPECT_STATUS(SPL_UNSUPPORTED, plan_status(&s, &elsewhere, options));
    EXPECT(strstr(spl_error_detail(), "ordinal 5: the context has no such device"));
    elsewhere.place.ordinal = 1;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, plan_status(&s, &elsewhere, options));
    EXPECT(strstr(spl_error_detail(), "not in the memory of"));
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* Operands on the host, and columns that are wrong: nothing is written. */
static void wrong_operands_are_noticed(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_40", 0);
    spl_options options = several_options(3, SPL_PARTITION_NNZ, shares[0]);
    spmm_run run = several_vector_run(&a, options, testing_scalars_of(1, 0));
    several_dense o = several_dense_of(&s, &run);
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmv_execute(plan, NULL, o.b.view.values, NULL, o.device_c.values, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT,
                  spl_spmv_execute(plan, NULL, o.device_b.values, NULL, o.c.view.values, NULL));
    EXPECT_OK(spl_spmv_execute(plan, NULL, o.device_b.values, NULL, o.device_c.values, NULL));
    several_dense_expect(&s, &run, &o);
    spl_plan_destroy(plan);
    resident_free(&s, &a);
    zoo_matrix_make(&a.host, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    zoo_index_set(a.host.indices, a.host.view.index_type, a.host.view.nnz - 1, a.host.view.cols);
    resident_upload(&s, &a);
    EXPECT_STATUS(SPL_INVALID_MATRIX, plan_status(&s, &a.view, options));
    several_dense_free(&s, &o);
    resident_free(&s, &a);
    on_device_stop(&s);
}

/* An unannounced change is detected, if the check is requested, in the rows of every processor. */
static void unannounced_values_are_noticed(void **state)
{
    (void)state;
    on_device s = several_start(1);
    resident a = resident_make(&s, "uniform_40", 0);
    spl_options options = several_options(7, SPL_PARTITION_NNZ, shares[0]);
    options.check_inputs = 1;
    spmm_run run = several_vector_run(&a, options, testing_scalars_of(1, 0));
    several_dense o = several_dense_of(&s, &run);
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(s.context, &a.view, &options, &plan));
    EXPECT_OK(spl_spmv_execute(plan, NULL, o.device_b.values, NULL, o.device_c.values, NULL));
    zoo_value_set(a.host.values, SPL_F64, 0, 77);
    EXPECT_OK(spl_array_copy(s.context, s.place, (void *)a.view.values, host_place, a.host.values,
                             sizeof(double), NULL));
    EXPECT_STATUS(SPL_STALE,
                  spl_spmv_execute(plan, NULL, o.device_b.values, NULL, o.device_c.values, NULL));
    EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
    EXPECT_OK(spl_spmv_execute(plan, NULL, o.device_b.values, NULL, o.device_c.values, NULL));
    several_dense_expect(&s, &run, &o);
    spl_plan_destroy(plan);
    several_dense_free(&s, &o);
    resident_free(&s, &a);
    on_device_stop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(wrong_operands_are_noticed),
        cmocka_unit_test(unannounced_values_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
