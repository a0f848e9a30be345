/* SPDX-License-Identifier: Apache-2.0 */
/* SpMM of matrices in dense blocks that have holes, by the method for them. Rows of B are NaN
 * wherever A has no entry in a column: a hole must be nothing at all. */
#include "lib/run_products.h"
#include "zoo/holed_matrices.h"

#include <math.h>
#include <string.h>

static const char method[] = "spmm/compute/cpu/holed_blocks";

static spmm_run a_run(const zoo_matrix *a, int64_t columns, int64_t pad, test_scalars scalars)
{
    spmm_run run = {&a->view, columns,          SPL_ROW_MAJOR, SPL_ROW_MAJOR,
                    pad,      SPL_OPTIONS_INIT, scalars,       false};
    run.options.method = method;
    return run;
}

/* ---- products ---- */

static const int csr_forms[] = {0, 3, 6, 9, 12, 15};

static void holes_are_no_entries(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 7, 16, 33};
    spl_context *context = testing_context(3);
    for (int n = 0; n < holed_shape_count; n++)
        for (int size = 2; size <= 6; size++)
            for (int scalars = n % testing_scale(); scalars < TEST_SCALARS;
                 scalars += 4 * testing_scale()) {
                zoo_matrix a;
                int form = csr_forms[(n + size + scalars) % 6];
                holed_matrix(&a, &holed_shapes[n], size, form);
                spmm_run run =
                    a_run(&a, widths[(n + scalars) % 4], scalars % 3, testing_scalars(scalars));
                run.order_b = scalars % 5 == 1 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
                run.order_c = scalars % 7 == 1 ? SPL_COLUMN_MAJOR : SPL_ROW_MAJOR;
                testing_case("%s, blocks of %d, %s, %lld columns", holed_shapes[n].name, size,
                             zoo_form_name(zoo_form_number(form)), (long long)run.columns);
                EXPECT_OK(run_spmm(context, &run));
                zoo_matrix_free(&a);
            }
    spl_context_destroy(context);
}

/* Every tile, whole or in part; several of them, and several panels. */
static void any_number_of_columns(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    for (int size = 2; size <= 6; size++)
        for (int form = 0; form < 12; form += 9) {
            zoo_matrix a;
            const int64_t most = (size + form) % 2 ? 40 : 700; /* each size in one of two forms */
            holed_matrix(&a, &holed_shapes[HOLED_CUT], size, form);
            for (int64_t columns = 1; columns < most;
                 columns += columns < 40 ? testing_scale() : columns / 2) {
                spmm_run run = a_run(&a, columns, columns % 3, testing_scalars_of(2, columns % 2));
                testing_case("blocks of %d, form %d, %lld columns", size, form, (long long)columns);
                EXPECT_OK(run_spmm(context, &run));
            }
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* Large enough that B is far and its rows are fetched ahead. */
static void rows_are_fetched_ahead(void **state)
{
    (void)state;
    static const holed_shape mesh = {"a mesh", {"nodes", zoo_box, {13, 11, 10, 1}, false}, 10, 1};
    spl_context *context = testing_context(2);
    zoo_matrix a;
    holed_matrix(&a, &mesh, 3, 0);
    spmm_run run = a_run(&a, 70, 0, testing_scalars_of(1, 0));
    EXPECT_OK(run_spmm(context, &run));
    zoo_matrix_free(&a);
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
        spmm_run run = a_run(&a, 9, 1, testing_scalars_of(2, 1));
        run.options.method = in_order ? method : NULL;
        EXPECT_OK(run_spmm(context, &run));
        run.options.method = method;
        EXPECT_STATUS(in_order ? SPL_OK : SPL_UNSUPPORTED,
                      spl_spmm_plan(context, &a.view, 9, &run.options, &plan));
        spl_plan_destroy(plan);
        zoo_matrix_free(&a);
    }
    spl_context_destroy(context);
}

/* ---- numbers that are not finite ---- */

enum { COLUMNS = 21 };

/* A times b by that method, times 2, and 1 more. */
static test_dense product(spl_context *context, const zoo_matrix *a, const char *id,
                          const test_dense *b)
{
    const double alpha = 2, beta = 1;
    spl_options options = SPL_OPTIONS_INIT;
    spl_plan *plan = NULL;
    options.method = id;
    test_dense c = test_dense_new(a->view.rows, COLUMNS, SPL_F64, SPL_ROW_MAJOR, 1);
    for (int64_t i = 0; i < a->view.rows; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            test_dense_set(&c, i, j, 1);
    EXPECT_OK(spl_spmm_plan(context, &a->view, COLUMNS, &options, &plan));
    EXPECT_OK(spl_spmm_execute(plan, &alpha, &b->view, &beta, &c.view, NULL));
    EXPECT(test_dense_padding_intact(&c));
    spl_plan_destroy(plan);
    return c;
}

/* By blocks as by entries: NaN and Inf in B, and in A, where an entry meets them
 * and nowhere else. */
static void expect_same_numbers(spl_context *context, const zoo_matrix *a, const test_dense *b)
{
    test_dense by_blocks = product(context, a, method, b);
    test_dense by_entries = product(context, a, "spmm/compute/cpu/register_blocked", b);
    int64_t odd = 0;
    for (int64_t n = 0; n < a->view.rows * COLUMNS; n++) {
        double by_blocks_value = test_dense_at(&by_blocks, n / COLUMNS, n % COLUMNS);
        double by_entries_value = test_dense_at(&by_entries, n / COLUMNS, n % COLUMNS);
        odd += !isfinite(by_entries_value);
        if (!same_number(by_blocks_value, by_entries_value))
            fail_msg("row %lld, column %lld: %g by blocks, %g by entries", (long long)(n / COLUMNS),
                     (long long)(n % COLUMNS), by_blocks_value, by_entries_value);
    }
    EXPECT(odd > 0 && odd < a->view.rows * COLUMNS); /* the case is one */
    test_dense_free(&by_blocks);
    test_dense_free(&by_entries);
}

static void numbers_that_are_not_finite(void **state)
{
    (void)state;
    static const double numbers[] = {NAN, INFINITY, -INFINITY};
    spl_context *context = testing_context(2);
    for (int size = 2; size <= 6; size++)
        for (size_t n = 0; n < 2 * sizeof numbers / sizeof *numbers; n++) {
            zoo_matrix a;
            double number = numbers[n / 2];
            testing_case("%g in %s, blocks of %d", number, n % 2 ? "A" : "B", size);
            holed_matrix(&a, &holed_shapes[HOLED_OFTEN], size, 0);
            EXPECT(a.view.type == SPL_F64);
            test_dense b = test_dense_new(a.view.cols, COLUMNS, SPL_F64, SPL_ROW_MAJOR, 2);
            test_dense_fill(&b, ZOO_REAL, testing_seed() + n);
            if (n % 2)
                zoo_value_set(a.values, SPL_F64, a.view.nnz / 3, number);
            else
                test_dense_set(&b, a.view.cols / 3, (int64_t)n * 4, number);
            expect_same_numbers(context, &a, &b);
            test_dense_free(&b);
            zoo_matrix_free(&a);
        }
    spl_context_destroy(context);
}

/* ---- what a plan does with them ---- */

/* Row i of A * (a matrix of ones), of a matrix whose values are all `value`. */
static double row_sum(const zoo_matrix *a, int64_t i, double value)
{
    return value * (double)(zoo_index_at(a->view.offsets, a->view.offset_type, i + 1) -
                            zoo_index_at(a->view.offsets, a->view.offset_type, i));
}

static void new_values(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    zoo_matrix a;
    spl_plan *plan = NULL;
    spl_options options = SPL_OPTIONS_INIT;
    holed_matrix(&a, &holed_shapes[HOLED_MESH], 3, 0);
    options.method = method;
    EXPECT_OK(spl_spmm_plan(context, &a.view, COLUMNS, &options, &plan));
    test_dense b = test_dense_new(a.view.cols, COLUMNS, SPL_F64, SPL_ROW_MAJOR, 0);
    for (int64_t n = 0; n < a.view.cols * COLUMNS; n++)
        test_dense_set(&b, n / COLUMNS, n % COLUMNS, 1);
    for (int round = 1; round <= 4; round++) {
        test_dense c = test_dense_new(a.view.rows, COLUMNS, SPL_F64,
                                      round % 2 ? SPL_ROW_MAJOR : SPL_COLUMN_MAJOR, 1);
        for (int64_t p = 0; p < a.view.nnz; p++)
            zoo_value_set(a.values, a.view.type, p, round);
        EXPECT_OK(spl_plan_update_values(plan, &a.view, NULL, NULL, NULL));
        EXPECT_OK(spl_spmm_execute(plan, NULL, &b.view, NULL, &c.view, NULL));
        for (int64_t n = 0; n < a.view.rows * COLUMNS; n++)
            EXPECT(test_dense_at(&c, n / COLUMNS, n % COLUMNS) == row_sum(&a, n / COLUMNS, round));
        test_dense_free(&c);
    }
    test_dense_free(&b);
    spl_plan_destroy(plan);
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

/* The same bits for one thread and for three, by several parts and panels. */
static void threads_change_no_bit(void **state)
{
    (void)state;
    enum { MANY = 530 };
    static const holed_shape mesh = {"a mesh", {"nodes", zoo_box, {9, 5, 4, 1}, false}, 10, 1};
    zoo_matrix a;
    test_dense c[2];
    holed_matrix(&a, &mesh, 3, 0);
    test_dense b = test_dense_new(a.view.cols, MANY, SPL_F64, SPL_ROW_MAJOR, 0);
    test_dense_fill(&b, ZOO_REAL, testing_seed());
    for (int k = 0; k < 2; k++) {
        spl_context *context = testing_context(1 + 2 * k);
        spl_options options = SPL_OPTIONS_INIT;
        spl_plan *plan = NULL;
        options.method = method;
        c[k] = test_dense_new(a.view.rows, MANY, SPL_F64, SPL_ROW_MAJOR, 0);
        EXPECT_OK(spl_spmm_plan(context, &a.view, MANY, &options, &plan));
        EXPECT_OK(spl_spmm_execute(plan, NULL, &b.view, NULL, &c[k].view, NULL));
        spl_plan_destroy(plan);
        spl_context_destroy(context);
    }
    EXPECT(memcmp(c[0].view.values, c[1].view.values,
                  (size_t)(a.view.rows * MANY) * sizeof(double)) == 0);
    test_dense_free(&c[0]);
    test_dense_free(&c[1]);
    test_dense_free(&b);
    zoo_matrix_free(&a);
}

/* The planner takes them without being asked, for several executions, where A is made of blocks;
 * those of two rows do not pay. */
static void blocks_are_found(void **state)
{
    (void)state;
    static const holed_shape mesh = {"a mesh", {"nodes", zoo_box, {9, 8, 8, 1}, false}, 10, 1};
    spl_context *context = testing_context(2);
    for (int size = 2; size <= 7; size++) {
        zoo_matrix a;
        holed_or_scattered_matrix(&a, &mesh, size);
        for (int executions = 0; executions < 2; executions++) {
            spl_options options = SPL_OPTIONS_INIT;
            spl_plan *plan = NULL;
            testing_case("blocks of %d, executions %d", size, executions);
            options.executions = executions;
            EXPECT_OK(spl_spmm_plan(context, &a.view, 32, &options, &plan));
            bool found = size < 7 && executions != 1;
            bool pays = found && size > 2;
            EXPECT(holed_plan(plan, pays ? size : 0) == pays);
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
    spmm_run run = a_run(&a, 9, 0, testing_scalars_of(2, 1));
    run.options.method = NULL;
    EXPECT_OK(run_spmm(context, &run));
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_are_no_entries),        cmocka_unit_test(any_number_of_columns),
        cmocka_unit_test(rows_are_fetched_ahead),      cmocka_unit_test(all_kinds_of_operands),
        cmocka_unit_test(numbers_that_are_not_finite), cmocka_unit_test(new_values),
        cmocka_unit_test(threads_change_no_bit),       cmocka_unit_test(blocks_are_found),
        cmocka_unit_test(one_row_in_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
