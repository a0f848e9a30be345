/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/warps: the values of C = alpha*A*B + beta*D by teams within a warp alone: the same bits in every run.
 *
 * As numeric/gpu/hybrid, but a row never has more than the lanes of one warp at a time: these walk one row of B after the other, add without atomic
 * operations, and so always in the same order. Long rows are cut into chunks of columns, a warp each, which walk all of the row's products.
 *
 * Cost: as hybrid; rows of more than 512 columns: A's row and the rows of B read and searched for every chunk. Memory: 4 bytes a row.
 * Source: own, after the hash tables of Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017 [S3]. */
#include "spgemm/device_product.h"

static const spl__row_shapes shapes = {
    .shape = {{SPGEMM_SEARCH, 32, 256, 32, INT64_MAX, 0},
              {SPGEMM_WINDOW, 32, 256, 2048, INT64_MAX, 2},
              {SPGEMM_SEARCH, 32, 256, 128, INT64_MAX, 0},
              {SPGEMM_WINDOW, 32, 256, 4096, INT64_MAX, 2},
              {SPGEMM_WINDOW, 32, 128, 8192, INT64_MAX, 2},
              {SPGEMM_WINDOW, 32, 128, 14336, INT64_MAX, 2},
              {SPGEMM_HASH, 32, 128, 512, INT64_MAX, 0}},
    .count = 7,
};

static const char *applicable(const spl__task *task)
{
    const struct spl__device_product *there = spl__product_of(task->plan)->there;
    if (there->unsorted)
        return "needs sorted columns of C";
    return there->ordered ? NULL : "needs rows of B and D without repeated columns, in order";
}

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__device_values_estimate(task, (spl__device_costs){16, 64, 6}, e);
}

static spl_status prepare(spl__step *step)
{
    return spl__device_values_prepare(step, &shapes);
}

const spl__method spl__spgemm_numeric_gpu_warps = {
    .summary = "as hybrid, but a warp at most for a row: the same bits in every run",
    .source = "own, after Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017",
    .revision = 1,
    .attributes = SPL__DETERMINISTIC | SPL__IN_PLACE,
    .applicable = applicable,
    .estimate = estimate,
    .prepare = prepare,
    .execute = spl__device_values_execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
