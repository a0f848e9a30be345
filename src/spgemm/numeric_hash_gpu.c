/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/hash: the values of C = alpha*A*B + beta*D with a hash table per row.
 *
 * Rows are grouped by their length. A team puts the known columns of its row into a table, each with its place in the row, adds every product to
 * the sum at its column's place, and writes the sums. Long rows are computed in chunks of their columns, a block each, so that all tables are in
 * shared memory.
 *
 * Cost: products searched and added; C's columns inserted, and their values written; long rows: A's row and the rows of B read for every chunk.
 * Memory: 4 bytes a row.
 * Source: Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017 [S3].
 * Differs: the structure is known, so that nothing is sorted or compacted; chunks instead of tables in global memory; additions are atomic only
 * where several warps share a row, or a row of B may have a column twice. */
#include "spgemm/device_product.h"

static const spl__row_shapes shapes = {
    .shape = {{SPGEMM_HASH, 8, 256, 32, INT64_MAX, 0},
              {SPGEMM_HASH, 32, 256, 128, INT64_MAX, 0},
              {SPGEMM_HASH, 32, 128, 512, INT64_MAX, 0},
              {SPGEMM_HASH, 128, 128, 2048, INT64_MAX, 0},
              {SPGEMM_HASH, 512, 512, 4096, INT64_MAX, 0}},
    .count = 5,
};

static void estimate(const spl__task *task, spl__estimate *e)
{
    const spl__features *f = &task->plan->features;
    double value = (double)spl__type_size(task->plan->problem.a.csr.type);
    double lanes = task->plan->problem.queue.device->properties.lanes;
    spl__device_work work = {.streamed = (4 + value) * (f->nnz_a + f->nnz_c) + 16 * f->rows,
                             .gathered = (4 + value) * f->products,
                             .reach = (4 + value) * f->nnz_b,
                             .steps = 16 * f->products / lanes + 8 * f->nnz_c / lanes + 64 * f->rows,
                             .launches = 5};
    e->seconds = spl__device_seconds(task, &work);
    e->bytes = 4 * f->rows;
}

static spl_status prepare(spl__step *step)
{
    return spl__device_values_prepare(step, &shapes);
}

const spl__method spl__spgemm_numeric_gpu_hash = {
    .summary = "hash table per row",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017",
    .revision = 2,
    .attributes = SPL__IN_PLACE,
    .estimate = estimate,
    .prepare = prepare,
    .execute = spl__device_values_execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
