/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/hybrid: the values of C = alpha*A*B + beta*D, with a lookup of positions that
 * is chosen per row.
 *
 * For rows that the symbolic phase sorted, the position of every product is kept: one byte per
 * product is read instead of a column. In other rows the columns of C are known and ascend. Short
 * rows use binary search. Rows whose columns lie close together have one word per 32 columns, with
 * their bits and the position of the first: a product's position is that plus the number of lower
 * bits. Other rows use a hash table; the longest are split into chunks of columns, one block each.
 *
 * Cost: a lookup and an addition per product; C's columns entered, its values written. Memory: 4
 * bytes a row; for kept positions 8 bytes a row and one per product of sorted rows. Source: hash
 * tables and groups: Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017 [S3]; own. */
#include "spgemm/gpu/device_values.h"

static const spl__row_shapes shapes = {
    .shape = {{SPGEMM_KEPT, 32, 256, 32, 1 << 7, 0, 0},
              {SPGEMM_KEPT, 32, 256, 64, 1 << 7, 0, 0},
              {SPGEMM_KEPT, 32, 256, 128, 1 << 7, 0, 0},
              {SPGEMM_SEARCH, 32, 256, 32, 1 << 12, 0, 0},
              {SPGEMM_WINDOW, 32, 256, 1536, 1 << 16, 2, 0},
              {SPGEMM_SEARCH, 32, 256, 128, 1 << 16, 0, 0},
              {SPGEMM_WINDOW, 32, 256, 2048, 1 << 18, 2, 0},
              {SPGEMM_WINDOW, 32, 256, 3072, 1 << 18, 2, 0},
              {SPGEMM_WINDOW, 32, 256, 4096, 1 << 18, 2, 0},
              {SPGEMM_WINDOW, 32, 128, 6144, 1 << 18, 2, 0},
              {SPGEMM_WINDOW, 32, 128, 8192, 1 << 18, 2, 0},
              {SPGEMM_WINDOW, 32, 128, 11264, 1 << 18, 2, 0},
              {SPGEMM_SEARCH, 32, 128, 512, 1 << 16, 0, 0},
              {SPGEMM_WINDOW, 256, 256, 57344, 1 << 20, 4, 0},
              {SPGEMM_HASH, 128, 128, 2048, 1 << 20, 0, 0},
              {SPGEMM_SPREAD, 256, 256, 65536, INT64_MAX, 4, 0},
              {SPGEMM_SPREAD, 512, 512, 0, INT64_MAX, 16, 0},
              {SPGEMM_HASH, 512, 512, 4096, INT64_MAX, 0, 0}},
    .count = 18,
};

static const char *applicable(const spl__task *task)
{
    const spl__device_product *device_c = spl__device_product_of(task->plan);
    return device_c->unsorted ? "needs sorted columns of C" : spl__form_refuses_entries(task);
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__device_values_estimate(task, (spl__device_costs){12, 32, 5, false}, e);
}

static spl_status enqueue_early(const spl__task *task)
{
    return spl__device_values_enqueue_early(task, &shapes, &spl__entry_values);
}

static spl_status prepare(spl__step *step)
{
    return spl__device_values_prepare(step, &shapes, &spl__entry_values);
}

const spl__method spl__spgemm_numeric_gpu_hybrid = {
    .summary = "places searched, counted in windows of bits, or hashed",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017, for the hashed rows; own",
    .revision = 1,
    .attributes = SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .enqueue_early = enqueue_early,
    .execute = spl__device_values_execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
