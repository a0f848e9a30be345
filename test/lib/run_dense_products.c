/* SPDX-License-Identifier: Apache-2.0 */
/* SpMV and SpMM from plan to verdict. */
#include "lib/run_products.h"

#include <stdlib.h>
#include <string.h>

/* B of the product: random where op(A) has columns, NaN elsewhere, which must never be read into a
 * result. */
static test_dense new_factor(const spl_sparse *a, spl_operator op, int64_t columns, spl_order order,
                             int64_t pad)
{
    test_dense b = test_dense_new(op_cols(a, op), columns, a->type, order, pad);
    test_dense random = test_dense_copy(&b);
    unsigned char *used = used_columns(a, op);
    test_dense_fill(&random, ZOO_REAL, testing_seed() + 17);
    for (int64_t i = 0; i < b.view.rows; i++)
        for (int64_t j = 0; used[i] && j < columns; j++)
            test_dense_set(&b, i, j, test_dense_at(&random, i, j));
    free(used);
    test_dense_free(&random);
    return b;
}

/* C before the product: random if it counts, else NaN, which must vanish. */
static test_dense new_result(const spmm_run *run, double beta)
{
    test_dense c = test_dense_new(op_rows(run->a, run->options.op_a), run->columns, run->a->type,
                                  run->order_c, run->pad);
    if (beta != 0)
        test_dense_fill(&c, ZOO_REAL, testing_seed() + 23);
    return c;
}

static void expect_column(const spmm_run *run, const test_dense *b, const test_dense *before,
                          const test_dense *after, int64_t j)
{
    bool (*accepts)(const oracle_sum *sum, double actual, spl_type type) =
        run->options.accuracy == SPL_ACCURACY_REDUCED ? oracle_accepts_reduced : oracle_accepts;
    spl_type type = run->a->type;
    double beta = testing_beta(run->scalars);
    int64_t m = after->view.rows, n = b->view.rows;
    oracle_sum *sums = zoo_allocate((size_t)m * sizeof *sums);
    void *x = zoo_allocate((size_t)n * zoo_type_bytes(type)),
         *y = zoo_allocate((size_t)m * zoo_type_bytes(type));
    for (int64_t i = 0; i < n; i++)
        zoo_value_set(x, type, i, test_dense_at(b, i, j));
    for (int64_t i = 0; i < m; i++)
        zoo_value_set(y, type, i, test_dense_at(before, i, j));
    oracle_spmv(sums, run->a, run->options.op_a, testing_alpha(run->scalars), x, beta, y);
    int64_t wrong = -1;
    for (int64_t i = 0; wrong < 0 && i < m; i++)
        if (!accepts(&sums[i], test_dense_at(after, i, j), type))
            wrong = i;
    if (wrong >= 0)
        print_error("element (%lld,%lld) is %.17g, expected %.17Lg\n", (long long)wrong,
                    (long long)j, test_dense_at(after, wrong, j), sums[wrong].value);
    free(sums);
    free(x);
    free(y);
    EXPECT(wrong < 0);
}

static void expect_dense(const spmm_run *run, const test_dense *b, const test_dense *before,
                         const test_dense *after)
{
    EXPECT(test_dense_padding_intact(after));
    for (int64_t j = 0; j < run->columns; j++)
        expect_column(run, b, before, after, j);
}

static void expect_verdict(const spl_check *check)
{
    if (!check->ok)
        print_error("spl_check: %lld of %lld failed, worst at (%lld,%lld), ratio %g\n",
                    (long long)check->failed, (long long)check->compared,
                    (long long)check->worst_row, (long long)check->worst_col, check->worst_ratio);
    EXPECT(check->ok == 1 && check->failed == 0 && check->worst_ratio <= 1);
}

typedef struct dense_call {
    const void *alpha, *beta;
    test_dense b, before, c;
    double storage[2];
} dense_call;

static void start_call(dense_call *call, const spmm_run *run)
{
    call->alpha = testing_scalar_pointer(run->scalars.alpha, run->a->type, &call->storage[0]);
    call->beta = testing_scalar_pointer(run->scalars.beta, run->a->type, &call->storage[1]);
    call->b = new_factor(run->a, run->options.op_a, run->columns, run->order_b, run->pad);
    call->before = new_result(run, testing_beta(run->scalars));
    call->c = test_dense_copy(&call->before);
}

/* A cancelled execute may have written, but nowhere else. */
static void expect_untouched(spl_status status, const dense_call *call)
{
    EXPECT(test_dense_padding_intact(&call->c));
    if (status != SPL_CANCELLED && status != SPL_DEVICE_FAILURE)
        EXPECT(memcmp(call->before.memory.data, call->c.memory.data, call->c.memory.bytes) == 0);
}

static void finish_call(dense_call *call)
{
    test_dense_free(&call->b);
    test_dense_free(&call->before);
    test_dense_free(&call->c);
}

static spl_status perform_spmv(spl_context *context, const spmv_run *run, dense_call *call)
{
    const void *x = call->b.view.values;
    void *y = call->c.view.values;
    if (run->one_shot)
        return spl_spmv(context, call->alpha, run->a, x, call->beta, y, &run->options);
    spl_plan *plan = NULL;
    spl_status status = spl_spmv_plan(context, run->a, &run->options, &plan);
    if (status == SPL_OK)
        status = spl_spmv_execute(plan, call->alpha, x, call->beta, y, NULL);
    spl_plan_destroy(plan);
    return status;
}

static void verify_spmv(const spmm_run *run, const dense_call *call)
{
    spl_check check = SPL_CHECK_INIT;
    expect_dense(run, &call->b, &call->before, &call->c);
    EXPECT_OK(spl_check_spmv(call->alpha, run->a, call->b.view.values, call->beta,
                             call->before.view.values, call->c.view.values, &run->options, &check));
    expect_verdict(&check);
}

spl_status run_spmv(spl_context *context, const spmv_run *run)
{
    dense_call call;
    spmm_run as_spmm = {
        run->a,       1, SPL_COLUMN_MAJOR, SPL_COLUMN_MAJOR, 0, run->options, run->scalars,
        run->one_shot};
    start_call(&call, &as_spmm);
    spl_status status = perform_spmv(context, run, &call);
    if (status == SPL_OK)
        verify_spmv(&as_spmm, &call);
    else
        expect_untouched(status, &call);
    finish_call(&call);
    return status;
}

static spl_status perform_spmm(spl_context *context, const spmm_run *run, dense_call *call)
{
    if (run->one_shot)
        return spl_spmm(context, call->alpha, run->a, &call->b.view, call->beta, &call->c.view,
                        &run->options);
    spl_plan *plan = NULL;
    spl_status status = spl_spmm_plan(context, run->a, run->columns, &run->options, &plan);
    if (status == SPL_OK)
        status =
            spl_spmm_execute(plan, call->alpha, &call->b.view, call->beta, &call->c.view, NULL);
    spl_plan_destroy(plan);
    return status;
}

static void verify_spmm(const spmm_run *run, const dense_call *call)
{
    spl_check check = SPL_CHECK_INIT;
    expect_dense(run, &call->b, &call->before, &call->c);
    EXPECT_OK(spl_check_spmm(call->alpha, run->a, &call->b.view, call->beta, &call->before.view,
                             &call->c.view, &run->options, &check));
    expect_verdict(&check);
}

spl_status run_spmm(spl_context *context, const spmm_run *run)
{
    dense_call call;
    start_call(&call, run);
    spl_status status = perform_spmm(context, run, &call);
    if (status == SPL_OK)
        verify_spmm(run, &call);
    else
        expect_untouched(status, &call);
    finish_call(&call);
    return status;
}
