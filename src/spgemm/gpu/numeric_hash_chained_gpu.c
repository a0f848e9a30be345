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

static const spl__values_method parameters = {
    .shapes = SPL__ROW_SHAPES({SPGEMM_CHAIN, .team = 4, .threads = 256, .most = 16},
                              {SPGEMM_CHAIN, .team = 8, .threads = 256, .most = 32},
                              {SPGEMM_CHAIN, .team = 32, .threads = 256, .most = 128},
                              {SPGEMM_CHAIN, .team = 32, .threads = 256, .most = 256},
                              {SPGEMM_CHAIN, .team = 32, .threads = 128, .most = 512},
                              {SPGEMM_CHAIN, .team = 64, .threads = 64, .most = 1024},
                              {SPGEMM_CHAIN, .team = 128, .threads = 128, .most = 2048},
                              {SPGEMM_CHAIN, .team = 512, .threads = 512, .most = 4096}),
    /* together: rmat:17269,259038,0.45,0.19 on an H200, where symbolic and numeric phase took 1.9
     * ms for .7, most of it in rows of more than 512 columns */
    .costs = {.product = 14,
              .row = 64,
              .launches = 5,
              .together = 40,
              .alone_most = 512,
              .chunk_most = 4096},
    .kernels = &spl__entry_values,
    .in_any_order = true};

const spl__method spl__spgemm_numeric_gpu_hash_chained = {
    .summary = "chained hash table from column to position in the row",
    .source = "S1, numeric phase, hash leaf",
    .revision = 1,
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
