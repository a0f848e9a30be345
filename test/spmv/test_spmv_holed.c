/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV of matrices in dense blocks that have holes, by the method for them. x is NaN wherever A has
 * no entry in a column: a hole must be nothing at all. */
#include "lib/run_products.h"
#include "zoo/holed_matrices.h"

#include <math.h>
#include <stdlib.h>

static const char *method(void)
{
    return testing_method("spmv/compute/", "holed_blocks");
}

/* A device's method takes whole nodes only, and rows of about the same length. */
static bool serves(const holed_shape *s)
{
    return !testing_device() || (s->cut == 0 && s->nodes.make != zoo_dense_row);
}

/* ---- products ---- */

static void holes_are_no_entries(void **state)
{
    (void)state;
    static const int csr_forms[] = {0, 3, 6, 9, 12, 15};
    spl_context *context = testing_context(2);
    for (int n = 0; n < holed_shape_count; n++)
        for (int size = 2; size <= 6; size++)
            for (int scalars = n % testing_scale(); scalars < TEST_SCALARS;
                 scalars += 4 * testing_scale()) {
                zoo_matrix a;
                if (!serves(&holed_shapes[n]))
                    continue;
                int form = csr_forms[(n + size + scalars) % 6];
                holed_matrix(&a, &holed_shapes[n], size, form);
                testing_case("%s, blocks of %d, %s", holed_shapes[n].name, size,
                             zoo_form_name(zoo_form_number(form)));
                spmv_run run = {&a.view, SPL_OPTIONS_INIT, testing_scalars(scalars), false};
                run.options.method = method();
                EXPECT_OK(run_spmv(context, &run));
                zoo_matrix_free(&a);
            }
    spl_context_destroy(context);
}

static void all_kinds_of_operands(void **state)
{
    (void)state;
    spl_context *context = testing_context(3);
    for (int fault = 0; fault < block_fault_count; fault++) {
        zoo_matrix a;
        spl_plan *plan = NULL;
        const bool in_order = block_faults[fault].in_order;
        block_fault_build(&a, &block_faults[fault]);
        testing_case("%s", block_faults[fault].name);
        spmv_run run = {&a.view, SPL_OPTIONS_INIT, testing_scalars_of(2, 1), false};
        run.options.method = in_order ? method() : NULL;
        EXPECT_OK(run_spmv(context, &run));
        run.options.method = method();
        EXPECT_STATUS(in_order ? SPL_OK : SPL_UNSUPPORTED,
                      spl_spmv_plan(context, &a.view, &run.options, &plan));
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* ---- numbers that are not finite ---- */

/* y = A*x by that method; the caller frees y. */
static double *product(spl_plan *plan, int64_t rows, const double *x)
{
    double *y = zoo_allocate((size_t)rows * sizeof *y);
    EXPECT_OK(spl_spmv_execute(plan, NULL, x, NULL, y, NULL));
    return y;
}

/* By blocks as by entries: NaN and Inf in x, and in A, where an entry meets them
 * and nowhere else. */
static void expect_same_numbers(spl_context *context, const zoo_matrix *a, const double *x)
{
    const char *const methods[] = {method(), testing_method("spmv/compute/", "csr_scalar")};
    double *y[2];
    int odd = 0;
    for (int k = 0; k < 2; k++) {
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        options.method = methods[k];
        EXPECT_OK(spl_spmv_plan(context, &a->view, &options, &plan));
        y[k] = product(plan, a->view.rows, x);
        spl_plan_destroy(plan);
    }
    for (int64_t i = 0; i < a->view.rows; i++) {
        double by_blocks_value = y[0][i], by_entries_value = y[1][i];
        odd += !isfinite(by_entries_value);
        if (!same_number(by_blocks_value, by_entries_value))
            fail_msg("row %lld: %g by blocks, %g by entries", (long long)i, by_blocks_value,
                     by_entries_value);
    }
    EXPECT(odd > 0 && odd < a->view.rows); /* the case is one */
    free(y[0]);
    free(y[1]);
}

static void numbers_that_are_not_finite(void **state)
{
    (void)state;
    static const double numbers[] = {NAN, INFINITY, -INFINITY};
    spl_context *context = testing_context(2);
    for (int size = 2; size <= 6; size++)
        for (size_t n = 0; n < 2 * sizeof numbers / sizeof *numbers; n++) {
            zoo_matrix a;
            zoo_random random;
            double number = numbers[n / 2];
            testing_case("%g in %s, blocks of %d", number, n % 2 ? "A" : "x", size);
            holed_matrix(&a, &holed_shapes[HOLED_OFTEN], size, 0);
            EXPECT(a.view.type == SPL_F64);
            double *x = zoo_allocate((size_t)a.view.cols * sizeof *x);
            zoo_random_seed(&random, testing_seed() + n);
            for (int64_t j = 0; j < a.view.cols; j++)
                x[j] = zoo_random_unit(&random);
            if (n % 2)
                zoo_value_set(a.values, SPL_F64, a.view.nnz / 3, number);
            else
                x[a.view.cols / 3] = number;
            expect_same_numbers(context, &a, x);
            free(x);
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* ---- what a plan does with them ---- */

static void new_values(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    holed_matrix(&a, &holed_shapes[HOLED_MESH], 3, 0);
    options.method = method();
    EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
    double *x = zoo_allocate((size_t)a.view.cols * sizeof *x);
    for (int64_t j = 0; j < a.view.cols; j++)
        x[j] = 1;
    for (int round = 1; round <= 3; round++) {
        for (int64_t p = 0; p < a.view.nnz; p++)
            zoo_value_set(a.values, a.view.type, p, round);
        EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
        double *y = product(plan, a.view.rows, x);
        for (int64_t i = 0; i < a.view.rows; i++)
            EXPECT(y[i] ==
                   round * (double)(zoo_index_at(a.view.offsets, a.view.offset_type, i + 1) -
                                    zoo_index_at(a.view.offsets, a.view.offset_type, i)));
        free(y);
    }
    free(x);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* The planner takes them without being asked, for several executions, where A is made of blocks; on
 * devices, where it is large. */
static void blocks_are_found(void **state)
{
    (void)state;
    const bool on_device = testing_device();
    const holed_shape mesh = {
        "a mesh",
        {"nodes", zoo_box, {on_device ? 40 : 9, on_device ? 9 : 8, 8, 1}, false},
        10,
        on_device ? 0 : 1};
    spl_context *context = testing_context(2);
    for (int size = 3; size <= 7; size += on_device ? 4 : 1) {
        zoo_matrix a;
        holed_or_scattered_matrix(&a, &mesh, size);
        for (int executions = 0; executions < 2; executions++) {
            spl_options options = SPL_OPTIONS_INIT;
            spl_plan *plan = NULL;
            testing_case("blocks of %d, executions %d", size, executions);
            options.executions = executions;
            EXPECT_OK(spl_spmv_plan(context, &a.view, &options, &plan));
            bool found = size < 7 && executions != 1;
            if (!on_device) /* a device's predictions differ from one to the next */
                EXPECT(holed_plan(plan, found ? size : 0) == found);
            EXPECT(testing_feature(plan, "holed_block_size") == (found ? size : 1));
            spl_plan_destroy(plan);
        }
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* Blocks everywhere but in a row that no sample sees, whose columns do not ascend. */
static void one_row_in_no_order(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    holed_matrix_in_no_order(&a);
    spmv_run run = {&a.view, SPL_OPTIONS_INIT, testing_scalars_of(2, 1), false};
    EXPECT_OK(run_spmv(context, &run));
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_are_no_entries),
        cmocka_unit_test(all_kinds_of_operands),
        cmocka_unit_test(numbers_that_are_not_finite),
        cmocka_unit_test(new_values),
        cmocka_unit_test(blocks_are_found),
        cmocka_unit_test(one_row_in_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
