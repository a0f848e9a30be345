/* SPDX-License-Identifier: Apache-2.0 */
/* One-shot products with a small dense operand are computed without a plan: they allocate nothing,
 * and are right. What is wrong with them is said as for plans. */
#include "lib/cancelling.h"
#include "lib/hook_allocator.h"
#include "lib/run_products.h"

#include <string.h>

typedef struct setting {
    hook_allocator hook;
    spl_context *context;
} setting;

static void start(setting *s)
{
    hook_start(&s->hook);
    EXPECT_OK(hook_context(&s->hook, 3, 0, &s->context));
    s->hook.fail_at = 0; /* every allocation fails from now on */
}

static void stop(setting *s)
{
    s->hook.fail_at = -1;
    spl_context_destroy(s->context);
    EXPECT(hook_clean(&s->hook));
    hook_stop(&s->hook);
}

static zoo_matrix make(zoo_form form, int number)
{
    static const zoo_maker makers[] = {{"uniform", zoo_uniform, {90, 120, 4}, false},
                                       {"duplicates", zoo_duplicates, {60, 50, 5}, false},
                                       {"unsorted", zoo_unsorted, {100, 100, 6}, false},
                                       {"half empty", zoo_half_empty, {150, 80, 3}, false}};
    zoo_matrix matrix;
    testing_case("%s, %s", makers[number].name, zoo_form_name(form));
    zoo_matrix_make(&matrix, &makers[number], form, testing_seed() + (uint64_t)number);
    return matrix;
}

static void multiply(setting *s, const zoo_matrix *a, spl_operator op, test_scalars scalars)
{
    spmv_run vector = {
        .a = &a->view, .options = SPL_OPTIONS_INIT, .scalars = scalars, .one_shot = true};
    spmm_run dense = {.a = &a->view,
                      .columns = 5,
                      .order_b = SPL_ROW_MAJOR,
                      .order_c = SPL_ROW_MAJOR,
                      .pad = 2,
                      .options = SPL_OPTIONS_INIT,
                      .scalars = scalars,
                      .one_shot = true};
    vector.options.op_a = dense.options.op_a = op;
    dense.options.threads = 2;
    EXPECT_OK(run_spmv(s->context, &vector));
    EXPECT_OK(run_spmm(s->context, &dense));
    dense.columns = 1;
    EXPECT_OK(run_spmm(s->context, &dense));
}

static void nothing_is_allocated(void **state)
{
    (void)state;
    setting s;
    start(&s);
    for (int number = 0; number < 4; number++)
        for (int form = 0; form < ZOO_FORMS; form++) {
            if (zoo_form_number(form).format == SPL_COO)
                continue;
            zoo_matrix a = make(zoo_form_number(form), number);
            for (spl_operator op = SPL_NONE; op <= SPL_CONJUGATE_TRANSPOSE; op++)
                for (int beta = 0; beta < 3; beta++)
                    multiply(&s, &a, op, testing_scalars_of(1, beta == 2 ? -0.5 : beta));
            zoo_matrix_free(&a);
        }
    stop(&s);
}

/* The same statuses and words as from a plan. */
static void expect_same_fault(spl_context *context, const spl_sparse *a, const double *x, double *y,
                              spl_status expected)
{
    char said[512];
    spl_plan *plan = NULL;
    EXPECT_STATUS(expected, spl_spmv(context, NULL, a, x, NULL, y, NULL));
    strcpy(said, spl_error_detail());
    spl_status status = spl_spmv_plan(context, a, NULL, &plan);
    if (status == SPL_OK)
        status = spl_spmv_execute(plan, NULL, x, NULL, y, NULL);
    EXPECT(status == expected && strcmp(said, spl_error_detail()) == 0);
    spl_plan_destroy(plan);
}

static void faults_are_told(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    int32_t offsets[] = {0, 2, 3}, indices[] = {0, 1, 1};
    double values[] = {1, 2, 3}, x[4] = {1, 1}, y[2] = {7, 7};
    spl_sparse a = zoo_csr(SPL_F64, 2, 2, offsets, indices, values);
    indices[1] = 2;
    expect_same_fault(context, &a, x, y, SPL_INVALID_MATRIX);
    indices[1] = -1;
    expect_same_fault(context, &a, x, y, SPL_INVALID_MATRIX);
    indices[1] = 1;
    offsets[1] = 4;
    expect_same_fault(context, &a, x, y, SPL_INVALID_MATRIX);
    offsets[1] = 2;
    offsets[0] = 1;
    expect_same_fault(context, &a, x, y, SPL_INVALID_MATRIX);
    offsets[0] = 0;
    a.nnz = 2;
    expect_same_fault(context, &a, x, y, SPL_INVALID_MATRIX);
    a.nnz = 3;
    expect_same_fault(context, &a, x, x + 1, SPL_INVALID_ARGUMENT);
    expect_same_fault(context, &a, x, values + 1, SPL_INVALID_ARGUMENT);
    expect_same_fault(context, &a, NULL, y, SPL_INVALID_ARGUMENT);
    EXPECT(y[0] == 7 && y[1] == 7 && x[1] == 1 && values[1] == 2);
    EXPECT_OK(spl_spmv(context, NULL, &a, x, NULL, y, NULL));
    EXPECT(y[0] == 3 && y[1] == 3);
    spl_context_destroy(context);
}

/* alpha times x is too small for a number, alpha times the sum is not. */
static void alpha_scales_the_sum(void **state)
{
    (void)state;
    spl_context *context = testing_context(2);
    const double alpha = 3 * 0x1p-1074;
    int32_t offsets[] = {0, 1, 2}, indices[] = {1, 0};
    double values[] = {0x1p900, -0x1p901}, x[] = {0x1p-3, 0x1p-2}, y[2];
    spl_sparse a = SPL_SPARSE_INIT;
    a.type = SPL_F64;
    a.offset_type = a.index_type = SPL_I32;
    a.rows = a.cols = a.nnz = 2;
    a.offsets = offsets;
    a.indices = indices;
    a.values = values;
    for (int form = 0; form < 4; form++) {
        spl_options options = SPL_OPTIONS_INIT;
        a.format = form & 1 ? SPL_CSR : SPL_CSC;
        options.op_a = form & 2 ? SPL_TRANSPOSE : SPL_NONE;
        const bool by_rows = form == 1 || form == 2;
        const double first = by_rows ? 0x1.8p-175 : -0x1.8p-174;
        const double second = by_rows ? -0x1.8p-175 : 0x1.8p-176;
        testing_case("%s, operator %d", form & 1 ? "CSR" : "CSC", options.op_a);
        y[0] = y[1] = 7;
        EXPECT_OK(spl_spmv(context, &alpha, &a, x, NULL, y, &options));
        EXPECT(y[0] == first && y[1] == second);
        y[0] = y[1] = 7;
        spl_dense b = SPL_DENSE_INIT, c;
        b.type = SPL_F64;
        b.rows = 2;
        b.cols = b.ld = 1;
        b.order = SPL_ROW_MAJOR;
        c = b;
        b.values = x;
        c.values = y;
        EXPECT_OK(spl_spmm(context, &alpha, &a, &b, NULL, &c, &options));
        EXPECT(y[0] == first && y[1] == second);
    }
    spl_context_destroy(context);
}

static void progress_cancels(void **state)
{
    (void)state;
    spl_context *context = cancelling_context();
    zoo_matrix a = make(zoo_form_number(0), 0);
    spmv_run run = {.a = &a.view,
                    .options = SPL_OPTIONS_INIT,
                    .scalars = testing_scalars_of(1, 0),
                    .one_shot = true};
    EXPECT_STATUS(SPL_CANCELLED, run_spmv(context, &run));
    zoo_matrix_free(&a);
    spl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_allocated),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(alpha_scales_the_sum),
        cmocka_unit_test(progress_cancels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
