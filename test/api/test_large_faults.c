/* SPDX-License-Identifier: Apache-2.0 */
/* Promise 6 for matrices that are so large that threads share the checks: the detail names the
 * first fault, wherever it is. */
#include "lib/run_products.h"

#include <stdlib.h>
#include <string.h>

enum { MANY_ROWS = 600000 };

static void expect_fault_at(spl_context *context, int32_t *array, int64_t position, int32_t value,
                            const spl_sparse *view, const char *fault_text)
{
    int32_t before = array[position];
    spl_plan *plan = NULL;
    array[position] = value;
    EXPECT_STATUS(SPL_INVALID_MATRIX, spl_spmv_plan(context, view, NULL, &plan));
    testing_case("detail \"%s\", expected \"%s\"", spl_error_detail(), fault_text);
    EXPECT(!plan && strstr(spl_error_detail(), fault_text));
    array[position] = before;
}

static void faults_of_large_matrices(void **state)
{
    (void)state;
    spl_context *context = testing_context(4);
    int32_t *offsets = zoo_allocate((MANY_ROWS + 1) * sizeof *offsets);
    int32_t *columns = zoo_allocate(MANY_ROWS * sizeof *columns);
    float *values = zoo_allocate(MANY_ROWS * sizeof *values);
    for (int32_t i = 0; i <= MANY_ROWS; i++)
        offsets[i] = i;
    for (int32_t i = 0; i < MANY_ROWS; i++) {
        columns[i] = i;
        values[i] = 1;
    }
    spl_sparse view = zoo_csr(SPL_F32, MANY_ROWS, MANY_ROWS, offsets, columns, values);
    expect_fault_at(context, columns, 599999, MANY_ROWS, &view,
                    "row 599999, entry 599999: column 600000");
    expect_fault_at(context, columns, 300001, -1, &view, "row 300001, entry 300001: column -1");
    expect_fault_at(context, offsets, 16384, 7, &view, "row 16383: offsets go from 16383 to 7");
    expect_fault_at(context, offsets, 599999, 0, &view, "row 599998: offsets go from 599998 to 0");
    expect_fault_at(context, offsets, MANY_ROWS, 599999, &view,
                    "the last offset is 599999, nnz is 600000");
    spl_plan *plan = NULL;
    EXPECT_OK(spl_spmv_plan(context, &view, NULL, &plan));
    spl_plan_destroy(plan);
    spl_context_destroy(context);
    free(offsets);
    free(columns);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_large_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
