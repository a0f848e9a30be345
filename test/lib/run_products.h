/* SPDX-License-Identifier: Apache-2.0 */
/* run_products.h: one operation from plan to verdict: random operands, poisoned and guarded
 * outputs, the oracle's and the library's own check. Everything that is wrong fails the test. A
 * status other than SPL_OK is returned; no output was touched then, unless it is SPL_CANCELLED or
 * SPL_DEVICE_FAILURE. */
#ifndef SPARLOOM_TEST_RUN_PRODUCTS_H
#define SPARLOOM_TEST_RUN_PRODUCTS_H

#include "lib/guarded.h"
#include "lib/sparse_oracle.h"
#include "lib/testing.h"

/* -------------------------------------------------------------------------------------- vectors */

/* A vector or dense matrix of the test: `view` inside guarded memory, NaN between the columns and
 * ld. */
typedef struct test_dense {
    spl_dense view;
    guarded memory;
} test_dense;

/* All elements NaN; `pad` elements between lines. */
test_dense test_dense_new(int64_t rows, int64_t cols, spl_type type, spl_order order, int64_t pad);
void test_dense_fill(test_dense *dense, zoo_values values, uint64_t seed);
double test_dense_at(const test_dense *dense, int64_t i, int64_t j);
void test_dense_set(test_dense *dense, int64_t i, int64_t j, double value);
test_dense test_dense_copy(const test_dense *dense);
/* The guard zones and the padding are as they were made. */
bool test_dense_padding_intact(const test_dense *dense);
void test_dense_free(test_dense *dense);

/* used[j] of op(A): 1 if column j has an entry. cols(op(A)) bytes from zoo_allocate. */
unsigned char *used_columns(const spl_sparse *a, spl_operator op);
int64_t op_rows(const spl_sparse *a, spl_operator op);
int64_t op_cols(const spl_sparse *a, spl_operator op);

/* ----------------------------------------------------------------------------------- operations */

typedef struct spmv_run {
    const spl_sparse *a;
    spl_options options;
    test_scalars scalars;
    bool one_shot; /* spl_spmv instead of plan and execute */
} spmv_run;
spl_status run_spmv(spl_context *context, const spmv_run *run);

typedef struct spmm_run {
    const spl_sparse *a;
    int64_t columns;
    spl_order order_b, order_c;
    int64_t pad;
    spl_options options;
    test_scalars scalars;
    bool one_shot;
} spmm_run;
spl_status run_spmm(spl_context *context, const spmm_run *run);

/* C in guarded arrays. */
typedef struct test_product {
    spl_sparse view;
    guarded offsets, indices, values;
} test_product;

typedef struct spgemm_run {
    const spl_sparse *a, *b, *d;
    spl_options options;
    test_scalars scalars;
    bool one_shot;
} spgemm_run;
spl_status run_spgemm(spl_context *context, const spgemm_run *run);
/* Plans, and computes C into arrays of the caller (by way of the plan's own where the plan has but
 * a bound). */
spl_status compute_spgemm(spl_context *context, const spgemm_run *run, test_product *c);
/* Whether a plan that was not executed yet has but a bound of nnz(C). */
bool plan_has_bound(const spl_plan *plan);
/* The executing half of compute_spgemm; *c is made on success only. */
spl_status execute_spgemm(spl_plan *plan, bool bound, const spgemm_run *run, test_product *c);
/* Fails the test unless c is right by the oracle and by spl_check_spgemm. */
void expect_spgemm(const spgemm_run *run, const spl_sparse *c);
void test_product_free(test_product *c);
bool test_products_identical(const test_product *a, const test_product *b);

#endif
