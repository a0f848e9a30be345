/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/hash_chained: the values of C = alpha*A*B + beta*D with a chained hash table
 * per row.
 *
 * A slot of the table holds the position of a column that hashes there; a link leads from each
 * column to the next one of the same slot. Rows are grouped by their length, as in [S1]: short rows
 * get a few lanes, longer ones a warp or a block. The team inserts the known columns of its row,
 * adds every product to the sum at its column's position, and writes the sums. Rows of more than
 * 4096 columns are computed in chunks of columns, one block each.
 *
 * Cost: a walk along a chain per product, about 1.3 columns; C's columns inserted, its values
 * written. Memory: 4 bytes a row. Source: S1, numeric phase, hash leaf: a colliding entry goes
 * to a `next` chain. Differs: the structure is known, so that nothing is inserted while products
 * are added, and nothing is sorted or compacted; additions are atomic only where several warps
 * share a row, or a row of B may have a column twice. */
#include "spgemm/gpu/device_values.h"

static const spl__row_shapes shapes = {
    .shape = {{SPGEMM_CHAIN, 4, 256, 16, INT64_MAX, 0, 0},
              {SPGEMM_CHAIN, 8, 256, 32, INT64_MAX, 0, 0},
              {SPGEMM_CHAIN, 32, 256, 128, INT64_MAX, 0, 0},
              {SPGEMM_CHAIN, 32, 256, 256, INT64_MAX, 0, 0},
              {SPGEMM_CHAIN, 32, 128, 512, INT64_MAX, 0, 0},
              {SPGEMM_CHAIN, 64, 64, 1024, INT64_MAX, 0, 0},
              {SPGEMM_CHAIN, 128, 128, 2048, INT64_MAX, 0, 0},
              {SPGEMM_CHAIN, 512, 512, 4096, INT64_MAX, 0, 0}},
    .count = 8,
};

static void estimate(const spl__task *task, spl__estimate *e)
{
    spl__device_values_estimate(task, (spl__device_costs){14, 64, 5, false}, e);
}

static spl_status enqueue_early(const spl__task *task)
{
    return spl__device_values_enqueue_early(task, &shapes, &spl__entry_values);
}

static spl_status prepare(spl__step *step)
{
    return spl__device_values_prepare(step, &shapes, &spl__entry_values);
}

const spl__method spl__spgemm_numeric_gpu_hash_chained = {
    .summary = "chained hash table from column to place in the row",
    .source = "S1, numeric phase, hash leaf",
    .revision = 1,
    .attributes = SPL__IN_PLACE,
    .applicable = spl__form_refuses_entries,
    .estimate = estimate,
    .prepare = prepare,
    .enqueue_early = enqueue_early,
    .execute = spl__device_values_execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
