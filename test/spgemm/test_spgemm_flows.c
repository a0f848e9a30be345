/* SPDX-License-Identifier: Apache-2.0 */
/* The ways from plan to C: caller's arrays, kept values, a bound that becomes exact, a matrix that
 * outlives the plan. */
#include "lib/run_products.h"

#include <string.h>

static const char bound_method[] = "spgemm/symbolic/cpu/upper_bound";

typedef struct flow {
    spl_context *context;
    zoo_matrix a, d;
    spgemm_run run;
} flow;

static int start(void **state)
{
    static flow f;
    f.context = testing_context(2);
    zoo_matrix_make(&f.a, zoo_find("uniform_40"), zoo_form_number(0), testing_seed());
    zoo_matrix_make(&f.d, &(zoo_maker){"summand", zoo_uniform, {40, 40, 2}, false},
                    zoo_form_number(0), 9);
    f.run = (spgemm_run){
        &f.a.view, &f.a.view, &f.d.view, SPL_OPTIONS_INIT, testing_scalars_of(1, -1), false};
    testing_case("flow");
    *state = &f;
    return 0;
}

static int stop(void **state)
{
    flow *f = *state;
    zoo_matrix_free(&f->a);
    zoo_matrix_free(&f->d);
    spl_context_destroy(f->context);
    return 0;
}

static spl_plan *plan_of(const flow *f)
{
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spgemm_plan(f->context, f->run.a, f->run.b, f->run.d, &f->run.options, &plan));
    return plan;
}

static void structure_is_known_after_the_plan(void **state)
{
    flow *f = *state;
    spl_plan *plan = plan_of(f);
    spl_result result = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &result));
    EXPECT(result.exact == 1 && result.rows == 40 && result.cols == 40 && result.type == SPL_F64);
    EXPECT(result.offset_type == SPL_I32 && result.index_type == SPL_I32);
    int32_t offsets[41];
    EXPECT_OK(spl_spgemm_export(plan, offsets, NULL, NULL, NULL));
    EXPECT(offsets[0] == 0 && offsets[40] == result.nnz);
    guarded values = guarded_new((size_t)result.nnz * sizeof(double));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_export(plan, NULL, NULL, values.data, NULL));
    EXPECT(guarded_untouched(&values));
    /* nothing to keep them in */
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_execute(plan, NULL, NULL, NULL, NULL));
    guarded_free(&values);
    spl_plan_destroy(plan);
}

static void one_plan_many_scalars(void **state)
{
    flow *f = *state;
    spl_plan *plan = plan_of(f);
    bool bound = plan_has_bound(plan);
    for (int s = 0; s < TEST_SCALARS; s++) {
        test_product c;
        f->run.scalars = testing_scalars(s);
        testing_case("scalars %d", s);
        EXPECT_OK(execute_spgemm(plan, bound, &f->run, &c));
        expect_spgemm(&f->run, &c.view);
        test_product_free(&c);
    }
    spl_plan_destroy(plan);
}

static spl_matrix *take(spl_plan *plan)
{
    spl_matrix *c = NULL;
    EXPECT_OK(spl_spgemm_take(plan, &c));
    EXPECT(c != NULL);
    return c;
}

static void expect_matrix(const flow *f, const spl_matrix *c)
{
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &view));
    expect_spgemm(&f->run, &view);
}

static void kept_values_can_be_exported_and_taken(void **state)
{
    flow *f = *state;
    f->run.options.keep_result = 1;
    spl_plan *plan = plan_of(f);
    spl_matrix *none = NULL;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_take(plan, &none)); /* not computed yet */
    EXPECT(none == NULL);
    const double alpha = 1, beta = -1;
    EXPECT_OK(spl_spgemm_execute(plan, &alpha, &beta, NULL, NULL));
    spl_result result = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &result));
    guarded values = guarded_new((size_t)result.nnz * sizeof(double));
    EXPECT_OK(spl_spgemm_export(plan, NULL, NULL, values.data, NULL));
    EXPECT(guarded_intact(&values));
    spl_matrix *c = take(plan);
    spl_plan_destroy(plan);
    expect_matrix(f, c); /* outlives the plan */
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &view));
    EXPECT(view.nnz == result.nnz && memcmp(view.values, values.data, values.bytes) == 0);
    guarded_free(&values);
    spl_matrix_destroy(c);
}

/* A plan with a bound: before the first execution nnz(C) is not exact, and nothing can be
 * exported. */
static void expect_only_a_bound(spl_plan *plan, spl_result *result)
{
    EXPECT_OK(spl_spgemm_result(plan, result));
    EXPECT(result->exact == 0);
    guarded array = guarded_new((size_t)result->nnz * sizeof(double));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_export(plan, array.data, NULL, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_export(plan, NULL, array.data, NULL, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_execute(plan, NULL, NULL, array.data, NULL));
    spl_matrix *none = NULL;
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_take(plan, &none));
    EXPECT(none == NULL && guarded_untouched(&array));
    guarded_free(&array);
}

static void a_bound_becomes_exact(void **state)
{
    flow *f = *state;
    if (testing_device()) /* no method of devices leaves a bound */
        skip();
    f->run.options.method = bound_method;
    for (int with_d = 0; with_d < 2; with_d++) {
        f->run.d = with_d ? &f->d.view : NULL;
        spl_plan *plan = plan_of(f);
        spl_result before = SPL_RESULT_INIT, after = SPL_RESULT_INIT;
        expect_only_a_bound(plan, &before);
        const double alpha = 1, beta = -1;
        for (int repeat = 0; repeat < 3; repeat++) {
            EXPECT_OK(spl_spgemm_execute(plan, &alpha, &beta, NULL, NULL));
            EXPECT_OK(spl_spgemm_result(plan, &after));
            EXPECT(after.exact == 1 && after.nnz <= before.nnz);
        }
        spl_matrix *taken = take(plan);
        spl_plan_destroy(plan);
        expect_matrix(f, taken);
        spl_matrix_destroy(taken);
    }
}

/* The exported arrays of a bound are compacted, and fit the number that is told after the first
 * execute. */
static void a_bound_is_exported_compact(void **state)
{
    flow *f = *state;
    if (testing_device()) /* no method of devices leaves a bound */
        skip();
    f->run.options.method = bound_method;
    test_product bound, exact;
    EXPECT_OK(compute_spgemm(f->context, &f->run, &bound));
    f->run.options.method = NULL;
    f->run.options.keep_result = 1;
    EXPECT_OK(compute_spgemm(f->context, &f->run, &exact));
    EXPECT(bound.view.nnz == exact.view.nnz);
    EXPECT(memcmp(bound.offsets.data, exact.offsets.data, exact.offsets.bytes) == 0);
    EXPECT(memcmp(bound.indices.data, exact.indices.data, exact.indices.bytes) == 0);
    expect_spgemm(&f->run, &bound.view);
    test_product_free(&bound);
    test_product_free(&exact);
}

static void result_offsets_can_be_widened(void **state)
{
    flow *f = *state;
    f->run.options.result_offset_type = SPL_I64;
    test_product c;
    EXPECT_OK(compute_spgemm(f->context, &f->run, &c));
    EXPECT(c.view.offset_type == SPL_I64);
    expect_spgemm(&f->run, &c.view);
    test_product_free(&c);
}

/* "unsorted" may, but need not, leave columns in another order; the entries are the same. */
static void unsorted_has_the_same_entries(void **state)
{
    flow *f = *state;
    f->run.options.unsorted = 1;
    EXPECT_OK(run_spgemm(f->context, &f->run));
    f->run.one_shot = true;
    EXPECT_OK(run_spgemm(f->context, &f->run));
}

static void other_operations_have_no_sparse_result(void **state)
{
    flow *f = *state;
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(f->context, &f->a.view, NULL, &plan));
    spl_result result = SPL_RESULT_INIT;
    spl_matrix *c = NULL;
    double y[40] = {0};
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_result(plan, &result));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_execute(plan, NULL, NULL, y, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_export(plan, NULL, NULL, y, NULL));
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spgemm_take(plan, &c));
    spl_plan_destroy(plan);
    f->run.d = NULL;
    plan = plan_of(f);
    EXPECT_STATUS(SPL_INVALID_ARGUMENT, spl_spmv_execute(plan, NULL, y, NULL, y, NULL));
    spl_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(structure_is_known_after_the_plan, start, stop),
        cmocka_unit_test_setup_teardown(one_plan_many_scalars, start, stop),
        cmocka_unit_test_setup_teardown(kept_values_can_be_exported_and_taken, start, stop),
        cmocka_unit_test_setup_teardown(a_bound_becomes_exact, start, stop),
        cmocka_unit_test_setup_teardown(a_bound_is_exported_compact, start, stop),
        cmocka_unit_test_setup_teardown(result_offsets_can_be_widened, start, stop),
        cmocka_unit_test_setup_teardown(unsorted_has_the_same_entries, start, stop),
        cmocka_unit_test_setup_teardown(other_operations_have_no_sparse_result, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
