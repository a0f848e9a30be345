/* SPDX-License-Identifier: Apache-2.0 */
/* spgemm/numeric/gpu/hash: the values of C = alpha*A*B + beta*D with a hash table per row.
 *
 * Rows are grouped by their length. A team inserts the known columns of its row into a table, each
 * with its position in the row, adds every product to the sum at its column's position, and writes
 * the sums. Long rows are computed in chunks of their columns, one block each, so that all tables
 * fit shared memory.
 *
 * Cost: a search and an addition per product; C's columns inserted, and their values written;
 * long rows: A's row and the rows of B read for every chunk. Memory: 4 bytes a row. Source: Y.
 * Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017 [S3]. Differs: the structure is known, so that
 * nothing is sorted or compacted; chunks instead of tables in global memory; additions are
 * atomic only where several warps share a row, or a row of B may have a column twice. */
#include "spgemm/gpu/device_values.h"

static const spl__values_method parameters = {
    .shapes = SPL__ROW_SHAPES({SPGEMM_HASH, .team = 8, .threads = 256, .most = 32},
                              {SPGEMM_HASH, .team = 32, .threads = 256, .most = 128},
                              {SPGEMM_HASH, .team = 32, .threads = 128, .most = 512},
                              {SPGEMM_HASH, .team = 128, .threads = 128, .most = 2048},
                              {SPGEMM_HASH, .team = 512, .threads = 512, .most = 4096}),
    /* together: rmat:17269,259038,0.45,0.19 on an H200, where symbolic and numeric phase took 1.9
     * ms for .7, most of it in rows of more than 512 columns */
    .costs = {.product = 16,
              .row = 64,
              .launches = 5,
              .together = 40,
              .alone_most = 512,
              .chunk_most = 4096},
    .kernels = &spl__entry_values,
    .in_any_order = true};

const spl__method spl__spgemm_numeric_gpu_hash = {
    .summary = "hash table per row",
    .source = "Y. Nagasaka, A. Nukada, S. Matsuoka, ICPP 2017",
    .revision = 2,
    .attributes = SPL__IN_PLACE,
    .parameters = &parameters,
    .applicable = spl__device_values_applicable,
    .estimate = spl__device_values_estimate,
    .prepare = spl__device_values_prepare,
    .enqueue_early = spl__device_values_enqueue_early,
    .execute = spl__device_values_execute,
    .explain = spl__device_values_explain,
    .destroy = spl__device_values_destroy,
};
