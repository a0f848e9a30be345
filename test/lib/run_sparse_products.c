/* SPDX-License-Identifier: Apache-2.0 */
/* SpGEMM from plan to verdict. */
#include "lib/run_products.h"

#include <string.h>

static test_product new_product(const spl_result *result)
{
    test_product c = {.view = SPL_SPARSE_INIT};
    c.view.format = SPL_CSR;
    c.view.type = result->type;
    c.view.offset_type = result->offset_type;
    c.view.index_type = result->index_type;
    c.view.rows = result->rows;
    c.view.cols = result->cols;
    c.view.nnz = result->nnz;
    c.offsets = guarded_new((size_t)(result->rows + 1) * zoo_index_bytes(result->offset_type));
    c.indices = guarded_new((size_t)result->nnz * zoo_index_bytes(result->index_type));
    c.values = guarded_new((size_t)result->nnz * zoo_type_bytes(result->type));
    c.view.offsets = c.offsets.data;
    c.view.indices = c.indices.data;
    c.view.values = c.values.data;
    return c;
}

void test_product_free(test_product *c)
{
    guarded_free(&c->offsets);
    guarded_free(&c->indices);
    guarded_free(&c->values);
}

static bool same_bytes(const guarded *a, const guarded *b)
{
    return a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

bool test_products_identical(const test_product *a, const test_product *b)
{
    return same_bytes(&a->offsets, &b->offsets) && same_bytes(&a->indices, &b->indices) &&
           same_bytes(&a->values, &b->values);
}

bool plan_has_bound(const spl_plan *plan)
{
    spl_result result = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &result));
    return !result.exact;
}

/* Values into the caller's array, or, with a bound, into the plan, which then knows nnz(C). */
static spl_status compute_values(spl_plan *plan, bool bound, const spgemm_run *run, test_product *c)
{
    double storage[2];
    const void *alpha = testing_scalar_pointer(run->scalars.alpha, run->a->type, &storage[0]);
    const void *beta = testing_scalar_pointer(run->scalars.beta, run->a->type, &storage[1]);
    spl_result before = SPL_RESULT_INIT, after = SPL_RESULT_INIT;
    EXPECT_OK(spl_spgemm_result(plan, &before));
    if (!bound) {
        *c = new_product(&before);
        return spl_spgemm_execute(plan, alpha, beta, c->values.data, NULL);
    }
    *c = (test_product){.view = SPL_SPARSE_INIT};
    spl_status status = spl_spgemm_execute(plan, alpha, beta, NULL, NULL);
    if (status != SPL_OK)
        return status;
    EXPECT_OK(spl_spgemm_result(plan, &after));
    EXPECT(after.exact == 1 && after.nnz <= before.nnz);
    *c = new_product(&after);
    return SPL_OK;
}

spl_status execute_spgemm(spl_plan *plan, bool bound, const spgemm_run *run, test_product *c)
{
    spl_status status = compute_values(plan, bound, run, c);
    if (status == SPL_OK)
        status = spl_spgemm_export(plan, c->offsets.data, c->indices.data,
                                   bound ? c->values.data : NULL, NULL);
    if (status != SPL_OK) {
        EXPECT(status == SPL_CANCELLED || status == SPL_DEVICE_FAILURE || bound ||
               guarded_untouched(&c->values));
        test_product_free(c);
        return status;
    }
    EXPECT(guarded_intact(&c->offsets) && guarded_intact(&c->indices) &&
           guarded_intact(&c->values));
    return SPL_OK;
}

spl_status compute_spgemm(spl_context *context, const spgemm_run *run, test_product *c)
{
    spl_plan *plan = NULL;
    spl_status status = spl_spgemm_plan(context, run->a, run->b, run->d, &run->options, &plan);
    if (status == SPL_OK)
        status = execute_spgemm(plan, plan_has_bound(plan), run, c);
    spl_plan_destroy(plan);
    return status;
}

static oracle_spgemm oracle_problem(const spgemm_run *run)
{
    return (oracle_spgemm){run->a,
                           run->b,
                           run->d,
                           run->options.op_a,
                           run->options.op_b,
                           testing_alpha(run->scalars),
                           testing_beta(run->scalars),
                           run->options.unsorted != 0};
}

void expect_spgemm(const spgemm_run *run, const spl_sparse *c)
{
    char message[256] = "";
    oracle_spgemm problem = oracle_problem(run);
    if (!oracle_spgemm_accepts(&problem, c, message, sizeof message)) {
        print_error("oracle: %s\n", message);
        EXPECT(!"the oracle accepts the product");
    }
    double storage[2];
    spl_check check = SPL_CHECK_INIT;
    EXPECT_OK(spl_check_spgemm(testing_scalar_pointer(run->scalars.alpha, c->type, &storage[0]),
                               run->a, run->b,
                               testing_scalar_pointer(run->scalars.beta, c->type, &storage[1]),
                               run->d, c, &run->options, &check));
    if (!check.ok)
        print_error("spl_check: %lld of %lld failed, worst at (%lld,%lld), ratio %g\n",
                    (long long)check.failed, (long long)check.compared, (long long)check.worst_row,
                    (long long)check.worst_col, check.worst_ratio);
    EXPECT(check.ok == 1 && check.failed == 0 && check.compared == c->nnz);
}

static spl_status run_one_shot(spl_context *context, const spgemm_run *run)
{
    double storage[2];
    spl_matrix *c = NULL;
    spl_status status = spl_spgemm(
        context, testing_scalar_pointer(run->scalars.alpha, run->a->type, &storage[0]), run->a,
        run->b, testing_scalar_pointer(run->scalars.beta, run->a->type, &storage[1]), run->d,
        &run->options, &c);
    if (status != SPL_OK)
        return status;
    spl_sparse view = SPL_SPARSE_INIT;
    EXPECT_OK(spl_matrix_view(c, &view));
    expect_spgemm(run, &view);
    spl_matrix_destroy(c);
    return SPL_OK;
}

spl_status run_spgemm(spl_context *context, const spgemm_run *run)
{
    if (run->one_shot)
        return run_one_shot(context, run);
    test_product c;
    spl_status status = compute_spgemm(context, run, &c);
    if (status != SPL_OK)
        return status;
    expect_spgemm(run, &c.view);
    test_product_free(&c);
    return SPL_OK;
}
